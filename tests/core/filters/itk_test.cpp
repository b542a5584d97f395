// ITK's filters through the interface of this room.
#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/filters/label_statistics.h"
#include "core/images/document.h"
#include "tests/core/filters/images.h"
#include "tests/temporary_folder.h"

namespace isolume::filters {
namespace {

/// Two blobs that touch at a corner, and a lone voxel.
grid::ScalarField blobs() {
  return field_of(mm_grid({12, 12, 6}, {1, 1, 2}), [](int x, int y, int z) {
    const bool small = x >= 1 && x < 4 && y >= 1 && y < 4 && z >= 1 && z < 3;
    const bool large = x >= 4 && x < 9 && y >= 4 && y < 9 && z >= 3 && z < 6;
    return small || large || (x == 11 && y == 0 && z == 0) ? 2.5 : 0;
  });
}

TEST(Components, AreNumberedBySize) {
  const auto image = blobs();
  const auto faces = run_filter("components", image);
  EXPECT_EQ(faces.report.at("components"), 3);
  EXPECT_EQ(faces.report.at("volumes_mm3"), nlohmann::json({150.0, 36.0, 2.0}));
  EXPECT_EQ(faces.image.at(6, 6, 3), 1);
  EXPECT_EQ(faces.image.at(2, 2, 1), 2);
  EXPECT_EQ(faces.image.at(11, 0, 0), 3);
  EXPECT_EQ(faces.image.at(0, 0, 0), 0);
  const auto full = run_filter("components connectivity=full least-volume=3", image);
  EXPECT_EQ(full.report.at("components"), 1);
  EXPECT_EQ(full.report.at("smaller_components"), 1);
  EXPECT_EQ(full.image.at(2, 2, 1), 1);
  EXPECT_EQ(full.image.at(11, 0, 0), 0);
}

TEST(LabelStatistics, AreThoseOfEachLabel) {
  const auto labels = run_filter("components", blobs()).image;
  const auto image = field_of(labels.grid, [](int x, int, int) { return x; });
  const auto all = label_statistics(image, labels);
  ASSERT_EQ(all.size(), 4U);
  EXPECT_EQ(all[1].label, 1);
  EXPECT_EQ(all[1].voxels, 75U);
  EXPECT_NEAR(all[1].volume_mm3, 150, 1e-9);
  EXPECT_NEAR(all[1].mean, 6, 1e-9);
  EXPECT_NEAR(all[1].standard_deviation, std::sqrt(2 * 75.0 / 74), 1e-6) << "of a sample";
  EXPECT_EQ(all[1].least, 4);
  EXPECT_EQ(all[1].greatest, 8);
  auto moved = labels;
  moved.grid.origin[0] += 1;
  EXPECT_THROW(label_statistics(image, moved), Error);
  moved = labels;
  moved.values[0] = 0.5F;
  EXPECT_THROW(label_statistics(image, moved), Error);
}

/// Against extrema over each box.
TEST(Morphology, BoxesAreExtremaAndOpeningRemovesSmallParts) {
  const auto image = noise(mm_grid({14, 12, 9}, {1, 1, 2}));
  const auto eroded = run_filter("erode radius=2 shape=box", image),
             dilated = run_filter("dilate radius=2 shape=box", image);
  EXPECT_EQ(eroded.report.at("radius_voxels"), nlohmann::json({2, 2, 1}));
  for (int z = 0; z < 9; ++z) {
    for (int y = 0; y < 12; ++y) {
      for (int x = 0; x < 14; ++x) {
        float least = 9, greatest = -9;
        for (int k = std::max(z - 1, 0); k <= std::min(z + 1, 8); ++k) {
          for (int j = std::max(y - 2, 0); j <= std::min(y + 2, 11); ++j) {
            for (int i = std::max(x - 2, 0); i <= std::min(x + 2, 13); ++i) {
              least = std::min(least, image.at(i, j, k));
              greatest = std::max(greatest, image.at(i, j, k));
            }
          }
        }
        ASSERT_EQ(eroded.image.at(x, y, z), least);
        ASSERT_EQ(dilated.image.at(x, y, z), greatest);
      }
    }
  }
  const auto opened = run_filter("open radius=2", blobs());
  EXPECT_EQ(opened.image.at(11, 0, 0), 0) << "smaller than the ball";
  EXPECT_EQ(opened.image.at(6, 6, 4), 2.5F);
  auto hole = blobs();
  hole.values[static_cast<std::size_t>(6 + 12 * (6 + 12 * 4))] = 0;
  EXPECT_EQ(run_filter("close radius=1", hole).image.at(6, 6, 4), 2.5F);
}

TEST(Watershed, SeparatesTwoBasins) {
  const auto valleys = field_of(mm_grid({21, 9, 1}), [](int x, int, int) {
    return std::min(std::abs(x - 5), std::abs(x - 15)) + (x == 10 ? 1 : 0);
  });
  const auto result = run_filter("watershed", valleys);
  EXPECT_EQ(result.report.at("basins"), 2);
  EXPECT_NE(result.image.at(3, 4, 0), result.image.at(17, 4, 0));
  EXPECT_EQ(result.image.at(3, 4, 0), result.image.at(8, 4, 0));
  EXPECT_EQ(run_filter("watershed lines=true", valleys).image.at(10, 4, 0), 0);
  EXPECT_EQ(run_filter("watershed level=9", valleys).report.at("basins"), 1) << "the basins are shallower";
}

/// A known smooth bias on an image of three tissues and a background.
void expect_bias_removed(const std::array<int, 3>& counts, double most_left) {
  const auto ratio = [&](int x, std::size_t axis) { return (x + 0.5) / counts[axis] - 0.5; };
  const auto tissue = [&](int x, int y, int z) {
    const double r =
        std::sqrt(std::pow(ratio(x, 0), 2) + std::pow(ratio(y, 1), 2) + std::pow(ratio(z, 2), 2));
    if (r > 0.45) return 0.0;
    return (x / 4 + y / 5 + z / 4) % 3 == 0 ? 60.0 : (x / 4 + y / 5 + z / 4) % 3 == 1 ? 100.0 : 140.0;
  };
  const auto bias = [&](int x, int y, int) { return std::exp(0.8 * ratio(x, 0) - 0.5 * ratio(y, 1)); };
  Noise number;
  const auto image = field_of(mm_grid(counts, {3, 3, 3}), [&](int x, int y, int z) {
    return tissue(x, y, z) * bias(x, y, z) + number();
  });
  const auto result = run_filter("bias shrink=2 levels=3 spline-distance=100", image);
  // Relative spread of corrected / true values within the tissues, before and after.
  const auto spread = [&](const grid::ScalarField& field) {
    double sum = 0, squares = 0, count = 0;
    std::size_t i = 0;
    for (int z = 0; z < counts[2]; ++z) {
      for (int y = 0; y < counts[1]; ++y) {
        for (int x = 0; x < counts[0]; ++x, ++i) {
          const double truth = tissue(x, y, z);
          if (truth == 0) continue;
          const double value = static_cast<double>(field.values[i]) / truth;
          sum += value;
          squares += value * value;
          ++count;
        }
      }
    }
    const double mean = sum / count;
    return std::sqrt(squares / count - mean * mean) / mean;
  };
  EXPECT_GT(spread(image), 0.15);
  EXPECT_LT(spread(result.image), most_left * spread(image));
  EXPECT_LT(result.report.at("bias").at("least").get<double>(),
            result.report.at("bias").at("greatest").get<double>());
}

TEST(Bias, KnownSmoothBiasIsRemoved) {
  expect_bias_removed({36, 36, 20}, 0.1);
}
TEST(Bias, KnownSmoothBiasOfASliceIsRemoved) {
  expect_bias_removed({60, 60, 1}, 0.25);
}
TEST(Bias, DarkImagesAreRefused) {
  EXPECT_THROW(run_filter("bias", field_of(mm_grid({9, 9, 9}), [](int, int, int) { return -1; })), Error);
}

TEST(MatchHistogram, GivesTheQuantilesOfTheReference) {
  const testing::TemporaryFolder folder;
  const auto grid = mm_grid({16, 16, 16});
  const auto image = noise(grid);
  const auto reference = std::make_shared<grid::ScalarField>(image);
  for (float& each : reference->values) each = 100 + 50 * each;
  const auto path = folder.path() / "reference.nrrd";
  images::write_volume(images::volume_of(reference), path);
  const auto result = run_filter("match-histogram foreground=false reference=" + path.string(), image);
  for (std::size_t i = 0; i < image.values.size(); ++i)
    ASSERT_NEAR(result.image.values[i], reference->values[i], 0.5) << "a linear map";
  EXPECT_THROW(run_filter("match-histogram", image), Error) << "no reference";
}

}  // namespace
}  // namespace isolume::filters
