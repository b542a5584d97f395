#include <cufft.h>
#include <fmt/format.h>

#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/cuda_library.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"

namespace isolume::gpu {
namespace {

/// The functions of cuFFT in use.
struct Cufft {
  CudaLibrary library{"cufft", {CUFFT_VER_MAJOR}};
  decltype(cufftCreate)* create;
  decltype(cufftDestroy)* destroy;
  decltype(cufftSetAutoAllocation)* set_auto_allocation;
  decltype(cufftMakePlan3d)* make_plan;
  decltype(cufftSetWorkArea)* set_scratch;
  decltype(cufftSetStream)* set_stream;
  decltype(cufftExecD2Z)* real_to_complex;
  decltype(cufftExecZ2D)* complex_to_real;

  Cufft() {
    library.find(create, "cufftCreate");
    library.find(destroy, "cufftDestroy");
    library.find(set_auto_allocation, "cufftSetAutoAllocation");
    library.find(make_plan, "cufftMakePlan3d");
    library.find(set_scratch, "cufftSetWorkArea");
    library.find(set_stream, "cufftSetStream");
    library.find(real_to_complex, "cufftExecD2Z");
    library.find(complex_to_real, "cufftExecZ2D");
  }
};

const Cufft& cufft() {
  static const Cufft loaded;
  return loaded;
}

void require_cufft(cufftResult result, std::string_view what) {
  if (result == CUFFT_SUCCESS) return;
  throw Error(fmt::format("cuFFT: {} failed with its error {}.", what, static_cast<int>(result)));
}

/// A plan for one kind and size of transform.
class CufftPlan {
 public:
  CufftPlan(const GpuDevice& device, FourierSize size, cufftType type) : device_(device) {
    device.make_current();
    require_cufft(cufft().create(&plan_), "making a plan");
    try {
      require_cufft(cufft().set_auto_allocation(plan_, 0), "making a plan");
      // cuFFT names the slowest dimension first.
      require_cufft(cufft().make_plan(plan_, size[2], size[1], size[0], type, &scratch_bytes_),
                    fmt::format("planning {} x {} x {} points", size[0], size[1], size[2]));
    } catch (...) {
      cufft().destroy(plan_);
      throw;
    }
  }
  ~CufftPlan() {
    if (!device_.given_up()) cufft().destroy(plan_);
  }
  CufftPlan(const CufftPlan&) = delete;
  CufftPlan& operator=(const CufftPlan&) = delete;

  /// Calls `transform(plan)` on the stream, with scratch memory that is reserved until it has ended.
  template <class Transform>
  void run(const Stream& stream, const Transform& transform) const {
    stream.make_current();
    const DeviceBuffer<std::byte> scratch(stream, scratch_bytes_);
    require_cufft(cufft().set_scratch(plan_, scratch.device_data()), "giving scratch memory");
    require_cufft(cufft().set_stream(plan_, stream.get()), "choosing a stream");
    require_cufft(transform(plan_), "a transform");
  }

 private:
  const GpuDevice& device_;
  cufftHandle plan_ = 0;
  std::size_t scratch_bytes_ = 0;
};

}  // namespace

struct RealFourier::Plan {
  CufftPlan forward;
  CufftPlan inverse;
};

RealFourier::RealFourier(const GpuDevice& device, FourierSize size)
    : plan_(new Plan{{device, size, CUFFT_D2Z}, {device, size, CUFFT_Z2D}}) {}
RealFourier::~RealFourier() = default;

void RealFourier::forward(const double* in, double2* out, const Stream& stream) const {
  plan_->forward.run(
      stream, [&](cufftHandle plan) { return cufft().real_to_complex(plan, const_cast<double*>(in), out); });
}

void RealFourier::inverse(double2* in, double* out, const Stream& stream) const {
  plan_->inverse.run(stream, [&](cufftHandle plan) { return cufft().complex_to_real(plan, in, out); });
}

std::string fourier_library() {
  return cufft().library.file();
}

}  // namespace isolume::gpu
