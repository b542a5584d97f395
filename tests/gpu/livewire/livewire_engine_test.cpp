// Shortest paths on GPUs: the reference's distances bit for bit from every kernel, for every form of graph,
// on every device; and what becomes of faults.
#include "gpu/livewire/livewire_engine.h"

#include <cmath>
#include <memory>
#include <random>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "gpu/runtime/devices/devices.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "gpu/runtime/memory/allocator.h"
#ifdef ISOLUME_GPU_EMULATED
#include "gpu/emulator/devices.h"
#endif
#include "tests/core/livewire/random_grids.h"

namespace isolume::gpu {
namespace {

using livewire::CostGrid;
using livewire::Engine;
using livewire::Neighbours;
using livewire::Pixel;
using livewire::Rectangle;
using livewire::SearchOptions;
using livewire::unreached;
using livewire::testing::Form;
using livewire::testing::random_grid;

/// Of pixels that are not square.
std::shared_ptr<const CostGrid> anisotropic_grid(int width, int height, Neighbours neighbours, Form form,
                                                 double spacing_x, double spacing_y, int greatest = 1023) {
  const auto grid = random_grid(width, height, neighbours, form, 1, 1, greatest);
  grid->length = livewire::step_lengths(Eigen::Vector2d(spacing_x, spacing_y).asDiagonal());
  finish(*grid);
  return grid;
}

/// A cheap ring in noise: the front runs round it long before it comes elsewhere.
std::shared_ptr<const CostGrid> ring_grid(int side) {
  CostGrid grid;
  grid.width = grid.height = side;
  std::mt19937 random(7);
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      const double radius = std::hypot(x - 0.5 * side, y - 0.5 * side);
      const double away = std::min(1.0, std::abs(radius - 0.35 * side) / 3);
      grid.node.push_back(static_cast<std::uint16_t>(1 + away * 900 + random() % 60));
    }
  }
  finish(grid);
  return std::make_shared<const CostGrid>(std::move(grid));
}

std::vector<std::uint32_t> expected(const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                                    const Rectangle& region = {}) {
  SearchOptions options;
  options.region = region;
  const auto search = livewire::make_reference_engine()->start(grid, seed, options);
  search->settle_all({});
  return search->distances();
}

std::shared_ptr<dispatch::DevicePool> pool_of_this_machine() {
  std::vector<std::unique_ptr<dispatch::Device>> devices;
  devices.push_back(dispatch::make_cpu_device(1));
  for (const auto& each : describe_devices()) devices.push_back(std::make_unique<GpuDevice>(each));
  return std::make_shared<dispatch::DevicePool>(std::move(devices), why_no_devices());
}

class GpuLivewire : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulator::set_devices("1x sm90 256MiB");
#endif
    pool = pool_of_this_machine();
    if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
    engine = make_livewire_engine(pool);
  }
  SearchOptions with_kernel(const Rectangle& region = {}, std::uint32_t delta = 0) {
    SearchOptions options;
    options.kernel = GetParam();
    options.region = region;
    options.delta = delta;
    return options;
  }
  std::vector<std::uint32_t> distances(const std::shared_ptr<const CostGrid>& grid, Pixel seed,
                                       const SearchOptions& options) {
    const auto search = engine->start(grid, seed, options);
    search->settle_all({});
    report = search->report();
    counts = search->counts();
    return search->distances();
  }
  void expect_right(const std::shared_ptr<const CostGrid>& grid, Pixel seed, const Rectangle& region = {},
                    std::uint32_t delta = 0) {
    SCOPED_TRACE(fmt::format("{} x {}, {} neighbours, {}, from ({}, {}), delta {}", grid->width, grid->height,
                             grid->directions(), grid->arcs.empty() ? "nodes" : "arcs", seed.x, seed.y,
                             delta));
    EXPECT_EQ(distances(grid, seed, with_kernel(region, delta)), expected(grid, seed, region));
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::unique_ptr<Engine> engine;
  dispatch::Report report;  ///< of the last search, as is
  livewire::SearchCounts counts;
};

INSTANTIATE_TEST_SUITE_P(Kernels, GpuLivewire, testing::Values("tiles", "delta-stepping"),
                         [](const auto& made) { return made.param == "tiles" ? "tiles" : "delta_stepping"; });

TEST_P(GpuLivewire, FindsTheReferencesDistancesInEveryFormOfGraph) {
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    for (const auto form : {Form::node, Form::arcs}) {
      const auto grid = anisotropic_grid(70, 45, neighbours, form, 1.0, 1.4);
      for (const Pixel seed : {Pixel{0, 0}, Pixel{69, 0}, Pixel{0, 44}, Pixel{69, 44}, Pixel{31, 32}}) {
        expect_right(grid, seed);
      }
    }
  }
}

TEST_P(GpuLivewire, FindsThemOnGridsOfAnySize) {
  for (const auto& [width, height] :
       {std::pair{1, 1}, {1, 77}, {77, 1}, {2, 2}, {31, 33}, {32, 32}, {33, 31}, {64, 32}, {97, 65}}) {
    for (const auto form : {Form::node, Form::arcs}) {
      const auto grid = random_grid(width, height, Neighbours::eight, form, 1);
      expect_right(grid, {width - 1, 0});
      expect_right(grid, {width / 2, height / 2});
    }
  }
}

TEST_P(GpuLivewire, FindsThemForEveryDelta) {
  for (const auto form : {Form::node, Form::arcs}) {
    const auto grid = random_grid(40, 35, Neighbours::eight, form, 1, 1, 50);
    for (const std::uint32_t delta : {1U, 7U, 25U, 50U, 400U, 1'000'000U, 0xffffffffU}) {
      expect_right(grid, {3, 34}, {}, delta);
    }
  }
}

TEST_P(GpuLivewire, FollowsACheapRingRoundThePicture) {
  const auto grid = ring_grid(100);
  expect_right(grid, {50 + 35, 50});
  expect_right(grid, {0, 99});
}

/// All costs alike: scaled Manhattan and octile distances.
TEST_P(GpuLivewire, GivesTheKnownDistancesOfUniformCosts) {
  CostGrid made;
  made.width = 50;
  made.height = 40;
  made.node.assign(made.pixel_count(), 128);
  for (const auto neighbours : {Neighbours::four, Neighbours::eight}) {
    made.neighbours = neighbours;
    finish(made);
    const auto grid = std::make_shared<const CostGrid>(made);
    const auto search = engine->start(grid, {10, 20}, with_kernel());
    for (const Pixel p : {Pixel{10, 20}, Pixel{49, 20}, Pixel{0, 0}, Pixel{49, 39}, Pixel{33, 21}}) {
      const auto dx = static_cast<std::uint32_t>(std::abs(p.x - 10)),
                 dy = static_cast<std::uint32_t>(std::abs(p.y - 20));
      const std::uint32_t right = neighbours == Neighbours::four
                                      ? 128 * (dx + dy)
                                      : 181 * std::min(dx, dy) + 128 * (std::max(dx, dy) - std::min(dx, dy));
      EXPECT_EQ(search->settle(p, {}), right);
    }
  }
}

TEST_P(GpuLivewire, StaysInTheRegion) {
  for (const auto form : {Form::node, Form::arcs}) {
    const auto grid = random_grid(80, 60, Neighbours::eight, form, 1);
    expect_right(grid, {20, 30}, {13, 11, 40, 37});
    expect_right(grid, {79, 59}, {50, 40, 1000, 1000});
    expect_right(grid, {5, 7}, {-20, 7, 60, 1});
    const auto search = engine->start(grid, {20, 30}, with_kernel({13, 11, 40, 37}));
    EXPECT_EQ(search->settle({12, 30}, {}), unreached);
    EXPECT_EQ(search->settle({-1, 500}, {}), unreached);
    search->settle_all({});
    EXPECT_EQ(search->settled_count(), 40U * 37U);
    EXPECT_EQ(search->distance({12, 30}), unreached);
  }
}

TEST_P(GpuLivewire, ThePathsCostIsTheDistance) {
  const auto grid = random_grid(60, 50, Neighbours::eight, Form::arcs, 1);
  const auto search = engine->start(grid, {2, 3}, with_kernel());
  EXPECT_EQ(search->distance({59, 49}), unreached);  // nothing is known before somebody asks
  EXPECT_EQ(search->settled_count(), 0U);
  const std::uint32_t distance = search->settle({59, 49}, {});
  const auto path = trace_path(*grid, *search, {59, 49});
  EXPECT_EQ(path_cost(*grid, path), distance);
  EXPECT_EQ(path.front(), (Pixel{2, 3}));
  const auto reference = livewire::make_reference_engine()->start(grid, {2, 3});
  reference->settle_all({});
  EXPECT_EQ(path, trace_path(*grid, *reference, {59, 49}));
}

TEST_P(GpuLivewire, TheReportSaysWhoHowAndHowMuch) {
  const auto grid = random_grid(70, 45, Neighbours::eight, Form::node, 1);
  distances(grid, {0, 0}, with_kernel());
  EXPECT_GT(counts.passes, 1U);
  EXPECT_GT(counts.launches, counts.passes);
  EXPECT_GT(counts.graphs, 0U);
  EXPECT_EQ(counts.no_graph, "");
  EXPECT_GT(counts.relaxations, grid->pixel_count());
  EXPECT_GT(counts.seconds, 0);
  EXPECT_LT(counts.seconds, report.seconds);
  ASSERT_EQ(report.shares.size(), 1U);
  EXPECT_EQ(report.shares[0].device, pool->devices()[1]->name());
  EXPECT_EQ(report.shares[0].tiles, 1U);
  EXPECT_EQ(report.timeline.size(), 1U);
  EXPECT_EQ(report.kernel, GetParam());
  EXPECT_EQ(report.reason.find(fmt::format("{} passes in ", counts.passes)), 0U) << report.reason;
  EXPECT_EQ(report.who, pool->devices()[1]->name());
  EXPECT_EQ(report.took_part(), pool->devices()[1]->name());
}

TEST_P(GpuLivewire, CanBeCancelledAndGoesOn) {
  const auto grid = random_grid(70, 45, Neighbours::eight, Form::node, 1);
  const auto search = engine->start(grid, {0, 0}, with_kernel());
  std::stop_source stop;
  stop.request_stop();
  EXPECT_THROW(search->settle_all(jobs::Progress(stop.get_token(), {})), Cancelled);
  EXPECT_EQ(search->settled_count(), 0U);
  search->settle_all({});
  EXPECT_EQ(search->distances(), expected(grid, {0, 0}));
}

TEST_P(GpuLivewire, CostsThatCannotBeAddedUpAreRefused) {
  const auto grid = [](int width) {
    return anisotropic_grid(width, 2, Neighbours::four, Form::node, 100.0, 1.0, 30000);
  };
  EXPECT_THROW(engine->start(grid(400), {0, 0}, with_kernel()), Error);
  expect_right(grid(20), {0, 0});
}

class GpuLivewireEngine : public testing::Test {
 protected:
  void SetUp() override {
#ifdef ISOLUME_GPU_EMULATED
    emulate("3x sm90 64MiB");
#else
    pool = pool_of_this_machine();
    engine = make_livewire_engine(pool);
#endif
    if (pool->devices().size() == 1) GTEST_SKIP() << pool->why_no_gpu();
  }
#ifdef ISOLUME_GPU_EMULATED
  /// The devices of before go first.
  void drop() {
    engine.reset();
    pool.reset();
  }
  void emulate(const std::string& devices, emulator::StreamOrder order = emulator::StreamOrder::delayed,
               std::chrono::duration<double> deadline = default_deadline()) {
    drop();
    emulator::set_devices(devices, emulator::with_streams(order, 5));
    some_device_hangs = false;
    pool = pool_of_this_machine();
    engine = make_livewire_engine(pool, deadline);
  }
#endif
  std::string refusal(const SearchOptions& options, Pixel seed = {0, 0}) const {
    try {
      engine->start(random_grid(8, 8, Neighbours::eight, Form::node, 1), seed, options);
    } catch (const Error& error) {
      return error.what();
    }
    return {};
  }
  std::size_t used(std::size_t device) const {
    return dynamic_cast<const GpuDevice&>(*pool->devices()[device])
        .allocator()
        .used_bytes(MemorySpace::device);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::unique_ptr<Engine> engine;
};

TEST_F(GpuLivewireEngine, RefusesWhatItDoesNotKnow) {
  EXPECT_FALSE(engine->resumes());
  EXPECT_EQ(engine->kernels(), (std::vector<std::string>{"tiles", "delta-stepping"}));
  EXPECT_NE(refusal({{.kernel = "quick"}}).find("\"delta-stepping\""), std::string::npos);
  EXPECT_NE(refusal({{.devices = "9"}}).find("There are: "), std::string::npos);
  EXPECT_NE(refusal({{.devices = "0"}}).find("names no GPU"), std::string::npos);
  EXPECT_NE(refusal({}, {8, 0}).find("lies outside"), std::string::npos);
  EXPECT_NE(refusal({{}, {4, 4, 2, 2}}).find("lies outside"), std::string::npos);
  EXPECT_NE(refusal({{}, {40, 4, 2, 2}}, {41, 5}).find("lies outside"), std::string::npos);
  EXPECT_EQ(refusal({{.kernel = "auto"}}), "");
}

TEST_F(GpuLivewireEngine, CostsStayWhileTheirGridLives) {
  auto grid = std::shared_ptr<const CostGrid>(random_grid(64, 64, Neighbours::eight, Form::arcs, 1));
  const std::size_t costs = grid->arcs.size() * sizeof(std::uint16_t);
  const auto settle = [&] { engine->start(grid, {1, 2})->settle_all({}); };
  settle();
  const std::size_t kept = used(1);
  EXPECT_GE(kept, costs);
  settle();
  EXPECT_EQ(used(1), kept);
  auto search = engine->start(grid, {1, 2});
  search->settle_all({});
  grid.reset();
  EXPECT_EQ(used(1), kept);
  search.reset();
  EXPECT_EQ(used(1), 0U);
}

TEST_F(GpuLivewireEngine, SeveralThreadsMaySearchOneGridAtOnce) {
  const auto grid = random_grid(50, 70, Neighbours::eight, Form::arcs, 1);
  std::vector<std::vector<std::uint32_t>> found(4);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, i] {
      const auto search =
          engine->start(grid, {10 * i, i}, {{.kernel = i % 2 == 0 ? "tiles" : "delta-stepping"}});
      search->settle_all({});
      found[static_cast<std::size_t>(i)] = search->distances();
    });
  }
  for (auto& thread : threads) thread.join();
  for (int i = 0; i < 4; ++i) EXPECT_EQ(found[static_cast<std::size_t>(i)], expected(grid, {10 * i, i})) << i;
}

TEST_F(GpuLivewireEngine, AnyDeviceGivesTheSameBits) {
#ifdef ISOLUME_GPU_EMULATED
  emulate("1x sm90 64MiB, 1x sm75 slow 32MiB, 1x sm80 speed=0.5 16MiB");
#endif
  const auto grid = random_grid(50, 70, Neighbours::eight, Form::node, 1);
  const auto right = expected(grid, {49, 1});
  for (std::size_t device = 1; device < pool->devices().size(); ++device) {
    for (const auto& kernel : engine->kernels()) {
      const SearchOptions options{{.kernel = kernel, .devices = std::to_string(device)}};
      const auto search = engine->start(grid, {49, 1}, options);
      search->settle_all({});
      EXPECT_EQ(search->distances(), right) << kernel << " on device " << device;
      EXPECT_EQ(search->report().shares.at(0).which, pool->devices()[device]);
    }
  }
}

#ifdef ISOLUME_GPU_EMULATED

constexpr auto orders = {emulator::StreamOrder::eager, emulator::StreamOrder::delayed,
                         emulator::StreamOrder::shuffled};

TEST_F(GpuLivewireEngine, WorkMayBeDoneAtOnceOrAsLateAsCudaAllows) {
  const auto grid = random_grid(50, 70, Neighbours::eight, Form::node, 1);
  const auto right = expected(grid, {25, 35});
  for (const auto order : orders) {
    emulate("1x sm90 64MiB", order);
    for (const auto& kernel : engine->kernels()) {
      const auto search = engine->start(grid, {25, 35}, {{.kernel = kernel}});
      search->settle_all({});
      EXPECT_EQ(search->distances(), right) << kernel;
    }
  }
}

/// What is left on a machine after a test's devices are gone.
class Leaks {
 public:
  void expect_none() const {
    EXPECT_EQ(emulator::memory_use(0).allocations, 0U);
    EXPECT_EQ(emulator::pinned_memory_use().bytes, before_);
  }

 private:
  std::size_t before_ = emulator::pinned_memory_use().bytes;
};

TEST_F(GpuLivewireEngine, WhatDoesNotFitIsRefusedWithTheNumbers) {
  emulate("1x sm90 1MiB");
  const auto large = random_grid(400, 400, Neighbours::eight, Form::node, 1);
  try {
    engine->start(large, {0, 0}, {{.kernel = "delta-stepping"}});
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("MiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("smaller region"), std::string::npos) << error.what();
  }
  // A part of it does fit, and the costs of grids that nobody searches make room for others.
  std::vector<std::shared_ptr<const CostGrid>> grids;
  for (unsigned i = 0; i < 3; ++i) {
    grids.push_back(random_grid(150, 200, Neighbours::eight, Form::arcs, i));
    const auto search = engine->start(grids.back(), {0, 0}, {{}, {0, 0, 40, 40}});
    search->settle_all({});
    EXPECT_EQ(search->distances(), expected(grids.back(), {0, 0}, {0, 0, 40, 40}));
  }
}

TEST_F(GpuLivewireEngine, AFailingAllocationIsAnErrorAndLeavesNothing) {
  const auto grid = random_grid(40, 40, Neighbours::eight, Form::node, 1);
  const auto right = expected(grid, {3, 4});
  for (const auto& kernel : std::vector(engine->kernels())) {
    for (int n = 1; n <= 6; ++n) {
      drop();
      const Leaks leaks;
      emulate(fmt::format("1x sm90 64MiB oom@{}", n));
      {
        const auto search = engine->start(grid, {3, 4}, {{.kernel = kernel}});
        try {
          search->settle_all({});
        } catch (const ResourceError&) {
          EXPECT_EQ(search->settled_count(), 0U);
          search->settle_all({});  // the memory is there at the second attempt
        }
        EXPECT_EQ(search->distances(), right);
      }
      EXPECT_EQ(pool->devices()[1]->set_aside_because(), "");
      drop();
      leaks.expect_none();
    }
  }
}

TEST_F(GpuLivewireEngine, ADeviceThatBreaksIsSetAside) {
  const auto grid = random_grid(40, 40, Neighbours::eight, Form::node, 1);
  for (const auto& kernel : std::vector(engine->kernels())) {
    for (const int n : {1, 2, 9}) {
      emulate(fmt::format("1x sm90 64MiB fails@{}, 1x sm90 64MiB", n));
      const auto search = engine->start(grid, {3, 4}, {{.kernel = kernel}});
      EXPECT_THROW(search->settle_all({}), dispatch::DeviceLost);
      EXPECT_NE(pool->devices()[1]->set_aside_because(), "");
      const auto report = search->report();
      ASSERT_EQ(report.shares.size(), 1U);
      EXPECT_NE(report.shares[0].error, "");
      EXPECT_EQ(report.shares[0].tiles, 0U);
      // The next search takes the next device.
      const auto next = engine->start(grid, {3, 4}, {{.kernel = kernel}});
      next->settle_all({});
      EXPECT_EQ(next->distances(), expected(grid, {3, 4}));
    }
  }
}

TEST_F(GpuLivewireEngine, ADeviceThatHangsIsGivenUpAndSetAside) {
  const auto grid = random_grid(40, 40, Neighbours::eight, Form::node, 1);
  for (const auto& kernel : std::vector(engine->kernels())) {
    emulate("1x sm90 64MiB hangs@4", emulator::StreamOrder::eager, std::chrono::milliseconds(300));
    const auto search = engine->start(grid, {3, 4}, {{.kernel = kernel}});
    EXPECT_THROW(search->settle_all({}), dispatch::DeviceLost);
    EXPECT_NE(pool->devices()[1]->set_aside_because(), "");
    EXPECT_THROW(engine->start(grid, {3, 4}), Error);
  }
}

TEST_F(GpuLivewireEngine, AfterACancelNothingIsLeft) {
  const auto grid = random_grid(90, 90, Neighbours::eight, Form::node, 1);
  for (const auto& kernel : std::vector(engine->kernels())) {
    drop();
    const Leaks leaks;
    emulate("1x sm90 64MiB", emulator::StreamOrder::delayed);
    auto search = engine->start(grid, {3, 4}, {{.kernel = kernel}});
    for (const std::string_view stage : {"costs", "paths", "distances"}) {
      std::stop_source stop;
      const jobs::Progress progress(stop.get_token(), [&](double, std::string_view now) {
        if (now.find(stage) != std::string_view::npos) stop.request_stop();
      });
      EXPECT_THROW(search->settle_all(progress), Cancelled) << stage;
    }
    search.reset();
    drop();
    leaks.expect_none();
  }
}

#endif

}  // namespace
}  // namespace isolume::gpu
