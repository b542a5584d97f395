#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/anatomy/classes.h"
#include "core/anatomy/fluid_engine.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/mask.h"
#include "core/anatomy/mismatch.h"
#include "core/anatomy/smoother.h"
#include "core/anatomy/surface_term.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// Steps of greedy fluid registration on one grid, with the memory that they need. The displacement u makes a warped image
/// I(x + u(x)); a step makes x + u(x) of (x + v) + u(x + v), where v is the smoothed force.
class FluidSteps {
 public:
  FluidSteps(const Counts& counts, const Spacing& spacing_mm, const FluidParameters& parameters);

  /// As Mismatch::set_fixed.
  void set_fixed(std::span<const float> fixed, std::span<const float> weights = {}) {
    mismatch_.set_fixed(fixed, weights);
  }
  /// Makes the force of the present mismatch. Returns the mismatch's sum.
  double measure(std::span<const float> warped) { return mismatch_.measure(warped, &velocity_); }
  /// The same of other images, added to the present force.
  double measure_more(std::span<const float> warped);
  Mismatch& mismatch() { return mismatch_; }
  double mean(double sum) const { return mismatch_.mean(sum); }
  /// Smooths the force. Returns the longest displacement in voxels by a step of the size 1.
  double smooth();
  /// Smooths the force and takes one step along it. `step_size` is set by the first step of a level, where it is 0: its longest
  /// displacement is the largest step. Later forces are weaker; where one is not, the step is limited to the largest.
  /// `surfaces`: as last measured at this displacement. Returns the longest displacement in voxels.
  double move(VectorField& displacement, double& step_size, const LandmarkForces* landmarks = nullptr,
              const SurfaceForces* surfaces = nullptr);
  /// Measures how pairs answer to forces on this grid. Replaces the present force.
  void prepare(LandmarkForces& landmarks);
  /// Restores the displacement to what it was before the last move(), which must have been of the same one.
  void take_back(VectorField& displacement) { std::swap(displacement, next_); }

 private:
  Spacing spacing_;
  double largest_step_;
  Mismatch mismatch_;
  Smoother smoother_;
  VectorField velocity_, next_;  ///< `next_` holds the displacement before the last step
  VectorField more_;             ///< force of further images
};

/// The displacement of an iteration, which is copied from a device when it is first read.
class IterationDisplacement {
 public:
  IterationDisplacement(const VectorField& field) : field_(&field) {}
  explicit IterationDisplacement(FluidLevel& level) : level_(&level) {}
  operator const VectorField&() const { return field_ != nullptr ? *field_ : level_->displacement(); }

 private:
  const VectorField* field_ = nullptr;
  FluidLevel* level_ = nullptr;
};

/// The present state of a registration, valid while a callback runs.
struct Iteration {
  std::size_t level = 0, levels = 0;
  int iteration = 0, iterations = 0;  ///< of the level
  double mismatch = 0;                ///< Mismatch::mean, before the step
  double longest_step_voxels = 0;
  IterationDisplacement displacement;  ///< of the level's grid, after the step
  double surfaces = 0;                 ///< SurfaceForces::relative_distance, before the step
};
using OnIteration = std::function<void(const Iteration&)>;

/// A registration's result at one level.
struct LevelResult {
  Counts counts{};
  int iterations = 0;
  double mismatch_before = 0, mismatch_after = 0;  ///< Mismatch::mean at this level
  float least_jacobian = 1;
  std::size_t mended = 0;  ///< Registration::mended; of fluid registrations alone
  /// SurfaceForces::relative_distance at this level's kernel width; 0 without surfaces.
  double surfaces_before = 0, surfaces_after = 0;
};

struct Registration {
  VectorField displacement;  ///< in voxels of the grid
  FieldValues warped;        ///< the moving image's values, as they were given, at x + u(x)
  std::vector<LevelResult> levels;
  Metric metric = Metric::squares;
  double mismatch_before = 0, mismatch_after = 0;  ///< of the full resolution: Mismatch::mean
  float least_jacobian = 1;
  std::size_t folded = 0;  ///< voxels whose Jacobian is not positive
  /// Of a flow alone (register_by_flow): the displacements at the end of each step, and Flow::kinetic_energies.
  std::vector<VectorField> path;
  std::vector<VectorField> velocities;  ///< of each step, in voxels of the grid
  std::vector<double> kinetic_energies;
  VectorField velocity;  ///< of log-demons alone: in voxels of the grid; the displacement is its exponential
  std::size_t mended =
      0;  ///< voxels of all levels that folded, and about which the displacement was smoothed
  dispatch::Report report;              ///< of fluid registrations alone: the devices, a tile for each level
  std::vector<SurfaceResult> surfaces;  ///< of models that follow surfaces alone
};

/// A start for a registration: the displacement so far, on a grid of any resolution over the same box, which
/// replaces the levels before `first_level`.
struct Start {
  const VectorField* displacement = nullptr;
  std::size_t first_level = 0;
};

/// Registers `moving` to `fixed`, both on the same grid, and brings the pairs of `landmarks` together. A step after which the
/// mismatch is larger, with the part of the pairs, is taken back, and the step size of the level halved; a level ends early when
/// its steps are a hundredth of the first one. The result is the same on any number of threads of TBB's arena.
/// Masks weigh the mismatch: the fixed image's in its place, the moving one's as the displacement at the beginning of a level
/// carries it. Surfaces are brought together as SurfaceTerm describes. Where there are `classes`, the mismatch is the square
/// difference of their probabilities, summed over all classes, in place of that of the values. `compute`: GPUs differ from the CPU by rounding; where one fails, the CPU begins the level anew.
/// Throws Error for images that are constant, not finite or too small, and masks that have no voxel in common;
/// ResourceError and Cancelled.
Registration register_images(std::span<const float> fixed, std::span<const float> moving,
                             const Counts& counts, const Spacing& spacing_mm,
                             const FluidParameters& parameters, const std::vector<Level>& levels,
                             const Start& start = {}, const OnIteration& on_iteration = {},
                             const jobs::Progress& progress = {}, const LandmarkTerm& landmarks = {},
                             const Masks& masks = {}, const FluidCompute& compute = {},
                             const SurfaceTerm& surfaces = {}, const ClassPair& classes = {});

/// Both images of a registration with comparable values, at any resolution.
class LevelImages {
 public:
  /// `classes` are compared in place of the values; they live as long as this. Throws as register_images.
  LevelImages(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
              const FluidParameters& parameters, const Masks& masks = {}, const ClassPair* classes = nullptr);

  struct Images {
    FieldValues fixed, moving;
  };
  Images at(const Counts& counts) const;
  /// The values that are compared: those of at(), or the probabilities of each class.
  std::vector<Images> compared_at(const Counts& counts) const;
  /// The weights of the mismatch: the masks as a displacement carries that of the moving image. Empty: 1. Throws Error where
  /// all are 0.
  FieldValues weights(const VectorField& displacement) const;
  /// The same on the moving image's grid, where a displacement carries the fixed image's mask.
  FieldValues weights_of_moving(const VectorField& displacement) const;
  /// The change of a value that counts as 1: the range of the fixed image, or 1 for the correlation.
  double intensity() const { return intensity_; }
  /// Smooths `result.displacement` where it folds, and sets what is measured of it. `moving`: as it was given.
  void finish(std::span<const float> moving, const Spacing& spacing_mm, const FluidParameters& parameters,
              Registration& result) const;

 private:
  Counts counts_;
  FieldValues weights(const VectorField& displacement, const Masks& masks) const;

  Masks masks_;
  const ClassPair* classes_;
  FieldValues fixed_, moving_;
  double intensity_ = 1;
};

/// The values mapped as the parameter says, by the range of those inside the mask.
/// Throws Error naming the image if it is constant or not finite.
FieldValues comparable(std::span<const float> values, Intensities intensities, std::string_view name,
                       std::span<const float> inside = {});

/// Spacings of a level over the same box.
Spacing level_spacing(const Counts& finest, const Spacing& spacing_mm, const Counts& level);

/// Throws Error if the grid has fewer than two voxels along x or y, or too many for an index.
void require_grid(const Counts& counts);

}  // namespace isolume::anatomy
