#include "gpu/nbody/sum_runner.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"

namespace isolume::gpu {
namespace {

using dispatch::Device;
using Role = dispatch::TilePlan::Device::Role;

dispatch::TileWork work_of(const SumJob& job) {
  dispatch::TileWork work;
  work.items = static_cast<int>(job.body_count());
  work.block = job.granularity();
  work.item_bytes = job.bytes_a_body();
  work.job_bytes = job.device_bytes();
  work.operations = job.operations();
  work.moved_bytes = static_cast<double>(job.body_count()) * job.fields() * sizeof(float);
  work.item = fmt::format("The sum over {} bodies", job.body_count());
  work.remedy = "Take fewer bodies, other devices, or the engine \"cpu\".";
  return work;
}

}  // namespace

ChosenGpus SumRunner::gpus(std::string_view devices) const {
  const auto named = dispatch::parse_devices(devices, *pool_);
  if (!named) {
    ChosenGpus all{dispatch::usable_gpus(*pool_)};
    if (!all.devices.empty()) return all;
    throw Error(pool_->why_no_gpu().empty()
                    ? "Every GPU is set aside. Put one back, or choose the engine \"cpu\"."
                    : pool_->why_no_gpu());
  }
  if (std::ranges::any_of(*named,
                          [](const Device* each) { return each->kind() == dispatch::DeviceKind::cpu; })) {
    throw Error(
        fmt::format("devices: {} names the CPU, which does not sum forces along with GPUs. Name GPUs, or "
                    "choose the engine \"cpu\".",
                    isolume::quoted(devices)));
  }
  return {*named, true};
}

std::vector<Device*> SumRunner::taking_part(const ChosenGpus& chosen, const dispatch::TileWork& work,
                                            std::string_view kernel) const {
  const auto facts = calibration_.facts(chosen.devices, kernel);
  auto rules = settings_.rules;
  rules.all_given = chosen.named;
  const auto plan = dispatch::plan_tiles(work, facts, rules);
  std::vector<Device*> taken;
  for (std::size_t i = 0; i < chosen.devices.size(); ++i) {
    if (plan.devices[i].role == Role::computes) taken.push_back(chosen.devices[i]);
  }
  if (taken.empty()) dispatch::refuse(work, facts);
  return taken;
}

dispatch::Report SumRunner::run(const SumJob& job, const std::vector<float*>& fields,
                                std::string_view devices, const jobs::Progress& progress) const {
  auto [chosen, named] = gpus(devices);
  const dispatch::TileWork work = work_of(job);
  const auto facts = calibration_.facts(chosen, job.kernel());
  auto rules = settings_.rules;
  rules.all_given = named;
  auto plan = dispatch::plan_tiles(work, facts, rules);
  auto left_out = dispatch::drop_left_out(chosen, plan);
  if (chosen.empty()) dispatch::refuse(work, facts);

  const WaitLimits limits{settings_.run.deadline, progress};
  const MultiDeviceRun::Job parts{
      .prepare = [&](const Stream& stream) { return job.prepare(stream, limits); },
      .on_host = {},
      .results = fields,
      .item_values = 1,
      .on_device = std::nullopt};
  MultiDeviceRun run(parts, work, plan, chosen, settings_.run);
  auto report = run.run(progress);
  run.add_to(calibration_, job.kernel());
  report.job = fmt::format("{} bodies", job.body_count());
  report.who = report.took_part();
  report.reason = job.how();
  if (std::ranges::any_of(plan.devices, [](const auto& each) { return each.role == Role::reserve; }))
    report.reason += "; more GPUs would not shorten so small a job";
  std::ranges::move(left_out, std::back_inserter(report.shares));
  return report;
}

}  // namespace isolume::gpu
