#include "gpu/livewire/device_search.h"
#include "gpu/livewire/run_passes.h"
#include "gpu/livewire/tile_kernels.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {

namespace kernels = livewire_kernels;

namespace {

/// Two launches per pass; the host checks about every hundred microseconds.
constexpr Batch batch{.passes = 8, .launches_a_pass = 2};

std::uint32_t tiles_along(std::uint32_t pixels) {
  return (pixels + kernels::tile_side - 1) / kernels::tile_side;
}

std::size_t pixels(const kernels::SearchSpace& space) {
  return static_cast<std::size_t>(space.pitch) * space.height;
}

std::size_t tiles_of(const kernels::SearchSpace& space) {
  return static_cast<std::size_t>(tiles_along(space.width)) * tiles_along(space.height);
}

std::size_t bytes(const DeviceSearch& search) {
  return (pixels(search.space) + 2 * tiles_of(search.space)) * sizeof(std::uint32_t) +
         sizeof(kernels::TileState);
}

DeviceBuffer<std::uint32_t> find(const DeviceSearch& search, const Stream& stream,
                                 const jobs::Progress& progress, SearchCounts& counts) {
  const auto& space = search.space;
  const std::size_t count = tiles_of(space);
  DeviceBuffer<std::uint32_t> distance(stream, pixels(space));
  DeviceBuffer<std::uint32_t> wake(stream, count);
  DeviceBuffer<std::uint32_t> list(stream, count);
  DeviceBuffer<kernels::TileState> state(stream, 1);
  const kernels::Tiles tiles{distance.device_data(),   wake.device_data(),
                             list.device_data(),       state.device_data(),
                             tiles_along(space.width), static_cast<std::uint32_t>(count)};
  // By counting on random grids and rings: half as many passes as for a quarter, and hardly more visits.
  const std::uint32_t delta = search.delta > 0 ? search.delta : kernels::tile_side / 2 * search.greatest_arc;
  const auto blocks = static_cast<std::uint32_t>(8 * stream.device().description().multiprocessors);

  kernels::begin_tiles(space, tiles, static_cast<std::uint32_t>(search.seed.x),
                       static_cast<std::uint32_t>(search.seed.y), stream);
  counts.launches = 1;
  const auto end = run_passes(
      state, batch, [&] { kernels::tile_pass(space, tiles, delta, blocks, stream); },
      [](const kernels::TileState& now) { return now.count == 0; }, stream, search.deadline, progress,
      counts);
  counts.passes = end.passes;
  counts.parts = end.visits;
  const std::uint64_t arcs_per_sweep = space.directions == 8 ? 3 : 1;
  counts.relaxations = end.sweeps * arcs_per_sweep * kernels::tile_side * kernels::tile_side;
  return distance;
}

}  // namespace

const SearchKernel tile_kernel{"tiles", "visits of tiles", bytes, find};

}  // namespace isolume::gpu
