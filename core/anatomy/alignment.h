#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/anatomy/fluid.h"
#include "core/anatomy/image.h"
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
  FieldValues moving;                         ///< resampled; empty: there is no moving image yet
  std::shared_ptr<const Image> moving_image;  ///< as it was read; null: it is no file
  Remarks remarks;
};
/// Throws as read_image, require_registrable and resampled. `moving` may be empty.
std::shared_ptr<const Pair> read_pair(const std::filesystem::path& fixed, const std::filesystem::path& moving,
                                      const jobs::Progress& progress);
/// A head phantom, and the same one deformed, of 96^3 voxels of 2 mm.
std::shared_ptr<const Pair> phantom_pair();

/// What a registration has found, or found so far.
struct Alignment {
  std::shared_ptr<const Pair> pair;
  VectorField displacement;  ///< in voxels of the pair's grid
  FieldValues warped;        ///< the moving image at x + u(x)
  std::size_t level = 0, levels = 0;
  std::vector<double> mismatches;  ///< of each iteration so far: root mean squares at its level
  double mismatch_before = 0, mismatch_after = 0;  ///< at full resolution, when it is finished
  float least_jacobian = 1;
  std::size_t folded = 0;  ///< voxels whose Jacobian is not positive
  bool finished = false;
};
/// The warped image for a file: resampled once, from the moving image's own voxels.
FieldValues warped_image(const Alignment& alignment);
/// Registers the pair, which has a moving image. `show` gets what is found so far: soon, then as often as that costs at
/// most a quarter of the time. Throws as register_images.
std::shared_ptr<const Alignment> align(const std::shared_ptr<const Pair>& pair,
                                       const FluidParameters& parameters,
                                       const std::function<void(std::shared_ptr<const Alignment>)>& show,
                                       const jobs::Progress& progress);

/// How the two images of a pair are shown together.
enum class Shown {
  overlay,  ///< fixed in green, warped in magenta: grey where they agree
  warped,
  fixed,
  moving,
  checkerboard,  ///< fixed and warped in turns
  difference,    ///< fixed - warped, of values mapped to 0 to 1: grey is 0
  jacobian       ///< of the map: grey is 1, black 0 and below, where it folds
};
struct Comparison {
  Shown shown = Shown::overlay;
  int squares = 8;  ///< of the checkerboard, along the longest axis
  bool operator==(const Comparison&) const = default;
};
/// An image of the pair's grid. Without an alignment, the moving image stands for the warped one, and without a moving
/// image the fixed one for all.
images::Volume picture_of(const Pair& pair, const Alignment* alignment, const Comparison& comparison);
/// The values that are black and white in it; the percentiles 1 and 99.8 of images.
images::ValueRange shown_values(const images::Volume& picture, const Comparison& comparison);

/// A message on the alignment's progress or result: "Level 2 of 3, iteration 20, difference 0.031".
std::string text_of(const Alignment& alignment);

}  // namespace isolume::anatomy
