// Bodies that people add to a run, by numbers or with the mouse.
#include <cmath>
#include <numeric>

#include <fmt/format.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/labs/nbody/nbody_lab.h"
#include "app/labs/nbody/unit_words.h"
#include "app/scene/view_widget.h"
#include "app/workbench/command_registry.h"
#include "app/workbench/translated.h"
#include "core/nbody/added_bodies.h"

namespace isolume::labs::nbody {

std::string NBodyLab::cannot_add() const {
  if (picture_.empty()) return not_there_yet();
  if (in_a_box()) return workbench::said(QObject::tr("Bodies cannot be added to a comoving box."));
  if (recorded())
    return workbench::said(
        QObject::tr("A recording cannot be changed. Continue from one of its snapshots (nbody.rewind), then "
                    "add bodies."));
  return {};
}

/// At the step that is shown, which becomes the last one.
void NBodyLab::add_body(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, double mass) {
  playback_.pause();
  if (shown_ < runner_->recorded().last) rewind();
  const double gravitation = start_->units ? start_->units->gravitation : 1;
  context_.set_parameters(
      QObject::tr("Add body"),
      {{"added-bodies", science::with_added(run_.added, {mass * gravitation, place, velocity})}});
  want(static_cast<double>(shown_ + 1));  // the first step that has it
}

/// The arrow of a body is as long as its distance to the centre of mass where it moves as fast as on a circle about it.
std::optional<AddingPlane> NBodyLab::adding_plane() const {
  if (!cannot_add().empty()) return std::nullopt;
  const BodiesDrawing& drawing = picture_.drawing();
  AddingPlane plane;
  context_.view.renderer()->GetActiveCamera()->GetFocalPoint(plane.anchor.data());
  if (drawing.chosen_place) plane.anchor = *drawing.chosen_place;
  const auto& masses = drawing.frame->labels->mass;
  const double mass = std::accumulate(masses.begin(), masses.end(), 0.0);
  const Eigen::Vector3d centre = drawing.frame->centre - drawing.extent.middle;
  plane.speed_of_length = [mass, centre](const Eigen::Vector3d& place) {
    const double distance = (place - centre).norm();
    return mass > 0 && distance > 0 ? std::sqrt(mass / distance) / distance : 1;
  };
  plane.words = [units = drawing.frame->labels->units](double speed) {
    return QStringLiteral("%1 %2")
        .arg(shown_text(in_units(speed, Dimension::speed, units), 3), unit_words(Dimension::speed, units))
        .toStdString();
  };
  return plane;
}

void NBodyLab::add_adding_commands() {
  auto& commands = context_.commands;
  const auto unavailable = [this] { return cannot_add(); };
  commands.bind(
      "nbody.add-body",
      [this](const commands::Arguments& arguments) {
        const auto number = [&](const char* name) { return arguments.number(name); };
        add_body({number("x"), number("y"), number("z")}, {number("vx"), number("vy"), number("vz")},
                 arguments.has("mass") ? number("mass") : window_look_.new_mass);
      },
      unavailable);
  commands.bind("nbody.add-by-mouse",
                [this](const auto&) {
                  if (adder_) return adder_.reset();
                  adder_ = std::make_unique<BodyAdder>(
                      context_.view, [this] { return adding_plane(); },
                      [this](const Eigen::Vector3d& place, const Eigen::Vector3d& velocity) {
                        const Eigen::Vector3d there = place + picture_.drawing().extent.middle;
                        std::vector<std::string> numbers;
                        for (const Eigen::Vector3d& each : {there, velocity}) {
                          for (const double number : each) numbers.push_back(fmt::format("{}", number));
                        }
                        context_.commands.run("nbody.add-body", numbers);
                      });
                  context_.show_status(
                      QObject::tr("Press the left button at the position of the new body and drag its "
                                  "velocity. Run the command again to stop."));
                },
                unavailable, {.checked = [this] { return adder_ != nullptr; }});
}

}  // namespace isolume::labs::nbody
