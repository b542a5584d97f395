#include "core/anatomy/fluid_calibration.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/anatomy/phantom.h"
#include "core/base/clock.h"

namespace isolume::anatomy {
namespace {

/// What iterations differ by, apart from their voxels.
std::string kind_of(const FluidParameters& parameters) {
  std::string kind(name_of(parameters.metric));
  if (parameters.smoothness_mm > 0)
    kind += parameters.smoothing == Smoothing::helmholtz ? ", Helmholtz" : ", Gaussian";
  return kind;
}

double voxels_of(int side) {
  return std::pow(static_cast<double>(side), 3);
}

}  // namespace

dispatch::DeviceFacts FluidCalibration::facts(dispatch::Device& device,
                                              const FluidParameters& parameters) const {
  const std::array devices{&device};
  return calibration_.facts(devices, kind_of(parameters)).front();
}

double FluidCalibration::seconds(dispatch::Device& device, const FluidParameters& parameters,
                                 const Counts& counts) {
  const std::scoped_lock lock(timing_);
  dispatch::DeviceFacts known = facts(device, parameters);
  if (!known.measured) {
    const double small = time_(device, parameters, small_side), large = time_(device, parameters, large_side);
    if (!(small > 0) || !(large > 0)) return 0;
    // Where launches hide the work on both, at least a tenth of the time is that of the voxels.
    const double voxels = voxels_of(large_side) - voxels_of(small_side);
    const double computing = std::max(large - small, 0.1 * large);
    const double start = std::max(small - computing * voxels_of(small_side) / voxels, 0.0);
    calibration_.add(device, kind_of(parameters),
                     {.start_seconds = start, .operations = voxels, .computing_seconds = computing});
    known = facts(device, parameters);
  }
  return known.start_seconds +
         static_cast<double>(volumes::point_count(counts)) / known.operations_per_second;
}

void FluidCalibration::add(dispatch::Device& device, const FluidParameters& parameters, const Counts& counts,
                           double iterations, double seconds) {
  const std::scoped_lock lock(timing_);
  const dispatch::DeviceFacts known = facts(device, parameters);
  if (!known.measured) return;
  const double computing = std::max(seconds - iterations * known.start_seconds, 0.1 * seconds);
  calibration_.add(device, kind_of(parameters),
                   {.operations = iterations * static_cast<double>(volumes::point_count(counts)),
                    .computing_seconds = computing});
}

dispatch::Report run_phantoms(const FluidEngine& engine, const dispatch::ComputeOptions& options,
                              const FluidParameters& parameters, int side,
                              const std::function<void(const std::function<void()>& iterate)>& work,
                              const jobs::Progress& progress) {
  const Counts counts{side, side, side};
  const Spacing spacing{1, 1, 1};
  const FieldValues fixed = phantom(side, 0.08), moving = phantom(side, 0);
  const VectorField identity = volumes::zero_field(counts);
  LandmarkForces none({}, counts, counts, spacing, 1);
  SurfaceForces no_surfaces({}, counts, counts, spacing, 1);
  return engine.run(
      {.counts = counts,
       .spacing_mm = spacing,
       .parameters = parameters,
       .fixed = fixed,
       .moving = moving,
       .weights = {},
       .displacement = identity,
       .landmarks = none,
       .surfaces = no_surfaces,
       .iterations = 1},
      options,
      [&](FluidLevel& level) {
        double step_size = 0;
        work([&] {
          level.measure_force();
          level.move(step_size);
          level.warp();
        });
      },
      progress);
}

double time_iteration(const FluidEngine& engine, const dispatch::ComputeOptions& options,
                      const FluidParameters& parameters, int side) {
  double least = std::numeric_limits<double>::max();
  run_phantoms(engine, options, parameters, side, [&](const auto& iterate) {
    constexpr int iterations = 4;  // the first one loads kernels and memory
    for (int i = 0; i < iterations; ++i) {
      const auto begin = std::chrono::steady_clock::now();
      iterate();
      least = std::min(least, seconds_since(begin));
    }
  });
  return least;
}

}  // namespace isolume::anatomy
