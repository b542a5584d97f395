#include <cublas_v2.h>
#include <fmt/format.h>

#include "gpu/runtime/cuda_library.h"
#include "gpu/runtime/gpu_device.h"
#include "gpu/runtime/matrix_product.h"

namespace isolume::gpu {
namespace {

/// The functions of cuBLAS in use.
struct Cublas {
  decltype(cublasCreate_v2)* create;
  decltype(cublasDestroy_v2)* destroy;
  decltype(cublasSetStream_v2)* set_stream;
  decltype(cublasSgemm_v2)* multiply;
  decltype(cublasGetStatusString)* status_string;

  Cublas() {
    const CudaLibrary library("cublas", {CUDART_VERSION / 1000});
    library.find(create, "cublasCreate_v2");
    library.find(destroy, "cublasDestroy_v2");
    library.find(set_stream, "cublasSetStream_v2");
    library.find(multiply, "cublasSgemm_v2");
    library.find(status_string, "cublasGetStatusString");
  }

  void require(cublasStatus_t status, std::string_view what) const {
    if (status == CUBLAS_STATUS_SUCCESS) return;
    throw Error(fmt::format("cuBLAS: {} failed: {}.", what, status_string(status)));
  }
};

const Cublas& cublas() {
  static const Cublas loaded;
  return loaded;
}

}  // namespace

struct MatrixProduct::Library {
  explicit Library(const GpuDevice& on) : device(on) {
    device.make_current();
    cublas().require(cublas().create(&handle), "starting");
  }
  ~Library() {
    if (!device.given_up()) cublas().destroy(handle);
  }
  Library(const Library&) = delete;
  Library& operator=(const Library&) = delete;

  const GpuDevice& device;
  cublasHandle_t handle = nullptr;
};

MatrixProduct::MatrixProduct(const GpuDevice& device) : library_(std::make_unique<Library>(device)) {}
MatrixProduct::~MatrixProduct() = default;

void MatrixProduct::multiply(int rows, int columns, int inner, const float* a, const float* b, float* c,
                             const Stream& stream) const {
  stream.make_current();
  cublas().require(cublas().set_stream(library_->handle, stream.get()), "choosing a stream");
  const float one = 1;
  const float zero = 0;
  cublas().require(cublas().multiply(library_->handle, CUBLAS_OP_N, CUBLAS_OP_N, rows, columns, inner, &one,
                                     a, rows, b, inner, &zero, c, rows),
                   "a matrix product");
}

}  // namespace isolume::gpu
