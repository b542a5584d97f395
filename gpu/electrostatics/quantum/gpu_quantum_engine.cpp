#include "gpu/electrostatics/quantum/gpu_quantum_engine.h"

#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/device_choice.h"
#include "gpu/electrostatics/make_sum_runner.h"
#include "gpu/electrostatics/quantum/quantum_job.h"
#include "gpu/runtime/devices/gpu_device.h"

namespace isolume::gpu {
namespace {

using dispatch::ComputeOptions;
using electrostatics::Places;
using electrostatics::QuantumProblem;

/// The CPU does fewer operations than this in the time in which a GPU gets the coefficients: some
/// milliseconds.
constexpr double worth_moving = 3e7;
constexpr std::size_t most_places = std::numeric_limits<int>::max() / 2;

class GpuQuantumEngine final : public electrostatics::QuantumEngine {
 public:
  GpuQuantumEngine(std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings)
      : runner_(make_sum_runner(std::move(pool), settings)) {}

  std::string_view name() const override { return gpu_engine_name(); }
  std::string description(int) const override { return dispatch::describe_gpus(runner_.pool()); }
  std::vector<std::string> kernels() const override { return {std::string(quantum_kernel)}; }
  std::string leaves_to_others(double operations) const override {
    if (dispatch::usable_gpus(runner_.pool()).empty()) return "every GPU is set aside";
    if (operations < worth_moving)
      return fmt::format("a GPU would not shorten a sum of {:.2g} operations", operations);
    return {};
  }

  dispatch::Report sum_on(const grid::Grid& grid, const QuantumProblem& problem, float* values,
                          const ComputeOptions& options, const jobs::Progress& progress) const override {
    check_kernel(options);
    const auto job = make_quantum_job(grid, problem, electrostatics::operations_on(grid, problem));
    const auto on_host = [&](Slab slab, const jobs::Progress& on) {
      electrostatics::sum_quantum_on_layers(grid, slab.first, slab.count, problem, values, on);
    };
    return runner_.run(*job, {values}, choose_devices(runner_.pool(), options), on_host, progress);
  }

  dispatch::Report sum_at(const Places& places, std::span<const std::size_t> which,
                          const QuantumProblem& problem, double* values, const ComputeOptions& options,
                          const jobs::Progress& progress) const override {
    check_kernel(options);
    const std::size_t count = which.size();
    if (count == 0) return {.who = description(options.threads)};
    if (count > most_places) {
      throw Error(fmt::format("GPUs compute at {} points at most; these are {}. Choose the engine \"cpu\".",
                              most_places, count));
    }
    const auto job =
        make_quantum_job(places, which, problem, electrostatics::operations_at(places, which, problem));
    std::vector<float> nearest(count), rest(count);
    const auto on_host = [&](Slab slab, const jobs::Progress& on) {
      const auto first = static_cast<std::size_t>(slab.first), many = static_cast<std::size_t>(slab.count);
      std::vector<double> found(many);
      electrostatics::sum_quantum_at_some(places, which.subspan(first, many), problem, found.data(), on);
      for (std::size_t i = 0; i < many; ++i) {
        nearest[first + i] = static_cast<float>(found[i]);
        rest[first + i] = static_cast<float>(found[i] - static_cast<double>(nearest[first + i]));
      }
    };
    auto report = runner_.run(*job, {nearest.data(), rest.data()}, choose_devices(runner_.pool(), options),
                              on_host, progress);
    for (std::size_t i = 0; i < count; ++i)
      values[i] = static_cast<double>(nearest[i]) + static_cast<double>(rest[i]);
    return report;
  }

 private:
  static void check_kernel(const ComputeOptions& options) {
    if (options.kernel == "auto" || options.kernel == quantum_kernel) return;
    throw Error(fmt::format(
        "There is no kernel named {} for the potential of a wavefunction. Use \"auto\" or \"{}\".",
        isolume::quoted(options.kernel), quantum_kernel));
  }

  SumRunner runner_;
};

}  // namespace

EngineSettings default_quantum_settings() {
  auto settings = default_engine_settings();
#ifndef ISOLUME_GPU_EMULATED
  // The speed in double precision is a half to a sixty-fourth of that in single.
  settings.rules.unknown_operations_per_second = 1e12;
#endif
  return settings;
}

std::unique_ptr<electrostatics::QuantumEngine> make_gpu_quantum_engine(
    std::shared_ptr<dispatch::DevicePool> pool, const EngineSettings& settings) {
  return std::make_unique<GpuQuantumEngine>(std::move(pool), settings);
}

}  // namespace isolume::gpu
