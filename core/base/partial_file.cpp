#include "core/base/partial_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "core/base/atomic_file.h"
#include "core/base/error.h"

namespace isolume {

namespace fs = std::filesystem;

fs::path partial_name(const fs::path& target) {
  const std::string name = target.filename().string();
  // All suffixes stay at the end; a dot at the start hides a file and begins no suffix.
  const std::size_t suffix = std::min(name.find('.', 1), name.size());
  return target.parent_path() / (name.substr(0, suffix) + ".partial" + name.substr(suffix));
}

fs::path finished_name(const fs::path& partial) {
  std::string name = partial.filename().string();
  constexpr std::string_view mark = ".partial";
  const std::size_t at = name.find(mark);
  if (at != std::string::npos) name.erase(at, mark.size());
  return partial.parent_path() / name;
}

PartialFile::PartialFile(fs::path target, Start start)
    : target_(std::move(target)), partial_(partial_name(target_)) {
  const AtomicFile can_be_written(target_);
  const AtomicFile as_well(partial_);
  std::error_code failed;
  if (start == Start::continued) {
    if (fs::exists(partial_, failed)) return;
    fs::rename(target_, partial_, failed);
    if (!failed) return;
    throw Error(fmt::format(
        "{}: there is nothing to continue: neither this file nor {} is there. Give the name that the "
        "work was started with, or start it anew without --resume.",
        target_.string(), partial_.filename().string()));
  }
  const int made = ::open(partial_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (made >= 0) {
    ::close(made);
    return;
  }
  if (errno != EEXIST) {
    throw Error(
        fmt::format("{}: cannot be written ({}). Choose a folder that exists and that you may write to.",
                    partial_.string(), std::strerror(errno)));
  }
  throw Error(fmt::format(
      "{}: this file is being written by a run, or one that was ended has left it. Continue that run with "
      "--resume, delete the file, or give the output another name.",
      partial_.string()));
}

void PartialFile::publish() {
  AtomicFile file(target_);
  fs::rename(partial_, file.temporary());
  try {
    file.commit();
  } catch (...) {
    std::error_code ignored;
    fs::rename(file.temporary(), partial_, ignored);
    throw;
  }
}

void PartialFile::discard() {
  std::error_code ignored;
  fs::remove(partial_, ignored);
}

}  // namespace isolume
