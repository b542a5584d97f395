#include "gpu/volumes/volume_benchmark.h"

#include <cmath>
#include <functional>

#include <fmt/format.h>

#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/volumes/gaussian.h"

namespace isolume::gpu {
namespace {

using volume_kernels::Extents;

/// A smooth volume: waves along each axis.
std::vector<float> waves(int side, double amplitude, double wave_number) {
  std::vector<float> wave;
  for (int i = 0; i < side; ++i) wave.push_back(static_cast<float>(amplitude * std::sin(wave_number * i)));
  std::vector<float> values;
  values.reserve(Extents{side, side, side}.count());
  for (const float z : wave) {
    for (const float y : wave) {
      for (const float x : wave) values.push_back(x + y + z);
    }
  }
  return values;
}

}  // namespace

std::vector<VolumeKernelTimes> time_volume_kernels(const dispatch::Device& device, int side,
                                                   const benchmarks::RepeatOptions& options,
                                                   const jobs::Progress& progress) {
  const Stream stream(gpu_of(device));
  const WaitLimits limits{default_deadline(), progress};
  const Extents n{side, side, side};
  const std::size_t count = n.count();
  const auto volume = upload_vector<float>(waves(side, 1, 0.2), stream, limits);
  const DeviceBuffer<float> u(stream, 3 * count), result(stream, 3 * count);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto wave = waves(side, 0.5, 0.03 * static_cast<double>(axis + 1));
    upload<float>(stream, wave, u.device_data() + axis * count, from_now(limits.deadline), progress);
  }
  const DeviceBuffer<double> sums(stream, volume_kernels::block_count(n));
  const auto components = [count](const DeviceBuffer<float>& all) {
    float* const first = all.device_data();
    return volume_kernels::Vectors{first, first + count, first + 2 * count};
  };
  std::vector<VolumeKernelTimes> times;
  Event begin(stream.device(), true), end(stream.device(), true);
  const auto time = [&](std::string kernel, double bytes_a_point, const std::function<void()>& work) {
    times.push_back({.kernel = std::move(kernel),
                     .moved_bytes = bytes_a_point * static_cast<double>(count),
                     .timing = benchmarks::time_repeats(options, [&] {
                       begin.record(stream);
                       work();
                       end.record(stream);
                       stream.wait(limits);
                       return Event::milliseconds(begin, end);
                     })});
  };
  const float3 spacing{1, 1, 1};
  time("gradient", 16, [&] {
    volume_kernels::weighted_gradient(volume.device_data(), nullptr, n, spacing, n, components(result),
                                      stream);
  });
  time("warp", 20,
       [&] { volume_kernels::warp(volume.device_data(), n, components(u), result.device_data(), stream); });
  time("force", 20, [&] {
    volume_kernels::mismatch_force(volume.device_data(), u.device_data(), nullptr, n, spacing, n,
                                   components(result), sums.device_data(), stream);
  });
  time("composition", 36, [&] {
    volume_kernels::compose_step(components(u), components(u), {0.1F, 0.1F, 0.1F}, n, n, components(result),
                                 stream);
  });
  for (const double sigma : {2.0, 8.0}) {
    const GaussianOnDevice gaussian(n, {sigma, sigma, sigma}, stream);
    time(fmt::format("Gaussian of {:.0f} voxels", sigma), 24,
         [&] { gaussian.smooth(result.device_data(), result.device_data() + count, stream); });
  }
  return times;
}

}  // namespace isolume::gpu
