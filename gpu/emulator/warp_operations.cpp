#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "gpu/emulator/processor.h"
#include "gpu/emulator/words.h"

namespace isolume::gpu::emulator {
namespace {

std::uint32_t combine(WarpOperation operation, std::uint32_t a, std::uint32_t b) {
  const auto signed_a = static_cast<std::int32_t>(a);
  const auto signed_b = static_cast<std::int32_t>(b);
  switch (operation) {
    case WarpOperation::reduce_add:
      return a + b;
    case WarpOperation::reduce_min:
      return static_cast<std::uint32_t>(std::min(signed_a, signed_b));
    case WarpOperation::reduce_max:
      return static_cast<std::uint32_t>(std::max(signed_a, signed_b));
    case WarpOperation::reduce_min_unsigned:
      return std::min(a, b);
    case WarpOperation::reduce_max_unsigned:
      return std::max(a, b);
    case WarpOperation::reduce_and:
      return a & b;
    case WarpOperation::reduce_or:
      return a | b;
    default:
      return a ^ b;
  }
}

}  // namespace

unsigned Processor::existing_lanes(int warp) const {
  const int lanes = std::min(32, block_->count - warp * 32);
  return lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
}

unsigned Processor::active_lanes() const {
  const int first = number(*current_) / 32 * 32;
  unsigned lanes = 0;
  for (int lane = 0; lane < 32 && first + lane < block_->count; ++lane) {
    const bool there = first + lane >= block_->started ||
                       block_->threads[static_cast<std::size_t>(first + lane)].state != State::ended;
    lanes |= there ? 1U << lane : 0U;
  }
  return lanes;
}

/// Whether two threads of a warp wait for each other. __syncwarp may be at different positions, as on GPUs
/// since Volta; operations that exchange values may not.
bool Processor::together(const Thread& thread, const Thread& other) const {
  return other.state == State::in_warp_operation && other.operation == thread.operation &&
         other.mask == thread.mask &&
         (thread.operation == WarpOperation::sync || other.place == thread.place);
}

std::uint64_t Processor::warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value,
                                        int argument, int width, Place place) {
  Thread& self = *current_;
  const int warp = number(self) / 32;
  const int lane = number(self) % 32;
  if ((mask >> lane & 1U) == 0) {
    fail(cudaErrorLaunchFailure,
         fmt::format("calls {} at {} with the mask {:#010x}, which leaves out its own lane {}",
                     name_of(operation), text_of(place), mask, lane));
    abandon();
  }
  self.state = State::in_warp_operation;
  self.place = place;
  self.operation = operation;
  self.mask = mask & existing_lanes(warp);
  self.value = value;
  self.argument = argument;
  self.width = width;
  const Thread* const lanes = &block_->threads[static_cast<std::size_t>(warp) * 32];
  // From above, because the highest lane usually comes last.
  for (int other = 31; other >= 0; --other) {
    if ((self.mask >> other & 1U) == 0) continue;
    if (warp * 32 + other >= block_->started || !together(self, lanes[other])) {
      wait();
      return self.result;
    }
  }
  complete(self.mask, warp);
  if (failure_) abandon();
  return self.result;
}

void Processor::complete(unsigned mask, int warp) {
  Thread* const lanes = &block_->threads[static_cast<std::size_t>(warp) * 32];
  const int first = std::countr_zero(mask);
  const bool same_for_all = lanes[first].operation >= WarpOperation::reduce_add ||
                            lanes[first].operation == WarpOperation::ballot ||
                            lanes[first].operation == WarpOperation::match_all;
  const std::uint64_t result_of_all = same_for_all ? reduced(lanes, mask) : 0;
  for (int lane = first; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    lanes[lane].result = same_for_all ? result_of_all : result_for(lane, lanes, mask);
  }
  // A shuffle does not order memory, as in CUDA.
  const bool orders = lanes[first].operation == WarpOperation::sync;
  std::uint16_t& time = block_->warp_times[static_cast<std::size_t>(warp)];
  if (orders && ++time == 0) {
    block_->shared.barrier();  // numbers are exhausted: forget the history
    block_->begin_times();
  }
  // The warp's own lanes come next, while their stacks are in the processor's caches. A thread that waits for another warp
  // gives way, and so does not keep that from running.
  for (int lane = 31; lane >= 0; --lane) {
    if ((mask >> lane & 1U) == 0) continue;
    if (orders) lanes[lane].warp_time = time;
    lanes[lane].state = State::running;
    if (&lanes[lane] != current_) block_->push_ready_first(warp * 32 + lane);
  }
}

unsigned Processor::lanes_with(std::uint64_t value, const Thread* warp, unsigned mask) {
  unsigned lanes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) != 0 && warp[lane].value == value) lanes |= 1U << lane;
  }
  return lanes;
}

std::uint64_t Processor::reduced(const Thread* warp, unsigned mask) {
  const int first = std::countr_zero(mask);
  const WarpOperation operation = warp[first].operation;
  auto value = static_cast<std::uint32_t>(warp[first].value);
  if (operation == WarpOperation::ballot) return lanes_with(1, warp, mask);
  if (operation == WarpOperation::match_all)
    return lanes_with(warp[first].value, warp, mask) == mask ? mask : 0;
  for (int lane = first + 1; lane < 32; ++lane) {
    if ((mask >> lane & 1U) != 0)
      value = combine(operation, value, static_cast<std::uint32_t>(warp[lane].value));
  }
  return value;
}

std::uint64_t Processor::result_for(int lane, const Thread* warp, unsigned mask) {
  const Thread& self = warp[lane];
  const int segment = lane / self.width * self.width;
  int source = lane;
  switch (self.operation) {
    case WarpOperation::sync:
      return 0;
    case WarpOperation::shuffle:
      source = segment + (self.argument & (self.width - 1));
      break;
    case WarpOperation::shuffle_up:
      if (lane - self.argument >= segment) source = lane - self.argument;
      break;
    case WarpOperation::shuffle_down:
      if (lane + self.argument < segment + self.width) source = lane + self.argument;
      break;
    case WarpOperation::shuffle_xor:
      if ((lane ^ self.argument) < segment + self.width) source = lane ^ self.argument;
      break;
    default:
      return lanes_with(self.value, warp, mask);  // match_any
  }
  if ((mask >> source & 1U) != 0) return warp[source].value;
  if (self.operation != WarpOperation::shuffle)
    return ~std::uint64_t{0};  // poison: undefined in CUDA, often unused
  current_ = &block_->threads[static_cast<std::size_t>(number(self))];
  fail(cudaErrorLaunchFailure,
       fmt::format("reads by a shuffle at {} from lane {}, which is not in the mask {:#010x}",
                   text_of(self.place), source, mask));
  return 0;
}

}  // namespace isolume::gpu::emulator
