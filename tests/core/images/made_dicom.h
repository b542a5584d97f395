#pragma once

#include <cstdlib>
#include <string>
#include <vector>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/core/images/test_files.h"

namespace isolume::images::testing {

/// Whether the program, looked for on the PATH, ended with 0. What it prints is dropped.
inline bool run_program(std::vector<std::string> command) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t quiet;
  posix_spawn_file_actions_init(&quiet);
  posix_spawn_file_actions_addopen(&quiet, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int failed = posix_spawnp(&child, arguments[0], &quiet, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&quiet);
  int status = 0;
  return failed == 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

inline bool has_program(const std::string& name) {
  return run_program({"sh", "-c", "command -v " + name});
}

/// A folder with the files of one case of make_dicom.py.
class MadeDicom {
 public:
  explicit MadeDicom(const std::string& test_case) {
    const std::string python = ISOLUME_PHANTOM_PYTHON;
    if (python.empty()) return;
    was_made_ = run_program({python, ISOLUME_TEST_MAKE_DICOM, test_case, folder_.path().string()});
    if (!was_made_) throw std::runtime_error("make_dicom.py failed for " + test_case);
  }
  /// False where there is no Python with pydicom.
  bool was_made() const { return was_made_; }
  const fs::path& folder() const { return folder_.path(); }

 private:
  TemporaryFolder folder_;
  bool was_made_ = false;
};

}  // namespace isolume::images::testing

/// The files of a case as `name`; without them the test is skipped.
#define MADE_DICOM(name, test_case)                          \
  const isolume::images::testing::MadeDicom name(test_case); \
  if (!name.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made"
