#include "core/dispatch/device_choice.h"

#include <gtest/gtest.h>

#include "core/dispatch/compute_options.h"
#include "core/dispatch/engine_registry.h"

namespace isolume::dispatch {
namespace {

class Card final : public Device {
 public:
  explicit Card(std::string called) : name_(std::move(called)) {}
  DeviceKind kind() const override { return DeviceKind::gpu; }
  std::string name() const override { return name_; }
  std::size_t memory_budget_bytes() const override { return 0; }
  int concurrency() const override { return 1; }
  void run_workers(const std::function<void(int)>& body) override { body(0); }

 private:
  std::string name_;
};

std::unique_ptr<DevicePool> two_cards() {
  std::vector<std::unique_ptr<Device>> devices;
  devices.push_back(make_cpu_device(1));
  devices.push_back(std::make_unique<Card>("one"));
  devices.push_back(std::make_unique<Card>("two"));
  return std::make_unique<DevicePool>(std::move(devices));
}

TEST(DeviceChoice, GpusThatAreSetAsideAreNotUsed) {
  const auto pool = two_cards();
  EXPECT_EQ(usable_gpus(*pool), (std::vector{pool->devices()[1], pool->devices()[2]}));
  EXPECT_EQ(describe_gpus(*pool), "2 GPUs, one, two");
  pool->devices()[1]->set_aside("It is broken.");
  EXPECT_EQ(usable_gpus(*pool), std::vector{pool->devices()[2]});
  EXPECT_EQ(describe_gpus(*pool), "1 GPU, two");
  pool->devices()[2]->set_aside("It is broken, too.");
  EXPECT_EQ(describe_gpus(*pool), "every GPU is set aside");
}

TEST(DeviceChoice, OnlyALostDeviceIsSetAside) {
  const auto pool = two_cards();
  const Device& card = *pool->devices()[1];
  EXPECT_EQ(guarded(card, [] { return 5; }), 5);
  EXPECT_THROW(guarded(card, [] { throw Error("It did not fit."); }), Error);
  EXPECT_EQ(card.set_aside_because(), "");
  EXPECT_THROW(guarded(card, [] { throw DeviceLost("It hangs."); }), DeviceLost);
  EXPECT_EQ(card.set_aside_because(), "It hangs.");
}

TEST(DeviceChoice, WhatAPlanLeavesOutIsOfTheReportAlone) {
  const auto pool = two_cards();
  std::vector<Device*> devices(pool->devices().begin(), pool->devices().end());
  TilePlan plan;
  plan.devices.resize(3);
  plan.devices[1] = {TilePlan::Device::Role::left_out, 0, 0, "It has no room."};
  plan.devices[2].role = TilePlan::Device::Role::reserve;
  const auto left_out = drop_left_out(devices, plan);
  EXPECT_EQ(devices, (std::vector{pool->devices()[0], pool->devices()[2]}));
  ASSERT_EQ(plan.devices.size(), 2U);
  EXPECT_EQ(plan.devices[1].role, TilePlan::Device::Role::reserve);
  ASSERT_EQ(left_out.size(), 1U);
  EXPECT_EQ(left_out[0].device, "one");
  EXPECT_EQ(left_out[0].error, "It has no room.");
}

TEST(Report, SaysWhoHowAndHowMuch) {
  Report report;
  EXPECT_EQ(report.by(), "");
  EXPECT_EQ(report.how(), "");
  report.who = "2 x card";
  report.reason = "the CPU alone";
  EXPECT_EQ(report.by(), "2 x card");
  EXPECT_EQ(report.how(), "the CPU alone");
  report.kernel = "quick";
  EXPECT_EQ(report.by(), "2 x card, quick kernel");
  EXPECT_EQ(report.how(), "quick kernel: the CPU alone");
  report.shares.resize(2);
  report.shares[0].tiles = 3;
  report.shares[1].tiles = 4;
  EXPECT_EQ(report.tiles(), 7U);
}

struct Engine {
  std::string called;
  std::vector<std::string> own_kernels;
  std::string_view name() const { return called; }
  std::string description() const { return "The engine " + called; }
  std::vector<std::string> kernels() const { return own_kernels; }
};

TEST(EngineRegistry, NarrowsParametersToTheEnginesThereAre) {
  EngineRegistry<Engine> engines;
  engines.add(std::make_unique<Engine>(Engine{"cpu", {}}));
  auto engine = compute_schema().at("engine").description;
  auto kernel = compute_schema().at("kernel").description;
  auto threads = compute_schema().at("threads").description;
  for (auto* each : {&engine, &kernel, &threads}) engines.narrow(*each);
  ASSERT_EQ(engine.choices.size(), 2U);
  EXPECT_EQ(engine.choices[0].key, "auto");
  EXPECT_EQ(engine.choices[1].label, "The engine cpu");
  EXPECT_TRUE(kernel.relevant_when.values.empty()) << "no engine here has any";
  EXPECT_EQ(threads.choices.size(), 0U);
  engines.add(std::make_unique<Engine>(Engine{"cuda", {"quick"}}));
  kernel = compute_schema().at("kernel").description;
  engines.narrow(kernel);
  EXPECT_EQ(kernel.relevant_when.values, std::vector<std::string>{"cuda"});
}

}  // namespace
}  // namespace isolume::dispatch
