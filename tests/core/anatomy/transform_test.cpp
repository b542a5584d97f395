#include "core/anatomy/transform.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <random>

#include <Eigen/LU>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/labels.h"
#include "core/anatomy/transform_files.h"
#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;
using volumes::VectorField;

grid::Grid grid_of(double angle, const Vector3d& spacing, const Vector3d& origin,
                   std::array<int, 3> dimensions) {
  grid::Grid grid;
  grid.dimensions = dimensions;
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  grid.origin = origin;
  grid.step =
      Eigen::AngleAxisd(angle, Vector3d(1, 2, 3).normalized()).toRotationMatrix() * spacing.asDiagonal();
  return grid;
}

/// Smooth displacements of up to about 2 voxels.
DisplacementImage waves(const grid::Grid& grid, double height) {
  DisplacementImage image{.grid = grid, .field = VectorField(grid.dimensions), .remarks = {}};
  std::size_t at = 0;
  for (int k = 0; k < grid.dimensions[2]; ++k) {
    for (int j = 0; j < grid.dimensions[1]; ++j) {
      for (int i = 0; i < grid.dimensions[0]; ++i, ++at) {
        image.field.data(0)[at] = static_cast<float>(height * std::sin(0.3 * j + 0.1 * k));
        image.field.data(1)[at] = static_cast<float>(height * std::cos(0.25 * i - 0.2 * k));
        image.field.data(2)[at] = static_cast<float>(height * std::sin(0.2 * i + 0.2 * j));
      }
    }
  }
  return image;
}

/// The definition: p + d(p) in mm, d trilinear between voxels and zero farther than half a voxel outside.
Vector3d displaced(const DisplacementImage& by, const Vector3d& position) {
  const Vector3d place = by.grid.index_at(position);
  const auto& n = by.grid.dimensions;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double along = place[static_cast<int>(axis)];
    if (along < -0.5 || along > n[axis] - 0.5) return position;
  }
  Vector3d sum = Vector3d::Zero();
  for (int corner = 0; corner < 8; ++corner) {
    double weight = 1;
    std::size_t at = 0, stride = 1;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double inside = std::clamp(place[static_cast<int>(axis)], 0.0, n[axis] - 1.0);
      const double first = std::min(std::floor(inside), n[axis] - 2.0);
      const int side = corner >> axis & 1;
      weight *= side == 1 ? inside - first : 1 - (inside - first);
      at += stride * static_cast<std::size_t>(static_cast<int>(first) + side);
      stride *= static_cast<std::size_t>(n[axis]);
    }
    for (int axis = 0; axis < 3; ++axis)
      sum[axis] += weight * static_cast<double>(by.field.data(static_cast<std::size_t>(axis))[at]);
  }
  return position + by.grid.step * sum;
}

Transform of(DisplacementImage image) {
  return Transform(std::make_shared<const DisplacementImage>(std::move(image)));
}

Eigen::Affine3d turned() {
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.linear() = Eigen::AngleAxisd(0.1, Vector3d(3, 1, 2).normalized()).toRotationMatrix() * 1.05;
  map.translation() = Vector3d(2, -3, 1);
  return map;
}

/// Compares the displacement in mm at all voxels with a map of positions.
double largest_difference_mm(const DisplacementImage& found, const auto& map) {
  double largest = 0;
  std::size_t at = 0;
  const auto& n = found.grid.dimensions;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i, ++at) {
        const Vector3d u(found.field.data(0)[at], found.field.data(1)[at], found.field.data(2)[at]);
        const Vector3d position = found.grid.position(i, j, k);
        largest = std::max(largest, (position + found.grid.step * u - map(position)).norm());
      }
    }
  }
  return largest;
}

TEST(AnatomyTransform, StepsAreAppliedInTheirOrder) {
  const grid::Grid grid = grid_of(0.3, {1, 2, 1.5}, {-10, 5, 0}, {17, 12, 11});
  // The second field is smaller than the grid: some points lie outside of it.
  const auto first = waves(grid, 1), second = waves(grid_of(-0.2, {1.5, 1, 2}, {-6, 9, 3}, {9, 14, 8}), 1.5);
  Transform all = of(first);
  all.append(Transform(turned()));
  all.append(of(second));
  EXPECT_FALSE(all.linear());
  ASSERT_NE(all.first_grid(), nullptr);
  std::size_t outside = 0, tried = 0;
  const auto map = [&](const Vector3d& p) -> Vector3d {
    const Vector3d before = turned() * displaced(first, p), after = displaced(second, before);
    ++tried;
    outside += before == after ? 1 : 0;
    return after;
  };
  EXPECT_LT(largest_difference_mm(displacements_of(all, grid), map), 2e-5);
  EXPECT_GT(outside, tried / 10);
  EXPECT_LT(outside, tried * 9 / 10);
  const grid::Grid other = grid_of(0, {2, 2, 2}, {-9, 4, 1}, {10, 9, 8});
  EXPECT_LT(largest_difference_mm(displacements_of(all, other), map), 2e-5) << "on another grid";
}

/// Transforms and labels have the same bits on any number of threads.
TEST(AnatomyTransform, ThreadsDoNotMatter) {
  const grid::Grid grid = grid_of(0.3, {1, 2, 1.5}, {-10, 5, 0}, {40, 40, 40});
  Transform all = of(waves(grid, 1));
  all.append(Transform(turned()));
  all.append(of(waves(grid, -0.5)));
  Labels labels{.grid = grid, .values = {0, 1, 2, 3}, .indices = {}, .type = {}, .remarks = {}};
  for (std::size_t i = 0; i < grid.point_count(); ++i)
    labels.indices.push_back(static_cast<std::uint32_t>(i / 7 % 4));
  struct Result {
    DisplacementImage field;
    Labels labels;
    double residual = 0;
  };
  const auto on = [&](int threads) {
    Result result;
    tbb::task_arena(threads).execute([&] {
      result.field = displacements_of(all, grid);
      result.labels = moved(labels, result.field);
      result.residual = inverse_of(all).largest_residual;
    });
    return result;
  };
  const Result one = on(1), four = on(4);
  EXPECT_EQ(one.field.field.components, four.field.field.components);
  EXPECT_EQ(one.labels.indices, four.labels.indices);
  EXPECT_EQ(one.residual, four.residual);
}

TEST(AnatomyTransform, LinearStepsHaveAProduct) {
  Transform all{turned()};
  const Eigen::Affine3d shift(Eigen::Translation3d(1, 2, 3));
  all.append(Transform(shift));
  ASSERT_TRUE(all.linear());
  EXPECT_TRUE(all.linear()->isApprox(shift * turned(), 1e-14));
  EXPECT_EQ(all.first_grid(), nullptr);
  const grid::Grid grid = grid_of(0.3, {1, 2, 1.5}, {-10, 5, 0}, {17, 12, 11});
  EXPECT_LT(
      largest_difference_mm(displacements_of(all, grid),
                            [&](const Vector3d& p) -> Vector3d { return turned() * p + Vector3d(1, 2, 3); }),
      2e-5);
  EXPECT_TRUE(inverse_of(all).transform.linear()->isApprox((shift * turned()).inverse(), 1e-12));
  EXPECT_EQ(inverse_of(all).largest_residual, 0);
}

/// The inverse leads each point of the inner part back, through the field's definition.
TEST(AnatomyTransform, InverseLeadsBack) {
  const grid::Grid grid = grid_of(0.3, {1, 2, 1.5}, {-10, 5, 0}, {24, 20, 18});
  const auto field = waves(grid, 0.8);
  Transform forth{turned()};
  forth.append(of(field));
  const InverseTransform back = inverse_of(forth);
  ASSERT_EQ(back.transform.steps().size(), 2U);
  EXPECT_EQ(back.transform.first_grid()->dimensions, grid.dimensions) << "the field comes first";
  EXPECT_LT(back.largest_residual, 1e-3);
  EXPECT_EQ(back.unsolved, 0U);
  const DisplacementImage there = displacements_of(back.transform, grid);
  std::size_t at = 0, tried = 0;
  for (int k = 0; k < 18; ++k) {
    for (int j = 0; j < 20; ++j) {
      for (int i = 0; i < 24; ++i, ++at) {
        if (std::min({i, j, k}) < 3 || i > 20 || j > 16 || k > 14) continue;
        const Vector3d u(there.field.data(0)[at], there.field.data(1)[at], there.field.data(2)[at]);
        const Vector3d position = grid.position(i, j, k), origin = position + grid.step * u;
        ASSERT_LT((displaced(field, turned() * origin) - position).norm(), 2e-3) << i << ' ' << j << ' ' << k;
        ++tried;
      }
    }
  }
  EXPECT_EQ(tried, 18U * 14 * 12);
}

TEST(AnatomyTransform, FilesAreToldApartByTheirSuffix) {
  const testing::TemporaryFolder folder;
  write_linear(turned(), folder.path() / "map.tfm");
  EXPECT_TRUE(read_transform(folder.path() / "map.tfm").transform.linear()->isApprox(turned(), 1e-14));
  const auto field = waves(grid_of(0.3, {1, 2, 1.5}, {-10, 5, 0}, {7, 6, 5}), 1);
  for (const char* name : {"field.nii", "field.nii.gz", "field.nrrd", "field.mha"}) {
    write_displacements(field.grid, field.field, folder.path() / name);
    const TransformFile found = read_transform(folder.path() / name);
    EXPECT_TRUE(found.remarks.empty()) << name << ' ' << found.remarks.text();
    ASSERT_NE(found.transform.first_grid(), nullptr);
    const auto& back = *std::get<Transform::Field>(found.transform.steps().front());
    EXPECT_TRUE(back.grid.step.isApprox(field.grid.step, 1e-6)) << name;
    EXPECT_TRUE(back.grid.origin.isApprox(field.grid.origin, 1e-6)) << name;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < field.grid.point_count(); ++i)
        ASSERT_NEAR(back.field.data(axis)[i], field.field.data(axis)[i], 2e-6) << name;
    }
  }
}

/// A field as ITK writes it: numbers of a voxel next to each other.
TEST(AnatomyTransform, ReadsMetaImagesOfItk) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "field.mha";
  std::ofstream file(path, std::ios::binary);
  file << "ObjectType = Image\nNDims = 3\nBinaryData = True\nBinaryDataByteOrderMSB = False\n"
          "CompressedData = False\nTransformMatrix = 1 0 0 0 1 0 0 0 1\nOffset = 1 2 3\n"
          "CenterOfRotation = 0 0 0\nAnatomicalOrientation = RAI\nElementSpacing = 2 1 1\nDimSize = 2 2 2\n"
          "ElementNumberOfChannels = 3\nElementType = MET_DOUBLE\nElementDataFile = LOCAL\n";
  for (int number = 0; number < 24; ++number) {
    const double value = number;
    file.write(reinterpret_cast<const char*>(&value), sizeof value);
  }
  file.close();
  const DisplacementImage image = read_displacements(path);
  EXPECT_TRUE(image.grid.origin.isApprox(Vector3d(1, 2, 3)));
  for (std::size_t voxel = 0; voxel < 8; ++voxel) {
    EXPECT_FLOAT_EQ(image.field.data(0)[voxel], static_cast<float>(3 * voxel) / 2) << "voxels of 2 mm";
    EXPECT_FLOAT_EQ(image.field.data(1)[voxel], static_cast<float>(3 * voxel + 1));
    EXPECT_FLOAT_EQ(image.field.data(2)[voxel], static_cast<float>(3 * voxel + 2));
  }
}

/// Deformations of SPM and warps of FSL also have three numbers in each voxel, of another meaning.
TEST(AnatomyTransform, RefusesFieldsOfAnotherMeaning) {
  const testing::TemporaryFolder folder;
  const auto path = folder.path() / "field.nii";
  const auto field = waves(grid_of(0, {1, 1, 1}, {0, 0, 0}, {4, 4, 4}), 1);
  const auto patched = [&](std::streamoff at, const std::string& bytes) -> std::string {
    write_displacements(field.grid, field.field, path);
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(at);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    try {
      read_displacements(path);
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(patched(148, "some words"), "none") << "descrip";
  EXPECT_NE(patched(328, "Mapping").find("deformation of SPM"), std::string::npos);
  EXPECT_NE(patched(68, {'\xd6', '\x07'}).find("warp of FSL"), std::string::npos) << "2006";
  EXPECT_NE(patched(352 + 40, {'\x00', '\x00', '\x80', '\x6f'}).find("longer than"), std::string::npos)
      << "8e28 mm";
  EXPECT_NE(patched(352 + 40, {'\x00', '\x00', '\xc0', '\x7f'}).find("not finite"), std::string::npos)
      << "NaN";
  EXPECT_NE(patched(50, {'\x02', '\x00'}).find("a vector has three"), std::string::npos) << "two components";
}

}  // namespace
}  // namespace isolume::anatomy
