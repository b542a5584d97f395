#include "app/labs/nbody/drawing_thread.h"

#include <utility>

namespace isolume::labs::nbody {

DrawingThread::DrawingThread(Taker take)
    : take_(std::move(take)), thread_([this](const std::stop_token& stop) { work(stop); }) {}

void DrawingThread::ask(DrawingRequest request, jobs::Activity::Pointer awaited_by) {
  const std::lock_guard guard(mutex_);
  if (!pending_) pending_.emplace();
  pending_->request = std::move(request);
  for (auto& each : {jobs::Activity::current(), std::move(awaited_by)}) {
    if (each) pending_->activities.push_back(each);
  }
  asked_.notify_one();
}

void DrawingThread::work(const std::stop_token& stop) {
  std::uint64_t subject = 0;
  std::optional<Extent> extent;
  while (true) {
    Pending now;
    {
      std::unique_lock lock(mutex_);
      if (!asked_.wait(lock, stop, [this] { return pending_.has_value(); })) return;
      now = std::move(*std::exchange(pending_, std::nullopt));
    }
    if (now.request.extent || now.request.subject != subject) extent = now.request.extent;
    subject = now.request.subject;
    BodiesRequest request = now.request;
    request.extent = extent;
    const BodiesDrawing drawing = draw_bodies(request);
    extent = drawing.extent;
    // The others wait for this one's end.
    const auto activity = now.activities.empty() ? nullptr : now.activities.back();
    const jobs::Activity::Scope scope(activity);
    take_(now.request, drawing);
  }
}

}  // namespace isolume::labs::nbody
