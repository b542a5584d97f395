#include "core/base/field_values.h"

#include <memory>

#include "core/base/large_pages.h"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace isolume {

namespace {

constexpr std::size_t large_page_bytes = std::size_t{2} << 20;

std::align_val_t alignment_of(std::size_t bytes) {
  return std::align_val_t{bytes >= 2 * large_page_bytes ? large_page_bytes : 64};
}

}  // namespace

void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
  if (bytes < 2 * large_page_bytes) return;
  // This is only a hint: a system without large pages uses normal ones.
  void* first = memory;
  if (std::align(large_page_bytes, large_page_bytes, first, bytes) != nullptr)
    madvise(first, bytes / large_page_bytes * large_page_bytes, MADV_HUGEPAGE);
#endif
}

void* allocate_values(std::size_t bytes) {
  void* const memory = ::operator new(bytes, alignment_of(bytes));
  prefer_large_pages(memory, bytes);
  return memory;
}

void deallocate_values(void* memory, std::size_t bytes) {
  ::operator delete(memory, alignment_of(bytes));
}

}  // namespace isolume
