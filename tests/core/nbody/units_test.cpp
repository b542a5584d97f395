#include "core/nbody/units.h"

#include <gtest/gtest.h>

namespace isolume::nbody {
namespace {

TEST(NBodyUnits, OfTimeAreThoseThatPeopleUse) {
  const ShownUnit planetary = time_unit(*units_by(UnitsChoice::planetary));
  EXPECT_EQ(planetary.name, "yr");
  EXPECT_EQ(planetary.size, 1);
  // 3.0856775814913673e16 km over 1 km/s and 3.15576e13 s.
  const ShownUnit galactic = time_unit(*units_by(UnitsChoice::galactic));
  EXPECT_EQ(galactic.name, "Myr");
  EXPECT_NEAR(galactic.size, 977.7922, 1e-4);
  const ShownUnit si = time_unit(*units_by(UnitsChoice::si));
  EXPECT_EQ(si.name, "s");
  EXPECT_EQ(si.size, 1);
}

TEST(Units, AreWrittenInTextAndReadAgain) {
  Remarks remarks;
  for (const UnitsChoice choice : {UnitsChoice::galactic, UnitsChoice::planetary, UnitsChoice::si}) {
    const Units units = *units_by(choice);
    EXPECT_EQ(units_from_text("# " + units_as_text(units) + "\r", remarks), units);
  }
  EXPECT_FALSE(units_from_text("# no word of my_unit_length_cm=1", remarks));
  EXPECT_TRUE(remarks.empty()) << remarks.text();
}

TEST(Units, TheConstantOfGravitationFollowsFromTheOthers) {
  Remarks remarks;
  EXPECT_EQ(units_from_text("#unit_length_cm=1 unit_mass_g=2 unit_speed_cm_s=3", remarks), units_of(1, 2, 3));
  EXPECT_TRUE(remarks.empty()) << remarks.text();
}

TEST(Units, ThatAreNotWholeAreNamed) {
  for (const char* text :
       {"unit_length_cm=1 unit_mass_g=2", "unit_length_cm=1 unit_mass_g=-2 unit_speed_cm_s=3",
        "unit_length_cm=1 unit_mass_g=2 unit_speed_cm_s=3 gravitation=-1",
        "unit_length_cm=1 unit_mass_g=suns unit_speed_cm_s=3 gravitation=1"}) {
    Remarks remarks;
    EXPECT_FALSE(units_from_text(text, remarks)) << text;
    ASSERT_EQ(remarks.size(), 1u) << text;
    EXPECT_EQ(remarks[0].kind, RemarkKind::warning);
    EXPECT_NE(remarks[0].text.find("unit_length_cm is 1, unit_mass_g is "), std::string::npos) << text;
  }
}

TEST(Units, SpeedsWithoutANameAreInKilometresPerSecond) {
  // The Earth's mean speed is 29.78 km/s, 1 in units of au and solar masses with G = 1.
  const ShownUnit speed = speed_unit(solar_system_units());
  EXPECT_EQ(speed.name, "km/s");
  EXPECT_NEAR(speed.size, 29.78, 0.01);
  EXPECT_NEAR(time_unit(solar_system_units()).size * 2 * 3.14159265358979, 1, 1e-4) << "a year is 2 pi";
  EXPECT_EQ(speed_unit(*units_by(UnitsChoice::planetary)).name, "au/yr");
}

}  // namespace
}  // namespace isolume::nbody
