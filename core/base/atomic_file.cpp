#include "core/base/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "core/base/error.h"

namespace isolume {
namespace {

namespace fs = std::filesystem;

/// What the rename will replace. Of a link, the file it leads to; never a device, which a rename by root
/// would replace by a file.
fs::path checked(fs::path target) {
  std::error_code failed;
  const fs::file_status status = fs::status(target, failed);
  const bool is_other = fs::exists(status) && !fs::is_regular_file(status);
  if (is_other || !target.has_filename()) {
    throw Error(fmt::format("{}: is no name for a file ({}). Give the name of a file to write.",
                            target.string(),
                            !is_other                  ? "it ends with no name"
                            : fs::is_directory(status) ? "it is a folder"
                                                       : "it is a device, a pipe or a socket"));
  }
  return fs::is_symlink(target, failed) && fs::exists(status) ? fs::canonical(target) : target;
}

fs::path path_beside(const fs::path& target) {
  static std::atomic<unsigned> counter{0};
  // A name as long as the file system takes leaves no room for additions. Suffixes (".nii.gz") stay at its
  // end.
  const std::string name = target.filename().string();
  return target.parent_path() /
         fmt::format(".{}-{}-{}", ::getpid(), counter++,
                     name.substr(name.size() - std::min<std::size_t>(name.size(), 200)));
}

}  // namespace

AtomicFile::AtomicFile(fs::path target)
    : target_(checked(std::move(target))),
      temporary_(path_beside(target_)),
      stream_(temporary_, std::ios::binary) {
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
  fs::remove(temporary_, ignored);
}

void AtomicFile::commit() {
  stream_.flush();
  const bool written = stream_.good();
  stream_.close();
  std::error_code failed;
  if (written) fs::rename(temporary_, target_, failed);
  if (!written || failed) {
    throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                            target_.string(), failed ? failed.message() : std::string(std::strerror(errno))));
  }
  committed_ = true;
}

}  // namespace isolume
