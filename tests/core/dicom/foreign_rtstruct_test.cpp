// RT structure sets made by make_objects.py with the habits of other programs.
#include <gtest/gtest.h>

#include "core/contours/label_map.h"
#include "core/dicom/rtstruct.h"
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

std::string warnings(const ReadStructures& read) {
  std::string all;
  for (const auto& warning : read.warnings) all += warning + "\n";
  return all;
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
  EXPECT_EQ(warnings(read), "");
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
  EXPECT_EQ(warnings(read), "6 contours moved onto the nearest slice, by up to 1.20 mm.\n");
}

TEST(ForeignRtstruct, PlanesFartherOffAreCounted) {
  READ_FOREIGN(read, "shifted_0.6");  // the last is beyond the image, the others are nearer to the next slice
  EXPECT_EQ(read.set.contours().size(), 5U);
  EXPECT_TRUE(read.set.on_slice({2, 0}).empty());
  EXPECT_NE(warnings(read).find("1 contour left out: not within half a spacing of a slice"),
            std::string::npos)
      << warnings(read);
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
}

TEST(ForeignRtstruct, EmptyContoursAreCounted) {
  READ_FOREIGN(read, "empty_contours");
  EXPECT_EQ(read.set.contours().size(), 1U);
  EXPECT_EQ(warnings(read), "1 contour left out: without points.\n");
}

TEST(ForeignRtstruct, AFileWithoutContoursSaysSo) {
  READ_FOREIGN(read, "no_contours");
  EXPECT_EQ(read.set.labels().size(), 1U);
  EXPECT_EQ(warnings(read), "There is no contour for this image in the file.\n");
}

TEST(ForeignRtstruct, ExclusiveContoursCancelEachOther) {
  READ_FOREIGN(read, "exclusive");
  const auto labels = contours::rasterise(read.set, {2, 2}, 64, 48);
  EXPECT_EQ(std::ranges::count(labels.values, 3), 21 * 21 - 6 * 6);
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
  EXPECT_NE(warnings(read).find("1 contour left out: not within half"), std::string::npos) << warnings(read);
}

TEST(ForeignRtstruct, WrongCountsAreTold) {
  READ_FOREIGN(read, "wrong_count");
  ASSERT_EQ(read.set.contours().size(), 1U);
  expect_square(*read.set.contours()[0]);
  EXPECT_NE(warnings(read).find("another number of points"), std::string::npos);
}

TEST(ForeignRtstruct, PointsWithoutThreeCoordinatesAreCounted) {
  READ_FOREIGN(read, "not_three_each");
  EXPECT_EQ(read.set.contours().size(), 1U);
  EXPECT_NE(warnings(read).find("1 contour left out: the coordinates are not numbers"), std::string::npos);
}

TEST(ForeignRtstruct, AnotherFrameOfReferenceIsTold) {
  READ_FOREIGN(read, "other_frame");
  EXPECT_EQ(read.set.contours().size(), 6U);
  EXPECT_NE(warnings(read).find("a different frame of reference"), std::string::npos);
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
  EXPECT_EQ(read.set.labels()[0].name, "Lung");
}

}  // namespace
}  // namespace isolume::dicom
