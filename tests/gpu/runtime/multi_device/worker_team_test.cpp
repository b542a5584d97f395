#include "gpu/runtime/multi_device/worker_team.h"

#include <atomic>
#include <barrier>
#include <set>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gpu {
namespace {

TEST(WorkerTeam, WorksSideBySideOnTheSameThreadsEachTime) {
  constexpr std::size_t workers = 3;
  WorkerTeam team(workers);
  std::vector<std::set<std::thread::id>> threads(workers);
  for (int turn = 0; turn < 50; ++turn) {
    std::barrier all(workers);  // which nobody would pass if they came one after another
    team.together([&](std::size_t worker) {
      all.arrive_and_wait();
      threads[worker].insert(std::this_thread::get_id());
    });
  }
  for (const auto& each : threads) EXPECT_EQ(each.size(), 1u);
  EXPECT_NE(threads[0], threads[1]);
}

TEST(WorkerTeam, ThrowsWhatMattersMostOnceAllHaveEnded) {
  WorkerTeam team(3);
  std::atomic<int> ended = 0;
  const auto one_of = [&](std::size_t thrower, const auto& thrown) {
    return [&ended, thrower, &thrown](std::size_t worker) {
      if (worker == thrower) thrown();
      if (worker == 1) throw Cancelled();
      ++ended;
    };
  };
  EXPECT_THROW(team.together(one_of(2, [] {})), Cancelled);
  EXPECT_THROW(team.together(one_of(2, [] { throw Error("no"); })), Error);
  const auto lost_and_error = [](std::size_t worker) {
    if (worker == 0) throw Error("no");
    if (worker == 2) throw dispatch::DeviceLost("gone");
  };
  EXPECT_THROW(team.together(lost_and_error), dispatch::DeviceLost);
  ended = 0;
  team.together([&](std::size_t) { ++ended; });
  EXPECT_EQ(ended, 3) << "what was thrown before is forgotten";
}

}  // namespace
}  // namespace isolume::gpu
