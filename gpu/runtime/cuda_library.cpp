#include "gpu/runtime/cuda_library.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

/// Folders of toolkits, besides those of the system's loader.
std::vector<fs::path> toolkit_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    const char* value = std::getenv(variable);
    if (value != nullptr && *value == '/') folders.emplace_back(value);
  }
  folders.emplace_back("/usr/local/cuda");
  return folders;
}

}  // namespace

CudaLibrary::CudaLibrary(const std::string& name, std::initializer_list<int> versions) {
  std::vector<std::string> names;
  for (const int version : versions) names.push_back(fmt::format("lib{}.so.{}", name, version));
  names.push_back(fmt::format("lib{}.so", name));

  std::vector<std::string> paths = names;
  for (const fs::path& folder : toolkit_folders()) {
    for (const std::string& file : names) paths.push_back(folder / "lib64" / file);
  }
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = path;
      return;
    }
  }
  throw Error(
      fmt::format("CUDA's library {} was not found. Install the CUDA toolkit, or set CUDA_PATH to the folder "
                  "that holds its lib64.",
                  names.front()));
}

void CudaLibrary::load_neighbour(const std::string& file) const {
  const fs::path folder = fs::path(name_).parent_path();
  if (!folder.empty()) dlopen((folder / file).c_str(), RTLD_NOW | RTLD_LOCAL);
}

void* CudaLibrary::address(const char* name) const {
  void* found = dlsym(handle_, name);
  if (found == nullptr) {
    throw Error(
        fmt::format("{} has no function {}. Install a CUDA toolkit of version 12 or newer.", name_, name));
  }
  return found;
}

}  // namespace isolume::gpu
