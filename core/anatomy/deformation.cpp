#include "core/anatomy/deformation.h"

#include "core/anatomy/bspline.h"
#include "core/anatomy/geodesic.h"

namespace isolume::anatomy {

bool follows_landmarks(DeformationModel model) {
  return model != DeformationModel::lddmm;
}

Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks) {
  if (parameters.model == DeformationModel::b_spline) {
    return register_by_splines(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress,
                               landmarks);
  }
  if (parameters.model == DeformationModel::lddmm)
    return register_by_flow(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress);
  return register_images(fixed, moving, counts, spacing_mm, parameters, levels, {}, on_iteration, progress,
                         landmarks);
}

}  // namespace isolume::anatomy
