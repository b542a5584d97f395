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

 private:
  void* address(const char* name) const;

  std::string name_;
  void* handle_ = nullptr;
};

}  // namespace isolume::gpu
