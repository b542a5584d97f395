#include "gpu/emulator/checks.h"

#include <fmt/format.h>

#include "gpu/emulator/devices.h"

namespace isolume::gpu::emulator {
namespace {

using Kind = SharedMemoryChecks::Kind;
using Problem = SharedMemoryChecks::Problem;

std::string doing(Kind kind, std::size_t bytes) {
  const char* const verb = kind == Kind::read    ? "reads"
                           : kind == Kind::write ? "writes"
                                                 : "atomically changes";
  return fmt::format("{} {} bytes", verb, bytes);
}

}  // namespace

void check_range(const void* pointer, std::size_t bytes, bool write) {
  if (current_processor == nullptr || bytes == 0) return;
  current_processor->check(reinterpret_cast<std::uintptr_t>(pointer), bytes,
                           write ? Kind::write : Kind::read);
}

void atomic_access(const volatile void* pointer, int bytes) {
  if (current_processor == nullptr || !checks_accesses()) return;
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % static_cast<unsigned>(bytes) != 0) {
    current_processor->stop(cudaErrorIllegalAddress, "an atomic operation on an address that is not aligned");
  }
  current_processor->check(address, static_cast<std::size_t>(bytes), Kind::atomic);
}

void Processor::find_shared_memory() {
  if (!checks_accesses()) return;
  for (const ThreadLocalBlock& block : thread_local_blocks()) {
    shared_.add_region(block.begin, block.bytes, block.initialised_bytes);
  }
}

void Processor::mark_constant(const void* begin, std::size_t bytes) {
  if (!checks_accesses()) return;
  find_shared_memory();
  shared_.mark_constant(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

void Processor::check(std::uintptr_t address, std::size_t bytes, Kind kind) {
  if (memory::contains(address)) {
    check_global(address, bytes, kind);
  } else if (current_fiber_->owns(address)) {
    return;
  } else if (shared_.knows(address)) {
    check_shared(address, bytes, kind);
  } else {
    check_host(address, bytes, kind);
  }
  if (failure_) abandon();
}

void Processor::check_global(std::uintptr_t address, std::size_t bytes, Kind kind) {
  const int owner = memory::owner_of(address);
  if (!memory::is_allocated(address, bytes)) {
    // The first byte that is not there tells the most.
    std::uintptr_t bad = address;
    while (memory::is_allocated(bad, 1)) ++bad;
    return fail(cudaErrorIllegalAddress,
                fmt::format("{} out of bounds: at {}", doing(kind, bytes), memory::describe(bad)));
  }
  if (owner == memory::host) return;
  if (owner != device_ && (launch_->peers >> owner & 1U) == 0) {
    return fail(cudaErrorIllegalAddress, fmt::format("{} of device {}, to which it has no peer access: {}",
                                                     doing(kind, bytes), owner, memory::describe(address)));
  }
  if (kind == Kind::write) {
    memory::mark_written(address, bytes);
  } else if (!memory::is_written(address, bytes)) {
    return fail(cudaErrorLaunchFailure, fmt::format("{} that nobody has written: an uninitialised read of {}",
                                                    doing(kind, bytes), memory::describe(address)));
  }
}

void Processor::check_shared(std::uintptr_t address, std::size_t bytes, Kind kind) {
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(dynamic_shared_);
  const bool dynamic = offset < dynamic_shared_capacity;
  if (dynamic && offset + bytes > launch_->shared_bytes) {
    return fail(cudaErrorIllegalAddress,
                fmt::format("{} out of bounds: at byte {} of dynamic shared memory, of which there are {}",
                            doing(kind, bytes), offset, launch_->shared_bytes));
  }
  const auto found = shared_.access(address, bytes, kind,
                                    {static_cast<std::uint16_t>(number(*current_)), current_->warp_time});
  if (found.problem == Problem::none) return;
  const std::string what =
      doing(kind, bytes) +
      (dynamic ? fmt::format(" at byte {} of dynamic shared memory", offset) : " of shared memory");
  const std::string other =
      found.other < 0 ? std::string("other threads") : who(threads_[static_cast<std::size_t>(found.other)]);
  switch (found.problem) {
    case Problem::unwritten:
      return fail(cudaErrorLaunchFailure,
                  what + " that nobody in the block has written: an uninitialised read");
    case Problem::read_after_write:
    case Problem::write_after_write:
      return fail(cudaErrorLaunchFailure,
                  fmt::format("{} after a write by {} with no barrier between: a race", what, other));
    case Problem::write_after_read:
      return fail(cudaErrorLaunchFailure,
                  fmt::format("{} after a read by {} with no barrier between: a race", what, other));
    case Problem::constant:
      return fail(cudaErrorIllegalAddress, doing(kind, bytes) + " of constant memory");
    default:
      return fail(cudaErrorIllegalAddress, what + ", past its end");
  }
}

/// Tables that the compiler made of constant expressions may be read; everything else of the host is out of
/// reach.
void Processor::check_host(std::uintptr_t address, std::size_t bytes, Kind kind) {
  if (kind == Kind::read) {
    if (address - constants_.begin < constants_.bytes) return;
    if (const Segment found = segment_of(address); found.bytes > 0) {
      constants_ = found;
      return;
    }
  }
  if (memory::is_registered(reinterpret_cast<const void*>(address), bytes)) return;
  if (fibers_.owns(address)) {
    return fail(cudaErrorIllegalAddress, doing(kind, bytes) + " of another thread's local memory");
  }
  return fail(cudaErrorIllegalAddress,
              fmt::format("{} at {:#x}, which is no memory of the device (the host's, or nobody's)",
                          doing(kind, bytes), address));
}

}  // namespace isolume::gpu::emulator
