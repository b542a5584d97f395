#include "gpu/emulator/checks.h"

#include <algorithm>

#include <fmt/format.h>

#include "gpu/emulator/devices.h"
#include "gpu/emulator/words.h"

namespace isolume::gpu::emulator {
namespace {

using Problem = SharedMemoryChecks::Problem;

std::string doing(Access access, std::size_t bytes) {
  const char* const verb = access == Access::atomic ? "atomically changes"
                           : writes(access)         ? "writes"
                                                    : "reads";
  return fmt::format("{} {} bytes", verb, bytes);
}

}  // namespace

void check_range(const void* pointer, std::size_t bytes, Access access) {
  if (current_processor == nullptr || bytes == 0) return;
  current_processor->check(reinterpret_cast<std::uintptr_t>(pointer), bytes, access);
}

void atomic_access(const volatile void* pointer, int bytes) {
  if (current_processor == nullptr || !checks_accesses()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % static_cast<unsigned>(bytes) != 0) {
    current_processor->stop(cudaErrorIllegalAddress, "an atomic operation on an address that is not aligned");
  }
  current_processor->check(address, static_cast<std::size_t>(bytes), Access::atomic);
}

void strong_access(const volatile void* pointer, int bytes, bool write) {
  if (current_processor == nullptr || !checks_accesses()) return;
  current_processor->check(reinterpret_cast<std::uintptr_t>(pointer), static_cast<std::size_t>(bytes),
                           write ? Access::strong_write : Access::strong_read);
}

void misaligned(const void* pointer, std::size_t alignment, const char* type, Place place) {
  if (current_processor == nullptr) return;
  current_processor->stop_misaligned(reinterpret_cast<std::uintptr_t>(pointer), alignment, type, place);
}

void Processor::find_shared_memory() {
  if (!checks_accesses()) return;
  variable_used_.assign(variables_.size(), false);
  const std::uint64_t modules = loaded_modules();
  if (modules == known_modules_) return;
  known_modules_ = modules;
  for (const ThreadLocalBlock& region : thread_local_blocks()) {
    for (Block& block : blocks_)
      block.shared.add_region(region.begin, region.bytes, region.initialised_bytes);
  }
  variables_ = thread_local_variables();
  variable_used_.assign(variables_.size(), false);
}

void Processor::mark_constant(const void* begin, std::size_t bytes) {
  if (!checks_accesses()) return;
  find_shared_memory();
  for (Block& block : blocks_) block.shared.mark_constant(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

void Processor::check(std::uintptr_t address, std::size_t bytes, Access access) {
  if (memory::contains(address)) {
    check_global(address, bytes, access);
  } else if (current_fiber_->owns(address)) {
    return;
  } else if (block_->shared.knows(address)) {
    check_shared(address, bytes, access);
  } else {
    check_host(address, bytes, access);
  }
  if (failure_) abandon();
}

void Processor::check_global(std::uintptr_t address, std::size_t bytes, Access access) {
  const int owner = memory::owner_of(address);
  if (!memory::is_allocated(address, bytes)) {
    // The first invalid byte is the most informative.
    std::uintptr_t bad = address;
    while (memory::is_allocated(bad, 1)) ++bad;
    return fail(cudaErrorIllegalAddress,
                fmt::format("{} out of bounds: at {}", doing(access, bytes), memory::describe(bad)));
  }
  if (owner == memory::host) return;
  if (owner != device_ && (launch_->peers >> owner & 1U) == 0) {
    return fail(cudaErrorIllegalAddress, fmt::format("{} of device {}, to which it has no peer access: {}",
                                                     doing(access, bytes), owner, memory::describe(address)));
  }
  if (access == Access::write || access == Access::strong_write) {
    memory::mark_written(address, bytes);
  } else if (!memory::is_written(address, bytes)) {
    return fail(cudaErrorLaunchFailure, fmt::format("{} never written: an uninitialised read of {}",
                                                    doing(access, bytes), memory::describe(address)));
  }
  if (owner == device_ && follows_) follow(address, bytes, access);
}

void Processor::check_shared(std::uintptr_t address, std::size_t bytes, Access access) {
  const std::uintptr_t offset = address - block_->dynamic_shared_address();
  const bool dynamic = offset < Block::dynamic_shared_capacity;
  if (dynamic && offset + bytes > launch_->shared_bytes) {
    return fail(cudaErrorIllegalAddress,
                fmt::format("{} out of bounds: at byte {} of dynamic shared memory, of which there are {}",
                            doing(access, bytes), offset, launch_->shared_bytes));
  }
  const auto found = block_->shared.access(address, bytes, access, {current_->number, current_->warp_time});
  if (found.problem == Problem::none) {
    if (found.first && !dynamic) count_static_shared_memory(address);
    return;
  }
  const std::string what =
      doing(access, bytes) +
      (dynamic ? fmt::format(" at byte {} of dynamic shared memory", offset) : " of shared memory");
  const std::string other = found.other < 0 ? std::string("other threads")
                                            : who(block_->threads[static_cast<std::size_t>(found.other)]);
  switch (found.problem) {
    case Problem::unwritten:
      return fail(cudaErrorLaunchFailure,
                  what + " that no thread of the block has written: an uninitialised read");
    case Problem::read_after_write:
    case Problem::write_after_write:
      return fail(cudaErrorLaunchFailure,
                  fmt::format("{} after a write by {} with no barrier between: a race", what, other));
    case Problem::write_after_read:
      return fail(cudaErrorLaunchFailure,
                  fmt::format("{} after a read by {} with no barrier between: a race", what, other));
    case Problem::constant:
      return fail(cudaErrorIllegalAddress, doing(access, bytes) + " of constant memory");
    default:
      return fail(cudaErrorIllegalAddress, what + ", past its end");
  }
}

/// Counts the whole variable, even if only a part is used. It is found on first use: a launch that takes too
/// much fails while it runs, where CUDA refuses it.
void Processor::count_static_shared_memory(std::uintptr_t address) {
  const auto next = std::ranges::upper_bound(variables_, address, {}, &ThreadLocalVariable::begin);
  if (next == variables_.begin()) return;
  const auto number = static_cast<std::size_t>(next - variables_.begin()) - 1;
  if (variable_used_[number] || address - variables_[number].begin >= variables_[number].bytes) return;
  variable_used_[number] = true;
  static_shared_bytes_ += variables_[number].bytes;
  if (static_shared_bytes_ > static_shared_limit) {
    fail(cudaErrorInvalidValue,
         fmt::format("the kernel has {} bytes of static shared memory; more than {} cannot be",
                     static_shared_bytes_, static_shared_limit));
  } else if (static_shared_bytes_ + launch_->shared_bytes > launch_->shared_limit) {
    fail(cudaErrorInvalidValue,
         fmt::format(
             "{} bytes of static and {} of dynamic shared memory are more than {}; up to {} can be asked for "
             "with cudaFuncSetAttribute",
             static_shared_bytes_, launch_->shared_bytes, launch_->shared_limit, launch_->most_shared));
  }
}

void Processor::fail_by_conflict(std::uintptr_t address, std::size_t bytes, Access access,
                                 const BlockConflicts::Finding& found) {
  const dim3& grid = launch_->grid;
  const dim3& block = launch_->block;
  const uint3 other{found.block % grid.x, found.block / grid.x % grid.y, found.block / grid.x / grid.y};
  const uint3 thread{found.thread % block.x, found.thread / block.x % block.y,
                     found.thread / block.x / block.y};
  fail(cudaErrorLaunchFailure,
       fmt::format("{} that block {}, thread {} has {} in the same launch, with nothing to order the two: "
                   "a conflict of blocks, at {}",
                   doing(access, bytes), text_of(other), text_of(thread),
                   found.other_wrote ? "written" : "read", memory::describe(address)));
}

void Processor::fail_misaligned(std::uintptr_t address, std::size_t alignment, const char* type,
                                Place place) {
  fail(cudaErrorMisalignedAddress,
       fmt::format("takes {:#x} at {} for the address of {}, which must be a multiple of {}", address,
                   text_of(place), type, alignment));
}

void Processor::stop_misaligned(std::uintptr_t address, std::size_t alignment, const char* type,
                                Place place) {
  fail_misaligned(address, alignment, type, place);
  abandon();
}

/// Tables that the compiler made of constant expressions may be read; all other host memory is inaccessible.
void Processor::check_host(std::uintptr_t address, std::size_t bytes, Access access) {
  if (!writes(access)) {
    if (address - constants_.begin < constants_.bytes) return;
    if (const Segment found = segment_of(address); found.bytes > 0) {
      constants_ = found;
      return;
    }
  }
  if (memory::is_registered(reinterpret_cast<const void*>(address), bytes)) return;
  if (fibers_.owns(address)) {
    return fail(cudaErrorIllegalAddress, doing(access, bytes) + " of another thread's local memory");
  }
  return fail(cudaErrorIllegalAddress,
              fmt::format("{} at {:#x}, which is not memory of the device (the host's, or unallocated)",
                          doing(access, bytes), address));
}

}  // namespace isolume::gpu::emulator
