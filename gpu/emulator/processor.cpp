#include "gpu/emulator/processor.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include <fmt/format.h>
#ifdef __SSE__
#include <xmmintrin.h>
#endif

#include "gpu/emulator/symbols.h"
#include "gpu/emulator/words.h"

namespace isolume::gpu::emulator {
namespace {

/// Average number of accesses to global memory after which a block yields.
constexpr std::uint32_t accesses_between_ways = 400;
/// A block that has yielded this often without any block ending waits for one that is not running.
constexpr std::uint32_t most_ways_given = 2'000'000;

/// While it lives, numbers below the smallest normal ones are zero in the calling fiber, as operands and as results
/// (of doubles, too, in which the smallest normal one is 2e-308). Fibers keep this state when they switch. Only on
/// processors of the x86 family.
class FlushToZero {
 public:
#ifdef __SSE__
  explicit FlushToZero(bool flushes) : before_(_mm_getcsr()) {
    constexpr unsigned results = 0x8000, operands = 0x0040;
    _mm_setcsr(flushes ? before_ | results | operands : before_ & ~(results | operands));
  }
  ~FlushToZero() {
    _mm_setcsr(before_);
  }

 private:
  unsigned before_;
#else
  explicit FlushToZero(bool) {}
#endif
 public:
  FlushToZero(const FlushToZero&) = delete;
  FlushToZero& operator=(const FlushToZero&) = delete;
};

/// The order in which blocks are started.
class Order {
 public:
  Order(const Launch& launch)
      : count_(std::uint64_t{launch.grid.x} * launch.grid.y * launch.grid.z), launch_(launch) {
    if (launch.order == BlockOrder::in_order || count_ < 2) return;
    // i -> first + i * stride visits all blocks if the stride and their number are coprime.
    first_ = launch.seed % count_;
    stride_ = count_ / 2 + launch.seed / 7 % count_ / 3;
    while (std::gcd(stride_, count_) != 1) ++stride_;
  }
  std::uint64_t count() const { return count_; }
  std::uint64_t at(std::uint64_t i) const {
    return static_cast<std::uint64_t>((first_ + static_cast<unsigned __int128>(i) * stride_) % count_);
  }

 private:
  std::uint64_t count_;
  const Launch& launch_;
  std::uint64_t first_ = 0;
  std::uint64_t stride_ = 1;
};

uint3 index_of(std::uint64_t number, const dim3& grid) {
  return {static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
          static_cast<unsigned>(number / grid.x / grid.y)};
}

}  // namespace

constinit thread_local Processor* current_processor = nullptr;

Processor::Processor(int device)
    : device_(device),
      own_memory_(memory::arena + static_cast<std::uintptr_t>(device + 1) * memory::slice_bytes),
      fibers_(largest_block * static_cast<int>(most_running_blocks), &run_threads, this) {}

std::optional<Failure> Processor::run(const Launch& launch) {
  const Order order(launch);
  // As in the fibers: a switch to another state takes the processor many times as long.
  const FlushToZero flush(launch.code.flushes_to_zero);
  launch_ = &launch;
  failure_.reset();
  find_shared_memory();
  follows_ = checks_accesses() && launch.conflicts && order.count() > 1;
  if (follows_) conflicts_.begin_launch();
  random_ = launch.seed | 1U;
  until_way_is_given_ = accesses_between_ways;
  ways_given_ = 0;
  static_shared_bytes_ = 0;
  // Without the hooks it is not known which shared variables a block has written.
  const bool interleaved = launch.order == BlockOrder::interleaved && checks_accesses();
  running_.clear();
  idle_.clear();
  for (Block& block : blocks_) {
    if (interleaved || idle_.empty()) idle_.push_back(&block);
  }
  in_memory_ = nullptr;
  current_processor = this;
  for (std::uint64_t next = 0; !failure_;) {
    while (!idle_.empty() && next < order.count()) start_block(order.at(next++));
    if (running_.empty()) break;
    go_on();
  }
  current_processor = nullptr;
  if (failure_) fibers_.restart_all();
  return failure_;
}

void Processor::start_block(std::uint64_t number) {
  Block* const block = idle_.back();
  idle_.pop_back();
  running_.push_back(block);
  const dim3& threads = launch_->block;
  block->begin(index_of(number, launch_->grid), static_cast<std::uint32_t>(number),
               static_cast<int>(threads.x * threads.y * threads.z), launch_->shared_bytes);
  turn_ = running_.size() - 1;
}

void Processor::enter(Block& block) {
  block_ = &block;
  if (in_memory_ == &block) return;
  if (in_memory_ != nullptr) in_memory_->shared.put_by(in_memory_->dynamic_shared_address());
  block.shared.bring_back(block.dynamic_shared_address());
  in_memory_ = &block;
}

void Processor::go_on() {
  Block& block = *running_[turn_];
  enter(block);
  const bool any_new = block.started < block.count;
  if (block.ready_count > 0 && !(any_new && running_.size() > 1 && now_and_then(2))) {
    current_ = &block.threads[static_cast<std::size_t>(block.pop_ready())];
    current_fiber_ = current_->fiber;
    current_fiber_->resume();
  } else if (any_new) {
    current_fiber_ = fibers_.take();
    current_fiber_->resume();
  } else {
    current_ = nullptr;
    failure_ = Failure{cudaErrorLaunchFailure, where() + ": " + why_stuck()};
    return;
  }
  if (failure_) return;
  if (block.ended()) {
    in_memory_ = nullptr;  // its former content belongs to no block
    ways_given_ = 0;
    std::erase(running_, &block);
    idle_.push_back(&block);
    turn_ = 0;
  } else if (running_.size() > 1 && now_and_then(16)) {
    turn_ = random() % running_.size();
  }
}

std::uint32_t Processor::random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

bool Processor::now_and_then(std::uint32_t times) {
  return random() % times == 0;
}

/// The body of every fiber: it serves new threads of the running block as long as there are any.
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
  while (block_->started < block_->count) {
    const auto number = static_cast<unsigned>(block_->started++);
    const dim3& size = launch_->block;
    Thread& thread = block_->threads[number];
    thread.number = static_cast<std::uint16_t>(number);
    thread.index = {number % size.x, number / size.x % size.y, number / (size.x * size.y)};
    thread.state = State::running;
    thread.fiber = current_fiber_;
    thread.warp_time = 0;
    thread.history.fence = 0;
    thread.history.met.clear();
    current_ = &thread;
    const FlushToZero flush(launch_->code.flushes_to_zero);
    launch_->call.call(launch_->call.kernel, launch_->call.arguments.get());
    thread.state = State::ended;
    ++block_->ended_threads;
  }
}

void Processor::wait() {
  current_fiber_->leave();
}

void Processor::give_way() {
  if (running_.size() < 2 && block_->count < 2) return;
  if (++ways_given_ > most_ways_given) {
    stop(cudaErrorLaunchTimeout,
         "seems to wait for a block that is not running: few run at a time here, and on a GPU no more than "
         "fit");
  }
  block_->push_ready(number(*current_));
  turn_ = random() % running_.size();
  current_fiber_->leave();
}

void Processor::fail(cudaError_t code, const std::string& text) {
  if (!failure_) failure_ = Failure{code, where() + ": " + text};
}

void Processor::abandon() {
  current_fiber_->leave();
  __builtin_unreachable();  // a failed launch does not continue
}

void Processor::stop(cudaError_t code, const char* text) {
  fail(code, text);
  abandon();
}

int Processor::sync_block(bool predicate, Place place) {
  current_->state = State::at_barrier;
  current_->place = place;
  block_->barrier_votes += predicate ? 1 : 0;
  if (++block_->at_barrier == block_->count) {
    open_barrier();
    if (failure_) abandon();
  } else {
    wait();
  }
  return block_->barrier_result;
}

void Processor::open_barrier() {
  Block& block = *block_;
  for (int i = 0; i < block.count; ++i) {
    const Thread& other = block.threads[static_cast<std::size_t>(i)];
    if (!(other.place == current_->place)) {
      fail(cudaErrorLaunchFailure,
           fmt::format("waits at the barrier {}, but thread {} at the barrier {}", text_of(current_->place),
                       text_of(other.index), text_of(other.place)));
      return;
    }
  }
  for (int i = 0; i < block.count; ++i) {
    Thread& other = block.threads[static_cast<std::size_t>(i)];
    other.state = State::running;
    if (&other != current_) block.push_ready(i);
  }
  block.shared.barrier();
  block.history.barrier();
  block.begin_times();
  block.barrier_result = block.barrier_votes;
  block.barrier_votes = block.at_barrier = 0;
}

void Processor::fence() {
  if (!follows_) return;
  conflicts_.fence(block_->history, current_->history);
  if (now_and_then(2)) give_way();
}

void Processor::follow(std::uintptr_t address, std::size_t bytes, Access access) {
  if (access == Access::read || access == Access::write) {
    if (--until_way_is_given_ == 0) {
      until_way_is_given_ = 1 + random() % (2 * accesses_between_ways);
      give_way();
    }
  } else if (now_and_then(4)) {
    give_way();
  }
  const auto found =
      conflicts_.access(address, bytes, access, block_->history, current_->number, current_->history);
  if (!found.found) return;
  fail_by_conflict(address, bytes, access, found);
  abandon();
}

std::string Processor::who(const Thread& thread) const {
  return "thread " + text_of(thread.index);
}

std::string Processor::where() const {
  std::string text = fmt::format("kernel {} on device {}, block {}", function_name(launch_->call.kernel),
                                 device_, text_of(block_->index));
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

/// Describes a block none of whose threads can continue.
std::string Processor::why_stuck() const {
  for (int i = 0; i < block_->count; ++i) {
    const Thread& thread = block_->threads[static_cast<std::size_t>(i)];
    if (thread.state != State::ended) return why_stuck(thread);
  }
  return {};
}

std::string Processor::why_stuck(const Thread& thread) const {
  const int warp_first = number(thread) / 32 * 32;
  for (int i = 0; i < block_->count; ++i) {
    const Thread& other = block_->threads[static_cast<std::size_t>(i)];
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

// Functions that kernels call.

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
void fence() {
  if (current_processor != nullptr) here().fence();
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
