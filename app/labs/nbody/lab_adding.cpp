// Bodies that people add to a run, by numbers or with the mouse.
#include <cmath>
#include <future>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

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

/// At the step that is shown, which becomes the last one: bodies that joined later are discarded with their steps. It becomes the
/// chosen one.
void NBodyLab::add_body(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, double mass) {
  const double gravitation = start_->units ? start_->units->gravitation : 1;
  // Right after another one was added, nothing is shown of that run yet.
  const std::int64_t step = shown_ == nothing ? wanted_ : shown_;
  auto bodies = science::added_bodies(run_.added);
  std::erase_if(bodies, [&](const auto& each) { return each.step.value_or(first_step_) > step; });
  const std::uint64_t id = science::first_added_id(*start_) + bodies.size();
  bodies.push_back({mass * gravitation, place, velocity, step});
  context_.set_parameters(QObject::tr("Add body"),
                          {{"added-bodies", science::text_of(bodies)}, {"body", std::to_string(id)}});
}

/// The run is as if bodies had always been added as `text` says: it goes back to the first step at which that differs,
/// and bodies that joined later join again at their steps. Undo and redo therefore restore the run.
void NBodyLab::set_added(const std::string& text) {
  const auto recorded = runner_->recorded();
  const std::string wanted = science::joining_at(recorded.last, run_.added, text);
  const auto way = science::way_to(wanted, run_.added, first_step_);
  if (way.empty()) return;
  const std::int64_t back_to = way.front().step;
  if (back_to < recorded.first)
    throw Error(workbench::said(
        QObject::tr("The added bodies differ from step %1 on, which is no longer recorded: the run begins at "
                    "step %2. Restart it (nbody.restart)."),
        back_to, recorded.first));
  require_branch_stays(back_to);
  run_.added = wanted;
  playback_.pause();
  runner_->look(std::nullopt, std::nullopt);  // else it may go on between going back and the change
  std::vector<std::future<void>> done;
  for (const auto& [step, added] : way) {
    if (step > recorded.last || step != back_to) runner_->go_to(step);
    if (step == back_to) done.push_back(runner_->rewind_to(step, "added-bodies"));
    done.push_back(runner_->set_parameter("added-bodies", added));
  }
  const auto all = science::added_bodies(wanted);
  const bool joins = !all.empty() && all.back().step.value_or(first_step_) == way.back().step;
  const auto made = std::make_shared<std::vector<std::future<void>>>(std::move(done));
  context_.jobs.submit(
      workbench::said(QObject::tr("Go back to step %1"), back_to), "nbody.rewind",
      [this, made, way, joins, of = runner_.get(), to_gui = context_.on_gui_thread](const jobs::Progress&) {
        for (auto& each : *made) each.get();
        to_gui(workbench::guarded(this, [this, way, joins, of] {
          if (runner_.get() == of) take_added(way, joins);
        }));
      });
}

/// Shows the step at which bodies changed last, or the next one if one joined there, which is the first that it moved.
void NBodyLab::take_added(const std::vector<science::AddedFrom>& way, bool joins) {
  const std::int64_t step = way.back().step + (joins ? 1 : 0);
  if (!picture_.empty()) extent_ = picture_.drawing().extent;
  ++system_;  // drawings that are on their way are of before
  frame_.reset();
  shown_ = nothing;
  taken_ = way.front().step - 1;
  if (panel_) {
    panel_->begin_at_or_before(way.front().step);
    panel_->forget_after(taken_);
  }
  take_parameters_of_runner();
  playback_.show_time(static_cast<double>(step));
  want(static_cast<double>(step));
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

/// Later, as the adder itself may call it.
void NBodyLab::end_adding() {
  adder_.release()->deleteLater();
  context_.availability_changed();
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
                  if (adder_) return end_adding();
                  adder_ = std::make_unique<BodyAdder>(
                      context_.view, [this] { return adding_plane(); },
                      [this](const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, bool again) {
                        const Eigen::Vector3d there = place + picture_.drawing().extent.middle;
                        std::vector<std::string> numbers;
                        for (const Eigen::Vector3d& each : {there, velocity}) {
                          for (const double number : each) numbers.push_back(fmt::format("{}", number));
                        }
                        if (!again) end_adding();
                        try {
                          context_.commands.run("nbody.add-body", numbers);
                        } catch (const Error& error) {
                          context_.show_status(QString::fromUtf8(error.what()));
                        }
                      },
                      [this] {
                        if (!adder_) return;  // it is about to go
                        end_adding();
                        context_.show_status(QObject::tr("No body is added."));
                      });
                  context_.show_status(
                      QObject::tr("Press the left button at the position of the new body and drag its "
                                  "velocity. Hold Shift to add several; Esc cancels."));
                },
                unavailable, {.checked = [this] { return adder_ != nullptr; }});
}

}  // namespace isolume::labs::nbody
