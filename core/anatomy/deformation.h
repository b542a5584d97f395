#pragma once

#include <span>
#include <vector>

#include "core/anatomy/fluid.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/parameters.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// Whether a model brings landmarks together: all but geodesic flows.
bool follows_landmarks(DeformationModel model);

/// Registers by the model of the parameters: register_images, register_by_splines or register_by_flow, which leaves the
/// landmarks out.
Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks);

}  // namespace isolume::anatomy
