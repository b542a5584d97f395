#include "gpu/anatomy/fluid_on_device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/volumes/line_plan.h"
#include "gpu/runtime/algorithms/fourier.h"
#include "gpu/runtime/memory/buffer.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/volumes/volume_kernels.h"

namespace isolume::gpu {
namespace {

using anatomy::Counts;
using anatomy::FluidParameters;
using anatomy::FluidProblem;
using anatomy::Spacing;
using anatomy::VectorField;
using volume_kernels::Extents;
using volume_kernels::Vectors;

Extents extents_of(const Counts& counts) {
  return {counts[0], counts[1], counts[2]};
}
Extents half_of(Extents extents) {
  return {extents.nx / 2 + 1, extents.ny, extents.nz};
}
/// As anatomy::Smoother pads fields.
Extents padded_of(const FluidProblem& problem) {
  Counts counts = problem.counts;
  if (problem.parameters.smoothness_mm > 0) {
    for (int& each : counts) each = volumes::next_transform_count(each);
  }
  return extents_of(counts);
}

/// Three components, one after the other.
class VectorsOnDevice {
 public:
  VectorsOnDevice(const Stream& stream, std::size_t count) : count_(count), values_(stream, 3 * count) {}
  float* component(std::size_t axis) const { return values_.device_data() + axis * count_; }
  Vectors all() const { return {component(0), component(1), component(2)}; }

 private:
  std::size_t count_;
  DeviceBuffer<float> values_;
};

float3 floats_of(const std::array<double, 3>& values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
}
std::array<double, 3> divided(double by, const Spacing& spacing) {
  return {by / spacing[0], by / spacing[1], by / spacing[2]};
}

/// anatomy::Smoother on a device.
class HelmholtzOnDevice {
 public:
  HelmholtzOnDevice(const FluidProblem& problem, Extents padded, const Stream& stream,
                    const WaitLimits& limits)
      : padded_(padded),
        l2_(static_cast<float>(problem.parameters.smoothness_mm * problem.parameters.smoothness_mm)),
        b_(static_cast<float>(problem.parameters.compressibility) * l2_),
        fourier_(stream.device(), {padded.nx, padded.ny, padded.nz}, 3),
        modes_(stream, 3 * half_of(padded).count()) {
    const int counts[3] = {padded.nx, padded.ny, padded.nz};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<float> numbers;
      const double h = problem.spacing_mm[axis];
      const auto add = [&](const auto& symbol) {
        for (int k = 0; k < counts[axis]; ++k)
          numbers.push_back(static_cast<float>(symbol(2 * std::numbers::pi * k / counts[axis])));
      };
      add([h](double angle) { return (2 - 2 * std::cos(angle)) / (h * h); });
      add([h](double angle) { return std::sin(angle) / h; });
      numbers_[axis] = upload_vector<float>(numbers, stream, limits);
      symbols_[axis] = {numbers_[axis].device_data(), numbers_[axis].device_data() + counts[axis]};
    }
  }

  void smooth(float* components, const Stream& stream) const {
    fourier_.forward(components, modes_.device_data(), stream);
    volume_kernels::solve_modes(modes_.device_data(), padded_, symbols_, l2_, b_,
                                1 / static_cast<float>(padded_.count()), stream);
    fourier_.inverse(modes_.device_data(), components, stream);
  }

 private:
  Extents padded_;
  float l2_, b_;
  SingleFourier fourier_;
  DeviceBuffer<float2> modes_;
  DeviceBuffer<float> numbers_[3];
  volume_kernels::Symbols symbols_[3];
};

class FluidOnDevice final : public anatomy::FluidLevel {
 public:
  FluidOnDevice(const FluidProblem& problem, const Stream& stream, const WaitLimits& limits)
      : stream_(stream),
        limits_(limits),
        spacing_(problem.spacing_mm),
        largest_step_(problem.parameters.largest_step),
        mean_(problem.counts, problem.spacing_mm, problem.parameters),
        extents_(extents_of(problem.counts)),
        padded_(padded_of(problem)),
        fixed_(upload_vector<float>(problem.fixed, stream, limits)),
        moving_(upload_vector<float>(problem.moving, stream, limits)),
        weights_(upload_vector<float>(problem.weights, stream, limits)),
        warped_(stream, extents_.count()),
        displacement_(stream, extents_.count()),
        next_(stream, extents_.count()),
        velocity_(stream, padded_.count()),
        sums_(stream, volume_kernels::block_count(padded_)),
        squares_(stream, volume_kernels::block_count(extents_)),
        numbers_(stream, 2),
        host_numbers_(stream, 2) {
    mean_.set_fixed(problem.fixed, problem.weights);
    if (problem.parameters.smoothness_mm > 0) smoother_.emplace(problem, padded_, stream, limits);
    set_displacement(problem.displacement);
  }

  double mismatch() override {
    queue_force();
    volume_kernels::reduce(sums_.device_data(), sums_.size(), nullptr, 0, numbers_.device_data(),
                           numbers_.device_data() + 1, stream_);
    return awaited_numbers(1)[0];
  }
  double measure_force() override {
    queue_force();
    if (smoother_) smoother_->smooth(velocity_.component(0), stream_);
    volume_kernels::largest_square(velocity_.all(), extents_, padded_, floats_of(divided(1, spacing_)),
                                   squares_.device_data(), stream_);
    volume_kernels::reduce(sums_.device_data(), sums_.size(), squares_.device_data(), squares_.size(),
                           numbers_.device_data(), numbers_.device_data() + 1, stream_);
    const auto numbers = awaited_numbers(2);
    longest_ = std::sqrt(numbers[1]);
    return numbers[0];
  }
  double mean(double sum) const override { return mean_.mean(sum); }
  /// As FluidSteps::move.
  double move(double& step_size) override {
    if (longest_ == 0) return 0;
    if (step_size == 0) step_size = largest_step_ / longest_;
    const double size = std::min(step_size, largest_step_ / longest_);
    volume_kernels::compose_step(displacement_.all(), velocity_.all(), floats_of(divided(size, spacing_)),
                                 extents_, padded_, next_.all(), stream_);
    take_back();
    return size * longest_;
  }
  void take_back() override {
    std::swap(displacement_, next_);
    is_fetched_ = false;
  }
  void warp() override {
    volume_kernels::warp(moving_.device_data(), extents_, displacement_.all(), warped_.device_data(),
                         stream_);
  }
  const VectorField& displacement() override {
    if (is_fetched_) return host_;
    if (host_.counts == Counts{}) host_ = VectorField({extents_.nx, extents_.ny, extents_.nz});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      download<float>(stream_, displacement_.component(axis), {host_.data(axis), extents_.count()},
                      from_now(limits_.deadline), limits_.progress);
    }
    is_fetched_ = true;
    return host_;
  }
  void set_displacement(const VectorField& displacement) override {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      upload<float>(stream_, {displacement.data(axis), extents_.count()}, displacement_.component(axis),
                    from_now(limits_.deadline), limits_.progress);
    }
    is_fetched_ = false;
    warp();
  }

 private:
  void queue_force() {
    volume_kernels::mismatch_force(warped_.device_data(), fixed_.device_data(), weights_.device_data(),
                                   extents_, floats_of(spacing_), padded_, velocity_.all(),
                                   sums_.device_data(), stream_);
  }
  std::span<const double> awaited_numbers(std::size_t count) {
    numbers_.copy_to(host_numbers_.host().first(count), stream_);
    stream_.wait(limits_);
    return host_numbers_.host();
  }

  const Stream& stream_;
  WaitLimits limits_;
  Spacing spacing_;
  double largest_step_;
  anatomy::Mismatch mean_;  ///< for Mismatch::mean alone
  Extents extents_, padded_;
  DeviceBuffer<float> fixed_, moving_, weights_, warped_;
  VectorsOnDevice displacement_, next_, velocity_;
  std::optional<HelmholtzOnDevice> smoother_;
  DeviceBuffer<double> sums_;
  DeviceBuffer<float> squares_;
  DeviceBuffer<double> numbers_;  ///< of an iteration: the mismatch, and the square of the longest velocity
  PinnedBuffer<double> host_numbers_;
  double longest_ = 0;  ///< length of the longest velocity in voxels
  VectorField host_;
  bool is_fetched_ = false;  ///< `host_` is the present displacement
};

}  // namespace

std::size_t bytes_on_device(const FluidProblem& problem) {
  const std::size_t count = extents_of(problem.counts).count(), padded = padded_of(problem).count(),
                    modes = half_of(padded_of(problem)).count();
  std::size_t floats = 9 * count + 3 * padded;
  if (!problem.weights.empty()) floats += count;
  if (problem.parameters.smoothness_mm > 0) floats += 2 * 3 * 2 * modes;
  return floats * sizeof(float);
}

std::unique_ptr<anatomy::FluidLevel> fluid_on_device(const FluidProblem& problem, const Stream& stream,
                                                     const WaitLimits& limits) {
  if (padded_of(problem).count() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        fmt::format("GPUs register images of 2^31 voxels at most, and of {} x {} x {} with the borders that "
                    "transforms need there are more. Choose the engine \"cpu\".",
                    problem.counts[0], problem.counts[1], problem.counts[2]));
  }
  return std::make_unique<FluidOnDevice>(problem, stream, limits);
}

}  // namespace isolume::gpu
