#include "core/dispatch/tile_plan.h"

#include <cmath>

#include <gtest/gtest.h>

namespace isolume::dispatch {
namespace {

using Role = TilePlan::Device::Role;

TileWork work_of(double flop) {
  TileWork work;
  work.items = 160;
  work.block = 8;
  work.item_bytes = 100'000;
  work.job_bytes = 50'000;
  work.operations = flop;
  return work;
}

DeviceFacts gpu(double flop_per_second, double start_seconds = 1e-3) {
  DeviceFacts facts;
  facts.workers = 2;
  facts.operations_per_second = flop_per_second;
  facts.measured = flop_per_second > 0;
  facts.start_seconds = start_seconds;
  return facts;
}

DeviceFacts host(double flop_per_second) {
  DeviceFacts facts;
  facts.workers = 8;
  facts.operations_per_second = flop_per_second;
  facts.measured = flop_per_second > 0;
  facts.host = true;
  return facts;
}

TEST(TilePlan, SmallJobsAreDoneByTheFastestAlone) {
  const auto plan = plan_tiles(work_of(1e9), {host(1e9), gpu(1e12), gpu(2e12), gpu(1e12)}, {});
  EXPECT_EQ(plan.devices[0].role, Role::reserve);
  EXPECT_EQ(plan.devices[1].role, Role::reserve);
  EXPECT_EQ(plan.devices[2].role, Role::computes);
  EXPECT_EQ(plan.devices[3].role, Role::reserve);
  EXPECT_TRUE(std::isinf(plan.devices[1].seconds_per_tile));
  EXPECT_FALSE(plan.devices[1].why.empty());
}

TEST(TilePlan, LargeJobsAreSharedByAllThatHelp) {
  const auto plan = plan_tiles(work_of(1e13), {gpu(1e12), gpu(2e12), gpu(1e10)}, {});
  EXPECT_EQ(plan.devices[0].role, Role::computes);
  EXPECT_EQ(plan.devices[1].role, Role::computes);
  EXPECT_EQ(plan.devices[2].role, Role::reserve);  // a hundredth of the speed
}

TEST(TilePlan, TheCpuHelpsWhereItIsWorthIt) {
  EXPECT_EQ(plan_tiles(work_of(1e13), {host(1e11), gpu(1e12)}, {}).devices[0].role, Role::computes);
  EXPECT_EQ(plan_tiles(work_of(1e13), {host(1e9), gpu(1e12)}, {}).devices[0].role, Role::reserve);
  EXPECT_EQ(plan_tiles(work_of(1e10), {host(1e11), gpu(1e12)}, {}).devices[0].role, Role::reserve);
}

TEST(TilePlan, DevicesThatWereNeverMeasuredAllTakePart) {
  const auto plan = plan_tiles(work_of(1e6), {host(0), gpu(0), gpu(1e12), gpu(0)}, {});
  EXPECT_EQ(plan.devices[0].role, Role::reserve);
  for (int i = 1; i < 4; ++i) EXPECT_EQ(plan.devices[i].role, Role::computes);
  EXPECT_EQ(plan.devices[1].seconds_per_tile, 0);
}

TEST(TilePlan, NamedDevicesTakePartWhateverItCosts) {
  PlanRules rules;
  rules.all_given = true;
  const auto plan = plan_tiles(work_of(1e3), {host(1e3), gpu(1e12), gpu(1e3)}, rules);
  for (const auto& device : plan.devices) EXPECT_EQ(device.role, Role::computes);
}

TEST(TilePlan, TilesBeginAtBlocksAndCoverEverything) {
  for (const double flop : {1.0, 1e6, 1e9, 1e11, 1e13, 1e16}) {
    const auto work = work_of(flop);
    const auto plan = plan_tiles(work, {gpu(1e12), gpu(3e11)}, {});
    EXPECT_EQ(plan.items_per_tile % work.block, 0);
    EXPECT_GE(plan.tile_count(work) * plan.items_per_tile, work.items);
    EXPECT_LT((plan.tile_count(work) - 1) * plan.items_per_tile, work.items);
  }
}

TEST(TilePlan, TilesOfLongJobsTakeAboutTheTimeThatIsWanted) {
  auto work = work_of(1e14);
  work.items = 100'000;
  work.block = 1;
  PlanRules rules;
  const auto plan = plan_tiles(work, {gpu(1e12)}, rules);
  EXPECT_NEAR(plan.devices[0].seconds_per_tile, rules.seconds_per_tile, 0.2 * rules.seconds_per_tile);
}

TEST(TilePlan, ATileIsWorthALaunch) {
  auto work = work_of(1e9);  // half a millisecond
  work.block = 1;
  const auto plan = plan_tiles(work, {gpu(1e12)}, {});
  EXPECT_GE(plan.devices[0].seconds_per_tile, 0.9e-4);
}

TEST(TilePlan, WhatFitsIsComputedAtOnceAndWhatDoesNotIsLeftOut) {
  auto roomy = gpu(1e12);
  auto tight = gpu(1e12);
  tight.budget_bytes = 50'000 + 2 * 3 * 100'000 + 1000;  // three planes for each of two workers
  auto hopeless = gpu(1e12);
  hopeless.budget_bytes = 200'000;
  const auto plan = plan_tiles(work_of(1e13), {roomy, tight, hopeless}, {});
  EXPECT_EQ(plan.devices[0].items_at_once, plan.items_per_tile);
  EXPECT_EQ(plan.devices[1].items_at_once, 3);
  tight.budget_bytes += 2 * 8 * 100'000;  // eleven
  EXPECT_EQ(plan_tiles(work_of(1e13), {tight}, {}).devices[0].items_at_once, 8) << "a whole block";
  EXPECT_EQ(plan.devices[2].role, Role::left_out);
  EXPECT_NE(plan.devices[2].why.find("195 KiB"), std::string::npos) << plan.devices[2].why;
}

/// Copies of 160 items of 10 MB, hardly anything to compute.
TileWork copies() {
  auto work = work_of(1e6);
  work.block = 1;
  work.moved_bytes = 160e7;
  return work;
}

DeviceFacts on_bus(double flop_per_second, double bytes_per_second, double start_seconds = 0) {
  auto facts = gpu(flop_per_second, start_seconds);
  facts.bytes_per_second = bytes_per_second;
  return facts;
}

TEST(TilePlan, WhatMostlyMovesDataIsSharedOutByTheBus) {
  // The second computes a hundred times as fast, and is no better here.
  const auto plan = plan_tiles(copies(), {on_bus(1e12, 1e10), on_bus(1e14, 1e10), on_bus(1e14, 1e8)}, {});
  EXPECT_EQ(plan.devices[0].role, Role::computes);
  EXPECT_EQ(plan.devices[1].role, Role::computes);
  EXPECT_NEAR(plan.devices[0].seconds_per_tile, plan.items_per_tile * 1e7 / 1e10, 1e-6);
  EXPECT_NEAR(plan.devices[1].seconds_per_tile / plan.devices[0].seconds_per_tile, 1, 1e-3);
  EXPECT_EQ(plan.devices[2].role, Role::reserve) << "a hundredth of the bandwidth";
}

TEST(TilePlan, WhatMostlyComputesIsSharedOutBySpeed) {
  auto work = copies();
  work.operations = 1e15;
  const auto plan = plan_tiles(work, {on_bus(1e12, 1e10), on_bus(4e12, 1e10), on_bus(1e12, 1e11)}, {});
  for (const auto& device : plan.devices) EXPECT_EQ(device.role, Role::computes);
  EXPECT_NEAR(plan.devices[0].seconds_per_tile / plan.devices[1].seconds_per_tile, 4, 0.01);
  EXPECT_NEAR(plan.devices[0].seconds_per_tile / plan.devices[2].seconds_per_tile, 1, 0.01);
}

TEST(TilePlan, BytesAndOperationsAddUp) {
  auto work = copies();
  work.operations = 1.6e12;
  const auto facts = on_bus(1e12, 1e9);
  EXPECT_DOUBLE_EQ(facts.seconds_for(work), 1.6 + 1.6);
  auto in_place = facts;
  in_place.host = true;
  EXPECT_DOUBLE_EQ(in_place.seconds_for(work), 1.6) << "the host moves nothing";
}

TEST(TilePlan, ADeviceThatStartsTooLateIsNotWaitedFor) {
  // 80 ms on the first alone; the second is as fast, but 70 ms late, and shortens nothing.
  const auto plan = plan_tiles(copies(), {on_bus(1e13, 1e10), on_bus(1e13, 1e10, 70e-3)}, {});
  EXPECT_EQ(plan.devices[0].role, Role::computes);
  EXPECT_EQ(plan.devices[1].role, Role::reserve);
  const auto sooner = plan_tiles(copies(), {on_bus(1e13, 1e10), on_bus(1e13, 1e10, 10e-3)}, {});
  EXPECT_EQ(sooner.devices[1].role, Role::computes);
}

}  // namespace
}  // namespace isolume::dispatch
