#include <algorithm>
#include <complex>
#include <vector>

#include <fmt/format.h>
#include <kissfft/kissfft.hh>

#include "core/base/error.h"
#include "gpu/emulator/memory.h"
#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/streams/host_work.h"

namespace isolume::gpu {
namespace {

std::size_t count(FourierSize size) {
  return static_cast<std::size_t>(size[0]) * static_cast<std::size_t>(size[1]) *
         static_cast<std::size_t>(size[2]);
}

FourierSize half_of(FourierSize size) {
  return {size[0] / 2 + 1, size[1], size[2]};
}

void mark_written(const void* begin, std::size_t bytes) {
  emulator::memory::mark_written(reinterpret_cast<std::uintptr_t>(begin), bytes);
}

/// Transforms line by line, along one axis after the other.
void transform(std::vector<std::complex<double>>& values, FourierSize size, bool inverse) {
  std::size_t stride = 1;
  for (const int points : size) {
    const auto n = static_cast<std::size_t>(points);
    std::vector<std::complex<double>> line(n);
    const kissfft<double> plan(n, inverse);
    for (std::size_t at = 0; n > 1 && at < values.size(); ++at) {
      if (at / stride % n != 0) continue;
      plan.transform(&values[at], line.data(), 0, 1, stride);
      for (std::size_t i = 0; i < n; ++i) values[at + i * stride] = line[i];
    }
    stride *= n;
  }
}

void require_points(FourierSize size) {
  if (size[0] < 1 || size[1] < 1 || size[2] < 1) {
    throw Error(
        fmt::format("There is no transform of {} x {} x {} points. Give one along each axis at least.",
                    size[0], size[1], size[2]));
  }
}

}  // namespace

template <class Real>
struct BasicRealFourier<Real>::Plan {
  FourierSize size;
  int arrays;
};

template <class Real>
BasicRealFourier<Real>::BasicRealFourier(const GpuDevice& device, FourierSize size, int arrays)
    : plan_(new Plan{size, arrays}) {
  require_points(size);
  device.make_current();
}
template <class Real>
BasicRealFourier<Real>::~BasicRealFourier() = default;

template <class Real>
void BasicRealFourier<Real>::forward(const Real* in, Complex* out, const Stream& stream) const {
  queue_host_work(stream, [size = plan_->size, arrays = plan_->arrays, in, out] {
    const auto half = static_cast<std::size_t>(size[0] / 2 + 1), whole = static_cast<std::size_t>(size[0]);
    for (std::size_t array = 0; array < static_cast<std::size_t>(arrays); ++array) {
      const Real* const from = in + array * count(size);
      Complex* const to = out + array * count(half_of(size));
      std::vector<std::complex<double>> values(from, from + count(size));
      transform(values, size, false);
      for (std::size_t i = 0; i < count(half_of(size)); ++i) {
        const auto& value = values[i / half * whole + i % half];
        to[i] = {static_cast<Real>(value.real()), static_cast<Real>(value.imag())};
      }
    }
    mark_written(out, static_cast<std::size_t>(arrays) * count(half_of(size)) * sizeof(Complex));
  });
}

template <class Real>
void BasicRealFourier<Real>::inverse(Complex* in, Real* out, const Stream& stream) const {
  queue_host_work(stream, [size = plan_->size, arrays = plan_->arrays, in, out] {
    const auto [nx, ny, nz] = size;
    const auto opposite = [](int k, int n) { return k == 0 ? 0 : n - k; };
    for (std::size_t array = 0; array < static_cast<std::size_t>(arrays); ++array) {
      const Complex* const from = in + array * count(half_of(size));
      std::vector<std::complex<double>> values(count(size));
      std::size_t at = 0;
      for (int z = 0; z < nz; ++z) {
        for (int y = 0; y < ny; ++y) {
          for (int x = 0; x < nx; ++x, ++at) {
            const bool there = x <= nx / 2;
            const int kx = there ? x : nx - x, ky = there ? y : opposite(y, ny),
                      kz = there ? z : opposite(z, nz);
            const Complex value = from[static_cast<std::size_t>(kx) +
                                       static_cast<std::size_t>(nx / 2 + 1) *
                                           (static_cast<std::size_t>(ky) +
                                            static_cast<std::size_t>(ny) * static_cast<std::size_t>(kz))];
            values[at] = {static_cast<double>(value.x), static_cast<double>(there ? value.y : -value.y)};
          }
        }
      }
      transform(values, size, true);
      std::ranges::transform(values, out + array * count(size),
                             [](const auto& value) { return static_cast<Real>(value.real()); });
    }
    mark_written(out, static_cast<std::size_t>(arrays) * count(size) * sizeof(Real));
  });
}

template class BasicRealFourier<double>;
template class BasicRealFourier<float>;

std::string fourier_library() {
  return "KissFFT";
}

}  // namespace isolume::gpu
