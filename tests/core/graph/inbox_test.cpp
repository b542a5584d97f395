#include "core/graph/inbox.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace isolume::graph {
namespace {

TEST(Inbox, RunsWhatOtherThreadsPostInOrderOnItsOwnersThread) {
  Inbox inbox;
  std::vector<int> run;
  std::thread::id ran_on;
  std::thread other([&] {
    for (int i = 0; i < 100; ++i) {
      inbox.post([&, i] {
        run.push_back(i);
        ran_on = std::this_thread::get_id();
      });
    }
  });
  while (run.size() < 100) {
    inbox.wait();
    inbox.run();
  }
  other.join();
  for (int i = 0; i < 100; ++i) EXPECT_EQ(run[static_cast<std::size_t>(i)], i);
  EXPECT_EQ(ran_on, std::this_thread::get_id());
}

TEST(Inbox, WhatAnActionPostsRunsTheNextTime) {
  Inbox inbox;
  int run = 0;
  inbox.post([&] { inbox.post([&] { ++run; }); });
  inbox.run();
  EXPECT_EQ(run, 0);
  inbox.run();
  EXPECT_EQ(run, 1);
}

}  // namespace
}  // namespace isolume::graph
