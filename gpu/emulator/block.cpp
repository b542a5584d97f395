#include "gpu/emulator/block.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <sys/mman.h>

namespace isolume::gpu::emulator {
namespace {

constexpr int poison = 0xff;  // NaN as float or double, -1 as an integer

}  // namespace

Block::Block() : threads(largest_block), ready(largest_block), warp_times(largest_block / 32) {
  void* const mapped = mmap(nullptr, dynamic_shared_capacity, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  dynamic_shared = static_cast<std::byte*>(mapped);
  shared.add_region(dynamic_shared_address(), dynamic_shared_capacity, 0);
}

Block::~Block() {
  munmap(dynamic_shared, dynamic_shared_capacity);
}

void Block::begin(uint3 block_index, std::uint32_t number, int thread_count, std::size_t shared_bytes) {
  index = block_index;
  history.begin(number);
  count = thread_count;
  started = ended_threads = at_barrier = barrier_votes = 0;
  ready_first = ready_count = 0;
  std::memset(dynamic_shared, poison, shared_bytes);
  shared.begin_block();
  begin_times();
}

void Block::begin_times() {
  std::ranges::fill(warp_times, std::uint16_t{0});
  for (int i = 0; i < started; ++i) threads[static_cast<std::size_t>(i)].warp_time = 0;
}

int Block::pop_ready() {
  const int thread = ready[ready_first];
  ready_first = (ready_first + 1) % largest_block;
  --ready_count;
  return thread;
}

}  // namespace isolume::gpu::emulator
