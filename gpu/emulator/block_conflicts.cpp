#include "gpu/emulator/block_conflicts.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>

#include <sys/mman.h>

#include "gpu/emulator/devices.h"
#include "gpu/emulator/memory.h"

namespace isolume::gpu::emulator {
namespace {

/// The last time counts for all later ones: some accesses may then be taken as ordered that are not.
constexpr std::uint16_t last_time = std::numeric_limits<std::uint16_t>::max();

std::uint16_t after(std::uint16_t time) {
  return time == last_time ? time : static_cast<std::uint16_t>(time + 1);
}

void join(KnowledgeOfBlocks& all, const KnowledgeOfBlocks& other) {
  for (const auto& [block, knowledge] : other) all[block].join(knowledge);
}

}  // namespace

void Knowledge::join(const Knowledge& other) {
  all_before = std::max(all_before, other.all_before);
  for (const OfThread& theirs : other.threads) {
    const auto mine = std::ranges::find(threads, theirs.thread, &OfThread::thread);
    if (mine == threads.end()) {
      threads.push_back(theirs);
    } else {
      mine->up_to = std::max(mine->up_to, theirs.up_to);
    }
  }
}

void BlockHistory::begin(std::uint32_t number) {
  block = number;
  time = last_barrier = 1;
  known.clear();
}

void BlockHistory::barrier() {
  last_barrier = time = after(time);
}

BlockConflicts::Trace* BlockConflicts::traces() {
  // One for every four bytes of device memory; pages are allocated by the system on first use.
  static auto* const all = [] {
    constexpr std::size_t bytes =
        (memory::largest_device_count + 1) * (memory::slice_bytes / 4) * sizeof(Trace);
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    return static_cast<Trace*>(memory);
  }();
  return all;
}

BlockConflicts::Trace* BlockConflicts::trace_of(std::uintptr_t address) {
  return traces() + (address - memory::arena) / 4;
}

void forget_traces(std::uintptr_t begin, std::size_t bytes) {
  if (!checks_accesses()) return;
  constexpr std::uintptr_t page = 4096;
  const auto first = reinterpret_cast<std::uintptr_t>(BlockConflicts::trace_of(begin));
  const auto last = reinterpret_cast<std::uintptr_t>(BlockConflicts::trace_of(begin + bytes));
  const std::uintptr_t inner = (first + page - 1) / page * page;
  const std::uintptr_t inner_end = last / page * page;
  // The remains at the ends belong to launches that have ended.
  if (inner < inner_end) madvise(reinterpret_cast<void*>(inner), inner_end - inner, MADV_DONTNEED);
}

void BlockConflicts::begin_launch() {
  static std::atomic<std::uint32_t> launches = 0;
  launch_ = ++launches;
  traces_ = traces();
  left_.clear();
}

bool BlockConflicts::conflicts(const Record& earlier, unsigned mask, const Actor& actor) const {
  if (earlier.launch != launch_ || earlier.block == actor.block.block || (earlier.mask & mask) == 0)
    return false;
  if (earlier.strong != 0 && actor.strong) return false;
  const auto found = actor.block.known.find(earlier.block);
  if (found == actor.block.known.end()) return true;
  const Knowledge& knowledge = found->second;
  if (earlier.time < knowledge.all_before || knowledge.all_before == last_time) return false;
  return std::ranges::none_of(knowledge.threads, [&](const Knowledge::OfThread& of) {
    return of.thread == earlier.thread && earlier.time <= of.up_to;
  });
}

void BlockConflicts::note(Record& record, unsigned mask, const Actor& actor) const {
  const bool same = record.launch == launch_ && record.block == actor.block.block;
  record.strong = actor.strong && (!same || record.strong != 0);
  record.mask = static_cast<std::uint16_t>(same ? record.mask | mask : mask);
  record.launch = launch_;
  record.block = actor.block.block;
  record.time = actor.block.time;
  record.thread = actor.thread;
}

BlockConflicts::Finding BlockConflicts::access(std::uintptr_t address, std::size_t bytes, Access access,
                                               const BlockHistory& block, std::uint16_t thread,
                                               ThreadHistory& history) {
  const Actor actor{block, thread, is_strong(access)};
  const auto of = [](const Record& other, bool wrote) {
    return Finding{true, wrote, other.block, other.thread};
  };
  for (std::uintptr_t at = address; bytes > 0;) {
    Trace& trace = *trace_of(at);
    const std::size_t first = at % 4;
    const std::size_t count = std::min(bytes, 4 - first);
    const unsigned mask = ((1U << count) - 1U) << first;
    if (conflicts(trace.write, mask, actor)) return of(trace.write, true);
    if (writes(access)) {
      if (conflicts(trace.read, mask, actor)) return of(trace.read, false);
      note(trace.write, mask, actor);
    } else if (!conflicts(trace.read, mask, actor)) {
      // A reader that a later write must still be ordered after is not replaced by another one.
      note(trace.read, mask, actor);
    }
    at += count;
    bytes -= count;
  }
  if (actor.strong) meet(address, access, block, thread, history);
  return {};
}

/// A strong write publishes what the thread's last fence covers; a strong read receives what others have
/// published.
void BlockConflicts::meet(std::uintptr_t address, Access access, const BlockHistory& block,
                          std::uint16_t thread, ThreadHistory& history) {
  const std::uintptr_t word = address / 4 * 4;
  if (access != Access::strong_write && left_.contains(word) &&
      std::ranges::find(history.met, word) == history.met.end())
    history.met.push_back(word);
  if (!writes(access) || history.fence == 0) return;
  KnowledgeOfBlocks& here = left_[word];
  here[block.block].join({history.barrier_before_fence, {{thread, history.fence}}});
  join(here, block.known);
}

void BlockConflicts::fence(BlockHistory& block, ThreadHistory& history) {
  for (const std::uintptr_t word : history.met) join(block.known, left_[word]);
  history.met.clear();
  history.fence = block.time;
  history.barrier_before_fence = block.last_barrier;
  block.time = after(block.time);
}

}  // namespace isolume::gpu::emulator
