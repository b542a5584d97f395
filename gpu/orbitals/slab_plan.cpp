#include "gpu/orbitals/slab_plan.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::gpu {
namespace {

using Role = SlabPlan::Device::Role;

double speed(const DeviceFacts& device) {
  return device.workers * device.flop_per_second;
}

/// What one worker can hold, or a sentence that says why it holds nothing.
void plan_memory(const SlabWork& work, const DeviceFacts& facts, SlabPlan::Device& device) {
  if (facts.host) {
    device.items_at_once = work.items;
    return;
  }
  const std::size_t each =
      std::max<std::size_t>(1, work.item_bytes) * static_cast<std::size_t>(facts.workers);
  const std::size_t room = facts.budget_bytes - std::min(facts.budget_bytes, work.job_bytes);
  device.items_at_once =
      static_cast<int>(std::min(room / each, static_cast<std::size_t>(std::max(1, work.items))));
  if (device.items_at_once > 0) return;
  device.role = Role::left_out;
  device.why = ResourceError("One plane of the field", work.job_bytes + each, facts.budget_bytes,
                             "Use a coarser spacing, a smaller box or fewer orbitals at once.")
                   .what();
}

/// Of the GPUs whose speed is known, those that help. Returns the seconds that the job then takes.
double choose_gpus(const SlabWork& work, const std::vector<DeviceFacts>& facts, SlabPlan& plan) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (!facts[i].host && plan.devices[i].role == Role::computes) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return speed(facts[i]); });
  double together = 0;
  double start = 0;
  double seconds = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    const double later_start = std::max(start, facts[i].start_seconds);
    const double with_it = later_start + work.flop / (together + speed(facts[i]));
    if (with_it < 0.9 * seconds) {
      seconds = with_it;
      start = later_start;
      together += speed(facts[i]);
    } else {
      plan.devices[i].role = Role::reserve;
      plan.devices[i].why = fmt::format("The job of {:.2g} ms is too small to share.", 1e3 * seconds);
    }
  }
  return seconds;
}

void choose_host(double gpu_seconds, const SlabWork& work, const DeviceFacts& host, const PlanRules& rules,
                 SlabPlan::Device& device) {
  const double share = speed(host) / (speed(host) + work.flop / gpu_seconds);
  if (gpu_seconds > rules.host_from_seconds && share >= rules.host_from_share) return;
  device.role = Role::reserve;
  device.why = "The GPUs alone are as fast.";
}

void choose_devices(const SlabWork& work, const std::vector<DeviceFacts>& facts, const PlanRules& rules,
                    SlabPlan& plan) {
  const bool all_known = std::ranges::all_of(
      facts, [](const DeviceFacts& each) { return each.host || each.flop_per_second > 0; });
  const double gpu_seconds = all_known ? choose_gpus(work, facts, plan) : 0;
  const bool any_gpu = std::ranges::any_of(facts, [&](const DeviceFacts& each) {
    return !each.host && plan.devices[&each - facts.data()].role == Role::computes;
  });
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].host && any_gpu) choose_host(gpu_seconds, work, facts[i], rules, plan.devices[i]);
  }
}

int choose_items_per_tile(const SlabWork& work, const std::vector<DeviceFacts>& facts, const PlanRules& rules,
                          const SlabPlan& plan) {
  double fastest = 0;
  double slowest = std::numeric_limits<double>::infinity();
  int workers = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (plan.devices[i].role != Role::computes) continue;
    const double each =
        facts[i].flop_per_second > 0 ? facts[i].flop_per_second : rules.unknown_flop_per_second;
    fastest = std::max(fastest, each);
    slowest = std::min(slowest, each);
    workers += facts[i].workers;
  }
  if (workers == 0) return work.block;
  const double items_per_flop = work.items / std::max(work.flop, 1.0);
  // The slowest decides, or a tile of it would be too long, but a tile must also be worth a launch.
  const double by_time = rules.seconds_per_tile * slowest * items_per_flop;
  const double by_balance = work.items / (8.0 * workers);
  const double worth_a_launch = rules.least_seconds_per_tile * fastest * items_per_flop;
  const double items = std::clamp(std::max(std::min(by_time, by_balance), worth_a_launch), 1.0,
                                  static_cast<double>(std::max(1, work.items)));
  return static_cast<int>(std::ceil(items / work.block)) * work.block;
}

}  // namespace

SlabPlan plan_slabs(const SlabWork& work, const std::vector<DeviceFacts>& devices, const PlanRules& rules) {
  SlabPlan plan;
  plan.devices.resize(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) plan_memory(work, devices[i], plan.devices[i]);
  if (!rules.all_given) choose_devices(work, devices, rules, plan);
  plan.items_per_tile = choose_items_per_tile(work, devices, rules, plan);
  const double flop_per_tile = work.flop * plan.items_per_tile / std::max(1, work.items);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto& device = plan.devices[i];
    if (devices[i].flop_per_second > 0) device.seconds_per_tile = flop_per_tile / devices[i].flop_per_second;
    if (device.role == Role::reserve) device.seconds_per_tile = std::numeric_limits<double>::infinity();
    device.items_at_once = std::min(device.items_at_once, plan.items_per_tile);
    if (device.items_at_once > work.block) device.items_at_once -= device.items_at_once % work.block;
  }
  return plan;
}

}  // namespace isolume::gpu
