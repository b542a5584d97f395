#include <algorithm>
#include <filesystem>
#include <memory>
#include <ostream>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "core/orbitals/benchmark.h"

namespace isolume::batch {
namespace {

struct Options {
  std::vector<std::string> files;
  int threads = 0;
  bool json = false;
};

void print_for_people(std::ostream& out, const std::vector<orbitals::BenchmarkResult>& results) {
  if (results.empty()) return;
  const auto& machine = results.front();
  out << fmt::format("{}, {} thread(s), {:.0f} GFLOP/s at best\n\n", machine.processor, machine.threads,
                     machine.peak.gflop_per_second);
  out << fmt::format("{:<28} {:<9} {:>11} {:>10} {:>11} {:>8} {:>9} {:>6}\n", "file", "field", "points",
                     "median ms", "Mpoints/s", "GFLOP", "bound ms", "peak");
  for (const auto& each : results) {
    out << fmt::format("{:<28} {:<9} {:>11} {:>10.2f} {:>11.1f} {:>8.2f} {:>9.2f} {:>5.0f}%\n",
                       std::filesystem::path(each.file).filename().string(), each.field, each.points,
                       each.median_ms, each.points_per_second / 1e6, each.gflop,
                       std::max(each.flop_bound_ms, each.write_bound_ms), 100 * each.fraction_of_peak);
  }
}

void bench(Context& context, const Options& options) {
  const auto peak = orbitals::measure_machine_peak(options.threads);
  orbitals::BenchmarkOptions timing;
  timing.threads = options.threads;
  std::vector<orbitals::BenchmarkResult> results;
  const double share = 1.0 / static_cast<double>(options.files.size());
  for (std::size_t i = 0; i < options.files.size(); ++i) {
    const auto progress =
        context.progress.part(share * static_cast<double>(i), share * static_cast<double>(i + 1));
    const auto document = molecules::read_document(options.files[i], progress.part(0, 0.1));
    for (auto& each : orbitals::benchmark_orbitals(options.files[i], wavefunction_of(document), peak, timing,
                                                   progress.part(0.1, 1))) {
      results.push_back(std::move(each));
    }
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
  lab->add_option("--threads", options->threads, "CPU threads; 0 takes all of them")
      ->check(CLI::Range(0, 4096))
      ->capture_default_str();
  lab->add_flag("--json", options->json, "Print JSON");
  lab->callback([options, &context] { context.action = [options, &context] { bench(context, *options); }; });
}

}  // namespace isolume::batch
