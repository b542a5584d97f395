#include "gpu/emulator/processor.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <sys/mman.h>

#include "gpu/emulator/symbols.h"

namespace isolume::gpu::emulator {
namespace {

constexpr int largest_block = 1024;
constexpr int poison = 0xff;  // NaN as float or double, -1 as an integer

std::string text_of(uint3 index) {
  return fmt::format("({},{},{})", index.x, index.y, index.z);
}
std::string text_of(Place place) {
  return fmt::format("{}:{}", place.file, place.line);
}
const char* name_of(WarpOperation operation) {
  switch (operation) {
    case WarpOperation::sync:
      return "__syncwarp";
    case WarpOperation::shuffle:
    case WarpOperation::shuffle_up:
    case WarpOperation::shuffle_down:
    case WarpOperation::shuffle_xor:
      return "a shuffle";
    case WarpOperation::ballot:
      return "a vote";
    case WarpOperation::match_any:
    case WarpOperation::match_all:
      return "a match";
    default:
      return "a warp reduction";
  }
}

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

constinit thread_local Processor* current_processor = nullptr;

Processor::Processor(int device)
    : device_(device),
      own_memory_(memory::arena + static_cast<std::uintptr_t>(device + 1) * memory::slice_bytes),
      fibers_(largest_block, &run_threads, this),
      threads_(largest_block),
      warp_times_(largest_block / 32),
      ready_(largest_block) {
  void* const mapped = mmap(nullptr, dynamic_shared_capacity, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  dynamic_shared_ = static_cast<std::byte*>(mapped);
  shared_.add_region(reinterpret_cast<std::uintptr_t>(dynamic_shared_), dynamic_shared_capacity, 0);
}

Processor::~Processor() {
  munmap(dynamic_shared_, dynamic_shared_capacity);
}

std::optional<Failure> Processor::run(const Launch& launch) {
  launch_ = &launch;
  failure_.reset();
  count_ = static_cast<int>(launch.block.x * launch.block.y * launch.block.z);
  find_shared_memory();
  current_processor = this;
  for (unsigned z = 0; z < launch.grid.z && !failure_; ++z) {
    for (unsigned y = 0; y < launch.grid.y && !failure_; ++y) {
      for (unsigned x = 0; x < launch.grid.x && !failure_; ++x) {
        block_index_ = {x, y, z};
        run_block();
      }
    }
  }
  current_processor = nullptr;
  if (failure_) fibers_.restart_all();
  return failure_;
}

void Processor::run_block() {
  started_ = ended_ = at_barrier_ = barrier_votes_ = 0;
  ready_first_ = ready_count_ = 0;
  std::memset(dynamic_shared_, poison, launch_->shared_bytes);
  shared_.begin_block();
  begin_times();
  while (ended_ < count_ && !failure_) {
    if (ready_count_ > 0) {
      current_ = &threads_[static_cast<std::size_t>(ready_[ready_first_])];
      ready_first_ = (ready_first_ + 1) % ready_.size();
      --ready_count_;
      current_fiber_ = current_->fiber;
      current_fiber_->resume();
    } else if (started_ < count_) {
      current_fiber_ = fibers_.take();
      current_fiber_->resume();
    } else {
      current_ = nullptr;
      failure_ = Failure{cudaErrorLaunchFailure, where() + ": " + why_stuck()};
    }
  }
}

/// What every fiber does: it serves new threads as long as there are any.
void Processor::run_threads(void* self) {
  auto& processor = *static_cast<Processor*>(self);
  while (true) {
    processor.run_some_threads();
    Fiber* const fiber = processor.current_fiber_;
    processor.fibers_.give_back(fiber);
    fiber->leave();
  }
}

void Processor::run_some_threads() {
  while (started_ < count_) {
    const auto number = static_cast<unsigned>(started_++);
    const dim3& block = launch_->block;
    Thread& thread = threads_[number];
    thread.index = {number % block.x, number / block.x % block.y, number / (block.x * block.y)};
    thread.state = State::running;
    thread.fiber = current_fiber_;
    thread.warp_time = 0;
    current_ = &thread;
    launch_->call.call(launch_->call.kernel, launch_->call.arguments.get());
    thread.state = State::ended;
    ++ended_;
  }
}

void Processor::wait() {
  current_fiber_->leave();
}

void Processor::fail(cudaError_t code, const std::string& text) {
  if (!failure_) failure_ = Failure{code, where() + ": " + text};
}

void Processor::abandon() {
  current_fiber_->leave();
  __builtin_unreachable();  // a launch that failed goes on nowhere
}

void Processor::stop(cudaError_t code, const char* text) {
  fail(code, text);
  abandon();
}

int Processor::sync_block(bool predicate, Place place) {
  current_->state = State::at_barrier;
  current_->place = place;
  barrier_votes_ += predicate ? 1 : 0;
  if (++at_barrier_ == count_) {
    open_barrier();
    if (failure_) abandon();
  } else {
    wait();
  }
  return barrier_result_;
}

void Processor::open_barrier() {
  for (int i = 0; i < count_; ++i) {
    const Thread& other = threads_[static_cast<std::size_t>(i)];
    if (other.place.line != current_->place.line ||
        std::strcmp(other.place.file, current_->place.file) != 0) {
      fail(cudaErrorLaunchFailure,
           fmt::format("waits at the barrier {}, but thread {} at the barrier {}", text_of(current_->place),
                       text_of(other.index), text_of(other.place)));
      return;
    }
  }
  for (int i = 0; i < count_; ++i) {
    Thread& other = threads_[static_cast<std::size_t>(i)];
    other.state = State::running;
    if (&other != current_) {
      ready_[(ready_first_ + ready_count_++) % ready_.size()] = i;
    }
  }
  shared_.barrier();
  begin_times();
  barrier_result_ = barrier_votes_;
  barrier_votes_ = at_barrier_ = 0;
}

void Processor::begin_times() {
  std::ranges::fill(warp_times_, std::uint16_t{0});
  for (int i = 0; i < started_; ++i) threads_[static_cast<std::size_t>(i)].warp_time = 0;
}

unsigned Processor::existing_lanes(int warp) const {
  const int lanes = std::min(32, count_ - warp * 32);
  return lanes == 32 ? 0xffffffffU : (1U << lanes) - 1U;
}

unsigned Processor::active_lanes() const {
  const int first = number(*current_) / 32 * 32;
  unsigned lanes = 0;
  for (int lane = 0; lane < 32 && first + lane < count_; ++lane) {
    const bool there =
        first + lane >= started_ || threads_[static_cast<std::size_t>(first + lane)].state != State::ended;
    lanes |= there ? 1U << lane : 0U;
  }
  return lanes;
}

/// Whether two threads of a warp wait for each other. __syncwarp may stand at different places, as on GPUs
/// since Volta; operations that exchange values may not.
bool Processor::together(const Thread& thread, const Thread& other) const {
  return other.state == State::in_warp_operation && other.operation == thread.operation &&
         other.mask == thread.mask &&
         (thread.operation == WarpOperation::sync ||
          (other.place.line == thread.place.line && std::strcmp(other.place.file, thread.place.file) == 0));
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
  const Thread* const lanes = &threads_[static_cast<std::size_t>(warp) * 32];
  // From above, because the highest lane comes last as a rule.
  for (int other = 31; other >= 0; --other) {
    if ((self.mask >> other & 1U) == 0) continue;
    if (warp * 32 + other >= started_ || !together(self, lanes[other])) {
      wait();
      return self.result;
    }
  }
  complete(self.mask, warp);
  if (failure_) abandon();
  return self.result;
}

void Processor::complete(unsigned mask, int warp) {
  Thread* const lanes = &threads_[static_cast<std::size_t>(warp) * 32];
  const int first = std::countr_zero(mask);
  const bool same_for_all = lanes[first].operation >= WarpOperation::reduce_add ||
                            lanes[first].operation == WarpOperation::ballot ||
                            lanes[first].operation == WarpOperation::match_all;
  const std::uint64_t result_of_all = same_for_all ? reduced(lanes, mask) : 0;
  for (int lane = first; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    lanes[lane].result = same_for_all ? result_of_all : result_for(lane, lanes, mask);
  }
  // A shuffle orders no memory, as in CUDA.
  const bool orders = lanes[first].operation == WarpOperation::sync;
  std::uint16_t& time = warp_times_[static_cast<std::size_t>(warp)];
  if (orders && ++time == 0) {
    shared_.barrier();  // there are no more numbers: forget what was before
    begin_times();
  }
  for (int lane = 0; lane < 32; ++lane) {
    if ((mask >> lane & 1U) == 0) continue;
    if (orders) lanes[lane].warp_time = time;
    lanes[lane].state = State::running;
    if (&lanes[lane] != current_) {
      ready_[(ready_first_ + ready_count_++) % ready_.size()] = warp * 32 + lane;
    }
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
  current_ = &threads_[static_cast<std::size_t>(number(self))];
  fail(cudaErrorLaunchFailure,
       fmt::format("reads by a shuffle at {} from lane {}, which is not in the mask {:#010x}",
                   text_of(self.place), source, mask));
  return 0;
}

std::string Processor::who(const Thread& thread) const {
  return "thread " + text_of(thread.index);
}

std::string Processor::where() const {
  std::string text = fmt::format("kernel {} on device {}, block {}", function_name(launch_->call.kernel),
                                 device_, text_of(block_index_));
  if (current_ != nullptr) text += ", " + who(*current_);
  return text;
}

std::string Processor::what_does(const Thread& thread) const {
  switch (thread.state) {
    case State::at_barrier:
      return "waits at the barrier " + text_of(thread.place);
    case State::in_warp_operation:
      return fmt::format("waits in {} at {} with the mask {:#010x}", name_of(thread.operation),
                         text_of(thread.place), thread.mask);
    case State::ended:
      return "has ended";
    default:
      return "runs";
  }
}

/// A sentence on a block none of whose threads can go on.
std::string Processor::why_stuck() const {
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    if (thread.state != State::ended) return why_stuck(thread);
  }
  return {};
}

std::string Processor::why_stuck(const Thread& thread) const {
  const int warp_first = number(thread) / 32 * 32;
  for (int i = 0; i < count_; ++i) {
    const Thread& other = threads_[static_cast<std::size_t>(i)];
    bool waits_in_vain = other.state != State::at_barrier;
    if (thread.state == State::in_warp_operation) {
      const int lane = i - warp_first;
      waits_in_vain = lane >= 0 && lane < 32 && (thread.mask >> lane & 1U) != 0 && !together(thread, other);
    }
    if (waits_in_vain) {
      return fmt::format("{} {}, but {} {}: they wait for each other for ever", who(thread),
                         what_does(thread), who(other), what_does(other));
    }
  }
  return {};
}

// What kernels call.

namespace {
Processor& here() {
  return *current_processor;
}
}  // namespace

uint3 thread_index() {
  return here().thread_index();
}
uint3 block_index() {
  return here().block_index();
}
dim3 block_size() {
  return here().launch().block;
}
dim3 grid_size() {
  return here().launch().grid;
}
void* dynamic_shared_memory() {
  return here().dynamic_shared_memory();
}
int sync_block(bool predicate, Place place) {
  return here().sync_block(predicate, place);
}
std::uint64_t warp_operation(WarpOperation operation, unsigned mask, std::uint64_t value, int argument,
                             int width, Place place) {
  return here().warp_operation(operation, mask, value, argument, width, place);
}
unsigned active_lanes() {
  return here().active_lanes();
}
void trap(const char* why) {
  here().stop(cudaErrorLaunchFailure, why);
}
long long device_clock() {
  return std::chrono::steady_clock::now().time_since_epoch().count();
}

}  // namespace isolume::gpu::emulator
