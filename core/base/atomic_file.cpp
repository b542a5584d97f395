#include "core/base/atomic_file.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
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
    throw Error(fmt::format("{}: cannot be written as a file ({}). Give the name of a file to write.",
                            target.string(),
                            !is_other                  ? "it ends without a name"
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

/// What the system said last.
std::string last_problem() {
  return errno != 0 ? std::strerror(errno) : "the system does not say why";
}

/// Empty where all of the file has reached the disk: some file systems tell of a full one, or of a quota,
/// only then.
std::string problem_of_disk(const fs::path& file) {
  const int descriptor = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return last_problem();
  const bool is_there = ::fsync(descriptor) == 0 || errno == EINVAL || errno == EROFS;  // not every one can
  std::string problem = is_there ? "" : last_problem();
  ::close(descriptor);
  return problem;
}

/// Empty where the file is as long as it must be; at least one byte where that is not known.
std::string problem_of_size(const fs::path& file, std::optional<std::uintmax_t> wanted) {
  std::error_code failed;
  const std::uintmax_t found = fs::file_size(file, failed);
  if (failed) return failed.message();
  if (wanted ? found == *wanted : found > 0) return {};
  return wanted ? fmt::format("it has only {} of {} bytes", found, *wanted) : "it is empty";
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

void AtomicFile::commit(std::optional<std::uintmax_t> size) {
  errno = 0;
  stream_.flush();
  // Nothing goes through the stream where a library wrote to the path.
  if (const std::streamoff streamed = stream_.tellp(); streamed > 0) size = streamed;
  const bool failed_to_flush = !stream_.good();
  stream_.close();
  std::string problem = failed_to_flush || !stream_.good() ? last_problem() : problem_of_disk(temporary_);
  if (problem.empty()) problem = problem_of_size(temporary_, size);
  std::error_code failed;
  if (problem.empty()) fs::rename(temporary_, target_, failed);
  if (failed) problem = failed.message();
  if (!problem.empty()) {
    throw Error(fmt::format("{}: could not be written ({}). Free some space or choose another folder.",
                            target_.string(), problem));
  }
  committed_ = true;
}

}  // namespace isolume
