#include "core/anatomy/transform_files.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

#include <Eigen/LU>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::anatomy {
namespace {

using Eigen::AngleAxisd;
using Eigen::Matrix3d;
using Eigen::Vector3d;

void write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

std::string error_of(const auto& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

const std::vector<Vector3d> points{{0, 0, 0}, {10, -20, 30}, {-71.5, 3.25, 118}};

/// Compares with the definition of a class at three points.
void expect_maps(const Eigen::Affine3d& map, const auto& definition) {
  for (const Vector3d& each : points) EXPECT_LT((map * each - definition(each)).norm(), 1e-10);
}

class TransformFiles : public ::testing::Test {
 protected:
  /// Reads a file of ITK's text with these lines after its first one.
  Eigen::Affine3d read(const std::string& lines) {
    write_text(path_, "#Insight Transform File V1.0\n" + lines);
    return read_linear(path_);
  }
  testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_.path() / "map.tfm";
};

TEST_F(TransformFiles, AreReadAsTheyWereWritten) {
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.linear() << 1.01, 0.2, -0.3, -0.1, 0.9, 1.0 / 3, 0.25, -0.4, 1.1;
  map.translation() << -12.345678901234567, 1e-7, 98.7;
  for (const char* name : {"map.tfm", "map.txt", "map.mat", "map.h5"}) {
    const auto path = folder_.path() / name;
    write_linear(map, path);
    EXPECT_LT((read_linear(path).matrix() - map.matrix()).norm(), 1e-14) << name;
    EXPECT_TRUE(is_linear_file(path));
  }
  EXPECT_FALSE(is_linear_file(folder_.path() / "field.nii.gz"));
}

/// What other programs read: the class, the matrix by rows, then the translation; the centre is 0.
TEST_F(TransformFiles, TextIsThatOfItk) {
  Eigen::Affine3d map = Eigen::Affine3d::Identity();
  map.linear() << 1, 2, 3, 4, 5, 7, 7, 8, 8.5;
  map.translation() << -1, 0.5, 12;
  write_linear(map, path_);
  std::ifstream file(path_);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_NE(text.find("#Insight Transform File V1.0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("Transform: AffineTransform_double_3_3\nParameters: 1 2 3 4 5 7 7 8 8.5 -1 0.5 12\n"
                      "FixedParameters: 0 0 0\n"),
            std::string::npos)
      << text;
}

TEST_F(TransformFiles, Euler3DTurnsAboutItsCentre) {
  const Vector3d centre(5, -6, 7), shift(1, 2, 3);
  // Angles about x, y and z; ITK's order is z after x after y.
  const Matrix3d turn = (AngleAxisd(0.3, Vector3d::UnitZ()) * AngleAxisd(0.1, Vector3d::UnitX()) *
                         AngleAxisd(-0.2, Vector3d::UnitY()))
                            .toRotationMatrix();
  expect_maps(read("Transform: Euler3DTransform_double_3_3\nParameters: 0.1 -0.2 0.3 1 2 3\n"
                   "FixedParameters: 5 -6 7\n"),
              [&](const Vector3d& p) -> Vector3d { return turn * (p - centre) + centre + shift; });
}

TEST_F(TransformFiles, VersorsAreUnitQuaternions) {
  const double half = 0.2;
  const Vector3d axis = Vector3d(1, 2, -2) / 3, centre(4, 5, 6), shift(-1, 0, 2);
  const Matrix3d turn = AngleAxisd(2 * half, axis).toRotationMatrix();
  const Vector3d versor = std::sin(half) * axis;
  char text[200];
  std::snprintf(text, sizeof text, "%.17g %.17g %.17g -1 0 2", versor[0], versor[1], versor[2]);
  expect_maps(read("Transform: VersorRigid3DTransform_double_3_3\nParameters: " + std::string(text) +
                   "\nFixedParameters: 4 5 6\n"),
              [&](const Vector3d& p) -> Vector3d { return turn * (p - centre) + centre + shift; });
  expect_maps(read("Transform: Similarity3DTransform_double_3_3\nParameters: " + std::string(text) +
                   " 1.25\nFixedParameters: 4 5 6\n"),
              [&](const Vector3d& p) -> Vector3d { return 1.25 * turn * (p - centre) + centre + shift; });
}

TEST_F(TransformFiles, ReadsOtherLinearClasses) {
  expect_maps(read("Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\nFixedParameters:\n"),
              [](const Vector3d& p) -> Vector3d { return p + Vector3d(1, 2, 3); });
  expect_maps(read("Transform: ScaleTransform_double_3_3\nParameters: 2 3 0.5\nFixedParameters: 1 1 4\n"),
              [](const Vector3d& p) -> Vector3d {
                return {1 + 2 * (p[0] - 1), 1 + 3 * (p[1] - 1), 4 + 0.5 * (p[2] - 4)};
              });
  expect_maps(read("Transform: IdentityTransform_double_3_3\nParameters:\nFixedParameters:\n"),
              [](const Vector3d& p) { return p; });
  for (const char* name : {"AffineTransform_float_3_3", "MatrixOffsetTransformBase_double_3_3"}) {
    expect_maps(read(std::string("Transform: ") + name +
                     "\nParameters: 1 2 0 0 1 0 0.5 0 1 10 20 30\nFixedParameters: 1 2 4\n"),
                [](const Vector3d& p) -> Vector3d {
                  const Vector3d q = p - Vector3d(1, 2, 4);
                  return Vector3d(q[0] + 2 * q[1], q[1], 0.5 * q[0] + q[2]) + Vector3d(11, 22, 34);
                });
  }
}

/// Of a CompositeTransform, the last one is applied first.
TEST_F(TransformFiles, CompositesApplyTheirLastTransformFirst) {
  expect_maps(
      read("#Transform 0\nTransform: CompositeTransform_double_3_3\n"
           "#Transform 1\nTransform: TranslationTransform_double_3_3\nParameters: 10 0 0\nFixedParameters:\n"
           "#Transform 2\nTransform: ScaleTransform_double_3_3\nParameters: 2 2 2\nFixedParameters: 0 0 0\n"),
      [](const Vector3d& p) -> Vector3d { return 2 * p + Vector3d(10, 0, 0); });
}

/// As antsRegistration writes it: the field is applied first to points, then the linear map.
TEST_F(TransformFiles, CompositesMayHaveDisplacementFields) {
  std::string numbers;
  for (int i = 0; i < 3 * 4 * 3 * 2; ++i) numbers += std::to_string(i) + ".5 ";
  // Axes of the field: i along +y with 2 mm, j along -x with 1 mm, k along z with 3 mm.
  const std::string lines =
      "#Transform 0\nTransform: CompositeTransform_double_3_3\n"
      "#Transform 1\nTransform: TranslationTransform_double_3_3\nParameters: 10 0 0\nFixedParameters:\n"
      "#Transform 2\nTransform: DisplacementFieldTransform_float_3_3\nParameters: " +
      numbers + "\nFixedParameters: 4 3 2 -5 6 7 2 1 3 0 -1 0 1 0 0 0 0 1\n";
  write_text(path_, "#Insight Transform File V1.0\n" + lines);
  const auto steps = read_itk(path_);
  ASSERT_EQ(steps.size(), 2U);
  const auto& field = *std::get<Transform::Field>(steps[0]);
  EXPECT_EQ(field.grid.dimensions, (std::array<int, 3>{4, 3, 2}));
  EXPECT_LT((field.grid.position(1, 2, 1) - Vector3d(-5 - 2, 6 + 2, 7 + 3)).norm(), 1e-12);
  const std::size_t voxel = (1 * 3 + 2) * 4 + 1;
  const Vector3d voxels(field.field.data(0)[voxel], field.field.data(1)[voxel], field.field.data(2)[voxel]);
  const Vector3d mm(3.0 * voxel + 0.5, 3.0 * voxel + 1.5, 3.0 * voxel + 2.5);
  EXPECT_LT((field.grid.step * voxels - mm).norm(), 1e-4);
  EXPECT_TRUE(std::get<Eigen::Affine3d>(steps[1]).translation().isApprox(Vector3d(10, 0, 0)));
  const std::string refused = error_of([&] { read_linear(path_); });
  EXPECT_NE(refused.find("a linear map is needed"), std::string::npos) << refused;
  // A number too few, and a grid that does not exist.
  const auto without = [&](const std::string& part, const std::string& instead) {
    std::string other = lines;
    other.replace(other.find(part), part.size(), instead);
    return error_of([&] {
      write_text(path_, "#Insight Transform File V1.0\n" + other);
      read_itk(path_);
    });
  };
  EXPECT_NE(without(" 71.5 ", ""), "none");
  EXPECT_NE(without("4 3 2 -5 6 7 2 1 3 0 -1 0", "4 3 2 -5 6 7 2 0 3 0 -1 0"), "none");
  EXPECT_NE(without("4 3 2 -5", "0 3 2 -5"), "none");
}

/// The bytes of MATLAB's level 4, as antsRegistration writes 0GenericAffine.mat.
TEST_F(TransformFiles, ReadsMatricesOfAnts) {
  const auto path = folder_.path() / "0GenericAffine.mat";
  std::ofstream file(path, std::ios::binary);
  const auto put = [&](const std::string& name, const std::vector<double>& numbers) {
    const std::int32_t header[5] = {0, static_cast<std::int32_t>(numbers.size()), 1, 0,
                                    static_cast<std::int32_t>(name.size() + 1)};
    file.write(reinterpret_cast<const char*>(header), sizeof header);
    file.write(name.c_str(), static_cast<std::streamsize>(name.size() + 1));
    file.write(reinterpret_cast<const char*>(numbers.data()),
               static_cast<std::streamsize>(numbers.size() * sizeof(double)));
  };
  put("AffineTransform_double_3_3", {1.1, 0.1, 0, -0.1, 0.9, 0.2, 0, 0, 1, 3, -4, 5});
  put("fixed", {-2, 15, 20});
  file.close();
  Matrix3d matrix;
  matrix << 1.1, 0.1, 0, -0.1, 0.9, 0.2, 0, 0, 1;
  const Vector3d centre(-2, 15, 20), shift(3, -4, 5);
  expect_maps(read_linear(path),
              [&](const Vector3d& p) -> Vector3d { return matrix * (p - centre) + centre + shift; });
}

TEST_F(TransformFiles, RefusesOthersByName) {
  const auto refusal = [&](const std::string& lines) { return error_of([&] { read(lines); }); };
  EXPECT_NE(refusal("Transform: AffineTransform_double_2_2\nParameters: 1 0 0 1 0 0\nFixedParameters: 0 0\n")
                .find("its AffineTransform is for 2 dimensions, and 3 are needed"),
            std::string::npos);
  const std::string spline = refusal("Transform: BSplineTransform_double_3_3\nParameters: " + [] {
    std::string zeros;
    for (int i = 0; i < 3 * 64; ++i) zeros += "0 ";
    return zeros;
  }() + "\nFixedParameters: 4 4 4 0 0 0 1 1 1 1 0 0 0 1 0 0 0 1\n");
  EXPECT_NE(spline.find("its BSplineTransform is neither a linear transform nor a displacement field"),
            std::string::npos)
      << spline;
  const std::string two = refusal(
      "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\nFixedParameters:\n"
      "Transform: TranslationTransform_double_3_3\nParameters: 1 2 3\nFixedParameters:\n");
  EXPECT_NE(two.find("it holds 2 transforms"), std::string::npos) << two;
  const std::string unknown =
      refusal("Transform: MagicTransform_double_3_3\nParameters: 1\nFixedParameters:\n");
  EXPECT_NE(unknown.find("MagicTransform_double_3_3"), std::string::npos) << unknown;
  const std::string singular = refusal(
      "Transform: AffineTransform_double_3_3\nParameters: 1 0 0 0 1 0 0 0 0 0 0 0\nFixedParameters: 0 0 0\n");
  EXPECT_NE(singular.find("has no inverse"), std::string::npos) << singular;
  const std::string empty = refusal("Transform: CompositeTransform_double_3_3\n");
  EXPECT_NE(empty.find("its CompositeTransform is empty"), std::string::npos) << empty;
  const std::string suffix = error_of([&] { read_linear(folder_.path() / "map.tfm.old"); });
  EXPECT_NE(suffix.find("no such file"), std::string::npos) << suffix;
  EXPECT_NE(error_of([&] {
              write_linear(Eigen::Affine3d::Identity(), folder_.path() / "map.lta");
            }).find("Choose one of these"),
            std::string::npos);
  Eigen::Affine3d flat = Eigen::Affine3d::Identity();
  flat.linear()(2, 2) = 0;
  EXPECT_NE(error_of([&] { write_linear(flat, folder_.path() / "flat.tfm"); }).find("no inverse"),
            std::string::npos);
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "flat.tfm"));
}

/// ITK reads parameters that are not there: in isolume-reader, which may crash.
TEST_F(TransformFiles, DamagedFilesAreRefused) {
  for (const char* lines :
       {"Transform: Euler3DTransform_double_3_3\nParameters: 0.1\nFixedParameters: 5 -6 7\n",
        "Transform: Euler3DTransform_double_3_3\nParameters: a b c\nFixedParameters:\n",
        "Transform: AffineTransform_double_3_3\n", "Parameters: 1 2 3\n", "\x01\x02\x03"}) {
    write_text(path_, std::string("#Insight Transform File V1.0\n") + lines);
    EXPECT_THROW(read_linear(path_), InputError) << lines;
  }
  write_text(path_, "");
  EXPECT_THROW(read_linear(path_), InputError);
  write_linear(Eigen::Affine3d(Eigen::Translation3d(1, 2, 3)), folder_.path() / "whole.h5");
  write_linear(Eigen::Affine3d(Eigen::Translation3d(1, 2, 3)), folder_.path() / "whole.mat");
  for (const char* name : {"whole.h5", "whole.mat"}) {
    std::ifstream file(folder_.path() / name, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    for (const std::size_t kept : {std::size_t{10}, bytes.size() / 2}) {
      const auto part = folder_.path() / (std::string("part-") + name);
      write_text(part, bytes.substr(0, kept));
      EXPECT_THROW(read_linear(part), InputError) << name << ' ' << kept;
    }
  }
}

grid::Grid grid_of(const Matrix3d& step, const Vector3d& origin, std::array<int, 3> dimensions) {
  grid::Grid grid;
  grid.step = step;
  grid.origin = origin;
  grid.dimensions = dimensions;
  grid.unit = grid::LengthUnit::millimetre;
  grid.frame = grid::Frame::patient;
  return grid;
}

/// FSL's coordinates of a voxel: index times size, the first index from the other end if RAS axes are right-handed.
Vector3d fsl_place(const grid::Grid& grid, Vector3d index, bool is_reversed) {
  if (is_reversed) index[0] = grid.dimensions[0] - 1 - index[0];
  return index.cwiseProduct(grid.spacing());
}

TEST_F(TransformFiles, MatricesOfFslDependOnBothGrids) {
  write_text(folder_.path() / "flirt.mat", "1.1 0.1 0 5\n-0.1  0.95 0.05 -3  \n0 0.02 1 7.5\n0 0 0 1\n");
  Eigen::Matrix4d matrix;
  matrix << 1.1, 0.1, 0, 5, -0.1, 0.95, 0.05, -3, 0, 0.02, 1, 7.5, 0, 0, 0, 1;
  const Eigen::Affine3d to_fixed(matrix);
  Matrix3d right = Vector3d(2, 1, 3).asDiagonal(), left = Vector3d(-1, 1.5, 2).asDiagonal();
  right = AngleAxisd(0.2, Vector3d::UnitZ()).toRotationMatrix() * right;
  ASSERT_GT(right.determinant(), 0);
  ASSERT_LT(left.determinant(), 0);
  const grid::Grid a = grid_of(right, {-90, -100, -50}, {91, 109, 40}),
                   b = grid_of(left, {80, -120, -70}, {160, 200, 60});
  grid::Grid own = a;
  own.frame = grid::Frame::own;
  for (const auto& [fixed, is_fixed_reversed, moving, is_moving_reversed] :
       {std::tuple(a, true, b, false), std::tuple(b, false, a, true), std::tuple(a, true, a, true),
        std::tuple(own, false, b, false)}) {
    const Eigen::Affine3d map = read_fsl(folder_.path() / "flirt.mat", fixed, moving);
    for (const Vector3d& index : {Vector3d(0, 0, 0), Vector3d(3, 50, 20), Vector3d(70.5, 1, 11)}) {
      const Vector3d there = to_fixed * fsl_place(moving, index, is_moving_reversed);
      Vector3d fixed_index = there.cwiseQuotient(fixed.spacing());
      if (is_fixed_reversed) fixed_index[0] = fixed.dimensions[0] - 1 - fixed_index[0];
      EXPECT_LT((map * fixed.position(fixed_index) - moving.position(index)).norm(), 1e-9);
    }
  }
  EXPECT_TRUE(is_fsl_matrix(folder_.path() / "flirt.mat"));
  const std::string without = error_of([&] { read_linear(folder_.path() / "flirt.mat"); });
  EXPECT_NE(without.find("matrix of FSL"), std::string::npos) << without;
  write_text(folder_.path() / "short.mat", "1 0 0 0\n0 1 0 0\n");
  EXPECT_THROW(read_fsl(folder_.path() / "short.mat", a, b), InputError);
}

}  // namespace
}  // namespace isolume::anatomy
