#pragma once

#include <functional>
#include <span>
#include <vector>

#include "core/anatomy/atlas_parameters.h"
#include "core/anatomy/atlas_processes.h"
#include "core/anatomy/fluid_engine.h"
#include "core/anatomy/mismatch.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// An average of images that are aligned with it (S. Joshi et al., NeuroImage 23, S151, 2004).
struct Atlas {
  FieldValues mean;                        ///< of the values compared
  FieldValues variance;                    ///< of the aligned images about it
  std::vector<VectorField> displacements;  ///< of the images of this process
  std::vector<double> largest_mm;          ///< the largest displacement of each image of all processes
  std::vector<double> distances_mm;  ///< of flows alone: geodesic_distance of each image of all processes
  /// Root mean square of the difference of images and mean, without any displacement and with them.
  double spread_before = 0, spread_after = 0;
  float least_jacobian = 1;
  /// Voxels of all images whose Jacobian is not positive, and those that folded and were smoothed about.
  std::size_t folded = 0, mended = 0;
  dispatch::Report report;  ///< of fluid steps alone: the devices, with a tile for each image and level
};

/// The present state of an atlas, valid while a callback runs.
struct AtlasIteration {
  std::size_t level = 0, levels = 0;
  int iteration = 0, iterations = 0;
  double spread = 0;                      ///< at the level, before the step
  std::span<const float> mean, variance;  ///< on the level's grid, after the step
};
using OnAtlasIteration = std::function<void(const AtlasIteration&)>;

/// Averages images on one grid: the mean of the warped images, and a step of each towards it, in turn, all of one size. Of fluid steps
/// it is halved after an iteration in which the spread grew. A flow begins at an image and ends at the mean, and a step that would make
/// its energy larger is taken back; then the size is halved, else it grows, up to the largest step. The mean is a sum of rounded terms
/// that is exact in any order: the same bits on any number of threads and processes. Images and weights are those of this
/// process, and may be none where others have some. Weights are positive, one for each image.
/// `compute`: of fluid steps. Images go to several GPUs, with the same bits on any number of GPUs of one kind, which differ from the
/// CPU's by rounding. Where a GPU fails, the level begins anew on others or the CPU. Of several processes "auto" is the CPU, and all
/// end where a GPU fails.
/// Throws Error for fewer than two images and as register_images, ResourceError and Cancelled.
Atlas build_atlas(std::span<const FieldValues> images, std::span<const double> weights, const Counts& counts,
                  const Spacing& spacing_mm, const AtlasParameters& parameters,
                  const std::vector<Level>& levels, const OnAtlasIteration& on_iteration = {},
                  const jobs::Progress& progress = {}, const AtlasProcesses& processes = AtlasProcesses(),
                  const FluidCompute& compute = {});

/// Replaces the mean of an atlas and what follows from it by those of these deformed images of this process, which have values as
/// those compared.
void take_average(Atlas& atlas, std::span<const FieldValues> warped, std::span<const double> weights,
                  const AtlasProcesses& processes = AtlasProcesses());

}  // namespace isolume::anatomy
