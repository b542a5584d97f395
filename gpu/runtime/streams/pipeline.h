#pragma once

#include <chrono>
#include <cstddef>
#include <functional>

#include "core/jobs/progress.h"
#include "gpu/runtime/streams/stream.h"

namespace isolume::gpu {

/// The steps for one item, in this order; each may be missing. Item k uses slot k mod `slots` of the caller's
/// buffers: as many pinned inputs, device inputs, device outputs and pinned outputs as there are slots.
/// `upload`, `compute` and `download` queue work on the given stream; `fill` and `drain` work on the host.
struct PipelineSteps {
  std::function<void(std::size_t item, std::size_t slot)> fill;  ///< writes the pinned input
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> upload;
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> compute;
  std::function<void(std::size_t item, std::size_t slot, const Stream&)> download;
  std::function<void(std::size_t item, std::size_t slot)> drain;  ///< reads the pinned output
};

/// One stream per direction, so that transfers and kernels overlap on whatever units the device has (the
/// hardware-independent scheme of Ha, Krueger and Silva's image streaming). All on one device; may be
/// identical.
struct PipelineStreams {
  const Stream& upload;
  const Stream& compute;
  const Stream& download;
};

/// Processes `items` in these steps, `slots` (2 or more) at a time: while one is computed, the next is filled
/// and uploaded and the previous one downloaded and drained. A step of an item starts when the item's
/// previous step has ended, and when its slot is free again. Starts after the work already queued on the
/// streams; returns when the last item is drained. Throws Cancelled (the only use of `progress`) between
/// items and dispatch::DeviceLost past the deadline, as Stream::wait does; queued work then continues, and
/// later work of each of the streams comes after it.
void run_pipeline(const PipelineStreams& streams, std::size_t items, std::size_t slots,
                  const PipelineSteps& steps, std::chrono::steady_clock::time_point deadline,
                  const jobs::Progress& progress);

}  // namespace isolume::gpu
