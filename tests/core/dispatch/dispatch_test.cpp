#include "core/dispatch/dispatch.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <mutex>
#include <numeric>
#include <stop_token>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <tbb/parallel_for.h>

#include "core/base/error.h"
#include "core/base/logging.h"

namespace isolume::dispatch {
namespace {

using namespace std::chrono_literals;

/// A device with one worker that takes `delay` over each tile and fails at its n-th.
class TestDevice final : public Device {
 public:
  TestDevice(std::string name, std::chrono::microseconds delay, int fail_at = -1)
      : name_(std::move(name)), delay_(delay), fail_at_(fail_at) {}
  DeviceKind kind() const override { return DeviceKind::emulated_gpu; }
  std::string name() const override { return name_; }
  std::size_t memory_budget_bytes() const override { return 1 << 20; }
  int concurrency() const override { return 1; }
  void run_workers(const std::function<void(int)>& body) override { body(0); }

  void work() {
    std::this_thread::sleep_for(delay_);
    if (launched_++ == fail_at_) throw Error(name_ + " broke");
  }

 private:
  std::string name_;
  std::chrono::microseconds delay_;
  int fail_at_;
  int launched_ = 0;
};

class ThreeWorkers final : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::emulated_gpu; }
  std::string name() const override { return "three workers"; }
  std::size_t memory_budget_bytes() const override { return 1 << 20; }
  int concurrency() const override { return 3; }
  void run_workers(const std::function<void(int)>& body) override {
    const std::jthread one([&] { body(0); });
    const std::jthread another([&] { body(1); });
    body(2);
  }
};

void work_on(Device& device) {
  if (auto* test = dynamic_cast<TestDevice*>(&device)) test->work();
}

std::size_t total_tiles(const Report& report) {
  return std::accumulate(report.shares.begin(), report.shares.end(), std::size_t{0},
                         [](std::size_t sum, const Report::Share& share) { return sum + share.tiles; });
}

using Counts = std::vector<std::atomic<int>>;

void expect_each_once(const Counts& counts) {
  for (std::size_t i = 0; i < counts.size(); ++i) EXPECT_EQ(counts[i], 1) << "tile " << i;
}

TEST(Dispatch, CpuComputesEveryTileOnce) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  Counts counts(1000);
  const Report report = run_tiles(devices, counts.size(), [&](Device&, int worker, std::size_t tile) {
    EXPECT_GE(worker, 0);
    EXPECT_LT(worker, cpu->concurrency());
    ++counts[tile];
  });
  expect_each_once(counts);
  EXPECT_EQ(total_tiles(report), 1000u);
}

TEST(Dispatch, NoTilesIsNoWork) {
  const auto cpu = make_cpu_device(1);
  Device* const devices[] = {cpu.get()};
  EXPECT_EQ(total_tiles(run_tiles(devices, 0, [](Device&, int, std::size_t) { FAIL(); })), 0u);
}

TEST(Dispatch, NoDeviceIsAnError) {
  EXPECT_THROW(run_tiles({}, 1, [](Device&, int, std::size_t) {}), Error);
}

TEST(Dispatch, FasterDevicesTakeMore) {
  TestDevice slow("slow", std::chrono::milliseconds(8));
  TestDevice fast("fast", std::chrono::milliseconds(1));
  Device* const devices[] = {&slow, &fast};
  const Report report = run_tiles(devices, 64, [](Device& device, int, std::size_t) { work_on(device); });
  EXPECT_EQ(total_tiles(report), 64u);
  EXPECT_GT(report.shares[1].tiles, report.shares[0].tiles);
}

TEST(Dispatch, TheTimelineTellsWhoHadWhichTileWhen) {
  TestDevice one("one", 100us);
  const auto cpu = make_cpu_device(2);
  Device* const devices[] = {&one, cpu.get()};
  const Report report = run_tiles(devices, 20, [](Device& device, int, std::size_t) { work_on(device); });
  ASSERT_EQ(report.timeline.size(), 20U);
  std::vector<std::size_t> tiles;
  std::vector<double> busy(2);
  for (const auto& span : report.timeline) {
    tiles.push_back(span.tile);
    busy[static_cast<std::size_t>(span.device)] += span.end - span.begin;
    EXPECT_GE(span.begin, 0);
    EXPECT_LE(span.begin, span.end);
    EXPECT_LE(span.end, report.seconds);
    EXPECT_LT(span.worker, devices[span.device]->concurrency());
    for (const auto& other : report.timeline) {
      const bool same_hands = other.device == span.device && other.worker == span.worker;
      if (same_hands && other.tile != span.tile) {
        EXPECT_TRUE(other.end <= span.begin || span.end <= other.begin);
      }
    }
  }
  std::ranges::sort(tiles);
  for (std::size_t i = 0; i < tiles.size(); ++i) EXPECT_EQ(tiles[i], i);
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(busy[i], report.shares[i].busy_seconds, 1e-9);
  EXPECT_GT(report.efficiency(), 0);
  EXPECT_LE(report.efficiency(), 1);
}

TEST(Dispatch, AReportNamesThoseThatTookPart) {
  Report report;
  EXPECT_EQ(report.took_part(), "");
  report.shares = {{"CPU", 3, 1, ""}, {"card", 5, 1, ""}, {"idle", 0, 0, ""}, {"card", 1, 1, "broke"}};
  EXPECT_EQ(report.took_part(), "CPU, 2 x card");
}

TEST(Dispatch, EfficiencyIsIdealTimeOverTheTimeTaken) {
  Report report;
  EXPECT_EQ(report.efficiency(), 0);
  // One worker does 2 tiles a second, two workers 1 tile a second each, one device takes no part: together 4
  // a second, so that 8 tiles take 2 s at best. It took 2.5.
  report.shares = {{"fast", 4, 2.0, ""}, {"two slow", 4, 4.0, ""}, {"none", 0, 0, "broke"}};
  report.timeline = {
      {0, 0, 0, 0, 0.5, false}, {1, 0, 1, 0, 1, false}, {1, 1, 2, 0, 1, false}, {2, 0, 3, 0, 1, true}};
  report.seconds = 2.5;
  EXPECT_NEAR(report.efficiency(), 0.8, 1e-12);
}

/// Whoever is the first to be given tile `at` fails there.
TEST(Dispatch, AFailureAtAnyTileGivesItBackWithAnyNumberOfDevices) {
  constexpr std::size_t tiles = 16;
  for (int count = 2; count <= 8; ++count) {
    for (std::size_t at = 0; at < tiles; ++at) {
      std::vector<std::unique_ptr<TestDevice>> owned;
      std::vector<Device*> devices;
      for (int i = 0; i < count; ++i) {
        owned.push_back(std::make_unique<TestDevice>(fmt::format("device {}", i), 1us));
        devices.push_back(owned.back().get());
      }
      Counts counts(tiles);
      std::atomic<bool> failed = false;
      const Report report = run_tiles(devices, tiles, [&](Device& device, int, std::size_t tile) {
        if (tile == at && !failed.exchange(true)) throw Error(device.name() + " broke");
        ++counts[tile];
      });
      expect_each_once(counts);
      EXPECT_EQ(total_tiles(report), tiles);
      EXPECT_EQ(std::ranges::count_if(report.shares, [](const auto& share) { return !share.error.empty(); }),
                1);
      EXPECT_EQ(std::ranges::count_if(report.timeline, &Report::Span::failed), 1);
      EXPECT_EQ(report.timeline.size(), tiles + 1);
    }
  }
}

TEST(Dispatch, OnlyTheLastDeviceIsLeftAndFinishes) {
  for (int count = 1; count <= 8; ++count) {
    std::vector<std::unique_ptr<TestDevice>> owned;
    std::vector<Device*> devices;
    const auto cpu = make_cpu_device(2);
    devices.push_back(cpu.get());
    for (int i = 0; i < count; ++i) {
      owned.push_back(std::make_unique<TestDevice>(fmt::format("device {}", i), 1us, i));
      devices.push_back(owned.back().get());
    }
    Counts counts(64);
    std::atomic<int> failures = 0;
    const Report report = run_tiles(devices, counts.size(), [&](Device& device, int, std::size_t tile) {
      // The CPU leaves the others their time to fail.
      while (&device == cpu.get() && failures < count) std::this_thread::yield();
      try {
        work_on(device);
      } catch (const Error&) {
        ++failures;
        throw;
      }
      ++counts[tile];
    });
    expect_each_once(counts);
    EXPECT_EQ(report.shares[0].error, "");
    for (int i = 0; i < count; ++i) EXPECT_EQ(report.shares[1 + i].error, fmt::format("device {} broke", i));
  }
}

TEST(Dispatch, AReserveComputesWhatTheOthersLeave) {
  const auto cpu = make_cpu_device(2);
  TestDevice breaks("breaks", 1us, 3);
  Device* const devices[] = {cpu.get(), &breaks};
  FarmOptions options;
  options.seconds_per_tile = {std::numeric_limits<double>::infinity(), 0};
  Counts counts(10);
  const auto tile_function = [&](Device& device, int, std::size_t tile) {
    work_on(device);
    ++counts[tile];
  };
  const Report report = run_tiles(devices, counts.size(), tile_function, {}, options);
  expect_each_once(counts);
  EXPECT_EQ(report.shares[0].tiles, 7U);
  EXPECT_EQ(report.shares[1].tiles, 3U);
}

TEST(Dispatch, ALostDeviceGetsNoWorkEverAfter) {
  TestDevice lost("lost", 1us);
  TestDevice steady("steady", 1us);
  Device* const devices[] = {&lost, &steady};
  std::vector<std::string> warnings;
  std::mutex mutex;
  const int token = log::listen([&](const log::Entry& entry) {
    const std::scoped_lock lock(mutex);
    warnings.push_back(entry.text);
  });
  std::atomic<bool> tried = false;
  const auto tile_function = [&](Device& device, int, std::size_t) {
    if (&device == &lost) {
      tried = true;
      throw DeviceLost("It fell off the bus.");
    }
    while (!tried) std::this_thread::yield();
  };
  const Report first = run_tiles(devices, 8, tile_function);
  EXPECT_EQ(first.shares[0].error, "It fell off the bus.");
  EXPECT_EQ(lost.set_aside_because(), "It fell off the bus.");
  const Report second =
      run_tiles(devices, 8, [&](Device& device, int, std::size_t) { EXPECT_EQ(&device, &steady); });
  EXPECT_EQ(second.shares[0].error, "It fell off the bus.");
  EXPECT_EQ(second.shares[1].tiles, 8U);
  log::unlisten(token);
  ASSERT_EQ(warnings.size(), 1U);
  EXPECT_EQ(warnings[0], "lost is set aside: It fell off the bus.");
}

TEST(Dispatch, ADeviceLostByAllItsWorkersIsLoggedOnce) {
  ThreeWorkers lost;
  TestDevice steady("steady", 1us);
  Device* const devices[] = {&lost, &steady};
  std::atomic<int> warnings = 0;
  const int token = log::listen([&](const log::Entry&) { ++warnings; });
  std::atomic<int> in_hand = 0;
  const Report report = run_tiles(devices, 8, [&](Device& device, int, std::size_t) {
    const bool is_lost = &device == &lost;
    if (is_lost) ++in_hand;
    while (in_hand < 3) std::this_thread::yield();
    if (is_lost) throw DeviceLost("It fell off the bus.");
  });
  log::unlisten(token);
  EXPECT_EQ(std::ranges::count_if(report.timeline, &Report::Span::failed), 3);
  EXPECT_EQ(warnings, 1);
  EXPECT_EQ(report.shares[1].tiles, 8U);
}

TEST(Dispatch, AFailureLastsForTheJobAlone) {
  TestDevice breaks("breaks", 1us, 0);
  TestDevice steady("steady", 1us);
  Device* const devices[] = {&breaks, &steady};
  std::atomic<bool> tried = false;
  run_tiles(devices, 4, [&](Device& device, int, std::size_t) {
    if (&device == &breaks) tried = true;
    while (!tried) std::this_thread::yield();
    work_on(device);
  });
  EXPECT_EQ(breaks.set_aside_because(), "");
}

TEST(Dispatch, WithEveryDeviceSetAsideTheErrorSaysWhy) {
  TestDevice one("one", 1us);
  one.set_aside("It is too hot.");
  Device* const devices[] = {&one};
  try {
    run_tiles(devices, 1, [](Device&, int, std::size_t) {});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("one: It is too hot."), std::string::npos) << error.what();
  }
}

/// A device whose workers cannot even be started.
class BrokenDevice final : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::gpu; }
  std::string name() const override { return "broken"; }
  std::size_t memory_budget_bytes() const override { return 0; }
  int concurrency() const override { return 1; }
  void run_workers(const std::function<void(int)>&) override {
    tried = true;
    throw Error("It does not start.");
  }
  std::atomic<bool> tried = false;
};

TEST(Dispatch, ADeviceThatDoesNotStartIsSetAside) {
  BrokenDevice broken;
  TestDevice steady("steady", 1us);
  Device* const devices[] = {&steady, &broken};
  const Report report = run_tiles(devices, 5, [&](Device&, int, std::size_t) {
    while (!broken.tried) std::this_thread::yield();  // or all tiles are done before it is asked to start
  });
  EXPECT_EQ(report.shares[0].tiles, 5U);
  EXPECT_EQ(report.shares[1].error, "It does not start.");
  Device* const alone[] = {&broken};
  EXPECT_THROW(run_tiles(alone, 5, [](Device&, int, std::size_t) {}), Error);
}

TEST(Dispatch, ATileReturnedAfterTheOthersHadGoneIsStillComputed) {
  TestDevice breaks("breaks late", std::chrono::milliseconds(50), 0);
  TestDevice steady("steady", std::chrono::microseconds(1));
  Device* const devices[] = {&breaks, &steady};
  Counts counts(4);
  std::atomic<bool> taken = false;
  const Report report = run_tiles(devices, counts.size(), [&](Device& device, int, std::size_t tile) {
    if (&device == &breaks) taken = true;
    while (!taken) std::this_thread::yield();  // the steady device leaves one tile to the other
    work_on(device);
    ++counts[tile];
  });
  expect_each_once(counts);
  EXPECT_EQ(report.shares[0].error, "breaks late broke");
}

TEST(Dispatch, WhenAllFailTheErrorIsPassedOn) {
  TestDevice one("one", std::chrono::microseconds(1), 0);
  TestDevice two("two", std::chrono::microseconds(1), 1);
  Device* const devices[] = {&one, &two};
  EXPECT_THROW(run_tiles(devices, 100, [](Device& device, int, std::size_t) { work_on(device); }), Error);
}

TEST(Dispatch, CancelEndsTheRun) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  std::stop_source stop;
  std::atomic<int> computed = 0;
  const auto run = [&] {
    run_tiles(
        devices, 100000,
        [&](Device&, int, std::size_t) {
          if (++computed == 10) stop.request_stop();
        },
        jobs::Progress(stop.get_token(), nullptr));
  };
  EXPECT_THROW(run(), Cancelled);
  EXPECT_LT(computed, 100000);
}

TEST(Dispatch, ATileThatNoticesTheCancelEndsTheRunToo) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  EXPECT_THROW(run_tiles(devices, 100, [](Device&, int, std::size_t) { throw Cancelled(); }), Cancelled);
}

TEST(Dispatch, ACancelReachesDevicesThatHaveNothingToDo) {
  TestDevice busy("busy", 1us);
  TestDevice idle("idle", 1us);
  Device* const devices[] = {&busy, &idle};
  std::stop_source stop;
  const jobs::Progress progress(stop.get_token(), nullptr);
  const auto tile_function = [&](Device&, int, std::size_t) {
    stop.request_stop();
    while (true) {  // only the cancel ends it
      progress.check();
      std::this_thread::yield();
    }
  };
  EXPECT_THROW(run_tiles(devices, 1, tile_function, progress), Cancelled);
}

TEST(Dispatch, TilesMayUseTbbThemselves) {
  const auto cpu = make_cpu_device();
  Device* const devices[] = {cpu.get()};
  std::atomic<int> sum = 0;
  run_tiles(devices, 50, [&](Device&, int, std::size_t) { tbb::parallel_for(0, 100, [&](int) { ++sum; }); });
  EXPECT_EQ(sum, 5000);
}

TEST(Dispatch, ProgressGrowsToOne) {
  const auto cpu = make_cpu_device(1);
  Device* const devices[] = {cpu.get()};
  std::vector<double> seen;
  run_tiles(
      devices, 4, [](Device&, int, std::size_t) {},
      jobs::Progress({}, [&](double fraction, std::string_view) { seen.push_back(fraction); }));
  EXPECT_EQ(seen, (std::vector<double>{0.25, 0.5, 0.75, 1}));
}

TEST(Dispatch, MemoryThatCannotBeThereIsRefusedWithNumbers) {
  EXPECT_NO_THROW(require_memory("a test", 1 << 20, ""));
  try {
    require_memory("A grid of 10^6 points an axis", std::size_t{4} << 60, "Use a larger spacing.");
    FAIL();
  } catch (const ResourceError& error) {
    EXPECT_NE(std::string(error.what()).find("4 EiB"), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find("Use a larger spacing."), std::string::npos);
  }
}

}  // namespace
}  // namespace isolume::dispatch
