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
#include "gpu/volumes/gaussian.h"
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
bool transforms(const FluidParameters& parameters) {
  return parameters.smoothness_mm > 0 && parameters.smoothing == anatomy::Smoothing::helmholtz;
}
/// As anatomy::Smoother pads fields.
Extents padded_of(const FluidProblem& problem) {
  Counts counts = problem.counts;
  if (transforms(problem.parameters)) {
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

void copy_on_device(const float* from, float* to, std::size_t count, const Stream& stream) {
  require_success(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream.get()),
                  "copying on the device");
}

/// anatomy::Smoother's Gaussian on a device.
class GaussianOfVelocity {
 public:
  GaussianOfVelocity(const FluidProblem& problem, const Stream& stream)
      : gaussian_(extents_of(problem.counts),
                  divided(std::numbers::sqrt2 * problem.parameters.smoothness_mm, problem.spacing_mm),
                  stream),
        scratch_(stream, extents_of(problem.counts).count()) {}

  void smooth(float* components, const Stream& stream) const {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float* const component = components + axis * scratch_.size();
      const float* const smoothed = gaussian_.smooth(component, scratch_.device_data(), stream);
      if (smoothed != component) copy_on_device(smoothed, component, scratch_.size(), stream);
    }
  }

 private:
  GaussianOnDevice gaussian_;
  DeviceBuffer<float> scratch_;
};

/// anatomy::Mismatch of correlations on a device.
class CorrelationOnDevice {
 public:
  CorrelationOnDevice(const FluidProblem& problem, double least_variance, const float* fixed,
                      const float* weights, const Stream& stream)
      : count_(extents_of(problem.counts).count()),
        fixed_(fixed),
        weights_(weights),
        least_variance_(static_cast<float>(least_variance)),
        gaussian_(extents_of(problem.counts),
                  {problem.parameters.window, problem.parameters.window, problem.parameters.window}, stream),
        numbers_(stream, (weights != nullptr ? 8 : 7) * count_) {
    for (std::size_t i = 0; i < 7; ++i) arrays_[i] = numbers_.device_data() + i * count_;
    volume_kernels::multiply_fixed(fixed, weights, count_, arrays_[f], arrays_[ff], stream);
    smooth(f, stream);
    smooth(ff, stream);
    if (weights != nullptr) {
      mean_weight_ = numbers_.device_data() + 7 * count_;
      copy_on_device(weights, mean_weight_, count_, stream);
      float* const smoothed = gaussian_.smooth(mean_weight_, arrays_[scratch], stream);
      if (smoothed != mean_weight_) std::swap(mean_weight_, arrays_[scratch]);
      volume_kernels::divide_by_weights(mean_weight_, anatomy::least_window_weight, count_, arrays_[f],
                                        arrays_[ff], stream);
    }
  }

  /// Queues the sums of blocks, and returns their number.
  std::size_t measure(const float* warped, double* sums, const Stream& stream) {
    volume_kernels::multiply_warped(fixed_, warped, weights_, count_, means(), stream);
    smooth_means(stream);
    volume_kernels::correlate({.f = arrays_[f],
                               .ff = arrays_[ff],
                               .weights = weights_,
                               .mean_weight = mean_weight_,
                               .least_variance = least_variance_},
                              count_, means(), sums, stream);
    return volume_kernels::reduction_blocks(count_);
  }
  /// After measure(): what the gradient of the warped image is multiplied by.
  const float* weights_of_gradient(const float* warped, const Stream& stream) {
    smooth_means(stream);
    volume_kernels::correlation_weights(fixed_, warped, weights_, count_, means(), arrays_[of_gradient],
                                        stream);
    return arrays_[of_gradient];
  }

 private:
  /// Means in windows of F, F^2, W, W^2 and F W; weights of the gradient; scratch memory.
  enum Number : std::size_t { f, ff, w, ww, fw, of_gradient, scratch };

  volume_kernels::WarpedMeans means() const { return {arrays_[w], arrays_[ww], arrays_[fw]}; }
  void smooth(Number number, const Stream& stream) {
    const float* const smoothed = gaussian_.smooth(arrays_[number], arrays_[scratch], stream);
    if (smoothed != arrays_[number]) std::swap(arrays_[number], arrays_[scratch]);
  }
  void smooth_means(const Stream& stream) {
    for (const Number each : {w, ww, fw}) smooth(each, stream);
  }

  std::size_t count_;
  const float *fixed_, *weights_;
  float least_variance_;
  GaussianOnDevice gaussian_;
  DeviceBuffer<float> numbers_;
  std::array<float*, 7> arrays_{};
  float* mean_weight_ = nullptr;  ///< null without weights
};

class FluidOnDevice final : public anatomy::FluidLevel {
 public:
  FluidOnDevice(const FluidProblem& problem, const Stream& stream, const WaitLimits& limits)
      : stream_(stream),
        limits_(limits),
        spacing_(problem.spacing_mm),
        largest_step_(problem.parameters.largest_step),
        metric_(problem.parameters.metric),
        fixed_sums_(anatomy::sums_of_fixed(problem.fixed, problem.weights, metric_)),
        extents_(extents_of(problem.counts)),
        padded_(padded_of(problem)),
        fixed_(upload_vector<float>(problem.fixed, stream, limits)),
        moving_(upload_vector<float>(problem.moving, stream, limits)),
        weights_(upload_vector<float>(problem.weights, stream, limits)),
        warped_(stream, extents_.count()),
        displacement_(stream, extents_.count()),
        next_(stream, extents_.count()),
        velocity_(stream, padded_.count()),
        sums_(stream, std::max(volume_kernels::block_count(padded_),
                               volume_kernels::reduction_blocks(extents_.count()))),
        squares_(stream, volume_kernels::block_count(extents_)),
        numbers_(stream, 2),
        host_numbers_(stream, 2) {
    if (transforms(problem.parameters)) {
      helmholtz_.emplace(problem, padded_, stream, limits);
    } else if (problem.parameters.smoothness_mm > 0) {
      gaussian_.emplace(problem, stream);
    }
    if (metric_ == anatomy::Metric::correlation)
      correlation_.emplace(problem, fixed_sums_.least_variance, fixed_.device_data(), weights_.device_data(),
                           stream);
    set_displacement(problem.displacement);
  }

  double mismatch() override {
    const std::size_t sums = queue_sums(false);
    volume_kernels::reduce(sums_.device_data(), sums, nullptr, 0, numbers_.device_data(),
                           numbers_.device_data() + 1, stream_);
    return awaited_numbers(1)[0];
  }
  double measure_force() override {
    const std::size_t sums = queue_sums(true);
    if (helmholtz_) helmholtz_->smooth(velocity_.component(0), stream_);
    if (gaussian_) gaussian_->smooth(velocity_.component(0), stream_);
    volume_kernels::largest_square(velocity_.all(), extents_, padded_, floats_of(divided(1, spacing_)),
                                   squares_.device_data(), stream_);
    volume_kernels::reduce(sums_.device_data(), sums, squares_.device_data(), squares_.size(),
                           numbers_.device_data(), numbers_.device_data() + 1, stream_);
    const auto numbers = awaited_numbers(2);
    longest_ = std::sqrt(numbers[1]);
    return numbers[0];
  }
  double mean(double sum) const override { return anatomy::mean_mismatch(metric_, sum, fixed_sums_.weights); }
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
  volumes::JacobianRange jacobian() override {
    // The memory of squares, and of sums, which are not needed now.
    float* const folded = reinterpret_cast<float*>(sums_.device_data());
    volume_kernels::jacobians(displacement_.all(), extents_, squares_.device_data(), folded, stream_);
    volume_kernels::reduce_jacobians(squares_.device_data(), folded, squares_.size(), numbers_.device_data(),
                                     stream_);
    const auto numbers = awaited_numbers(2);
    return {.least = static_cast<float>(numbers[0]), .folded = static_cast<std::size_t>(numbers[1])};
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
  VectorField take_displacement() override {
    displacement();
    is_fetched_ = false;
    return std::move(host_);
  }

 private:
  /// The mismatch as sums of blocks, whose number it returns, and the force.
  std::size_t queue_sums(bool with_force) {
    if (!correlation_) {
      volume_kernels::mismatch_force(warped_.device_data(), fixed_.device_data(), weights_.device_data(),
                                     extents_, floats_of(spacing_), padded_, velocity_.all(),
                                     sums_.device_data(), stream_);
      return volume_kernels::block_count(padded_);
    }
    const std::size_t sums = correlation_->measure(warped_.device_data(), sums_.device_data(), stream_);
    if (with_force) {
      const float* const weights = correlation_->weights_of_gradient(warped_.device_data(), stream_);
      volume_kernels::weighted_gradient(warped_.device_data(), weights, extents_, floats_of(spacing_),
                                        padded_, velocity_.all(), stream_);
    }
    return sums;
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
  anatomy::Metric metric_;
  anatomy::FixedImageSums fixed_sums_;
  Extents extents_, padded_;
  DeviceBuffer<float> fixed_, moving_, weights_, warped_;
  VectorsOnDevice displacement_, next_, velocity_;
  std::optional<HelmholtzOnDevice> helmholtz_;
  std::optional<GaussianOfVelocity> gaussian_;
  std::optional<CorrelationOnDevice> correlation_;
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
  if (transforms(problem.parameters)) {
    floats += 2 * 3 * 2 * modes;
  } else if (problem.parameters.smoothness_mm > 0) {
    floats += count;
  }
  if (problem.parameters.metric == anatomy::Metric::correlation)
    floats += (problem.weights.empty() ? 7 : 8) * count;
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
