#include <bit>
#include <cmath>
#include <cstdio>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/nbody/bodies_file.h"
#include "core/nbody/diagnostics_table.h"
#include "core/nbody/scenes.h"
#include "core/nbody/trajectory.h"
#include "tests/full_disk.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(BodiesFile, EveryFormatGivesBackWhatWasWritten) {
  const TemporaryFolder folder;
  const InitialConditions bodies = some_bodies();
  for (const auto& [name, error] :
       {std::pair{"a.csv", 0.0}, {"a.xyz", 0.0}, {"a.hdf5", 0.0}, {"a.tipsy", 6e-8}}) {
    write_bodies(bodies, folder / name);
    const InitialConditions found = read_bodies(folder / name);
    expect_same(found.bodies, bodies.bodies, error);
    EXPECT_EQ(found.time, std::string_view(name) == "a.csv" ? 0 : 2.5) << name;
  }
  EXPECT_EQ(read_bodies(folder / "a.hdf5").id, bodies.id);
  const InitialConditions named = read_bodies(folder / "a.xyz");
  EXPECT_EQ(named.origin, bodies.origin);
  EXPECT_EQ(named.origins.at(3), "second_disc");
  EXPECT_THROW(write_bodies(bodies, folder / "a.vtk"), Error);
  EXPECT_THAT(refusal(folder / "a.csv", 1), HasSubstr("there is one moment in it"));
}

/// A snapshot as GADGET writes it, by nothing but libhdf5.
class Snapshot {
 public:
  explicit Snapshot(const std::filesystem::path& path)
      : file_(H5Fcreate(path.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT)) {}
  ~Snapshot() { H5Fclose(file_); }

  hid_t file() const { return file_; }
  void group(const char* name) { H5Gclose(H5Gcreate2(file_, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT)); }
  void attribute(const char* group, const char* name, std::vector<double> values) {
    const hsize_t count = values.size();
    const hid_t space = count == 1 ? H5Screate(H5S_SCALAR) : H5Screate_simple(1, &count, nullptr);
    const hid_t made =
        H5Acreate_by_name(file_, group, name, H5T_IEEE_F64LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Awrite(made, H5T_NATIVE_DOUBLE, values.data());
    H5Aclose(made);
    H5Sclose(space);
  }
  void floats(const char* name, std::vector<float> values, std::vector<hsize_t> shape) {
    const hid_t space = H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr);
    const hid_t made = H5Dcreate2(file_, name, H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    if (!values.empty()) H5Dwrite(made, H5T_NATIVE_FLOAT, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
    H5Dclose(made);
    H5Sclose(space);
  }

 private:
  hid_t file_;
};

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
              HasSubstr("should hold 1000000000000 x 3 numbers, but only 0 B of"));
  EXPECT_THAT(with([](Snapshot& made) {
                made.floats("PartType1/Coordinates", {1, 2, std::nanf("")}, {1, 3});
                made.floats("PartType1/Velocities", {1, 2, 3}, {1, 3});
                made.floats("PartType1/Masses", {1}, {1});
              }),
              HasSubstr("Body 1: z is nan"));
  EXPECT_THAT(with([](Snapshot& made) { made.attribute("Header", "NumFilesPerSnapshot", {8}); }),
              HasSubstr("one of several files"));
  EXPECT_THAT(with([](Snapshot& made) {
                H5Lcreate_external("/etc/passwd", "/", made.file(), "PartType1/Coordinates", H5P_DEFAULT,
                                   H5P_DEFAULT);
              }),
              ::testing::AnyOf(HasSubstr("link"), HasSubstr("no dataset")));
  folder.write("n.hdf5", "\x89HDF\r\n\x1a\nand nothing else");
  EXPECT_THAT(refusal(folder / "n.hdf5"), HasSubstr("cannot be opened as HDF5"));
}

TEST(Tipsy, ReadsBothOrdersOfBytes) {
  const TemporaryFolder folder;
  std::string bytes;
  const auto add = [&](auto value) {
    const auto raw = std::bit_cast<std::array<char, sizeof value>>(value);
    bytes.append(raw.begin(), raw.end());
  };
  // Low bytes first, and a header without the four bytes at its end: one of gas, one of dark matter.
  add(1.5);
  for (const std::int32_t number : {2, 3, 1, 1, 0}) add(number);
  for (int i = 1; i <= 12; ++i) add(static_cast<float>(i));
  for (int i = 1; i <= 9; ++i) add(static_cast<float>(-i) + 3);
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
  const InitialConditions plain = read_bodies(folder / "plain.xyz");
  EXPECT_THAT(plain.origins, ElementsAre("Sun", "Earth"));
  EXPECT_THAT(plain.bodies.mass, ElementsAre(1, 1));
}

TEST(ExtendedXyz, RefusesWithTheLine) {
  const TemporaryFolder folder;
  const auto of = [&](std::string_view text) {
    folder.write("a.xyz", text);
    return refusal(folder / "a.xyz");
  };
  EXPECT_THAT(of("99999999999\n\nX 1 2 3\n"),
              HasSubstr("a.xyz:1: expected a number of bodies that the file can hold"));
  EXPECT_THAT(of("two\n\nX 1 2 3\n"), HasSubstr("a.xyz:1:"));
  EXPECT_THAT(of("2\n\nHydrogen 1 2 3\n"), HasSubstr("it ends at body 2"));
  EXPECT_THAT(of("1\n\nX 1 2\n"), HasSubstr("a.xyz:3: expected 4 columns, found 3"));
  EXPECT_THAT(of("1\n\nX 1 2 nan\n"), HasSubstr("column 4 is \"nan\""));
  EXPECT_THAT(of("1\nProperties=species:S:1\nX\n"),
              ::testing::AnyOf(HasSubstr("positions"), HasSubstr("can hold")));
  EXPECT_THAT(of("1\nProperties=pos:R:3:pos:R:3\n1 2 3 4 5 6\n"), HasSubstr("not there once"));
  EXPECT_THAT(of("1\nProperties=pos:R:-3\n1 2 3\n"), HasSubstr("has no width"));
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
  for (std::size_t at = 0; at < std::min<std::size_t>(bytes.size(), 6000); at += 13) {
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
  table.add(*simulation.frame(frame_diagnostics));
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
  EXPECT_THAT(text, HasSubstr("\n3,0.03,"));
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_THROW(DiagnosticsTable("/dev/full"), Error);
}

}  // namespace
}  // namespace isolume::nbody
