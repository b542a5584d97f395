#include "core/nbody/files/recorded_run.h"

#include <cmath>
#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <hdf5.h>

#include "core/base/error.h"
#include "core/nbody/scenes/scenes.h"
#include "tests/temporary_folder.h"

namespace isolume::nbody {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::HasSubstr;

/// A run with a softening that changes on the way, and all that it gave.
struct Recorded {
  Recorded() {
    RunOptions options;
    options.dt = 0.02;
    options.softening = 0.1;
    options.solver = SolverKind::direct;
    NBodySimulation simulation(make_scene({.scene = SceneKind::hernquist, .bodies = 200, .seed = 3}),
                               options);
    write(simulation, 4);
  }
  explicit Recorded(NBodySimulation simulation) { write(simulation, 3); }

  std::shared_ptr<const Trajectory> trajectory() const {
    return std::make_shared<const Trajectory>(folder / "t.h5");
  }

  const TemporaryFolder folder;
  std::vector<std::shared_ptr<const NBodyFrame>> frames;
  std::vector<Bodies> bodies;

 private:
  void write(NBodySimulation& simulation, int moments) {
    TrajectoryWriter writer(folder / "t.h5", simulation, "a test");
    for (int moment = 0; moment < moments; ++moment) {
      if (moment > 0) simulation.advance(3);
      if (moment == 2 && !simulation.labels()->box) simulation.set_parameter("softening", 0.2);
      writer.add(simulation);
      frames.push_back(simulation.frame(simulation::everything));
      bodies.push_back(simulation.bodies());
    }
    writer.finish();
  }
};

void expect_same(const NBodyFrame& one, const NBodyFrame& other) {
  EXPECT_EQ(one.time, other.time);
  EXPECT_EQ(one.positions.host(), other.positions.host());
  EXPECT_EQ(one.velocities.host(), other.velocities.host());
  EXPECT_EQ(one.potentials.host(), other.potentials.host());
  EXPECT_EQ(one.diagnostics->potential, other.diagnostics->potential);
  EXPECT_EQ(one.diagnostics->kinetic, other.diagnostics->kinetic);
}

RunOptions direct() {
  RunOptions options;
  options.solver = SolverKind::direct;
  return options;
}

TEST(RecordedRun, GivesTheFramesThatTheRunGave) {
  const Recorded recorded;
  RecordedRun run(recorded.trajectory(), direct(), {});
  ASSERT_EQ(run.recorded_until(), 3);
  for (const std::int64_t moment : {2, 0, 3, 1}) {
    run.advance(moment - run.step());
    const auto frame = run.frame(simulation::everything);
    EXPECT_EQ(frame->step, moment);
    EXPECT_EQ(run.time(), frame->time);
    expect_same(*frame, *recorded.frames[static_cast<std::size_t>(moment)]);
    EXPECT_EQ(frame->options.softening, moment < 2 ? 0.1 : 0.2) << "as it was recorded";
    EXPECT_EQ(frame->options.dt, 0.02);
  }
  EXPECT_THROW(run.advance(3), Error);
  EXPECT_THROW(run.advance(-2), Error);
  EXPECT_EQ(run.step(), 1) << "where it was";
}

TEST(RecordedRun, AChosenSofteningIsThatOfAllMoments) {
  const Recorded recorded;
  RecordedRun run(recorded.trajectory(), direct(), {});
  run.frame(frame_diagnostics);
  run.set_parameter("softening", 0.5);
  for (std::int64_t moment = 0; moment < 4; ++moment) {
    run.advance(moment - run.step());
    const Bodies& bodies = recorded.bodies[static_cast<std::size_t>(moment)];
    double potential = 0;
    for (std::size_t i = 0; i < bodies.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double r2 = std::pow(bodies.x[i] - bodies.x[j], 2) + std::pow(bodies.y[i] - bodies.y[j], 2) +
                          std::pow(bodies.z[i] - bodies.z[j], 2);
        potential -= bodies.mass[i] * bodies.mass[j] / std::sqrt(r2 + 0.25);
      }
    }
    EXPECT_NEAR(run.frame(frame_diagnostics)->diagnostics->potential, potential, 1e-6 * std::abs(potential));
  }
  EXPECT_THROW(run.set_parameter("softening", -1.0), Error);
  EXPECT_THROW(run.set_parameter("solver", std::string("particle-mesh")), Error) << "there is no box";
  EXPECT_EQ(run.options().softening, 0.5);
}

TEST(RecordedRun, GoesOnFromAnyMomentAsTheRunDid) {
  const Recorded recorded;
  RecordedRun run(recorded.trajectory(), direct(), {});
  run.advance(2);
  const auto branch = run.branch();
  EXPECT_EQ(branch->step(), 2);
  EXPECT_EQ(branch->time(), run.time());
  branch->advance(3);
  EXPECT_EQ(branch->step(), 5);
  EXPECT_NEAR(branch->time(), recorded.frames[3]->time, 1e-12);
  const auto& bodies = dynamic_cast<const NBodySimulation&>(*branch).bodies();
  EXPECT_EQ(bodies.x, recorded.bodies[3].x);
  EXPECT_EQ(bodies.vz, recorded.bodies[3].vz);
  EXPECT_EQ(run.step(), 2) << "which stays where it was";
}

TEST(RecordedRun, OfABoxTellsWhatWasLostToTheExpansion) {
  const InitialConditions start =
      make_scene({.scene = SceneKind::cosmological_box, .box_size = 40, .particles_per_side = 8});
  const RunOptions options = suited_to(start, {}, {});
  const Recorded recorded{NBodySimulation(start, options)};
  RecordedRun run(recorded.trajectory(), {}, {});
  run.advance(2);
  const auto now = *run.frame(frame_diagnostics)->diagnostics, then = *recorded.frames[2]->diagnostics;
  EXPECT_NE(then.expansion->energy_lost, 0);
  EXPECT_EQ(now.expansion->energy_lost, then.expansion->energy_lost);
  EXPECT_EQ(now.expansion->scale_factor, then.expansion->scale_factor);
  EXPECT_NEAR(energy_error(now, *recorded.frames[0]->diagnostics),
              energy_error(then, *recorded.frames[0]->diagnostics), 1e-9);
}

/// Opens the file with nothing but libhdf5.
void with_hdf5(const std::filesystem::path& path, const std::function<void(hid_t file)>& change) {
  const hid_t file = H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT);
  ASSERT_GE(file, 0);
  change(file);
  H5Fclose(file);
}

TEST(RecordedRun, TrajectoriesOfBeforeDoNotTellTheSoftening) {
  const Recorded recorded;
  with_hdf5(recorded.folder / "t.h5", [](hid_t file) {
    for (const char* name : {"time_step", "softening"}) ASSERT_GE(H5Ldelete(file, name, H5P_DEFAULT), 0);
  });
  const auto trajectory = recorded.trajectory();
  EXPECT_EQ(trajectory->moment(1).softening, 0);
  EXPECT_EQ(trajectory->moment(1).time_step, 0);
  RunOptions options = direct();
  options.softening = 0.1;
  RecordedRun run(trajectory, options, {.softening = true});
  expect_same(*run.frame(simulation::everything), *recorded.frames[0]);
}

TEST(RecordedRun, BoxesOfBeforeDoNotTellWhatWasLost) {
  const InitialConditions start =
      make_scene({.scene = SceneKind::cosmological_box, .box_size = 40, .particles_per_side = 8});
  const Recorded recorded{NBodySimulation(start, suited_to(start, {}, {}))};
  with_hdf5(recorded.folder / "t.h5",
            [](hid_t file) { ASSERT_GE(H5Ldelete(file, "energy_lost", H5P_DEFAULT), 0); });
  RecordedRun run(recorded.trajectory(), {}, {});
  EXPECT_TRUE(std::isnan(run.frame(frame_diagnostics)->diagnostics->expansion->energy_lost))
      << "and not 0, which it was not";
}

TEST(RecordedRun, RowsThatMakeNoSenseAreRefused) {
  const auto spoilt = [](double value) {
    const Recorded recorded;
    with_hdf5(recorded.folder / "t.h5", [value](hid_t file) {
      const hid_t dataset = H5Dopen2(file, "softening", H5P_DEFAULT);
      const std::vector<double> values{0.1, value, 0.2, 0.2};
      H5Dwrite(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data());
      H5Dclose(dataset);
    });
    try {
      recorded.trajectory();
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing was thrown");
  };
  EXPECT_THAT(spoilt(-1), HasSubstr("t.h5: softening is -1 at one moment"));
  EXPECT_THAT(spoilt(std::nan("")), HasSubstr("softening is nan"));
}

}  // namespace
}  // namespace isolume::nbody
