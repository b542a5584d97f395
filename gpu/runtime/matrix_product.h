#pragma once

#include <memory>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Products of single-precision matrices in device memory, column-major without gaps (as Eigen's): by cuBLAS,
/// which is loaded when the first object is made, in full single precision (no TF32), or by Eigen on an
/// emulated GPU. Not thread-safe. cuBLAS allocates some MiB on the device, in addition to the allocator's
/// budget.
class MatrixProduct {
 public:
  /// Throws Error if cuBLAS is not installed.
  explicit MatrixProduct(const GpuDevice& device);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  /// Queues C = A B; A is `rows` x `inner`, B `inner` x `columns` and C `rows` x `columns`. C must not
  /// overlap A or B.
  void multiply(int rows, int columns, int inner, const float* a, const float* b, float* c,
                const Stream& stream) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace isolume::gpu
