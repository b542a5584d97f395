#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <functional>
#include <numbers>
#include <numeric>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/files/bodies_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/files/trajectory.h"
#include "core/nbody/runs/diagnostics_table.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/core/nbody/snapshot_file.h"
#include "tests/full_disk.h"
#include "tests/memory_budget.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Snapshot;

std::string refusal(const std::filesystem::path& path, std::optional<std::size_t> moment = std::nullopt) {
  try {
    read_bodies(path, moment);
  } catch (const InputError& error) {
    EXPECT_EQ(std::string_view(error.what()).find('\n'), std::string_view::npos);
    return error.what();
  }
  return "nothing was thrown";
}

InitialConditions some_bodies() {
  SceneOptions options;
  options.scene = SceneKind::encounter;
  options.bodies = 300;
  InitialConditions made = make_scene(options);
  made.time = 2.5;
  for (std::size_t i = 0; i < made.bodies.size(); ++i) made.id.push_back(10 + 3 * i);
  return made;
}

void expect_same(const Bodies& found, const Bodies& expected, double error) {
  ASSERT_EQ(found.size(), expected.size());
  for (const auto values :
       {&Bodies::mass, &Bodies::x, &Bodies::y, &Bodies::z, &Bodies::vx, &Bodies::vy, &Bodies::vz}) {
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_NEAR((found.*values)[i], (expected.*values)[i], error * std::abs((expected.*values)[i])) << i;
    }
  }
}

/// In the order of their ids.
InitialConditions by_id(const InitialConditions& bodies) {
  std::vector<std::size_t> order(bodies.id.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, {}, [&](std::size_t i) { return bodies.id[i]; });
  InitialConditions sorted = bodies;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sorted.id[i] = bodies.id[order[i]];
    sorted.origin[i] = bodies.origin[order[i]];
    for (const auto values :
         {&Bodies::mass, &Bodies::x, &Bodies::y, &Bodies::z, &Bodies::vx, &Bodies::vy, &Bodies::vz})
      (sorted.bodies.*values)[i] = (bodies.bodies.*values)[order[i]];
  }
  return sorted;
}

TEST(BodiesFile, EveryFormatGivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const InitialConditions bodies = some_bodies();
  for (const auto& [name, error] : {std::pair{"a.csv", 0.0},
                                    {"a.xyz", 0.0},
                                    {"a.hdf5", 0.0},
                                    {"a.tipsy", 6e-8},
                                    {"A.CSV", 0.0},
                                    {"A.XYZ", 0.0},
                                    {"A.HDF5", 0.0}}) {
    write_bodies(bodies, folder / name);
    const InitialConditions read = read_bodies(folder / name), found = read.id.empty() ? read : by_id(read);
    expect_same(found.bodies, bodies.bodies, error);
    EXPECT_EQ(found.time, 2.5) << name;
  }
  const InitialConditions gadget = by_id(read_bodies(folder / "a.hdf5"));
  EXPECT_EQ(gadget.id, bodies.id);
  EXPECT_THAT(gadget.origins, ElementsAre("halo", "disc", "bulge"));
  for (std::size_t i = 0; i < gadget.origin.size(); ++i) {
    EXPECT_THAT(bodies.origins[bodies.origin[i]], HasSubstr(gadget.origins[gadget.origin[i]])) << i;
  }
  const InitialConditions named = read_bodies(folder / "a.xyz");
  EXPECT_EQ(named.origin, bodies.origin);
  EXPECT_EQ(named.origins.at(3), "second_disc");
  EXPECT_THROW(write_bodies(bodies, folder / "a.vtk"), Error);
  EXPECT_THAT(refusal(folder / "a.csv", 1), HasSubstr("there is one moment in it"));
}

TEST(BodiesFile, WhatAFormatHasNoRoomForIsNamed) {
  const TemporaryFolder folder;
  InitialConditions bodies = some_bodies();  // of six origins, and with ids
  bodies.radius.assign(bodies.bodies.size(), 0.25);
  bodies.units = units_by(UnitsChoice::galactic);
  const auto lost = [&](const char* name) { return write_bodies(bodies, folder / name).text(); };
  using ::testing::AllOf, ::testing::Not;
  const auto ids = HasSubstr("ids"), origins = HasSubstr("second disc"), radii = HasSubstr("radii"),
             units = HasSubstr("units (kpc");
  EXPECT_THAT(lost("a.csv"), AllOf(ids, Not(origins), Not(radii), Not(units)));
  EXPECT_THAT(lost("a.xyz"), AllOf(ids, Not(origins), Not(radii), Not(units), HasSubstr("underscores")));
  EXPECT_THAT(lost("a.tipsy"), AllOf(ids, origins, radii, units));
  // The second disc becomes GADGET's disc.
  EXPECT_THAT(lost("a.hdf5"), AllOf(Not(ids), HasSubstr("types of GADGET"), radii, Not(units)));
  bodies = {.bodies = bodies.bodies, .id = {}, .time = 2.5};
  for (const char* name : {"b.csv", "b.xyz", "b.tipsy", "b.hdf5"}) EXPECT_EQ(lost(name), "") << name;
}

TEST(Gadget, ReadsTypesMassesAndUnits) {
  const TemporaryFolder folder;
  {
    Snapshot made(folder / "s.hdf5");
    made.group("Header");
    made.attribute("Header", "MassTable", {0, 0.5, 0, 0, 0, 0});
    made.attribute("Header", "Time", {0.25});
    made.attribute("Header", "NumFilesPerSnapshot", {1});
    made.group("Parameters");  // kiloparsecs, 10^10 suns, kilometres a second
    made.attribute("Parameters", "UnitLength_in_cm", {3.085678e21});
    made.attribute("Parameters", "UnitMass_in_g", {1.989e43});
    made.attribute("Parameters", "UnitVelocity_in_cm_per_s", {1e5});
    made.group("PartType1");
    made.floats("PartType1/Coordinates", {1, 2, 3, 4, 5, 6}, {2, 3});
    made.floats("PartType1/Velocities", {0, 0, 0, 7, 8, 9}, {2, 3});
    made.group("PartType4");
    made.floats("PartType4/Coordinates", {-1, -2, -3}, {1, 3});
    made.floats("PartType4/Velocities", {0.5, 0, 0}, {1, 3});
    made.floats("PartType4/Masses", {2}, {1});
  }
  const InitialConditions found = read_bodies(folder / "s.hdf5");
  EXPECT_THAT(found.bodies.x, ElementsAre(1, 4, -1));
  EXPECT_THAT(found.bodies.vz, ElementsAre(0, 9, 0));
  EXPECT_THAT(found.origins, ElementsAre("halo", "stars"));
  EXPECT_THAT(found.origin, ElementsAre(0, 0, 1));
  EXPECT_EQ(found.time, 0.25);
  // G is 43018.7 in these units with today's constant (43007.1 with GADGET's).
  EXPECT_NEAR(found.bodies.mass[0], 0.5 * 43018.7, 10);
  EXPECT_NEAR(found.bodies.mass[2], 2 * 43018.7, 40);
}

TEST(Gadget, RefusesWhatIsNotWhole) {
  const TemporaryFolder folder;
  const auto with = [&](const std::function<void(Snapshot&)>& add) {
    {
      Snapshot made(folder / "s.hdf5");
      made.group("Header");
      made.group("PartType1");
      add(made);
    }
    return refusal(folder / "s.hdf5");
  };
  EXPECT_THAT(with([](Snapshot&) {}), HasSubstr("there is no body"));
  EXPECT_THAT(with([](Snapshot& made) {
                made.floats("PartType1/Coordinates", {1, 2, 3}, {1, 3});
                made.floats("PartType1/Masses", {1}, {1});
              }),
              HasSubstr("there is no dataset PartType1/Velocities"));
  EXPECT_THAT(with([](Snapshot& made) {
                made.floats("PartType1/Coordinates", {1, 2, 3, 4}, {2, 2});
              }),
              HasSubstr("three numbers a body"));
  // Nothing was written into it, so that nothing of it is in the file.
  EXPECT_THAT(with([](Snapshot& made) {
                made.floats("PartType1/Coordinates", {}, {1000000000000, 3});
              }),
              HasSubstr("should hold 1000000000000 × 3 numbers, but only 0 B of"));
  EXPECT_THAT(with([](Snapshot& made) {
                made.floats("PartType1/Coordinates", {1, 2, std::nanf("")}, {1, 3});
                made.floats("PartType1/Velocities", {1, 2, 3}, {1, 3});
                made.floats("PartType1/Masses", {1}, {1});
              }),
              HasSubstr("Body 1: z is nan"));
  for (const double files : {0.0, 1.5, -3.0, 1e12, std::nan("")}) {
    EXPECT_THAT(with([&](Snapshot& made) { made.attribute("Header", "NumFilesPerSnapshot", {files}); }),
                HasSubstr("files of a snapshot"));
  }
  EXPECT_THAT(with([](Snapshot& made) { made.attribute("Header", "NumFilesPerSnapshot", {8}); }),
              HasSubstr("Give them the names that GADGET gives: NAME.0.hdf5"));
  const auto one_body = [](Snapshot& made) {
    made.floats("PartType1/Coordinates", {1, 2, 3}, {1, 3});
    made.floats("PartType1/Velocities", {1, 2, 3}, {1, 3});
    made.floats("PartType1/Masses", {1}, {1});
  };
  EXPECT_THAT(with([&](Snapshot& made) {
                one_body(made);
                made.attribute("Header", "NumPart_ThisFile", {0, 2, 0, 0, 0, 0});
              }),
              HasSubstr("there are 0 + 2 + 0 + 0 + 0 + 0 bodies in it, but there are 0 + 1 + 0"));
  EXPECT_THAT(with([&](Snapshot& made) {
                one_body(made);
                made.attribute("Header", "NumPart_Total", {0, 1, 0, 0, 0, 0});
                made.attribute("Header", "NumPart_Total_HighWord", {0, 1, 0, 0, 0, 0});
              }),
              HasSubstr("there are 0 + 4294967297 + 0"));
  EXPECT_THAT(with([&](Snapshot& made) {
                one_body(made);
                made.attribute("Header", "NumPart_Total", {0, -1, 0, 0, 0, 0});
              }),
              HasSubstr("NumPart_Total is -1 in its header"));
  EXPECT_THAT(with([](Snapshot& made) {
                H5Lcreate_external("/etc/passwd", "/", made.file(), "PartType1/Coordinates", H5P_DEFAULT,
                                   H5P_DEFAULT);
              }),
              ::testing::AnyOf(HasSubstr("link"), HasSubstr("no dataset"), HasSubstr("not a dataset")));
  folder.write("n.hdf5", "\x89HDF\r\n\x1a\nand nothing else");
  EXPECT_THAT(refusal(folder / "n.hdf5"), HasSubstr("cannot be opened as HDF5"));
}

/// Part `number` of a snapshot of three, with as many bodies of type 1 and of type 3 as are wanted: their places count
/// up from 100 number + 10 type.
void write_part(const std::filesystem::path& path, int number, int halo, int bulge) {
  Snapshot made(path);
  made.group("Header");
  made.attribute("Header", "NumFilesPerSnapshot", {3});
  made.attribute("Header", "NumPart_ThisFile",
                 {0, static_cast<double>(halo), 0, static_cast<double>(bulge), 0, 0});
  made.attribute("Header", "NumPart_Total", {0, 4, 0, 3, 0, 0});
  made.attribute("Header", "MassTable", {0, 0, 0, 2, 0, 0});
  made.attribute("Header", "Time", {1.5});
  for (const auto& [type, count] : {std::pair{1, halo}, {3, bulge}}) {
    if (count == 0) continue;
    const std::string group = "PartType" + std::to_string(type);
    const auto rows = static_cast<hsize_t>(count);
    std::vector<float> places;
    for (int i = 0; i < 3 * count; ++i)
      places.push_back(static_cast<float>(100 * number + 10 * type + i / 3));
    made.group(group.c_str());
    made.floats((group + "/Coordinates").c_str(), places, {rows, 3});
    made.floats((group + "/Velocities").c_str(), std::vector<float>(3 * rows), {rows, 3});
    if (type == 1) made.floats("PartType1/Masses", std::vector<float>(rows, 0.5f), {rows});
  }
}

TEST(Gadget, ReadsAllFilesOfASnapshot) {
  const TemporaryFolder folder;
  write_part(folder / "snap_007.0.hdf5", 0, 1, 2);
  write_part(folder / "snap_007.1.hdf5", 1, 3, 0);
  write_part(folder / "snap_007.2.hdf5", 2, 0, 1);
  for (const char* name : {"snap_007.0.hdf5", "snap_007.2.hdf5"}) {
    const InitialConditions found = read_bodies(folder / name);
    EXPECT_THAT(found.bodies.x, ElementsAre(10, 110, 111, 112, 30, 31, 230)) << name;
    for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(found.bodies.mass[i], (i < 4 ? 0.5 : 2) * 43009.2, 1);
    EXPECT_THAT(found.origin, ElementsAre(0, 0, 0, 0, 1, 1, 1));
    EXPECT_THAT(found.origins, ElementsAre("halo", "bulge"));
    EXPECT_EQ(found.time, 1.5);
  }
  write_part(folder / "snap_007.1.hdf5", 1, 2, 0);
  EXPECT_THAT(refusal(folder / "snap_007.0.hdf5"),
              HasSubstr("there are 0 + 4 + 0 + 3 + 0 + 0 bodies in all, but there are 0 + 3 + 0 + 3"));
  write_part(folder / "snap_007.1.hdf5", 1, 3, 0);
  std::filesystem::resize_file(folder / "snap_007.1.hdf5",
                               std::filesystem::file_size(folder / "snap_007.1.hdf5") - 100);
  EXPECT_THAT(refusal(folder / "snap_007.0.hdf5"), HasSubstr("snap_007.1.hdf5: cannot be opened as HDF5"));
  std::filesystem::remove(folder / "snap_007.1.hdf5");
  EXPECT_THAT(refusal(folder / "snap_007.0.hdf5"),
              HasSubstr("it is one of 3 files of a snapshot, and snap_007.1.hdf5 is missing"));
}

/// At redshift 3, a cube of 10 Mpc/h with a body in each of its eight parts, all of them with the same velocity. Numbers
/// are in 10^10 solar masses / h and km/s, and in 1 / `lengths` Mpc/h.
class ComovingSnapshot : public Snapshot {
 public:
  ComovingSnapshot(const std::filesystem::path& path, double lengths) : Snapshot(path) {
    group("Header");
    attribute("Header", "Time", {0.25});
    attribute("Header", "Redshift", {3});
    group("PartType1");
    std::vector<float> places;
    for (int i = 0; i < 8; ++i) {
      for (const int bit : {1, 2, 4})
        places.push_back(static_cast<float>(lengths) * ((i & bit) != 0 ? 8 : 3));
    }
    floats("PartType1/Coordinates", places, {8, 3});
    std::vector<float> velocities;
    for (int i = 0; i < 8; ++i) velocities.insert(velocities.end(), {200, 0, -40});
    floats("PartType1/Velocities", velocities, {8, 3});
    // The critical density is 27.7536627 h^2 of these masses in a cubic Mpc (Particle Data Group).
    attribute("Header", "MassTable", {0, 0.3 * 27.7536627 * 1000 / 8, 0, 0, 0, 0});
  }
  /// In `in`, "Header" as GADGET-2 has it, or "Parameters".
  void cosmology(const char* in, double side, double matter = 0.3) {
    attribute(in, "BoxSize", {side});
    attribute(in, "Omega0", {matter});
    attribute(in, "OmegaLambda", {0.7});
    attribute(in, "HubbleParam", {0.7});
  }
  void parameters(double side) {
    group("Parameters");
    attribute("Parameters", "ComovingIntegrationOn", {1});
    cosmology("Parameters", side);
  }
  void units(double length, double mass = 1.989e43) {
    attribute("Parameters", "UnitLength_in_cm", {length});
    attribute("Parameters", "UnitMass_in_g", {mass});
    attribute("Parameters", "UnitVelocity_in_cm_per_s", {1e5});
  }
};

void expect_the_cube(const InitialConditions& found) {
  ASSERT_TRUE(found.box);
  EXPECT_NEAR(found.box->side, 10, 1e-5);
  EXPECT_EQ(found.box->cosmology.omega_matter, 0.3);
  EXPECT_EQ(found.box->cosmology.omega_lambda, 0.7);
  EXPECT_EQ(found.box->cosmology.hubble, 0.7);
  EXPECT_NEAR(found.time, std::log(0.25), 1e-12);
  EXPECT_NEAR(found.softening, 0.2, 1e-6) << "a twenty-fifth of the mean distance";
  ASSERT_EQ(found.bodies.size(), 8u);
  EXPECT_NEAR(found.bodies.x[1], 8, 1e-5);
  EXPECT_NEAR(found.bodies.y[1], 3, 1e-5);
  // Half of the file's, as the square root of the scale factor is; in 100 km/s.
  EXPECT_NEAR(found.bodies.vx[5], 1, 1e-6);
  EXPECT_NEAR(found.bodies.vz[5], -0.2, 1e-6);
  EXPECT_NEAR(found.bodies.mass[3] / (found.box->mass() / 8), 1, 1e-3);
}

TEST(Gadget, ReadsComovingBoxesInAnyUnits) {
  const TemporaryFolder folder;
  const auto path = folder / "s.hdf5";
  for (const auto& [lengths, unit] : {std::pair{1.0, 3.085678e24}, {1000.0, 3.085678e21}}) {
    {
      ComovingSnapshot made(path, lengths);
      made.parameters(10 * lengths);
      made.units(unit);
    }
    expect_the_cube(read_bodies(path));
    {
      ComovingSnapshot made(path, lengths);  // without units
      made.parameters(10 * lengths);
    }
    expect_the_cube(read_bodies(path));
    {
      ComovingSnapshot made(path, lengths);  // as GADGET-2 does
      made.cosmology("Header", 10 * lengths);
    }
    expect_the_cube(read_bodies(path));
  }
}

TEST(Gadget, UnitsOfABoxAreSaidWhereTheFileNamesNone) {
  const TemporaryFolder folder;
  const auto remarks = [&](bool named, UnitsChoice choice) {
    {
      ComovingSnapshot made(folder / "s.hdf5", 1000);
      made.parameters(10000);
      if (named) made.units(3.085678e21);
    }
    return read_bodies(folder / "s.hdf5", {}, {}, choice).remarks;
  };
  const Remarks assumed = remarks(false, UnitsChoice::file);
  ASSERT_EQ(assumed.size(), 1u);
  EXPECT_EQ(assumed[0].kind, RemarkKind::assumed);
  EXPECT_THAT(assumed[0].text, HasSubstr("kpc, 10^10 solar masses and km/s"));
  EXPECT_TRUE(remarks(true, UnitsChoice::file).empty());
  // The density of the header leaves no choice.
  for (const bool named : {false, true}) {
    EXPECT_THAT(remarks(named, UnitsChoice::planetary).text(),
                HasSubstr("the units that were chosen are not used"));
  }
}

/// GADGET's zoom runs with vacuum boundaries: lengths are comoving, in units of 1 / h, although there is no box.
TEST(Gadget, AComovingRunWithoutABoxIsNotTakenAsPhysical) {
  const TemporaryFolder folder;
  {
    ComovingSnapshot made(folder / "s.hdf5", 1);  // at the time 0.25 and the redshift 3
    made.cosmology("Header", 0);
  }
  EXPECT_THAT(refusal(folder / "s.hdf5"), HasSubstr("comoving, but not in a periodic box"));
}

TEST(Gadget, RefusesComovingBoxesThatAreNone) {
  const TemporaryFolder folder;
  const auto with = [&](const std::function<void(ComovingSnapshot&)>& add) {
    {
      ComovingSnapshot made(folder / "s.hdf5", 1);
      made.group("Parameters");
      made.attribute("Parameters", "ComovingIntegrationOn", {1});
      add(made);
    }
    return refusal(folder / "s.hdf5");
  };
  EXPECT_THAT(with([](ComovingSnapshot&) {}), HasSubstr("does not say what BoxSize is"));
  EXPECT_THAT(with([](ComovingSnapshot& made) { made.cosmology("Parameters", 0); }),
              HasSubstr("not in a periodic box"));
  EXPECT_THAT(with([](ComovingSnapshot& made) { made.cosmology("Parameters", 10, 7); }),
              HasSubstr("Omega_m, is 7"));
  EXPECT_THAT(with([](ComovingSnapshot& made) { made.cosmology("Parameters", 9); }),
              HasSubstr("that names its units"));
  EXPECT_THAT(with([](ComovingSnapshot& made) {
                made.cosmology("Parameters", 10);
                made.units(3.085678e24, 2e43 / 0.7);
              }),
              HasSubstr("have the mean density 0.431, but Omega0 is 0.3"));
  EXPECT_THAT(with([](ComovingSnapshot& made) {
                H5Adelete_by_name(made.file(), "Header", "Time", H5P_DEFAULT);
                made.attribute("Header", "Time", {-1});
                made.cosmology("Parameters", 10);
              }),
              HasSubstr("scale factor (Time) is -1"));
}

TEST(Gadget, ABoxIsWrittenAsComoving) {
  const TemporaryFolder folder;
  SceneOptions options;
  options.scene = SceneKind::cosmological_box;
  options.particles_per_side = 8;
  options.box_size = 40;
  options.start_redshift = 24;
  const InitialConditions box = make_scene(options);
  write_bodies(box, folder / "box.hdf5");
  const InitialConditions found = read_bodies(folder / "box.hdf5");
  expect_same(found.bodies, box.bodies, 1e-13);
  ASSERT_TRUE(found.box);
  EXPECT_NEAR(found.box->side, 40, 1e-12);
  EXPECT_EQ(found.box->cosmology.omega_lambda, 0.69);
  EXPECT_NEAR(found.time, box.time, 1e-14);
  EXPECT_NEAR(found.softening, box.softening, 1e-14);
  // What GADGET expects.
  const Hdf5Reader file(folder / "box.hdf5");
  const auto number = [&](const char* group, const char* name) { return file.attribute(group, name)->at(0); };
  EXPECT_NEAR(number("Header", "Time"), 0.04, 1e-15);
  EXPECT_NEAR(number("Header", "Redshift"), 24, 1e-12);
  for (const char* group : {"Header", "Parameters"}) {
    EXPECT_NEAR(number(group, "BoxSize"), 40000, 1e-9);  // kpc/h
    EXPECT_EQ(number(group, "Omega0"), 0.31);
    EXPECT_EQ(number(group, "HubbleParam"), 0.68);
  }
  EXPECT_EQ(number("PartType1/Velocities", "a_scaling"), 0.5);
  EXPECT_EQ(number("PartType1/Masses", "h_scaling"), -1);
  const auto velocities = file.numbers("PartType1/Velocities", {512, 3});
  EXPECT_NEAR(velocities[3 * 7 + 1] * std::sqrt(0.04), 100 * box.bodies.vy[7], 1e-9);  // km/s
  const auto masses = file.numbers("PartType1/Masses", {512});
  EXPECT_NEAR(masses[0] * 512, 0.31 * 27.7536627 * 64000, 1e-3 * 0.31 * 27.7536627 * 64000);
}

std::filesystem::path reference(std::string_view name) {
  return std::filesystem::path(ISOLUME_TEST_REFERENCES) / "nbody" / name;
}

TEST(Gadget, ABoxThatH5pyWroteIsWhatPynbodyReads) {
  // Solar masses, kpc and km/s, all physical; the box is at the scale factor 0.4, with h = 0.7.
  const Bodies expected = read_bodies_csv(reference("pynbody-box.csv"));
  const InitialConditions found = read_bodies(reference("box.1.hdf5"));
  ASSERT_EQ(found.bodies.size(), expected.size());
  ASSERT_TRUE(found.box);
  EXPECT_NEAR(found.box->side, 20, 1e-5);
  EXPECT_NEAR(std::exp(found.time), 0.4, 1e-12);
  EXPECT_THAT(found.origins, ElementsAre("halo", "disc"));
  EXPECT_EQ(std::ranges::count(found.origin, 0), 16);
  constexpr double kiloparsecs = 1000 * 0.4 / 0.7, suns = 2.3251e12 / 0.7, speeds = 100;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    EXPECT_NEAR(found.bodies.mass[i] * suns, expected.mass[i], 3e-4 * expected.mass[i]);
    EXPECT_NEAR(found.bodies.x[i] * kiloparsecs, expected.x[i], 2e-6 * 11429);
    EXPECT_NEAR(found.bodies.z[i] * kiloparsecs, expected.z[i], 2e-6 * 11429);
    EXPECT_NEAR(found.bodies.vx[i] * speeds, expected.vx[i], 1e-4);
    EXPECT_NEAR(found.bodies.vy[i] * speeds, expected.vy[i], 1e-4);
  }
}

TEST(Tipsy, WhatPynbodyWroteIsRead) {
  const Bodies expected = read_bodies_csv(reference("pynbody-tipsy.csv"));
  const InitialConditions found = read_bodies(reference("pynbody.tipsy"));
  expect_same(found.bodies, expected, 0);
  EXPECT_EQ(found.bodies.mass[8], 8.5);
  EXPECT_THAT(found.origins, ElementsAre("gas", "dark matter", "stars"));
  EXPECT_THAT(found.origin, ElementsAre(0, 0, 1, 1, 1, 2, 2, 2, 2));
  EXPECT_EQ(found.time, 1.25);
}

TEST(Gadget, EveryTruncatedOneIsRefused) {
  const TemporaryFolder folder;
  write_bodies(some_bodies(), folder / "s.hdf5");
  std::ifstream file(folder / "s.hdf5", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t length = 8; length < bytes.size(); length += bytes.size() / 120) {
    folder.write("cut.hdf5", bytes.substr(0, length));
    EXPECT_THAT(refusal(folder / "cut.hdf5"), HasSubstr("cut.hdf5: ")) << length;
  }
  folder.write("cut.hdf5", bytes.substr(0, bytes.size() - 1));
  EXPECT_THAT(refusal(folder / "cut.hdf5"), HasSubstr("cut.hdf5: "));
}

/// Whatever is in the file, it is read or refused.
TEST(Gadget, DamagedOnesDoNotCrash) {
  const TemporaryFolder folder;
  write_bodies(some_bodies(), folder / "s.hdf5");
  std::ifstream file(folder / "s.hdf5", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::size_t refused = 0;
  for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 8000); at += 29) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    folder.write("damaged.hdf5", damaged);
    try {
      read_bodies(folder / "damaged.hdf5");
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 10u) << "or nothing was damaged";
}

TEST(BodiesFile, MoreBodiesThanMemoryAreRefused) {
  const TemporaryFolder folder;
  const InitialConditions bodies = some_bodies();
  for (const char* name : {"a.csv", "a.xyz", "a.hdf5", "a.tipsy"}) {
    write_bodies(bodies, folder / name);
    {
      const isolume::testing::MemoryBudget budget("15KiB");  // 300 bodies have 56 bytes each at least
      EXPECT_THROW(read_bodies(folder / name), ResourceError) << name;
    }
    const isolume::testing::MemoryBudget budget("1MiB");
    EXPECT_EQ(read_bodies(folder / name).bodies.size(), 300u) << name;
  }
}

/// Low bytes first, and a header without the four bytes at its end: one of gas, one of dark matter.
std::string little_tipsy() {
  std::string bytes;
  const auto add = [&](auto value) {
    const auto raw = std::bit_cast<std::array<char, sizeof value>>(value);
    bytes.append(raw.begin(), raw.end());
  };
  add(1.5);
  for (const std::int32_t number : {2, 3, 1, 1, 0}) add(number);
  for (int i = 1; i <= 12; ++i) add(static_cast<float>(i));
  for (int i = 1; i <= 9; ++i) add(static_cast<float>(-i) + 3);
  return bytes;
}

TEST(Tipsy, ReadsBothOrdersOfBytes) {
  const TemporaryFolder folder;
  std::string bytes = little_tipsy();
  folder.write("t.std", bytes);
  const InitialConditions found = read_bodies(folder / "t.std");
  EXPECT_EQ(found.time, 1.5);
  EXPECT_THAT(found.bodies.mass, ElementsAre(1, 2));
  EXPECT_THAT(found.bodies.x, ElementsAre(2, 1));
  EXPECT_THAT(found.bodies.vz, ElementsAre(7, -4));
  EXPECT_THAT(found.origins, ElementsAre("gas", "dark matter"));
  bytes.pop_back();
  folder.write("t.tipsy", bytes);
  EXPECT_THAT(refusal(folder / "t.tipsy"),
              HasSubstr("the length of the file is not what a Tipsy header says"));
}

/// The gas has numbers besides mass, position and velocity, and the format has no units.
TEST(Tipsy, SaysWhatItAssumesAndDoesNotUse) {
  const TemporaryFolder folder;
  folder.write("t.std", little_tipsy());
  const Remarks remarks = read_bodies(folder / "t.std").remarks;
  ASSERT_EQ(remarks.size(), 3u) << remarks.text();
  EXPECT_THAT(remarks[0].text, HasSubstr("1 bodies are gas"));
  EXPECT_EQ(remarks[1].kind, RemarkKind::dropped);
  EXPECT_THAT(remarks[1].text, HasSubstr("density, temperature, softening, metals, potential."));
  EXPECT_EQ(remarks[2].kind, RemarkKind::assumed);
  EXPECT_THAT(remarks[2].text, HasSubstr("the gravitational constant is taken as 1"));
  EXPECT_EQ(read_bodies(folder / "t.std", {}, {}, UnitsChoice::natural).remarks.size(), 2u);
}

TEST(ExtendedXyz, ReadsColumnsInAnyOrderAndTheLastMoment) {
  const TemporaryFolder folder;
  folder.write("a.xyz",
               "1\nProperties=mass:R:1:tag:I:2:pos:R:3:vel:R:3 Time=0\n2 7 7 1 2 3 4 5 6\n"
               "1\nTime=3.5 Lattice=\"1 0 0 0 1 0 0 0 1\" Properties=\"mass:R:1:tag:I:2:pos:R:3:vel:R:3\"\n"
               "2 7 7 1.5 +2 3e1 4 5 6\n\n");
  const InitialConditions last = read_bodies(folder / "a.xyz");
  EXPECT_EQ(last.time, 3.5);
  EXPECT_THAT(last.bodies.x, ElementsAre(1.5));
  EXPECT_THAT(last.bodies.z, ElementsAre(30));
  EXPECT_THAT(last.bodies.vx, ElementsAre(4));
  EXPECT_THAT(last.bodies.mass, ElementsAre(2));
  EXPECT_THAT(read_bodies(folder / "a.xyz", 0).bodies.x, ElementsAre(1));
  EXPECT_THAT(refusal(folder / "a.xyz", 2), HasSubstr("there are 2 moments"));
  folder.write("plain.xyz", "2\nof old\nSun 0 0 0\nEarth 1 0 0\n");
  folder.write("plain.XYZ.txt", "\n 2 \r\nof old\r\nSun 0 0 0\r\nEarth 1 0 0\r\n");  // by its content
  for (const char* name : {"plain.xyz", "plain.XYZ.txt"}) {
    const InitialConditions plain = read_bodies(folder / name);
    EXPECT_THAT(plain.origins, ElementsAre("Sun", "Earth")) << name;
    EXPECT_THAT(plain.bodies.mass, ElementsAre(1, 1)) << name;
  }
}

/// Of several frames, where none was chosen.
TEST(BodiesFile, OfSeveralMomentsTheLastIsUsedAndSaid) {
  const TemporaryFolder folder;
  const auto frame = [](double time) {
    return fmt::format("1\nProperties=species:S:1:pos:R:3:mass:R:1 Time={}\nA {} 0 0 1\n", time, 10 * time);
  };
  folder.write("a.xyz", frame(0.25) + frame(0.5) + frame(0.75));
  folder.write("one.xyz", frame(0.25));
  {
    NBodySimulation simulation(some_bodies());
    TrajectoryWriter writer(folder / "a.h5", simulation, "a test"),
        one(folder / "one.h5", simulation, "a test");
    one.add(simulation);
    for (int i = 0; i < 3; ++i) {
      simulation.advance(i > 0 ? 1 : 0);
      writer.add(simulation);
    }
    writer.finish();
    one.finish();
  }
  const auto dropped = [&](const char* name, std::optional<std::size_t> moment) {
    Remarks found;
    for (const Remark& each : read_bodies(folder / name, moment, {}, UnitsChoice::natural).remarks) {
      if (each.kind == RemarkKind::dropped) found.add(each.kind, each.text, each.count);
    }
    return found;
  };
  for (const char* name : {"a.xyz", "a.h5"}) {
    const Remarks found = dropped(name, std::nullopt);
    ASSERT_EQ(found.size(), 1u) << name << ": " << found.text();
    EXPECT_EQ(found[0].count, 2u);
    EXPECT_THAT(found[0].text,
                HasSubstr("The file has 3 moments: the last one is used, moment 2 at the time "));
    EXPECT_THAT(found[0].text, HasSubstr("--moment"));
    EXPECT_TRUE(dropped(name, 2).empty()) << name;
    EXPECT_TRUE(dropped(name, 0).empty()) << name;
  }
  EXPECT_THAT(dropped("a.xyz", std::nullopt).text(), HasSubstr("at the time 0.75."));
  EXPECT_EQ(read_bodies(folder / "a.xyz").bodies.x, std::vector{7.5});
  for (const char* name : {"one.xyz", "one.h5"}) EXPECT_TRUE(dropped(name, std::nullopt).empty()) << name;
}

TEST(BodiesFile, WhatIsNoTextIsNoTable) {
  const TemporaryFolder folder;
  folder.write("a.csv", std::string_view("1,2,3,4\0\n", 9));
  EXPECT_THAT(refusal(folder / "a.csv"), HasSubstr("a.csv: this is not text"));
}

TEST(ExtendedXyz, RefusesWithTheLine) {
  const TemporaryFolder folder;
  const auto of = [&](std::string_view text) {
    folder.write("a.xyz", text);
    return refusal(folder / "a.xyz");
  };
  EXPECT_THAT(
      of("99999999999\n\nX 1 2 3\n"),
      HasSubstr("a.xyz:1: number of bodies is 99999999999, but the rest of the file can hold at most"));
  EXPECT_THAT(of("two\n\nX 1 2 3\n"), HasSubstr("a.xyz:1:"));
  EXPECT_THAT(of("2\n\nHydrogen 1 2 3\n"), HasSubstr("the file ends where body 2 of 2 was expected"));
  EXPECT_THAT(of("1\n\nX 1 2\n"), HasSubstr("a.xyz:3: expected 3 coordinates, found \"X 1 2\""));
  EXPECT_THAT(of("1\n\nX 1 2 nan\n"), HasSubstr("expected a finite number (column 4), found \"nan\""));
  EXPECT_THAT(of("1\nProperties=species:S:1\nX\n"),
              ::testing::AnyOf(HasSubstr("lacks species or pos"), HasSubstr("can hold")));
  EXPECT_THAT(of("1\nProperties=pos:R:3:pos:R:3\n1 2 3 4 5 6\n"), HasSubstr("missing or given twice"));
  EXPECT_THAT(of("1\nProperties=pos:R:-3\n1 2 3\n"), HasSubstr("must lie between 1 and 100"));
  EXPECT_THAT(
      of("1\nProperties=pos:R:3:mass:R:1 unit_length_cm=1 unit_mass_g=2 unit_speed_cm_s=3\n0 0 0 -4\n"),
      HasSubstr("a.xyz:3: the mass is -4"));
  EXPECT_THAT(of("1\nProperties=pos:R:3 Time=0,5\n0 0 0\n"), HasSubstr("a.xyz:2: expected a finite number"));
}

NBodySimulation small_simulation() {
  RunOptions options;
  options.softening = 0.05;
  return NBodySimulation(some_bodies(), options);
}

TEST(Trajectory, GivesBackAnyMomentToTheLastDigit) {
  const TemporaryFolder folder;
  NBodySimulation simulation = small_simulation();
  std::vector<Bodies> expected;
  TrajectoryWriter writer(folder / "t.h5", simulation, "a test");
  for (int i = 0; i < 5; ++i) {
    writer.add(simulation);
    expected.push_back(simulation.bodies());
    simulation.advance(2);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "t.h5"));
  writer.finish();
  const Trajectory found(folder / "t.h5");
  EXPECT_EQ(found.made_by(), "a test");
  EXPECT_THAT(found.step(), ElementsAre(0, 2, 4, 6, 8));
  for (const std::size_t moment : {4u, 0u, 2u}) {
    const InitialConditions there = found.moment(moment);
    expect_same(there.bodies, expected[moment], 0);
    EXPECT_EQ(there.time, 2.5 + 2 * static_cast<double>(moment) * 0.01);
    EXPECT_EQ(there.id, some_bodies().id);
    EXPECT_EQ(there.origin, some_bodies().origin);
    EXPECT_EQ(there.origins, some_bodies().origins);
  }
  EXPECT_EQ(read_bodies(folder / "t.h5").bodies.x, expected[4].x) << "the last one";
  EXPECT_THAT(refusal(folder / "t.h5", 5), HasSubstr("Give one from 0 to 4"));

  // Read by nothing but libhdf5.
  const hid_t file = H5Fopen((folder / "t.h5").c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
  const hid_t dataset = H5Dopen2(file, "position", H5P_DEFAULT);
  std::vector<double> values(5 * 300 * 3);
  ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()), 0);
  EXPECT_EQ(values[(3 * 300 + 17) * 3 + 1], expected[3].y[17]);
  H5Dclose(dataset);
  H5Fclose(file);
}

TEST(Trajectory, EveryTruncatedOneIsRefused) {
  const TemporaryFolder folder;
  NBodySimulation simulation = small_simulation();
  TrajectoryWriter writer(folder / "t.h5", simulation, "");
  writer.add(simulation);
  writer.finish();
  std::ifstream file(folder / "t.h5", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t length = 8; length < bytes.size(); length += bytes.size() / 60) {
    folder.write("cut.h5", bytes.substr(0, length));
    EXPECT_THAT(refusal(folder / "cut.h5"), HasSubstr("cut.h5: ")) << length;
  }
}

/// Whatever is in the file, it is read or refused.
TEST(Trajectory, DamagedOnesDoNotCrash) {
  const TemporaryFolder folder;
  NBodySimulation simulation = small_simulation();
  TrajectoryWriter writer(folder / "t.h5", simulation, "");
  writer.add(simulation);
  writer.finish();
  std::ifstream file(folder / "t.h5", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 6000); at += 31) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(~damaged[at]);
    folder.write("damaged.h5", damaged);
    try {
      read_bodies(folder / "damaged.h5");
    } catch (const Error&) {
    }
  }
}

TEST(Trajectory, AFullDiskIsToldAndLeavesWhatWasThere) {
  const TemporaryFolder folder;
  folder.write("t.h5", "before");
  {
    const isolume::testing::FileSizeLimit limit(100000);
    NBodySimulation simulation = small_simulation();
    const auto write = [&] {
      TrajectoryWriter writer(folder / "t.h5", simulation, "");
      for (int i = 0; i < 10; ++i) writer.add(simulation);
      writer.finish();
    };
    try {
      write();
      ADD_FAILURE() << "nothing was thrown";
    } catch (const Error& error) {
      EXPECT_THAT(error.what(), HasSubstr("t.h5: could not be written ("));
      EXPECT_THAT(error.what(), HasSubstr("Free some space"));
    }
  }
  EXPECT_EQ(read_text_file(folder / "t.h5"), "before");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1)
      << "nothing is left behind";
}

TEST(Trajectory, ASmallDiskIsTold) {
  SMALL_DISK(disk);
  NBodySimulation simulation = small_simulation();
  const auto write = [&] {
    TrajectoryWriter writer(disk.path() / "t.h5", simulation, "");
    for (int i = 0; i < 20; ++i) writer.add(simulation);
    writer.finish();
  };
  EXPECT_THROW(write(), Error);
  EXPECT_TRUE(std::filesystem::is_empty(disk.path()));
}

TEST(DiagnosticsTable, HoldsALineForEachFrame) {
  const TemporaryFolder folder;
  SceneOptions options;
  options.scene = SceneKind::binary;
  RunOptions run;
  run.integrator = Integrator::hermite;
  NBodySimulation simulation(make_scene(options), run);
  DiagnosticsTable table(folder / "d.csv");
  table.add(*simulation.frame(frame_diagnostics));
  simulation.advance(3);
  NBodyFrame later = *simulation.frame(frame_diagnostics);
  later.force_error = SampledErrors{100, 1e-5, 2e-4, 3e-3};
  table.add(later);
  table.finish();
  const std::string text = read_text_file(folder / "d.csv");
  EXPECT_THAT(text, HasSubstr("step,time,kinetic,potential,energy,energy_error,virial_ratio,"));
  // At the pericentre: reduced mass 1/4, speed sqrt(3), distance 1/2.
  double kinetic = 0, potential = 0, energy = 0, error = 1, virial = 0;
  ASSERT_EQ(std::sscanf(text.c_str() + text.find('\n'), " 0,0,%lf,%lf,%lf,%lf,%lf,", &kinetic, &potential,
                        &energy, &error, &virial),
            5);
  EXPECT_NEAR(kinetic, 0.375, 1e-12);
  EXPECT_NEAR(potential, -0.5, 1e-12);
  EXPECT_NEAR(energy, -0.125, 1e-12);
  EXPECT_EQ(error, 0);
  EXPECT_NEAR(virial, 1.5, 1e-12);
  EXPECT_THAT(text, HasSubstr(",px,py,pz,lx,ly,lz,x,y,z,r1,r10,r50,r90,r99,"
                              "force_error_50,force_error_90,force_error_99\n0,0,"));
  EXPECT_THAT(text, HasSubstr(",,\n3,0.03,")) << "no error was measured at the start";
  EXPECT_THAT(text, ::testing::EndsWith(",1e-05,0.0002,0.003\n"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THROW(DiagnosticsTable("/dev/full"), Error);
}

/// Of a star of a solar mass and a planet of a tenth of that, 1 au apart, which moves at 6 au/yr = 28.4428 km/s.
TEST(DiagnosticsTable, IsInTheUnitsThatItNames) {
  const TemporaryFolder folder;
  const auto lines_in = [&](const Units& units, double speed) {
    const double g = units.gravitation;
    InitialConditions start;
    start.bodies = {{g, 0.1 * g}, {0, 1}, {0, 0}, {0, 0}, {0, 0}, {0, speed}, {0, 0}};
    start.units = units;
    NBodySimulation simulation(start, {});
    const auto frame = simulation.frame(frame_diagnostics);
    DiagnosticsTable table(folder / "d.csv");
    table.set_units(units);
    table.add(8, 2, frame->options, *frame->diagnostics, std::nullopt);
    table.finish();
    return read_text_file(folder / "d.csv");
  };
  struct Line {
    double time, kinetic, potential, energy, error, virial, px, py, pz, lx, ly, lz;
  };
  const auto numbers = [](const std::string& text) {
    Line line{};
    EXPECT_EQ(
        std::sscanf(text.c_str() + text.find("\n8,"), "\n8,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf",
                    &line.time, &line.kinetic, &line.potential, &line.energy, &line.error, &line.virial,
                    &line.px, &line.py, &line.pz, &line.lx, &line.ly, &line.lz),
        12);
    return line;
  };
  const Units planetary = *units_by(UnitsChoice::planetary);
  std::string text = lines_in(planetary, 6);
  EXPECT_THAT(text,
              ::testing::StartsWith("# time in yr, x, y, z and radii in au, px, py, pz in solar masses "
                                    "au/yr, lx, ly, lz in solar masses au au/yr, energies in solar masses "
                                    "(au/yr)^2, G = 39.4"));
  Line line = numbers(text);
  EXPECT_NEAR(line.time, 2, 1e-12);
  EXPECT_NEAR(line.kinetic, 0.5 * 0.1 * 36, 1e-12);
  EXPECT_NEAR(line.potential, -0.1 * planetary.gravitation, 1e-6) << "G m M / r";
  EXPECT_NEAR(line.py, 0.6, 1e-12);
  EXPECT_NEAR(line.virial, 2 * 1.8 / (0.1 * planetary.gravitation), 1e-6);
  // A speed of 1 is 29.7847 km/s where au, solar masses and G = 1 are the units; 2 units of time are 1 / pi years.
  const Units solar = solar_system_units();
  const double km_per_s = solar.speed / 1e5;
  ASSERT_NEAR(km_per_s, 29.7847, 1e-4);
  text = lines_in(solar, 0.5);
  EXPECT_THAT(text, HasSubstr("energies in solar masses (km/s)^2, G = 887.1"));
  line = numbers(text);
  EXPECT_NEAR(line.time, 1 / std::numbers::pi, 1e-4);
  EXPECT_NEAR(line.kinetic, 0.5 * 0.1 * 0.25 * km_per_s * km_per_s, 1e-9);
  EXPECT_NEAR(line.py, 0.1 * 0.5 * km_per_s, 1e-12);
}

TEST(UnitsInFiles, OfTextAreNamedAndReadAgain) {
  const TemporaryFolder folder;
  InitialConditions bodies = some_bodies();
  bodies.units = units_by(UnitsChoice::planetary);
  bodies.radius.assign(bodies.bodies.size(), 0.25);
  bodies.id.clear();
  for (const char* name : {"a.csv", "a.xyz"}) {
    write_bodies(bodies, folder / name);
    const std::string text = read_text_file(folder / name);
    for (const char* unit : {"solar masses", "au/yr", "unit_length_cm=14959787070000"})
      EXPECT_THAT(text.substr(0, 500), HasSubstr(unit)) << name;
    const InitialConditions found = read_bodies(folder / name);
    EXPECT_EQ(found.units, bodies.units) << name;
    EXPECT_EQ(found.remarks.size(), 0u) << name;
    EXPECT_EQ(found.radius, bodies.radius) << name;
    EXPECT_EQ(found.bodies.x, bodies.bodies.x) << name;
    EXPECT_EQ(found.bodies.vz, bodies.bodies.vz) << name;
    expect_same(found.bodies, bodies.bodies, 3e-16);
    // What is written is the mass itself, 39.5 times less in these units.
    const InitialConditions other = read_bodies(folder / name, std::nullopt, {}, UnitsChoice::si);
    EXPECT_EQ(other.units, bodies.units);
    EXPECT_EQ(other.remarks.size(), 1u) << "the chosen units are not used";
  }
  std::ofstream(folder / "sun.csv")
      << "# unit_length_cm=14959787070000 unit_mass_g=1.98841e33 "
         "unit_speed_cm_s=474047.046 gravitation=39.4769\nmass,x,y,z\n1,0,0,0\n";
  EXPECT_NEAR(read_bodies(folder / "sun.csv").bodies.mass[0], 39.4769, 1e-12) << "G times a solar mass";
}

TEST(UnitsInFiles, OfTextNeedNoConstantOfGravitation) {
  const TemporaryFolder folder;
  const std::string units = "unit_length_cm=3.0857e21 unit_mass_g=1.989e43 unit_speed_cm_s=1e5";
  folder.write("a.csv", "# " + units + "\nmass,x,y,z\n1,0,0,0\n");
  folder.write("b.csv",
               "# unit_length_cm=3.0857e21\n# unit_mass_g=1.989e43\n# unit_speed_cm_s=1e5\n"
               "mass,x,y,z\n1,0,0,0\n");
  folder.write("a.xyz", "1\nProperties=species:S:1:pos:R:3:mass:R:1 " + units + "\nA 0 0 0 1\n");
  for (const char* name : {"a.csv", "b.csv", "a.xyz"}) {
    const InitialConditions found = read_bodies(folder / name);
    // 6.6743e-8 * 1.989e43 / 3.0857e21 / 1e5^2
    EXPECT_NEAR(found.bodies.mass[0], 43021.6, 0.1) << name;
    EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
  }
  folder.write("words.xyz", "1\nProperties=species:S:1:pos:R:3:mass:R:1 length_unit=\"pc\"\nA 0 0 0 1\n");
  EXPECT_THAT(read_bodies(folder / "words.xyz").remarks.text(), HasSubstr("length_unit=pc"));
}

TEST(UnitsInFiles, OfTrajectoriesAreAtTheDatasets) {
  const TemporaryFolder folder;
  InitialConditions bodies = some_bodies();
  bodies.units = units_by(UnitsChoice::galactic);
  const NBodySimulation simulation(bodies);
  TrajectoryWriter writer(folder / "t.h5", simulation, "a test");
  writer.add(simulation);
  writer.finish();
  const Hdf5Reader file(folder / "t.h5");
  EXPECT_EQ(file.text_attribute("position", "units"), "kpc");
  EXPECT_EQ(file.text_attribute("velocity", "units"), "km/s");
  EXPECT_EQ(file.text_attribute("time", "units"), "kpc/(km/s)");
  EXPECT_EQ(Trajectory(folder / "t.h5").moment(0).units, bodies.units);
  DiagnosticsTable table(folder / "t.csv");
  table.set_units(bodies.units);
  NBodySimulation moving(bodies);
  table.add(*moving.frame(frame_diagnostics));
  table.finish();
  EXPECT_THAT(read_text_file(folder / "t.csv"),
              HasSubstr("energies in 10^10 solar masses (km/s)^2, G = 43009"));
}

}  // namespace
}  // namespace isolume::nbody
