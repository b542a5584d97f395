#pragma once

#include <initializer_list>
#include <string>

namespace isolume::gpu {

/// A library of the CUDA toolkit, looked for when it is needed, so that the program starts without it: where
/// the system's loader looks, then in $CUDA_PATH, $CUDA_HOME and /usr/local/cuda. Stays loaded for good.
class CudaLibrary {
 public:
  /// `name` as in lib<name>.so; `versions` best first. Throws Error naming what was tried.
  CudaLibrary(const std::string& name, std::initializer_list<int> versions);

  /// Throws Error when the library has no such function.
  template <class Function>
  void find(Function*& function, const char* name) const {
    function = reinterpret_cast<Function*>(address(name));
  }

  /// Loads a file of the folder in which the library was found, so that later the system's loader finds it
  /// by its name alone; does nothing where that had found the library itself, or where there is no such file.
  void load_neighbour(const std::string& file) const;

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace isolume::gpu
