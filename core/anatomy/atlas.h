#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "core/anatomy/atlas_parameters.h"
#include "core/anatomy/atlas_processes.h"
#include "core/anatomy/atlas_store.h"
#include "core/anatomy/fluid_engine.h"
#include "core/anatomy/mismatch.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// An average of images that are aligned with it (S. Joshi et al., NeuroImage 23, S151, 2004).
struct Atlas {
  FieldValues mean;                    ///< of the values compared
  FieldValues variance;                ///< of the aligned images about it
  std::shared_ptr<AtlasStore> images;  ///< of this process: their first fields are their displacements
  std::vector<double> largest_mm;      ///< the largest displacement of each image of all processes
  std::vector<double> distances_mm;    ///< of flows alone: geodesic_distance of each image of all processes
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
/// The values of images on one grid, which may be made each time they are asked for.
class AtlasImages {
 public:
  AtlasImages(std::size_t count, std::function<FieldValues(std::size_t)> values)
      : count_(count), values_(std::move(values)) {}
  /// They have to live as long as they are used.
  template <class All>
  requires std::convertible_to<const All&, std::span<const FieldValues>> AtlasImages(const All& all)
      : count_(all.size()),
        values_([images = std::span<const FieldValues>(all)](std::size_t i) { return images[i]; }) {}

  std::size_t size() const { return count_; }
  FieldValues values(std::size_t index) const { return values_(index); }

 private:
  std::size_t count_;
  std::function<FieldValues(std::size_t)> values_;
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
/// Images that do not fit the memory of the parameters are streamed from disk (AtlasStore), with the same bits, and on the CPU.
Atlas build_atlas(const AtlasImages& images, std::span<const double> weights, const Counts& counts,
                  const Spacing& spacing_mm, const AtlasParameters& parameters,
                  const std::vector<Level>& levels, const OnAtlasIteration& on_iteration = {},
                  const jobs::Progress& progress = {}, const AtlasProcesses& processes = AtlasProcesses(),
                  const FluidCompute& compute = {});

/// Replaces the mean of an atlas and what follows from it by those of other deformed images, which have values as those compared.
/// `deformed`: makes that of an image of this process by its displacement.
void take_average(
    Atlas& atlas,
    const std::function<FieldValues(std::size_t index, const VectorField& displacement)>& deformed,
    std::span<const double> weights, const jobs::Progress& progress = {},
    const AtlasProcesses& processes = AtlasProcesses());

}  // namespace isolume::anatomy
