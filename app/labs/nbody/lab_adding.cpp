// Bodies that people add to a run, change or delete, by numbers or with the mouse.
#include <algorithm>
#include <array>
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
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/nbody/bodies/added_bodies.h"

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

/// Right after bodies were added or changed, nothing is shown of that run yet.
std::int64_t NBodyLab::step_of_change() const {
  return shown_ == nothing ? wanted_ : shown_;
}

/// The added and changed bodies up to the shown step: what came later is discarded with its steps.
std::vector<science::AddedBody> NBodyLab::added_so_far() const {
  auto bodies = science::added_bodies(run_.added);
  std::erase_if(bodies, [step = step_of_change(), this](const auto& each) {
    return each.step.value_or(first_step_) > step;
  });
  return bodies;
}

double NBodyLab::gravitation() const {
  return start_->units ? start_->units->gravitation : 1;
}

std::string NBodyLab::cannot_change() const {
  if (const std::string why = cannot_add(); !why.empty()) return why;
  return picture_.drawing().chosen
             ? std::string()
             : workbench::said(QObject::tr("No body is chosen. Click one, or run nbody.pick NUMBER."));
}

/// From the shown step on, which becomes the last one.
void NBodyLab::change_chosen(const QString& what, science::AddedBody change) {
  const BodiesDrawing& drawing = picture_.drawing();
  const auto& ids = drawing.frame->labels->id;
  if (change.removed && ids.size() == 1)
    throw Error(workbench::said(QObject::tr("The last body cannot be deleted.")));
  change.of = ids[*drawing.chosen];
  change.step = step_of_change();
  auto bodies = added_so_far();
  bodies.push_back(change);
  std::vector<std::pair<std::string, std::string>> values{{"added-bodies", science::text_of(bodies)}};
  if (change.removed) values.emplace_back("body", "-1");
  context_.set_parameters(what, values);
}

/// At the shown step, which becomes the last one. It becomes the chosen one.
void NBodyLab::add_body(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, double mass) {
  auto bodies = added_so_far();
  const std::uint64_t id = science::first_added_id(*start_) + science::count_new(bodies);
  bodies.push_back({mass * gravitation(), place, velocity, step_of_change()});
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

BodyPanel* NBodyLab::make_body_panel() {
  return new BodyPanel([this](const char* command, const std::vector<std::string>& arguments) {
    try {
      context_.commands.run(command, arguments);
      return true;
    } catch (const Error& error) {
      context_.show_status(QString::fromUtf8(error.what()));
      return false;
    }
  });
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
  const auto none_chosen = [this] { return cannot_change(); };
  commands.bind("nbody.delete-body",
                [this](const auto&) { change_chosen(QObject::tr("Delete body"), {.removed = true}); },
                none_chosen, {.shortcut = "Del"});
  commands.bind(
      "nbody.change-body",
      [this](const commands::Arguments& arguments) {
        const auto number = [&](const char* name) { return arguments.number(name); };
        const auto given = std::ranges::count_if(std::array{"x", "y", "z", "vx", "vy", "vz"},
                                                 [&](const char* name) { return arguments.has(name); });
        science::AddedBody change{.mass = number("mass") * gravitation(), .mass_only = given == 0};
        if (given == 6) {
          change.place = {number("x"), number("y"), number("z")};
          change.velocity = {number("vx"), number("vy"), number("vz")};
        } else if (given > 0) {
          throw Error(workbench::said(QObject::tr("Give the mass alone, or all of MASS X Y Z VX VY VZ.")));
        }
        change_chosen(QObject::tr("Change body"), change);
      },
      none_chosen);
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
