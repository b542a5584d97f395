#include "gpu/runtime/cuda_library.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <vector>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

namespace fs = std::filesystem;

/// The folder that a variable names; empty where it names none.
fs::path folder_of(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value == '/' ? fs::path(value) : fs::path();
}

/// The folders in `folder`, in the order of their names; none where it cannot be read.
std::vector<fs::path> folders_in(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator each(folder, error), end; !error && each != end; each.increment(error)) {
    if (each->is_directory(error)) found.push_back(each->path());
  }
  std::ranges::sort(found);
  return found;
}

/// Of NVIDIA's packages for the Pythons below `root`: lib/python3.11/site-packages/nvidia/cufft/lib.
std::vector<fs::path> python_folders(const fs::path& root) {
  std::vector<fs::path> found;
  for (const fs::path& python : folders_in(root / "lib")) {
    if (!python.filename().string().starts_with("python3")) continue;
    for (const char* packages : {"site-packages", "dist-packages"}) {
      for (const fs::path& part : folders_in(python / packages / "nvidia")) found.push_back(part / "lib");
    }
  }
  return found;
}

/// Besides those of the system's loader.
std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders;
  for (const char* variable : {"CUDA_PATH", "CUDA_HOME"}) {
    if (const fs::path folder = folder_of(variable); !folder.empty()) folders.push_back(folder / "lib64");
  }
  folders.emplace_back("/usr/local/cuda/lib64");
  const fs::path conda = folder_of("CONDA_PREFIX"), home = folder_of("HOME");
  if (!conda.empty()) folders.push_back(conda / "lib");
  for (const fs::path& root : {folder_of("VIRTUAL_ENV"), conda, home.empty() ? home : home / ".local",
                               fs::path("/usr/local"), fs::path("/usr")}) {
    if (!root.empty()) std::ranges::copy(python_folders(root), std::back_inserter(folders));
  }
  return folders;
}

}  // namespace

CudaLibrary::CudaLibrary(const std::string& name, std::initializer_list<int> versions) {
  std::vector<std::string> names;
  for (const int version : versions) names.push_back(fmt::format("lib{}.so.{}", name, version));
  names.push_back(fmt::format("lib{}.so", name));

  std::vector<std::string> paths = names;
  for (const fs::path& folder : library_folders()) {
    for (const std::string& file : names) paths.push_back(folder / file);
  }
  for (const std::string& path : paths) {
    handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) {
      name_ = path;
      return;
    }
  }
  throw Error(fmt::format(
      "CUDA's library {} was not found. Install the CUDA toolkit, set CUDA_PATH to the folder that holds "
      "its lib64, or install NVIDIA's Python package of it.",
      names.front()));
}

std::string CudaLibrary::file() const {
  link_map* loaded = nullptr;
  return dlinfo(handle_, RTLD_DI_LINKMAP, &loaded) == 0 ? loaded->l_name : name_;
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
