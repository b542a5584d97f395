#include "core/anatomy/labels.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <map>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/images/document.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;

grid::Grid grid_of(std::array<int, 3> dimensions, const Vector3d& spacing = {1, 1, 1}) {
  grid::Grid grid;
  grid.dimensions = dimensions;
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  grid.origin = {-3, 4, 5};
  grid.step = spacing.asDiagonal();
  return grid;
}

/// A label map with the number that `at(i, j, k)` returns at each voxel.
Labels labels_of(const grid::Grid& grid, const auto& at) {
  std::vector<std::int64_t> numbers;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i) numbers.push_back(at(i, j, k));
    }
  }
  Labels labels{
      .grid = grid, .values = numbers, .indices = {}, .type = images::PixelType::int32, .remarks = {}};
  std::ranges::sort(labels.values);
  labels.values.erase(std::ranges::unique(labels.values).begin(), labels.values.end());
  for (const std::int64_t each : numbers) {
    labels.indices.push_back(
        static_cast<std::uint32_t>(std::ranges::find(labels.values, each) - labels.values.begin()));
  }
  return labels;
}

std::int64_t label_at(const Labels& labels, std::size_t voxel) {
  return labels.values[labels.indices[voxel]];
}

bool is_in_box(int i, int j, int k, std::array<int, 3> first, std::array<int, 3> last) {
  return i >= first[0] && i <= last[0] && j >= first[1] && j <= last[1] && k >= first[2] && k <= last[2];
}

TEST(AnatomyLabels, VolumesAndCentresAreThoseOfBoxes) {
  const grid::Grid grid = grid_of({12, 10, 8}, {0.5, 2, 3});
  const Labels labels = labels_of(grid, [](int i, int j, int k) {
    if (is_in_box(i, j, k, {1, 1, 1}, {4, 3, 2})) return 7;
    return is_in_box(i, j, k, {6, 2, 3}, {6, 2, 6}) ? -2 : 0;
  });
  const auto found = label_volumes(labels);
  ASSERT_EQ(found.size(), 2U) << "without the background";
  EXPECT_EQ(found[0].label, -2);
  EXPECT_EQ(found[0].voxels, 4U);
  EXPECT_TRUE(found[0].centroid_mm.isApprox(Vector3d(-3 + 6 * 0.5, 4 + 2 * 2, 5 + 4.5 * 3)));
  EXPECT_EQ(found[1].label, 7);
  EXPECT_EQ(found[1].voxels, 4U * 3 * 2);
  EXPECT_NEAR(found[1].millilitres, 24 * 0.5 * 2 * 3 / 1000, 1e-12);
  EXPECT_TRUE(found[1].centroid_mm.isApprox(Vector3d(-3 + 2.5 * 0.5, 4 + 2 * 2, 5 + 1.5 * 3)));
}

TEST(AnatomyLabels, OverlapOfBoxesIsCounted) {
  const grid::Grid grid = grid_of({12, 12, 12});
  const auto box = [&](std::array<int, 3> first, std::array<int, 3> last, int extra) {
    return labels_of(grid, [=](int i, int j, int k) {
      if (i == 11 && j == 11 && k == 11) return extra;
      return is_in_box(i, j, k, first, last) ? 3 : 0;
    });
  };
  // 6 x 6 x 6 each, 4 x 5 x 6 in common.
  const auto overlaps = label_overlaps(box({1, 1, 1}, {6, 6, 6}, 1), box({3, 2, 1}, {8, 7, 6}, 9));
  ASSERT_EQ(overlaps.size(), 3U);
  EXPECT_EQ(overlaps[0].label, 1);
  EXPECT_EQ(overlaps[0].second, 0U);
  EXPECT_EQ(overlaps[0].dice(), 0);
  EXPECT_EQ(overlaps[1].label, 3);
  EXPECT_EQ(overlaps[1].common, 120U);
  EXPECT_DOUBLE_EQ(overlaps[1].dice(), 2.0 * 120 / (216 + 216));
  EXPECT_DOUBLE_EQ(overlaps[1].jaccard(), 120.0 / (216 + 216 - 120));
  EXPECT_EQ(overlaps[2].label, 9);
  EXPECT_EQ(overlaps[2].first, 0U);
  grid::Grid shifted = grid;
  shifted.origin[0] += 0.5;
  EXPECT_THROW(
      label_overlaps(box({1, 1, 1}, {6, 6, 6}, 0), labels_of(shifted, [](int, int, int) { return 3; })),
      Error);
}

/// Compares every voxel with the definition: weights of all labels at p + u(p), summed in double precision.
TEST(AnatomyLabels, MovedLabelsHaveTheGreatestWeight) {
  std::mt19937 random(5);
  const grid::Grid from = grid_of({9, 8, 7});
  const std::int64_t names[] = {0, 5, 614454277, 614454278};
  const Labels labels = labels_of(from, [&](int, int, int) { return names[random() % 4]; });
  DisplacementImage by{
      .grid = grid_of({11, 9, 8}, {0.9, 1, 1}), .field = volumes::VectorField({11, 9, 8}), .remarks = {}};
  std::uniform_real_distribution<float> shift(-1.5F, 1.5F);
  for (auto& component : by.field.components) {
    for (float& each : component) each = shift(random);
  }
  const Labels found = moved(labels, by);
  std::size_t at = 0, outside = 0;
  std::map<std::int64_t, int> seen;
  for (int k = 0; k < 8; ++k) {
    for (int j = 0; j < 9; ++j) {
      for (int i = 0; i < 11; ++i, ++at) {
        const Vector3d u(by.field.data(0)[at], by.field.data(1)[at], by.field.data(2)[at]);
        const Vector3d place = from.index_at(by.grid.position(Vector3d(i, j, k) + u));
        std::int64_t expected = 0;
        if ((place.array() >= -0.5).all() && place[0] <= 8.5 && place[1] <= 7.5 && place[2] <= 6.5) {
          std::map<std::int64_t, double> weights;
          for (int z = 0; z < 7; ++z) {
            for (int y = 0; y < 8; ++y) {
              for (int x = 0; x < 9; ++x) {
                const Vector3d inside(std::clamp(place[0], 0.0, 8.0), std::clamp(place[1], 0.0, 7.0),
                                      std::clamp(place[2], 0.0, 6.0));
                const Eigen::Array3d hat = 1 - (inside - Vector3d(x, y, z)).array().abs();
                if ((hat > 0).all())
                  weights[label_at(labels, static_cast<std::size_t>((z * 8 + y) * 9 + x))] += hat.prod();
              }
            }
          }
          double best = 0;
          for (const auto& [label, weight] : weights) {
            if (weight > best + 1e-12) {
              best = weight;
              expected = label;
            }
          }
        } else {
          ++outside;
        }
        ASSERT_EQ(label_at(found, at), expected) << i << ' ' << j << ' ' << k;
        ++seen[expected];
      }
    }
  }
  EXPECT_EQ(seen.size(), 4U);
  EXPECT_GT(outside, 20U);
  EXPECT_GT(at - outside, 300U);
}

TEST(AnatomyLabels, MovedLabelsHaveAPointInCommon) {
  const Labels labels = labels_of(grid_of({9, 8, 7}), [](int, int, int) { return 3; });
  grid::Grid far = grid_of({4, 4, 4});
  far.origin[0] += 100;
  EXPECT_THROW(moved(labels, {.grid = far, .field = volumes::zero_field({4, 4, 4}), .remarks = {}}), Error);
  grid::Grid atomic = grid_of({4, 4, 4});
  atomic.unit = grid::LengthUnit::angstrom;
  EXPECT_THROW(moved(labels, {.grid = atomic, .field = volumes::zero_field({4, 4, 4}), .remarks = {}}),
               Error);
}

TEST(AnatomyLabels, FilesKeepLabelsExactly) {
  const testing::TemporaryFolder folder;
  const Labels labels = labels_of(grid_of({4, 3, 2}), [](int i, int j, int) {
    return i == 0 ? 614454277 : i == 1 ? 614454278 : j;
  });
  for (const char* name : {"labels.nii.gz", "labels.nrrd", "labels.mha"}) {
    write_labels(labels, folder.path() / name);
    const Labels back = read_labels(folder.path() / name);
    EXPECT_EQ(back.values, labels.values) << name;
    EXPECT_EQ(back.indices, labels.indices) << name;
    EXPECT_EQ(back.type, images::PixelType::int32);
    EXPECT_TRUE(back.remarks.empty()) << back.remarks.text();
  }
  // As an image, float32 rounds them, and a remark names it.
  const Image image = read_image(folder.path() / "labels.nrrd");
  EXPECT_NE(image.remarks.text().find("whole numbers above 16777216"), std::string::npos)
      << image.remarks.text();
}

TEST(AnatomyLabels, ValuesThatAreNoLabelsAreNamed) {
  const testing::TemporaryFolder folder;
  const grid::Grid grid = grid_of({4, 3, 2});
  FieldValues values(24, 3.F);
  write_image(grid, values, folder.path() / "whole.nii");
  EXPECT_EQ(read_labels(folder.path() / "whole.nii").values, std::vector<std::int64_t>{3});
  EXPECT_TRUE(read_labels(folder.path() / "whole.nii").remarks.empty());
  values[3] = 33554432.F;
  write_image(grid, values, folder.path() / "large.nii");
  EXPECT_NE(read_labels(folder.path() / "large.nii").remarks.text().find("reach 33554432 as float32"),
            std::string::npos);
  values[5] = 2.5F;
  values[17] = std::numeric_limits<float>::quiet_NaN();
  write_image(grid, values, folder.path() / "half.nii");
  try {
    read_labels(folder.path() / "half.nii");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("2 values are not a whole number, first 2.5 in voxel (1, 1, 0)"),
              std::string::npos)
        << error.what();
  }
}

/// Distances of all pairs of surface voxels, one after the other.
std::vector<double> brute_distances(const Labels& from, const Labels& to) {
  const auto& n = from.grid.dimensions;
  const auto surface = [&](const Labels& labels) {
    std::vector<Vector3d> found;
    const auto is_label = [&](int i, int j, int k) {
      const bool is_inside = i >= 0 && j >= 0 && k >= 0 && i < n[0] && j < n[1] && k < n[2];
      return is_inside && label_at(labels, static_cast<std::size_t>((k * n[1] + j) * n[0] + i)) == 1;
    };
    for (int k = 0; k < n[2]; ++k) {
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i) {
          const bool is_inner = is_label(i - 1, j, k) && is_label(i + 1, j, k) && is_label(i, j - 1, k) &&
                                is_label(i, j + 1, k) && is_label(i, j, k - 1) && is_label(i, j, k + 1);
          if (is_label(i, j, k) && !is_inner) found.push_back(labels.grid.position(i, j, k));
        }
      }
    }
    return found;
  };
  const auto there = surface(to);
  std::vector<double> result;
  for (const Vector3d& each : surface(from)) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vector3d& other : there) least = std::min(least, (each - other).norm());
    result.push_back(least);
  }
  std::ranges::sort(result);
  return result;
}

TEST(AnatomyLabels, SurfaceDistancesAreThoseOfAllPairs) {
  const grid::Grid grid = grid_of({20, 18, 14}, {1, 1.5, 2});
  const auto ball = [&](const Vector3d& centre, double radius) {
    return labels_of(grid, [=, &grid](int i, int j, int k) {
      return (grid.position(i, j, k) - grid.position(centre)).norm() < radius ? 1 : 0;
    });
  };
  // The second one reaches the border of the image.
  const Labels a = ball({9, 8, 7}, 6.2), b = ball({13, 9, 5}, 8.3);
  const auto overlaps = label_overlaps(a, b);
  const auto found = surface_distances(a, b, overlaps);
  ASSERT_EQ(found.size(), 1U);
  ASSERT_TRUE(found[0]);
  const auto there = brute_distances(a, b), back = brute_distances(b, a);
  double sum = 0;
  for (const double each : there) sum += each;
  for (const double each : back) sum += each;
  EXPECT_NEAR(found[0]->mean, sum / static_cast<double>(there.size() + back.size()), 1e-12);
  EXPECT_NEAR(found[0]->largest, std::max(there.back(), back.back()), 1e-12);
  // NumPy's percentile: linear between order statistics.
  const auto percentile = [](const std::vector<double>& sorted) {
    const double place = 0.95 * static_cast<double>(sorted.size() - 1);
    const auto low = static_cast<std::size_t>(std::floor(place));
    return std::lerp(sorted[low], sorted[low + 1], place - std::floor(place));
  };
  EXPECT_NEAR(found[0]->percentile_95, std::max(percentile(there), percentile(back)), 1e-12);
  EXPECT_GT(found[0]->mean, 1);
}

/// Parallel plates of one voxel, 6 mm apart; a label that one map lacks has no distance.
TEST(AnatomyLabels, SurfaceDistanceOfPlates) {
  const grid::Grid grid = grid_of({10, 6, 6}, {2, 1, 1});
  const auto plate = [&](int at, int other) {
    return labels_of(grid, [=](int i, int, int) { return i == at ? 4 : i == 9 ? other : 0; });
  };
  const Labels a = plate(2, 1), b = plate(5, 0);
  const auto found = surface_distances(a, b, label_overlaps(a, b));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_FALSE(found[0]);
  ASSERT_TRUE(found[1]);
  EXPECT_DOUBLE_EQ(found[1]->mean, 6);
  EXPECT_DOUBLE_EQ(found[1]->percentile_95, 6);
  EXPECT_DOUBLE_EQ(found[1]->largest, 6);
}

TEST(AnatomyLabels, NamesAreReadFromTables) {
  const testing::TemporaryFolder folder;
  const auto names_in = [&](const std::string& text) {
    std::ofstream(folder.path() / "names.txt") << text;
    return read_label_names(folder.path() / "names.txt");
  };
  using Names = std::map<std::int64_t, std::string>;
  EXPECT_EQ(names_in("#No. Label Name: R G B A\n\n0   Unknown 0 0 0 0\n17  Left-Hippocampus  220 216 20 0\n"),
            (Names{{0, "Unknown"}, {17, "Left-Hippocampus"}}))
      << "FreeSurfer";
  EXPECT_EQ(names_in("# IDX -R- -G- -B- -A-- VIS MSH LABEL\n    2  0 255 0  1  1  1  \"Left ventricle\"\r\n"),
            (Names{{2, "Left ventricle"}}))
      << "ITK-SNAP";
  EXPECT_EQ(names_in("index,name\n1,Precentral_L\n2,\"Frontal, superior\"\n"),
            (Names{{1, "Precentral_L"}, {2, "Frontal, superior"}}))
      << "CSV";
  EXPECT_EQ(names_in("1 Precentral_L 2001\n4 White matter 3 rest\n5\tGrey matter\tGM\n6, Deep nuclei ,x\n"),
            (Names{{1, "Precentral_L"}, {4, "White matter"}, {5, "Grey matter"}, {6, "Deep nuclei"}}))
      << "several words";
  EXPECT_THROW(names_in("1 A\n1 B\n"), InputError);
  EXPECT_THROW(names_in("1 A\nB 2\n"), InputError);
  EXPECT_THROW(names_in("7\n"), InputError);
  EXPECT_THROW(names_in(""), InputError);
}

}  // namespace
}  // namespace isolume::anatomy
