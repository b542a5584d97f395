#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/anatomy/atlas_devices.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/mismatch.h"
#include "core/anatomy/surface_term.h"
#include "core/base/remarks.h"
#include "core/dispatch/compute_options.h"
#include "core/dispatch/dispatch.h"
#include "core/dispatch/engine_registry.h"
#include "core/jobs/progress.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {

/// Values of both images that are compared.
struct Channel {
  std::span<const float> fixed, moving;
};

/// A level of greedy fluid registration. All of it lives as long as the steps that are made of it.
struct FluidProblem {
  Counts counts{};
  Spacing spacing_mm{};
  const FluidParameters& parameters;
  std::span<const float> fixed, moving;
  std::span<const float> weights;   ///< of the mismatch at each voxel; empty: 1
  const VectorField& displacement;  ///< that the level begins with
  LandmarkForces& landmarks;
  SurfaceForces& surfaces;
  int iterations = 0;
  std::span<const Channel> more = {};  ///< compared as well; of the squares alone
};

/// The state of a level: its images, its displacement and the memory that a step needs, on a device or on the host.
/// A step makes x + u(x) of (x + v) + u(x + v), where v is the smoothed force.
class FluidLevel {
 public:
  virtual ~FluidLevel() = default;

  /// The sum of the mismatch (Mismatch::measure) of the moving image as the displacement warps it. Replaces the present force.
  virtual double mismatch() = 0;
  /// The same, and the force that makes it smaller.
  virtual double measure_force() = 0;
  /// Mismatch::mean of a sum.
  virtual double mean(double sum) const = 0;
  /// FluidSteps::move. The force must be that of the present displacement.
  virtual double move(double& step_size) = 0;
  /// Restores the displacement to what it was before the last move(), and not the warped image.
  virtual void take_back() = 0;
  /// Warps the moving image by the present displacement.
  virtual void warp() = 0;
  /// Of the present displacement.
  virtual volumes::JacobianRange jacobian() = 0;
  /// In voxels of the level; copied from the device unless that has been done since the last step. Valid until the next step.
  virtual const VectorField& displacement() = 0;
  /// Replaces the displacement, and warps the moving image by it.
  virtual void set_displacement(const VectorField& displacement) = 0;
  /// The displacement, with which the level ends.
  virtual VectorField take_displacement() = 0;
};

/// A back end that computes the steps of fluid registrations: the CPU, or a GPU.
class FluidEngine {
 public:
  virtual ~FluidEngine() = default;
  virtual std::string_view name() const = 0;  ///< "cpu", "cuda", "emulated"
  virtual std::string description(int threads = 0) const = 0;
  virtual std::vector<std::string> kernels() const { return {}; }
  /// Why another engine is the better choice for this level, as a clause; empty if it is not.
  virtual std::string leaves_to_others(const FluidProblem& /*problem*/) const { return {}; }
  /// Calls work(level) once, the moving image warped by the problem's displacement. An engine that throws Error has not
  /// changed the problem; `work` may have been called.
  /// Throws Error, ResourceError and Cancelled, and what `work` throws.
  virtual dispatch::Report run(const FluidProblem& problem, const dispatch::ComputeOptions& options,
                               const std::function<void(FluidLevel&)>& work,
                               const jobs::Progress& progress) const = 0;

  /// The same as leaves_to_others, of a level of an atlas.
  virtual std::string leaves_to_others(const AtlasShape& /*shape*/) const { return {}; }
  /// Which device would get which images of an atlas. Throws Error where run() would before it begins.
  virtual LevelPlan plan(const AtlasShape& shape, const dispatch::ComputeOptions& options) const = 0;
  /// Calls work(level) with the images on devices, or problem.on_host(). Where a device fails, its images go to others and the
  /// work begins anew; its share in the report has the error. Throws as the other run().
  virtual dispatch::Report run(const AtlasProblem& problem, const dispatch::ComputeOptions& options,
                               const std::function<void(AtlasLevel&)>& work,
                               const jobs::Progress& progress) const = 0;
};
using FluidEngines = dispatch::EngineRegistry<FluidEngine>;

class FluidCalibration;
/// Steps on the threads of the present arena of TBB. `cpu`: the CPU in `calibration`, by which plans have times; null: none.
std::unique_ptr<FluidEngine> make_cpu_fluid_engine(std::shared_ptr<FluidCalibration> calibration = nullptr,
                                                   dispatch::Device* cpu = nullptr);

/// By which engine a registration is computed. Null engines: by the CPU.
struct FluidCompute {
  std::shared_ptr<const FluidEngines> engines = nullptr;
  dispatch::ComputeOptions options = {};
};
/// Runs a level by dispatch::by_chosen_engine. An engine that failed, in whose place another one computed, is a share with the
/// error.
dispatch::Report run_level(const FluidCompute& compute, const FluidProblem& problem,
                           const std::function<void(FluidLevel&)>& work, const jobs::Progress& progress);
dispatch::Report run_level(const FluidCompute& compute, const AtlasProblem& problem,
                           const std::function<void(AtlasLevel&)>& work, const jobs::Progress& progress);
/// The same choice without the work.
LevelPlan plan_level(const FluidCompute& compute, const AtlasShape& shape);
/// Adds the report of a level, which counts as a tile, to that of the levels before.
void add_level(dispatch::Report& all, const dispatch::Report& level);
/// A warning for each engine that failed.
Remarks remarks_of(const dispatch::Report& report);

}  // namespace isolume::anatomy
