// What is read of the bodies: the chosen one, the field at a place, how fast and how exact the runs are.
#include <utility>

#include <fmt/format.h>

#include "app/labs/nbody/nbody_lab.h"
#include "app/labs/nbody/probe_readings.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/in_sight.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::nbody {

std::optional<nlohmann::json> NBodyLab::reading() const {
  const BodiesDrawing& drawing = picture_.drawing();
  if (picture_.empty() || !drawing.chosen) return std::nullopt;
  return reading_of(*drawing.frame, *drawing.chosen);
}

void NBodyLab::read_body() {
  const auto found = reading();
  if (!found)
    throw Error(workbench::said(QObject::tr("No body is chosen. Click one, or run nbody.pick NUMBER.")));
  const BodiesDrawing& drawing = picture_.drawing();
  context_.jobs.submit(
      workbench::said(QObject::tr("Probe the force")), "nbody.body",
      [reading = *found, frame = drawing.frame, body = *drawing.chosen, about = window_look_.orbit_about,
       engines = engines_](const jobs::Progress& progress) {
        nlohmann::json all = reading;
        all.update(force_on(*frame, body, *engines, progress));
        all["orbit"] = orbit_of(*frame, body, about);
        commands::report(std::move(all));
      });
}

void NBodyLab::read_place(const Eigen::Vector3d& place) {
  const auto text = [](double value) { return fmt::format("{}", value); };
  context_.set_parameters(QObject::tr("Probe"), {{"probe", "on"},
                                                 {"probe-x", text(place.x())},
                                                 {"probe-y", text(place.y())},
                                                 {"probe-z", text(place.z())}});
  context_.jobs.submit(
      workbench::said(QObject::tr("Probe the force")), "nbody.probe",
      [place, frame = picture_.drawing().frame, engines = engines_](const jobs::Progress& progress) {
        commands::report(force_at(*frame, place, *engines, progress));
      });
}

void NBodyLab::add_reading_commands() {
  auto& commands = context_.commands;
  const auto unavailable = [this] { return picture_.empty() ? not_there_yet() : std::string(); };
  commands.bind(
      "nbody.body", [this](const auto&) { read_body(); }, unavailable);
  commands.bind(
      "nbody.probe",
      [this](const commands::Arguments& arguments) {
        read_place({arguments.number("x"), arguments.number("y"), arguments.number("z")});
      },
      unavailable);
  commands.bind("nbody.read-out", [this](const commands::Arguments& arguments) {
    context_.set_parameters(QObject::tr("Read-out"), {{"read-out", arguments.text("where")}});
  });
  commands.bind("nbody.orbit-about", [this](const commands::Arguments& arguments) {
    context_.set_parameters(QObject::tr("Orbit about"), {{"orbit-about", arguments.text("what")}});
  });
  connect(&force_probe_, &ForceProbe::found, this, [this](const auto& on_body, const auto& at_place) {
    if (body_panel_) body_panel_->show_forces(on_body, at_place);
  });
}

void NBodyLab::panels_seen() {
  probe_forces();
  if (panel_) panel_->refresh();
}

/// Forces on what is probed, where somebody sees them.
void NBodyLab::probe_forces() {
  if (picture_.empty() || !workbench::in_sight(body_panel_)) return;
  const BodiesDrawing& drawing = picture_.drawing();
  ProbeRequest wanted{drawing.frame, drawing.chosen};
  wanted.about = window_look_.orbit_about;
  if (drawing.look.probe) wanted.place = {drawing.look.probe_x, drawing.look.probe_y, drawing.look.probe_z};
  force_probe_.ask(wanted, engines_, playback_.playing());
}

/// In the corners of the views. Before a branch begins, its picture is the first run's.
void NBodyLab::show_read_outs() {
  const auto write = [this](BodiesPicture& picture, const ReadOut& read_out, double rate, bool known) {
    QString text, in_pictures;
    if (known && window_look_.read_out != ReadOutIn::nothing) {
      const science::NBodyFrame& frame = *picture.drawing().frame;
      const auto energy_error =
          panel_ ? panel_->energy_error(frame) : std::optional<DiagnosticsPanel::EnergyError>();
      text = read_out.text(frame, rate, energy_error);
      if (window_look_.read_out == ReadOutIn::pictures)
        in_pictures = ReadOut::text_in_pictures(energy_error, panel_ && &picture == &picture_
                                                                  ? panel_->force_error(frame.step)
                                                                  : read_out.measured_at(frame));
    }
    picture.set_read_out(text.toStdString(), in_pictures.toStdString());
  };
  if (!runner_ || picture_.empty()) return;
  write(picture_, read_out_, runner_->status().steps_per_second, true);
  context_.view.request_render();
  if (!branch_ || !branch_->view()) return;
  BodiesPicture& picture = branch_->picture();
  const bool its_own = !picture.empty() && picture.drawing().frame != picture_.drawing().frame;
  if (its_own) branch_read_out_.take(picture.drawing().frame, engines_);
  write(picture, branch_read_out_, branch_->steps_per_second(), its_own);
  branch_->view()->request_render();
}

}  // namespace isolume::labs::nbody
