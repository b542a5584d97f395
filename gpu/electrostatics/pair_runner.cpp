#include "gpu/electrostatics/pair_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "core/electrostatics/pair_field.h"

namespace isolume::gpu {
namespace {

using dispatch::Device;
using Role = dispatch::TilePlan::Device::Role;

dispatch::TileWork work_of(const SumJob& job) {
  dispatch::TileWork work;
  work.items = job.items();
  work.block = std::max(job.granularity(), electrostatics::layers_at_once);
  work.item_bytes = job.bytes_an_item();
  work.job_bytes = job.device_bytes();
  work.operations = job.operations();
  work.moved_bytes = static_cast<double>(job.items()) * static_cast<double>(job.item_values()) *
                     job.fields() * sizeof(float);
  work.item = job.subject();
  work.remedy = "Use a coarser spacing, a smaller box, other devices, or the engine \"cpu\".";
  return work;
}

/// Removes GPUs that have failed in the mesh part since they were chosen.
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

dispatch::Report PairRunner::run(const SumJob& job, const std::vector<float*>& fields,
                                 const std::function<void(Slab, const jobs::Progress&)>& on_host,
                                 const PairDevices& chosen, const jobs::Progress& progress) const {
  auto devices = chosen.all;
  auto left_out = drop_those_lost(devices);
  if (devices.empty()) throw Error(left_out.front().error);
  const dispatch::TileWork work = work_of(job);
  const auto facts = calibration_.facts(devices, job.kernel());
  auto rules = settings_.rules;
  rules.all_given = chosen.named;
  auto plan = dispatch::plan_tiles(work, facts, rules);
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
