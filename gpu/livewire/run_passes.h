#pragma once

#include <array>
#include <chrono>

#include "core/jobs/progress.h"
#include "gpu/runtime/buffer.h"
#include "gpu/runtime/deadline.h"

namespace isolume::gpu {

/// Queues passes until the state on the device says that they are done, and returns that state. The passes
/// decide on the device what they do, and do nothing beyond the last. So the host looks once a batch, and is
/// one batch ahead of the state that it waits for: the device never waits for the host.
template <class State, class QueuePass, class IsDone>
State run_passes(const DeviceBuffer<State>& state, int batch, const QueuePass& queue_pass,
                 const IsDone& is_done, const Stream& stream, std::chrono::duration<double> deadline,
                 const jobs::Progress& progress) {
  const PinnedBuffer<State> seen(stream, 2);
  std::array<Event, 2> copied;
  for (std::size_t turn = 0;; ++turn) {
    for (int i = 0; i < batch; ++i) queue_pass();
    state.copy_to(seen.host().subspan(turn % 2, 1), stream);
    copied[turn % 2].record(stream);
    if (turn == 0) continue;
    const std::size_t before = (turn - 1) % 2;
    copied[before].wait(stream.device(), from_now(deadline), progress);
    if (is_done(seen.host()[before])) return seen.host()[before];
  }
}

}  // namespace isolume::gpu
