// Standardised uptake values of PET. Files are made by make_dicom.py: 70 kg, 370 MBq, a half-life of an hour; what is expected
// follows by hand.
#include <optional>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/image_files/read_image.h"
#include "core/images/document.h"
#include "core/images/window.h"
#include "tests/core/images/made_dicom.h"
#include "tests/core/images/test_files.h"

namespace isolume::images {
namespace {

using testing::error_of;

constexpr double grams = 70 * 1000, injected_bq = 370e6;

/// As in make_dicom.py: the stored number of voxel (5, 4, k) times the rescale slope.
double activity(int k) {
  return 2 * (7 * 5 + 11 * 4 + 13 * k - 50);
}

struct Case {
  const char* folder;
  double per_value;
};

TEST(Uptake, FollowsFromWeightActivityAndDecay) {
  MADE_DICOM(made, "pet");
  for (const auto& [folder, per_value] : {
           Case{"start", grams / (injected_bq / 2)},
           Case{"admin", grams / injected_bq},
           Case{"midnight", grams / (injected_bq / 2)},
           Case{"moment", grams / (injected_bq / 4)},
           Case{"zones", grams / (injected_bq / 2)},
           Case{"counts", 0.0005},
           Case{"counts-implicit", 0.0005},
           Case{"counts-activity", 3 * grams / (injected_bq / 2)},
           Case{"given", 1},
           Case{"word", grams / (injected_bq / 2)},
           Case{"later-series-ge", grams / (injected_bq / 2)},
           Case{"later-series-frame", grams / (injected_bq / 2)},
       }) {
    SCOPED_TRACE(folder);
    const Document given = read_image(made.folder() / folder);
    const Document uptake = read_image(
        made.folder() / folder, {.series_uid = {}, .time_point = 0, .values = ValueScale::suv_body_weight});
    EXPECT_EQ(uptake.volume.unit, "g/ml SUVbw");
    EXPECT_EQ(uptake.values, ValueScale::suv_body_weight);
    for (int k = 0; k < 2; ++k) {
      EXPECT_EQ(given.volume.value(5, 4, k), activity(k));
      EXPECT_NEAR(uptake.volume.value(5, 4, k), per_value * activity(k), 1e-6 * per_value * activity(k));
    }
    EXPECT_NEAR(first_window(uptake).centre, 5000 * per_value, 1e-6 * 5000 * per_value);
    EXPECT_NEAR(first_window(uptake).width, 10000 * per_value, 1e-6 * 10000 * per_value);
    EXPECT_EQ(given.remarks.text().find("SUV)"), std::string::npos) << given.remarks.text();
  }
  EXPECT_EQ(read_image(made.folder() / "start").volume.unit, "Bq/ml");
  const std::string assumed = read_image(made.folder() / "midnight").remarks.text();
  EXPECT_NE(assumed.find("injected the day before"), std::string::npos) << assumed;
}

// 80 kg and 2 m: a body mass index of 20.
TEST(Uptake, ByLeanBodyMassAndBodySurface) {
  MADE_DICOM(made, "pet");
  const auto factor = [&](const char* folder, ValueScale values) {
    return factor_of(read_image(made.folder() / folder), values);
  };
  const auto refusal = [&](const char* folder, ValueScale values) {
    return error_of([&] { factor(folder, values); });
  };
  constexpr double activity_bq = injected_bq / 2;
  const double of_man_g = 9270 * 80 / 11000.0 * 1000, of_woman_g = 9270 * 80 / 13660.0 * 1000;
  EXPECT_NEAR(factor("man", ValueScale::suv_lean_body_mass), of_man_g / activity_bq, 1e-12);
  EXPECT_NEAR(factor("woman", ValueScale::suv_lean_body_mass), of_woman_g / activity_bq, 1e-12);
  // 80^0.425 = 6.438923, 200^0.725 = 46.585069; times 0.007184: 2.154896 m².
  const double surface_cm2 = 21548.96;
  for (const char* folder : {"man", "woman", "sexless"}) {
    EXPECT_NEAR(factor(folder, ValueScale::suv_body_surface), surface_cm2 / activity_bq,
                1e-5 * surface_cm2 / activity_bq);
    EXPECT_NEAR(factor(folder, ValueScale::suv_body_weight), 80000 / activity_bq, 1e-12);
  }
  const Document lean = read_image(
      made.folder() / "man", {.series_uid = {}, .time_point = 0, .values = ValueScale::suv_lean_body_mass});
  EXPECT_EQ(lean.volume.unit, "g/ml SUVlbm(Janma)");
  EXPECT_NEAR(lean.volume.value(5, 4, 0), of_man_g / activity_bq * activity(0), 1e-9);
  EXPECT_EQ(read_image(made.folder() / "man",
                       {.series_uid = {}, .time_point = 0, .values = ValueScale::suv_body_surface})
                .volume.unit,
            "cm²/ml SUVbsa");
  for (const auto& [folder, words] :
       {std::pair{"start", "does not give the patient's height"},
        std::pair{"centimetres", "is 200 m; it may be"}, std::pair{"sexless", "male or female"},
        std::pair{"two-heights", "different heights or sexes"}}) {
    const std::string message = refusal(folder, ValueScale::suv_lean_body_mass);
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
  EXPECT_NE(refusal("start", ValueScale::suv_body_surface).find("by body surface area"), std::string::npos);
}

TEST(Uptake, WhatIsMissingIsNamedAndNotAssumed) {
  MADE_DICOM(made, "pet");
  for (const auto& [folder, words] :
       {std::pair{"none", "(Decay Correction is"}, std::pair{"uncorrected", "not corrected for attenuation"},
        std::pair{"undecayed", "not corrected for decay"}, std::pair{"minutes", "33 half-lives after"},
        std::pair{"counts-alone", "counts, without the private factors"},
        std::pair{"given-lean", "of another kind (SUV Type"}, std::pair{"weightless", "the patient's weight"},
        std::pair{"megabecquerel", "is 370 Bq, too little"},
        std::pair{"no-half-life", "the tracer's half-life"},
        std::pair{"later-series", "does not state when the scan started"},
        std::pair{"two-weights", "different factors"}}) {
    SCOPED_TRACE(folder);
    const std::string remarks = read_image(made.folder() / folder).remarks.text();
    EXPECT_NE(remarks.find(words), std::string::npos) << remarks;
    const std::string refused = error_of([&] {
      read_image(made.folder() / folder,
                 {.series_uid = {}, .time_point = 0, .values = ValueScale::suv_body_weight});
    });
    EXPECT_NE(refused.find(words), std::string::npos) << refused;
  }
}

TEST(Uptake, IsThatOfPet) {
  MADE_DICOM(made, "axial");
  const std::string refused = error_of([&] {
    read_image(made.folder(), {.series_uid = {}, .time_point = 0, .values = ValueScale::suv_body_weight});
  });
  EXPECT_NE(refused.find("those of PET images"), std::string::npos) << refused;
}

}  // namespace
}  // namespace isolume::images
