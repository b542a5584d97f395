#pragma once

#include <memory>
#include <span>
#include <vector>

#include "core/anatomy/atlas_parameters.h"
#include "core/anatomy/atlas_store.h"
#include "core/anatomy/mismatch.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// How images are deformed towards their mean, on the grid of a level. The deformation is kept with each image, so that one object
/// serves all of them in turn.
class AtlasSteps {
 public:
  virtual ~AtlasSteps() = default;
  /// Takes over the deformation of a coarser level, and makes the warped image.
  virtual void begin(AtlasSubject& subject) = 0;
  /// The values have to live as long as they are used.
  virtual void set_mean(std::span<const float> mean) = 0;
  /// The sum of an image's mismatch over voxels.
  virtual double measure(AtlasSubject& subject, const jobs::Progress& progress) = 0;
  /// The longest displacement in voxels by a step of the size 1 along the force that was measured last; it may be called once.
  virtual double longest() = 0;
  struct Step {
    double longest = 0;          ///< as longest()
    bool is_taken_back = false;  ///< it would have made the energy of a flow larger
  };
  /// A step of the image that was measured last, with its warped image.
  virtual Step move(AtlasSubject& subject, double step_size, const jobs::Progress& progress) = 0;
  /// The displacement of an image; its fields are lost.
  virtual VectorField displacement(AtlasSubject& subject) = 0;
  /// The length of its flow in mm; 0 without one.
  virtual double distance(AtlasSubject& subject) = 0;
  /// Mismatch::mean
  virtual double mean(double sum) const = 0;
};

/// Those of the parameters' model. `intensity`: of Flow.
std::unique_ptr<AtlasSteps> atlas_steps(const Counts& counts, const Spacing& spacing_mm,
                                        const AtlasParameters& parameters, double intensity);
/// Numbers that the model keeps for each voxel of an image, and those that it needs besides.
struct AtlasMemory {
  double of_each_image = 0, of_all = 0;
};
AtlasMemory atlas_memory(const AtlasParameters& parameters);

}  // namespace isolume::anatomy
