#include <cstdlib>

#include <Eigen/Geometry>
#include <gtest/gtest.h>
#include <zlib.h>

#include "core/images/document.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::content_of;
using testing::counting_volume;
namespace fs = std::filesystem;
using testing::TemporaryFolder;

Geometry oblique(std::array<int, 3> size) {
  Geometry geometry;
  geometry.size = size;
  geometry.origin_mm = {-100.5, 20.25, 33.125};
  geometry.spacing_mm = {0.75, 0.5, 2.5};
  geometry.direction =
      (Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitX()) * Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()))
          .toRotationMatrix();
  return geometry;
}

class WrittenAndRead : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Suffixes, WrittenAndRead, ::testing::Values(".nrrd", ".nii", ".nii.gz", ".mha"),
                         [](const auto& suffix) {
                           std::string name = suffix.param;
                           std::erase(name, '.');
                           return name;
                         });

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
    ASSERT_EQ(read.geometry.size, placed.geometry.size);
    // NIfTI keeps directions as a quaternion of floats.
    EXPECT_TRUE(read.geometry.origin_mm.isApprox(placed.geometry.origin_mm, 1e-5));
    EXPECT_TRUE(read.geometry.spacing_mm.isApprox(placed.geometry.spacing_mm, 1e-6));
    EXPECT_TRUE(read.geometry.direction.isApprox(placed.geometry.direction, 1e-5));
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

TEST(WriteVolume, NrrdHeaderSaysWhereTheVoxelsLie) {
  const TemporaryFolder folder;
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {2, 3, 4});
  volume.geometry.origin_mm = {10, 20, 30};
  volume.geometry.spacing_mm = {1, 2, 3};
  volume.geometry.direction << 0, 0, 1, 1, 0, 0, 0, 1, 0;
  write_volume(volume, folder.path() / "v.nrrd");
  const std::string text = content_of(folder.path() / "v.nrrd");
  EXPECT_NE(text.find("space: left-posterior-superior\n"), std::string::npos) << text;
  EXPECT_NE(text.find("space directions: (0,1,0) (0,0,2) (3,0,0)\n"), std::string::npos) << text;
  EXPECT_NE(text.find("space origin: (10,20,30)\n"), std::string::npos) << text;
}

TEST(WriteVolume, NiftiHeaderIsInRas) {
  const TemporaryFolder folder;
  Volume volume = counting_volume<std::uint8_t>(PixelType::uint8, {2, 3, 4});
  volume.geometry.origin_mm = {10, 20, 30};
  write_volume(volume, folder.path() / "v.nii");
  const std::string bytes = content_of(folder.path() / "v.nii");
  ASSERT_GE(bytes.size(), 352u);
  std::array<float, 3> offset;  // qoffset_x, y, z of nifti1.h
  std::memcpy(offset.data(), bytes.data() + 268, sizeof offset);
  EXPECT_EQ(offset, (std::array{-10.F, -20.F, 30.F}));
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
