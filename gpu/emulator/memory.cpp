#include "gpu/emulator/memory.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <new>

#include <fmt/format.h>
#include <sys/mman.h>

#include "gpu/emulator/block_conflicts.h"

namespace isolume::gpu::emulator::memory {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t poisoned_bytes = std::size_t{64} << 20;
constexpr std::size_t remembered = 1000;  // number of freed allocations
constexpr std::uintptr_t arena_bytes = (largest_device_count + 1) * slice_bytes;

std::uintptr_t reserve(std::uintptr_t bytes, int protection) {
  void* const memory = mmap(nullptr, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw std::bad_alloc();
  return reinterpret_cast<std::uintptr_t>(memory);
}
std::size_t whole_pages(std::size_t bytes) {
  return (bytes + page - 1) / page * page;
}

struct Books {
  std::mutex mutex;
  std::map<std::uintptr_t, Allocation> living;
  std::map<std::uintptr_t, Allocation> freed;
  std::map<std::uintptr_t, std::size_t> registered;
  struct Owner {
    Usage usage;
    std::uintptr_t next = 0;
    int allocations = 0;
  };
  std::array<Owner, largest_device_count + 1> owners;
  Owner& of(int owner) { return owners[static_cast<std::size_t>(owner + 1)]; }
};
Books& books() {
  static auto* const books = new Books;  // never destroyed: memory may be freed until the very end
  return *books;
}

std::uintptr_t slice_of(int owner) {
  return arena + static_cast<std::uintptr_t>(owner + 1) * slice_bytes;
}

/// The last allocation that begins at or before the address.
const Allocation* last_before(const std::map<std::uintptr_t, Allocation>& allocations,
                              std::uintptr_t address) {
  const auto next = allocations.upper_bound(address);
  return next == allocations.begin() ? nullptr : &std::prev(next)->second;
}

/// Unused addresses, with an unused page before and after them.
std::uintptr_t free_addresses(Books& all, int owner, std::size_t bytes) {
  const std::uintptr_t begin = slice_of(owner);
  const std::uintptr_t end = begin + slice_bytes;
  auto& next = all.of(owner).next;
  if (next == 0) next = begin;
  const std::size_t room = whole_pages(bytes) + 2 * page;
  for (int turn = 0; turn < 2; ++turn) {
    while (next + room <= end) {
      const Allocation* const other = last_before(all.living, next + room - 1);
      if (other == nullptr || other->begin + whole_pages(other->bytes) <= next) {
        const std::uintptr_t address = next + page;
        next = address + whole_pages(bytes);
        return address;
      }
      next = other->begin + whole_pages(other->bytes);
    }
    next = begin;
  }
  return 0;
}

void forget_freed(Books& all, std::uintptr_t begin, std::size_t bytes) {
  const auto first = all.freed.lower_bound(begin);
  all.freed.erase(first, all.freed.lower_bound(begin + bytes));
  if (all.freed.size() > remembered) all.freed.erase(all.freed.begin());
}

void mark_allocated(std::uintptr_t begin, std::size_t bytes, bool written) {
  std::uint8_t* const marks = shadow_of(begin);
  std::memset(marks, written ? 0xff : 0xf0, bytes / 4);
  if (bytes % 4 != 0) {
    const unsigned rest = (1U << bytes % 4) - 1U;
    marks[bytes / 4] = static_cast<std::uint8_t>(rest << 4 | (written ? rest : 0U));
  }
}

void release(Books& all, const Allocation& allocation) {
  const std::size_t pages = whole_pages(allocation.bytes);
  mprotect(reinterpret_cast<void*>(allocation.begin), pages, PROT_NONE);
  madvise(reinterpret_cast<void*>(allocation.begin), pages, MADV_DONTNEED);
  std::uint8_t* const marks = shadow_of(allocation.begin);
  const auto first = reinterpret_cast<std::uintptr_t>(marks);
  const std::uintptr_t inner = whole_pages(first);
  const std::uintptr_t last = first + (allocation.bytes + 3) / 4;
  if (last > inner + page) {
    const std::uintptr_t inner_end = last / page * page;
    madvise(reinterpret_cast<void*>(inner), inner_end - inner, MADV_DONTNEED);
    std::memset(marks, 0, inner - first);
    std::memset(reinterpret_cast<void*>(inner_end), 0, last - inner_end);
  } else {
    std::memset(marks, 0, last - first);
  }
  forget_traces(allocation.begin, allocation.bytes);
  auto& owner = all.of(allocation.owner);
  owner.usage.bytes -= allocation.bytes;
  --owner.usage.allocations;
  forget_freed(all, allocation.begin, allocation.bytes);
  all.freed[allocation.begin] = allocation;
}

std::string name(const Allocation& allocation) {
  const std::string owner =
      allocation.owner == host ? "pinned host memory" : fmt::format("device {}", allocation.owner);
  return fmt::format("allocation {} of {} ({} bytes)", allocation.number, owner, allocation.bytes);
}

}  // namespace

std::uintptr_t arena = reserve(arena_bytes, PROT_NONE);
std::uint8_t* shadow = reinterpret_cast<std::uint8_t*>(reserve(arena_bytes / 4, PROT_READ | PROT_WRITE));

void* allocate(int owner, std::size_t bytes) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const std::uintptr_t begin = free_addresses(all, owner, bytes);
  if (begin == 0 ||
      mprotect(reinterpret_cast<void*>(begin), whole_pages(bytes), PROT_READ | PROT_WRITE) != 0) {
    return nullptr;
  }
  if (bytes <= poisoned_bytes) std::memset(reinterpret_cast<void*>(begin), 0xff, bytes);
  mark_allocated(begin, bytes, owner == host);
  forget_freed(all, begin, bytes);
  auto& books_of_owner = all.of(owner);
  books_of_owner.usage.bytes += bytes;
  ++books_of_owner.usage.allocations;
  all.living[begin] = {begin, bytes, owner, ++books_of_owner.allocations};
  return reinterpret_cast<void*>(begin);
}

bool release(void* address, bool of_host) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const auto found = all.living.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == all.living.end() || (found->second.owner == host) != of_host) return false;
  release(all, found->second);
  all.living.erase(found);
  return true;
}

void limit_use(void* address, std::size_t bytes) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const auto found = all.living.find(reinterpret_cast<std::uintptr_t>(address));
  if (found == all.living.end()) return;
  const Allocation& allocation = found->second;
  bytes = std::min(bytes, allocation.bytes);
  std::memset(shadow_of(allocation.begin), 0, (allocation.bytes + 3) / 4);
  mark_allocated(allocation.begin, bytes, allocation.owner == host);
  if (allocation.owner != host && bytes <= poisoned_bytes) std::memset(address, 0xff, bytes);
}

void release_all(int owner) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.living, [&](const auto& entry) {
    if (entry.second.owner != owner) return false;
    release(all, entry.second);
    return true;
  });
}

Usage usage(int owner) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  return all.of(owner).usage;
}

std::optional<Allocation> find(const void* address, std::size_t bytes) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const Allocation* const found = last_before(all.living, at);
  if (found == nullptr || at - found->begin > found->bytes || bytes > found->bytes - (at - found->begin))
    return {};
  return *found;
}

bool register_host(void* address, std::size_t bytes) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  return all.registered.emplace(reinterpret_cast<std::uintptr_t>(address), bytes).second;
}
bool unregister_host(void* address) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  return all.registered.erase(reinterpret_cast<std::uintptr_t>(address)) != 0;
}
bool is_registered(const void* address, std::size_t bytes) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  const auto next = all.registered.upper_bound(at);
  if (next == all.registered.begin()) return false;
  const auto& [begin, size] = *std::prev(next);
  return at - begin <= size && bytes <= size - (at - begin);
}

std::string describe(std::uintptr_t address) {
  Books& all = books();
  const std::lock_guard lock(all.mutex);
  if (const Allocation* const freed = last_before(all.freed, address);
      freed != nullptr && address - freed->begin < freed->bytes) {
    return fmt::format("byte {} of the freed {}", address - freed->begin, name(*freed));
  }
  const Allocation* const before = last_before(all.living, address);
  if (before != nullptr && address - before->begin < before->bytes) {
    return fmt::format("byte {} of {}", address - before->begin, name(*before));
  }
  const auto next = all.living.upper_bound(address);
  const std::uintptr_t behind = before != nullptr ? address - (before->begin + before->bytes) : UINTPTR_MAX;
  const std::uintptr_t ahead = next != all.living.end() ? next->first - address : UINTPTR_MAX;
  if (std::min(behind, ahead) > (std::uintptr_t{1} << 30))
    return fmt::format("address {:#x}, far from any allocation", address);
  if (behind <= ahead) return fmt::format("{} bytes past the end of {}", behind, name(*before));
  return fmt::format("{} bytes before the start of {}", ahead, name(next->second));
}

bool is_allocated(std::uintptr_t address, std::size_t bytes) {
  for (; bytes > 0 && address % 4 != 0; ++address, --bytes) {
    if ((*shadow_of(address) >> (4 + address % 4) & 1U) == 0) return false;
  }
  for (; bytes >= 4; address += 4, bytes -= 4) {
    if ((*shadow_of(address) & 0xf0U) != 0xf0U) return false;
  }
  for (; bytes > 0; ++address, --bytes) {
    if ((*shadow_of(address) >> (4 + address % 4) & 1U) == 0) return false;
  }
  return true;
}

bool is_written(std::uintptr_t address, std::size_t bytes) {
  for (; bytes > 0 && address % 4 != 0; ++address, --bytes) {
    if ((*shadow_of(address) >> address % 4 & 1U) == 0) return false;
  }
  for (; bytes >= 4; address += 4, bytes -= 4) {
    if ((*shadow_of(address) & 0x0fU) != 0x0fU) return false;
  }
  for (; bytes > 0; ++address, --bytes) {
    if ((*shadow_of(address) >> address % 4 & 1U) == 0) return false;
  }
  return true;
}

void mark_written(std::uintptr_t address, std::size_t bytes) {
  for (; bytes > 0 && address % 4 != 0; ++address, --bytes) {
    *shadow_of(address) = static_cast<std::uint8_t>(*shadow_of(address) | 1U << address % 4);
  }
  if (bytes >= 4) std::memset(shadow_of(address), 0xff, bytes / 4);
  address += bytes / 4 * 4;
  for (bytes %= 4; bytes > 0; ++address, --bytes) {
    *shadow_of(address) = static_cast<std::uint8_t>(*shadow_of(address) | 1U << address % 4);
  }
}

void copy_marks(std::uintptr_t to, std::uintptr_t from, std::size_t bytes) {
  if (is_written(from, bytes)) return mark_written(to, bytes);
  for (std::size_t i = 0; i < bytes; ++i) {
    const unsigned bit = *shadow_of(from + i) >> (from + i) % 4 & 1U;
    std::uint8_t& marks = *shadow_of(to + i);
    marks = static_cast<std::uint8_t>((marks & ~(1U << (to + i) % 4)) | bit << (to + i) % 4);
  }
}

}  // namespace isolume::gpu::emulator::memory
