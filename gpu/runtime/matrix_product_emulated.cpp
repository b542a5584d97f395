#include <Eigen/Core>

#include "gpu/emulator/memory.h"
#include "gpu/runtime/gpu_device.h"
#include "gpu/runtime/host_work.h"
#include "gpu/runtime/matrix_product.h"

namespace isolume::gpu {

struct MatrixProduct::Library {};

MatrixProduct::MatrixProduct(const GpuDevice& device) {
  device.make_current();
}
MatrixProduct::~MatrixProduct() = default;

void MatrixProduct::multiply(int rows, int columns, int inner, const float* a, const float* b, float* c,
                             const Stream& stream) const {
  queue_host_work(stream, [=] {
    using Matrix = Eigen::MatrixXf;
    Eigen::Map<Matrix>(c, rows, columns).noalias() =
        Eigen::Map<const Matrix>(a, rows, inner) * Eigen::Map<const Matrix>(b, inner, columns);
    emulator::memory::mark_written(reinterpret_cast<std::uintptr_t>(c), sizeof(float) * rows * columns);
  });
}

}  // namespace isolume::gpu
