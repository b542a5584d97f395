#include "core/nbody/units.h"

#include <gtest/gtest.h>

namespace isolume::nbody {
namespace {

TEST(NBodyUnits, OfTimeAreThoseThatPeopleUse) {
  const TimeUnit planetary = time_unit(*units_by(UnitsChoice::planetary));
  EXPECT_EQ(planetary.name, "yr");
  EXPECT_EQ(planetary.size, 1);
  // 3.0856775814913673e16 km over 1 km/s and 3.15576e13 s.
  const TimeUnit galactic = time_unit(*units_by(UnitsChoice::galactic));
  EXPECT_EQ(galactic.name, "Myr");
  EXPECT_NEAR(galactic.size, 977.7922, 1e-4);
  const TimeUnit si = time_unit(*units_by(UnitsChoice::si));
  EXPECT_EQ(si.name, "s");
  EXPECT_EQ(si.size, 1);
}

}  // namespace
}  // namespace isolume::nbody
