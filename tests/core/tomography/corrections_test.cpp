// The axis of rotation, rings and hardened beams.
#include "core/tomography/corrections.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/tomography/analytic.h"
#include "tests/core/tomography/scan.h"

namespace isolume::tomography {
namespace {

/// Projections by a detector that lies elsewhere than their geometry states.
Projections displaced(CircularScan scan, double pixels) {
  scan.offset_mm = -pixels * scan.column_mm;
  Projections projections = project(shepp_logan(50), circular(scan));
  scan.offset_mm = 0;
  projections.geometry = circular(scan);
  return projections;
}

TEST(Axis, IsFoundWhereOppositeRaysAgree) {
  for (const double pixels : {0.0, 2.3, -5.6}) {
    EXPECT_NEAR(find_axis_shift(displaced(small_scan(180), pixels)), pixels, 0.1) << pixels;
    auto parallel = small_scan(180);
    parallel.beam = Beam::parallel;
    parallel.column_mm = parallel.row_mm = 2.1;
    EXPECT_NEAR(find_axis_shift(displaced(parallel, pixels)), pixels, 0.1) << "parallel, " << pixels;
  }
  auto backwards = small_scan(230);
  backwards.arc_deg = -230;
  EXPECT_NEAR(find_axis_shift(displaced(backwards, 3)), 3, 0.15);
  auto half = small_scan(180);
  half.arc_deg = 185;
  EXPECT_THROW(find_axis_shift(displaced(half, 1)), Error);
  EXPECT_THROW(find_axis_shift(Projections(circular(small_scan(90)))), Error) << "nothing is in the scan";
  EXPECT_THROW(find_axis_shift(displaced(small_scan(90), 14)), Error) << "beyond an eighth of the detector";
}

TEST(Rings, AreRemovedAndSmoothProjectionsStay) {
  const Ellipsoid ball{.radii_mm = {40, 40, 40}, .attenuation_per_mm = 0.02};
  const Projections clean = project({&ball, 1}, circular(small_scan(30)));
  Projections ringed = clean;
  for (int i = 0; i < 30; ++i) ringed.column(i, 30)[24] += 0.1F;
  remove_rings(ringed, 7);
  Projections smooth = clean;
  remove_rings(smooth, 7);
  for (int i = 0; i < 30; i += 5) {
    EXPECT_NEAR(ringed.column(i, 30)[24], clean.column(i, 30)[24], 0.01);
    EXPECT_NEAR(smooth.column(i, 30)[24], clean.column(i, 30)[24], 0.01);
    EXPECT_NEAR(ringed.column(i, 29)[24], clean.column(i, 29)[24], 0.01);
  }
}

TEST(Hardening, AddsTheSquare) {
  Projections all(circular(small_scan(2)));
  all.column(1, 3)[4] = 2;
  straighten(all, 0.1);
  EXPECT_FLOAT_EQ(all.column(1, 3)[4], 2.4F);
  EXPECT_EQ(all.column(1, 3)[5], 0);
}

}  // namespace
}  // namespace isolume::tomography
