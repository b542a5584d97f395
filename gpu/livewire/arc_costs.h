#pragma once

#include "gpu/livewire/search_space.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

/// Device code: targets and costs of arcs, as in core/livewire/cost_grid.h.
namespace isolume::gpu::livewire_kernels {

__device__ constexpr int step_x(int direction) {
  return direction == 0 || direction == 4 || direction == 7   ? 1
         : direction == 2 || direction == 5 || direction == 6 ? -1
                                                              : 0;
}
__device__ constexpr int step_y(int direction) {
  return direction == 1 || direction == 4 || direction == 5   ? 1
         : direction == 3 || direction == 6 || direction == 7 ? -1
                                                              : 0;
}

/// Cost of a step of this length (in 1/128) to a pixel of this cost.
__device__ inline std::uint32_t node_arc(std::uint32_t node, std::uint32_t length) {
  const std::uint32_t cost = (node * length + 64) >> 7;
  return cost == 0 ? 1 : cost;
}

__device__ inline std::size_t grid_index(const SearchSpace& space, std::uint32_t x, std::uint32_t y) {
  return static_cast<std::size_t>(space.top + y) * space.grid_width + space.left + x;
}

/// The costs of the arcs that leave a pixel of the region.
template <bool arcs, int directions>
struct LeavingArcs;

/// Loaded in one piece.
template <int directions>
struct LeavingArcs<true, directions> {
  std::uint32_t pairs[directions / 2];

  __device__ LeavingArcs(const SearchSpace& space, std::uint32_t x, std::uint32_t y) {
    const std::uint16_t* const at = space.costs + grid_index(space, x, y) * directions;
    if constexpr (directions == 8) {
      const uint4 all = *reinterpret_cast<const uint4*>(at);
      pairs[0] = all.x, pairs[1] = all.y, pairs[2] = all.z, pairs[3] = all.w;
    } else {
      const uint2 all = *reinterpret_cast<const uint2*>(at);
      pairs[0] = all.x, pairs[1] = all.y;
    }
  }
  __device__ std::uint32_t cost(int direction, std::uint32_t = 0, std::uint32_t = 0) const {
    const std::uint32_t pair = pairs[direction / 2];
    return direction % 2 == 0 ? pair & 0xffffU : pair >> 16;
  }
};

template <int directions>
struct LeavingArcs<false, directions> {
  const SearchSpace& space;

  __device__ LeavingArcs(const SearchSpace& in, std::uint32_t, std::uint32_t) : space(in) {}
  __device__ std::uint32_t cost(int direction, std::uint32_t to_x, std::uint32_t to_y) const {
    return node_arc(space.costs[grid_index(space, to_x, to_y)], space.length[direction]);
  }
};

/// Queues the instance of a kernel for the costs and neighbours of a space:
/// `launch_for(space, [&]<bool arcs, int directions>() { launch(kernel<arcs, directions>, ...); })`.
template <class Launch>
void launch_for(const SearchSpace& space, const Launch& launch_one) {
  if (space.arcs && space.directions == 8) launch_one.template operator()<true, 8>();
  if (space.arcs && space.directions == 4) launch_one.template operator()<true, 4>();
  if (!space.arcs && space.directions == 8) launch_one.template operator()<false, 8>();
  if (!space.arcs && space.directions == 4) launch_one.template operator()<false, 4>();
}

}  // namespace isolume::gpu::livewire_kernels
