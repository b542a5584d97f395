#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <utility>

#include "core/anatomy/mismatch.h"
#include "core/anatomy/parameters.h"
#include "core/volumes/warp.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/streams/deadline.h"
#include "gpu/runtime/streams/stream.h"
#include "gpu/volumes/volume_kernels.h"

namespace isolume::gpu {

class KeptTransforms;

/// What the memory of fluid steps depends on.
struct FluidShape {
  anatomy::Counts counts{};
  anatomy::Spacing spacing_mm{};
  const anatomy::FluidParameters& parameters;
  bool is_weighted = false;  ///< voxels have weights in the mismatch
};

/// Device memory of the steps: 13 numbers for each voxel (fixed image 1, displacement 3, velocity 3, modes 3, scratch memory of
/// the transforms 3), one for its weight, and for correlations 7 (means 5, weight of the gradient, scratch memory).
std::size_t bytes_of_steps(const FluidShape& shape);
/// Device memory of an image that moves: 5 numbers for each voxel (image, warped image, displacement).
std::size_t bytes_of_image(const FluidShape& shape);

/// Three components, one after the other.
class VectorsOnDevice {
 public:
  VectorsOnDevice(const Stream& stream, std::size_t count) : count_(count), values_(stream, 3 * count) {}
  float* component(std::size_t axis) const { return values_.device_data() + axis * count_; }
  volume_kernels::Vectors all() const { return {component(0), component(1), component(2)}; }

 private:
  std::size_t count_;
  DeviceBuffer<float> values_;
};

/// anatomy::FluidSteps in the memory of the stream's device, for any number of images that are compared with a fixed one.
class FluidStepsOnDevice {
 public:
  /// All of them but the shape must live as long as this object. Throws Error if cuFFT is missing or there are too many voxels;
  /// ResourceError and Cancelled.
  FluidStepsOnDevice(const FluidShape& shape, const Stream& stream, const WaitLimits& limits,
                     KeptTransforms& kept);
  ~FluidStepsOnDevice();

  /// Returns when both have arrived. `weights`: empty: 1; not empty for a weighted shape.
  void set_fixed(std::span<const float> fixed, std::span<const float> weights = {});
  /// The sum of the mismatch; replaces the present force.
  double mismatch(const float* warped);
  /// The same, and the velocity that makes it smaller.
  double measure_force(const float* warped);
  /// Of that velocity, in voxels.
  double longest() const { return longest_; }
  double mean(double sum) const { return anatomy::mean_mismatch(metric_, sum, fixed_sums_.weights); }
  /// As anatomy::FluidSteps::move.
  double move(VectorsOnDevice& displacement, double& step_size);
  void take_back(VectorsOnDevice& displacement) { std::swap(displacement, next_); }
  void warp(const float* moving, const VectorsOnDevice& displacement, float* warped) const;
  volumes::JacobianRange jacobian(const VectorsOnDevice& displacement);
  void upload_field(const anatomy::VectorField& field, const VectorsOnDevice& to) const;
  void download_field(const VectorsOnDevice& from, anatomy::VectorField& field) const;

 private:
  class Helmholtz;
  class Gaussian;
  class Correlation;

  /// Queues the mismatch as sums of blocks, whose number it returns, and the force.
  std::size_t queue_sums(const float* warped, bool with_force);
  std::span<const double> awaited_numbers(std::size_t count);

  const Stream& stream_;
  WaitLimits limits_;
  anatomy::Spacing spacing_;
  double largest_step_;
  anatomy::Metric metric_;
  anatomy::FixedImageSums fixed_sums_;
  volume_kernels::Extents extents_, padded_;
  DeviceBuffer<float> fixed_, weights_;
  VectorsOnDevice next_, velocity_;  ///< `next_` holds the displacement before the last step
  DeviceBuffer<double> sums_;
  DeviceBuffer<float> squares_;
  DeviceBuffer<double> numbers_;  ///< of an iteration: the mismatch, and the square of the longest velocity
  PinnedBuffer<double> host_numbers_;
  std::unique_ptr<Helmholtz> helmholtz_;
  std::unique_ptr<Gaussian> gaussian_;
  std::unique_ptr<Correlation> correlation_;
  double longest_ = 0;  ///< length of the longest velocity in voxels
};

}  // namespace isolume::gpu
