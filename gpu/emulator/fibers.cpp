#include "gpu/emulator/fibers.h"

#include <new>

#include <boost/context/detail/fcontext.hpp>
#include <sys/mman.h>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace isolume::gpu::emulator {
namespace {

using boost::context::detail::fcontext_t;
using boost::context::detail::jump_fcontext;
using boost::context::detail::make_fcontext;
using boost::context::detail::transfer_t;

// Holds local arrays of kernels. Pages are allocated by the system on first use.
constexpr std::size_t guard_bytes = 4096;
constexpr std::size_t stack_bytes = std::size_t{256} << 10;

/// How far below its end a stack begins. The processor's caches keep few lines whose addresses differ by a power of two,
/// so that stacks used in turn must begin at unequal distances.
std::size_t unused_bytes(std::size_t number) {
  return number * 9 % 64 * 64;
}

}  // namespace

struct Fiber::Entry {
  static void run(transfer_t from) {
    auto* const self = static_cast<Fiber*>(from.data);
    self->outside_ = from.fctx;
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &self->outer_stack_, &self->outer_stack_bytes_);
#endif
    self->body_(self->argument_);
    __builtin_trap();  // a body never returns
  }
};

Fiber::Fiber(std::byte* stack, std::size_t bytes, void (*body)(void*), void* argument)
    : stack_(stack), stack_bytes_(bytes), body_(body), argument_(argument) {
  restart();
}

void Fiber::restart() {
  inside_ = make_fcontext(stack_ + stack_bytes_, stack_bytes_, &Entry::run);
  fake_stack_ = nullptr;
#ifdef __SANITIZE_ADDRESS__
  __asan_unpoison_memory_region(stack_, stack_bytes_);  // the abandoned execution has left marks there
#endif
}

void Fiber::resume() {
#ifdef __SANITIZE_ADDRESS__
  void* fake_stack = nullptr;
  __sanitizer_start_switch_fiber(&fake_stack, stack_, stack_bytes_);
#endif
  inside_ = jump_fcontext(static_cast<fcontext_t>(inside_), this).fctx;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
#endif
}

void Fiber::leave() {
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_start_switch_fiber(&fake_stack_, outer_stack_, outer_stack_bytes_);
#endif
  outside_ = jump_fcontext(static_cast<fcontext_t>(outside_), this).fctx;
#ifdef __SANITIZE_ADDRESS__
  __sanitizer_finish_switch_fiber(fake_stack_, &outer_stack_, &outer_stack_bytes_);
#endif
}

FiberPool::FiberPool(int capacity, void (*body)(void*), void* argument)
    : capacity_(capacity), body_(body), argument_(argument) {
  void* const memory = mmap(nullptr, static_cast<std::size_t>(capacity) * (stack_bytes + guard_bytes),
                            PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  stacks_ = static_cast<std::byte*>(memory);
}

FiberPool::~FiberPool() {
  restart_all();  // clears the stacks
  munmap(stacks_, static_cast<std::size_t>(capacity_) * (stack_bytes + guard_bytes));
}

Fiber* FiberPool::take() {
  if (idle_.empty()) {
    std::byte* const stack = stacks_ + fibers_.size() * (stack_bytes + guard_bytes);
    mprotect(stack, guard_bytes, PROT_NONE);
    fibers_.push_back(std::make_unique<Fiber>(stack + guard_bytes, stack_bytes - unused_bytes(fibers_.size()),
                                              body_, argument_));
    return fibers_.back().get();
  }
  Fiber* const fiber = idle_.back();
  idle_.pop_back();
  return fiber;
}

bool FiberPool::owns(std::uintptr_t address) const {
  return address - reinterpret_cast<std::uintptr_t>(stacks_) <
         static_cast<std::size_t>(capacity_) * (stack_bytes + guard_bytes);
}

void FiberPool::restart_all() {
  idle_.clear();
  for (const auto& fiber : fibers_) {
    fiber->restart();
    idle_.push_back(fiber.get());
  }
}

}  // namespace isolume::gpu::emulator
