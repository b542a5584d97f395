#pragma once

#include <span>
#include <vector>

#include "core/anatomy/fluid.h"
#include "core/anatomy/parameters.h"
#include "core/anatomy/smoother.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// A flow from the moving image (time 0) to the fixed one (time 1) in steps of equal time: in each, points move by the
/// velocity of the step, in mm. The moving image at time k / steps is I(x + u(x)), where u is the displacement back along the
/// flow.
///
/// With L v = (1 - l^2 laplacian - c l^2 grad div) v, as in greedy fluid registration, the energy is
///   sum of the mismatch + regularity integral over time and sum over voxels of (L v) v,
/// v being the velocity per unit of time (M. F. Beg et al., Int. J. Comput. Vis. 61, 139, 2005, with L in place of its square, as
/// AtlasWerks has it: regularity = sigma^2 gamma / steps). Each velocity is the smoothed momentum L v of its step.
class Flow {
 public:
  Flow(const Counts& counts, const Spacing& spacing_mm, const DeformationParameters& parameters,
       double intensity);

  /// The values have to live as long as they are used.
  void set_images(std::span<const float> fixed, std::span<const float> moving,
                  std::span<const float> weights = {});
  /// Surfaces that the flow brings together as well; they live as long as they are used.
  void set_surfaces(SurfaceForces& surfaces) { surfaces_ = surfaces.empty() ? nullptr : &surfaces; }
  void set_fixed(std::span<const float> fixed) { mismatch_.set_fixed(fixed); }
  void set_moving(std::span<const float> moving) { moving_ = moving; }
  /// Momenta of a coarser or finer grid over the same box.
  void set_momenta(const std::vector<VectorField>& momenta);
  const std::vector<VectorField>& momenta() const { return momenta_; }
  /// Velocities in mm per step.
  const std::vector<VectorField>& velocities() const { return velocities_; }

  /// Moves the images along the flow. Returns the energy. Throws Cancelled, as find_direction() does.
  double measure(const jobs::Progress& progress = {});
  /// Moves the image along the flow without measuring it: displacement() and warped().
  std::span<const float> follow();
  /// Makes the direction in which the energy that was measured last falls most, in the norm of the velocities. Returns the
  /// sum of the longest changes of all velocities in voxels by a step of the size 1.
  double find_direction(const jobs::Progress& progress = {});
  /// Adds the direction times a factor to velocities and momenta.
  void move(double step_size);
  /// Minus half of the derivative of the energy along changes of all velocities, of the direction found last.
  double slope_along(const std::vector<VectorField>& changes) const;
  /// Replaces velocities by themselves plus a factor times others, and momenta by nothing: for tests of the mismatch.
  void add_to_velocities(double factor, const std::vector<VectorField>& changes);

  /// Of the energy measured last: the sum of the mismatch alone, and Mismatch::mean of it.
  double mismatch() const { return mismatch_sum_; }
  double mean() const { return mean(mismatch_sum_); }
  double mean(double sum) const { return mismatch_.mean(sum); }
  /// (L v) v of each step, v per unit of time, averaged over voxels: mm^2. Equal in all of them where the flow is a geodesic.
  std::vector<double> kinetic_energies() const;
  /// At time 1.
  const VectorField& displacement() const { return back_; }
  std::span<const float> warped() const { return warped_; }
  /// The displacements at the times 1 / steps to 1.
  std::vector<VectorField> path();

 private:
  void compose(const VectorField& u, const VectorField& v, double sign, VectorField& result) const;
  const VectorField& step_ahead(const VectorField& velocity);

  Counts counts_;
  Spacing spacing_;
  std::size_t steps_;
  double weight_;  ///< of the sum of (L v) v, v per step
  Smoother smoother_;
  Mismatch mismatch_;
  std::span<const float> moving_;
  SurfaceForces* surfaces_ = nullptr;  ///< null: there are none
  std::vector<VectorField> momenta_, velocities_;
  std::vector<VectorField> forces_, direction_;  ///< changes of momenta and of velocities
  std::vector<FieldValues> moved_;               ///< the moving image at the beginning of each step
  VectorField back_, next_;
  FieldValues warped_, weights_;
  double mismatch_sum_ = 0;
};

/// Registers `moving` to `fixed` by a geodesic flow (LDDMM): gradient descent in the norm of the velocities, coarse to fine.
/// A step after which the energy is larger is taken back, and the step size halved. As register_images otherwise; the result
/// also has the flow's displacements and energies. Surfaces are part of the energy, as SurfaceTerm describes.
Registration register_by_flow(std::span<const float> fixed, std::span<const float> moving,
                              const Counts& counts, const Spacing& spacing_mm,
                              const DeformationParameters& parameters, const std::vector<Level>& levels,
                              const OnIteration& on_iteration = {}, const jobs::Progress& progress = {},
                              const Masks& masks = {}, const SurfaceTerm& surfaces = {});

/// The displacement back along a flow at a time from 0 to 1. `velocities`: of steps of equal time, in voxels per step.
VectorField displacement_at(std::span<const VectorField> velocities, double time);

/// The length of a flow in mm: the root of its mean kinetic energy; 0 without any.
double geodesic_distance(std::span<const double> kinetic_energies);

}  // namespace isolume::anatomy
