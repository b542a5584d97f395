#pragma once

#include <memory>

#include "gpu/runtime/stream.h"

namespace isolume::gpu {

/// Products of single-precision matrices in device memory, column after column without gaps (as Eigen's): by
/// cuBLAS, which is looked for when the first object is made, in full single precision (no TF32); by Eigen
/// where the GPU is emulated. For one thread at a time. cuBLAS keeps some MiB of its own on the device,
/// beside the allocator's budget.
class MatrixProduct {
 public:
  /// Throws Error where cuBLAS is not installed.
  explicit MatrixProduct(const GpuDevice& device);
  ~MatrixProduct();
  MatrixProduct(const MatrixProduct&) = delete;
  MatrixProduct& operator=(const MatrixProduct&) = delete;

  /// Queues C = A B; A has `rows` x `inner`, B `inner` x `columns` and C `rows` x `columns` values. C
  /// overlaps neither.
  void multiply(int rows, int columns, int inner, const float* a, const float* b, float* c,
                const Stream& stream) const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace isolume::gpu
