#pragma once

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "core/base/error.h"

namespace isolume::gpu {

/// Sets an environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) {
    if (const char* const before = std::getenv(name)) before_ = before;
    setenv(name, value.c_str(), 1);
  }
  ~Environment() {
    if (before_) {
      setenv(name_, before_->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

/// A folder of compiled kernels of its own, empty at first, used and kept for as long as it lives.
class OwnKernelCache {
 public:
  OwnKernelCache() : folder_(make_folder()), used_("XDG_CACHE_HOME", folder_) {}
  ~OwnKernelCache() { std::filesystem::remove_all(folder_); }

  const std::filesystem::path& folder() const { return folder_; }

 private:
  static std::filesystem::path make_folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "isolume-kernels-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw Error(pattern + " cannot be made.");
    return pattern;
  }

  const std::filesystem::path folder_;
  const Environment used_;
};

}  // namespace isolume::gpu
