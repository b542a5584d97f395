#pragma once

#include <span>
#include <vector>

#include "core/anatomy/fluid.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/parameters.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// The same engines and devices, and the engine of the parameters.
FluidCompute with_engine_of(const DeformationParameters& parameters, FluidCompute compute);

/// Whether a model brings landmarks together: all but geodesic flows and log-demons.
bool follows_landmarks(DeformationModel model);

/// Registers by the model of the parameters: register_images, register_by_splines, register_by_flow or register_by_demons;
/// the last two leave the landmarks out. `compute`: of fluid registrations alone, by the engine of the parameters.
Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks, const Masks& masks = {},
                    const FluidCompute& compute = {});

}  // namespace isolume::anatomy
