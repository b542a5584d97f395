#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "core/jobs/progress.h"
#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// What is done with one item, in this order; each step may be missing. Item k uses slot k mod `slots` of
/// whatever buffers the caller has: as many pinned inputs, device inputs, device outputs and pinned outputs
/// as there are slots. `upload`, `compute` and `download` queue work on the stream they are given; `fill` and
/// `drain` work on the host.
struct PipelineSteps {
  std::function<void(std::size_t item, std::size_t slot)> fill;  ///< writes the pinned input
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> upload;
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> compute;
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> download;
  std::function<void(std::size_t item, std::size_t slot)> drain;  ///< reads the pinned output
};

/// One stream a direction, so that they overlap on whatever units the device has (the hardware-independent
/// scheme of Ha, Krueger and Silva's image streaming). Of one device; may be one and the same.
struct PipelineStreams {
  const Stream& upload;
  const Stream& compute;
  const Stream& download;
};

/// Takes `items` through the steps, `slots` (2 or more) at a time: while one is computed, the next is filled
/// and uploaded and the one before downloaded and drained. A step of an item starts when the item's step
/// before has ended, and when its slot is free again. Starts after what is queued on the streams already;
/// returns when the last item is drained. Throws Cancelled (all that `progress` is asked) between items and
/// dispatch::DeviceLost past the deadline, as Stream::wait does; what is queued then goes on, and later work
/// of each of the streams comes after it.
void run_pipeline(const PipelineStreams& streams, std::size_t items, std::size_t slots,
                  const PipelineSteps& steps, std::chrono::steady_clock::time_point deadline,
                  const jobs::Progress& progress);

}  // namespace isolume::gpu
