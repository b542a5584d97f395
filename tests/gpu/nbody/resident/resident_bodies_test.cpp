// Bodies that stay on GPUs: the same bits as steps from the host with the same sums, on any number of devices, and what
// becomes of faults.
#include <chrono>
#include <cmath>
#include <memory>
#include <stop_token>
#include <string>
#include <thread>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/runs/nbody_simulation.h"
#include "core/nbody/runs/step_benchmark.h"
#include "core/nbody/scenes/scenes.h"
#include "core/simulation/runner.h"
#include "gpu/nbody/gpu_solver.h"
#include "gpu/runtime/memory/allocator.h"
#include "gpu/runtime/memory/buffer.h"
#include "tests/gpu/nbody/gpu_pool.h"

namespace isolume::gpu {
namespace {

using nbody::Bodies;
using nbody::NBodySimulation;
using nbody::RunOptions;
using nbody::SolverKind;

/// The same sums, but all steps begin and end on the host.
class HostSteps final : public nbody::Engine {
 public:
  explicit HostSteps(std::unique_ptr<nbody::Engine> engine) : engine_(std::move(engine)) {}
  std::string_view name() const override { return engine_->name(); }
  std::string description(int threads) const override { return engine_->description(threads); }
  std::unique_ptr<nbody::Solver> solver(SolverKind kind) const override { return engine_->solver(kind); }

 private:
  std::unique_ptr<nbody::Engine> engine_;
};

class ResidentBodiesOnGpus : public testing::TestWithParam<SolverKind> {
 protected:
  void SetUp() override { use("1x sm90 1GiB"); }
  /// Simulations must be gone.
  template <class... Options>
  void use(const std::string& emulated, const Options&... order) {
    pool_.reset();
    pool_ = pool_of(emulated, order...);
    if (pool_->devices().size() == 1) GTEST_SKIP() << pool_->why_no_gpu();
  }
  std::shared_ptr<const nbody::EngineRegistry> engines(bool resident, double deadline = 0) const {
    auto settings = default_engine_settings();
    if (deadline > 0) settings.run.deadline = std::chrono::duration<double>(deadline);
    auto engine = make_gpu_nbody_engine(pool_, settings);
    auto engines = std::make_shared<nbody::EngineRegistry>(pool_);
    if (resident) {
      engines->add(std::move(engine));
    } else {
      engines->add(std::make_unique<HostSteps>(std::move(engine)));
    }
    engines->add(nbody::make_cpu_engine());
    return engines;
  }
  static RunOptions options(const std::string& devices = "all") {
    RunOptions options;
    options.solver = GetParam();
    options.softening = 0.02;
    options.opening_angle = 0.5;
    options.threads = 1;
    options.devices = devices;
    options.engine = gpu_engine_name();
    options.dt = 0.01;
    return options;
  }
  static nbody::InitialConditions sphere(int bodies = 700) {
    nbody::SceneOptions scene;
    scene.scene = nbody::SceneKind::plummer;
    scene.bodies = bodies;
    return nbody::make_scene(scene);
  }
  static NBodySimulation simulation(const std::shared_ptr<const nbody::EngineRegistry>& engines,
                                    const RunOptions& options, int bodies = few()) {
    return NBodySimulation(sphere(bodies), options, engines);
  }
  static Bodies after(NBodySimulation& simulation, std::int64_t steps) {
    simulation.advance(steps);
    return simulation.bodies();
  }

#ifdef ISOLUME_GPU_EMULATED
  struct Undisturbed {
    std::vector<int> launches;  ///< of the first device, up to each step
    Bodies bodies;
  };
  /// Two devices, to themselves.
  Undisturbed undisturbed(std::int64_t steps) {
    use("2x sm90 1GiB");
    Undisturbed found;
    {
      auto moving = simulation(engines(true), options("1,2"), few());
      for (std::int64_t step = 0; step < steps; ++step) {
        moving.advance(1);
        found.launches.push_back(emulator::launch_count(0));
      }
      found.bodies = moving.bodies();
    }
    pool_.reset();  // before the devices go
    return found;
  }
#endif
  /// Emulated walks through trees take their time.
  static int few() {
    return GetParam() == SolverKind::direct ? 700 : 300;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
};

INSTANTIATE_TEST_SUITE_P(Solvers, ResidentBodiesOnGpus,
                         testing::Values(SolverKind::direct, SolverKind::barnes_hut), [](const auto& made) {
                           return made.param == SolverKind::direct ? "direct" : "barnes_hut";
                         });

void expect_same(const Bodies& one, const Bodies& other) {
  EXPECT_EQ(one.mass, other.mass);
  EXPECT_EQ(one.x, other.x);
  EXPECT_EQ(one.y, other.y);
  EXPECT_EQ(one.z, other.z);
  EXPECT_EQ(one.vx, other.vx);
  EXPECT_EQ(one.vy, other.vy);
  EXPECT_EQ(one.vz, other.vz);
}

TEST_P(ResidentBodiesOnGpus, MoveAsStepsFromTheHostDoBitForBit) {
  auto resident = simulation(engines(true), options()), host = simulation(engines(false), options());
  expect_same(after(resident, 6), after(host, 6));
  const auto wanted = nbody::frame_positions | nbody::frame_potentials | nbody::frame_diagnostics;
  const auto one = resident.frame(wanted), other = host.frame(wanted);
  EXPECT_EQ(one->stays_on, "GPU 0");
  EXPECT_EQ(other->stays_on, "");
  EXPECT_EQ(one->positions, other->positions);
  EXPECT_EQ(one->potentials, other->potentials);
  EXPECT_EQ(one->diagnostics->energy(), other->diagnostics->energy());
  EXPECT_EQ(one->computed_by, other->computed_by);
  EXPECT_EQ(resident.forces().ax, host.forces().ax);
  EXPECT_EQ(resident.forces().az, host.forces().az);
  EXPECT_EQ(resident.work().forces, few());
}

TEST_P(ResidentBodiesOnGpus, MoveBySplineSofteningAsOnTheHostAndTheCpu) {
  use("2x sm90 1GiB");
  auto by_spline = options("1,2");
  by_spline.softening_kind = nbody::SofteningKind::spline;
  by_spline.softening = 0.2;
  auto resident = simulation(engines(true), by_spline), host = simulation(engines(false), by_spline);
  const double before = resident.frame(nbody::frame_diagnostics)->diagnostics->energy();
  expect_same(after(resident, 20), after(host, 20));
  const auto frame = resident.frame(nbody::frame_diagnostics);
  EXPECT_EQ(frame->stays_on, "GPUs 0 and 1");
  EXPECT_NEAR(frame->diagnostics->energy(), before, 2e-5 * std::abs(before));
  auto on_cpu = by_spline;
  on_cpu.engine = "cpu";
  on_cpu.devices = "all";
  auto cpu = simulation(engines(true), on_cpu);
  const Bodies found = resident.bodies(), expected = after(cpu, 20);
  const double limit = GetParam() == SolverKind::direct ? 1e-6 : 1e-4;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found.x[i], expected.x[i], limit);
    ASSERT_NEAR(found.vy[i], expected.vy[i], 10 * limit);
  }
  EXPECT_GT(std::abs(found.x[0] - sphere(few()).bodies.x[0]), 1e-3) << "it does not move";
}

constexpr simulation::Wanted shown = nbody::frame_positions | nbody::frame_speeds | nbody::frame_velocities |
                                     nbody::frame_potentials | nbody::frame_diagnostics;

TEST_P(ResidentBodiesOnGpus, ShowTheNumbersThatTheHostWouldBitForBit) {
  constexpr int bodies = 4200;  // two blocks of sums
  auto start = sphere(bodies);
  for (std::size_t i = 0; i < start.bodies.size(); ++i)
    start.bodies.mass[i] *= 1 + 0.3 * std::sin(static_cast<double>(i));
  start.bodies.vx[7] = start.bodies.vy[7] = start.bodies.vz[7] = 0;
  NBodySimulation resident(start, options(), engines(true)), host(start, options(), engines(false));
  resident.advance(1);
  host.advance(1);
  const auto one = resident.frame(shown), other = host.frame(shown);
  ASSERT_NE(one->positions.device(), nullptr);
  EXPECT_TRUE(one->positions.on_device_only());
  EXPECT_EQ(other->positions.device(), nullptr);
  EXPECT_EQ(one->bytes(), other->bytes());
  EXPECT_EQ(one->computed_by, other->computed_by);
  EXPECT_EQ(one->centre, other->centre);
  const auto& found = *one->diagnostics;
  const auto& expected = *other->diagnostics;
  EXPECT_EQ(found.kinetic, expected.kinetic);
  EXPECT_EQ(found.potential, expected.potential);
  EXPECT_EQ(found.momentum, expected.momentum);
  EXPECT_EQ(found.angular_momentum, expected.angular_momentum);
  EXPECT_EQ(found.lagrangian_radii, expected.lagrangian_radii);
  EXPECT_GT(found.lagrangian_radii[0], 0);
  EXPECT_EQ(one->positions.at(std::vector<std::uint32_t>{12599, 0, 7}),
            other->positions.at(std::vector<std::uint32_t>{12599, 0, 7}));
  EXPECT_TRUE(one->positions.on_device_only()) << "a few numbers are no reason to fetch all";
  EXPECT_EQ(one->positions, other->positions);
  EXPECT_FALSE(one->positions.on_device_only());
  EXPECT_EQ(one->speeds, other->speeds);
  EXPECT_EQ(one->velocities, other->velocities);
  EXPECT_EQ(one->potentials, other->potentials);
  const auto few_parts = resident.frame(nbody::frame_positions);
  EXPECT_EQ(few_parts->centre, other->centre);
  EXPECT_FALSE(few_parts->diagnostics);
  EXPECT_TRUE(few_parts->speeds.empty());
  EXPECT_EQ(few_parts->positions, other->positions);
}

void expect_same_numbers(const nbody::NBodyFrame& one, const nbody::NBodyFrame& other) {
  EXPECT_EQ(one.positions, other.positions);
  EXPECT_EQ(one.velocities, other.velocities);
  EXPECT_EQ(one.potentials, other.potentials);
  EXPECT_EQ(one.diagnostics->energy(), other.diagnostics->energy());
}

TEST_P(ResidentBodiesOnGpus, HavePotentialsWheneverTheseAreRequested) {
  use("2x sm90 1GiB");
  for (const auto softening : {nbody::SofteningKind::plummer, nbody::SofteningKind::spline}) {
    auto run = options("1,2");
    run.softening_kind = softening;
    auto resident = simulation(engines(true), run, 300), host = simulation(engines(false), run, 300);
    // Direct sums leave them out between requests at regular intervals: here at the third and the fifth frame.
    for (const int steps : {1, 1, 3, 3, 2, 2}) {
      SCOPED_TRACE(steps);
      expect_same(after(resident, steps), after(host, steps));
      expect_same_numbers(*resident.frame(shown), *host.frame(shown));
    }
    for (auto* each : {&resident, &host}) each->advance(1);
    EXPECT_EQ(resident.frame(nbody::frame_positions)->positions,
              host.frame(nbody::frame_positions)->positions);
    expect_same_bits(resident.forces(), host.forces());
    expect_same(after(resident, 1), after(host, 1));
    EXPECT_EQ(resident.frame(nbody::frame_positions)->stays_on, "GPUs 0 and 1");
  }
}

#ifdef ISOLUME_GPU_EMULATED

TEST_P(ResidentBodiesOnGpus, SumAgainOnlyWhereAFrameShowsPotentialsThatWereLeftOut) {
  auto moving = simulation(engines(true), options(), 100);
  const auto launches_of_a_frame = [&] {
    const int before = emulator::launch_count(0);
    moving.frame(shown);
    return emulator::launch_count(0) - before;
  };
  moving.advance(1);
  launches_of_a_frame();
  const int alone = launches_of_a_frame();
  const auto has_to_sum = [&](int steps) {
    moving.advance(steps);
    return launches_of_a_frame() > alone;
  };
  const bool direct = GetParam() == SolverKind::direct;
  EXPECT_FALSE(has_to_sum(1));
  EXPECT_EQ(has_to_sum(4), direct) << "after frames at every step";
  EXPECT_FALSE(has_to_sum(4));
  EXPECT_FALSE(has_to_sum(4)) << "at the end of a regular interval";
  EXPECT_EQ(has_to_sum(3), direct) << "within one";
  EXPECT_FALSE(has_to_sum(5)) << "at irregular intervals";
  EXPECT_EQ(has_to_sum(17), direct) << "after many steps without a request";
  EXPECT_FALSE(has_to_sum(17)) << "the same again";
}

#endif

TEST_P(ResidentBodiesOnGpus, LeaveFramesAsTheyWereWhenTheyMoveOn) {
  auto moving = simulation(engines(true), options());
  auto host = simulation(engines(false), options());
  std::vector<std::shared_ptr<const nbody::NBodyFrame>> frames, expected;
  for (int step = 0; step < 4; ++step) {
    for (auto* each : {&moving, &host}) each->advance(1);
    frames.push_back(moving.frame(shown));
    expected.push_back(host.frame(shown));
  }
  frames.erase(frames.begin() + 1);  // whose memory the next one may take
  expected.erase(expected.begin() + 1);
  moving.advance(1);
  const auto last = moving.frame(shown);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    EXPECT_EQ(frames[i]->positions, expected[i]->positions) << i;
    EXPECT_EQ(frames[i]->speeds, expected[i]->speeds) << i;
  }
  EXPECT_NE(last->positions, frames.back()->positions);
}

TEST_P(ResidentBodiesOnGpus, AreTimedWhereTheyStay) {
  const auto timed = nbody::time_steps(300, options(), engines(true), {0, 2});
  EXPECT_EQ(timed.stays_on, "GPU 0");
  EXPECT_GT(timed.step.median_ms, 0);
  EXPECT_GT(timed.frame.median_ms, 0);
  EXPECT_NEAR(timed.per_second(), 1000 / (timed.step.median_ms + timed.frame.median_ms),
              1e-9 * timed.per_second());
  EXPECT_EQ(nbody::time_steps(300, options(), engines(false), {0, 1}).stays_on, "");
}

TEST_P(ResidentBodiesOnGpus, KeepTheirEnergyAndTurnBack) {
  auto moving = simulation(engines(true), options());
  const Bodies start = moving.bodies();
  const double before = moving.frame(nbody::frame_diagnostics)->diagnostics->energy();
  moving.advance(20);
  const double now = moving.frame(nbody::frame_diagnostics)->diagnostics->energy();
  EXPECT_NEAR(now, before, 2e-3 * std::abs(before));
  EXPECT_GT(std::abs(moving.bodies().x[0] - start.x[0]), 1e-3) << "it does not move";
  moving.advance(-20);
  EXPECT_EQ(moving.step(), 0);
  for (std::size_t i = 0; i < start.size(); ++i) {
    ASSERT_NEAR(moving.bodies().x[i], start.x[i], 1e-6);
    ASSERT_NEAR(moving.bodies().vz[i], start.vz[i], 1e-5);
  }
}

TEST_P(ResidentBodiesOnGpus, GoOnFromACheckpointBitForBit) {
  auto moving = simulation(engines(true), options());
  moving.advance(3);
  const auto checkpoint = moving.checkpoint();
  const Bodies expected = after(moving, 5);
  moving.restore(*checkpoint);
  EXPECT_EQ(moving.step(), 3);
  expect_same(after(moving, 5), expected);
  moving.restore(*checkpoint);
  const auto branch = moving.branch();
  branch->advance(5);
  expect_same(dynamic_cast<NBodySimulation&>(*branch).bodies(), expected);
  auto other = moving.options();
  other.dt = 0.005;
  moving.set_options(other);
  EXPECT_NE(after(moving, 5).x, expected.x);
  moving.restore(*checkpoint);
  EXPECT_EQ(moving.options().dt, 0.01);
  expect_same(after(moving, 5), expected);
}

TEST_P(ResidentBodiesOnGpus, AreHandedToTheHostWhereItMovesThem) {
  auto moving = simulation(engines(true), options());
  moving.advance(2);
  auto blocks = options();
  blocks.time_steps = nbody::TimeSteps::block;
  auto host = simulation(engines(false), options());
  host.advance(2);
  for (auto* each : {&moving, &host}) each->set_options(blocks);
  expect_same(after(moving, 1), after(host, 1));
  EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "");
  for (auto* each : {&moving, &host}) each->set_options(options());
  expect_same(after(moving, 2), after(host, 2));
  EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "GPU 0");
}

TEST_P(ResidentBodiesOnGpus, ThatFlyAwayAreNamed) {
  auto fast = sphere(300);
  fast.bodies.vy.assign(300, 0);
  fast.bodies.vy[41] = 1e149;
  auto far = options();
  far.dt = 100;
  NBodySimulation moving(fast, far, engines(true));
  try {
    moving.advance(1);
    ADD_FAILURE() << "a body is at 1e151";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("body 42 flies away"));
  }
  expect_same(moving.bodies(), NBodySimulation(fast, far, engines(false)).bodies());
}

#ifdef ISOLUME_GPU_EMULATED

TEST_P(ResidentBodiesOnGpus, AreRefusedWhereDoublePrecisionCannotHoldTheirForce) {
  nbody::InitialConditions start;
  start.bodies = beyond_double_precision();
  RunOptions hard = options();
  hard.softening = 0;
  NBodySimulation moving(start, hard, engines(true));
  try {
    moving.advance(1);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("The force on body 701 is not finite"));
  }
}

TEST_P(ResidentBodiesOnGpus, AreTheSameBitsOnAnyNumberOfDevices) {
  use("2x sm90 1GiB, 1x sm90 slow 1GiB, 1x sm90 1GiB");
  auto one = simulation(engines(true), options("1"), 1100);
  const Bodies expected = after(one, 3);
  for (const auto& [devices, where] :
       {std::pair<std::string, std::string>{"1,2", "GPUs 0 and 1"}, {"1,2,3,4", "GPUs 0, 1, 2 and 3"}}) {
    auto many = simulation(engines(true), options(devices), 1100);
    expect_same(after(many, 3), expected);
    EXPECT_EQ(many.frame(nbody::frame_positions)->stays_on, where);
    EXPECT_THAT(many.forces().report.reason, testing::HasSubstr(where));
  }
}

TEST_P(ResidentBodiesOnGpus, DoNotDependOnTheOrderOfBlocksAndStreams) {
  const Bodies expected = undisturbed(3).bodies;
  for (const unsigned seed : {3u, 8u}) {
    auto shuffled = emulator::with_streams(emulator::StreamOrder::shuffled, seed);
    shuffled.block_seed = seed;
    use("2x sm90 1GiB", shuffled);
    auto moving = simulation(engines(true), options("1,2"));
    expect_same(after(moving, 3), expected);
  }
}

TEST_P(ResidentBodiesOnGpus, DoNotTravelToTheHostBetweenSteps) {
  constexpr std::size_t bodies = 2000;
  auto moving = simulation(engines(true), options(), bodies);
  moving.advance(1);
  const auto before = emulator::copied_bytes();
  moving.advance(3);
  const auto after_steps = emulator::copied_bytes();
  EXPECT_LT(after_steps.to_host - before.to_host, 3 * sizeof(float) * bodies)
      << "not even one number a body and step";
  EXPECT_EQ(after_steps.to_device, before.to_device);
  moving.bodies();
  EXPECT_GE(emulator::copied_bytes().to_host - after_steps.to_host, 6 * sizeof(double) * bodies);
}

TEST_P(ResidentBodiesOnGpus, PlayWithoutTravellingToTheHostForTheirFrames) {
  constexpr std::size_t bodies = 2000, steps = 8;
  simulation::RunnerOptions settings;
  settings.wanted = shown;
  settings.checkpoint_spacing = 1000;  // which the host has
  simulation::Runner runner(std::make_unique<NBodySimulation>(sphere(bodies), options(), engines(true)),
                            settings);
  runner.go_to(1).get();
  const auto before = emulator::copied_bytes();
  std::shared_ptr<const nbody::NBodyFrame> frame;
  for (std::size_t step = 2; step < 2 + steps; ++step) {
    frame = std::dynamic_pointer_cast<const nbody::NBodyFrame>(
        runner.go_to(static_cast<std::int64_t>(step)).get());
    ASSERT_TRUE(frame->diagnostics);
  }
  const auto played = emulator::copied_bytes();
  EXPECT_LT(played.to_host - before.to_host, steps * sizeof(float) * bodies)
      << "not even one number a body and frame";
  EXPECT_EQ(played.to_device, before.to_device);
  EXPECT_EQ(frame->positions.host().size(), 3 * bodies);
  EXPECT_EQ(frame->positions.host().size(), 3 * bodies);
  EXPECT_EQ(emulator::copied_bytes().to_host - played.to_host, 3 * bodies * sizeof(float)) << "once";
}

TEST_P(ResidentBodiesOnGpus, MakeFramesAgainThatADeviceTookWithIt) {
  const auto launches = undisturbed(3).launches;
  use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launches[2] + 40));
  simulation::RunnerOptions settings;
  settings.wanted = shown;
  simulation::Runner runner(std::make_unique<NBodySimulation>(sphere(few()), options("1,2"), engines(true)),
                            settings);
  const auto first = std::dynamic_pointer_cast<const nbody::NBodyFrame>(runner.go_to(1).get());
  EXPECT_EQ(first->stays_on, "GPUs 0 and 1");
  ASSERT_TRUE(first->readable());
  std::int64_t step = 2;
  auto now = std::dynamic_pointer_cast<const nbody::NBodyFrame>(runner.go_to(step).get());
  while (now->stays_on != "GPU 1" && step < 40)
    now = std::dynamic_pointer_cast<const nbody::NBodyFrame>(runner.go_to(++step).get());
  ASSERT_EQ(now->stays_on, "GPU 1") << "it did not fail";
  EXPECT_NE(pool_->devices()[1]->set_aside_because(), "");
  EXPECT_FALSE(first->readable());
  EXPECT_THROW(first->positions.host(), Error);
  EXPECT_EQ(runner.frame(1), nullptr) << "what nobody can read is not handed out";
  const auto again = std::dynamic_pointer_cast<const nbody::NBodyFrame>(runner.go_to(1).get());
  auto host = simulation(engines(false), options("2"));
  host.advance(1);
  EXPECT_EQ(again->positions, host.frame(shown)->positions);
  EXPECT_EQ(runner.status().error, "");
}

TEST_P(ResidentBodiesOnGpus, ShowThemselvesThroughTheHostWhereFramesHaveNoRoom) {
  use("1x sm90 1GiB");
  auto moving = simulation(engines(true), options());
  auto host = simulation(engines(false), options());
  for (auto* each : {&moving, &host}) each->advance(1);
  const GpuDevice& device = gpu_of(*pool_->devices()[1]);
  const Stream stream(device);
  std::vector<DeviceBuffer<std::byte>> hoard;  // all that is left
  for (std::size_t bytes = std::size_t{1} << 30; bytes >= 256; bytes /= 2) {
    try {
      while (true) hoard.emplace_back(stream, bytes);
    } catch (const ResourceError&) {  // smaller, then
    }
  }
  const auto frame = moving.frame(shown);
  EXPECT_EQ(frame->positions.device(), nullptr);
  EXPECT_EQ(frame->stays_on, "GPU 0");
  EXPECT_EQ(frame->positions, host.frame(shown)->positions);
  hoard.clear();
  EXPECT_NE(moving.frame(shown)->positions.device(), nullptr);
}

TEST_P(ResidentBodiesOnGpus, KeepNoMoreFramesThanTheRingHasRoomFor) {
  use("1x sm90 1GiB");
  constexpr std::size_t bodies = 300, frame_bytes = 3 * sizeof(float) * bodies;
  {
    simulation::RunnerOptions settings;
    settings.wanted = nbody::frame_positions;
    settings.frame_bytes = 3 * (frame_bytes + sizeof(nbody::NBodyFrame));
    simulation::Runner runner(std::make_unique<NBodySimulation>(sphere(bodies), options(), engines(true)),
                              settings);
    runner.go_to(8).get();
    const std::size_t taken = emulator::memory_use(0).bytes;
    runner.go_to(48).get();
    EXPECT_LE(runner.status().frames, 3u);
    EXPECT_LE(emulator::memory_use(0).bytes, taken + 10 * frame_bytes) << "that of 40 frames is used again";
  }
  pool_.reset();
  EXPECT_EQ(emulator::memory_use(0).allocations, 0u);
}

TEST_P(ResidentBodiesOnGpus, GoBackToTheHostsWhereADeviceFailsAndGoOnWithWhatIsLeft) {
  const auto [launches, expected] = undisturbed(6);
  // How many there are depends a little on what each device does.
  for (const int launch : {1, launches[1] + 1, launches[1] + 7, (launches[1] + launches[5]) / 2}) {
    SCOPED_TRACE(launch);
    use(fmt::format("1x sm90 1GiB fails@{}, 1x sm90 1GiB", launch));
    auto moving = simulation(engines(true), options("1,2"));
    moving.advance(2);
    moving.frame(nbody::frame_positions);
    expect_same(after(moving, 4), expected);
    EXPECT_EQ(moving.step(), 6);
    EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "GPU 1");
    EXPECT_NE(pool_->devices()[1]->set_aside_because(), "");
  }
}

TEST_P(ResidentBodiesOnGpus, GoBackWhereADeviceHangs) {
  const auto [launches, expected] = undisturbed(5);
  use(fmt::format("1x sm90 1GiB hangs@{}, 1x sm90 1GiB", launches[1] + 3));
  {
    auto moving = simulation(engines(true, 3.0), options("1,2"));
    expect_same(after(moving, 5), expected);
    EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "GPU 1");
  }
  pool_.reset();
  emulator::set_devices("");
  some_device_hangs = false;  // none is left
}

TEST_P(ResidentBodiesOnGpus, GoOnOnTheHostWhereNoDeviceIsLeft) {
  const auto launches = undisturbed(2).launches;
  use(fmt::format("1x sm90 1GiB fails@{}", launches[1] + 4));
  auto best = options();
  best.engine = "auto";
  auto moving = simulation(engines(true), best, 2100);
  moving.advance(1);
  moving.advance(4);
  EXPECT_EQ(moving.step(), 5);
  EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "");
  EXPECT_THAT(moving.frame(nbody::frame_potentials)->computed_by, testing::StartsWith("CPU"));
  best.engine = "cpu";
  auto cpu = simulation(engines(true), best, 2100);
  const Bodies found = moving.bodies(), expected = after(cpu, 5);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_NEAR(found.x[i], expected.x[i], 1e-4);
    ASSERT_NEAR(found.vy[i], expected.vy[i], 1e-3);
  }
}

TEST_P(ResidentBodiesOnGpus, LeaveNothingBehindWhereTheyAreCancelled) {
  use("2x sm90 1GiB");
  const auto pinned = emulator::pinned_memory_use().bytes;  // devices of other tests may have broken
  {
    auto moving = simulation(engines(true), options("1,2"));
    auto other = simulation(engines(true), options("1,2"));
    moving.advance(2);
    for (const int after_us : {0, 300, 3000, 12000}) {
      std::stop_source stop;
      const std::jthread canceller([&] {
        std::this_thread::sleep_for(std::chrono::microseconds(after_us));
        stop.request_stop();
      });
      EXPECT_THROW(moving.advance(1000, jobs::Progress(stop.get_token(), nullptr)), Cancelled);
    }
    const std::int64_t steps = moving.step();
    EXPECT_LT(steps, 900);
    expect_same(after(moving, 1), after(other, steps + 1));
  }
  pool_.reset();
  for (const int device : {0, 1}) EXPECT_EQ(emulator::memory_use(device).allocations, 0u) << device;
  EXPECT_EQ(emulator::pinned_memory_use().bytes, pinned);
}

TEST_P(ResidentBodiesOnGpus, GoThroughTheHostWhereTheyHaveNoRoom) {
  use("1x sm90 1MiB");
  auto moving = simulation(engines(true), options(), 2200);
  auto host = simulation(engines(false), options(), 2200);
  moving.advance(1);
  EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "");
  expect_same(moving.bodies(), after(host, 1));
}

TEST(ResidentBodiesOnATree, GoThroughTheHostWhereTheyAreTooCloseTogether) {
  const auto pool = pool_of("1x sm90 1GiB");
  nbody::SceneOptions scene;
  scene.scene = nbody::SceneKind::plummer;
  scene.bodies = 800;
  auto start = nbody::make_scene(scene);
  start.bodies.x[0] = 1e8;
  auto engines = std::make_shared<nbody::EngineRegistry>(pool);
  engines->add(make_gpu_nbody_engine(pool));
  RunOptions options;
  options.engine = gpu_engine_name();
  options.solver = SolverKind::barnes_hut;
  options.softening = 0.02;
  NBodySimulation moving(start, options, engines);
  moving.advance(1);
  EXPECT_EQ(moving.frame(nbody::frame_positions)->stays_on, "");
  EXPECT_THAT(moving.forces().report.reason, testing::HasSubstr("the CPU made the tree"));
}

#endif

}  // namespace
}  // namespace isolume::gpu
