#include "core/simulation/frame_ring.h"

#include <algorithm>
#include <span>
#include <utility>

namespace isolume::simulation {

FrameRing::FrameRing(std::size_t slots, std::size_t most_bytes)
    : slots_(std::make_unique<Slot[]>(std::max<std::size_t>(slots, 2))),
      count_(std::max<std::size_t>(slots, 2)),
      most_bytes_(most_bytes) {}

FramePointer FrameRing::at(std::int64_t step) const {
  for (const Slot& slot : std::span(slots_.get(), count_)) {
    if (slot.step.load(std::memory_order_acquire) != step) continue;
    std::uint32_t users = slot.users.load(std::memory_order_relaxed);
    while ((users & writing) == 0 &&
           !slot.users.compare_exchange_weak(users, users + 1, std::memory_order_acquire)) {
    }
    if ((users & writing) != 0) continue;  // it is being replaced
    FramePointer frame = slot.step.load(std::memory_order_acquire) == step ? slot.frame : nullptr;
    slot.users.fetch_sub(1, std::memory_order_release);
    if (frame && frame->readable()) return frame;
  }
  return nullptr;
}

bool FrameRing::replace(Slot& slot, FramePointer frame) {
  std::uint32_t nobody = 0;
  if (!slot.users.compare_exchange_strong(nobody, writing, std::memory_order_acquire)) return false;
  const std::size_t bytes = frame ? std::max<std::size_t>(frame->bytes(), 1) : 0;
  slot.step.store(frame ? frame->step : empty, std::memory_order_release);
  slot.frame.swap(frame);
  slot.users.store(0, std::memory_order_release);
  bytes_ += bytes;
  bytes_ -= std::exchange(slot.bytes, bytes);
  slot.order = ++order_;
  return true;  // readers may return to it before the old content is destroyed
}

void FrameRing::forget(Slot& slot) {
  slot.step.store(empty, std::memory_order_release);  // readers no longer find it
  replace(slot, nullptr);                             // if a reader is using it, a later put() does this
}

FrameRing::Slot* FrameRing::oldest() const {
  Slot* found = nullptr;
  for (Slot& slot : std::span(slots_.get(), count_)) {
    const bool busy = slot.users.load(std::memory_order_relaxed) != 0;
    if (slot.bytes > 0 && !busy && (!found || slot.order < found->order)) found = &slot;
  }
  return found;
}

void FrameRing::put(FramePointer frame) {
  for (Slot& slot : std::span(slots_.get(), count_)) {
    if (slot.step.load(std::memory_order_relaxed) == frame->step) forget(slot);
  }
  while (bytes() > 0 && bytes() + frame->bytes() > most_bytes_) {
    Slot* const first = oldest();
    if (first == nullptr || !replace(*first, nullptr)) break;
  }
  for (Slot& slot : std::span(slots_.get(), count_)) {
    if (slot.bytes == 0 && replace(slot, frame)) return;
  }
  while (Slot* const first = oldest()) {
    if (replace(*first, frame)) return;
  }
}

void FrameRing::keep(std::int64_t first, std::int64_t last) {
  for (Slot& slot : std::span(slots_.get(), count_)) {
    const std::int64_t step = slot.step.load(std::memory_order_relaxed);
    if (step != empty && (step < first || step > last)) forget(slot);
  }
}

std::size_t FrameRing::room(std::size_t frame_bytes) const {
  return std::clamp<std::size_t>(most_bytes_ / std::max<std::size_t>(frame_bytes, 1), 1, count_);
}

std::size_t FrameRing::size() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      std::span(slots_.get(), count_),
      [](const Slot& slot) { return slot.step.load(std::memory_order_relaxed) != empty; }));
}

}  // namespace isolume::simulation
