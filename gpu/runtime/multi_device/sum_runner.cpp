#include "gpu/runtime/multi_device/sum_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"

namespace isolume::gpu {
namespace {

using dispatch::Device;
using Role = dispatch::TilePlan::Device::Role;

/// Removes GPUs that were set aside since they were chosen, by an earlier part of the job.
std::vector<dispatch::Report::Share> drop_those_lost(std::vector<Device*>& devices) {
  std::vector<dispatch::Report::Share> lost;
  std::erase_if(devices, [&](const Device* device) {
    const auto why = device->set_aside_because();
    if (is_cpu(device) || why.empty()) return false;
    lost.push_back({device->name(), 0, 0, why});
    return true;
  });
  return lost;
}

/// Describes which devices computed with which kernel, and why.
void explain(const SumJob& job, const dispatch::TilePlan& plan, const std::vector<Device*>& devices,
             dispatch::Report& report) {
  report.who = report.took_part();
  bool by_gpu = false, idle = false;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    if (is_cpu(devices[i])) continue;
    by_gpu |= report.shares[i].tiles > 0;
    idle |= plan.devices[i].role == Role::reserve;
  }
  if (!by_gpu) {
    report.reason = "the CPU alone: no GPU finished a tile";
    return;
  }
  report.kernel = job.kernel();
  report.reason = job.remark();
  if (idle) {
    report.reason += report.reason.empty() ? "" : "; ";
    report.reason += "more GPUs would not shorten so small a job";
  }
}

}  // namespace

dispatch::TileWork SumRunner::work_of(const SumJob& job) const {
  dispatch::TileWork work;
  work.items = job.items();
  work.block = std::max(job.granularity(), host_granularity_);
  work.item_bytes = job.bytes_an_item();
  work.job_bytes = job.device_bytes();
  work.operations = job.operations();
  work.moved_bytes = static_cast<double>(job.items()) * static_cast<double>(job.item_values()) *
                     job.fields() * sizeof(float);
  work.item = job.subject();
  work.remedy = remedy_;
  return work;
}

dispatch::TilePlan SumRunner::plan(const dispatch::TileWork& work,
                                   const std::vector<dispatch::DeviceFacts>& facts, bool named) const {
  auto rules = settings_.rules;
  rules.all_given = named;
  return dispatch::plan_tiles(work, facts, rules);
}

std::vector<Device*> SumRunner::taking_part(const ChosenDevices& chosen, const dispatch::TileWork& work,
                                            std::string_view kernel) const {
  const auto facts = calibration_.facts(chosen.all, kernel);
  const auto plan = this->plan(work, facts, chosen.named);
  std::vector<Device*> taken;
  for (std::size_t i = 0; i < chosen.all.size(); ++i) {
    if (plan.devices[i].role == Role::computes) taken.push_back(chosen.all[i]);
  }
  if (taken.empty()) dispatch::refuse(work, facts);
  return taken;
}

dispatch::Report SumRunner::run(const SumJob& job, const std::vector<float*>& fields,
                                const ChosenDevices& chosen, const OnHost& on_host,
                                const jobs::Progress& progress) const {
  auto devices = chosen.all;
  auto left_out = drop_those_lost(devices);
  if (devices.empty()) throw Error(left_out.front().error);
  const dispatch::TileWork work = work_of(job);
  const auto facts = calibration_.facts(devices, job.kernel());
  auto plan = this->plan(work, facts, chosen.named);
  const bool had_gpu = !std::ranges::all_of(devices, is_cpu);
  std::ranges::move(dispatch::drop_left_out(devices, plan), std::back_inserter(left_out));
  if (had_gpu && std::ranges::all_of(devices, is_cpu)) dispatch::refuse(work, facts);

  const WaitLimits limits{settings_.run.deadline, progress};
  const MultiDeviceRun::Job parts{
      .prepare = [&](const Stream& stream) { return job.prepare(stream, limits); },
      .on_host = [&](int, Slab slab, const jobs::Progress& on) { on_host(slab, on); },
      .results = fields,
      .item_values = job.item_values(),
      .on_device = std::nullopt};
  MultiDeviceRun run(parts, work, plan, devices, settings_.run);
  auto report = run.run(progress);
  run.add_to(calibration_, job.kernel());
  explain(job, plan, devices, report);
  std::ranges::move(left_out, std::back_inserter(report.shares));
  return report;
}

}  // namespace isolume::gpu
