#pragma once

#include <array>
#include <chrono>
#include <optional>

#include "core/jobs/progress.h"
#include "gpu/livewire/device_search.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/deadline.h"
#include "gpu/runtime/streams/graph.h"

namespace isolume::gpu {

/// Number of passes that are queued before the host checks.
struct Batch {
  int passes;
  int launches_a_pass;
};

/// Queues passes until the state on the device marks them as done, and returns that state. The passes decide
/// on the device what they do, and do nothing after the last. The host therefore checks once a batch, and
/// queues one batch ahead of the state for which it waits: the device never waits for the host.
///
/// All batches are alike, so the second is recorded as a graph, while the device works on the first, and
/// queued from then on by one call each. If it cannot be recorded, kernels are launched one by one. `counts`
/// reports both.
template <class State, class QueuePass, class IsDone>
State run_passes(const DeviceBuffer<State>& state, const Batch& batch, const QueuePass& queue_pass,
                 const IsDone& is_done, const Stream& stream, std::chrono::duration<double> deadline,
                 const jobs::Progress& progress, SearchCounts& counts) {
  const PinnedBuffer<State> seen(stream, 2);
  std::array copied{Event(stream.device()), Event(stream.device())};
  std::optional<Graph> graph;
  const auto queue_passes = [&] {
    for (int i = 0; i < batch.passes; ++i) queue_pass();
  };
  for (std::size_t turn = 0;; ++turn) {
    if (turn == 1) {
      try {
        graph.emplace(stream, queue_passes);
      } catch (const dispatch::DeviceLost&) {
        throw;
      } catch (const Error& error) {
        counts.no_graph = error.what();
      }
    }
    if (graph) {
      graph->launch(stream);
      ++counts.graphs;
    } else {
      queue_passes();
    }
    counts.launches += static_cast<std::uint64_t>(batch.passes) * batch.launches_a_pass;
    state.copy_to(seen.host().subspan(turn % 2, 1), stream);
    copied[turn % 2].record(stream);
    if (turn == 0) continue;
    const std::size_t before = (turn - 1) % 2;
    copied[before].wait(from_now(deadline), progress);
    if (is_done(seen.host()[before])) return seen.host()[before];
  }
}

}  // namespace isolume::gpu
