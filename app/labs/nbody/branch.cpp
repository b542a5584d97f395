#include "app/labs/nbody/branch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkCamera.h>
#include <vtkCommand.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/contract/translated.h"
#include "app/workbench/parameters/value_text.h"

namespace isolume::labs::nbody {

using isolume::nbody::NBodyFrame;
using isolume::nbody::RunOptions;

Captions captions(const RunOptions& first, const RunOptions& second) {
  constexpr qsizetype most = 3;
  QStringList of_first, of_second;
  for (const std::string& key : isolume::nbody::differing_keys(first, second)) {
    const auto& field = isolume::nbody::run_schema().at(key);
    const auto description = workbench::translated(field.description);
    const auto told = [&](const RunOptions& options) {
      return QString::fromStdString(description.label + " " +
                                    workbench::value_for_people(description, field.get(options)));
    };
    of_first += told(first);
    of_second += told(second);
  }
  const auto joined = [](const QStringList& all) {
    const QString text = QStringList(all.mid(0, most)).join(QStringLiteral(", "));
    return all.size() > most ? QObject::tr("%1 and %2 more").arg(text).arg(all.size() - most) : text;
  };
  return {joined(of_first), joined(of_second)};
}

RunOptions changed(RunOptions options, const BranchPlan& plan) {
  parameters::StructParameters set(isolume::nbody::run_schema(), options);
  for (const auto& [key, value] : plan.changes) set.set(key, value);
  return options;
}

Branch::Branch(workbench::LabContext& context, scene::ViewWidget& view, Start start)
    : context_(context),
      view_(&view),
      renderer_(view.renderer()),
      start_(std::move(start)),
      options_(changed(start_.options, start_.plan)),
      picture_(std::make_unique<BodiesPicture>(*renderer_)),
      taken_(start_.plan.step - 1),
      ahead_(start_.plan.step),
      drawings_(std::make_unique<BodiesDrawer>(
          // It may outlive this object for a moment.
          [this, to_gui = context.on_gui_thread, alive = QPointer<QObject>(this)](const auto& request,
                                                                                  const auto& drawing) {
            to_gui([this, alive, request, drawing] {
              if (alive) take(request, drawing);
            });
          },
          [this, to_gui = context.on_gui_thread, alive = QPointer<QObject>(this)](const auto& error) {
            to_gui([this, alive, error] {
              if (!alive) return;
              undrawn_ = true;
              Q_EMIT troubled(QString::fromStdString(error));
            });
          },
          [this, to_gui = context.on_gui_thread, alive = QPointer<QObject>(this)] {
            to_gui([this, alive] {
              if (alive) draw_again();
            });
          })) {
  renderer_->SetActiveCamera(context.view.renderer()->GetActiveCamera());
  camera_moved_->SetClientData(this);
  camera_moved_->SetCallback(
      [](vtkObject*, unsigned long, void* self, void*) { static_cast<Branch*>(self)->follow_camera(); });
  renderer_->GetActiveCamera()->AddObserver(vtkCommand::ModifiedEvent, camera_moved_);
  start_.runner->observe([this, to_gui = context.on_gui_thread, alive = QPointer<QObject>(this)] {
    to_gui([this, alive] {
      if (alive) follow();
    });
  });
}

Branch::~Branch() {
  renderer_->GetActiveCamera()->RemoveObserver(camera_moved_);
}

/// A hand moves it in either view. What drawing sets of it, as how deep it sees, is no movement.
void Branch::follow_camera() {
  if (camera_ == std::exchange(camera_, scene::camera_text(*renderer_))) return;
  context_.view.request_render();
  if (view_) view_->request_render();
}

Branch::Parts Branch::let_go() {
  return {std::move(start_.runner), std::move(drawings_)};
}

bool Branch::change(const BranchPlan& plan) {
  const RunOptions options = changed(start_.options, plan);
  const auto keys = isolume::nbody::differing_keys(options_, options);
  if (plan.step != start_.plan.step || keys.size() > 1) return false;
  start_.plan = plan;
  if (keys.empty()) return true;
  options_ = options;
  // Else it may go on, with the parameters of before, between going back and the change.
  start_.runner->look(std::nullopt, std::nullopt);
  start_.runner->rewind_to(plan.step);
  start_.runner->set_parameter(keys.front(), isolume::nbody::run_schema().at(keys.front()).get(options_));
  taken_ = plan.step - 1;
  ahead_ = plan.step;
  if (first_.frame) accompany(first_);
  return true;
}

std::int64_t Branch::step_at(double time) const {
  return start_.plan.step + std::llround((time - start_.time) / options_.dt);
}

std::int64_t Branch::step() const {
  return before_start() ? start_.plan.step : step_at(first_.frame->time);
}

void Branch::expect(double time) {
  ahead_ = step_at(time);
  if (due_ && !before_start()) {  // what is waited for stays wanted
    start_.runner->look(step(), std::max(step(), ahead_));
  } else if (ahead_ > start_.plan.step) {
    start_.runner->look(std::nullopt, ahead_);
  }
}

/// With the options that it has now: those of before may still be there for a moment.
Branch::Frame Branch::frame(std::int64_t step) const {
  auto found = std::dynamic_pointer_cast<const NBodyFrame>(start_.runner->frame(step));
  return found && isolume::nbody::differing_keys(found->options, options_).empty() ? found : nullptr;
}

void Branch::accompany(BodiesRequest first) {
  first_ = std::move(first);
  due_ = true;
  undrawn_ = false;
  if (view_) view_->set_interaction(context_.view.interaction());
  if (!before_start()) start_.runner->look(step(), std::max(step(), ahead_));
  follow();
}

void Branch::follow() {
  const std::int64_t last = start_.runner->recorded().last;
  for (std::int64_t step = taken_ + 1; step <= last; ++step) {
    const Frame next = frame(step);
    if (!next) continue;  // it made room for others, or is of options that it had
    taken_ = step;
    Q_EMIT computed(*next);
  }
  const std::string trouble = start_.runner->status().error;
  if (trouble != std::exchange(trouble_, trouble) && !trouble.empty())
    Q_EMIT troubled(QString::fromStdString(trouble));
  if (!due_) return;
  const Frame now = before_start() ? first_.frame : frame(step());
  if (!now) return;
  due_ = false;
  DrawingRequest request{first_, ++asked_};
  request.frame = now;
  request.look.follow = Follow::nothing;  // the camera is the first one's
  if (!before_start()) request.history = history();
  drawings_->ask(std::move(request));
}

/// What is in memory of its own steps, then the first run's from before them.
std::vector<Branch::Frame> Branch::history() const {
  std::vector<Frame> frames;
  if (first_.look.trails == Trails::none) return frames;
  const auto most = static_cast<std::size_t>(first_.look.trail_steps);
  for (std::int64_t at = step() - 1; at >= start_.plan.step && frames.size() < most; --at) {
    Frame before = frame(at);
    if (!before) return frames;
    frames.push_back(std::move(before));
  }
  for (const auto& each : first_.history) {
    if (each->time < start_.time && frames.size() < most) frames.push_back(each);
  }
  return frames;
}

void Branch::take(const DrawingRequest& request, const BodiesDrawing& drawing) {
  shown_ = request.subject;
  picture_->show(drawing, workbench::translated(coloured_quantity(request.look)).toStdString());
  if (view_) view_->request_render();
  Q_EMIT shown();
}

void Branch::draw_again() {
  if (!first_.frame || (before_start() && !first_.frame->readable())) return;  // the first run's comes again
  if (before_start() || frame(step())) first_.from_device.reset();
  due_ = true;
  start_.runner->resume();
  follow();
}

void Branch::set_caption(const QString& text) {
  picture_->set_caption(text.toStdString());
  if (view_) view_->request_render();
}

}  // namespace isolume::labs::nbody

#include "moc_branch.cpp"
