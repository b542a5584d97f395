#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/files/bodies_file.h"
#include "tests/core/nbody/snapshot_file.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Snapshot;

/// In kpc, 10^10 solar masses and km/s, with CODATA 2018 and the IAU's nominal solar mass (43007.1 with GADGET's own constants).
constexpr double gravitation = 43009.2;
constexpr double kiloparsec = 3.0856775814913673e21, ten_billion_suns = 1.98841e43, kilometre_a_second = 1e5;

void add_one_body(Snapshot& made, const char* type = "PartType1", const char* mass = "Masses") {
  made.group(type);
  made.floats((std::string(type) + "/Coordinates").c_str(), {1, 2, 3}, {1, 3});
  made.floats((std::string(type) + "/Velocities").c_str(), {4, 5, 6}, {1, 3});
  made.floats((std::string(type) + "/" + mass).c_str(), {2}, {1});
}

TEST(SnapshotUnits, EveryDialectIsKnown) {
  const TemporaryFolder folder;
  struct Dialect {
    const char *group, *length, *mass, *third;
    double value;
  };
  for (const Dialect& each :
       {Dialect{"Header", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s",
                kilometre_a_second},
        Dialect{"Units", "UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", kilometre_a_second},
        Dialect{"Header", "unitlength_in_cm", "UNITMASS_IN_G", "unitVelocity_in_cm_per_s",
                kilometre_a_second},
        Dialect{"Header", "UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS", kilometre_a_second},
        Dialect{"Units", "Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", "Unit time in cgs (U_t)",
                kiloparsec / kilometre_a_second}}) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      if (std::string(each.group) != "Header") made.group(each.group);
      add_one_body(made);
      made.attribute(each.group, each.length, {kiloparsec});
      made.attribute(each.group, each.mass, {ten_billion_suns});
      made.attribute(each.group, each.third, {each.value});
    }
    const InitialConditions found = read_bodies(folder / "s.hdf5");
    EXPECT_NEAR(found.bodies.mass[0], 2 * gravitation, 1) << each.length;
    EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
    ASSERT_TRUE(found.units);
    EXPECT_EQ(length_name(*found.units), "kpc");
    EXPECT_EQ(mass_name(*found.units), "10^10 solar masses");
    EXPECT_EQ(speed_name(*found.units), "km/s");
  }
}

TEST(SnapshotUnits, OfAFileThatNamesNoneAreGadgetsOrChosenAndSaidSo) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "Time", {1});  // of a run, and no scale factor
    made.attribute("Header", "Redshift", {0});
    made.attribute("Header", "Omega0", {0.3});
    made.attribute("Header", "BoxSize", {0});
    add_one_body(made);
  }
  const InitialConditions usual = read_bodies(folder / "s.hdf5");
  EXPECT_FALSE(usual.box);
  EXPECT_NEAR(usual.bodies.mass[0], 2 * gravitation, 1);
  ASSERT_EQ(usual.remarks.size(), 1u);
  EXPECT_EQ(usual.remarks[0].kind, RemarkKind::assumed);
  EXPECT_THAT(usual.remarks[0].text, HasSubstr("kpc, 10^10 solar masses and km/s"));
  const auto mass = [&](UnitsChoice choice) {
    return read_bodies(folder / "s.hdf5", {}, {}, choice).bodies.mass[0] / 2;
  };
  EXPECT_EQ(mass(UnitsChoice::natural), 1);
  EXPECT_NEAR(mass(UnitsChoice::planetary), 4 * 3.14159265358979 * 3.14159265358979,
              1e-2);  // Kepler's third law
  EXPECT_NEAR(mass(UnitsChoice::si), 6.67430e-11, 1e-15);
}

TEST(SnapshotUnits, MayBeStrings) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.group("Parameters");
    made.text("Parameters", "UnitLength_in_cm", "3.085678e+18");
    made.text("Parameters", "UnitMass_in_g", " 1.989e33 ");
    made.text("Parameters", "UnitVelocity_in_cm_per_s", "1e5");
    made.text("Parameters", "InitCondFile", "./start");
    add_one_body(made);
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  // 6.6743e-8 * 1.989e33 / 3.085678e18 / 1e5^2
  EXPECT_NEAR(found.bodies.mass[0], 2 * 4.3022e-3, 1e-6);
  EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
}

/// As a locale with decimal commas writes them, or a program without a value. GADGET's own units are taken.
TEST(SnapshotUnits, ThatAreNoNumbersAreNamedAsTheyAre) {
  const TemporaryFolder folder;
  const auto remarks_of = [&](const std::function<void(Snapshot&)>& state_length) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      add_one_body(made);
      state_length(made);
    }
    const InitialConditions found = read_bodies(folder / "s.hdf5");
    EXPECT_NEAR(found.bodies.mass[0], 2 * gravitation, 1);
    return found.remarks.text();
  };
  const std::string comma =
      remarks_of([](Snapshot& made) { made.text("Header", "UnitLength_in_cm", "3,08e21"); });
  EXPECT_THAT(comma, HasSubstr("UnitLength_in_cm (Header) is \"3,08e21\""));
  EXPECT_THAT(comma, HasSubstr("length is no positive number by UnitLength_in_cm (Header), mass is missing"));
  EXPECT_THAT(comma, HasSubstr("The file names not all of its units"));
  const std::string nan =
      remarks_of([](Snapshot& made) { made.attribute("Header", "UnitLength_in_cm", {std::nan("")}); });
  EXPECT_THAT(nan, HasSubstr("UnitLength_in_cm (Header) is nan"));
  EXPECT_THAT(nan, HasSubstr("The file names not all of its units"));
  const std::string dataset =
      remarks_of([](Snapshot& made) { made.text("PartType1/Coordinates", "to_cgs", "1,0"); });
  EXPECT_THAT(dataset, HasSubstr("to_cgs (PartType1/Coordinates) is \"1,0\""));
  EXPECT_THAT(dataset, HasSubstr("The file names not all of its units"));
}

TEST(SnapshotHeader, NumbersThatCannotBeReadAreNamed) {
  const TemporaryFolder folder;
  const auto read = [&](const std::function<void(Snapshot&)>& state) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      add_one_body(made);
      state(made);
    }
    return read_bodies(folder / "s.hdf5", {}, {}, UnitsChoice::natural);
  };
  for (const char* time : {"0,5", "abc", "nan"}) {
    const InitialConditions found = read([&](Snapshot& made) { made.text("Header", "Time", time); });
    EXPECT_EQ(found.time, 0);
    ASSERT_EQ(found.remarks.size(), 1u) << found.remarks.text();
    EXPECT_EQ(found.remarks[0].kind, RemarkKind::assumed);
    EXPECT_THAT(found.remarks[0].text, HasSubstr("Time (Header) is \"" + std::string(time) + "\""));
    EXPECT_THAT(found.remarks[0].text, HasSubstr("the time 0 is taken"));
  }
  const InitialConditions good = read([](Snapshot& made) { made.text("Header", "Time", "0.5"); });
  EXPECT_EQ(good.time, 0.5);
  EXPECT_TRUE(good.remarks.empty()) << good.remarks.text();
  const InitialConditions box = read([](Snapshot& made) { made.attribute("Header", "BoxSize", {1, 2, 1}); });
  ASSERT_EQ(box.remarks.size(), 1u) << box.remarks.text();
  EXPECT_EQ(box.remarks[0].kind, RemarkKind::dropped);
  EXPECT_THAT(box.remarks[0].text, HasSubstr("BoxSize (Header) is 1 × 2 × 1"));
  // Where the number is needed, the file is refused with what it says.
  try {
    read([](Snapshot& made) {
      made.attribute("Header", "ComovingIntegrationOn", {1});
      made.attribute("Header", "BoxSize", {100});
      made.text("Header", "Omega0", "0,3");
    });
    ADD_FAILURE() << "it was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("(Omega0 (Header) is \"0,3\")"));
  }
}

TEST(Snapshots, MassesAreRefusedAsTheFileHasThem) {
  const TemporaryFolder folder;
  const auto refusal = [&](const std::string& name) {
    try {
      read_bodies(folder / name);
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  {
    Snapshot made(folder / "negative.hdf5");
    made.group("Header");
    made.group("PartType1");
    made.floats("PartType1/Coordinates", {1, 2, 3, 4, 5, 6}, {2, 3});
    made.floats("PartType1/Velocities", {0, 0, 0, 0, 0, 0}, {2, 3});
    made.floats("PartType1/Masses", {1, -0.5F}, {2});
  }
  EXPECT_THAT(refusal("negative.hdf5"), HasSubstr("PartType1/Masses: the mass of body 2 is -0.5."));
  {
    Snapshot made(folder / "none.hdf5");
    made.group("Header");
    made.group("PartType1");
    made.floats("PartType1/Coordinates", {1, 2, 3, 4, 5, 6}, {2, 3});
    made.floats("PartType1/Velocities", {0, 0, 0, 0, 0, 0}, {2, 3});
  }
  EXPECT_THAT(refusal("none.hdf5"), HasSubstr("there is no body in it that can be used: PartType1 of "
                                              "none.hdf5 (2 bodies) is left out: it has no Masses."));
}

/// Names that programs give to the factor to cgs units and to the powers of the scale factor and of h.
struct DatasetNames {
  const char *cgs, *a, *h;
};
constexpr DatasetNames arepo{"to_cgs", "a_scaling", "h_scaling"},
    eagle{"CGSConversionFactor", "aexp-scale-exponent", "h-scale-exponent"},
    swift{"Conversion factor to CGS (not including cosmological corrections)", "a-scale exponent",
          "h-scale exponent"};

constexpr double parsec_in_cm = kiloparsec / 1000, sun_in_g = ten_billion_suns / 1e10;
/// In pc, solar masses and km/s; the IAU's and CODATA's constants give 4.30092e-3.
constexpr double gravitation_of_parsecs = 4.30092e-3;

void describe(Snapshot& made, const DatasetNames& names, const char* dataset, double cgs, double a,
              double h) {
  made.attribute(dataset, names.cgs, {cgs});
  made.attribute(dataset, names.a, {a});
  made.attribute(dataset, names.h, {h});
}

TEST(SnapshotUnits, MayBeStatedAtTheDatasets) {
  const TemporaryFolder folder;
  for (const DatasetNames& names : {arepo, eagle, swift}) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      add_one_body(made);
      describe(made, names, "PartType1/Coordinates", parsec_in_cm, 0, 0);
      describe(made, names, "PartType1/Velocities", kilometre_a_second, 0, 0);
      describe(made, names, "PartType1/Masses", sun_in_g, 0, 0);
    }
    const InitialConditions found = read_bodies(folder / "s.hdf5");
    EXPECT_NEAR(found.bodies.mass[0], 2 * gravitation_of_parsecs, 1e-7) << names.cgs;
    EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
    ASSERT_TRUE(found.units);
    EXPECT_EQ(length_name(*found.units), "pc");
    EXPECT_EQ(mass_name(*found.units), "solar masses");
  }
}

TEST(SnapshotUnits, MayBeAttributesOfTheFileOrOfAnyGroup) {
  const TemporaryFolder folder;
  for (const char* group : {"/", "RuntimePars"}) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      if (std::string(group) != "/") made.group(group);
      made.attribute(group, "UnitLength_in_cm", {parsec_in_cm});
      made.attribute(group, "UnitMass_in_g", {sun_in_g});
      made.attribute(group, "UnitVelocity_in_cm_per_s", {kilometre_a_second});
      add_one_body(made);
    }
    const InitialConditions found = read_bodies(folder / "s.hdf5");
    EXPECT_NEAR(found.bodies.mass[0], 2 * gravitation_of_parsecs, 1e-7) << group;
    EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
  }
}

TEST(SnapshotUnits, ThatContradictEachOtherOrAreIncompleteAreNamed) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "UnitLength_in_cm", {kiloparsec});
    made.attribute("Header", "UnitMass_in_g", {ten_billion_suns});
    made.attribute("Header", "UnitVelocity_in_cm_per_s", {kilometre_a_second});
    add_one_body(made);
    describe(made, arepo, "PartType1/Coordinates", parsec_in_cm, 0, 0);
    describe(made, arepo, "PartType1/Masses", ten_billion_suns, 0, 0);
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  EXPECT_NEAR(found.bodies.mass[0], 2 * gravitation, 1);
  ASSERT_EQ(found.remarks.size(), 1u) << found.remarks.text();
  EXPECT_THAT(found.remarks[0].text,
              HasSubstr("The unit of length is 3.08568e+21 in cgs units by UnitLength_in_cm"));
  EXPECT_THAT(found.remarks[0].text, HasSubstr("3.08568e+18 by PartType1/Coordinates"));
  {
    Snapshot made(folder / "part.hdf5");
    made.group("Header");
    add_one_body(made);
    made.attribute("PartType1/Coordinates", "to_cgs", {parsec_in_cm});
  }
  const Remarks part = read_bodies(folder / "part.hdf5").remarks;
  EXPECT_THAT(part.text(),
              HasSubstr("length is 3.08568e+18 in cgs units by PartType1/Coordinates, mass is missing"));
  EXPECT_THAT(part.text(), HasSubstr("The file names not all of its units"));
  {
    Snapshot made(folder / "two.hdf5");
    made.group("Header");
    add_one_body(made);
    add_one_body(made, "PartType4");
    made.attribute("PartType1/Coordinates", "to_cgs", {parsec_in_cm});
    made.attribute("PartType4/Coordinates", "to_cgs", {kiloparsec});
  }
  EXPECT_THROW(read_bodies(folder / "two.hdf5"), InputError);
}

/// At the scale factor 0.5, of a box of 10 Mpc: physical positions, peculiar velocities and masses without h, as the
/// datasets state, and not GADGET's comoving ones.
TEST(SnapshotUnits, PowersOfTheScaleFactorAndOfHAtDatasetsAreUsed) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    for (const auto& [name, value] : {std::pair{"Time", 0.5},
                                      {"Redshift", 1.0},
                                      {"BoxSize", 10.0},
                                      {"HubbleParam", 0.7},
                                      {"Omega0", 0.3},
                                      {"OmegaLambda", 0.7},
                                      {"ComovingIntegrationOn", 1.0}})
      made.attribute("Header", name, {value});
    made.group("PartType1");
    std::vector<float> positions, velocities;
    for (int i = 0; i < 8; ++i) {
      for (const int bit : {1, 2, 4}) positions.push_back((i & bit) != 0 ? 4 : 1.5F);
      velocities.insert(velocities.end(), {100, 0, -20});
    }
    made.floats("PartType1/Coordinates", positions, {8, 3});
    made.floats("PartType1/Velocities", velocities, {8, 3});
    // The critical density is 27.7536627 h^2 of these masses in a cubic Mpc (Particle Data Group).
    made.floats("PartType1/Masses", std::vector<float>(8, 0.3F * 27.7536627F * 0.49F * 1000 / 8), {8});
    describe(made, eagle, "PartType1/Coordinates", 1000 * kiloparsec, 0, 0);
    describe(made, eagle, "PartType1/Velocities", kilometre_a_second, 0, 0);
    describe(made, eagle, "PartType1/Masses", ten_billion_suns, 0, 0);
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  ASSERT_TRUE(found.box);
  EXPECT_NEAR(found.box->side, 7, 1e-5);  // Mpc/h
  EXPECT_NEAR(found.bodies.x[1], 5.6, 1e-5);
  EXPECT_NEAR(found.bodies.vx[0], 1, 1e-6);  // peculiar, in 100 km/s
  EXPECT_NEAR(found.bodies.mass[3] / (found.box->mass() / 8), 1, 1e-3);
  ASSERT_EQ(found.remarks.size(), 1u) << found.remarks.text();
  EXPECT_THAT(found.remarks[0].text, HasSubstr("other powers of the scale factor and of h"));
}

TEST(SnapshotUnits, OfATableAreChosen) {
  const TemporaryFolder folder;
  folder.write("a.csv", "mass,x,y,z\n1,0,0,0\n3e-6,1,0,0\n");
  const InitialConditions usual = read_bodies(folder / "a.csv");
  EXPECT_EQ(usual.bodies.mass[0], 1);
  ASSERT_EQ(usual.remarks.size(), 1u);
  EXPECT_THAT(usual.remarks[0].text, HasSubstr("taken as 1"));
  const InitialConditions planets = read_bodies(folder / "a.csv", {}, {}, UnitsChoice::planetary);
  EXPECT_NEAR(planets.bodies.mass[0], 39.478, 1e-2);
  EXPECT_EQ(length_name(*planets.units), "au");
}

TEST(Snapshots, EaglesNamesOfDatasetsAreKnown) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "GravityConstantInternal", {1});
    made.group("PartType4");
    made.floats("PartType4/Coordinates", {1, 2, 3}, {1, 3});
    made.floats("PartType4/Velocity", {4, 5, 6}, {1, 3});
    made.floats("PartType4/Mass", {2}, {1});
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  EXPECT_THAT(found.bodies.vy, ElementsAre(5));
  EXPECT_THAT(found.bodies.mass, ElementsAre(2));
}

TEST(Snapshots, MoreTypesThanAreReadAreRefused) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "NumPart_ThisFile", {0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
    add_one_body(made);
    add_one_body(made, "PartType12");
  }
  try {
    read_bodies(folder / "s.hdf5");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("NumPart_ThisFile counts bodies of type 12"));
  }
}

TEST(Snapshots, TypesThatCannotBeUsedAreLeftOutAndNamed) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "NumPart_ThisFile", {0, 1, 1, 50, 0, 1, 1});
    made.attribute("Header", "NumPart_Total", {0, 1, 1, 50, 0, 1, 1});
    made.attribute("Header", "GravityConstantInternal", {1});
    add_one_body(made);
    made.group("PartType2");  // without masses
    made.floats("PartType2/Coordinates", {1, 2, 3}, {1, 3});
    made.floats("PartType2/Velocities", {1, 2, 3}, {1, 3});
    made.group("PartType3");  // tracers
    made.floats("PartType3/TracerID", std::vector<float>(50), {50});
    add_one_body(made, "PartType5", "DynamicalMasses");
    add_one_body(made, "PartType6");
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  EXPECT_THAT(found.bodies.mass, ElementsAre(2, 2, 2));
  EXPECT_THAT(found.origins, ElementsAre("halo", "black holes", "neutrinos"));
  ASSERT_EQ(found.remarks.size(), 2u);
  EXPECT_THAT(found.remarks.text(),
              HasSubstr("PartType3 of s.hdf5 (50 bodies) is left out: it has no Coordinates"));
  EXPECT_THAT(found.remarks.text(), HasSubstr("PartType2 of s.hdf5 (1 body) is left out: it has no Masses"));
}

/// At the scale factor 0.5, of a box of 10 Mpc, eight bodies of a mean density of 0.3; in Mpc, 10^10 solar masses and km/s
/// without h, as SWIFT has them.
TEST(Snapshots, ComovingBoxesOfSwiftHaveNoH) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "BoxSize", {10, 10, 10});
    made.attribute("Header", "Time", {0.0057});
    made.group("Cosmology");
    for (const auto& [name, value] : {std::pair{"Cosmological run", 1.0},
                                      {"Scale-factor", 0.5},
                                      {"Redshift", 1.0},
                                      {"h", 0.7},
                                      {"Omega_m", 0.3},
                                      {"Omega_lambda", 0.7}})
      made.attribute("Cosmology", name, {value});
    made.group("Units");
    made.attribute("Units", "Unit length in cgs (U_L)", {1000 * kiloparsec});
    made.attribute("Units", "Unit mass in cgs (U_M)", {ten_billion_suns});
    made.attribute("Units", "Unit time in cgs (U_t)", {1000 * kiloparsec / kilometre_a_second});
    made.group("InternalCodeUnits");  // in which SWIFT computes, but does not write
    made.attribute("InternalCodeUnits", "Unit length in cgs (U_L)", {1});
    made.attribute("InternalCodeUnits", "Unit mass in cgs (U_M)", {1});
    made.attribute("InternalCodeUnits", "Unit time in cgs (U_t)", {1});
    made.group("PartType1");
    std::vector<float> places, velocities;
    for (int i = 0; i < 8; ++i) {
      for (const int bit : {1, 2, 4}) places.push_back((i & bit) != 0 ? 8 : 3);
      velocities.insert(velocities.end(), {100, 0, -20});
    }
    made.floats("PartType1/Coordinates", places, {8, 3});
    made.floats("PartType1/Velocities", velocities, {8, 3});
    // The critical density is 27.7536627 h^2 of these masses in a cubic Mpc (Particle Data Group).
    made.floats("PartType1/Masses", std::vector<float>(8, 0.3F * 27.7536627F * 0.49F * 1000 / 8), {8});
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  ASSERT_TRUE(found.box);
  EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
  EXPECT_NEAR(found.box->side, 7, 1e-5);  // Mpc/h
  EXPECT_NEAR(found.time, std::log(0.5), 1e-12);
  EXPECT_NEAR(found.bodies.x[1], 5.6, 1e-5);
  EXPECT_NEAR(found.bodies.vx[0], 1, 1e-6);  // peculiar, in 100 km/s
  EXPECT_NEAR(found.bodies.mass[3] / (found.box->mass() / 8), 1, 1e-3);
}

TEST(Snapshots, MassesThatContradictTheTableAreNamed) {
  const TemporaryFolder folder;
  const auto read = [&](std::vector<float> masses) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      made.attribute("Header", "GravityConstantInternal", {1});
      made.attribute("Header", "MassTable", {0, 0.1, 0, 0, 0, 0});
      made.group("PartType1");
      made.floats("PartType1/Coordinates", {1, 2, 3, 4, 5, 6}, {2, 3});
      made.floats("PartType1/Velocities", {1, 2, 3, 4, 5, 6}, {2, 3});
      made.floats("PartType1/Masses", std::move(masses), {2});
    }
    return read_bodies(folder / "s.hdf5");
  };
  const InitialConditions others = read({3, 0.5});
  EXPECT_THAT(others.bodies.mass, ElementsAre(3, 0.5));
  EXPECT_THAT(others.remarks.text(),
              HasSubstr("PartType1 has the mass 0.1 in MassTable, but others in PartType1/Masses"));
  const InitialConditions zeros = read({0, 0});
  EXPECT_THAT(zeros.bodies.mass, ElementsAre(0.1, 0.1));
  EXPECT_THAT(zeros.remarks.text(), HasSubstr("but only zeros in PartType1/Masses. The table is used"));
  EXPECT_TRUE(read({0.1F, 0.1F}).remarks.empty());
}

/// Sixty-four bodies of the density 0.3 in GADGET's units.
void write_box(const std::filesystem::path& path, double time, double redshift, bool flag) {
  Snapshot made(path);
  made.group("Header");
  for (const auto& [name, value] : {std::pair{"Time", time},
                                    {"Redshift", redshift},
                                    {"BoxSize", 10000.0},
                                    {"HubbleParam", 0.7},
                                    {"Omega0", 0.3},
                                    {"OmegaLambda", 0.7},
                                    {"UnitLength_in_cm", kiloparsec},
                                    {"UnitMass_in_g", ten_billion_suns},
                                    {"UnitVelocity_in_cm_per_s", kilometre_a_second}})
    made.attribute("Header", name, {value});
  if (flag) made.attribute("Header", "ComovingIntegrationOn", {1});
  made.group("PartType1");
  std::vector<float> positions;
  for (int i = 0; i < 64; ++i) {
    for (const int cell : {i % 4, i / 4 % 4, i / 16})
      positions.push_back(2500 * static_cast<float>(cell) + 800);
  }
  made.floats("PartType1/Coordinates", positions, {64, 3});
  made.floats("PartType1/Velocities", std::vector<float>(192), {64, 3});
  // The critical density is 27.7536627 of these masses in a cubic Mpc/h (Particle Data Group).
  made.floats("PartType1/Masses", std::vector<float>(64, 0.3F * 27.7536627F * 1000 / 64), {64});
}

TEST(Snapshots, ATimeThatContradictsTheRedshiftIsNamed) {
  const TemporaryFolder folder;
  for (const bool flag : {false, true}) {
    write_box(folder / "s.hdf5", 0.5, 1, flag);
    const InitialConditions agree = read_bodies(folder / "s.hdf5");
    ASSERT_TRUE(agree.box);
    EXPECT_TRUE(agree.remarks.empty()) << agree.remarks.text();
  }
  write_box(folder / "s.hdf5", 0.5, 3, true);
  const InitialConditions with_flag = read_bodies(folder / "s.hdf5");
  ASSERT_TRUE(with_flag.box);
  EXPECT_NEAR(with_flag.time, std::log(0.5), 1e-12);
  ASSERT_EQ(with_flag.remarks.size(), 1u) << with_flag.remarks.text();
  EXPECT_THAT(with_flag.remarks[0].text,
              HasSubstr("scale factor is 0.5, but the redshift 3 is that of 0.25"));
  write_box(folder / "s.hdf5", 0.5, 3, false);
  const InitialConditions without = read_bodies(folder / "s.hdf5");
  EXPECT_FALSE(without.box);
  EXPECT_THAT(without.remarks.text(),
              HasSubstr("the time 0.5 is not the scale factor at the redshift 3 (0.25)"));
}

TEST(Snapshots, DatasetsAndIdsThatAreNotUsedAreNamed) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "GravityConstantInternal", {1});
    add_one_body(made);
    made.floats("PartType1/Potential", {-1}, {1});
    made.floats("PartType1/Softenings", {0.1F}, {1});
    add_one_body(made, "PartType4");
    made.floats("PartType4/Potential", {-1}, {1});
    made.floats("PartType4/Metallicity", {0}, {1});
    made.floats("PartType4/ParticleIDs", {7}, {1});
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  ASSERT_EQ(found.remarks.size(), 2u) << found.remarks.text();
  EXPECT_EQ(found.remarks[0].kind, RemarkKind::dropped);
  EXPECT_EQ(found.remarks[0].text, "Datasets that are not used: Potential, Softenings, Metallicity.");
  EXPECT_EQ(found.remarks[0].count, 3u);
  EXPECT_THAT(found.remarks[1].text, HasSubstr("ParticleIDs are not used"));
}

/// A halo that lies across the side of a box, as cut-outs of cosmological simulations have it.
TEST(Snapshots, CutOutsOfBoxesAreAloneInPhysicalUnits) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    for (const auto& [name, value] : {std::pair{"Time", 0.25},
                                      {"Redshift", 3.0},
                                      {"BoxSize", 35000.0},
                                      {"HubbleParam", 0.7},
                                      {"Omega0", 0.3},
                                      {"OmegaLambda", 0.7},
                                      {"UnitLength_in_cm", kiloparsec},
                                      {"UnitMass_in_g", ten_billion_suns},
                                      {"UnitVelocity_in_cm_per_s", kilometre_a_second}})
      made.attribute("Header", name, {value});
    made.group("PartType1");
    made.floats("PartType1/Coordinates", {34900, 10, 10, 100, 10, 10}, {2, 3});
    made.floats("PartType1/Velocities", {200, 0, 0, -200, 0, 0}, {2, 3});
    made.floats("PartType1/Masses", {7, 7}, {2});
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  EXPECT_FALSE(found.box);
  EXPECT_NEAR(found.bodies.x[1] - found.bodies.x[0], 200 * 0.25 / 0.7, 1e-2);
  EXPECT_NEAR(found.bodies.vx[0], 100, 1e-9);
  EXPECT_NEAR(found.bodies.mass[0], 10 * gravitation, 10);
  EXPECT_THAT(found.remarks.text(), HasSubstr("a part of a comoving box"));
}

/// As Fortran writes them.
class BinarySnapshot {
 public:
  BinarySnapshot(int format, bool swapped) : format_(format), swapped_(swapped) {}

  template <class Value>
  void put(Value value) {
    auto bytes = std::bit_cast<std::array<char, sizeof(Value)>>(value);
    if (swapped_) std::ranges::reverse(bytes);
    record_.append(bytes.data(), bytes.size());
  }
  void end(const std::string& name) {
    const std::string record = std::exchange(record_, {});
    if (format_ == 2) {
      record_ = name;
      put(static_cast<std::uint32_t>(record.size() + 8));
      frame(std::exchange(record_, {}));
    }
    frame(record);
  }
  void fill_up_to(std::size_t bytes) { record_.resize(bytes, '\0'); }
  const std::string& bytes() const { return bytes_; }

 private:
  void frame(const std::string& record) {
    record_.clear();
    put(static_cast<std::uint32_t>(record.size()));
    const std::string marker = std::exchange(record_, {});
    bytes_ += marker + record + marker;
  }

  int format_;
  bool swapped_;
  std::string record_, bytes_;
};

/// Two halo bodies of 0.5 by the table, and three stars with masses of their own.
template <class Real, class Id>
std::string binary_snapshot(int format, bool swapped, bool with_ids = true, Real first_mass = 7) {
  BinarySnapshot made(format, swapped);
  for (const std::uint32_t count : {0, 2, 0, 0, 3, 0}) made.put(count);
  for (const double mass : {0.0, 0.5, 0.0, 0.0, 0.0, 0.0}) made.put(mass);
  made.put(2.5);  // time
  made.put(0.0);  // redshift
  for (int i = 0; i < 2; ++i) made.put(std::uint32_t{0});
  for (const std::uint32_t count : {0, 2, 0, 0, 3, 0}) made.put(count);
  made.put(std::uint32_t{0});
  made.put(std::uint32_t{1});
  made.fill_up_to(256);
  made.end("HEAD");
  for (int i = 0; i < 15; ++i) made.put(static_cast<Real>(i));
  made.end("POS ");
  for (int i = 0; i < 15; ++i) made.put(static_cast<Real>(-i));
  made.end("VEL ");
  if (with_ids) {
    for (int i = 0; i < 5; ++i) made.put(static_cast<Id>(10 + i));
    made.end("ID  ");
  }
  for (int i = 0; i < 3; ++i) made.put(first_mass + static_cast<Real>(i));
  made.end("MASS");
  made.put(static_cast<Real>(1));
  made.end("POT ");
  return made.bytes();
}

void expect_the_binary(const InitialConditions& found) {
  EXPECT_THAT(found.bodies.x, ElementsAre(0, 3, 6, 9, 12));
  EXPECT_THAT(found.bodies.vz, ElementsAre(-2, -5, -8, -11, -14));
  EXPECT_NEAR(found.bodies.mass[1], 0.5 * gravitation, 1);
  EXPECT_NEAR(found.bodies.mass[4], 9 * gravitation, 5);
  EXPECT_THAT(found.id, ElementsAre(10, 11, 12, 13, 14));
  EXPECT_THAT(found.origins, ElementsAre("halo", "stars"));
  EXPECT_EQ(found.time, 2.5);
  EXPECT_THAT(found.remarks.text(), HasSubstr("The file names no units"));
  EXPECT_THAT(found.remarks.text(), HasSubstr("not used"));
}

TEST(GadgetBinary, IsReadInEitherFormatOrderAndPrecision) {
  const TemporaryFolder folder;
  for (const int format : {1, 2}) {
    for (const bool swapped : {false, true}) {
      expect_the_binary(
          read_bodies(folder.write("snapshot_000", binary_snapshot<float, std::uint32_t>(format, swapped))));
      expect_the_binary(
          read_bodies(folder.write("snapshot.dat", binary_snapshot<double, std::uint64_t>(format, swapped))));
    }
  }
}

TEST(GadgetBinary, IdsMayBeMissing) {
  const TemporaryFolder folder;
  const InitialConditions found =
      read_bodies(folder.write("a.dat", binary_snapshot<float, std::uint32_t>(2, false, false)));
  EXPECT_THAT(found.bodies.x, ElementsAre(0, 3, 6, 9, 12));
  EXPECT_NEAR(found.bodies.mass[4], 9 * gravitation, 5);
  EXPECT_TRUE(found.id.empty());
  EXPECT_THAT(found.remarks.text(), HasSubstr("The snapshot has no ids: the bodies are numbered"));
}

TEST(GadgetBinary, MassesAreRefusedAsTheFileHasThem) {
  const TemporaryFolder folder;
  try {
    read_bodies(folder.write("a.dat", binary_snapshot<float, std::uint32_t>(2, false, true, -1.5F)));
    ADD_FAILURE() << "it was read";
  } catch (const InputError& error) {
    EXPECT_THAT(error.what(), HasSubstr("block MASS, type 4: the mass of body 1 is -1.5."));
  }
}

TEST(GadgetBinary, EveryTruncatedOrDamagedOneIsRefused) {
  const TemporaryFolder folder;
  const std::string whole = binary_snapshot<float, std::uint32_t>(2, false);
  for (std::size_t length = 290; length + 60 < whole.size(); length += 7)
    EXPECT_THROW(read_bodies(folder.write("cut", whole.substr(0, length))), InputError) << length;
  for (std::size_t at = 16; at < whole.size(); at += 3) {
    std::string damaged = whole;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    try {
      read_bodies(folder.write("damaged", damaged));
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("damaged"));
    }
  }
}

TEST(BodiesXyz, IntegerMassesMomentaAndColumnsThatAreNotUsed) {
  const TemporaryFolder folder;
  folder.write("a.xyz",
               "2\nProperties=species:S:1:pos:R:3:momenta:R:3:masses:I:1:initial_charges:R:1 pbc=\"F F F\"\n"
               "X 0 0 0 0 1 0 2 0.3\nX 1 0 0 0 -1 0 4 0.1\n");
  const InitialConditions found = read_bodies(folder / "a.xyz", {}, {}, UnitsChoice::natural);
  EXPECT_THAT(found.bodies.mass, ElementsAre(2, 4));
  EXPECT_THAT(found.bodies.vy, ElementsAre(0.5, -0.25));
  ASSERT_EQ(found.remarks.size(), 1u);
  EXPECT_THAT(found.remarks[0].text, HasSubstr("initial_charges"));
  folder.write("b.xyz",
               "1\nProperties=species:S:1:pos:R:3:momenta:R:3:velo:R:3 pbc=\"T F F\"\nX 0 0 0 9 9 9 1 2 3\n");
  const InitialConditions both = read_bodies(folder / "b.xyz", {}, {}, UnitsChoice::natural);
  EXPECT_THAT(both.bodies.vz, ElementsAre(3));
  EXPECT_THAT(both.remarks.text(), HasSubstr("momenta"));
  EXPECT_THAT(both.remarks.text(), HasSubstr("each body has the mass 1"));
  EXPECT_THAT(both.remarks.text(), HasSubstr("periodicity"));
}

TEST(BodiesXyz, AKeyIsFoundBehindOneThatEndsLikeIt) {
  const TemporaryFolder folder;
  folder.write(
      "a.xyz",
      "1\nmd_properties=\"x\" start_time=3 Properties=species:S:1:mass:R:1:pos:R:3 Time=2\nA 5 1 0 0\n");
  const InitialConditions found = read_bodies(folder / "a.xyz");
  EXPECT_EQ(found.time, 2);
  EXPECT_THAT(found.bodies.mass, ElementsAre(5));
  EXPECT_THAT(found.bodies.x, ElementsAre(1));
}

/// ASE leaves out masses that are those of the elements: 39.948 here, and not 1.
TEST(BodiesXyz, MomentaWithoutMassesAreRefused) {
  const TemporaryFolder folder;
  folder.write("a.xyz", "1\nProperties=species:S:1:pos:R:3:momenta:R:3\nAr 1 0 0 39.948 0 0\n");
  EXPECT_THROW(read_bodies(folder / "a.xyz"), InputError);
}

/// A cube of side 1 about the origin, with the mean density 0.3 of the critical one.
TEST(Tipsy, AComovingBoxIsRecognised) {
  const TemporaryFolder folder;
  InitialConditions made;
  made.time = 0.5;
  for (int i = 0; i < 8; ++i) {
    for (int j = 0; j < 8; ++j) {
      for (int k = 0; k < 8; ++k) {
        made.bodies.mass.push_back(0.3 / 512);
        made.bodies.x.push_back((i - 4) / 8.0 + (i == 7 ? 0.12 : 0));
        made.bodies.y.push_back((j - 4) / 8.0 + (j == 7 ? 0.12 : 0));
        made.bodies.z.push_back((k - 4) / 8.0 + (k == 7 ? 0.12 : 0));
        made.bodies.vx.push_back(0.01);
        made.bodies.vy.push_back(0);
        made.bodies.vz.push_back(0);
      }
    }
  }
  write_bodies(made, folder / "box.tipsy");
  const InitialConditions found = read_bodies(folder / "box.tipsy");
  ASSERT_TRUE(found.box);
  EXPECT_NEAR(found.box->cosmology.omega_matter, 0.3, 1e-6);
  EXPECT_NEAR(found.time, std::log(0.5), 1e-12);
  const double mass = std::accumulate(found.bodies.mass.begin(), found.bodies.mass.end(), 0.0);
  EXPECT_NEAR(mass / found.box->mass(), 1, 1e-6);
  // a dx/dt, where Hubble's constant is sqrt(8 pi / 3) = 2.894405, and here 1 (100 km/s in a Mpc/h).
  EXPECT_NEAR(found.bodies.vx[0], 0.5 * 0.01 * found.box->side / 2.894405, 1e-5);
  EXPECT_THAT(found.remarks.text(), HasSubstr("comoving box"));
  made.bodies.x[0] = -3;  // no box
  write_bodies(made, folder / "alone.tipsy");
  EXPECT_FALSE(read_bodies(folder / "alone.tipsy").box);
}

}  // namespace
}  // namespace isolume::nbody
