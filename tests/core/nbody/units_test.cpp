#include "core/nbody/bodies/units.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/nbody/bodies/dimensions.h"

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
  // A parsec is crossed at 1 km/s in 0.9777922 million years.
  const ShownUnit stellar = time_unit(*units_by(UnitsChoice::stellar));
  EXPECT_EQ(stellar.name, "Myr");
  EXPECT_NEAR(stellar.size, 0.9777922, 1e-7);
  EXPECT_NEAR(units_by(UnitsChoice::stellar)->gravitation, 4.30091e-3, 1e-8) << "pc (km/s)^2 a solar mass";
  const ShownUnit si = time_unit(*units_by(UnitsChoice::si));
  EXPECT_EQ(si.name, "s");
  EXPECT_EQ(si.size, 1);
}

TEST(Units, AreWrittenInTextAndReadAgain) {
  Remarks remarks;
  for (const UnitsChoice choice :
       {UnitsChoice::galactic, UnitsChoice::stellar, UnitsChoice::planetary, UnitsChoice::si}) {
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

/// The comma after a number separates, but not the decimal one: a length of 3 cm would be a silent mistake.
TEST(Units, ThatAreNoNumbersAreNamedAsTheyAre) {
  for (const char* size : {"3,08e21", "nan", "kpc"}) {
    Remarks remarks;
    EXPECT_FALSE(
        units_from_text(fmt::format("# unit_length_cm={}, unit_mass_g=2,unit_speed_cm_s=3", size), remarks));
    ASSERT_EQ(remarks.size(), 1u) << size;
    EXPECT_NE(remarks[0].text.find(
                  fmt::format("cannot be read as numbers: unit_length_cm is \"{}\", unit_mass_g is 2, "
                              "unit_speed_cm_s is 3.",
                              size)),
              std::string::npos)
        << remarks[0].text;
  }
  Remarks remarks;
  EXPECT_EQ(units_from_text("unit_length_cm=1,unit_mass_g=2,unit_speed_cm_s=3", remarks), units_of(1, 2, 3));
  EXPECT_TRUE(remarks.empty()) << remarks.text();
}

TEST(Units, SpeedsWithoutANameAreInKilometresPerSecond) {
  // The Earth's mean speed is 29.78 km/s, 1 in units of au and solar masses with G = 1.
  const ShownUnit speed = speed_unit(solar_system_units());
  EXPECT_EQ(speed.name, "km/s");
  EXPECT_NEAR(speed.size, 29.78, 0.01);
  EXPECT_NEAR(time_unit(solar_system_units()).size * 2 * 3.14159265358979, 1, 1e-4) << "a year is 2 pi";
  EXPECT_EQ(speed_unit(*units_by(UnitsChoice::planetary)).name, "au/yr");
}

/// G of 4.30091e-6 kpc (km/s)^2 a solar mass, 5e10 of them within 3 kpc: the circular speed, and how long it takes for 3 kpc.
TEST(Units, OfADiscAreMultiplesOfThoseOfGalaxies) {
  const Units disc = disc_units();
  EXPECT_EQ(disc.gravitation, 1);
  EXPECT_EQ(length_unit(disc).name, "kpc");
  EXPECT_NEAR(length_unit(disc).size, 3, 1e-12);
  EXPECT_EQ(mass_unit(disc).name, "10^10 solar masses");
  EXPECT_NEAR(mass_unit(disc).size, 5, 1e-12);
  EXPECT_EQ(speed_unit(disc).name, "km/s");
  EXPECT_NEAR(speed_unit(disc).size, 267.73, 0.02);
  EXPECT_EQ(time_unit(disc).name, "Myr");
  EXPECT_NEAR(time_unit(disc).size, 10.957, 0.001);
  EXPECT_EQ(length_name(disc), "3 kpc");
  EXPECT_EQ(mass_name(disc), "5e+10 solar masses");
  EXPECT_EQ(speed_name(disc).substr(0, 5), "267.7");
  const double speed = speed_unit(disc).size;
  EXPECT_NEAR(in_units(2, Dimension::length, disc), 6, 1e-12);
  EXPECT_NEAR(in_units(2, Dimension::mass, disc), 10, 1e-12);
  EXPECT_NEAR(in_units(1, Dimension::angular_momentum, disc), 15 * speed, 1e-9);
  EXPECT_NEAR(in_units(1, Dimension::acceleration, disc), speed * speed / 3, 1e-9);
  for (const UnitsChoice choice :
       {UnitsChoice::galactic, UnitsChoice::stellar, UnitsChoice::planetary, UnitsChoice::si}) {
    EXPECT_EQ(length_unit(*units_by(choice)).size, 1);
    EXPECT_EQ(mass_unit(*units_by(choice)).size, 1);
  }
}

}  // namespace
}  // namespace isolume::nbody
