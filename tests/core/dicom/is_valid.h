#pragma once

#include <filesystem>
#include <string>

#include "tests/core/images/made_dicom.h"

namespace isolume::dicom::testing {

/// Whether dciodvfy takes the file for an object of that kind and finds no error in it (it ends with 0
/// whatever it finds). What it says goes to stderr.
inline bool is_valid(const std::filesystem::path& file, const std::string& object) {
  const std::string verdict = "/^Error/ {bad = 1} /^" + object + "/ {known = 1} END {exit bad || !known}";
  return isolume::testing::run_program(
      {"sh", "-c",
       "dciodvfy '" + file.string() + "' 2>&1 | grep -v ^Warning | tee /dev/stderr | awk '" + verdict + "'"});
}

}  // namespace isolume::dicom::testing
