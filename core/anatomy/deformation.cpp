#include "core/anatomy/deformation.h"

#include "core/anatomy/bspline.h"

namespace isolume::anatomy {

Registration deform(std::span<const float> fixed, std::span<const float> moving, const Counts& counts,
                    const Spacing& spacing_mm, const DeformationParameters& parameters,
                    const std::vector<Level>& levels, const OnIteration& on_iteration,
                    const jobs::Progress& progress, const LandmarkTerm& landmarks) {
  if (parameters.model == DeformationModel::b_spline) {
    return register_by_splines(fixed, moving, counts, spacing_mm, parameters, levels, on_iteration, progress,
                               landmarks);
  }
  return register_images(fixed, moving, counts, spacing_mm, parameters, levels, {}, on_iteration, progress,
                         landmarks);
}

}  // namespace isolume::anatomy
