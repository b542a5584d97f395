#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/anatomy/deformation.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/linear.h"
#include "core/anatomy/mask.h"
#include "core/base/remarks.h"
#include "core/grid/grid.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// Two images that are to be aligned, on the grid of the fixed one. Never changes.
struct Pair {
  std::filesystem::path fixed_path, moving_path;  ///< empty: it is no file
  grid::Grid grid;
  FieldValues fixed;
  std::shared_ptr<const Image> moving_image;  ///< null: there is none yet
  FieldValues moving;  ///< resampled by the positions in the headers; its least value outside
  Remarks remarks;

  bool has_moving() const { return moving_image != nullptr; }
};
/// Gives a pair its moving image, which must be of the fixed one's kind (require_same_kind).
void set_moving(Pair& pair, std::shared_ptr<const Image> image);
/// Throws as read_image, require_registrable and require_same_kind. `moving` may be empty.
std::shared_ptr<const Pair> read_pair(const std::filesystem::path& fixed, const std::filesystem::path& moving,
                                      const jobs::Progress& progress);
/// A head phantom, and the same one deformed, of 96^3 voxels of 2 mm.
std::shared_ptr<const Pair> phantom_pair();
/// The parts of one of the two heads (head_parts).
Labels phantom_labels(bool is_moving);

/// The moving image of a pair as a linear map places it.
struct Placement {
  std::shared_ptr<const Pair> pair;
  LinearParameters parameters;
  MaskPair masks;
  LinearRegistration found;
  FieldValues moving;  ///< on the pair's grid
  Remarks remarks;     ///< how much of the grid it covers
  bool finished = false;
};
/// `show` gets maps found so far. Landmarks are the start of the search, or all that the map is fitted to, as register_linear
/// uses them. Until the map is found, `shown` is shown in place of them, unless null: the search itself does not depend on it.
/// Throws as register_linear and inside_image and, where no map is searched, as resampled.
std::shared_ptr<const Placement> place(const std::shared_ptr<const Pair>& pair,
                                       const LinearParameters& parameters,
                                       const std::function<void(std::shared_ptr<const Placement>)>& show,
                                       const jobs::Progress& progress, const LandmarkPairs& landmarks = {},
                                       const MaskPair& masks = {}, const Eigen::Affine3d* shown = nullptr);
/// A message on the linear map: "Affine map: mutual information 0.31 before, 0.78 after; corners moved by up to 12 mm".
std::string text_of(const Placement& placement);

/// What a registration has found, or found so far.
struct Alignment {
  std::shared_ptr<const Placement> placement;
  Metric metric = Metric::squares;
  double smoothness_mm = 0;  ///< FluidParameters::smoothness_mm
  VectorField displacement;  ///< in voxels of the pair's grid
  FieldValues warped;        ///< the placed image at x + u(x)
  std::size_t level = 0, levels = 0;
  std::vector<double> mismatches;                  ///< of each iteration so far, at its level: Mismatch::mean
  double mismatch_before = 0, mismatch_after = 0;  ///< at full resolution, when it is finished
  float least_jacobian = 1;
  std::size_t folded = 0;                 ///< voxels whose Jacobian is not positive
  std::size_t mended = 0;                 ///< Registration::mended
  bool leaves_landmarks_out = false;      ///< there are some, and the model does not follow them
  std::vector<double> kinetic_energies;   ///< of a flow: Registration::kinetic_energies
  std::vector<VectorField> velocities;    ///< of a flow, when it is finished: Registration::velocities
  dispatch::Report report;                ///< Registration::report
  std::vector<double> surface_distances;  ///< Iteration::surfaces so far; empty without surfaces
  std::vector<SurfaceResult> surfaces;    ///< Registration::surfaces, when it is finished
  Remarks remarks;                        ///< FurtherTerms::remarks, when it is finished
  bool finished = false;

  const Pair& pair() const { return *placement->pair; }
};
/// The displacement of the whole map, in voxels of the pair's grid: the deformation, then the linear map.
VectorField whole_displacement(const Alignment& alignment);
/// The same at a part of the way from 0, where the moving image is, to 1: a flow at this time, or the deformation times `morph`, each
/// with that part of the linear map's displacement.
VectorField whole_displacement(const Alignment& alignment, double morph);
/// Where a point of the fixed image lies in the moving one, in mm (LPS).
Eigen::Vector3d moving_point(const Alignment& alignment, const Eigen::Vector3d& fixed);
/// A part of the way: displacements times `morph`.
VectorField part_of(VectorField displacement, double morph);
/// The warped image for a file: resampled once, from the moving image's own voxels.
FieldValues warped_image(const Alignment& alignment);
/// Deforms the placed image. `show` gets what is found so far: soon, then as often as that costs at
/// most a quarter of the time. The deformation brings the landmarks on the fixed image's grid together, by their weight, and
/// compares the images inside the placement's masks.
///
/// `before`: what was found for other parameters or images on the same grid; null: nothing. Where it brings the images
/// nearer to each other, it is what is shown at first and, in fluid registrations of several levels, what continues with
/// the new parameters at a middle level. The result does not depend on it: it is found from nothing, and replaces what is shown
/// from its last level on. For a placement that is not finished, what was found before is all that is applied.
/// `compute`: by what fluid registrations are computed, by the engine of the parameters. `further`: what fluid registrations use
/// besides, surfaces on the pair's grid as the placement has placed them. Throws as register_images.
std::shared_ptr<const Alignment> align(const std::shared_ptr<const Placement>& placement,
                                       const DeformationParameters& parameters,
                                       const std::function<void(std::shared_ptr<const Alignment>)>& show,
                                       const jobs::Progress& progress, const LandmarkPairs& landmarks = {},
                                       const Alignment* before = nullptr, const FluidCompute& compute = {},
                                       const FurtherTerms& further = {});

/// How the two images of a pair are shown together.
enum class Shown {
  overlay,  ///< fixed in green, warped in magenta: grey where they agree
  warped,
  fixed,
  moving,
  checkerboard,  ///< fixed and warped in turns
  wipe,          ///< fixed to the left, warped to the right: second_of() over picture_of()
  flicker,       ///< fixed and warped one after the other
  difference,    ///< fixed - warped, of values mapped to 0 to 1: grey is 0
  jacobian       ///< of the map: grey is 1, black 0 and below, where it folds
};
/// Which labels are drawn over the picture.
enum class ShownLabels { none, moving, fixed };
struct Comparison {
  Shown shown = Shown::overlay;
  int squares = 8;  ///< of the checkerboard, along the longest axis
  ShownLabels labels = ShownLabels::none;
  double label_opacity = 0.5;
  double wipe = 0.5;    ///< where the warped image begins, in widths of a view
  double morph = 1;     ///< of the way from the moving image's place and shape to the fixed one's
  bool grid = false;    ///< the deformed grid over the picture
  double grid_mm = 10;  ///< between its lines
  bool operator==(const Comparison&) const = default;
};
/// An image of the pair's grid. Without an alignment, the placed image stands for the warped one, without a placement the
/// moving one, and without that the fixed one.
images::Volume picture_of(const Pair& pair, const Placement* placement, const Alignment* alignment,
                          const Comparison& comparison);
/// The warped image, its values mapped as those of picture_of() for a wipe.
images::Volume second_of(const Pair& pair, const Placement* placement, const Alignment* alignment,
                         const Comparison& comparison);
/// The values that are black and white in it; the percentiles 1 and 99.8 of images.
images::ValueRange shown_values(const images::Volume& picture, const Comparison& comparison);

/// A message on the alignment's progress or result: "Level 2 of 3, iteration 20, difference 0.031".
std::string text_of(const Alignment& alignment);

}  // namespace isolume::anatomy
