#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace isolume {

/// Hands out 64-byte aligned memory whose numbers are *not* set to zero: a field of millions of values is
/// written once by the engine that computes it, so clearing it first would double the memory traffic.
template <class T>
struct UninitialisedAllocator {
  using value_type = T;
  static constexpr std::align_val_t alignment{64};

  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), alignment)); }
  void deallocate(T* memory, std::size_t) { ::operator delete(memory, alignment); }

  template <class U, class... Args>
  void construct(U* place, Args&&... args) {
    if constexpr (sizeof...(Args) > 0 || !std::is_trivially_default_constructible_v<U>) {
      ::new (static_cast<void*>(place)) U(std::forward<Args>(args)...);
    }
  }
  template <class U>
  bool operator==(const UninitialisedAllocator<U>&) const {
    return true;
  }
};

using FieldValues = std::vector<float, UninitialisedAllocator<float>>;

}  // namespace isolume
