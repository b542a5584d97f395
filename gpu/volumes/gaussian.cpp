#include "gpu/volumes/gaussian.h"

#include <cmath>
#include <utility>
#include <vector>

namespace isolume::gpu {

GaussianOnDevice::GaussianOnDevice(volume_kernels::Extents extents, const std::array<double, 3>& sigma,
                                   const Stream& stream)
    : extents_(extents) {
  const int counts[3] = {extents.nx, extents.ny, extents.nz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(sigma[axis] > 0) || counts[axis] == 1) continue;
    const int radius = static_cast<int>(std::ceil(4.5 * sigma[axis]));
    std::vector<double> exact;
    double sum = 0;
    for (int d = 0; d <= radius; ++d) {
      exact.push_back(std::exp(-0.5 * std::pow(d / sigma[axis], 2)));
      sum += d == 0 ? exact[0] : 2 * exact.back();
    }
    std::vector<float> weights;
    for (const double each : exact) weights.push_back(static_cast<float>(each / sum));
    axes_[axis] = {radius, device_copy(weights, stream)};
    stream.wait();  // `weights` goes
  }
}

float* GaussianOnDevice::smooth(float* values, float* scratch, const Stream& stream) const {
  float *from = values, *to = scratch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (axes_[axis].radius == 0) continue;
    volume_kernels::convolve(from, extents_, static_cast<int>(axis), axes_[axis].weights.device_data(),
                             axes_[axis].radius, to, stream);
    std::swap(from, to);
  }
  return from;
}

}  // namespace isolume::gpu
