#pragma once

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace isolume {

/// Memory aligned to 64 bytes. Large blocks request pages of 2 MB from the system: the first write to memory
/// costs one page fault per page, which for the usual 4 kB takes longer than the writing.
void* allocate_values(std::size_t bytes);
void deallocate_values(void* memory, std::size_t bytes);

/// Allocates 64-byte aligned memory that is *not* set to zero: a field of millions of values is written once
/// by the engine that computes it, and clearing it first would double the memory traffic.
template <class T>
struct UninitialisedAllocator {
  using value_type = T;

  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) {}

  T* allocate(std::size_t count) { return static_cast<T*>(allocate_values(count * sizeof(T))); }
  void deallocate(T* memory, std::size_t count) { deallocate_values(memory, count * sizeof(T)); }

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
