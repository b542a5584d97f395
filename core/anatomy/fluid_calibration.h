#pragma once

#include <functional>
#include <mutex>

#include "core/anatomy/fluid_engine.h"
#include "core/dispatch/calibration.h"

namespace isolume::anatomy {

/// Times of iterations of fluid registration on devices, by dry iterations on two small cubes when they are first asked for (L. K.
/// Ha, PhD thesis, University of Utah, 2011, measures its devices so), and by what has been computed since. They affect which
/// device computes, never its results. Calls may come from any thread.
class FluidCalibration {
 public:
  /// Seconds of an iteration on a cube of `side` voxels; 0: not known, which is asked again.
  using TimeIteration =
      std::function<double(const dispatch::Device& device, const FluidParameters& parameters, int side)>;
  explicit FluidCalibration(TimeIteration time) : time_(std::move(time)) {}

  static constexpr int small_side = 16, large_side = 64;

  /// Seconds of an iteration of one image: those of launches and waiting, and those of each voxel. 0: not known.
  double seconds(dispatch::Device& device, const FluidParameters& parameters, const Counts& counts);
  /// Iterations, those of all images together, that took `seconds`.
  void add(dispatch::Device& device, const FluidParameters& parameters, const Counts& counts,
           double iterations, double seconds);

 private:
  dispatch::DeviceFacts facts(dispatch::Device& device, const FluidParameters& parameters) const;

  TimeIteration time_;
  std::mutex timing_;  ///< one device is timed at a time
  dispatch::Calibration calibration_;
};

/// Runs a level of a phantom and a changed one on a cube of `side` voxels, 1 mm apart. iterate() is one iteration: force, step and warp.
/// Throws as FluidEngine::run.
dispatch::Report run_phantoms(const FluidEngine& engine, const dispatch::ComputeOptions& options,
                              const FluidParameters& parameters, int side,
                              const std::function<void(const std::function<void()>& iterate)>& work,
                              const jobs::Progress& progress = {});
/// Seconds of an iteration on a cube with a phantom: the least of some. Throws as FluidEngine::run.
double time_iteration(const FluidEngine& engine, const dispatch::ComputeOptions& options,
                      const FluidParameters& parameters, int side);

}  // namespace isolume::anatomy
