// What the lab shows, and what people do to it by hand.
#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkImageData.h>

#include "app/labs/nbody/nbody_lab.h"
#include "app/labs/nbody/unit_words.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/props/points_drawing.h"
#include "app/scene/view/picture_of_view.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::nbody {
namespace {

QString told_time(const science::NBodyFrame& frame) {
  if (!frame.labels->units) return QObject::tr("t = %1 (G = 1)").arg(shown_text(frame.time, 5));
  const science::ShownUnit unit = time_unit(*frame.labels->units);
  return QObject::tr("t = %1 %2")
      .arg(shown_text(frame.time * unit.size, 5))
      .arg(QString::fromStdString(unit.name));
}

constexpr std::int64_t ahead_of_picture = 4;  ///< steps that are computed before they are shown

}  // namespace

/// The step is shown as soon as it is there; while time runs, those after it are computed already.
void NBodyLab::want(double step) {
  if (!runner_) return;
  wanted_ = step_to_show(step);
  if (wanted_ != shown_ && jobs::Activity::current()) awaited_by_ = jobs::Activity::current();
  std::int64_t ahead = wanted_;
  if (playback_.playing()) ahead += playback_.clock().reversed() ? -ahead_of_picture : ahead_of_picture;
  runner_->look(wanted_, ahead);
  if (branch_ && frame_)
    branch_->expect(frame_->time + static_cast<double>(ahead - frame_->step) * frame_->options.dt);
  follow();
}

void NBodyLab::follow() {
  if (!runner_) return;
  follow_parameters();
  const auto recorded = runner_->recorded();
  // One more than there is, so that time can run on into what is computed next.
  const auto low = static_cast<double>(std::min(recorded.first, wanted_) - 1);
  const auto high = static_cast<double>(std::max(recorded.last, wanted_) + 1);
  playback_.set_range(low, high, QObject::tr("steps"), (high - low) / steps_per_second);
  if (panel_) panel_->keep(recorded.first, recorded.last);
  // The last one again: a change of the run's options takes effect at its live end, whose frame is made anew.
  for (std::int64_t step = taken_; step <= recorded.last; ++step) {
    const auto frame = std::dynamic_pointer_cast<const science::NBodyFrame>(runner_->frame(step));
    if (frame && panel_) panel_->add(*frame);
    taken_ = step;
  }
  const auto frame = std::dynamic_pointer_cast<const science::NBodyFrame>(runner_->frame(wanted_));
  if (frame && frame != frame_ && !is_of_before(*frame)) {
    frame_ = frame;
    draw(awaited_by_);
  }
  if (all_shown()) awaited_by_.reset();  // it was shown before
  const std::string trouble = runner_->status().error;
  if (trouble != trouble_) {
    trouble_ = trouble;
    if (!trouble.empty()) {
      playback_.pause();
      if (const auto activity = std::exchange(awaited_by_, nullptr)) activity->fail(trouble);
    }
    context_.show_warning(QString::fromStdString(trouble));
  }
}

/// The run has gone back to values that it had, or has refused one.
void NBodyLab::follow_parameters() {
  if (preparing_ || parameters_epoch_ == runner_->parameters_epoch()) return;
  take_parameters_of_runner();
  const std::string refusal = runner_->status().refusal;
  if (!refusal.empty()) context_.show_status(QString::fromStdString(refusal));
}

/// The frame, by the drawings' thread; for whoever waits for it, too.
void NBodyLab::draw(jobs::Activity::Pointer awaited_by) {
  undrawn_ = false;
  if (!frame_) return;
  DrawingRequest request{{frame_, look_, extent_, history(*frame_)}, system_};
  request.from_device = from_device_;
  drawings_.ask(std::move(request), std::move(awaited_by));
}

/// Bodies could not be had from their device. A frame that it has taken with it is made again; where it still answers, as
/// without room for what drawing needs, they are drawn from the host's memory from now on.
void NBodyLab::draw_again() {
  if (!runner_ || !frame_) return;
  if (frame_->readable()) {
    from_device_.reset();
    return draw();
  }
  frame_.reset();
  runner_->resume();  // which looks again for what is wanted
  follow();
}

void NBodyLab::take_drawing(const DrawingRequest& request, const BodiesDrawing& drawing) {
  if (request.subject != system_ || !frame_) return;
  if (request.extent) extent_.reset();  // the thread knows it now
  show(drawing);
  if (all_shown()) awaited_by_.reset();
}

void NBodyLab::show(const BodiesDrawing& drawing) {
  // Of another step, or of the same one with other options of the run.
  const bool new_frame = !first_shown_ || picture_.empty() || picture_.drawing().frame != drawing.frame;
  shown_ = drawing.frame->step;
  picture_.show(drawing, workbench::translated(coloured_quantity(look_)).toStdString());
  if (!std::exchange(first_shown_, true)) {
    if (!std::exchange(camera_kept_, false)) {
      scene::view_from(*context_.view.renderer(), "isometric");
      picture_.look_at_followed();
    }
    context_.view.renderer()
        ->ResetCameraClippingRange();  // a camera that was kept has not met these bodies yet
  }
  context_.view.request_render();
  if (body_panel_ && drawing.frame->readable()) body_panel_->show_reading(reading());
  probe_forces();
  accompany();
  if (first_branch_ && !preparing_) begin_branch(*std::exchange(first_branch_, std::nullopt));
  if (!new_frame) return;
  keep_moment();
  const auto time = static_cast<double>(shown_);
  playback_.playing() ? playback_.show_picture(time) : playback_.show_time(time);
  if (panel_) {
    panel_->add(*drawing.frame);
    panel_->add_drawing(shown_, drawing.seconds);
    panel_->show(shown_);
    if (const auto found = read_out_.take(drawing.frame, engines_))
      panel_->add_force_error(found->step, found->errors);
  }
  tell();
  warn_of_errors(*drawing.frame);
  show_read_outs();
}

/// For recovery after a crash: when time stands still, and now and then while it runs.
void NBodyLab::keep_moment() {
  constexpr std::chrono::seconds now_and_then(5);
  const auto now = std::chrono::steady_clock::now();
  if (playback_.playing() && now - moment_kept_ < now_and_then) return;
  moment_kept_ = now;
  if (context_.state_changed) context_.state_changed();
}

/// Before time runs on: the first frame that options act on knows whether the error that they ask for is kept. Of the
/// energy once, when it has changed too much, as the number changes with each step.
void NBodyLab::warn_of_errors(const science::NBodyFrame& frame) {
  Remarks remarks = remarks_on(frame.kept_error);
  remarks.add(remarks_on_radii(*frame.labels, frame.options));
  if (panel_ && energy_remarks_.empty() && !recorded()) {
    if (const auto error = panel_->energy_error(frame))
      energy_remarks_ = science::remarks_on_energy(error->value);
  }
  remarks.add(energy_remarks_);
  const std::string text = remarks.text();
  if (text == std::exchange(errors_warning_, text)) return;
  if (trouble_.empty()) context_.show_warning(QString::fromStdString(text));
}

/// What is in memory of the steps before this one, as far as trails reach.
std::vector<std::shared_ptr<const science::NBodyFrame>> NBodyLab::history(
    const science::NBodyFrame& before) const {
  std::vector<std::shared_ptr<const science::NBodyFrame>> frames;
  if (look_.trails == Trails::none) return frames;
  for (int back = 1; back <= look_.trail_steps; ++back) {
    auto frame = std::dynamic_pointer_cast<const science::NBodyFrame>(runner_->frame(before.step - back));
    if (!frame) break;
    frames.push_back(std::move(frame));
  }
  return frames;
}

// Choosing a body, and what is drawn with the bodies.

/// Chooses the body that is there; a click on the chosen one, or beside all, lets it go.
void NBodyLab::click(const BodiesPicture& picture, double x, double y) {
  constexpr double reach_px = 8;
  constexpr std::int64_t none = -1;
  try {
    const auto number = picture.body_at(x, y, reach_px);
    const auto id = number ? static_cast<std::int64_t>(picture.drawing().frame->labels->id[*number]) : none;
    if (id == none && look_.body == none) return;
    context_.commands.run("nbody.pick", std::vector{std::to_string(id == look_.body ? none : id)});
  } catch (const Error& error) {
    context_.show_status(QString::fromUtf8(error.what()));
  }
}

void NBodyLab::pick(std::int64_t id) {
  const auto& ids = picture_.drawing().frame->labels->id;
  const bool is_there = id >= 0 && std::ranges::find(ids, static_cast<std::uint64_t>(id)) != ids.end();
  // 0 meant none before there were bodies of that number.
  const bool none = id < 0 || (id == 0 && !is_there);
  if (!none && !is_there)
    throw Error(
        workbench::said(QObject::tr("There is no body %1. Click a body to choose it."), std::to_string(id)));
  context_.set_parameters(none ? QObject::tr("Clear chosen body") : QObject::tr("Choose body"),
                          {{"body", none ? "-1" : std::to_string(id)}});
}

void NBodyLab::add_picture_commands() {
  auto& commands = context_.commands;
  const auto unavailable = [this] { return picture_.empty() ? not_there_yet() : std::string(); };
  commands.bind(
      "nbody.pick", [this](const commands::Arguments& arguments) { pick(arguments.large_integer("number")); },
      unavailable);
  commands.bind("nbody.follow", [this](const commands::Arguments& arguments) {
    context_.set_parameters(QObject::tr("Follow"), {{"follow", arguments.text("what")}});
  });
  commands.bind("nbody.trails", [this](const commands::Arguments& arguments) {
    std::vector<std::pair<std::string, std::string>> values{{"trails", arguments.text("of")}};
    if (arguments.has("steps"))
      values.emplace_back("trail-steps", std::to_string(arguments.integer("steps")));
    context_.set_parameters(QObject::tr("Trails"), values);
  });
  commands.bind("nbody.octree", [this](const commands::Arguments& arguments) {
    context_.set_parameters(QObject::tr("Octree"),
                            {{"tree-levels", std::to_string(arguments.integer("levels"))}});
  });
  commands.bind("nbody.sizes", [this](const commands::Arguments& arguments) {
    context_.set_parameters(QObject::tr("Sizes"), {{"sizes", arguments.text("how")}});
  });
  commands.bind("nbody.names",
                [this](const auto&) {
                  context_.set_parameters(QObject::tr("Names"), {{"names", look_.names ? "off" : "on"}});
                },
                nullptr, {.checked = [this] { return look_.names; }});
  commands.bind("nbody.orbits",
                [this](const auto&) {
                  context_.set_parameters(QObject::tr("Orbits"), {{"orbits", look_.orbits ? "off" : "on"}});
                },
                nullptr, {.checked = [this] { return look_.orbits; }});
  commands.bind("nbody.surface-density",
                [this](const auto&) {
                  context_.set_parameters(QObject::tr("Surface density"),
                                          {{"surface-density", look_.surface_density ? "off" : "on"}});
                },
                nullptr, {.shortcut = "Ctrl+D", .checked = [this] { return look_.surface_density; }});
}

void NBodyLab::tell() {
  const science::NBodyFrame& frame = *picture_.drawing().frame;
  const double rate = recorded() ? 0 : runner_->status().steps_per_second;
  const QString speed = rate > 0 ? QObject::tr(", up to %1 steps/s").arg(shown_text(rate, 3)) : QString();
  const double a = frame.scale_factor();
  const QString moment =
      frame.labels->box
          ? QObject::tr("redshift %1 (scale factor %2)").arg(shown_text(1 / a - 1, 4), shown_text(a, 4))
          : told_time(frame);
  QString who = QString::fromStdString(frame.computed_by);
  if (!frame.stays_on.empty()) {
    const bool drawn_from_there = picture_.drawing().points->on_device.has_value();
    who = (drawn_from_there ? QObject::tr("%1, resident on %2 and drawn from there")
                            : QObject::tr("%1, resident on %2"))
              .arg(who, QString::fromStdString(frame.stays_on));
  }
  context_.show_status(QObject::tr("%1, %2 | %n bodies | %3%4", "", static_cast<int>(frame.size()))
                           .arg(told_step(frame.step), moment, who, speed));
}

/// Of the run, and of the branch beside it where there is one.
vtkSmartPointer<vtkImageData> NBodyLab::picture_of_both(int width, int height, int dpi) {
  const auto of = [&](scene::ViewWidget& view, const BodiesPicture& picture, int columns) {
    return scene::picture_of_view(view, {columns, height, false, dpi},
                                  [&picture](vtkRenderer& renderer) { return picture.copy_into(renderer); });
  };
  if (!branch_ || branch_->picture().empty()) return of(context_.view, picture_, width);
  const auto left = of(context_.view, picture_, width / 2);
  const auto right = of(*branch_->view(), branch_->picture(), width - width / 2);
  return scene::side_by_side(*left, *right);
}

void NBodyLab::write_image(const std::filesystem::path& path, int width, int height, bool transparent,
                           int dpi) {
  if (transparent)
    throw Error(
        workbench::said(QObject::tr("Bodies are drawn as light on a dark background, which cannot be "
                                    "transparent. Leave out transparent.")));
  if (picture_.empty()) throw Error(not_there_yet());
  const auto image = picture_of_both(width, height, dpi);
  context_.jobs.submit(workbench::said(QObject::tr("Write %1"), path.filename().string()), {},
                       [=](const jobs::Progress&) { scene::write_png(*image, dpi, path); });
}

}  // namespace isolume::labs::nbody
