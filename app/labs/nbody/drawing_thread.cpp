#include "app/labs/nbody/drawing_thread.h"

#include <QObject>
#include <new>
#include <utility>

#include "app/workbench/contract/translated.h"
#include "core/base/error_text.h"

namespace isolume::labs::nbody {

DrawingThread::DrawingThread(Taker take, Complainer complain, Loser lost)
    : take_(std::move(take)),
      complain_(std::move(complain)),
      lost_(std::move(lost)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

void DrawingThread::ask(DrawingRequest request, jobs::Activity::Pointer awaited_by) {
  const std::lock_guard guard(mutex_);
  if (!pending_) pending_.emplace().activities = std::exchange(left_, {});
  pending_->request = std::move(request);
  for (auto& each : {jobs::Activity::current(), std::move(awaited_by)}) {
    if (each) pending_->activities.push_back(each);
  }
  asked_.notify_one();
}

void DrawingThread::work(const std::stop_token& stop) {
  std::uint64_t subject = 0;
  std::optional<Extent> extent;
  std::shared_ptr<const bodies::SteadyBodies> steady;
  while (true) {
    Pending now;
    {
      std::unique_lock lock(mutex_);
      if (!asked_.wait(lock, stop, [this] { return pending_.has_value(); })) return;
      if (stop.stop_requested()) return;  // nobody is left who would see it
      now = std::move(*std::exchange(pending_, std::nullopt));
    }
    if (now.request.extent || now.request.subject != subject) extent = now.request.extent;
    subject = now.request.subject;
    BodiesRequest request = now.request;
    request.extent = extent;
    request.steady = steady;
    try {
      const BodiesDrawing drawing = draw_bodies(request);
      extent = drawing.extent;
      steady = drawing.steady;
      // The others wait for this one's end.
      const auto activity = now.activities.empty() ? nullptr : now.activities.back();
      const jobs::Activity::Scope scope(activity);
      take_(now.request, drawing);
    } catch (const std::bad_alloc&) {
      fail(now, workbench::said(QObject::tr(
                    "Memory ran out while drawing the bodies. Close other programs or show fewer bodies.")));
    } catch (const std::exception& error) {
      now.request.frame->readable() ? fail(now, error_text(error)) : lose(std::move(now));
    }
  }
}

/// The frame is made again: who waits for it waits for that one.
void DrawingThread::lose(Pending lost) {
  {
    const std::lock_guard guard(mutex_);
    auto& waiting = pending_ ? pending_->activities : left_;
    waiting.insert(waiting.begin(), lost.activities.begin(), lost.activities.end());
  }
  lost_();
}

void DrawingThread::fail(const Pending& pending, const std::string& error) {
  for (const auto& each : pending.activities) each->fail(error);
  complain_(error);
}

}  // namespace isolume::labs::nbody
