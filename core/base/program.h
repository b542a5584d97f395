#pragma once

#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "core/base/error.h"

namespace isolume {

/// A folder of its own in the system's folder for temporary files, readable by the user alone; removed with its
/// content in the end.
class ScratchFolder {
 public:
  /// Throws Error where it cannot be made.
  explicit ScratchFolder(const std::string& prefix = "isolume-");
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  std::filesystem::path file(const char* name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// A program is not in PATH, or cannot be started.
class NotStarted : public Error {
 public:
  using Error::Error;
};

/// Runs a program, found in PATH, in the folder `in` with its output in the file `log`. Returns whether it succeeds.
/// Throws NotStarted, and Cancelled, after which the program is gone.
bool run_program(std::vector<std::string> words, const std::filesystem::path& in,
                 const std::filesystem::path& log, const std::stop_token& stop = {});

}  // namespace isolume
