// Kinds of DICOM files that differ from a plain series of slices. Files are made by make_dicom.py, which writes what is
// expected here by formulas.
#include <algorithm>
#include <array>
#include <string_view>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/images/geometry.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::error_of;
using testing::has_program;
using testing::run_program;

/// As in make_dicom.py.
int stored(int i, int j, int k) {
  return 7 * i + 11 * j + 13 * k - 50;
}

bool has_remark(const Document& document, RemarkKind kind, std::string_view part, std::size_t count = 0) {
  for (const Remark& remark : document.remarks) {
    if (remark.kind == kind && remark.count == count && remark.text.find(part) != std::string::npos)
      return true;
  }
  return false;
}

TEST(DicomNumbers, DecimalCommasAreReadAsPoints) {
  MADE_DICOM(made, "decimal_comma");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_DOUBLE_EQ(document.volume.value(5, 4, 0), 0.5 * stored(5, 4, 0) - 100.25);
  EXPECT_TRUE(
      has_remark(document, RemarkKind::corrected, "RescaleSlope (0028,1053) is written with a decimal comma"))
      << document.remarks.text();
}

TEST(DicomNumbers, WhatTheValuesDependOnIsRefusedWhereItIsNoNumber) {
  for (const auto& [test_case, value] :
       {std::pair{"no_number", "half"}, std::pair{"two_commas", "-1,00,25"}}) {
    MADE_DICOM(made, test_case);
    const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
    EXPECT_NE(message.find("which is not a number"), std::string::npos) << message;
    EXPECT_NE(message.find(value), std::string::npos) << message;
  }
}

TEST(DicomNumbers, AnInterceptWithoutASlopeIsNamed) {
  MADE_DICOM(made, "slope_missing");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_EQ(document.volume.value(5, 4, 0), stored(5, 4, 0) - 1024);
  EXPECT_TRUE(has_remark(document, RemarkKind::assumed, "a slope of 1 is assumed"))
      << document.remarks.text();
}

TEST(DicomNumbers, StoredValuesAreNoHounsfieldUnits) {
  MADE_DICOM(made, "no_rescale");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_EQ(document.volume.value(5, 4, 0), stored(5, 4, 0));
  EXPECT_EQ(document.volume.unit, "");
  EXPECT_NE(document.remarks.text().find("how its values become Hounsfield units"), std::string::npos)
      << document.remarks.text();
}

// PS3.3 C.11.1.1: the first entry applies to the first number and all below, the last one to all beyond.
TEST(DicomNumbers, TablesGiveTheValuesOfTheirSlices) {
  MADE_DICOM(made, "modality_lut");
  const Document document = read_image(made.folder());
  const Volume& volume = document.volume;
  EXPECT_EQ(volume.unit, "HU");
  ASSERT_EQ(volume.geometry.dimensions, (std::array{6, 5, 4}));
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 6; ++i) {
        const int entry = std::clamp(stored(i, j, k) + 30 + k, 0, 39 + k);
        EXPECT_EQ(volume.value(i, j, k), 1000 * (k + 1) + entry * entry) << i << j << k;
      }
    }
  }
  EXPECT_EQ(document.remarks.text().find("LUT"), std::string::npos) << document.remarks.text();
}

TEST(DicomNumbers, TablesOfAllKindsAreApplied) {
  MADE_DICOM(made, "modality_luts");
  const auto values = [&](const char* name, std::string_view unit, std::array<int, 3> numbers,
                          std::array<double, 3> wanted) {
    const Document document = read_image(made.folder() / name);
    EXPECT_EQ(document.volume.unit, unit) << name;
    // The first pixels with these stored numbers.
    for (std::size_t at = 0; at < numbers.size(); ++at) {
      bool is_found = false;
      for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 6; ++i) {
          if (stored(i, j, 0) != numbers[at]) continue;
          is_found = true;
          EXPECT_EQ(document.volume.value(i, j, 0), wanted[at]) << name << " " << numbers[at];
        }
      }
      EXPECT_TRUE(is_found) << numbers[at];
    }
    return document.remarks.text();
  };
  // stored() is 7 i + 11 j - 50; unsigned files hold 50 more.
  values("unsigned.dcm", "mOD", {-50, -6, 29}, {1000, 40000, 65535});
  values("implicit.dcm", "HU", {-50, -6, -4}, {7, 9, 11});
  values("bytes.dcm", "%", {-50, 1, 29}, {5, 250, 17});
  values("whole.dcm", "", {-50, -10, 29},
         {3.0 * 60000 + 1 - 2 * 65536, 3.0 * 60040 + 1 - 2 * 65536, 3.0 * 60079 + 1 - 2 * 65536});
  EXPECT_NE(values("both.dcm", "HU", {-50, -6, -4}, {7, 9, 11}).find("the LUT alone is applied"),
            std::string::npos);
  const std::string message = error_of([&] { read_image(made.folder() / "cut.dcm"); });
  EXPECT_NE(message.find("is cut off: it promises 3 entries"), std::string::npos) << message;
}

TEST(DicomNumbers, WhatNothingDependsOnIsNamedAndNotUsed) {
  MADE_DICOM(made, "thickness_no_number");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_EQ(document.volume.value(5, 4, 0), stored(5, 4, 0) - 1024);
  EXPECT_TRUE(has_remark(document, RemarkKind::dropped, "SliceThickness (0018,0050) is \"thin\""))
      << document.remarks.text();
}

TEST(DicomSeries, EachSliceIsReadByItsOwnBits) {
  MADE_DICOM(made, "bits_per_slice");
  const Document document = read_image(made.folder());
  ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 4}));
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 5; ++j) {
      for (int i = 0; i < 6; ++i)
        ASSERT_EQ(document.volume.value(i, j, k), stored(i, j, k) + 50 - 1024) << i << j << k;
    }
  }
  EXPECT_TRUE(has_remark(document, RemarkKind::converted, "3 of 4 slices are stored with other bits", 3))
      << document.remarks.text();
}

TEST(DicomSeries, SlicesTurnedByLessThanHalfADegreeStay) {
  MADE_DICOM(made, "turned_a_little");
  const Document document = read_image(made.folder());
  EXPECT_EQ(document.volume.geometry.dimensions[2], 4);
  EXPECT_TRUE(has_remark(document, RemarkKind::warning, "turned against each other by up to 0.20 degrees"))
      << document.remarks.text();
}

TEST(DicomSeries, SlicesTurnedFartherAreLeftOutByName) {
  MADE_DICOM(made, "turned_too_far");
  const Document document = read_image(made.folder());
  EXPECT_EQ(document.volume.geometry.dimensions[2], 3);
  EXPECT_TRUE(has_remark(document, RemarkKind::dropped, "1 of 4 slices are left out", 1));
  EXPECT_TRUE(has_remark(document, RemarkKind::dropped, "002", 1)) << document.remarks.text();
}

TEST(DicomSeries, ALabelMapSegmentationIsOfferedAndNoSecondSeries) {
  MADE_DICOM(made, "label_map");
  const Document document = read_image(made.folder());
  EXPECT_EQ(document.volume.geometry.dimensions[2], 4);
  ASSERT_EQ(document.overlays.size(), 1u);
  EXPECT_EQ(document.overlays[0].filename(), "mask.dcm");
}

TEST(DicomSeries, FilesThatBelongElsewhereAreLeftOut) {
  MADE_DICOM(made, "strangers");
  for (const auto& [name, words] :
       {std::pair{"patient", "their patient (Patient ID)"}, std::pair{"study", "their study"},
        std::pair{"frame", "their frame of reference"}, std::pair{"kind", "their kind (SOP Class)"},
        std::pair{"unit", "their unit"}}) {
    const Document document = read_image(made.folder() / name);
    ASSERT_EQ(document.volume.geometry.dimensions[2], 3) << name;
    // Of five slices, the second and third belong elsewhere.
    for (const auto& [slice, k] : {std::pair{0, 0}, std::pair{1, 3}, std::pair{2, 4}})
      EXPECT_EQ(document.volume.value(5, 4, slice), stored(5, 4, k) - 1024) << name;
    EXPECT_TRUE(has_remark(document, RemarkKind::dropped, words, 2)) << document.remarks.text();
  }
}

TEST(DicomSeries, FilesWithoutASeriesArePartedByPatient) {
  MADE_DICOM(made, "strangers");
  for (const auto& [uid, first] : {std::pair{"without-uid", 0}, std::pair{"without-uid-2", 1}}) {
    const Document document = read_image(made.folder() / "nameless", {.series_uid = uid});
    ASSERT_EQ(document.volume.geometry.dimensions[2], 2);
    for (int slice = 0; slice < 2; ++slice)
      EXPECT_EQ(document.volume.value(5, 4, slice), stored(5, 4, first + 2 * slice) - 1024);
  }
}

TEST(DicomPixels, BeyondThosePromisedAreNamed) {
  MADE_DICOM(made, "surplus");
  // Two frames more of 6 x 5 x 2 bytes, and one.
  const Document classic = read_image(made.folder() / "classic.dcm");
  EXPECT_TRUE(has_remark(classic, RemarkKind::dropped, "promises 1 frame, but holds 120 B more"))
      << classic.remarks.text();
  const Document enhanced = read_image(made.folder() / "enhanced.dcm");
  EXPECT_TRUE(has_remark(enhanced, RemarkKind::dropped, "holds 60 B more")) << enhanced.remarks.text();
  EXPECT_TRUE(has_remark(enhanced, RemarkKind::dropped, "describes 4: those beyond", 1));
}

TEST(DicomPixels, PackedOnesBeyondThosePromisedAreNamed) {
  MADE_DICOM(made, "surplus_packed");
  for (const int frames : {1, 2}) {
    const Document document = read_image(made.folder() / std::to_string(frames) / "image.dcm");
    ASSERT_EQ(document.volume.geometry.dimensions, (std::array{32, 16, frames}));
    for (int k = 0; k < frames; ++k) EXPECT_NEAR(document.volume.value(31, 15, k), 40 + 50 * k, 1);
    const auto pieces = static_cast<std::size_t>(9 - 3 * frames);
    EXPECT_TRUE(
        has_remark(document, RemarkKind::dropped, fmt::format("holds {} more pieces", pieces), pieces))
        << document.remarks.text();
  }
  const Document rle = read_image(made.folder() / "rle.dcm");
  EXPECT_EQ(rle.volume.value(5, 4, 0), stored(5, 4, 0) - 1024);
  EXPECT_TRUE(has_remark(rle, RemarkKind::dropped, "holds 1 more piece of pixels, which is not read", 1))
      << rle.remarks.text();
}

TEST(DicomNumbers, RealWorldValuesAreTakenWhereThereIsNoRescale) {
  MADE_DICOM(made, "real_world_values");
  const Document alone = read_image(made.folder() / "alone.dcm"),
                 enhanced = read_image(made.folder() / "enhanced.dcm");
  EXPECT_DOUBLE_EQ(alone.volume.value(5, 4, 0), 0.01 * stored(5, 4, 0) + 2);
  EXPECT_DOUBLE_EQ(enhanced.volume.value(5, 4, 3), 0.01 * stored(5, 4, 3) + 2);
  EXPECT_EQ(alone.volume.unit, "mm2/s");
  EXPECT_EQ(enhanced.volume.unit, "mm2/s");
  const Document beside = read_image(made.folder() / "beside.dcm");
  EXPECT_EQ(beside.volume.value(5, 4, 0), stored(5, 4, 0) - 1024);
  EXPECT_TRUE(has_remark(beside, RemarkKind::dropped, "Real World Value Mapping is not applied"));
}

TEST(Ultrasound, EachRegionHasItsOwnScale) {
  MADE_DICOM(made, "us_regions");
  const Document document = read_image(made.folder() / "image.dcm");
  const Geometry& geometry = document.volume.geometry;
  using Places = std::vector<Eigen::Vector2d>;
  const auto spacing_of = [&](const Places& places) {
    const auto plane = plane_of(geometry, {2, 0}, places);
    return plane ? plane->spacing() : Eigen::Vector2d(0, 0);
  };
  EXPECT_TRUE(spacing_of({{2, 3}, {19.4, 8}}).isApprox(Eigen::Vector2d(0.1, 0.2)));
  EXPECT_TRUE(spacing_of({{19.6, 3}, {39, 8}}).isApprox(Eigen::Vector2d(0.5, 1)));
  EXPECT_TRUE(spacing_of({{2, 3}, {30, 8}}).isZero()) << "across regions";
  EXPECT_TRUE(spacing_of({{45, 3}, {50, 8}}).isZero()) << "of time and velocity";
  EXPECT_TRUE(spacing_of({{2, 3}, {2, 40}}).isZero()) << "outside";
  EXPECT_TRUE(
      has_remark(document, RemarkKind::warning, "Each of its 3 ultrasound regions has its own scale"));
}

TEST(Ultrasound, OutsideOfRegionsOfOneScaleThereIsNone) {
  MADE_DICOM(made, "us_one_scale");
  using Places = std::vector<Eigen::Vector2d>;
  const auto has_scale = [&](const char* folder, const Places& places, SliceId slice = {2, 0}) {
    const Geometry geometry = read_image(made.folder() / folder / "image.dcm").volume.geometry;
    EXPECT_TRUE(geometry.has_one_scale());
    const auto plane = plane_of(geometry, slice, places);
    if (plane) {
      const Eigen::Vector3d steps(0.1, 0.2, geometry.spacing().z());
      EXPECT_NEAR(plane->along.norm(), steps[slice.axis == 0 ? 1 : 0], 1e-9);
      EXPECT_NEAR(plane->across.norm(), steps[slice.axis == 2 ? 1 : 2], 1e-9);
    }
    return plane.has_value();
  };
  EXPECT_TRUE(has_scale("one", {{2, 3}, {19.4, 8}}));
  EXPECT_FALSE(has_scale("one", {{2, 3}, {30, 8}})) << "half outside";
  EXPECT_FALSE(has_scale("one", {{45, 3}, {50, 8}})) << "outside";
  EXPECT_FALSE(has_scale("one", {{2, 3}, {2, 29.6}})) << "below";
  EXPECT_TRUE(has_scale("one", {{2, 0}, {15, 0}}, {1, 8}));
  EXPECT_FALSE(has_scale("one", {{2, 0}, {15, 0}}, {0, 30})) << "a slice across the columns outside";
  EXPECT_TRUE(has_scale("one", {{2, 0}, {15, 0}}, {0, 10}));
  EXPECT_FALSE(has_scale("beside", {{2, 3}, {30, 8}})) << "two pictures next to each other";
  EXPECT_TRUE(has_scale("beside", {{22, 3}, {30, 8}}));
  EXPECT_TRUE(has_scale("within", {{2, 3}, {15, 8}, {30, 3}}));
  EXPECT_TRUE(has_scale("whole", {{0, 0}, {59, 29}}));
  EXPECT_TRUE(has_remark(read_image(made.folder() / "one/image.dcm"), RemarkKind::warning,
                         "measured where it lies within one"));
  const Document whole = read_image(made.folder() / "whole/image.dcm");
  EXPECT_EQ(whole.remarks.text().find("ultrasound region"), std::string::npos) << whole.remarks.text();
  const Document placeless = read_image(made.folder() / "placeless/image.dcm");
  EXPECT_TRUE(has_remark(placeless, RemarkKind::dropped, "is not a rectangle of pixels"));
  EXPECT_EQ(placeless.volume.geometry.spacing().x(), 1);
  EXPECT_TRUE(has_remark(placeless, RemarkKind::assumed, "1 mm is assumed"));
}

TEST(TimePoints, GatesOfNuclearMedicineAreVolumes) {
  MADE_DICOM(made, "nm_gated");
  for (int gate = 0; gate < 3; ++gate) {
    const Document document = read_image(made.folder() / "image.dcm", {.series_uid = {}, .time_point = gate});
    ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 4}));
    EXPECT_EQ(document.volume.geometry.spacing().z(), 5);
    EXPECT_EQ(document.time.names,
              (std::vector<std::string>{"time slot 1 of 3", "time slot 2 of 3", "time slot 3 of 3"}));
    EXPECT_EQ(document.time.index, gate);
    for (int k = 0; k < 4; ++k) EXPECT_EQ(document.volume.value(5, 4, k), stored(5, 4, k + 4 * gate) + 50);
    EXPECT_TRUE(has_remark(document, RemarkKind::dropped, "3 volumes at the same position", 2))
        << document.remarks.text();
  }
  const std::string message =
      error_of([&] { read_image(made.folder() / "image.dcm", {.series_uid = {}, .time_point = 3}); });
  EXPECT_NE(message.find("no time point 4; it has 3"), std::string::npos) << message;
}

TEST(TimePoints, DiffusionSeriesAreVolumesByTheMakersOwnBValues) {
  MADE_DICOM(made, "private_b_values");
  for (const std::string maker : {"siemens", "ge", "philips", "uih"}) {
    for (const std::string form : {"explicit", "implicit"}) {
      SCOPED_TRACE(maker + " " + form);
      const Document document = read_image(made.folder() / (maker + "-" + form));
      EXPECT_EQ(document.time.names,
                (std::vector<std::string>{"b-value 0 s/mm²", "b-value 700 s/mm², repetition 1 of 3",
                                          "b-value 700 s/mm², repetition 2 of 3",
                                          "b-value 700 s/mm², repetition 3 of 3"}));
    }
  }
}

TEST(DicomNumbers, PrivateBValuesThatAreNoNumbersAreNamed) {
  MADE_DICOM(made, "odd_b_values");
  EXPECT_TRUE(has_remark(read_image(made.folder() / "comma.dcm"), RemarkKind::corrected,
                         "SIEMENS MR HEADER is written with a decimal comma"));
  EXPECT_TRUE(has_remark(read_image(made.folder() / "word.dcm"), RemarkKind::dropped,
                         "SIEMENS MR HEADER is \"high\", which is not a number"));
}

TEST(Slices, OfWhichSomeAreInvertedAreNamed) {
  MADE_DICOM(made, "both_monochromes");
  const Document document = read_image(made.folder());
  EXPECT_FALSE(document.volume.is_low_bright);
  EXPECT_TRUE(
      has_remark(document, RemarkKind::warning, "1 of 4 slices are meant to be drawn the other way round"))
      << document.remarks.text();
}

TEST(TimePoints, PlanarFramesLieAtOnePlace) {
  MADE_DICOM(made, "nm_planar");
  const Document document = read_image(made.folder() / "image.dcm", {.series_uid = {}, .time_point = 4});
  EXPECT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 1}));
  EXPECT_EQ(document.time.names.size(), 5u);
  EXPECT_EQ(document.volume.value(5, 4, 0), stored(5, 4, 4) + 50);
}

TEST(TimePoints, OfAnEnhancedFile) {
  MADE_DICOM(made, "enhanced_in_time");
  const Document document = read_image(made.folder() / "image.dcm", {.series_uid = {}, .time_point = 1});
  EXPECT_EQ(document.time.names, (std::vector<std::string>{"phase 1 of 2", "phase 2 of 2"}));
  ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, 3}));
  for (int k = 0; k < 3; ++k) EXPECT_EQ(document.volume.value(5, 4, k), stored(5, 4, k + 3) - 1024);
}

/// As in_time of make_dicom.py: slice k of repetition `again` is slice k + 10 again of the formula.
void expect_repetition(const Document& document, int again, int slices = 4) {
  ASSERT_EQ(document.volume.geometry.dimensions, (std::array{6, 5, slices}));
  for (int k = 0; k < slices; ++k)
    EXPECT_EQ(document.volume.value(5, 4, k), stored(5, 4, k + 10 * again) - 1024) << again << k;
}

Document read_at(const std::filesystem::path& path, int time_point) {
  return read_image(path, {.series_uid = {}, .time_point = time_point});
}

TEST(TimePoints, AreToldApartByWhatFramesAreAndByTheirTimes) {
  MADE_DICOM(made, "told_apart");
  for (const auto& [way, name] :
       {std::pair{"types", "image type DERIVED\\PRIMARY\\DIXON\\FAT"},
        std::pair{"complex", "image type \\MAGNITUDE"}, std::pair{"gradients", "direction 1 of 2"},
        std::pair{"voltages", "tube voltage 1 of 2"}, std::pair{"acquired", "time 1 of 2"},
        std::pair{"content", "repetition 1 of 2"}}) {
    SCOPED_TRACE(way);
    for (int again = 0; again < 2; ++again) {
      const Document document = read_at(made.folder() / way, again);
      EXPECT_EQ(document.time.names.at(0), name);
      expect_repetition(document, again);
      EXPECT_EQ(document.remarks.text().find("may be mixed"), std::string::npos) << document.remarks.text();
    }
  }
}

TEST(TimePoints, ThatNothingTellsApartAreSaidToBeUncertain) {
  MADE_DICOM(made, "told_apart");
  const Document document = read_image(made.folder() / "nothing");
  EXPECT_TRUE(has_remark(document, RemarkKind::warning, "the 2 slices at each of 4 positions", 4))
      << document.remarks.text();
}

TEST(TimePoints, StayTogetherWhereASliceIsLost) {
  MADE_DICOM(made, "lost_slices");
  const Document first = read_at(made.folder() / "in-turn", 0);
  ASSERT_EQ(first.volume.geometry.dimensions[2], 3);
  for (const auto& [slice, k] : {std::pair{0, 0}, std::pair{1, 1}, std::pair{2, 3}})
    EXPECT_EQ(first.volume.value(5, 4, slice), stored(5, 4, k) - 1024);
  EXPECT_NE(first.remarks.text().find("Slices are 2.5 to 5 mm apart"), std::string::npos);
  for (const int again : {1, 2}) expect_repetition(read_at(made.folder() / "in-turn", again), again);
  // Numbers that go through the repetitions first do not tell which of them is lost.
  const Document mixed = read_image(made.folder() / "place-by-place");
  EXPECT_TRUE(has_remark(mixed, RemarkKind::warning, "At 1 of 4 positions there are fewer than 3 slices", 1))
      << mixed.remarks.text();
}

TEST(TimePoints, OfDimensionIndexValuesAndTimeOffsets) {
  MADE_DICOM(made, "enhanced_dimensions");
  for (int again = 0; again < 2; ++again) {
    const Document document = read_at(made.folder() / "image.dcm", again);
    EXPECT_EQ(document.time.names, (std::vector<std::string>{"dimension 1 of 2", "dimension 2 of 2"}));
    expect_repetition(document, again, 3);
  }
  MADE_DICOM(offsets, "enhanced_offsets");
  for (int time = 0; time < 3; ++time)
    expect_repetition(read_at(offsets.folder() / "image.dcm", time), time, 1);
}

TEST(Slices, ShiftedWithinTheirPlanesAreNamed) {
  MADE_DICOM(made, "shifted");
  // The line through the first and last slice is the column; the third lies 2 mm from it.
  const Document one = read_image(made.folder() / "one");
  EXPECT_NE(one.remarks.text().find("up to 2 mm from their positions"), std::string::npos)
      << one.remarks.text();
  // y is 0, 1, 2, 2, 2 where the line from the first to the last is at 0, 0.5, 1, 1.5, 2.
  const std::string half = read_image(made.folder() / "half-tilted").remarks.text();
  EXPECT_NE(half.find("up to 1 mm from their positions"), std::string::npos) << half;
  EXPECT_EQ(half.find("Positions are right"), std::string::npos) << half;
}

TEST(Slices, BesideEachOtherAreStacksOfTheirOwn) {
  MADE_DICOM(made, "beside");
  // The picture is 6 x 0.75 mm wide, so that 100 mm are beside it.
  const Document first = read_at(made.folder(), 0), second = read_at(made.folder(), 1);
  EXPECT_EQ(first.time.names, (std::vector<std::string>{"stack 1 of 2", "stack 2 of 2"}));
  expect_repetition(first, 0);
  expect_repetition(second, 1, 3);
  EXPECT_EQ(second.volume.geometry.origin.x(), 100);
  EXPECT_TRUE(has_remark(first, RemarkKind::dropped, "There are 2 volumes in this series", 1))
      << first.remarks.text();
}

TEST(Radiographs, SpacingAtTheDetectorIsSaid) {
  MADE_DICOM(made, "dx_same");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_TRUE(has_remark(document, RemarkKind::warning,
                         "that of the detector: lengths in the patient are smaller, by "
                         "about 1.25 times"))
      << document.remarks.text();
}

TEST(Radiographs, CalibratedSpacingIsTaken) {
  MADE_DICOM(made, "dx_calibrated");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_TRUE(document.volume.geometry.spacing().head<2>().isApprox(Eigen::Vector2d(0.16, 0.16)));
  EXPECT_EQ(document.remarks.text().find("detector"), std::string::npos) << document.remarks.text();
}

TEST(Radiographs, SidesAreThoseOfPatientOrientation) {
  MADE_DICOM(made, "dx_same");
  const Geometry geometry = read_image(made.folder() / "image.dcm").volume.geometry;
  EXPECT_TRUE(geometry.has_sides());
  EXPECT_EQ(orientation_letters(geometry.direction(0)), "R");
  EXPECT_EQ(orientation_letters(geometry.direction(1)), "F");
}

TEST(Radiographs, WithoutOrientationThereAreNoSides) {
  MADE_DICOM(made, "dx_unknown");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_FALSE(document.volume.geometry.has_sides());
  EXPECT_TRUE(has_remark(document, RemarkKind::assumed, "does not say how it lies in the patient"));
  EXPECT_TRUE(has_remark(document, RemarkKind::warning,
                         "does not say whether its pixel spacing is that of the detector"))
      << document.remarks.text();
}

TEST(Radiographs, Monochrome1IsDrawnBright) {
  MADE_DICOM(made, "dx_monochrome1");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_TRUE(document.volume.is_low_bright);
  EXPECT_EQ(document.volume.value(0, 0, 0), static_cast<std::uint16_t>(stored(0, 0, 0)));
}

TEST(Mosaics, AreRefusedInWords) {
  MADE_DICOM(made, "mosaic");
  const std::string message = error_of([&] { read_image(made.folder() / "image.dcm"); });
  EXPECT_NE(message.find("mosaic, many slices side by side"), std::string::npos) << message;
}

TEST(Mosaics, OfSiemensAreTakenApartWhereTheHeaderSaysHow) {
  MADE_DICOM(made, "mosaics");
  for (const bool is_up : {false, true}) {
    SCOPED_TRACE(is_up);
    const Document document = read_image(made.folder() / (is_up ? "up.dcm" : "down.dcm"));
    const Geometry& geometry = document.volume.geometry;
    ASSERT_EQ(geometry.dimensions, (std::array{6, 5, 7}));
    // The first slice lies at 30 mm, and the seventh 6 x 2.5 mm above or below it.
    EXPECT_TRUE(geometry.origin.isApprox(Eigen::Vector3d(-10, -20, is_up ? 30 : 15), 1e-9));
    EXPECT_TRUE(geometry.spacing().isApprox(Eigen::Vector3d(0.75, 0.5, 2.5), 1e-9));
    EXPECT_TRUE(geometry.directions().isApprox(Eigen::Matrix3d::Identity(), 1e-9));
    for (int k = 0; k < 7; ++k) {
      for (int j = 0; j < 5; ++j) {
        for (int i = 0; i < 6; ++i)
          ASSERT_EQ(document.volume.value(i, j, k), stored(i, j, is_up ? k : 6 - k) - 1024);
      }
    }
    EXPECT_TRUE(has_remark(document, RemarkKind::converted, "A mosaic of 7 slices, 3 × 3 tiles of 6 × 5"))
        << document.remarks.text();
  }
  const Document later = read_image(made.folder() / "in-time",
                                    {.series_uid = {}, .time_point = 1, .values = ValueScale::stored});
  EXPECT_EQ(later.time.names.size(), 2u);
  EXPECT_EQ(later.volume.geometry.dimensions, (std::array{6, 5, 7}));
  EXPECT_EQ(later.volume.value(5, 4, 6), stored(5, 4, 0) - 1024);
}

TEST(Mosaics, NumbersWithDecimalCommasAreNamedAndOthersRefused) {
  MADE_DICOM(made, "mosaics");
  const Document document = read_image(made.folder() / "commas.dcm");
  EXPECT_NEAR(document.volume.geometry.spacing().z(), 2.5, 1e-9);
  for (const char* name : {"SpacingBetweenSlices (0018,0088) is", "CSA header's SliceNormalVector is"})
    EXPECT_TRUE(
        has_remark(document, RemarkKind::corrected, fmt::format("{} written with a decimal comma", name)))
        << document.remarks.text();
  for (const auto& [file, words] :
       {std::pair{"no-step.dcm", "SpacingBetweenSlices (0018,0088) is \"2.5O\", which is not a number"},
        std::pair{"no-normal.dcm", "SliceNormalVector is \"minus 1.000\", which is not a number"}}) {
    const std::string message = error_of([&] { read_image(made.folder() / file); });
    EXPECT_NE(message.find(words), std::string::npos) << file << ": " << message;
  }
}

TEST(Mosaics, OfUnitedImagingAreTakenApartByTheirSlicesPlaces) {
  MADE_DICOM(made, "mosaics");
  const Document document = read_image(made.folder() / "uih.dcm");
  const Geometry& geometry = document.volume.geometry;
  ASSERT_EQ(geometry.dimensions, (std::array{6, 5, 5}));
  for (int k = 0; k < 5; ++k) {
    EXPECT_TRUE(geometry.position({0, 0, double(k)})
                    .isApprox(Eigen::Vector3d(-10, -20 + 0.5 * k, 30 + 2.5 * k), 1e-9));
    EXPECT_EQ(document.volume.value(5, 4, k), stored(5, 4, k) - 1024);
    EXPECT_EQ(document.volume.value(0, 0, k), stored(0, 0, k) - 1024);
  }
}

TEST(Mosaics, AreRefusedWhereTheHeaderDoesNotSayHowTheyLie) {
  MADE_DICOM(made, "mosaics");
  for (const auto& [file, words] :
       {std::pair{"directionless.dcm", "SliceNormalVector is missing"},
        std::pair{"another-normal.dcm", "is not perpendicular to them"},
        std::pair{"too-many.dcm", "18 × 15 pixels cannot be parted into 17 slices"},
        std::pair{"spaceless.dcm", "Spacing Between Slices is missing"},
        std::pair{"uih-placeless.dcm", "does not say where slice 5 of 5 lies"}}) {
    const std::string message = error_of([&] { read_image(made.folder() / file); });
    EXPECT_NE(message.find(words), std::string::npos) << file << ": " << message;
  }
}

TEST(Packings, Jpeg2000OfFewerBitsThanAllocated) {
  for (const char* test_case : {"jpeg2000_8_in_16", "high_throughput"}) {
    MADE_DICOM(made, test_case);
    const Volume volume = read_image(made.folder() / "image.dcm").volume;
    for (const int at : {0, 17, 47}) EXPECT_EQ(volume.value(63, at, 0), 3 * 63 + at - 1024) << test_case;
  }
}

TEST(Slices, WithoutPositionsAreStackedByLocationOrByName) {
  MADE_DICOM(made, "untold_places");
  // Slice Location goes down from 40 in steps of 10 mm, which says more than a thickness of 5 mm.
  const Document by_location = read_image(made.folder() / "location");
  EXPECT_EQ(by_location.volume.geometry.spacing().z(), 10);
  EXPECT_TRUE(has_remark(by_location, RemarkKind::assumed, "by their Slice Location, 10 mm apart"))
      << by_location.remarks.text();
  const Document by_name = read_image(made.folder() / "names");
  EXPECT_TRUE(has_remark(by_name, RemarkKind::assumed, "in the order of their file names, 5 mm"))
      << by_name.remarks.text();
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(by_location.volume.value(5, 4, k), stored(5, 4, 3 - k) - 1024);
    EXPECT_EQ(by_name.volume.value(5, 4, k), stored(5, 4, k) - 1024);  // IM1, IM2, IM10, IM11
  }
}

TEST(Slices, ThatAreTimesHaveNoThickness) {
  MADE_DICOM(made, "moments");
  const Document document = read_image(made.folder() / "image.dcm");
  EXPECT_EQ(document.volume.geometry.dimensions[2], 3);
  EXPECT_FALSE(document.volume.geometry.has_thickness);
  EXPECT_TRUE(has_remark(document, RemarkKind::warning, "Its 3 frames are times")) << document.remarks.text();
}

TEST(DicomHeaders, OddOnesAreNamed) {
  MADE_DICOM(made, "odd_headers");
  const auto spacing = [](const Document& document) {
    return Eigen::Vector2d(document.volume.geometry.spacing().head<2>());
  };
  // Vertical to horizontal is 2 to 1 (PS3.3 C.7.6.3.1.7).
  const Document ratio = read_image(made.folder() / "ratio");
  EXPECT_EQ(spacing(ratio), Eigen::Vector2d(1, 2));
  EXPECT_TRUE(has_remark(ratio, RemarkKind::assumed, "a height of 2 mm")) << ratio.remarks.text();
  const Document film = read_image(made.folder() / "film");
  EXPECT_EQ(spacing(film), Eigen::Vector2d(0.75, 0.5));
  EXPECT_TRUE(has_remark(film, RemarkKind::warning, "scanned film or plate")) << film.remarks.text();
  // The region's scale is 0.02 and 0.04 cm (PS3.3 C.8.5.5.1.15).
  const Document echo = read_image(made.folder() / "echo");
  EXPECT_TRUE(spacing(echo).isApprox(Eigen::Vector2d(0.2, 0.4)));
  EXPECT_TRUE(has_remark(echo, RemarkKind::warning, "differs from that of its ultrasound region"));
  EXPECT_TRUE(
      has_remark(read_image(made.folder() / "signless"), RemarkKind::assumed, "Pixel Representation"));
  EXPECT_TRUE(
      has_remark(read_image(made.folder() / "sheared"), RemarkKind::warning, "are not perpendicular"));
}

TEST(Packings, Jpeg2000OfMoreBitsThanTheHeaderSays) {
  MADE_DICOM(made, "jpeg2000_16_called_10");
  const Document document = read_image(made.folder() / "image.dcm");
  for (const int at : {0, 17, 47}) EXPECT_EQ(document.volume.value(63, at, 0), 900 * 63 + at - 1024);
  EXPECT_TRUE(has_remark(document, RemarkKind::corrected, "promises 10 bits")) << document.remarks.text();
}

TEST(Packings, JpegLsOfSevenBits) {
  if (!has_program("dcmcjpls")) GTEST_SKIP() << "dcmcjpls is not installed";
  MADE_DICOM(made, "seven_bits");
  const auto plain = made.folder() / "image.dcm", packed = made.folder() / "packed.dcm";
  ASSERT_TRUE(run_program({"dcmcjpls", plain.string(), packed.string()}));
  const Volume volume = read_image(packed).volume;
  for (const int at : {0, 17, 47}) EXPECT_EQ(volume.value(63, at, 0), (63 + at) % 128 - 1024);
}

TEST(Packings, SequencesMayEndWithTheFile) {
  MADE_DICOM(made, "undelimited");
  const Volume volume = read_image(made.folder() / "image.dcm").volume;
  ASSERT_EQ(volume.geometry.dimensions[2], 4);
  for (int k = 0; k < 4; ++k) EXPECT_EQ(volume.value(5, 4, k), stored(5, 4, k) - 1024);
}

}  // namespace
}  // namespace isolume::images
