
#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/gpu_positions.h"
#include "app/labs/orbitals/batch_bench_gpu.h"
#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/orbitals/benchmark.h"
#include "gpu/machine.h"
#include "gpu/orbitals/engines.h"

namespace isolume::batch {
namespace {

struct BenchArguments {
  std::vector<std::string> files;
  std::vector<int> threads;  ///< none: one thread, then all
  std::string engine = "auto";
  std::string kernel = "all";
  std::string devices = "all";
  int points = 0;
  bool json = false;
};

void print_for_people(std::ostream& out, const std::vector<orbitals::BenchmarkResult>& results) {
  if (results.empty()) return;
  const auto& machine = results.front();
  out << fmt::format("{}, {}; peak {:.0f} GFLOP/s per thread\n\n", machine.processor, machine.engine,
                     machine.peak.gflop_per_second / machine.peak.threads);
  out << fmt::format("{:<24} {:<8} {:>10} {:>7} {:>9} {:>9} {:>9} {:>10} {:>8} {:>9} {:>5}\n", "file",
                     "field", "points", "threads", "median ms", "min ms", "first ms", "Mpoints/s", "GFLOP",
                     "bound ms", "peak");
  for (const auto& each : results) {
    out << fmt::format(
        "{:<24} {:<8} {:>10} {:>7} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.1f} {:>8.3f} {:>9.2f} {:>4.0f}%\n",
        std::filesystem::path(each.file).filename().string(), each.field, each.points, each.threads,
        each.timing.median_ms, each.timing.least_ms, each.timing.first_ms, each.points_per_second / 1e6,
        each.gflop, std::max(each.flop_bound_ms, each.write_bound_ms), 100 * each.fraction_of_peak);
  }
}

std::vector<orbitals::BenchmarkResult> results_with(int threads, const BenchArguments& options,
                                                    const jobs::Progress& progress) {
  const auto& files = options.files;
  const auto peak = benchmarks::measure_machine_peak(threads > 0 ? threads : dispatch::processor_threads());
  orbitals::BenchmarkOptions timing;
  timing.threads = threads;
  timing.points = options.points;
  std::vector<orbitals::BenchmarkResult> results;
  const double share = 1.0 / static_cast<double>(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto part = progress.part(share * static_cast<double>(i), share * static_cast<double>(i + 1));
    const auto document = molecules::read_document(files[i], part.part(0, 0.1));
    for (auto& each :
         orbitals::benchmark_orbitals(files[i], wavefunction_of(document), peak, timing, part.part(0.1, 1))) {
      results.push_back(std::move(each));
    }
  }
  return results;
}

std::vector<orbitals::BenchmarkResult> time_cpu(const BenchArguments& options,
                                                const jobs::Progress& progress) {
  auto counts = options.threads;
  if (counts.empty()) {
    counts = {1};
    if (dispatch::processor_threads() > 1) counts.push_back(dispatch::processor_threads());
  }
  std::vector<orbitals::BenchmarkResult> results;
  const double share = 1.0 / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto part = progress.part(share * static_cast<double>(i), share * static_cast<double>(i + 1));
    for (auto& each : results_with(counts[i], options, part)) results.push_back(std::move(each));
  }
  return results;
}

/// Prints rows as they come, so that those before a failure or a timeout are there; returns them all.
nlohmann::ordered_json time_gpus(Context& context, const GpuBench& gpus, const BenchArguments& options,
                                 const std::vector<orbitals::BenchmarkResult>& on_cpu,
                                 const jobs::Progress& progress) {
  std::map<std::string, double> one_thread_ms;
  for (const auto& each : on_cpu) {
    if (each.threads == 1) one_thread_ms[each.file + ' ' + each.field] = each.timing.median_ms;
  }
  auto rows = nlohmann::ordered_json::array();
  const auto tell = [&](nlohmann::ordered_json row) {
    if (!options.json && row["table"] == "kernels") {
      print_gpu_row(context.out, row, one_thread_ms);
      context.out << std::flush;
    }
    rows.push_back(std::move(row));
  };
  if (!options.json) print_gpu_header(context.out, gpus);
  for (const auto& file : options.files) {
    const auto document = molecules::read_document(file, progress);
    time_gpus(gpus, file, wavefunction_of(document), tell, progress);
  }
  if (!options.json) print_several_gpus(context.out, gpus, rows);
  return rows;
}

/// The engine whose kernels are to be timed, or null. Emulated GPUs are timed only when they are named, as
/// their times mean nothing.
const orbitals::Engine* gpu_engine(const orbitals::EngineRegistry& engines, const std::string& wanted) {
  const orbitals::Engine* found = nullptr;
  if (wanted == "auto") {
    for (const auto& each : engines.engines()) {
      if (each->name() == "cuda") found = each.get();
    }
    return found;
  }
  const auto& engine = engines.find(wanted);
  if (engine.name() != "cpu" && engine.kernels().empty()) {
    throw Error(fmt::format("--engine: {} is not timed.", engine.name()));
  }
  return engine.kernels().empty() ? nullptr : &engine;
}

void bench(Context& context, const BenchArguments& options) {
  const auto pool = gpu::make_device_pool();
  const auto engines = gpu::make_orbital_engines(pool);
  const orbitals::Engine* const on_gpus = gpu_engine(engines, options.engine);
  const bool on_cpu = options.engine == "auto" || on_gpus == nullptr;
  std::vector<orbitals::BenchmarkResult> results;
  if (on_cpu) results = time_cpu(options, context.progress.part(0, on_gpus == nullptr ? 1 : 0.5));
  if (!options.json) print_for_people(context.out, results);
  auto rows = nlohmann::ordered_json::array();
  if (on_gpus != nullptr) {
    rows =
        time_gpus(context, plan_gpu_bench(*on_gpus, *pool, options.kernel, options.devices, options.points),
                  options, results, context.progress.part(on_cpu ? 0.5 : 0, 1));
  }
  if (!options.json) return;
  auto json = nlohmann::ordered_json::array();
  for (const auto& each : results) json.push_back(nlohmann::ordered_json(orbitals::to_json(each)));
  for (auto& row : rows) json.push_back(std::move(row));
  print(context.out, json);
}

}  // namespace

void add_orbitals_bench(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<BenchArguments>();
  auto& lab = add_verb(bench_command, "orbitals",
                       "Time the computation of the HOMO and the electron density of files.");
  add_option(lab, context, &options->files,
             commands::path("FILE", "Files with orbitals, plain or .gz").repeatable());
  add_option(
      lab, context, &options->threads,
      commands::integer(
          "threads",
          "CPU threads, 0 for all of them; repeat the option to time several numbers [one thread, then all]")
          .range(0, 4096)
          .optional()
          .repeatable());
  add_option(lab, context, &options->engine,
             commands::choice("engine", "auto: the CPU, then all GPUs present",
                              {"auto", "cpu", "cuda", "emulated"}));
  add_option(lab, context, &options->points,
             commands::integer("points",
                               "Grid points along each axis, with 3 angstrom around the nuclei; 0: 0.1 "
                               "angstrom apart (C60: 172 × 173 × 169)")
                 .range(0, 4096));
  add_option(lab, context, &options->kernel, commands::text("kernel", "The GPU kernel to time, or all"));
  add_option(lab, context, &options->devices, devices_argument());
  add_flag(lab, "json", options->json, "Print JSON");
  on_call(lab, context, [options, &context] { bench(context, *options); });
}

}  // namespace isolume::batch
