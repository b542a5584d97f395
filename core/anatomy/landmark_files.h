#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "core/anatomy/landmarks.h"
#include "core/base/remarks.h"

namespace isolume::anatomy {

/// Points of one image, in mm (LPS).
struct LandmarkPoint {
  Eigen::Vector3d position = Eigen::Vector3d::Zero();
  std::string name;
};
struct LandmarkPoints {
  std::vector<LandmarkPoint> points;
  Remarks remarks;
};
/// Point lists of 3D Slicer, .mrk.json and .fcsv, whose coordinate system (LPS or RAS) the file names; if it does not, it is
/// assumed and a remark names it: LPS in .mrk.json, RAS in .fcsv, as in 3D Slicer. Throws InputError.
LandmarkPoints read_points(const std::filesystem::path& path);

struct LandmarkFile {
  LandmarkPairs pairs;
  Remarks remarks;
};
/// A table of pairs (.csv): a line of names fixed_x, fixed_y, fixed_z, moving_x, moving_y, moving_z and optionally name, in any
/// order, then a line for each pair, in mm. A line "# coordinate system: LPS" or RAS before it; without, LPS is assumed.
/// Throws InputError.
LandmarkFile read_landmarks(const std::filesystem::path& path);
/// Pairs of two lists of points, by their names if each name is in both lists once, and otherwise by their order. Throws
/// InputError, also where the lists differ in length and in names.
LandmarkFile read_landmarks(const std::filesystem::path& fixed, const std::filesystem::path& moving);

/// A table of pairs, as read_landmarks() reads it. Throws Error for another suffix than .csv.
void write_landmarks(const LandmarkPairs& pairs, const std::filesystem::path& path);
/// Points of one image for 3D Slicer, .mrk.json or .fcsv, in LPS. Throws Error for another suffix.
void write_points(const std::vector<LandmarkPoint>& points, const std::filesystem::path& path);
/// The points of pairs in the fixed or the moving image.
std::vector<LandmarkPoint> points_of(const LandmarkPairs& pairs, bool is_moving);

}  // namespace isolume::anatomy
