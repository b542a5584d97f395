#pragma once

#include <vector>

#include "core/base/field_values.h"
#include "core/jobs/progress.h"
#include "core/regions/seeded_image.h"

namespace isolume::regions {

struct Walked {
  std::vector<Label> labels;               ///< the most probable one, of equal ones the smaller
  std::vector<FieldValues> probabilities;  ///< of each label, from 1; empty for one without seeds
  int iterations = 0;                      ///< of all labels together
  double sigma = 0;                        ///< of the weights of links
};

/// Probabilities that a walker from a voxel, who takes a link by its weight, meets a seed of each label first: L.
/// Grady, IEEE Trans. Pattern Anal. Mach. Intell. 28, 1768 (2006). Solves the Laplace equation of the links by
/// conjugate gradients, preconditioned by the diagonal, in float32 with sums in double precision, until the residual
/// is `tolerance` times the first one. Weights are at least 10^-6, as Grady's. Throws as require_seeds, ResourceError;
/// Cancelled; Error if the residual stays above.
Walked walk_randomly(const SeededImage& image, double edge, double tolerance = 1e-4,
                     const jobs::Progress& progress = {});

}  // namespace isolume::regions
