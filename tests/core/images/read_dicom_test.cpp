// Files made by make_dicom.py; where programs that compress are installed, packed by these.
#include <cstdlib>
#include <fstream>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/dicom/frames/series.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/test_files.h"
#include "tests/phantoms/phantoms.h"

namespace isolume::images {
namespace {

namespace fs = std::filesystem;
using testing::error_of;
using testing::has_program;
using testing::MadeDicom;
using testing::run_program;

/// As in make_dicom.py.
int stored(int i, int j, int k) {
  return 7 * i + 11 * j + 13 * k - 50;
}

void expect_voxels(const Volume& volume, int slices, double intercept = -1024) {
  ASSERT_EQ(volume.geometry.dimensions, (std::array{6, 5, slices}));
  for (int k = 0; k < slices; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 6; ++i) {
        ASSERT_EQ(volume.value(i, j, k), stored(i, j, k) + intercept) << i << " " << j << " " << k;
      }
    }
  }
}

class ReadSeries : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(TransferSyntaxes, ReadSeries,
                         ::testing::Values("axial", "big_endian", "implicit", "deflated"),
                         [](const auto& syntax) { return std::string(syntax.param); });

TEST_P(ReadSeries, SlicesAreSortedByPlace) {
  MADE_DICOM(made, GetParam());
  const Document document = read_image(made.folder());
  const Volume& volume = document.volume;
  EXPECT_EQ(volume.type, PixelType::int16);
  EXPECT_EQ(volume.unit, "HU");
  expect_voxels(volume, 4);
  EXPECT_TRUE(volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-9.25, -19.5, 32.5)));
  EXPECT_TRUE(volume.geometry.directions().isIdentity());
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  EXPECT_EQ(document.title, "CT phantom, 4 slices");
}

TEST(ReadDicom, SourceIsInUtf8AndNamesEverySlice) {
  MADE_DICOM(made, "axial");
  const Document document = read_image(made.folder());
  ASSERT_TRUE(document.dicom);
  EXPECT_EQ(document.dicom->patient_name, "M\u00fcller^J\u00f6rg");
  EXPECT_EQ(document.dicom->patient_id, "4711");
  EXPECT_EQ(document.dicom->series_uid, "1.2.3.4");
  EXPECT_EQ(document.dicom->frame_of_reference_uid, "1.2.3.9");
  ASSERT_EQ(document.dicom->slices.size(), 4u);
  for (int k = 0; k < 4; ++k) {
    const DicomSource::Slice& slice = document.dicom->slices[static_cast<std::size_t>(k)];
    EXPECT_EQ(slice.file.filename(), std::to_string(k));
    EXPECT_EQ(slice.sop_class_uid, "1.2.840.10008.5.1.4.1.1.2");
    EXPECT_FALSE(slice.sop_instance_uid.empty());
    EXPECT_EQ(slice.frame, 0);
  }
}

TEST(ReadDicom, WindowsOfTheFile) {
  MADE_DICOM(made, "axial");
  const Document document = read_image(made.folder());
  ASSERT_EQ(document.windows.size(), 2u);
  EXPECT_EQ(document.windows[0].centre, 40);
  EXPECT_EQ(document.windows[0].width, 400);
  EXPECT_EQ(document.windows[0].name, "SOFT");
  EXPECT_EQ(document.windows[1].centre, -600);
  EXPECT_EQ(document.windows[1].name, "LUNG");
}

TEST(ReadDicom, ObliqueSlices) {
  MADE_DICOM(made, "oblique");
  const Document document = read_image(made.folder());
  const Eigen::Matrix3d turned = (Eigen::AngleAxisd(20 * EIGEN_PI / 180, Eigen::Vector3d::UnitX()) *
                                  Eigen::AngleAxisd(30 * EIGEN_PI / 180, Eigen::Vector3d::UnitZ()))
                                     .toRotationMatrix();
  const Eigen::Vector3d expected =
      Eigen::Vector3d(-10, -20, 30) + turned * Eigen::Vector3d(5 * 0.75, 4 * 0.5, 3 * 2.5);
  EXPECT_TRUE(document.volume.geometry.position({5, 4, 3}).isApprox(expected, 1e-6));
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  expect_voxels(document.volume, 4);
}

TEST(ReadDicom, SagittalSlicesRunAlongTheirNormal) {
  MADE_DICOM(made, "sagittal");
  const Document document = read_image(made.folder());
  // Rows to the back, columns to the feet: the normal points to the right, as do the slices of the file.
  EXPECT_TRUE(document.volume.geometry.direction(2).isApprox(Eigen::Vector3d(-1, 0, 0)));
  EXPECT_TRUE(document.volume.geometry.position({1, 1, 3}).isApprox(Eigen::Vector3d(-2.5, -19.25, 29.5)));
  expect_voxels(document.volume, 4);
}

TEST(ReadDicom, TiltedGantryKeepsPositionsAndWarns) {
  MADE_DICOM(made, "tilted");
  const Document document = read_image(made.folder());
  EXPECT_NE(document.remarks.text().find("15.0 degrees"), std::string::npos) << document.remarks.text();
  const double shift = 3 * 2.5 * std::tan(15 * EIGEN_PI / 180);
  EXPECT_TRUE(
      document.volume.geometry.position({0, 0, 3}).isApprox(Eigen::Vector3d(-10, -20 + shift, 37.5), 1e-6));
  const SlicePlane plane = slice_plane(document.volume.geometry, {2, 1});
  EXPECT_TRUE(plane.normal.isApprox(Eigen::Vector3d::UnitZ()));
  EXPECT_NEAR(plane.slice_spacing_mm, 2.5, 1e-6);
}

TEST(ReadDicom, SlicesMayLieMicrometresApart) {
  MADE_DICOM(made, "micrometres");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  EXPECT_TRUE(document.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.002, 0.003, 0.004)));
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
}

TEST(ReadDicom, GapsAreTold) {
  MADE_DICOM(made, "gap");
  const Document document = read_image(made.folder());
  EXPECT_DOUBLE_EQ(document.volume.geometry.spacing().z(), 2.5);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("2.5 to 7.5 mm"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("1 gap, the first after slice 3, as if 2 slices were missing"), std::string::npos)
      << remarks;
}

TEST(ReadDicom, UnequalSpacingIsTold) {
  MADE_DICOM(made, "unequal");
  const std::string remarks = read_image(made.folder()).remarks.text();
  EXPECT_NE(remarks.find("1.8 to 2.2 mm"), std::string::npos) << remarks;
  EXPECT_EQ(remarks.find("gap"), std::string::npos) << remarks;
}

struct Repeated {
  std::string test_case, name;
  int count;
};
class RepeatedSeries : public ::testing::TestWithParam<Repeated> {};
INSTANTIATE_TEST_SUITE_P(Kinds, RepeatedSeries,
                         ::testing::Values(Repeated{"phases", "phase", 3}, Repeated{"echoes", "echo", 2},
                                           Repeated{"repetitions", "repetition", 2}),
                         [](const auto& repeated) { return repeated.param.test_case; });

TEST_P(RepeatedSeries, EachVolumeCanBeChosen) {
  const auto& [test_case, name, count] = GetParam();
  MADE_DICOM(made, test_case);
  ASSERT_EQ(dicom::list_series(made.folder()).size(), 1u);
  for (int number = 0; number < count; ++number) {
    const Document document = read_image(made.folder(), {.series_uid = {}, .time_point = number});
    EXPECT_EQ(document.time.index, number);
    ASSERT_EQ(document.time.names.size(), static_cast<std::size_t>(count));
    EXPECT_EQ(document.time.names[static_cast<std::size_t>(number)],
              fmt::format("{} {} of {}", name, number + 1, count));
    EXPECT_EQ(document.dicom->series_key, "1.2.3.4");
    ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 4}));
    for (int k = 0; k < 4; ++k)
      EXPECT_EQ(document.volume.value(5, 4, k), stored(5, 4, k + 10 * number) - 1024) << k;
  }
}

TEST(ReadDicom, ADamagedFileAmongGoodOnesIsLeftOut) {
  MADE_DICOM(made, "cut_off");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("1 of 5 files cannot be read and are left out. The first: "), std::string::npos);
  EXPECT_NE(remarks.find("damaged"), std::string::npos) << remarks;
  EXPECT_THROW(read_image(made.folder() / "damaged"), InputError);
}

TEST(ReadDicom, ScoutAndOtherSizesAreLeftOut) {
  MADE_DICOM(made, "localizer");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("1 of 6 files are left out"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("1 of 5 slices are left out"), std::string::npos) << remarks;
}

TEST(ReadDicom, SeveralSeriesAreListedUnlessOneIsNamed) {
  MADE_DICOM(made, "two_series");
  const std::string message = error_of([&] { read_image(made.folder()); });
  EXPECT_NE(message.find("1.2.3.4 (CT \"phantom\", 4 files)"), std::string::npos) << message;
  EXPECT_NE(message.find("1.2.3.5 (CT \"second\", 1 files)"), std::string::npos) << message;
  EXPECT_EQ(read_image(made.folder(), {.series_uid = "1.2.3.5"}).volume.geometry.dimensions[2], 1);
  EXPECT_THROW(read_image(made.folder(), {.series_uid = "9"}), Error);
  const std::vector<dicom::Series> series = dicom::list_series(made.folder());
  ASSERT_EQ(series.size(), 2u);
  EXPECT_EQ(series[0].files, 4);
  EXPECT_EQ(series[0].patient_name, "M\u00fcller^J\u00f6rg");
  EXPECT_EQ(series[0].columns, 6);
  EXPECT_EQ(series[0].rows, 5);
}

TEST(ReadDicom, FilesWithoutASeriesUidAreASeriesToChoose) {
  MADE_DICOM(made, "some_without_uid");
  const std::string message = error_of([&] { read_image(made.folder()); });
  EXPECT_NE(message.find("holds 2 series"), std::string::npos) << message;
  EXPECT_NE(message.find("without-uid (CT \"phantom\", 2 files)"), std::string::npos) << message;
  const Document without = read_image(made.folder(), {.series_uid = "without-uid"});
  expect_voxels(without.volume, 2);
  EXPECT_EQ(without.dicom->series_key, "");  // which another patient's files would share
  EXPECT_EQ(read_image(made.folder(), {.series_uid = "1.2.3.4"}).volume.geometry.dimensions[2], 4);
}

TEST(ReadDicom, FilesWithoutASeriesUidOpenWhereThereAreNoOthers) {
  MADE_DICOM(made, "all_without_uid");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  EXPECT_EQ(document.dicom->series_key, "");
}

TEST(ReadDicom, SegmentationsAndStructureSetsAreNoImages) {
  MADE_DICOM(made, "with_overlays");
  ASSERT_EQ(dicom::list_series(made.folder()).size(), 1u);
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("segmentations or structure sets (mask.seg.dcm, plan.dcm)"), std::string::npos)
      << remarks;
  for (const char* name : {"0", "1", "2", "3"}) fs::remove(made.folder() / "sub" / name);
  const std::string alone = error_of([&] { read_image(made.folder()); });
  EXPECT_NE(alone.find("no DICOM images among 3 files"), std::string::npos) << alone;
  EXPECT_NE(alone.find("mask.seg.dcm"), std::string::npos) << alone;
}

TEST(ReadDicom, FilesThatCannotBeReadAreTold) {
  MADE_DICOM(made, "unreadable");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("3 of 7 files cannot be read and are left out. The first: "), std::string::npos)
      << remarks;
}

class WithoutPlace : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Faults, WithoutPlace,
                         ::testing::Values("no_position", "no_orientation", "zero_orientation"),
                         [](const auto& fault) { return std::string(fault.param); });

TEST_P(WithoutPlace, ASingleImageSaysSo) {
  MADE_DICOM(made, GetParam());
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_FALSE(document.dicom->is_placed);
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("does not say where it lies"), std::string::npos) << remarks;
  const bool is_told = std::string(GetParam()) != "no_position";
  EXPECT_EQ(remarks.find("incomplete or invalid") != std::string::npos, is_told) << remarks;
}

TEST(ReadDicom, WholeRescalesThatDifferBecomeIntegers) {
  MADE_DICOM(made, "rescale_whole");
  const Volume volume = read_image(made.folder()).volume;
  EXPECT_EQ(volume.type, PixelType::int32);  // 16 bits times 4 do not fit into 16
  EXPECT_EQ(volume.slope, 1);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(volume.value(5, 4, k), (k + 1) * (stored(5, 4, k) + 50) - 1000 - k);
}

TEST(ReadDicom, BrokenRescalesThatDifferBecomeFloats) {
  MADE_DICOM(made, "rescale_broken");
  const Volume volume = read_image(made.folder()).volume;
  EXPECT_EQ(volume.type, PixelType::float32);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(volume.value(5, 4, k), 0.25 * (k + 1) * stored(5, 4, k));
}

TEST(ReadDicom, SpacingOfTheDetectorIsTold) {
  MADE_DICOM(made, "monochrome1");
  const Document document = read_image(made.folder() / "image.dcm");
  expect_voxels(document.volume, 1);
  EXPECT_TRUE(document.volume.geometry.spacing().head<2>().isApprox(Eigen::Vector2d(0.3, 0.2)));
  const std::string remarks = document.remarks.text();
  EXPECT_TRUE(document.volume.is_low_bright);
  EXPECT_NE(remarks.find("detector"), std::string::npos) << remarks;
}

TEST(ReadDicom, SpacingOfPortalImagesIsThatOfTheirPlane) {
  MADE_DICOM(made, "portal");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_TRUE(document.volume.geometry.spacing().head<2>().isApprox(Eigen::Vector2d(0.8, 0.4)));
  const std::string remarks = document.remarks.text();
  EXPECT_NE(remarks.find("image plane, 1600 mm from the source. At the isocentre, 1000 mm from it, lengths "
                         "are 0.625 times"),
            std::string::npos)
      << remarks;
}

TEST(ReadDicom, MissingSpacingAndPaddingAreTold) {
  MADE_DICOM(made, "without_spacing");
  const std::string remarks = read_image(made.folder() / "image.dcm").remarks.text();
  EXPECT_NE(remarks.find("1 mm is assumed"), std::string::npos) << remarks;
  EXPECT_NE(remarks.find("-2000"), std::string::npos) << remarks;
}

TEST(ReadDicom, BitsAboveTheNumberAreCleared) {
  {
    MADE_DICOM(made, "twelve_bits");
    expect_voxels(read_image(made.folder() / "image.dcm").volume, 1);
  }
  MADE_DICOM(made, "twelve_bits_unsigned");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  EXPECT_EQ(volume.type, PixelType::uint16);
  EXPECT_EQ(volume.value(0, 0, 0), ((stored(0, 0, 0) + 4096) & 0xfff) - 1024);
}

class ReadEnhanced : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Packings, ReadEnhanced,
                         ::testing::Values("enhanced", "enhanced_rle", "enhanced_fragments"),
                         [](const auto& packing) { return std::string(packing.param); });

TEST_P(ReadEnhanced, FramesAreSortedByTheirFunctionalGroups) {
  MADE_DICOM(made, GetParam());
  const Document document = read_image(made.folder() / "image.dcm");
  expect_voxels(document.volume, 4);
  EXPECT_EQ(document.volume.unit, "HU");
  EXPECT_TRUE(document.volume.geometry.position({1, 1, 1}).isApprox(Eigen::Vector3d(-9.25, -19.5, 32.5)));
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  ASSERT_EQ(document.windows.size(), 1u);
  EXPECT_EQ(document.windows[0].width, 400);
  ASSERT_EQ(document.dicom->slices.size(), 4u);
  EXPECT_EQ(document.dicom->slices[0].frame, 2);  // written as slices 2, 0, 3, 1
  EXPECT_EQ(document.dicom->slices[3].frame, 3);
}

class ReadFragments : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Tables, ReadFragments,
                         ::testing::Values("fragments_table", "fragments_no_table",
                                           "fragments_extended_table", "fragments_wrong_table",
                                           "fragments_jpeg2000"),
                         [](const auto& table) { return std::string(table.param); });

TEST_P(ReadFragments, FramesArePutTogether) {
  MADE_DICOM(made, GetParam());
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  ASSERT_EQ(volume.geometry.dimensions, (std::array{32, 16, 3}));
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(volume.value(0, 0, k), 40 + 50 * k, 1) << k;
    EXPECT_NEAR(volume.value(31, 15, k), 40 + 50 * k, 1) << k;
  }
}

TEST(ReadDicom, FragmentsThatAreNotToldApartAreRefused) {
  {
    MADE_DICOM(made, "fragments_untold");
    const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
    EXPECT_NE(message.find("4 frames come in 8 pieces, and its table of offsets"), std::string::npos)
        << message;
  }
  MADE_DICOM(made, "fragments_missing");
  const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
  EXPECT_NE(message.find("promises 10 frames, but holds 9 pieces"), std::string::npos) << message;
}

TEST(ReadDicom, EnhancedWithTooFewDescriptionsIsRefused) {
  MADE_DICOM(made, "enhanced_short");
  const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
  EXPECT_NE(message.find("5 frames, but describes 4"), std::string::npos) << message;
}

TEST(ReadDicom, CineFramesArePiledUp) {
  MADE_DICOM(made, "cine");
  const Document document = read_image(made.folder() / "image.dcm");
  ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 3}));
  EXPECT_EQ(document.volume.value(5, 4, 2), stored(5, 4, 2));
  EXPECT_TRUE(document.volume.geometry.spacing().isApprox(Eigen::Vector3d(0.4, 0.5, 1)));
  EXPECT_NE(document.remarks.text().find("stacked"), std::string::npos);
}

class ReadColour : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, ReadColour,
                         ::testing::Values("colour", "colour_planar", "colour_rle", "colour_ybr", "colour_16",
                                           "colour_16_rle"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(ReadColour, IsKeptWithItsGrey) {
  MADE_DICOM(made, GetParam());
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  EXPECT_EQ(volume.type, PixelType::float32);
  const double full = std::string_view(GetParam()).starts_with("colour_16") ? 257 : 1;  // of 8 bits
  EXPECT_EQ(volume.full_colour, 255 * full);
  const double tolerance = std::string_view(GetParam()) == "colour_ybr" ? 1.5 : 1e-4;  // 8 bits of chroma
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 6; ++i) {
      const double grey = 0.3 * 10 * i + 0.59 * 20 * j + 0.11 * (200 - 5 * i);
      ASSERT_NEAR(volume.value(i, j, 0) / full, grey, tolerance);
      const auto [red, green, blue] = testing::colour_at(volume, i, j);
      const double off = tolerance > 1 ? 3 : 0;  // 8 bits of chroma
      ASSERT_NEAR(red, 10 * i, off);
      ASSERT_NEAR(green, 20 * j, off);
      ASSERT_NEAR(blue, 200 - 5 * i, off);
    }
  }
}

struct JpegStream {
  std::string test_case, warning;
};
class ReadJpegColours : public ::testing::TestWithParam<JpegStream> {};
INSTANTIATE_TEST_SUITE_P(
    Streams, ReadJpegColours,
    ::testing::Values(
        JpegStream{"jpeg_jfif_called_rgb", "calls its colours RGB, but the JPEG stream holds YCbCr"},
        JpegStream{"jpeg_unmarked_called_rgb", "calls its colours RGB, but the JPEG stream holds YCbCr"},
        JpegStream{"jpeg_adobe_called_ybr", "calls its colours YBR_FULL_422, but the JPEG stream holds RGB"},
        JpegStream{"jpeg_names_called_ybr", "calls its colours YBR_FULL_422, but the JPEG stream holds RGB"},
        JpegStream{"jpeg_as_called_ybr", ""}, JpegStream{"jpeg_untold_called_rgb", ""}),
    [](const auto& stream) { return stream.param.test_case; });

TEST_P(ReadJpegColours, AreThoseOfTheStream) {
  MADE_DICOM(made, GetParam().test_case);
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_NEAR(testing::colour_at(document.volume, 15, 8)[0], 200, 4);
  EXPECT_NEAR(testing::colour_at(document.volume, 31, 8)[2], 220, 4);
  for (const int i : {0, 15})
    EXPECT_NEAR(document.volume.value(i, 8, 0), 0.3 * 200 + 0.59 * 40 + 0.11 * 90, 3);
  for (const int i : {16, 31})
    EXPECT_NEAR(document.volume.value(i, 8, 0), 0.3 * 30 + 0.59 * 160 + 0.11 * 220, 3);
  const std::string remarks = document.remarks.text();
  EXPECT_EQ(remarks.find("JPEG stream holds") != std::string::npos, !GetParam().warning.empty()) << remarks;
  EXPECT_NE(remarks.find(GetParam().warning), std::string::npos) << remarks;
}

TEST(ReadDicom, SharedChromaBecomesGrey) {
  MADE_DICOM(made, "colour_422");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  const double red = 1.402 * (160 - 128), green = -0.344136 * (100 - 128) - 0.714136 * (160 - 128),
               blue = 1.772 * (100 - 128);
  for (int at = 0; at < 30; ++at) {
    const double y = 16 + 5 * at;
    const auto clamped = [](double value) { return std::clamp(value, 0.0, 255.0); };
    ASSERT_NEAR(volume.value(at % 6, at / 6, 0),
                0.3 * clamped(y + red) + 0.59 * clamped(y + green) + 0.11 * clamped(y + blue), 1e-3);
  }
}

TEST(ReadDicom, DoseGridIsPlacedByItsOffsets) {
  MADE_DICOM(made, "dose");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  EXPECT_EQ(volume.type, PixelType::uint32);
  EXPECT_EQ(volume.unit, "Gy");
  EXPECT_DOUBLE_EQ(volume.value(5, 4, 3), 0.001 * (stored(5, 4, 3) + 50));
  EXPECT_TRUE(volume.geometry.position({1, 1, 2}).isApprox(Eigen::Vector3d(-9.25, -19.5, 36)));
}

TEST(ReadDicom, BigEndianNumbersOf32Bits) {
  MADE_DICOM(made, "dose_big_endian");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  for (int k = 0; k < 4; ++k) EXPECT_DOUBLE_EQ(volume.value(5, 4, k), 0.001 * (stored(5, 4, k) + 70050));
}

TEST(ReadDicom, ElementsWithUnknownVrAreTheDictionarys) {
  MADE_DICOM(made, "unknown_vr");
  const Document document = read_image(made.folder() / "image.dcm");
  expect_voxels(document.volume, 1);
  EXPECT_TRUE(document.volume.geometry.origin.isApprox(Eigen::Vector3d(-10, -20, 30)));
  EXPECT_TRUE(document.volume.geometry.spacing().head<2>().isApprox(Eigen::Vector2d(0.75, 0.5)));
}

TEST(ReadDicom, SequencesNestedDeeplyAreRefused) {
  MADE_DICOM(made, "nested");
  const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
  EXPECT_NE(message.find("nested too deeply"), std::string::npos) << message;
}

TEST(ReadDicom, PaletteIsLookedUp) {
  MADE_DICOM(made, "palette");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  for (int j = 0; j < 5; ++j) {
    for (int i = 0; i < 6; ++i) {
      const int entry = std::clamp(i + j - 1, 0, 7);
      ASSERT_NEAR(volume.value(i, j, 0), entry * (0.3 * 10 + 0.59 * 20 + 0.11 * 30), 1e-3);
      ASSERT_EQ(testing::colour_at(volume, i, j), (std::array{10 * entry, 20 * entry, 30 * entry}));
    }
  }
}

TEST(ReadDicom, PackingsThatAreNotReadAreNamed) {
  MADE_DICOM(made, "other_packings");
  const std::vector<std::pair<std::string, std::string>> names{
      {"1.98", "encapsulated uncompressed"},
      {"4.58", "a retired kind of JPEG"},
      {"4.92", "JPEG 2000 part 2"},
      {"4.94", "JPIP"},
      {"4.100", "MPEG-2"},
      {"4.100.1", "MPEG-2"},
      {"4.102", "MPEG-4"},
      {"4.107", "HEVC"},
      {"4.110", "JPEG XL"},
      {"4.204", "JPIP of High-Throughput JPEG 2000"},
      {"7.1", "streamed video"},
      {"8.1", "deflated frames"},
      {"99.7", "in an unknown transfer syntax (\"1.2.840.10008.1.2.99.7\")"}};
  for (const auto& [file, name] : names) {
    const std::string message = error_of([&] { read_image(made.folder() / file); });
    EXPECT_NE(message.find(name), std::string::npos) << file << ": " << message;
  }
}

class SegmentedPalette : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Widths, SegmentedPalette, ::testing::Values("segmented_16", "segmented_8"),
                         [](const auto& width) { return std::string(width.param); });

TEST_P(SegmentedPalette, IsExpanded) {
  MADE_DICOM(made, GetParam());
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  // Expanded by hand from PS3.3 C.7.9.2.
  const std::vector<double> red{1, 2, 26.5, 51, 75.5, 100, 1, 2, 26.5, 51, 75.5, 100, 75, 50, 25, 0};
  const double rounding = std::string_view(GetParam()) == "segmented_8" ? 0.5 : 0.5 / 257;
  for (int at = 0; at < 16; ++at) {
    EXPECT_NEAR(volume.value(at % 8, at / 8, 0) / 0.3, red[static_cast<std::size_t>(at)], rounding + 1e-4)
        << at;
  }
}

TEST(ReadDicom, DamagedPaletteSegmentsAreRefused) {
  for (const char* test_case :
       {"segmented_too_long", "segmented_cut", "segmented_in_a_circle", "segmented_of_nothing"}) {
    MADE_DICOM(made, test_case);
    const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
    EXPECT_NE(message.find("segments of its colour palette are damaged"), std::string::npos)
        << test_case << ": " << message;
  }
}

TEST(ReadDicom, FileWithoutPreamble) {
  MADE_DICOM(made, "bare");
  expect_voxels(read_image(made.folder() / "image.dcm").volume, 1);
}

TEST(ReadDicom, FilesWithoutPreambleAndSuffixAreFoundInAFolder) {
  MADE_DICOM(made, "bare_without_suffix");
  const Document document = read_image(made.folder());
  expect_voxels(document.volume, 4);
  EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
  EXPECT_TRUE(is_image(made.folder() / "IM0"));
}

TEST(ReadDicom, FilesPackedWithGzip) {
  {
    MADE_DICOM(made, "gzipped");
    const Document document = read_image(made.folder());
    expect_voxels(document.volume, 4);
    EXPECT_TRUE(document.remarks.empty()) << document.remarks.text();
    const std::string whole = testing::content_of(made.folder() / "1.dcm.gz");
    std::ofstream(made.folder() / "1.dcm.gz", std::ios::binary) << whole.substr(0, whole.size() / 2);
    const std::string cut = error_of([&] { read_image(made.folder() / "1.dcm.gz"); });
    EXPECT_NE(cut.find("gzip data ends too early"), std::string::npos) << cut;
  }
  MADE_DICOM(made, "gzipped_rle");
  expect_voxels(read_image(made.folder() / "image.dcm.gz").volume, 4);
}

TEST(ReadDicom, RleSeries) {
  MADE_DICOM(made, "rle");
  expect_voxels(read_image(made.folder()).volume, 4);
}

struct Packer {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> cases;
};
std::ostream& operator<<(std::ostream& stream, const Packer& packer) {
  return stream << packer.name;
}

class ReadPacked : public ::testing::TestWithParam<Packer> {};
const std::vector<std::string> all_kinds{"twelve_bits_unsigned", "enhanced", "large", "large_colour"};
INSTANTIATE_TEST_SUITE_P(
    Compressions, ReadPacked,
    ::testing::Values(Packer{"JpegLossless", {"dcmcjpeg", "+e1"}, all_kinds},
                      Packer{"JpegLossless14", {"dcmcjpeg", "+el"}, all_kinds},
                      Packer{"JpegLs", {"dcmcjpls"}, all_kinds}, Packer{"Rle", {"dcmcrle"}, all_kinds},
                      // This encoder crashes where an image is small.
                      Packer{"Jpeg2000", {"gdcmconv", "--j2k"}, {"large", "large_colour"}}),
    [](const auto& packer) { return packer.param.name; });

/// Reads the file of a case packed and unpacked, and compares.
void expect_same_when_packed(const MadeDicom& made, const std::vector<std::string>& packer,
                             double tolerance) {
  const fs::path plain = made.folder() / "image.dcm", packed = made.folder() / "packed.dcm";
  std::vector<std::string> command = packer;
  command.insert(command.end(), {plain.string(), packed.string()});
  ASSERT_TRUE(run_program(command));
  const Volume expected = read_image(plain).volume, found = read_image(packed).volume;
  ASSERT_EQ(found.geometry.dimensions, expected.geometry.dimensions);
  const auto [width, height, depth] = expected.geometry.dimensions;
  for (int k = 0; k < depth; ++k) {
    for (int j = 0; j < height; ++j) {
      for (int i = 0; i < width; ++i) {
        ASSERT_NEAR(found.value(i, j, k), expected.value(i, j, k), tolerance) << i << " " << j << " " << k;
      }
    }
  }
}

TEST_P(ReadPacked, PixelsAreAsBefore) {
  const Packer& packer = GetParam();
  if (!has_program(packer.command[0])) GTEST_SKIP() << packer.command[0] << " is not installed";
  for (const std::string& test_case : packer.cases) {
    SCOPED_TRACE(test_case);
    MADE_DICOM(made, test_case);
    expect_same_when_packed(made, packer.command, 1e-4);
  }
}

TEST(ReadDicom, LossyJpegIsNear) {
  if (!has_program("dcmcjpeg")) GTEST_SKIP() << "dcmcjpeg is not installed";
  MADE_DICOM(made, "large_colour");
  for (const char* subsampling : {"+s4", "+s2"}) {
    SCOPED_TRACE(subsampling);
    expect_same_when_packed(made, {"dcmcjpeg", "+eb", "+q", "100", subsampling}, 4);
  }
}

TEST(ReadDicom, ProgressIsToldAndCancellingStops) {
  MADE_DICOM(made, "axial");
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view stage) {
    if (stage == "reading headers") stop.request_stop();
  });
  EXPECT_THROW(read_image(made.folder(), {}, progress), Cancelled);
}

TEST(ReadDicom, PhantomsLieWhereTheirDescriptionSays) {
  ISOLUME_NEEDS_PHANTOMS();
  for (const std::string name : {"ct-abdomen", "ct-abdomen-oblique", "ct-vessel", "mr-ellipsoid"}) {
    SCOPED_TRACE(name);
    const nlohmann::json description = phantoms::description(name);
    const Document document =
        read_image(phantoms::folder() / description["files"][0]["path"].get<std::string>());
    const auto vector = [](const nlohmann::json& numbers) {
      return Eigen::Vector3d(numbers[0].get<double>(), numbers[1].get<double>(), numbers[2].get<double>());
    };
    const Geometry& geometry = document.volume.geometry;
    EXPECT_TRUE(geometry.origin.isApprox(vector(description["origin_mm"]), 1e-6));
    EXPECT_TRUE(geometry.spacing().isApprox(vector(description["spacing_mm"]), 1e-6));
    for (int axis = 0; axis < 3; ++axis) {
      EXPECT_TRUE(geometry.direction(axis).isApprox(
          vector(description["direction"][static_cast<std::size_t>(axis)]), 1e-6));
    }
    const nlohmann::json& slices = description["slices"];
    ASSERT_EQ(document.dicom->slices.size(), slices.size());
    for (std::size_t k = 0; k < slices.size(); ++k) {
      EXPECT_EQ(document.dicom->slices[k].file.filename(), slices[k].get<std::string>());
    }
  }
}

TEST(ReadDicom, EmptyFolderIsRefused) {
  const testing::TemporaryFolder folder;
  folder.write("notes.txt", "no image");
  EXPECT_THROW(read_image(folder.path()), InputError);
  EXPECT_FALSE(is_image(folder.path()));
}

}  // namespace
}  // namespace isolume::images
