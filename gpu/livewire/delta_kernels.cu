#include <algorithm>

#include "gpu/livewire/arc_costs.h"
#include "gpu/livewire/delta_kernels.h"

namespace isolume::gpu::livewire_kernels {
namespace {

constexpr unsigned threads = 128;

/// The list that a pass processes, and the operation on its pixels.
enum Mode : std::uint32_t {
  relax_light,  ///< `near`: relaxes arcs up to delta
  relax_heavy,  ///< `settled`: relaxes the others
  split,        ///< `later`: splits it into the new bucket and pixels beyond it
  done,
};
enum List { near, later, settled, list_count };

/// Entries that a block is about to append, so that it needs one atomic operation per list.
struct Outbox {
  std::uint32_t count[list_count];
  std::uint32_t begin[list_count];
  std::uint32_t entries_near[threads * 8];
  std::uint32_t entries_later[threads * 8];
  std::uint32_t entries_settled[threads];

  __device__ std::uint32_t* entries(int list) {
    return list == near ? entries_near : list == later ? entries_later : entries_settled;
  }
  __device__ void put(List list, std::uint32_t pixel) { entries(list)[atomicAdd(&count[list], 1U)] = pixel; }
};

/// One of the two, without indexing the kernel's arguments, which would copy them to local memory.
__device__ std::uint32_t* one_of(std::uint32_t* const (&pair)[2], std::uint32_t which) {
  return which == 0 ? pair[0] : pair[1];
}

__device__ void send(Outbox& outbox, const DeltaLists& lists, const DeltaPlan& now) {
  std::uint32_t* const to[list_count] = {one_of(lists.near, 1 - now.near_from),
                                         one_of(lists.later, now.later_into), lists.settled};
  __syncthreads();
  if (threadIdx.x < list_count && outbox.count[threadIdx.x] > 0) {
    outbox.begin[threadIdx.x] = atomicAdd(&lists.state->listed[threadIdx.x], outbox.count[threadIdx.x]);
  }
  __syncthreads();
#pragma unroll
  for (int list = 0; list < list_count; ++list) {
    for (std::uint32_t i = threadIdx.x; i < outbox.count[list]; i += threads) {
      const std::uint32_t place = outbox.begin[list] + i;
      if (place < lists.capacity) {
        to[list][place] = outbox.entries(list)[i];
      } else {
        lists.state->overflowed = 1;
      }
    }
  }
  __syncthreads();
  if (threadIdx.x < list_count) outbox.count[threadIdx.x] = 0;
}

struct Tally {
  std::uint32_t nearest_later = far_away;
  std::uint32_t relaxations = 0;
};

__device__ void take_over(const DeltaLists& lists, const DeltaPlan& now, std::uint32_t pixel,
                          std::uint32_t distance, Outbox& outbox, Tally& tally) {
  ++tally.relaxations;
  if (distance >= __ldcg(&lists.distance[pixel])) return;
  if (distance >= atomicMin(&lists.distance[pixel], distance)) return;
  if (distance < now.high) {
    if (atomicExch(&lists.listed_near[pixel], now.pass) != now.pass) outbox.put(near, pixel);
  } else {
    tally.nearest_later = min(tally.nearest_later, distance);
    if (atomicExch(&lists.listed_later[pixel], 1U) == 0) outbox.put(later, pixel);
  }
}

template <bool arcs, int directions>
__device__ void relax(const SearchSpace& space, const DeltaLists& lists, const DeltaPlan& now,
                      std::uint32_t pixel, Outbox& outbox, Tally& tally) {
  const std::uint32_t y = pixel / space.pitch;
  const std::uint32_t x = pixel - y * space.pitch;
  const std::uint32_t distance = __ldcg(&lists.distance[pixel]);
  const LeavingArcs<arcs, directions> leaving(space, x, y);
#pragma unroll
  for (int d = 0; d < directions; ++d) {
    const std::uint32_t to_x = x + step_x(d);
    const std::uint32_t to_y = y + step_y(d);
    if (to_x >= space.width || to_y >= space.height) continue;
    const std::uint32_t cost = leaving.cost(d, to_x, to_y);
    if ((cost <= lists.delta) != (now.mode == relax_light)) continue;
    take_over(lists, now, to_y * space.pitch + to_x, distance + cost, outbox, tally);
  }
}

__device__ void sort_out(const DeltaLists& lists, const DeltaPlan& now, std::uint32_t pixel, Outbox& outbox,
                         Tally& tally) {
  const std::uint32_t distance = lists.distance[pixel];
  if (distance >= now.high) {
    tally.nearest_later = min(tally.nearest_later, distance);
    outbox.put(later, pixel);
    return;
  }
  lists.listed_later[pixel] = 0;
  if (distance >= now.low) outbox.put(near, pixel);  // otherwise it was in an earlier bucket
}

/// Processes all entries of a list; new entries are appended through the outbox.
template <bool arcs, int directions>
__device__ void work_through(const SearchSpace& space, const DeltaLists& lists, const DeltaPlan& now,
                             Outbox& outbox, Tally& tally) {
  const std::uint32_t* const todo = now.mode == relax_light   ? one_of(lists.near, now.near_from)
                                    : now.mode == relax_heavy ? lists.settled
                                                              : one_of(lists.later, 1 - now.later_into);
  for (std::uint32_t begin = blockIdx.x * threads; begin < now.todo; begin += gridDim.x * threads) {
    __syncthreads();  // the outbox is empty
    if (const std::uint32_t i = begin + threadIdx.x; i < now.todo) {
      const std::uint32_t pixel = todo[i];
      if (now.mode == split) {
        sort_out(lists, now, pixel, outbox, tally);
      } else {
        if (now.mode == relax_light && lists.settled != nullptr && lists.last_bucket[pixel] != now.bucket) {
          lists.last_bucket[pixel] = now.bucket;
          outbox.put(settled, pixel);
        }
        relax<arcs, directions>(space, lists, now, pixel, outbox, tally);
      }
    }
    send(outbox, lists, now);
  }
}

/// Determines the next pass from the results of this one. Reads past the first cache, which does not see
/// other blocks' atomic operations.
__device__ void decide(const DeltaLists& lists, const DeltaPlan& now) {
  DeltaState& state = *lists.state;
  DeltaPlan next = now;
  next.pass += 1;
  next.near_from = 1 - now.near_from;
  state.blocks_ended = 0;
  const std::uint32_t of_settled = __ldcg(&state.listed[settled]);
  next.todo = __ldcg(&state.listed[near]);
  state.listed[near] = 0;
  if (next.todo > 0) {
    next.mode = relax_light;
  } else if (of_settled > 0 && now.mode == relax_light) {
    next.mode = relax_heavy;
    next.todo = of_settled;
  } else {
    // Opens another bucket, at the least distance that may be waiting.
    next.todo = __ldcg(&state.listed[later]);
    next.mode = next.todo > 0 ? split : done;
    next.bucket += 1;
    next.later_into = 1 - now.later_into;
    next.low = __ldcg(&state.nearest_later);
    next.high = lists.delta < far_away - next.low ? next.low + lists.delta : far_away;
    state.nearest_later = far_away;
    state.listed[later] = state.listed[settled] = 0;
  }
  state.plan = next;
}

template <bool arcs, int directions>
__global__ void __launch_bounds__(threads) delta_step(SearchSpace space, DeltaLists lists) {
  __shared__ Outbox outbox;
  __shared__ std::uint32_t nearest_later;
  __shared__ std::uint32_t relaxations;
  const DeltaPlan now = lists.state->plan;
  if (now.mode == done) return;
  if (threadIdx.x < list_count) outbox.count[threadIdx.x] = 0;
  if (threadIdx.x == 0) {
    nearest_later = far_away;
    relaxations = 0;
  }
  Tally tally;
  work_through<arcs, directions>(space, lists, now, outbox, tally);
  __syncthreads();
  if (tally.nearest_later < far_away) atomicMin(&nearest_later, tally.nearest_later);
  if (tally.relaxations > 0) atomicAdd(&relaxations, tally.relaxations);
  __syncthreads();
  if (threadIdx.x != 0) return;
  if (nearest_later < far_away) atomicMin(&lists.state->nearest_later, nearest_later);
  if (relaxations > 0) atomicAdd(&lists.state->relaxations, static_cast<unsigned long long>(relaxations));
  __threadfence();
  if (atomicAdd(&lists.state->blocks_ended, 1U) != gridDim.x - 1) return;
  __threadfence();
  decide(lists, now);
}

__global__ void clear(DeltaLists lists, std::uint32_t seed) {
  const std::uint32_t stride = gridDim.x * blockDim.x;
  for (std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < lists.capacity; i += stride) {
    lists.distance[i] = i == seed ? 0 : far_away;
    lists.listed_near[i] = 0;
    lists.listed_later[i] = 0;
    if (lists.last_bucket != nullptr) lists.last_bucket[i] = 0;
  }
  if (blockIdx.x != 0 || threadIdx.x != 0) return;
  lists.near[0][0] = seed;
  *lists.state = {};
  lists.state->plan = {relax_light, 1, 1, 0, min(lists.delta, far_away), 1, 0, 0};
  lists.state->nearest_later = far_away;
}

}  // namespace

void begin_delta(const SearchSpace& space, const DeltaLists& lists, std::uint32_t seed_x,
                 std::uint32_t seed_y, const Stream& stream) {
  launch(clear, dim3(std::min(blocks_for(lists.capacity, threads), 1024U)), dim3(threads), 0, stream, lists,
         seed_y * space.pitch + seed_x);
}

void delta_pass(const SearchSpace& space, const DeltaLists& lists, std::uint32_t most_blocks,
                const Stream& stream) {
  const dim3 grid(std::min(blocks_for(lists.capacity, threads), most_blocks));
  launch_for(space, [&]<bool arcs, int directions>() {
    launch(delta_step<arcs, directions>, grid, dim3(threads), 0, stream, space, lists);
  });
}

bool is_done(const DeltaState& state) {
  return state.plan.mode == done;
}

}  // namespace isolume::gpu::livewire_kernels
