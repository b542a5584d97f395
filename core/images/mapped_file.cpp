#include "core/images/mapped_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <mutex>
#include <utility>

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume::images {
namespace {

static_assert(std::atomic<std::uintptr_t>::is_always_lock_free);  // required in a signal handler

std::uintptr_t page_bytes() {
  static const auto bytes = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  return bytes;
}

/// Data of a mapping for the signal handler; a free slot has an `end` of 0.
struct Guarded {
  std::atomic<std::uintptr_t> begin, end;
  std::atomic<std::atomic<bool>*> damaged;
};
std::array<Guarded, 64> all_guarded;
std::mutex guarding;
struct sigaction action_before;

/// Replaces the unreadable page and those after it by zeros. Other faults are handled as before: the instruction is
/// repeated on return.
void on_bus_error(int, siginfo_t* what, void*) {
  const int error_before = errno;
  const auto place = reinterpret_cast<std::uintptr_t>(what->si_addr);
  for (Guarded& each : all_guarded) {
    const std::uintptr_t end = each.end.load();
    if (place < each.begin.load() || place >= end) continue;
    const std::uintptr_t page = place - place % page_bytes();
    void* const zeros = ::mmap(reinterpret_cast<void*>(page), end - page, PROT_READ,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros == MAP_FAILED) break;
    each.damaged.load()->store(true);
    errno = error_before;
    return;
  }
  ::sigaction(SIGBUS, &action_before, nullptr);
}

void handle_bus_errors() {
  [[maybe_unused]] static const bool handled = [] {
    page_bytes();  // so that it is not first called in the handler
    struct sigaction action = {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO;
    ::sigemptyset(&action.sa_mask);
    return ::sigaction(SIGBUS, &action, &action_before) == 0;
  }();
}

/// Returns false if there are too many already.
bool guard(void* memory, std::size_t length, std::atomic<bool>& damaged) {
  const std::scoped_lock lock(guarding);
  handle_bus_errors();
  const auto place = std::ranges::find_if(all_guarded, [](const Guarded& each) { return each.end == 0; });
  if (place == all_guarded.end()) return false;
  const auto begin = reinterpret_cast<std::uintptr_t>(memory);
  place->damaged = &damaged;
  place->begin = begin;
  place->end = begin + (length + page_bytes() - 1) / page_bytes() * page_bytes();
  return true;
}

void let_go(const std::atomic<bool>& damaged) {
  const std::scoped_lock lock(guarding);
  for (Guarded& each : all_guarded) {
    if (each.end != 0 && each.damaged == &damaged) each.end = 0;
  }
}

[[noreturn]] void refuse(const std::filesystem::path& path, const char* reason) {
  throw ResourceError(fmt::format(
      "{}: cannot be mapped into memory ({}). Cut the image to the part you need.", path.string(), reason));
}

}  // namespace

MappedFile::MappedFile(std::filesystem::path path, int descriptor, std::uint64_t offset, std::size_t bytes)
    : path_(std::move(path)) {
  const std::size_t before = offset % page_bytes();
  length_ = before + bytes;
  memory_ = ::mmap(nullptr, length_, PROT_READ, MAP_PRIVATE, descriptor, static_cast<off_t>(offset - before));
  if (memory_ == MAP_FAILED) refuse(path_, std::strerror(errno));
  if (!guard(memory_, length_, damaged_)) {
    ::munmap(memory_, length_);
    refuse(path_, "too many files are mapped already");
  }
  bytes_ = static_cast<const std::byte*>(memory_) + before;
}

MappedFile::~MappedFile() {
  let_go(damaged_);
  ::munmap(memory_, length_);
}

}  // namespace isolume::images
