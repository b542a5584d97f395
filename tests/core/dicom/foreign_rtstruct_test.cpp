// RT structure sets made by make_objects.py with the habits of other programs.
#include <gtest/gtest.h>

#include "core/contours/label_map.h"
#include "core/contours/measures.h"
#include "core/dicom/contours/read_contours.h"
#include "tests/core/dicom/made_document.h"
#include "tests/core/images/made_dicom.h"

namespace isolume::dicom {
namespace {

using contours::Combination;
using images::testing::MadeDicom;

#define READ_FOREIGN(name, test_case)                                                                 \
  const MadeDicom made(test_case);                                                                    \
  if (!made.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made"; \
  const auto name = read_rtstruct(made.folder() / "structures.dcm", testing::document(testing::axial()))

std::string remarks(const ReadContours& read) {
  return read.remarks.text();
}

/// The square from pixel 10 to 30 that make_objects.py draws.
void expect_square(const contours::Contour& contour) {
  const contours::Polyline expected{{10, 10}, {30, 10}, {30, 30}, {10, 30}};
  const auto points = contour.outline();
  ASSERT_EQ(points.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_LT((points[i] - expected[i]).norm(), 1e-6);
  EXPECT_TRUE(contour.closed);
}

TEST(ForeignRtstruct, NamesNumbersAndColours) {
  READ_FOREIGN(read, "plain");
  EXPECT_EQ(remarks(read), "");
  ASSERT_EQ(read.set.labels().size(), 1U);
  EXPECT_EQ(read.set.labels()[0].value, 3);
  EXPECT_EQ(read.set.labels()[0].name, "Lung");
  EXPECT_EQ(read.set.labels()[0].colour, "#ff0080");
  ASSERT_EQ(read.set.contours().size(), 6U);
  for (int k = 0; k < 6; ++k) {
    ASSERT_EQ(read.set.on_slice({2, k}).size(), 1U);
    expect_square(*read.set.on_slice({2, k})[0]);
  }
}

TEST(ForeignRtstruct, PlanesWithinHalfASpacingAreTaken) {
  READ_FOREIGN(read, "shifted_0.4");
  for (int k = 0; k < 6; ++k) {
    ASSERT_EQ(read.set.on_slice({2, k}).size(), 1U) << k;
    expect_square(*read.set.on_slice({2, k})[0]);
  }
  EXPECT_EQ(remarks(read), "6 contours of Lung moved onto the nearest slice, by up to 1.20 mm.");
}

TEST(ForeignRtstruct, PlanesFartherOffAreCounted) {
  READ_FOREIGN(read, "shifted_0.6");  // the last is beyond the image, the others are nearer to the next slice
  EXPECT_EQ(read.set.contours().size(), 5U);
  EXPECT_TRUE(read.set.on_slice({2, 0}).empty());
  EXPECT_NE(remarks(read).find("1 contour of Lung left out: not within half a spacing of a slice"),
            std::string::npos)
      << remarks(read);
}

TEST(ForeignRtstruct, ARepeatedFirstPointIsTakenOnce) {
  READ_FOREIGN(read, "repeated_first_point");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
}

TEST(ForeignRtstruct, TypesAndNamesMayBeMissing) {
  READ_FOREIGN(read, "without_type_and_names");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
  EXPECT_EQ(read.set.labels()[0].name, "ROI 3");
  EXPECT_EQ(remarks(read), "1 contour of ROI 3 without a known type, taken as closed.");
}

TEST(ForeignRtstruct, EmptyContoursAreCounted) {
  READ_FOREIGN(read, "empty_contours");
  EXPECT_EQ(read.set.contours().size(), 1U);
  EXPECT_EQ(remarks(read), "1 contour of Lung left out: without points.");
}

TEST(ForeignRtstruct, AFileWithoutContoursSaysSo) {
  READ_FOREIGN(read, "no_contours");
  EXPECT_EQ(read.set.labels().size(), 1U);
  EXPECT_EQ(remarks(read),
            "Regions of interest without contours: Lung.\nThere is no contour for this image in the file.");
}

TEST(ForeignRtstruct, ExclusiveContoursCancelEachOther) {
  READ_FOREIGN(read, "exclusive");
  const auto labels = contours::rasterise(read.set, {2, 2}, 64, 48);
  EXPECT_EQ(std::ranges::count(labels.values, 3), 20 * 20 - 5 * 5);
}

std::ptrdiff_t pixels_on_slice_2(const ReadContours& read) {
  const auto labels = contours::rasterise(read.set, {2, 2}, 64, 48);
  return std::ranges::count(labels.values, 3);
}

TEST(ForeignRtstruct, NestedContoursAreFilledUnlessHolesWereChosen) {
  const MadeDicom made("nested");
  if (!made.was_made()) GTEST_SKIP() << "no Python with pydicom was found: the files cannot be made";
  const auto image = testing::document(testing::axial());
  const auto file = made.folder() / "structures.dcm";
  const auto filled = read_rtstruct(file, image), holes = read_rtstruct(file, image, Nested::holes);
  EXPECT_EQ(pixels_on_slice_2(filled), 20 * 20);
  EXPECT_EQ(pixels_on_slice_2(holes), 20 * 20 - 10 * 10 + 4 * 4);
  EXPECT_EQ(filled.nested, 1);  // the island lies in two
  EXPECT_EQ(remarks(filled),
            "1 contour of Lung within others of the same region, which programs write for holes "
            "and for filled parts alike: filled.");
  EXPECT_NE(remarks(holes).find("cut out as holes"), std::string::npos) << remarks(holes);
  EXPECT_EQ(filled.remarks[0].kind, RemarkKind::assumed);
}

TEST(ForeignRtstruct, NestedExclusiveContoursAreHoles) {
  READ_FOREIGN(read, "nested_exclusive");
  EXPECT_EQ(pixels_on_slice_2(read), 20 * 20 - 10 * 10 + 4 * 4);
  EXPECT_EQ(remarks(read), "");
  EXPECT_EQ(read.nested, 0);
}

TEST(ForeignRtstruct, ExclusiveContoursThatCrossCoverWhatOneAloneEncloses) {
  READ_FOREIGN(read, "crossing_exclusive");
  EXPECT_EQ(pixels_on_slice_2(read), 20 * 20 + 20 * 20 - 2 * 10 * 10);
  EXPECT_NE(remarks(read).find("2 contours of Lung of type CLOSEDPLANAR_XOR"), std::string::npos)
      << remarks(read);
}

TEST(ForeignRtstruct, ContoursThatCrossAreJoinedAndTold) {
  READ_FOREIGN(read, "crossing");
  EXPECT_EQ(pixels_on_slice_2(read), 20 * 20 + 20 * 20 - 10 * 10);
  EXPECT_NE(remarks(read).find("what either encloses was taken"), std::string::npos) << remarks(read);
}

// PS3.3 C.8.8.6.3 combines contours of type CLOSEDPLANAR_XOR with all other contours of the region.
TEST(ForeignRtstruct, AnExclusiveContourCutsTheOthersOfItsSlice) {
  READ_FOREIGN(read, "mixed_exclusive");
  EXPECT_EQ(pixels_on_slice_2(read), 20 * 20 - 10 * 10);
  expect_square(*read.set.on_slice({2, 3}).front());
  EXPECT_EQ(
      remarks(read),
      "1 contour of Lung on slices with others of type CLOSEDPLANAR_XOR: combined with them by exclusive "
      "or.");
}

TEST(ForeignRtstruct, ContoursThatCrossThemselvesAreToldAndMeasuredAsTheirPixels) {
  READ_FOREIGN(read, "crossing_itself");
  EXPECT_EQ(pixels_on_slice_2(read), 200);
  // Two triangles with a base of 20 and a height of 10 pixels of 0.8 x 1.25 mm.
  EXPECT_NEAR(contours::measure(*read.set.contours()[0], testing::axial()).area_mm2.value(), 200, 1e-6);
  EXPECT_NE(remarks(read).find("1 contour of Lung crossing themselves"), std::string::npos) << remarks(read);
}

TEST(ForeignRtstruct, ContoursOutsideTheImageAreKeptAndTold) {
  READ_FOREIGN(read, "outside");
  EXPECT_EQ(read.set.contours().size(), 3U);
  EXPECT_EQ(
      remarks(read),
      "1 contour of Lung partly outside this image: volumes and intensities are only of the part on its "
      "pixels, areas of the whole.\n"
      "1 contour of Lung outside this image: without a pixel, in no volume and no intensity.");
}

TEST(ForeignRtstruct, RegionsOfAnotherFrameOfReferenceAreNamed) {
  READ_FOREIGN(read, "two_frames");
  EXPECT_TRUE(
      remarks(read).starts_with("Regions of interest of another frame of reference than the image's, "
                                "which may be misplaced: Heart."))
      << remarks(read);
}

// PS3.3 2020, C.8.8.6.2: the points are displaced by the vector, which is zero without a slab thickness.
TEST(ForeignRtstruct, SlabsAreDisplacedByTheirVector) {
  READ_FOREIGN(read, "displaced");
  ASSERT_EQ(read.set.contours().size(), 2U);
  const auto slab = read.set.on_slice({2, 3}), other = read.set.on_slice({2, 4});
  ASSERT_EQ(slab.size(), 1U);
  ASSERT_EQ(other.size(), 1U);
  EXPECT_LT((slab[0]->outline()[0] - Eigen::Vector2d(11, 10)).norm(), 1e-6);
  expect_square(*other[0]);
  EXPECT_NE(remarks(read).find("1 contour of Lung displaced by its"), std::string::npos) << remarks(read);
  EXPECT_NE(remarks(read).find("1 contour of Lung not displaced"), std::string::npos) << remarks(read);
}

TEST(ForeignRtstruct, DecimalCommasAreTold) {
  READ_FOREIGN(read, "comma");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
  EXPECT_EQ(remarks(read),
            "1 contour of Lung written with decimal commas, which are read as decimal points.");
}

TEST(ForeignRtstruct, TwoRegionsOfOneNumberAreTold) {
  READ_FOREIGN(read, "two_names");
  EXPECT_EQ(remarks(read),
            "Two regions of interest have the number 3, Lung and Heart: they became one label.");
}

TEST(ForeignRtstruct, AnotherPatientIsTold) {
  READ_FOREIGN(read, "other_patient");
  EXPECT_EQ(remarks(read), "The contours are of another patient, not the image's: they may be misplaced.");
}

TEST(ForeignRtstruct, KeyholesBecomeHoles) {
  READ_FOREIGN(read, "keyhole");
  ASSERT_EQ(read.set.contours().size(), 2U);
  expect_square(*read.set.contours()[0]);
  EXPECT_EQ(read.set.contours()[1]->combination, Combination::subtract);
  EXPECT_EQ(read.set.contours()[1]->outline().size(), 4U);
}

TEST(ForeignRtstruct, ObliqueContoursAreCounted) {
  READ_FOREIGN(read, "oblique");
  EXPECT_EQ(read.set.contours().size(), 1U);
  EXPECT_NE(remarks(read).find("1 contour of Lung left out: not within half"), std::string::npos)
      << remarks(read);
}

TEST(ForeignRtstruct, WrongCountsAreTold) {
  READ_FOREIGN(read, "wrong_count");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
  EXPECT_NE(remarks(read).find("another number of points"), std::string::npos);
}

TEST(ForeignRtstruct, PointsWithoutThreeCoordinatesAreCounted) {
  READ_FOREIGN(read, "not_three_each");
  EXPECT_EQ(read.set.contours().size(), 1U);
  EXPECT_NE(remarks(read).find("1 contour of Lung left out: the coordinates are not numbers"),
            std::string::npos);
}

TEST(ForeignRtstruct, AnotherFrameOfReferenceIsTold) {
  READ_FOREIGN(read, "other_frame");
  EXPECT_EQ(read.set.contours().size(), 6U);
  EXPECT_NE(remarks(read).find("of another frame of reference"), std::string::npos);
}

TEST(ForeignRtstruct, NamesBecomeUtf8) {
  READ_FOREIGN(read, "latin1");
  EXPECT_EQ(read.set.labels()[0].name, "Hüfte");
}

TEST(ForeignRtstruct, BytesThatAreNoUtf8AreLatin1) {
  READ_FOREIGN(read, "wrong_character_set");
  EXPECT_EQ(read.set.labels()[0].name, "Hüfte");
}

TEST(ForeignRtstruct, ExplicitVrIsRead) {
  READ_FOREIGN(read, "explicit");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
}

class PackedRtstruct : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Kinds, PackedRtstruct, ::testing::Values("bare", "deflated"),
                         [](const auto& kind) { return std::string(kind.param); });

TEST_P(PackedRtstruct, IsKnownAndRead) {
  READ_FOREIGN(read, GetParam());
  EXPECT_EQ(kind_of(made.folder() / "structures.dcm"), DicomKind::rtstruct);
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
}

TEST(ForeignRtstruct, NumbersThatNoLabelCanHaveAreReplaced) {
  READ_FOREIGN(read, "large_number");
  ASSERT_EQ(read.set.labels().size(), 1U);
  EXPECT_EQ(read.set.labels()[0].value, 1);
  EXPECT_EQ(remarks(read),
            "Region of interest 123456 became label 1, as labels are numbered from 1 to 65535.");
  EXPECT_EQ(read.set.labels()[0].name, "Lung");
}

}  // namespace
}  // namespace isolume::dicom
