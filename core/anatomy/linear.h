#pragma once

#include <functional>
#include <span>
#include <string_view>

#include <Eigen/Geometry>

#include "core/anatomy/landmarks.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/parameters/schema.h"

namespace isolume::anatomy {

/// Which linear maps are searched.
enum class LinearModel {
  none,   ///< the positions in the headers
  rigid,  ///< rotations and translations
  affine  ///< also scales and shears
};

/// How the similarity of two images is measured.
enum class Similarity {
  mutual_information,  ///< in nats; for images of any two kinds (D. Mattes et al., IEEE Trans. Med. Imaging 22, 120, 2003)
  correlation,  ///< Pearson's; for values that depend linearly on each other
  squares,      ///< the root mean square difference; for values of one kind
  landmarks     ///< the root mean square distance of pairs in mm; images are not compared
};

/// Parameters of a linear registration.
struct LinearParameters {
  LinearModel model = LinearModel::affine;
  Similarity similarity = Similarity::mutual_information;
  bool operator==(const LinearParameters&) const = default;
};
const parameters::Schema<LinearParameters>& linear_schema();
/// "mutual information"
std::string_view name_of(Similarity similarity);

/// An image whose values are somewhere else.
struct ImageView {
  const grid::Grid& grid;
  std::span<const float> values;
  std::span<const float> inside =
      {};  ///< its mask on the same grid, 1 where it is compared; empty: everywhere
};

/// A linear registration's result.
struct LinearRegistration {
  /// A point p of the fixed image, in mm of its frame, lies at map * p in the moving one.
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  /// The similarity by the positions in the headers (NaN without an overlap), and by the map.
  double similarity_before = 0, similarity_after = 0;
  double largest_move_mm = 0;  ///< of the fixed image's corners
  int iterations = 0;
};
using OnLinearIteration = std::function<void(const Eigen::Affine3d&)>;

/// The map that makes the moving image most like the fixed one, by the Gauss-Newton method on a pyramid of at most 2 million
/// voxels. It starts from the positions in the headers and from centres of mass, each turned by up to 40 degrees about each
/// axis, and continues with the best; from `initial` alone, where that is not null; or else from the rigid fit of the
/// landmarks alone, if they determine a rotation. Single slices are aligned within their plane. Masks leave voxels out of all
/// sums, by the nearest voxel. The same bits on any number of threads. By the landmarks' similarity: the fit of least squares.
/// Throws Error naming the image that is constant, if no start leaves a quarter of the smaller image in both, and for the
/// landmarks' similarity without a pair; ResourceError and Cancelled.
LinearRegistration register_linear(const ImageView& fixed, const ImageView& moving,
                                   const LinearParameters& parameters,
                                   const Eigen::Affine3d* initial = nullptr,
                                   const OnLinearIteration& on_iteration = {},
                                   const jobs::Progress& progress = {},
                                   std::span<const LandmarkPair> landmarks = {});

}  // namespace isolume::anatomy
