#pragma once

#include <stdexcept>
#include <string>

#include "tests/core/images/test_files.h"
#include "tests/run_program.h"

namespace isolume::images::testing {

using isolume::testing::has_program;
using isolume::testing::run_program;

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
