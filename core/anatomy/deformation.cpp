#include "core/anatomy/deformation.h"

#include "core/anatomy/bspline.h"
#include "core/anatomy/demons.h"
#include "core/anatomy/geodesic.h"

namespace isolume::anatomy {

FluidCompute with_engine_of(const DeformationParameters& parameters, FluidCompute compute) {
  compute.options.engine = parameters.engine;
  return compute;
}

bool follows_landmarks(DeformationModel model) {
  return model != DeformationModel::lddmm;
}

bool follows_surfaces(DeformationModel model) {
  return model == DeformationModel::fluid || model == DeformationModel::lddmm;
}

Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks, const Masks& masks,
                    const FluidCompute& compute, const FurtherTerms& further) {
  if (parameters.model == DeformationModel::b_spline) {
    return register_by_splines(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress,
                               landmarks, masks);
  }
  if (parameters.model == DeformationModel::demons) {
    return register_by_demons(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress,
                              landmarks, masks);
  }
  if (parameters.model == DeformationModel::lddmm)
    return register_by_flow(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress,
                            masks, further.surfaces);
  const bool are_found = further.classes > 0 && further.probabilities.empty();
  return register_images(fixed, moving, counts, spacing_mm, parameters, levels, {}, on_iteration, progress,
                         landmarks, masks, with_engine_of(parameters, compute), further.surfaces,
                         are_found ? class_pair(fixed, moving, further.classes) : further.probabilities);
}

}  // namespace isolume::anatomy
