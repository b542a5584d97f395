#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "core/dispatch/dispatch.h"

namespace isolume::dispatch {
namespace {

std::unique_ptr<DevicePool> pool_of_the_cpu() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(make_cpu_device(1));
  return std::make_unique<DevicePool>(std::move(devices), "There is no GPU here.");
}

Report named(const std::string& job) {
  Report report;
  report.job = job;
  return report;
}

TEST(DevicePool, HandsOutItsDevicesInOrderAndWhyThereIsNoGpu) {
  const auto pool = pool_of_the_cpu();
  ASSERT_EQ(pool->devices().size(), 1U);
  EXPECT_EQ(pool->devices()[0]->kind(), DeviceKind::cpu);
  EXPECT_EQ(pool->why_no_gpu(), "There is no GPU here.");
}

TEST(DevicePool, KeepsTheReportOfTheLastJob) {
  const auto pool = pool_of_the_cpu();
  EXPECT_EQ(pool->last_report(), nullptr);
  pool->record(named("first"));
  const auto first = pool->last_report();
  pool->record(named("second"));
  EXPECT_EQ(first->job, "first");  // whoever shows it keeps it
  EXPECT_EQ(pool->last_report()->job, "second");
}

TEST(DevicePool, CallsBackForAsLongAsTheHandleLives) {
  const auto pool = pool_of_the_cpu();
  int calls = 0;
  std::string seen;
  auto handle = pool->on_record([&] {
    ++calls;
    seen = pool->last_report()->job;  // no lock is held
  });
  pool->record(named("one"));
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(seen, "one");
  handle.reset();
  pool->record(named("two"));
  EXPECT_EQ(calls, 1);
}

TEST(DevicePool, NotesAreReplacedByTopicAndKeepTheirOrder) {
  const auto pool = pool_of_the_cpu();
  pool->set_note("display", "staged");
  pool->set_note("compiler", "none");
  pool->set_note("display", "shared");
  const std::vector<std::pair<std::string, std::string>> expected{{"display", "shared"},
                                                                  {"compiler", "none"}};
  EXPECT_EQ(pool->notes(), expected);
}

TEST(DevicePool, MayBeUsedFromManyThreads) {
  const auto pool = pool_of_the_cpu();
  std::atomic<int> calls = 0;
  const auto handle = pool->on_record([&] { ++calls; });
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 100; ++n) {
          pool->record(named("job"));
          const auto other = pool->on_record([] {});
          pool->set_note("topic", "text");
          EXPECT_NE(pool->last_report(), nullptr);
        }
      });
    }
  }
  EXPECT_EQ(calls, 400);
}

TEST(Device, IsSetAsideWithAReasonAndPutBack) {
  const auto cpu = make_cpu_device(1);
  EXPECT_EQ(cpu->set_aside_because(), "");
  cpu->set_aside("It is on fire.");
  EXPECT_EQ(cpu->set_aside_because(), "It is on fire.");
  cpu->set_aside("");
  EXPECT_EQ(cpu->set_aside_because(), "");
}

}  // namespace
}  // namespace isolume::dispatch
