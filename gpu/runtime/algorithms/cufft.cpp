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
  decltype(cufftMakePlanMany)* make_plan;
  decltype(cufftSetWorkArea)* set_scratch;
  decltype(cufftSetStream)* set_stream;
  decltype(cufftExecD2Z)* doubles_to_complex;
  decltype(cufftExecZ2D)* complex_to_doubles;
  decltype(cufftExecR2C)* floats_to_complex;
  decltype(cufftExecC2R)* complex_to_floats;

  Cufft() {
    library.find(create, "cufftCreate");
    library.find(destroy, "cufftDestroy");
    library.find(set_auto_allocation, "cufftSetAutoAllocation");
    library.find(make_plan, "cufftMakePlanMany");
    library.find(set_scratch, "cufftSetWorkArea");
    library.find(set_stream, "cufftSetStream");
    library.find(doubles_to_complex, "cufftExecD2Z");
    library.find(complex_to_doubles, "cufftExecZ2D");
    library.find(floats_to_complex, "cufftExecR2C");
    library.find(complex_to_floats, "cufftExecC2R");
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
  CufftPlan(const GpuDevice& device, FourierSize size, int arrays, cufftType type) : device_(device) {
    device.make_current();
    require_cufft(cufft().create(&plan_), "making a plan");
    try {
      require_cufft(cufft().set_auto_allocation(plan_, 0), "making a plan");
      // cuFFT names the slowest dimension first.
      int slowest_first[] = {size[2], size[1], size[0]};
      require_cufft(cufft().make_plan(plan_, 3, slowest_first, nullptr, 1, 0, nullptr, 1, 0, type, arrays,
                                      &scratch_bytes_),
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

template <class Real>
struct BasicRealFourier<Real>::Plan {
  static constexpr bool is_double = std::is_same_v<Real, double>;

  Plan(const GpuDevice& device, FourierSize size, int arrays)
      : forward(device, size, arrays, is_double ? CUFFT_D2Z : CUFFT_R2C),
        inverse(device, size, arrays, is_double ? CUFFT_Z2D : CUFFT_C2R) {}

  CufftPlan forward;
  CufftPlan inverse;
};

template <class Real>
BasicRealFourier<Real>::BasicRealFourier(const GpuDevice& device, FourierSize size, int arrays)
    : plan_(std::make_unique<Plan>(device, size, arrays)) {}
template <class Real>
BasicRealFourier<Real>::~BasicRealFourier() = default;

template <class Real>
void BasicRealFourier<Real>::forward(const Real* in, Complex* out, const Stream& stream) const {
  plan_->forward.run(stream, [&](cufftHandle plan) {
    Real* const from = const_cast<Real*>(in);
    if constexpr (Plan::is_double) {
      return cufft().doubles_to_complex(plan, from, out);
    } else {
      return cufft().floats_to_complex(plan, from, out);
    }
  });
}

template <class Real>
void BasicRealFourier<Real>::inverse(Complex* in, Real* out, const Stream& stream) const {
  plan_->inverse.run(stream, [&](cufftHandle plan) {
    if constexpr (Plan::is_double) {
      return cufft().complex_to_doubles(plan, in, out);
    } else {
      return cufft().complex_to_floats(plan, in, out);
    }
  });
}

template class BasicRealFourier<double>;
template class BasicRealFourier<float>;

std::string fourier_library() {
  return cufft().library.file();
}

}  // namespace isolume::gpu
