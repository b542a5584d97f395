#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_engine.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <vector>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/logging.h"
#include "core/dispatch/device_choice.h"
#include "gpu/electrostatics/poisson_boltzmann/poisson_boltzmann_operations.h"
#include "gpu/runtime/devices/guarded_on.h"
#include "gpu/runtime/multi_device/chosen_devices.h"

namespace isolume::gpu {
namespace {

using dispatch::ComputeOptions;
using dispatch::Device;
using electrostatics::GridEquation;
using electrostatics::SolveOptions;
using electrostatics::SolveReport;

/// Estimated: for this many points the CPU takes some milliseconds, as much as a GPU for the upload and a
/// hundred waits.
constexpr std::size_t points_worth_a_gpu = 30'000;

EquationPrecision precision_of(std::string_view kernel) {
  if (kernel == "auto" || kernel == "mixed") return EquationPrecision::mixed;
  if (kernel == "single") return EquationPrecision::single;
  throw Error(fmt::format(
      "There is no kernel named {} for the Poisson-Boltzmann equation. Use \"auto\", \"mixed\" or "
      "\"single\".",
      isolume::quoted(kernel)));
}

class GpuEquationEngine final : public electrostatics::EquationEngine {
 public:
  GpuEquationEngine(std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline)
      : pool_(std::move(pool)), deadline_(deadline) {}

  std::string leaves_to_others(std::size_t points) const override {
    if (dispatch::usable_gpus(*pool_).empty()) return "every GPU is set aside";
    if (points < points_worth_a_gpu)
      return fmt::format("a GPU would not shorten the solution at {} points", points);
    return {};
  }

  dispatch::Computed<SolveReport> solve(GridEquation& equation, const SolveOptions& how,
                                        const ComputeOptions& options,
                                        const jobs::Progress& progress) const override {
    const EquationPrecision precision = precision_of(options.kernel);
    dispatch::Report report;
    std::exception_ptr failure;
    for (const Device* device : candidates(options)) {
      auto& share = report.shares.emplace_back();
      share.device = device->name();
      share.which = device;
      const auto start = std::chrono::steady_clock::now();
      try {
        const SolveReport solved =
            is_cpu(device) ? equation.solve(how, progress) : guarded_on(gpu_of(*device), deadline_, [&] {
              return solve_on(gpu_of(*device), equation, equation.effective(how), precision, progress);
            });
        share.tiles = 1;
        report.seconds = share.busy_seconds = seconds_since(start);
        report.who = share.device;
        if (!is_cpu(device)) report.kernel = precision == EquationPrecision::mixed ? "mixed" : "single";
        return {solved, std::move(report)};
      } catch (const electrostatics::NotConverged&) {
        throw;  // it would fail on another device, too
      } catch (const Error& error) {
        share.error = error.what();
        add_reason(report, share);
        log::warning("{}", report.reason);
        failure = std::current_exception();
      }
    }
    std::rethrow_exception(failure);
  }

 private:
  /// In the order in which they are tried: at least one GPU, and then the CPU if it was named.
  std::vector<const Device*> candidates(const ComputeOptions& options) const {
    const ChosenDevices chosen = choose_devices(*pool_, {.devices = options.devices});
    std::vector<const Device*> devices(chosen.all.begin(), chosen.all.end());
    if (!chosen.named) std::erase_if(devices, is_cpu);
    std::ranges::stable_partition(devices, std::not_fn(is_cpu));
    return devices;
  }

  static void add_reason(dispatch::Report& report, const dispatch::Report::Share& share) {
    report.reason += fmt::format("{}{} did not solve it: {}", report.reason.empty() ? "" : "; ", share.device,
                                 share.error);
  }

  SolveReport solve_on(const GpuDevice& device, GridEquation& equation, const SolveOptions& how,
                       EquationPrecision precision, const jobs::Progress& progress) const {
    const std::size_t needed = DeviceEquation::bytes_of(equation, how.nonlinear, precision),
                      free = device.memory_budget_bytes();
    if (needed > free) {
      throw ResourceError(
          fmt::format("The equation of {} points on {}", equation.extents().count(), device.name()), needed,
          free, "Use a larger spacing, a smaller margin, other devices, or the engine \"cpu\".");
    }
    equation.prepare(how);
    const Stream stream(device);
    const WaitLimits limits{deadline_, progress};
    const auto there = put_equation(equation, how.nonlinear, precision, stream, limits);
    const SolveReport solved = solve_equation(*there, how, equation.reference_norm(), progress);
    there->fetch(equation.u);
    return solved;
  }

  std::shared_ptr<dispatch::DevicePool> pool_;
  std::chrono::duration<double> deadline_;
};

}  // namespace

std::unique_ptr<electrostatics::EquationEngine> make_gpu_equation_engine(
    std::shared_ptr<dispatch::DevicePool> pool, std::chrono::duration<double> deadline) {
  return std::make_unique<GpuEquationEngine>(std::move(pool), deadline);
}

}  // namespace isolume::gpu
