// The schedule against a virtual clock: a discrete-event simulation of workers that pull, compute and fail.
#include "core/dispatch/tile_schedule.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace isolume::dispatch {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

struct TestDevice {
  int workers = 1;
  double seconds = 1;      ///< what a tile really takes
  double told = 0;         ///< what the schedule is told beforehand
  int fails_at = -1;       ///< which of its tiles fails, from 0
  double fails_after = 1;  ///< in units of `seconds`
};

struct Outcome {
  double end = 0;                  ///< of the last tile
  std::vector<int> times_done;     ///< of each tile
  std::vector<int> tiles;          ///< of each device
  std::vector<double> last_begin;  ///< of each device
  bool complete = false;

  void expect_each_once() const {
    EXPECT_TRUE(complete);
    for (std::size_t i = 0; i < times_done.size(); ++i) EXPECT_EQ(times_done[i], 1) << "tile " << i;
  }
};

class Simulation {
 public:
  Simulation(std::size_t tiles, std::vector<TestDevice> devices)
      : devices_(std::move(devices)), schedule_(tiles, speeds(devices_)) {
    outcome_.times_done.resize(tiles);
    outcome_.tiles.resize(devices_.size());
    outcome_.last_begin.resize(devices_.size());
    taken_.resize(devices_.size());
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      for (int worker = 0; worker < devices_[device].workers; ++worker) idle_.push_back({device, worker});
    }
  }

  Outcome run() {
    std::mt19937 order(1);
    while (true) {
      std::shuffle(idle_.begin(), idle_.end(), order);
      std::erase_if(idle_, [&](const Worker& worker) { return begin_tile(worker); });
      if (running_.empty()) break;
      end_next();
    }
    outcome_.complete = schedule_.complete();
    return outcome_;
  }

 private:
  struct Worker {
    std::size_t device;
    int number;
  };
  struct Running {
    Worker worker;
    std::size_t tile;
    double end;
    bool fails;
  };

  static std::vector<TileSchedule::DeviceSpeed> speeds(const std::vector<TestDevice>& devices) {
    std::vector<TileSchedule::DeviceSpeed> made;
    for (const auto& device : devices) made.push_back({device.workers, device.told});
    return made;
  }

  bool begin_tile(const Worker& worker) {
    const auto tile = schedule_.take(worker.device, worker.number, now_);
    if (!tile) return false;
    const auto& device = devices_[worker.device];
    const bool fails = taken_[worker.device]++ == device.fails_at;
    outcome_.last_begin[worker.device] = now_;
    running_.push_back({worker, *tile, now_ + device.seconds * (fails ? device.fails_after : 1), fails});
    return true;
  }

  void end_next() {
    const auto next = std::ranges::min_element(running_, {}, &Running::end);
    const Running ended = *next;
    running_.erase(next);
    now_ = ended.end;
    idle_.push_back(ended.worker);
    if (ended.fails) return schedule_.fail(ended.worker.device, ended.worker.number);
    schedule_.finish(ended.worker.device, ended.worker.number, now_);
    ++outcome_.times_done[ended.tile];
    ++outcome_.tiles[ended.worker.device];
    outcome_.end = now_;
  }

  std::vector<TestDevice> devices_;
  TileSchedule schedule_;
  double now_ = 0;
  std::vector<Worker> idle_;
  std::vector<Running> running_;
  std::vector<int> taken_;
  Outcome outcome_;
};

Outcome simulate(std::size_t tiles, std::vector<TestDevice> devices) {
  return Simulation(tiles, std::move(devices)).run();
}

/// Tiles that all workers together end within `seconds`.
double tiles_within(double seconds, const std::vector<TestDevice>& devices) {
  double sum = 0;
  for (const auto& device : devices) {
    sum += device.workers * std::floor(seconds / device.seconds * (1 + 1e-9));
  }
  return sum;
}

/// The least time in which any schedule can end so many tiles: the earliest moment at which some worker has
/// ended a whole number of tiles and the sum is reached. By brute force.
double least_time(std::size_t tiles, const std::vector<TestDevice>& devices) {
  double best = infinity;
  for (const auto& device : devices) {
    for (std::size_t count = 1; count <= tiles; ++count) {
      const double moment = static_cast<double>(count) * device.seconds;
      if (tiles_within(moment, devices) >= static_cast<double>(tiles)) {
        best = std::min(best, moment);
        break;
      }
    }
  }
  return best;
}

double total_speed(const std::vector<TestDevice>& devices) {
  double sum = 0;
  for (const auto& device : devices) sum += device.workers / device.seconds;
  return sum;
}

double total_workers(const std::vector<TestDevice>& devices) {
  double sum = 0;
  for (const auto& device : devices) sum += device.workers;
  return sum;
}

std::vector<TestDevice> random_devices(std::mt19937& random, bool told) {
  std::uniform_real_distribution<double> exponent(-1.5, 1.5);
  std::vector<TestDevice> devices(1 + random() % 8);
  for (auto& device : devices) {
    device.workers = 1 + static_cast<int>(random() % 3);
    device.seconds = std::pow(10, exponent(random));
    device.told = told ? device.seconds : 0;
  }
  return devices;
}

TEST(TileSchedule, FourDevicesOfSpeeds1124Reach90Percent) {
  for (const bool told : {false, true}) {
    std::vector<TestDevice> devices{{1, 1.0}, {1, 1.0}, {1, 0.5}, {1, 0.25}};
    for (auto& device : devices) device.told = told ? device.seconds : 0;
    const Outcome outcome = simulate(64, devices);
    outcome.expect_each_once();
    EXPECT_GE(64 / total_speed(devices) / outcome.end, 0.9);
  }
}

TEST(TileSchedule, WithKnownSpeedsNoScheduleEndsEarlier) {
  std::mt19937 random(2);
  for (int trial = 0; trial < 500; ++trial) {
    const auto devices = random_devices(random, true);
    const std::size_t tiles = 1 + random() % 100;
    const Outcome outcome = simulate(tiles, devices);
    outcome.expect_each_once();
    ASSERT_NEAR(outcome.end / least_time(tiles, devices), 1, 1e-6) << "trial " << trial;
    const double count = static_cast<double>(tiles);
    ASSERT_GE(count / total_speed(devices) / outcome.end * (1 + 1e-6),
              count / (count + total_workers(devices) - 1))
        << "trial " << trial;
  }
}

TEST(TileSchedule, UnknownSpeedsCostAtMostTheSlowestFirstTile) {
  std::mt19937 random(3);
  for (int trial = 0; trial < 500; ++trial) {
    const auto devices = random_devices(random, false);
    const std::size_t tiles = 1 + random() % 100;
    const Outcome outcome = simulate(tiles, devices);
    outcome.expect_each_once();
    double slowest = 0;
    for (const auto& device : devices) slowest = std::max(slowest, device.seconds);
    const double bound =
        std::max(slowest, (static_cast<double>(tiles) + total_workers(devices) - 1) / total_speed(devices));
    ASSERT_LE(outcome.end, bound * (1 + 1e-6)) << "trial " << trial;
  }
}

TEST(TileSchedule, AFailureAtAnyTileOfAnyDeviceLosesNothing) {
  constexpr std::size_t tiles = 24;
  for (std::size_t count = 2; count <= 8; ++count) {
    for (std::size_t failing = 0; failing < count; ++failing) {
      for (int at = 0; at < static_cast<int>(tiles); ++at) {
        std::vector<TestDevice> devices(count);
        for (std::size_t i = 0; i < count; ++i) devices[i].seconds = 1 + 0.7 * static_cast<double>(i % 3);
        devices[failing].fails_at = at;
        simulate(tiles, devices).expect_each_once();
      }
    }
  }
}

TEST(TileSchedule, TheLastOneLeftDoesItAll) {
  for (std::size_t count = 2; count <= 8; ++count) {
    std::vector<TestDevice> devices(count);
    for (std::size_t i = 1; i < count; ++i) devices[i].fails_at = static_cast<int>(i % 3);
    devices[0].seconds = 50;  // so slow that it declines for as long as the others live
    devices[0].told = 50;
    simulate(20, devices).expect_each_once();
  }
}

TEST(TileSchedule, WhenAllHaveFailedItEndsIncomplete) {
  std::vector<TestDevice> devices(3);
  for (auto& device : devices) device.fails_at = 1;
  const Outcome outcome = simulate(20, devices);
  EXPECT_FALSE(outcome.complete);
  EXPECT_EQ(std::ranges::count(outcome.times_done, 1), 3);
}

TEST(TileSchedule, ASlowDeviceTakesNothingThatTheFastOnesEndEarlier) {
  const Outcome outcome = simulate(10, {{1, 1.0, 1.0}, {1, 20.0, 20.0}});
  outcome.expect_each_once();
  EXPECT_EQ(outcome.tiles[1], 0);
  EXPECT_EQ(outcome.end, 10);
}

TEST(TileSchedule, AReserveComputesOnlyWhenAllOthersHaveFailed) {
  const TestDevice reserve{2, 1.0, infinity};
  const Outcome unneeded = simulate(10, {reserve, {1, 5.0}, {1, 5.0, 0, 1}});
  unneeded.expect_each_once();
  EXPECT_EQ(unneeded.tiles[0], 0);
  const Outcome needed = simulate(10, {reserve, {1, 5.0, 0, 2}, {1, 5.0, 0, 1}});
  needed.expect_each_once();
  EXPECT_EQ(needed.tiles, (std::vector<int>{7, 2, 1}));
}

TEST(TileSchedule, ADeviceThatHangsIsNotWaitedForByThoseThatDeclined) {
  // The fast device takes 1 s a tile, and its third never ends within reason. The slow one declined at first
  // (its 10 s are more than the 4 tiles the other would need) and must not wait for the deadline.
  TileSchedule schedule(4, std::vector<TileSchedule::DeviceSpeed>{{1, 1.0}, {1, 10.0}});
  ASSERT_TRUE(schedule.take(0, 0, 0));
  EXPECT_FALSE(schedule.take(1, 0, 0));
  schedule.finish(0, 0, 1);
  ASSERT_TRUE(schedule.take(0, 0, 1));
  schedule.finish(0, 0, 2);
  ASSERT_TRUE(schedule.take(0, 0, 2));  // hangs
  EXPECT_FALSE(schedule.wants(1, 2));
  EXPECT_FALSE(schedule.wants(1, 4));
  EXPECT_TRUE(schedule.wants(1, 20));
}

TEST(TileSchedule, ADeviceTakenOutOfPlayKeepsWhatItHasInHand) {
  TileSchedule schedule(2, std::vector<TileSchedule::DeviceSpeed>{{1, 0}, {1, 0}});
  ASSERT_TRUE(schedule.take(0, 0, 0));
  schedule.retire(0);
  EXPECT_FALSE(schedule.in_play(0));
  schedule.finish(0, 0, 1);
  EXPECT_FALSE(schedule.take(0, 0, 1));
  ASSERT_EQ(schedule.take(1, 0, 1), 1U);
  schedule.finish(1, 0, 2);
  EXPECT_TRUE(schedule.complete());
}

}  // namespace
}  // namespace isolume::dispatch
