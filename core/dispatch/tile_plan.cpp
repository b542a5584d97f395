#include "core/dispatch/tile_plan.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::dispatch {
namespace {

using Role = TilePlan::Device::Role;

/// Jobs of this kind per second, all workers together.
double speed(const TileWork& work, const DeviceFacts& device) {
  return device.workers / device.seconds_for(work);
}

/// Number of items that one worker can hold, or a sentence with the reason why it holds none.
void plan_memory(const TileWork& work, const DeviceFacts& facts, TilePlan::Device& device) {
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
  device.why = ResourceError(work.item, work.job_bytes + each, facts.budget_bytes, work.remedy).what();
}

/// Chooses the GPUs of known speed that shorten the job. Returns the time of the job in seconds.
double choose_gpus(const TileWork& work, const std::vector<DeviceFacts>& facts, TilePlan& plan) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (!facts[i].host && plan.devices[i].role == Role::computes) order.push_back(i);
  }
  std::ranges::stable_sort(order, std::greater(), [&](std::size_t i) { return speed(work, facts[i]); });
  double together = 0;
  double start = 0;
  double seconds = std::numeric_limits<double>::infinity();
  for (const std::size_t i : order) {
    const double later_start = std::max(start, facts[i].start_seconds);
    const double with_it = later_start + 1 / (together + speed(work, facts[i]));
    if (with_it < 0.9 * seconds) {
      seconds = with_it;
      start = later_start;
      together += speed(work, facts[i]);
    } else {
      plan.devices[i].role = Role::reserve;
      plan.devices[i].why = fmt::format("The job of {:.2g} ms is too small to share.", 1e3 * seconds);
    }
  }
  return seconds;
}

void choose_host(double gpu_seconds, const TileWork& work, const DeviceFacts& host, const PlanRules& rules,
                 TilePlan::Device& device) {
  const double own = host.measured ? speed(work, host) : 0;
  const double share = own / (own + 1 / gpu_seconds);
  if (gpu_seconds > rules.host_from_seconds && share >= rules.host_from_share) return;
  device.role = Role::reserve;
  device.why = "The GPUs alone are as fast.";
}

void choose_devices(const TileWork& work, const std::vector<DeviceFacts>& facts, const PlanRules& rules,
                    TilePlan& plan) {
  const bool all_known =
      std::ranges::all_of(facts, [](const DeviceFacts& each) { return each.host || each.measured; });
  const double gpu_seconds = all_known ? choose_gpus(work, facts, plan) : 0;
  const bool any_gpu = std::ranges::any_of(facts, [&](const DeviceFacts& each) {
    return !each.host && plan.devices[&each - facts.data()].role == Role::computes;
  });
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].host && any_gpu) choose_host(gpu_seconds, work, facts[i], rules, plan.devices[i]);
  }
}

int choose_items_per_tile(const TileWork& work, const std::vector<DeviceFacts>& facts, const PlanRules& rules,
                          const TilePlan& plan) {
  double fastest = std::numeric_limits<double>::infinity();  // seconds for the whole job on one worker
  double slowest = 0;
  int workers = 0;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (plan.devices[i].role != Role::computes) continue;
    const double each = facts[i].measured ? facts[i].seconds_for(work)
                                          : work.operations / rules.unknown_operations_per_second;
    fastest = std::min(fastest, each);
    slowest = std::max(slowest, each);
    workers += facts[i].workers;
  }
  if (workers == 0) return work.block;
  constexpr double shortest = 1e-12;  // jobs that take no time at all
  // The slowest device determines the size, since its tiles would be too long otherwise, but a tile must also
  // be worth a launch.
  const double by_time = rules.seconds_per_tile * work.items / std::max(slowest, shortest);
  const double by_balance = work.items / (8.0 * workers);
  const double worth_a_launch = rules.least_seconds_per_tile * work.items / std::max(fastest, shortest);
  const double items = std::clamp(std::max(std::min(by_time, by_balance), worth_a_launch), 1.0,
                                  static_cast<double>(std::max(1, work.items)));
  return static_cast<int>(std::ceil(items / work.block)) * work.block;
}

}  // namespace

double DeviceFacts::seconds_for(const TileWork& work) const {
  double seconds = 0;
  if (operations_per_second > 0) seconds += work.operations / operations_per_second;
  if (bytes_per_second > 0 && !host) seconds += work.moved_bytes / bytes_per_second;
  return seconds;
}

TilePlan plan_tiles(const TileWork& work, const std::vector<DeviceFacts>& devices, const PlanRules& rules) {
  TilePlan plan;
  plan.devices.resize(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) plan_memory(work, devices[i], plan.devices[i]);
  if (!rules.all_given) choose_devices(work, devices, rules, plan);
  plan.items_per_tile = choose_items_per_tile(work, devices, rules, plan);
  const double part = static_cast<double>(plan.items_per_tile) / std::max(1, work.items);
  for (std::size_t i = 0; i < devices.size(); ++i) {
    auto& device = plan.devices[i];
    if (devices[i].measured) device.seconds_per_tile = part * devices[i].seconds_for(work);
    if (device.role == Role::reserve) device.seconds_per_tile = std::numeric_limits<double>::infinity();
    device.items_at_once = std::min(device.items_at_once, plan.items_per_tile);
    if (device.items_at_once > work.block) device.items_at_once -= device.items_at_once % work.block;
  }
  return plan;
}

void refuse(const TileWork& work, const std::vector<DeviceFacts>& devices) {
  const auto& best = *std::ranges::max_element(devices, {}, &DeviceFacts::budget_bytes);
  throw ResourceError(work.item, work.job_bytes + static_cast<std::size_t>(best.workers) * work.item_bytes,
                      best.budget_bytes, work.remedy);
}

}  // namespace isolume::dispatch
