#include "gpu/emulator/shared_memory_checks.h"

#include <algorithm>
#include <cstring>

namespace isolume::gpu::emulator {

void SharedMemoryChecks::add_region(std::uintptr_t begin, std::size_t bytes, std::size_t initialised_bytes) {
  for (const Region& region : regions_) {
    if (region.begin == begin && region.bytes == bytes) return;
  }
  // Earlier regions there belonged to an unloaded library.
  std::erase_if(regions_, [&](const Region& old) {
    return old.begin < begin + bytes && begin < old.begin + old.bytes;
  });
  Region region;
  region.begin = begin;
  region.bytes = bytes;
  region.cells.resize(bytes / 4 + 2);
  regions_.push_back(std::move(region));
  last_region_ = nullptr;
  if (initialised_bytes > 0) mark_constant(begin, initialised_bytes);
}

void SharedMemoryChecks::begin_block() {
  block_ = ++time_;
  for (Region& region : regions_) {
    region.written_begin = region.written_end = 0;
    region.kept.clear();
  }
}

void SharedMemoryChecks::put_by(std::uintptr_t own) {
  for (Region& region : regions_) {
    if (region.begin == own) continue;
    const auto* const from = reinterpret_cast<const std::byte*>(region.begin);
    region.kept.assign(from + region.written_begin, from + region.written_end);
  }
}

void SharedMemoryChecks::bring_back(std::uintptr_t own) const {
  for (const Region& region : regions_) {
    if (region.begin == own || region.kept.empty()) continue;
    std::memcpy(reinterpret_cast<std::byte*>(region.begin) + region.written_begin, region.kept.data(),
                region.kept.size());
  }
}

SharedMemoryChecks::Region* SharedMemoryChecks::region_of(std::uintptr_t address) {
  const auto holds = [&](const Region& region) { return address - region.begin < region.bytes; };
  if (last_region_ != nullptr && holds(*last_region_)) return last_region_;
  const auto found = std::ranges::find_if(regions_, holds);
  if (found == regions_.end()) return nullptr;
  last_region_ = &*found;
  return last_region_;
}

void SharedMemoryChecks::mark_constant(std::uintptr_t begin, std::size_t bytes) {
  Region* const region = region_of(begin);
  if (region == nullptr) return;
  const std::size_t first = begin / 4 - region->begin / 4;
  const std::size_t last = (begin + bytes + 3) / 4 - region->begin / 4;
  for (std::size_t i = first; i < std::min(last, region->cells.size()); ++i)
    region->cells[i].block = constant;
}

SharedMemoryChecks::Problem SharedMemoryChecks::read(Cell& cell, unsigned mask, Actor actor) const {
  if (cell.block == constant) return Problem::none;
  if (cell.block != block_ || (cell.written & mask) != mask) return Problem::unwritten;
  if (cell.write_time == time_ && cell.writer.thread != actor.thread && (cell.write_mask & mask) != 0 &&
      !ordered(cell.writer, actor)) {
    return Problem::read_after_write;
  }
  note_read(cell, mask, actor);
  return Problem::none;
}

SharedMemoryChecks::Problem SharedMemoryChecks::write(Cell& cell, unsigned mask, bool atomic,
                                                      Actor actor) const {
  if (cell.block == constant) return Problem::constant;
  if (atomic && (cell.block != block_ || (cell.written & mask) != mask)) return Problem::unwritten;
  if (cell.write_time == time_ && cell.writer.thread != actor.thread && (cell.write_mask & mask) != 0 &&
      !ordered(cell.writer, actor) && !(atomic && cell.atomic)) {
    return Problem::write_after_write;
  }
  if (cell.read_time == time_ && cell.reader.thread != actor.thread && (cell.read_mask & mask) != 0 &&
      !ordered(cell.reader, actor)) {
    return Problem::write_after_read;
  }
  const bool more_of_mine = cell.write_time == time_ && cell.writer.thread == actor.thread;
  cell.write_mask = static_cast<std::uint8_t>(more_of_mine ? cell.write_mask | mask : mask);
  cell.write_time = time_;
  cell.writer = actor;
  cell.atomic = atomic;
  cell.written = static_cast<std::uint8_t>(cell.block == block_ ? cell.written | mask : mask);
  cell.block = block_;
  return Problem::none;
}

SharedMemoryChecks::Finding SharedMemoryChecks::access(std::uintptr_t address, std::size_t bytes,
                                                       Access access, Actor actor) {
  Region* const region = region_of(address);
  const std::uintptr_t base = region->begin / 4;
  if (bytes > region->begin + region->bytes - address) return {Problem::end};
  Finding found;
  if (writes(access)) {
    const std::size_t begin = address - region->begin;
    const bool any = region->written_end > 0;
    region->written_begin = any ? std::min(region->written_begin, begin) : begin;
    region->written_end = std::max(region->written_end, begin + bytes);
  }
  while (bytes > 0) {
    Cell& cell = region->cells[address / 4 - base];
    const std::size_t first = address % 4;
    const std::size_t count = std::min(bytes, 4 - first);
    const unsigned mask = ((1U << count) - 1U) << first;
    found.first = found.first || (writes(access) && cell.block != block_);
    found.problem =
        writes(access) ? write(cell, mask, access == Access::atomic, actor) : read(cell, mask, actor);
    if (found.problem != Problem::none) {
      found.other = other_thread(found.problem, cell);
      return found;
    }
    address += count;
    bytes -= count;
  }
  return found;
}

/// An invalid access does not change a cell.
int SharedMemoryChecks::other_thread(Problem problem, const Cell& before) {
  if (problem != Problem::write_after_read) return before.writer.thread;
  return (before.reader.thread & several_lanes) == 0 ? before.reader.thread : -1;
}

}  // namespace isolume::gpu::emulator
