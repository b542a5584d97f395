#include <cstdlib>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "tests/core/images/test_files.h"
#include "tests/full_disk.h"

namespace isolume::images {
namespace {

using testing::content_of;
using testing::counting_volume;
namespace fs = std::filesystem;
using testing::TemporaryFolder;

Geometry oblique(std::array<int, 3> size) {
  Geometry geometry;
  geometry.dimensions = size;
  geometry.origin = {-100.5, 20.25, 33.125};
  geometry.set_spacing({0.75, 0.5, 2.5});
  geometry.set_directions(
      (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix());
  return geometry;
}

class WrittenAndRead : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Suffixes, WrittenAndRead, ::testing::Values(".nrrd", ".nii", ".nii.gz", ".mha"),
                         [](const auto& suffix) {
                           std::string name = suffix.param;
                           std::erase(name, '.');
                           return name;
                         });

TEST(WriteVolume, UnitsAreInNrrdAlone) {
  const TemporaryFolder folder;
  auto field = std::make_shared<grid::ScalarField>();
  field->grid = grid::centred({3, 2, 1}, {4, 3, 2}, 0.25, grid::LengthUnit::angstrom);
  field->values = FieldValues(24, 0.5F);
  field->unit = "kT/e";
  for (const auto unit : {grid::LengthUnit::angstrom, grid::LengthUnit::bohr}) {
    field->grid.unit = unit;
    write_volume(volume_of(field), folder.path() / "map.nrrd");
    const Volume read = read_image(folder.path() / "map.nrrd").volume;
    EXPECT_EQ(read.unit, "kT/e");
    const double mm = 1e-7 * grid::shown_per_unit(unit);
    EXPECT_TRUE(read.geometry.step.isApprox(mm * field->grid.step, 1e-12));
    EXPECT_TRUE(read.geometry.origin.isApprox(mm * field->grid.origin, 1e-12));
    EXPECT_FALSE(read.geometry.has_sides());
  }
  for (const char* name : {"map.nii", "map.nii.gz", "map.mha"}) {
    EXPECT_THROW(write_volume(volume_of(field), folder.path() / name), Error) << name;
    EXPECT_FALSE(fs::exists(folder.path() / name));
  }
}

TEST_P(WrittenAndRead, EveryTypeComesBackWithItsGeometry) {
  const TemporaryFolder folder;
  for (const PixelType type : {PixelType::int8, PixelType::uint8, PixelType::int16, PixelType::uint16,
                               PixelType::int32, PixelType::uint32, PixelType::float32, PixelType::float64}) {
    const fs::path path = folder.path() / (std::string("volume") + GetParam());
    const Volume written = visit_pixel_type(type, [&](auto pixel) {
      return counting_volume<decltype(pixel)>(type, {5, 4, 3}, 1);
    });
    Volume placed = written;
    placed.geometry = oblique({5, 4, 3});
    write_volume(placed, path);
    const Volume read = read_image(path).volume;
    ASSERT_EQ(read.type, type) << name_of(type);
    ASSERT_EQ(read.geometry.dimensions, placed.geometry.dimensions);
    // NIfTI keeps directions as a quaternion of floats.
    EXPECT_TRUE(read.geometry.origin.isApprox(placed.geometry.origin, 1e-5));
    EXPECT_TRUE(read.geometry.spacing().isApprox(placed.geometry.spacing(), 1e-6));
    EXPECT_TRUE(read.geometry.directions().isApprox(placed.geometry.directions(), 1e-5));
    EXPECT_EQ(std::memcmp(read.storage.get(), written.storage.get(), written.bytes()), 0) << name_of(type);
  }
}

TEST_P(WrittenAndRead, SlopeAndInterceptAreApplied) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / (std::string("volume") + GetParam());
  Volume volume = counting_volume<std::uint16_t>(PixelType::uint16, {5, 4, 3}, 1000);
  volume.intercept = -1024;
  write_volume(volume, path);
  const Volume whole = read_image(path).volume;
  EXPECT_EQ(whole.type, PixelType::int16);
  EXPECT_EQ(whole.value(0, 0, 0), -24);
  EXPECT_EQ(whole.value(4, 3, 2), 35);
  volume.slope = 0.5;
  write_volume(volume, path);
  const Volume broken = read_image(path).volume;
  EXPECT_EQ(broken.type, PixelType::float32);
  EXPECT_EQ(broken.value(1, 0, 0), 0.5 * 1001 - 1024);
}

TEST_P(WrittenAndRead, AFullDiskLeavesTheOlderFile) {
  const TemporaryFolder folder;
  const fs::path path = folder.write(std::string("volume") + GetParam(), "old");
  const Volume volume = counting_volume<std::int32_t>(PixelType::int32, {50, 40, 3});
  write_volume(volume, folder / (std::string("whole") + GetParam()));
  const std::size_t whole = fs::file_size(folder / (std::string("whole") + GetParam()));
  for (const std::size_t room : {std::size_t{0}, std::size_t{100}, whole / 2, whole - 1}) {
    const isolume::testing::FileSizeLimit limit(room);
    EXPECT_THROW(write_volume(volume, path), Error) << room;
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), fs::directory_iterator{}), 2);
}

TEST(WriteVolume, NrrdHeaderSaysWhereTheVoxelsLie) {
  const TemporaryFolder folder;
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {2, 3, 4});
  volume.geometry.origin = {10, 20, 30};
  volume.geometry.set_spacing({1, 2, 3});
  volume.geometry.set_directions((Eigen::Matrix3d() << 0, 0, 1, 1, 0, 0, 0, 1, 0).finished());
  write_volume(volume, folder.path() / "v.nrrd");
  const std::string text = content_of(folder.path() / "v.nrrd");
  EXPECT_NE(text.find("space: left-posterior-superior\n"), std::string::npos) << text;
  EXPECT_NE(text.find("space directions: (0,1,0) (0,0,2) (3,0,0)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("space origin: (10,20,30)\n"), std::string::npos) << text;
}

TEST(WriteVolume, NiftiHeaderIsInRas) {
  const TemporaryFolder folder;
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {2, 3, 4});
  volume.geometry.origin = {10, 20, 30};
  write_volume(volume, folder.path() / "v.nii");
  const std::string bytes = content_of(folder.path() / "v.nii");
  ASSERT_GE(bytes.size(), 352u);
  std::array<float, 3> offset;  // qoffset_x, y, z of nifti1.h
  std::memcpy(offset.data(), bytes.data() + 268, sizeof offset);
  EXPECT_EQ(offset, (std::array{-10.F, -20.F, 30.F}));
}

/// As a CT with its gantry tilted by 20 degrees: neighbours are 4 mm apart along a way that leans to the
/// back.
Volume tilted_volume() {
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {64, 48, 20});
  volume.geometry.origin = {10, 20, 30};
  volume.geometry.set_spacing({0.5, 0.75, 4});
  volume.geometry.set_direction(2, Eigen::Vector3d(0, 0.3420201433256687, 0.9396926207859084));
  return volume;
}

template <class Number, std::size_t count>
std::array<Number, count> numbers_at(const std::string& bytes, std::size_t at) {
  std::array<Number, count> numbers;
  std::memcpy(numbers.data(), bytes.data() + at, sizeof numbers);
  return numbers;
}

TEST(WriteVolume, NiftiOfATiltedGantryIsPlacedByItsMatrixAlone) {
  const TemporaryFolder folder;
  write_volume(tilted_volume(), folder / "v.nii");
  const std::string bytes = content_of(folder / "v.nii");
  ASSERT_EQ(bytes.size(), 352u + 64 * 48 * 20);
  EXPECT_EQ((numbers_at<std::int16_t, 2>(bytes, 252)), (std::array<std::int16_t, 2>{0, 1}));  // qform, sform
  EXPECT_EQ((numbers_at<float, 3>(bytes, 80)), (std::array{0.5F, 0.75F, 4.F}));
  // x to the right and y to the front in NIfTI; 4 sin 20 and 4 cos 20 degrees.
  const std::array expected{-0.5F,      0.F,   0.F, -10.F, 0.F,       -0.75F,
                            -1.368081F, -20.F, 0.F, 0.F,   3.758770F, 30.F};
  const auto rows = numbers_at<float, 12>(bytes, 280);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-6) << i;
}

TEST(WriteVolume, NiftiWithoutShearIsPlacedByBothOfItsForms) {
  const TemporaryFolder folder;
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {4, 5, 6});
  // k runs to the feet: a mirror image of right-handed axes.
  volume.geometry.step.col(2) *= -1;
  write_volume(volume, folder / "v.nii");
  const std::string bytes = content_of(folder / "v.nii");
  EXPECT_EQ((numbers_at<std::int16_t, 2>(bytes, 252)), (std::array<std::int16_t, 2>{1, 1}));
  EXPECT_EQ((numbers_at<float, 1>(bytes, 76)), (std::array{-1.F}));
  // Half a turn about z: (0, 0, 0, 1).
  EXPECT_EQ((numbers_at<float, 3>(bytes, 256)), (std::array{0.F, 0.F, 1.F}));
  EXPECT_EQ((numbers_at<float, 12>(bytes, 280)),
            (std::array{-1.F, 0.F, 0.F, 0.F, 0.F, -1.F, 0.F, 0.F, 0.F, 0.F, -1.F, 0.F}));
}

TEST(WriteVolume, NrrdAndMetaImageSayTheTiltInTheirDirections) {
  const TemporaryFolder folder;
  for (const char* name : {"v.nrrd", "v.mha"}) {
    write_volume(tilted_volume(), folder / name);
    const Geometry read = read_image(folder / name).volume.geometry;
    EXPECT_TRUE(read.position({63, 47, 19}).isApprox(Eigen::Vector3d(41.5, 81.24353, 101.41664), 1e-7))
        << name << ": " << read.position({63, 47, 19}).transpose();
  }
}

/// As of a file that says nothing of a patient, with axes of its own.
Volume volume_without_sides() {
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {5, 4, 3}, 1);
  volume.geometry = oblique({5, 4, 3});
  volume.geometry.frame = grid::Frame::own;
  return volume;
}

TEST_P(WrittenAndRead, SidesThatNobodyKnowsAreNotStated) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / (std::string("volume") + GetParam());
  const Volume written = volume_without_sides();
  const Remarks remarks = write_volume(written, path);
  const Document read = read_image(path);
  EXPECT_FALSE(read.volume.geometry.has_sides());
  EXPECT_NE(read.remarks.text(), "");
  EXPECT_TRUE(read.volume.geometry.spacing().isApprox(written.geometry.spacing(), 1e-6));
  EXPECT_EQ(std::memcmp(read.volume.storage.get(), written.storage.get(), written.bytes()), 0);
  // NRRD has directions in a space without a name; the others do not, and say so.
  const bool is_nrrd = std::string_view(GetParam()) == ".nrrd";
  EXPECT_EQ(read.volume.geometry.directions().isApprox(written.geometry.directions(), 1e-6), is_nrrd);
  EXPECT_EQ(remarks.empty(), is_nrrd) << remarks.text();
}

TEST(WriteVolume, SidesThatNobodyKnowsAreInNoHeader) {
  const TemporaryFolder folder;
  write_volume(volume_without_sides(), folder / "v.nrrd");
  // https://teem.sourceforge.net/nrrd/format.html: "space dimension" is for spaces that have no name.
  const std::string nrrd = content_of(folder / "v.nrrd");
  EXPECT_NE(nrrd.find("space dimension: 3\n"), std::string::npos) << nrrd;
  EXPECT_EQ(nrrd.find("space: "), std::string::npos) << nrrd;
  write_volume(volume_without_sides(), folder / "v.nii");
  // nifti1.h: codes of 0 are NIFTI_XFORM_UNKNOWN, with which only pixdim is used.
  const std::string nifti = content_of(folder / "v.nii");
  EXPECT_EQ((numbers_at<std::int16_t, 2>(nifti, 252)), (std::array<std::int16_t, 2>{0, 0}));
  EXPECT_EQ((numbers_at<float, 18>(nifti, 256)), (std::array<float, 18>{}));
  EXPECT_EQ((numbers_at<float, 3>(nifti, 80)), (std::array{0.75F, 0.5F, 2.5F}));
  Volume straight = volume_without_sides();
  straight.geometry.set_directions(Eigen::Matrix3d::Identity());
  EXPECT_TRUE(write_volume(straight, folder / "v.mha").empty());
  EXPECT_EQ(content_of(folder / "v.mha").find("TransformMatrix"), std::string::npos);
}

TEST(WriteVolume, NiftiHoldsNoAxisOfMoreThan32767Voxels) {
  const TemporaryFolder folder;
  const Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {32768, 1, 1});
  for (const char* name : {"v.nii", "v.nii.gz"}) {
    const std::string told = isolume::images::testing::error_of([&] { write_volume(volume, folder / name); });
    EXPECT_NE(told.find("at most 32767 voxels along an axis, and there are 32768"), std::string::npos)
        << told;
  }
  EXPECT_TRUE(fs::is_empty(folder.path()));
  write_volume(volume, folder / "v.nrrd");
  EXPECT_EQ(read_image(folder / "v.nrrd").volume.geometry.dimensions, volume.geometry.dimensions);
}

TEST(WriteVolume, UnknownSuffixAndMissingFolderAreRefused) {
  const TemporaryFolder folder;
  const Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {2, 3, 4});
  EXPECT_THROW(write_volume(volume, folder.path() / "v.xyz"), Error);
  EXPECT_THROW(write_volume(volume, folder.path() / "nowhere" / "v.nrrd"), Error);
  EXPECT_TRUE(fs::is_empty(folder.path()));
}

}  // namespace
}  // namespace isolume::images
