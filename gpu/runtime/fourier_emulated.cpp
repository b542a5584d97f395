// FFTW is under the GPL: this file serves tests and is part of no program that is handed out.

#include <mutex>

#include <fftw3.h>

#include "core/base/error.h"
#include "gpu/emulator/memory.h"
#include "gpu/runtime/fourier.h"
#include "gpu/runtime/gpu_device.h"
#include "gpu/runtime/host_work.h"

namespace isolume::gpu {
namespace {

std::size_t count(FourierSize size) {
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
         static_cast<std::size_t>(size[2]);
}

fftwf_complex* fftw(const float2* values) {
  return reinterpret_cast<fftwf_complex*>(const_cast<float2*>(values));
}

void mark_written(const void* begin, std::size_t bytes) {
  emulator::memory::mark_written(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

/// Plans with `make(flags)` (FFTW's planner is for one thread at a time), runs `execute(plan)` and cleans up.
/// FFTW_ESTIMATE leaves the values alone while it plans.
template <class Make, class Execute>
void run(const Make& make, const Execute& execute) {
  static std::mutex planner;
  fftwf_plan plan = nullptr;
  {
    const std::scoped_lock lock(planner);
    plan = make(FFTW_ESTIMATE);
  }
  execute(plan);
  const std::scoped_lock lock(planner);
  fftwf_destroy_plan(plan);
}

void require_points(FourierSize size) {
  if (size[0] < 1 || size[1] < 1 || size[2] < 1) throw Error("FFTW: there are no transforms of no points.");
}

}  // namespace

struct ComplexFourier::Plan {
  FourierSize size;
  void queue(const float2* in, float2* out, int sign, const Stream& stream) const {
    queue_host_work(stream, [size = size, in, out, sign] {
      run(
          [&](unsigned flags) {
            return fftwf_plan_dft_3d(size[2], size[1], size[0], fftw(in), fftw(out), sign, flags);
          },
          fftwf_execute);
      mark_written(out, count(size) * sizeof(float2));
    });
  }
};

ComplexFourier::ComplexFourier(const GpuDevice& device, FourierSize size) : plan_(new Plan{size}) {
  require_points(size);
  device.make_current();
}
ComplexFourier::~ComplexFourier() = default;

void ComplexFourier::forward(const float2* in, float2* out, const Stream& stream) const {
  plan_->queue(in, out, FFTW_FORWARD, stream);
}

void ComplexFourier::inverse(const float2* in, float2* out, const Stream& stream) const {
  plan_->queue(in, out, FFTW_BACKWARD, stream);
}

struct RealFourier::Plan {
  FourierSize size;
};

RealFourier::RealFourier(const GpuDevice& device, FourierSize size) : plan_(new Plan{size}) {
  require_points(size);
  device.make_current();
}
RealFourier::~RealFourier() = default;

void RealFourier::forward(const float* in, float2* out, const Stream& stream) const {
  queue_host_work(stream, [size = plan_->size, in, out] {
    run(
        [&](unsigned flags) {
          return fftwf_plan_dft_r2c_3d(size[2], size[1], size[0], const_cast<float*>(in), fftw(out), flags);
        },
        fftwf_execute);
    mark_written(out, count({size[0] / 2 + 1, size[1], size[2]}) * sizeof(float2));
  });
}

void RealFourier::inverse(float2* in, float* out, const Stream& stream) const {
  queue_host_work(stream, [size = plan_->size, in, out] {
    run(
        [&](unsigned flags) {
          return fftwf_plan_dft_c2r_3d(size[2], size[1], size[0], fftw(in), out, flags);
        },
        fftwf_execute);
    mark_written(out, count(size) * sizeof(float));
  });
}

}  // namespace isolume::gpu
