#pragma once

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <sys/mount.h>
#include <sys/resource.h>

#include "tests/temporary_folder.h"

namespace isolume::testing {

/// While it lives, no file of this process and its children grows beyond so many bytes: what goes on writing
/// fails as on a full disk. Needs no rights.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(std::size_t bytes) : old_handler_(std::signal(SIGXFSZ, SIG_IGN)) {
    ::getrlimit(RLIMIT_FSIZE, &old_limit_);
    rlimit limit = old_limit_;
    limit.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    ::setrlimit(RLIMIT_FSIZE, &old_limit_);
    std::signal(SIGXFSZ, old_handler_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  sighandler_t old_handler_;
};

/// A small file system in the memory, which only root may mount.
class SmallDisk {
 public:
  SmallDisk() { is_there_ = ::mount("tmpfs", folder_.path().c_str(), "tmpfs", 0, "size=64k") == 0; }
  ~SmallDisk() {
    if (is_there_) ::umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  bool is_there() const { return is_there_; }
  const std::filesystem::path& path() const { return folder_.path(); }
  /// Takes all the room that is left, with a file of this name.
  void fill(const std::string& name) {
    std::ofstream file(folder_.path() / name, std::ios::binary);
    const std::string block(512, 'x');
    while (file) file.write(block.data(), static_cast<std::streamsize>(block.size())).flush();
  }

 private:
  TemporaryFolder folder_;
  bool is_there_ = false;
};

}  // namespace isolume::testing

/// A small disk as `name`; without the right to mount one the test is skipped.
#define SMALL_DISK(name)            \
  isolume::testing::SmallDisk name; \
  if (!name.is_there()) GTEST_SKIP() << "only root may mount the small disk that this test fills"
