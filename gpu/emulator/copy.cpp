#include "gpu/emulator/copy.h"

#include <atomic>
#include <cstring>

#include <fmt/format.h>

#include "gpu/emulator/devices.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {
namespace {

std::uintptr_t address_of(const void* pointer) {
  return reinterpret_cast<std::uintptr_t>(pointer);
}
bool is_device_memory(const void* pointer) {
  const std::uintptr_t address = address_of(pointer);
  return memory::contains(address) && memory::owner_of(address) != memory::host;
}
std::size_t extent(const Copy& copy, std::size_t pitch, std::size_t slice) {
  return (copy.depth - 1) * slice + (copy.height - 1) * pitch + copy.width;
}

std::string why_not(const char* end, const void* pointer, std::size_t bytes) {
  if (pointer == nullptr) return fmt::format("a copy {} a null pointer", end);
  if (!memory::contains(address_of(pointer)) || memory::find(pointer, bytes)) return {};
  return fmt::format("a copy of {} bytes {} {}{}", bytes, end, memory::describe(address_of(pointer)),
                     memory::find(pointer) ? " passes its end" : "");
}

template <class Row>
void for_rows(const Copy& copy, Row row) {
  for (std::size_t z = 0; z < copy.depth; ++z) {
    for (std::size_t y = 0; y < copy.height; ++y) {
      row(copy.to + z * copy.to_slice + y * copy.to_pitch,
          copy.from + z * copy.from_slice + y * copy.from_pitch);
    }
  }
}

std::atomic<std::size_t> bytes_to_device = 0;
std::atomic<std::size_t> bytes_to_host = 0;
std::atomic<std::size_t> bytes_between_devices = 0;

void count(const std::byte* to, const std::byte* from, std::size_t bytes) {
  if (is_device_memory(to) && is_device_memory(from)) {
    const bool same = memory::owner_of(address_of(to)) == memory::owner_of(address_of(from));
    if (!same) bytes_between_devices += bytes;
  } else if (is_device_memory(to)) {
    bytes_to_device += bytes;
  } else if (is_device_memory(from)) {
    bytes_to_host += bytes;
  }
}

Failure freed_meanwhile(const void* pointer) {
  return {cudaErrorIllegalAddress,
          "a copy uses memory that was freed before it ran: " + memory::describe(address_of(pointer))};
}

}  // namespace

CopiedBytes copied_bytes() {
  return {bytes_to_device, bytes_to_host, bytes_between_devices};
}

bool is_pageable(const void* address) {
  return !memory::contains(address_of(address)) && !memory::is_registered(address);
}

std::string why_not(const Copy& copy) {
  if ((copy.height > 1 || copy.depth > 1) && (copy.to_pitch < copy.width || copy.from_pitch < copy.width)) {
    return "a copy whose rows are wider than the pitch";
  }
  if (copy.kind == cudaMemcpyHostToDevice && (is_pageable(copy.to) || is_device_memory(copy.from))) {
    return "a copy from the host to the device whose ends are something else";
  }
  if (copy.kind == cudaMemcpyDeviceToHost && (is_device_memory(copy.to) || is_pageable(copy.from))) {
    return "a copy from the device to the host whose ends are something else";
  }
  if (copy.kind == cudaMemcpyDeviceToDevice && (is_pageable(copy.to) || is_pageable(copy.from))) {
    return "a copy on the device one of whose ends is the host's";
  }
  std::string why = why_not("to", copy.to, extent(copy, copy.to_pitch, copy.to_slice));
  return why.empty() ? why_not("from", copy.from, extent(copy, copy.from_pitch, copy.from_slice)) : why;
}

std::string why_not_set(const void* to, std::size_t bytes) {
  if (!memory::contains(address_of(to))) return "memory to be set that is not the device's";
  return why_not("to", to, bytes);
}

StagedCopy::StagedCopy(Copy copy) : copy_(copy) {
  if (copy.from == nullptr || !is_pageable(copy.from)) return;
  staged_.resize(copy.width * copy.height * copy.depth);
  std::byte* next = staged_.data();
  for_rows(copy, [&](std::byte*, const std::byte* from) {
    std::memcpy(next, from, copy.width);
    next += copy.width;
  });
  copy_.from = staged_.data();
  copy_.from_pitch = copy.width;
  copy_.from_slice = copy.width * copy.height;
}

std::optional<Failure> StagedCopy::run_to(std::byte* to) const {
  Copy copy = copy_;
  copy.to = to;
  return run(copy);
}
std::optional<Failure> StagedCopy::run_from(const std::byte* from) const {
  Copy copy = copy_;
  copy.from = from;
  return run(copy);
}

std::optional<Failure> StagedCopy::run(const Copy& copy) {
  std::optional<Failure> failure;
  for_rows(copy, [&](std::byte* to, const std::byte* from) {
    if (failure) return;
    const std::uintptr_t target = address_of(to);
    const std::uintptr_t source = address_of(from);
    const bool target_known = memory::contains(target);
    const bool source_known = memory::contains(source);
    if (target_known && !memory::is_allocated(target, copy.width)) {
      failure = freed_meanwhile(to);
    } else if (source_known && !memory::is_allocated(source, copy.width)) {
      failure = freed_meanwhile(from);
    } else {
      std::memmove(to, from, copy.width);
      count(to, from, copy.width);
      if (target_known && source_known) {
        memory::copy_marks(target, source, copy.width);
      } else if (target_known) {
        memory::mark_written(target, copy.width);
      }
    }
  });
  return failure;
}

std::optional<Failure> set(void* to, int value, std::size_t bytes) {
  if (!memory::is_allocated(address_of(to), bytes)) return freed_meanwhile(to);
  std::memset(to, value, bytes);
  memory::mark_written(address_of(to), bytes);
  return {};
}

}  // namespace isolume::gpu::emulator
