#include "gpu/anatomy/fluid_steps_on_device.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/volumes/line_plan.h"
#include "gpu/anatomy/kept_transforms.h"
#include "gpu/runtime/memory/transfer.h"
#include "gpu/runtime/memory/upload_vector.h"
#include "gpu/volumes/gaussian.h"

namespace isolume::gpu {
namespace {

using anatomy::Counts;
using anatomy::FluidParameters;
using anatomy::Spacing;
using anatomy::VectorField;
using volume_kernels::Extents;

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
Extents padded_of(const FluidShape& shape) {
  Counts counts = shape.counts;
  if (transforms(shape.parameters)) {
    for (int& each : counts) each = volumes::next_transform_count(each);
  }
  return extents_of(counts);
}

/// Throws Error if there are too many voxels for the kernels.
Extents checked_padded_of(const FluidShape& shape) {
  const Extents padded = padded_of(shape);
  if (padded.count() > std::numeric_limits<std::int32_t>::max()) {
    throw Error(
        fmt::format("GPUs register images of 2^31 voxels at most, and of {} x {} x {} with the borders that "
                    "transforms need there are more. Choose the engine \"cpu\".",
                    shape.counts[0], shape.counts[1], shape.counts[2]));
  }
  return padded;
}

float3 floats_of(const std::array<double, 3>& values) {
  return {static_cast<float>(values[0]), static_cast<float>(values[1]), static_cast<float>(values[2])};
}
std::array<double, 3> divided(double by, const Spacing& spacing) {
  return {by / spacing[0], by / spacing[1], by / spacing[2]};
}
void copy_on_device(const float* from, float* to, std::size_t count, const Stream& stream) {
  require_success(cudaMemcpyAsync(to, from, count * sizeof(float), cudaMemcpyDeviceToDevice, stream.get()),
                  "copying on the device");
}

}  // namespace

/// anatomy::Smoother on a device.
class FluidStepsOnDevice::Helmholtz {
 public:
  Helmholtz(const FluidShape& shape, Extents padded, const Stream& stream, const WaitLimits& limits,
            KeptTransforms& transforms)
      : padded_(padded),
        l2_(static_cast<float>(shape.parameters.smoothness_mm * shape.parameters.smoothness_mm)),
        b_(static_cast<float>(shape.parameters.compressibility) * l2_),
        fourier_(transforms.lend(stream.device(), {padded.nx, padded.ny, padded.nz}, 3)),
        modes_(stream, 3 * half_of(padded).count()) {
    const int counts[3] = {padded.nx, padded.ny, padded.nz};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<float> numbers;
      const double h = shape.spacing_mm[axis];
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
    fourier_->forward(components, modes_.device_data(), stream);
    volume_kernels::solve_modes(modes_.device_data(), padded_, symbols_, l2_, b_,
                                1 / static_cast<float>(padded_.count()), stream);
    fourier_->inverse(modes_.device_data(), components, stream);
  }

 private:
  Extents padded_;
  float l2_, b_;
  std::shared_ptr<const SingleFourier> fourier_;
  DeviceBuffer<float2> modes_;
  DeviceBuffer<float> numbers_[3];
  volume_kernels::Symbols symbols_[3];
};

/// anatomy::Smoother's Gaussian on a device.
class FluidStepsOnDevice::Gaussian {
 public:
  Gaussian(const FluidShape& shape, const Stream& stream)
      : gaussian_(extents_of(shape.counts),
                  divided(std::numbers::sqrt2 * shape.parameters.smoothness_mm, shape.spacing_mm), stream),
        scratch_(stream, extents_of(shape.counts).count()) {}

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
class FluidStepsOnDevice::Correlation {
 public:
  Correlation(const FluidShape& shape, const Stream& stream)
      : count_(extents_of(shape.counts).count()),
        gaussian_(extents_of(shape.counts),
                  {shape.parameters.window, shape.parameters.window, shape.parameters.window}, stream),
        numbers_(stream, (shape.is_weighted ? 8 : 7) * count_) {
    for (std::size_t i = 0; i < 7; ++i) arrays_[i] = numbers_.device_data() + i * count_;
    if (shape.is_weighted) mean_weight_ = numbers_.device_data() + 7 * count_;
  }

  void set_fixed(const float* fixed, const float* weights, double least_variance, const Stream& stream) {
    fixed_ = fixed;
    weights_ = weights;
    least_variance_ = static_cast<float>(least_variance);
    volume_kernels::multiply_fixed(fixed, weights, count_, arrays_[f], arrays_[ff], stream);
    smooth(f, stream);
    smooth(ff, stream);
    if (weights == nullptr) return;
    copy_on_device(weights, mean_weight_, count_, stream);
    float* const smoothed = gaussian_.smooth(mean_weight_, arrays_[scratch], stream);
    if (smoothed != mean_weight_) std::swap(mean_weight_, arrays_[scratch]);
    volume_kernels::divide_by_weights(mean_weight_, anatomy::least_window_weight, count_, arrays_[f],
                                      arrays_[ff], stream);
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
  const float *fixed_ = nullptr, *weights_ = nullptr;
  float least_variance_ = 0;
  GaussianOnDevice gaussian_;
  DeviceBuffer<float> numbers_;
  std::array<float*, 7> arrays_{};
  float* mean_weight_ = nullptr;  ///< null without weights
};

FluidStepsOnDevice::FluidStepsOnDevice(const FluidShape& shape, const Stream& stream,
                                       const WaitLimits& limits, KeptTransforms& kept)
    : stream_(stream),
      limits_(limits),
      spacing_(shape.spacing_mm),
      largest_step_(shape.parameters.largest_step),
      metric_(shape.parameters.metric),
      extents_(extents_of(shape.counts)),
      padded_(checked_padded_of(shape)),
      fixed_(stream, extents_.count()),
      weights_(stream, shape.is_weighted ? extents_.count() : 0),
      next_(stream, extents_.count()),
      velocity_(stream, padded_.count()),
      sums_(stream, std::max(volume_kernels::block_count(padded_),
                             volume_kernels::reduction_blocks(extents_.count()))),
      squares_(stream, volume_kernels::block_count(extents_)),
      numbers_(stream, 2),
      host_numbers_(stream, 2) {
  if (transforms(shape.parameters)) {
    helmholtz_ = std::make_unique<Helmholtz>(shape, padded_, stream, limits, kept);
  } else if (shape.parameters.smoothness_mm > 0) {
    gaussian_ = std::make_unique<Gaussian>(shape, stream);
  }
  if (metric_ == anatomy::Metric::correlation) correlation_ = std::make_unique<Correlation>(shape, stream);
}

FluidStepsOnDevice::~FluidStepsOnDevice() = default;

void FluidStepsOnDevice::set_fixed(std::span<const float> fixed, std::span<const float> weights) {
  fixed_sums_ = anatomy::sums_of_fixed(fixed, weights, metric_);
  upload<float>(stream_, fixed, fixed_.device_data(), from_now(limits_.deadline), limits_.progress);
  if (!weights.empty())
    upload<float>(stream_, weights, weights_.device_data(), from_now(limits_.deadline), limits_.progress);
  if (correlation_) {
    correlation_->set_fixed(fixed_.device_data(), weights_.device_data(), fixed_sums_.least_variance,
                            stream_);
  }
}

double FluidStepsOnDevice::mismatch(const float* warped) {
  const std::size_t sums = queue_sums(warped, false);
  volume_kernels::reduce(sums_.device_data(), sums, nullptr, 0, numbers_.device_data(),
                         numbers_.device_data() + 1, stream_);
  return awaited_numbers(1)[0];
}

double FluidStepsOnDevice::measure_force(const float* warped) {
  const std::size_t sums = queue_sums(warped, true);
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

double FluidStepsOnDevice::move(VectorsOnDevice& displacement, double& step_size) {
  if (longest_ == 0) return 0;
  if (step_size == 0) step_size = largest_step_ / longest_;
  const double size = std::min(step_size, largest_step_ / longest_);
  volume_kernels::compose_step(displacement.all(), velocity_.all(), floats_of(divided(size, spacing_)),
                               extents_, padded_, next_.all(), stream_);
  take_back(displacement);
  return size * longest_;
}

void FluidStepsOnDevice::warp(const float* moving, const VectorsOnDevice& displacement, float* warped) const {
  volume_kernels::warp(moving, extents_, displacement.all(), warped, stream_);
}

volumes::JacobianRange FluidStepsOnDevice::jacobian(const VectorsOnDevice& displacement) {
  // The memory of squares, and of sums, which are not needed now.
  float* const folded = reinterpret_cast<float*>(sums_.device_data());
  volume_kernels::jacobians(displacement.all(), extents_, squares_.device_data(), folded, stream_);
  volume_kernels::reduce_jacobians(squares_.device_data(), folded, squares_.size(), numbers_.device_data(),
                                   stream_);
  const auto numbers = awaited_numbers(2);
  return {.least = static_cast<float>(numbers[0]), .folded = static_cast<std::size_t>(numbers[1])};
}

void FluidStepsOnDevice::upload_field(const VectorField& field, const VectorsOnDevice& to) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    upload<float>(stream_, {field.data(axis), extents_.count()}, to.component(axis),
                  from_now(limits_.deadline), limits_.progress);
  }
}

void FluidStepsOnDevice::download_field(const VectorsOnDevice& from, VectorField& field) const {
  if (field.counts == Counts{}) field = VectorField({extents_.nx, extents_.ny, extents_.nz});
  for (std::size_t axis = 0; axis < 3; ++axis) {
    download<float>(stream_, from.component(axis), {field.data(axis), extents_.count()},
                    from_now(limits_.deadline), limits_.progress);
  }
}

std::size_t FluidStepsOnDevice::queue_sums(const float* warped, bool with_force) {
  if (!correlation_) {
    volume_kernels::mismatch_force(warped, fixed_.device_data(), weights_.device_data(), extents_,
                                   floats_of(spacing_), padded_, velocity_.all(), sums_.device_data(),
                                   stream_);
    return volume_kernels::block_count(padded_);
  }
  const std::size_t sums = correlation_->measure(warped, sums_.device_data(), stream_);
  if (with_force) {
    const float* const weights = correlation_->weights_of_gradient(warped, stream_);
    volume_kernels::weighted_gradient(warped, weights, extents_, floats_of(spacing_), padded_,
                                      velocity_.all(), stream_);
  }
  return sums;
}

std::span<const double> FluidStepsOnDevice::awaited_numbers(std::size_t count) {
  numbers_.copy_to(host_numbers_.host().first(count), stream_);
  stream_.wait(limits_);
  return host_numbers_.host();
}

std::size_t bytes_of_steps(const FluidShape& shape) {
  const std::size_t count = extents_of(shape.counts).count(), padded = padded_of(shape).count(),
                    modes = half_of(padded_of(shape)).count();
  std::size_t floats = 4 * count + 3 * padded;
  if (shape.is_weighted) floats += count;
  if (transforms(shape.parameters)) {
    floats += 2 * 3 * 2 * modes;
  } else if (shape.parameters.smoothness_mm > 0) {
    floats += count;
  }
  if (shape.parameters.metric == anatomy::Metric::correlation) floats += (shape.is_weighted ? 8 : 7) * count;
  return floats * sizeof(float);
}

std::size_t bytes_of_image(const FluidShape& shape) {
  return 5 * extents_of(shape.counts).count() * sizeof(float);
}

}  // namespace isolume::gpu
