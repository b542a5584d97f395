#include <vector>

#include "core/base/error.h"
#include "gpu/livewire/delta_kernels.h"
#include "gpu/livewire/device_search.h"
#include "gpu/livewire/run_passes.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {

namespace kernels = livewire_kernels;

namespace {

/// One launch per pass, each of some microseconds.
constexpr Batch batch{.passes = 32, .launches_a_pass = 1};

std::size_t pixels(const kernels::SearchSpace& space) {
  return static_cast<std::size_t>(space.pitch) * space.height;
}

/// Determined by counting passes and relaxations on grids of random costs: wider buckets save few passes and
/// cost many relaxations.
std::uint32_t delta_of(const DeviceSearch& search) {
  return search.delta > 0 ? search.delta : 4 * search.greatest_arc;
}

/// Words of memory per pixel: distance, two marks, four lists; with heavy arcs one mark and one list more.
std::size_t words(const DeviceSearch& search) {
  return delta_of(search) < search.greatest_arc ? 9 : 7;
}

std::size_t bytes(const DeviceSearch& search) {
  return words(search) * pixels(search.space) * sizeof(std::uint32_t) + sizeof(kernels::DeltaState);
}

DeviceBuffer<std::uint32_t> find(const DeviceSearch& search, const Stream& stream,
                                 const jobs::Progress& progress, SearchCounts& counts) {
  const std::size_t count = pixels(search.space);
  std::vector<DeviceBuffer<std::uint32_t>> buffers;
  for (std::size_t i = 0; i < words(search); ++i) buffers.emplace_back(stream, count);
  DeviceBuffer<kernels::DeltaState> state(stream, 1);
  const auto buffer = [&](std::size_t i) { return i < buffers.size() ? buffers[i].device_data() : nullptr; };
  kernels::DeltaLists lists{};
  lists.distance = buffer(0);
  lists.listed_near = buffer(1);
  lists.listed_later = buffer(2);
  lists.near[0] = buffer(3);
  lists.near[1] = buffer(4);
  lists.later[0] = buffer(5);
  lists.later[1] = buffer(6);
  lists.last_bucket = buffer(7);
  lists.settled = buffer(8);
  lists.capacity = static_cast<std::uint32_t>(count);
  lists.delta = delta_of(search);
  lists.state = state.device_data();
  const auto blocks = static_cast<std::uint32_t>(2 * stream.device().description().multiprocessors);

  kernels::begin_delta(search.space, lists, static_cast<std::uint32_t>(search.seed.x),
                       static_cast<std::uint32_t>(search.seed.y), stream);
  counts.launches = 1;
  const auto end = run_passes(
      state, batch, [&] { kernels::delta_pass(search.space, lists, blocks, stream); }, kernels::is_done,
      stream, search.deadline, progress, counts);
  if (end.overflowed != 0) throw Error("Delta-stepping listed a pixel twice. Please report this.");
  counts.passes = end.plan.pass - 1;
  counts.parts = end.plan.bucket - 1;
  counts.relaxations = end.relaxations;
  return std::move(buffers[0]);
}

}  // namespace

const SearchKernel delta_stepping_kernel{"delta-stepping", "buckets", bytes, find};

}  // namespace isolume::gpu
