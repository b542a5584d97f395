#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/dispatch/dispatch.h"
#include "core/orbitals/benchmark.h"

namespace isolume::batch {
namespace {

struct Options {
  std::vector<std::string> files;
  std::vector<int> threads;  ///< none: one thread, then all
  bool json = false;
};

void print_for_people(std::ostream& out, const std::vector<orbitals::BenchmarkResult>& results) {
  if (results.empty()) return;
  const auto& machine = results.front();
  out << fmt::format("{}, {}; {:.0f} GFLOP/s a thread at best\n\n", machine.processor, machine.engine,
                     machine.peak.gflop_per_second / machine.peak.threads);
  out << fmt::format("{:<24} {:<8} {:>10} {:>7} {:>9} {:>9} {:>9} {:>10} {:>8} {:>9} {:>5}\n", "file",
                     "field", "points", "threads", "median ms", "min ms", "first ms", "Mpoints/s", "GFLOP",
                     "bound ms", "peak");
  for (const auto& each : results) {
    out << fmt::format(
        "{:<24} {:<8} {:>10} {:>7} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.1f} {:>8.3f} {:>9.2f} {:>4.0f}%\n",
        std::filesystem::path(each.file).filename().string(), each.field, each.points, each.threads,
        each.median_ms, each.min_ms, each.first_ms, each.points_per_second / 1e6, each.gflop,
        std::max(each.flop_bound_ms, each.write_bound_ms), 100 * each.fraction_of_peak);
  }
}

std::vector<orbitals::BenchmarkResult> results_with(int threads, const std::vector<std::string>& files,
                                                    const jobs::Progress& progress) {
  const auto peak = orbitals::measure_machine_peak(threads);
  orbitals::BenchmarkOptions timing;
  timing.threads = threads;
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

void bench(Context& context, const Options& options) {
  auto counts = options.threads;
  if (counts.empty()) {
    counts = {1};
    if (dispatch::processor_threads() > 1) counts.push_back(dispatch::processor_threads());
  }
  std::vector<orbitals::BenchmarkResult> results;
  const double share = 1.0 / static_cast<double>(counts.size());
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto part =
        context.progress.part(share * static_cast<double>(i), share * static_cast<double>(i + 1));
    for (auto& each : results_with(counts[i], options.files, part)) results.push_back(std::move(each));
  }
  if (!options.json) return print_for_people(context.out, results);
  auto json = nlohmann::ordered_json::array();
  for (const auto& each : results) json.push_back(nlohmann::ordered_json(orbitals::to_json(each)));
  print(context.out, json);
}

}  // namespace

void add_bench(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = program.add_subcommand("bench", "How fast this machine computes.");
  command->require_subcommand(1);
  auto* lab = command->add_subcommand("orbitals", "Time the HOMO and the total density of files.");
  lab->add_option("FILE", options->files, "Molden, FCHK or GAMESS files, plain or .gz")->required();
  lab->add_option("--threads", options->threads,
                  "CPU threads, 0 for all of them; given several times, each in turn [one thread, then all]")
      ->check(CLI::Range(0, 4096))
      ->allow_extra_args(false);
  lab->add_flag("--json", options->json, "Print JSON");
  lab->callback([options, &context] { context.action = [options, &context] { bench(context, *options); }; });
}

}  // namespace isolume::batch
