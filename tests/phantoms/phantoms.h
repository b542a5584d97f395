#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

/// The images that tests/phantoms/make_phantoms.py made; its head says what is in the descriptions.
namespace isolume::phantoms {

inline std::filesystem::path folder() {
  return ISOLUME_PHANTOMS;
}
inline bool made() {
  return std::filesystem::exists(folder() / "made");
}

/// What is known of a phantom ("ct-abdomen"): boundaries, areas, seeds, files.
inline nlohmann::json description(const std::string& name) {
  std::ifstream file(folder() / (name + ".json"));
  return nlohmann::json::parse(file);
}

}  // namespace isolume::phantoms

/// For the first line of a test.
#define ISOLUME_NEEDS_PHANTOMS()                                                                     \
  if (!isolume::phantoms::made()) {                                                                  \
    GTEST_SKIP()                                                                                     \
        << "No phantoms: they are made by a Python with numpy, pydicom and PIL, and none was found " \
           "when the build was configured (packaging/setup tests installs them).";                   \
  }                                                                                                  \
  static_assert(true, "a semicolon follows")
