#pragma once

#include <initializer_list>
#include <string>

namespace isolume::gpu {

/// A library of the CUDA toolkit, loaded on first use, so that the program starts without it. It is searched where the
/// system's loader searches, then in $CUDA_PATH, $CUDA_HOME and /usr/local/cuda, in $CONDA_PREFIX, and among the Python
/// packages of $VIRTUAL_ENV, $CONDA_PREFIX, the user and the system. It is never unloaded.
class CudaLibrary {
 public:
  /// `name` as in lib<name>.so; `versions` best first. Throws Error naming the attempts.
  CudaLibrary(const std::string& name, std::initializer_list<int> versions);

  /// Throws Error if the library has no such function.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }

  /// Where it was found: its whole path, as the loader tells.
  std::string file() const;

  /// Loads a file of the folder in which the library was found, so that the system's loader later finds it by
  /// its name; does nothing if the loader had found the library itself, or if there is no such file.
  void load_neighbour(const std::string& file) const;

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace isolume::gpu
