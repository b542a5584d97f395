#include "core/electrostatics/sums/kept_parts.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume::electrostatics {
namespace {

/// Start of the file, followed by the parts: each has its number of planes, and the values. `end` is updated after a
/// part has been written.
struct PartsHead {
  std::array<char, 16> format = {};
  std::uint64_t computation = 0;
  std::array<std::int64_t, 3> dimensions = {};
  std::uint64_t end = 0;
};

constexpr std::string_view parts_format = "isolume-parts-1";

bool read_all(int file, void* to, std::size_t bytes, std::uint64_t at) {
  auto* next = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t count = ::pread(file, next, bytes, static_cast<off_t>(at));
    if (count == 0 || (count < 0 && errno != EINTR)) return false;
    if (count < 0) continue;
    next += count, at += static_cast<std::uint64_t>(count), bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

bool write_all(int file, const void* from, std::size_t bytes, std::uint64_t at) {
  const auto* next = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t count = ::pwrite(file, next, bytes, static_cast<off_t>(at));
    if (count < 0 && errno != EINTR) return false;
    if (count < 0) continue;
    next += count, at += static_cast<std::uint64_t>(count), bytes -= static_cast<std::size_t>(count);
  }
  return true;
}

}  // namespace

KeptParts::KeptParts(const std::filesystem::path& map, std::uint64_t computation, const grid::Grid& grid,
                     Start start)
    : path_(map.string() + ".parts") {
  const auto& n = grid.dimensions;
  plane_bytes_ = static_cast<std::uint64_t>(n[1]) * static_cast<std::uint64_t>(n[2]) * sizeof(float);
  end_ = sizeof(PartsHead);
  PartsHead head{.computation = computation, .dimensions = {n[0], n[1], n[2]}, .end = end_};
  std::memcpy(head.format.data(), parts_format.data(), parts_format.size());
  errno = 0;
  if (start == Start::fresh) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file_ < 0 && errno == EEXIST) {
      throw Error(fmt::format(
          "{}: this map is being computed, or its finished parts are left of a computation that was ended. "
          "Continue that with --resume, or delete the file.",
          path_.string()));
    }
    if (file_ < 0 || !write_all(file_, &head, sizeof head, 0)) fail("written");
    return;
  }
  file_ = ::open(path_.c_str(), O_RDWR | O_CLOEXEC);
  if (file_ < 0) {
    throw Error(fmt::format("{}: there is nothing to continue ({}). Compute the map without --resume.",
                            path_.string(), std::strerror(errno)));
  }
  PartsHead found;
  if (!read_all(file_, &found, sizeof found, 0) || found.format != head.format ||
      found.computation != computation || found.dimensions != head.dimensions) {
    ::close(file_);
    throw Error(fmt::format(
        "{}: these parts are of another computation. Repeat its command with --resume, or delete the "
        "file.",
        path_.string()));
  }
  find_parts(found.end, n[0]);
}

void KeptParts::find_parts(std::uint64_t end, int most_planes) {
  std::error_code failed;
  end = std::min<std::uint64_t>(end, std::filesystem::file_size(path_, failed));
  for (int planes = 0; !failed;) {
    std::int64_t count = 0;
    const std::uint64_t begin = end_ + sizeof count;
    if (begin > end || !read_all(file_, &count, sizeof count, end_)) return;
    if (count < 1 || count > most_planes - planes ||
        static_cast<std::uint64_t>(count) * plane_bytes_ > end - begin) {
      return;
    }
    planes += static_cast<int>(count);
    parts_.push_back({static_cast<int>(count), begin});
    end_ = begin + static_cast<std::uint64_t>(count) * plane_bytes_;
  }
}

KeptParts::~KeptParts() {
  if (file_ >= 0) ::close(file_);
  if (parts_.empty()) discard();
}

void KeptParts::fail(const char* what) const {
  throw Error(fmt::format("{}: could not be {} ({}). Free some space or choose another folder.",
                          path_.string(), what, errno != 0 ? std::strerror(errno) : "the file is cut off"));
}

void KeptParts::read(const Part& part, float* values) const {
  errno = 0;
  if (!read_all(file_, values, static_cast<std::size_t>(part.planes) * plane_bytes_, part.begin))
    fail("read");
}

void KeptParts::add(int planes, const float* values) {
  const std::int64_t count = planes;
  const Part part{planes, end_ + sizeof count};
  const std::size_t bytes = static_cast<std::size_t>(planes) * plane_bytes_;
  const std::uint64_t end = part.begin + bytes;
  errno = 0;
  if (!write_all(file_, &count, sizeof count, end_) || !write_all(file_, values, bytes, part.begin) ||
      !write_all(file_, &end, sizeof end, offsetof(PartsHead, end))) {
    fail("written");
  }
  parts_.push_back(part);
  end_ = end;
}

void KeptParts::discard() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
}

}  // namespace isolume::electrostatics
