#include "core/base/atomic_file.h"

#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume {
namespace {

std::filesystem::path path_beside(const std::filesystem::path& target) {
  static std::atomic<unsigned> counter{0};
  auto name =
      fmt::format(".{}.{}-{}{}", target.stem().string(), ::getpid(), counter++, target.extension().string());
  return target.parent_path() / name;
}

}  // namespace

AtomicFile::AtomicFile(std::filesystem::path target)
    : target_(std::move(target)), temporary_(path_beside(target_)), stream_(temporary_, std::ios::binary) {
  if (!stream_) {
    throw Error(
        fmt::format("{}: cannot be written ({}). Choose a folder that exists and that you may write to.",
                    target_.string(), std::strerror(errno)));
  }
}

AtomicFile::~AtomicFile() {
  if (committed_) return;
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  stream_.flush();
  const bool written = stream_.good();
  stream_.close();
  std::error_code failed;
  if (written) std::filesystem::rename(temporary_, target_, failed);
  if (!written || failed) {
    throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                            target_.string(), failed ? failed.message() : std::string(std::strerror(errno))));
  }
  committed_ = true;
}

}  // namespace isolume
