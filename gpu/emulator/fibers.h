#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace isolume::gpu::emulator {

/// A function with a stack of its own that yields explicitly. Runs on one host thread only.
class Fiber {
 public:
  Fiber(std::byte* stack, std::size_t stack_bytes, void (*body)(void*), void* argument);
  /// Abandons its execution (nothing on its stack is destroyed), so that it starts again from the top.
  void restart();
  /// Runs it until it calls `leave`. Call from outside of any fiber.
  void resume();
  /// Returns to the caller of `resume`. Call from inside.
  void leave();
  bool owns(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(stack_) < stack_bytes_;
  }

 private:
  struct Entry;
  std::byte* stack_;
  std::size_t stack_bytes_;
  void (*body_)(void*);
  void* argument_;
  void* inside_ = nullptr;             ///< where it continues
  void* outside_ = nullptr;            ///< where `resume` was called
  void* fake_stack_ = nullptr;         ///< AddressSanitizer's
  const void* outer_stack_ = nullptr;  ///< AddressSanitizer's
  std::size_t outer_stack_bytes_ = 0;
};

/// Fibers that are created on first use, with guard pages between the stacks.
class FiberPool {
 public:
  FiberPool(int capacity, void (*body)(void*), void* argument);
  ~FiberPool();
  FiberPool(const FiberPool&) = delete;
  FiberPool& operator=(const FiberPool&) = delete;

  Fiber* take();
  void give_back(Fiber* fiber) { idle_.push_back(fiber); }
  /// Whether the address is on the stack of a fiber.
  bool owns(std::uintptr_t address) const;
  /// Abandons all executions.
  void restart_all();

 private:
  int capacity_;
  void (*body_)(void*);
  void* argument_;
  std::byte* stacks_;
  std::vector<std::unique_ptr<Fiber>> fibers_;
  std::vector<Fiber*> idle_;
};

}  // namespace isolume::gpu::emulator
