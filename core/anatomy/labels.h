#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/anatomy/image.h"
#include "core/base/remarks.h"
#include "core/grid/grid.h"
#include "core/images/volume.h"
#include "core/jobs/progress.h"

namespace isolume::anatomy {

/// A label map: a whole number at each voxel, of which 0 is the background.
struct Labels {
  grid::Grid grid;
  std::vector<std::int64_t> values;                   ///< the different labels, ascending
  std::vector<std::uint32_t> indices;                 ///< of `values`, for each voxel, x fastest
  images::PixelType type = images::PixelType::uint8;  ///< of the file
  Remarks remarks;
};

/// Reads a label map exactly: up to 32 bits as integers, up to 2^53 as float64. Throws InputError if a value is not a
/// whole number. A remark names labels that float32 may have rounded, above 2^24.
Labels read_labels(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Writes in the pixel type of the file that the labels come from.
Remarks write_labels(const Labels& labels, const std::filesystem::path& path);

/// The labels moved by displacements, on their grid: at p the label with the greatest trilinear weight at p +
/// displacement, of equal ones the smaller label; 0 farther than half a voxel outside. Boundaries are smoother than
/// those of the nearest voxel, and no new labels arise. Throws Error as require_common_points().
Labels moved(const Labels& labels, const DisplacementImage& by, const jobs::Progress& progress = {});

/// Volume and centre of each label but 0, ascending.
struct LabelVolume {
  std::int64_t label = 0;
  std::size_t voxels = 0;
  double millilitres = 0;
  Eigen::Vector3d centroid_mm = Eigen::Vector3d::Zero();  ///< LPS
};
std::vector<LabelVolume> label_volumes(const Labels& labels);

/// What two label maps have in common, for each label but 0 of either, ascending. Throws Error if their grids differ.
struct LabelOverlap {
  std::int64_t label = 0;
  std::size_t first = 0, second = 0, common = 0;  ///< voxels

  /// 2 |A and B| / (|A| + |B|)
  double dice() const { return 2 * static_cast<double>(common) / static_cast<double>(first + second); }
  /// |A and B| / |A or B|
  double jaccard() const {
    return static_cast<double>(common) / static_cast<double>(first + second - common);
  }
};
std::vector<LabelOverlap> label_overlaps(const Labels& first, const Labels& second);

/// Distances in mm between the surfaces of a label in two maps. A surface is the set of voxels of the label with a
/// face to another label or to the border of the image; distances are those from each voxel of one surface to the
/// nearest of the other, between centres, in both directions.
struct SurfaceDistances {
  double mean = 0;           ///< of all distances of both directions
  double percentile_95 = 0;  ///< the larger one of both directions
  double largest = 0;        ///< Hausdorff distance
};
/// For each of label_overlaps(); nothing where one map lacks the label. Throws Error if the grids differ, or if their
/// axes are not at right angles.
std::vector<std::optional<SurfaceDistances>> surface_distances(const Labels& first, const Labels& second,
                                                               const std::vector<LabelOverlap>& overlaps,
                                                               const jobs::Progress& progress = {});

/// Reads names of labels, one line for each: a whole number, then a name ("17 Left-Hippocampus 220 216 20", as tables of
/// FreeSurfer and AAL), or a name in quotes anywhere behind the number (ITK-SNAP). A name may have several words; it ends
/// before a number, a tab, a comma or a semicolon. Lines that begin with # and a first line without a number are skipped.
/// Throws InputError.
std::map<std::int64_t, std::string> read_label_names(const std::filesystem::path& path);

}  // namespace isolume::anatomy
