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

/// Surfaces that are brought together by greedy fluid registrations and geodesic flows, and classes of tissue that the first ones
/// compare.
struct FurtherTerms {
  SurfaceTerm surfaces;
  int classes = 0;          ///< TermParameters::classes
  ClassPair probabilities;  ///< that are compared in place of those of `classes`; empty: there are none

  Remarks remarks;  ///< on what is left out of them

  bool compares_classes() const { return classes > 0 || !probabilities.empty(); }
};

/// Whether a model brings landmarks together: all but geodesic flows and log-demons.
bool follows_landmarks(DeformationModel model);

/// Whether a model brings surfaces together: greedy fluid and geodesic flows.
bool follows_surfaces(DeformationModel model);

/// Registers by the model of the parameters: register_images, register_by_splines, register_by_flow or register_by_demons;
/// the last two leave the landmarks out, and what FurtherTerms names others. `compute`: of fluid registrations alone, by
/// the engine of the parameters.
Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks, const Masks& masks = {},
                    const FluidCompute& compute = {}, const FurtherTerms& further = {});

}  // namespace isolume::anatomy
