#pragma once

#include <span>
#include <vector>

#include "core/anatomy/fluid.h"
#include "core/anatomy/mask.h"
#include "core/anatomy/parameters.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// The displacement of the flow of a stationary velocity for one unit of time, both in voxels: by scaling and squaring, from
/// steps of at most a quarter of a voxel. `factor` times the velocity; -1 gives the inverse map.
VectorField exponential(const VectorField& velocity, double factor = 1);

/// A velocity whose flow is that of `u`, then that of `v`, up to the second order of their lengths: v + u + (Dv u - Du v) / 2
/// (Baker, Campbell and Hausdorff).
VectorField composed_velocity(const VectorField& v, const VectorField& u);

/// Registers `moving` to `fixed` by symmetric log-demons (T. Vercauteren et al., MICCAI 2008, LNCS 5241, 754), coarse to fine: the map is
/// exp(v). In each step, the force of the moving image on the fixed one's grid minus that of the fixed image on the moving one's is
/// smoothed as in fluid registrations, the velocity becomes that of exp(v) o exp(step), and is smoothed by a Gaussian. In place of
/// the demons' normalisation of each voxel's force, which suits squared differences alone, one step size is used for all, as in
/// register_images. Landmarks have the forces that they have there. A step after which the mismatch of both directions is larger is taken back, and the step size halved. The
/// result also has the velocity; otherwise it is as register_images() gives it, and so are the errors.
Registration register_by_demons(std::span<const float> fixed, std::span<const float> moving,
                                const Counts& counts, const Spacing& spacing_mm,
                                const DeformationParameters& parameters, const std::vector<Level>& levels,
                                const OnIteration& on_iteration = {}, const jobs::Progress& progress = {},
                                const LandmarkTerm& landmarks = {}, const Masks& masks = {});

}  // namespace isolume::anatomy
