#include <ostream>
#include <string>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/electrostatics/batch/batch_bench_quantum.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "core/electrostatics/potential/benchmark.h"
#include "core/structures/pqr.h"
#include "gpu/electrostatics/pair_kernel_times.h"

namespace isolume::batch {
namespace {

/// The method that is of a wavefunction in place of charges.
constexpr std::string_view quantum = "quantum";

struct BenchArguments {
  std::string method = "all", dielectric = "constant", file, wavefunction;
  int points = 97;
  int atoms = 0;  ///< 0: as many as suit the method
  double spacing = 0.5, cutoff = 12, error = 1e-5;
  int threads = 0;
  std::string engine = "auto", kernel = "auto", devices = "all";
  bool json = false;
};

/// So that each takes seconds.
std::size_t usual_atoms(electrostatics::Method method) {
  switch (method) {
    case electrostatics::Method::cutoff:
      return 200'000;
    case electrostatics::Method::fmm:
    case electrostatics::Method::multilevel:
    case electrostatics::Method::pme:
      return 50'000;
    case electrostatics::Method::pb_linear:
    case electrostatics::Method::pb_nonlinear:
      return 1'000;
    default:
      return 10'000;
  }
}

std::string in_words(const std::string& method, const electrostatics::BenchmarkResult& result) {
  const std::string by = result.kernel.empty()
                             ? fmt::format("on {} threads", result.threads)
                             : fmt::format("by {}, {} kernel", result.computed_by, result.kernel);
  std::string text = fmt::format("{}: {} charges at {} points in {:.3f} s {}, ", method, result.atoms,
                                 result.points, result.seconds, by);
  if (result.unknowns > 0) {
    return text + fmt::format(
                      "{:.1f} M unknowns/s; again with 10 % more salt {:.3f} s\n  linear system of the "
                      "solution alone: {:.2f} ms in {} cycles; again {:.2f} ms in {}",
                      result.unknowns_per_second * 1e-6, result.after_slider.median_ms / 1000,
                      result.equation.median_ms, result.cycles, result.equation_after_slider.median_ms,
                      result.cycles_after_slider);
  }
  const double pairs = result.pairs_per_second * 1e-9;
  if (!electrostatics::sums_all_pairs(result.method)) {
    return text + fmt::format("equivalent to a direct sum at {:.2f} G pairs/s{}{}", pairs,
                              result.reason.empty() ? "" : "; ", result.reason);
  }
  if (result.fraction_of_bound == 0) return text + fmt::format("{:.2f} G pairs/s", pairs);
  return text + fmt::format("{:.2f} G pairs/s, {:.0f} % of the processor's peak of {:.2f} G pairs/s", pairs,
                            100 * result.fraction_of_bound, result.pair_peak * 1e-9);
}

/// A line more for a sum that GPUs did: what one of them takes, without moving charges and values.
void bench_kernel(Context& context, const BenchArguments& options,
                  const electrostatics::PotentialOptions& how, const electrostatics::BenchmarkResult& result,
                  const dispatch::DevicePool& pool, nlohmann::ordered_json& row) {
  const auto terms = electrostatics::terms_of(how);
  const electrostatics::Bins bins(
      electrostatics::sources_of(electrostatics::benchmark_charges(result.atoms), terms), terms.cutoff);
  const electrostatics::PairProblem pairs{bins, terms, electrostatics::scale_of(how)};
  const auto times =
      gpu::time_pair_kernel(pool, electrostatics::benchmark_grid(result.atoms, options.spacing), pairs, how,
                            {1, 3}, context.progress);
  // What meshes make up for is no pair of the kernel's.
  const double count = electrostatics::sums_all_pairs(how.method)
                           ? result.pairs_per_second * result.seconds
                           : electrostatics::pairs_of(pairs, result.points);
  const double pairs_per_second = count / (times.sums_ms / 1000);
  row["kernel_alone"] = {
      {"device", times.device}, {"sums_ms", times.sums_ms}, {"pairs_per_second", pairs_per_second}};
  if (options.json) return;
  context.out << fmt::format(
      "  kernel on {} alone, {}with charges and values in its memory: {:.2f} ms, {:.2f} G pairs/s\n",
      times.device, pairs.terms.law == electrostatics::PairLaw::split ? "without mesh, " : "", times.sums_ms,
      pairs_per_second * 1e-9);
}

/// Of a molecule's charges on a cube of points around their middle.
electrostatics::BenchmarkResult bench_molecule(const BenchArguments& options,
                                               const electrostatics::PotentialOptions& how,
                                               const benchmarks::RepeatOptions& repeats,
                                               const jobs::Progress& progress) {
  const auto charges = structures::read_pqr(options.file);
  const auto box = structures::box_of(charges);
  const auto grid = grid::centred((box.low + box.high) / 2, {options.points, options.points, options.points},
                                  options.spacing, grid::LengthUnit::angstrom);
  return electrostatics::benchmark_equation(charges, grid, how, repeats, progress);
}

/// Of "all", methods that are the CPU's are left out where GPUs were asked for.
bool is_wanted(const BenchArguments& options, electrostatics::Method method, const std::string& key) {
  if (options.method != "all") return options.method == key;
  if (options.dielectric == "distance" && !electrostatics::takes_dielectric(method)) return false;
  if (!options.file.empty()) return electrostatics::is_poisson_boltzmann(method);
  const bool by_cpu = options.engine == "auto" || options.engine == "cpu";
  return by_cpu || electrostatics::has_engines(method);
}

/// Throws UsageError for options that the method makes nothing of.
void check_words(const BenchArguments& options) {
  if (options.dielectric == "distance" && options.method != "all" && options.method != "direct" &&
      options.method != "cutoff")
    throw UsageError(
        "--dielectric distance works with the methods direct and cutoff only. Give --method direct or "
        "cutoff.");
  if (!options.wavefunction.empty() && options.method != "all" && options.method != quantum)
    throw UsageError(
        "--wavefunction is for --method quantum only. Give that method, or leave out --wavefunction.");
  if (options.atoms > 0 && options.method == quantum)
    throw UsageError(
        "--atoms sets a number of point charges, which --method quantum does not use. Give --wavefunction "
        "FILE to change the molecule.");
  const bool equation = options.method.starts_with("pb-") || options.method == "all";
  if (!options.file.empty() && !equation)
    throw UsageError(
        "--file is for the Poisson-Boltzmann methods only. Give --method pb-linear or pb-nonlinear.");
}

void bench(Context& context, const BenchArguments& options) {
  check_words(options);
  const auto pool = gpu::make_device_pool();
  const auto engines = std::make_shared<const electrostatics::EngineRegistry>(gpu::make_pair_engines(pool));
  auto rows = nlohmann::ordered_json::array();
  const auto& methods = electrostatics::potential_schema().at("method").description.choices;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (!is_wanted(options, static_cast<electrostatics::Method>(i), methods[i].key)) continue;
    electrostatics::PotentialOptions how;
    how.method = static_cast<electrostatics::Method>(i);
    how.dielectric = options.dielectric == "distance" ? electrostatics::Dielectric::distance
                                                      : electrostatics::Dielectric::constant;
    how.threads = options.threads;
    how.cutoff_angstrom = options.cutoff;
    how.error = options.error;
    how.engine = options.engine;
    how.kernel = options.kernel;
    how.devices = options.devices;
    how.engines = engines;
    const std::size_t atoms =
        options.atoms > 0 ? static_cast<std::size_t>(options.atoms) : usual_atoms(how.method);
    const bool by_gpu =
        engines->engines().size() > 1 && options.engine != "cpu" && electrostatics::has_engines(how.method);
    // GPUs learn from the first jobs how to share out the next.
    const benchmarks::RepeatOptions repeats{0, by_gpu ? 7 : 3};
    const auto result = options.file.empty() ? electrostatics::benchmark_potential(
                                                   atoms, options.spacing, how, repeats, context.progress)
                                             : bench_molecule(options, how, repeats, context.progress);
    rows.push_back(electrostatics::to_json(result));
    if (!options.json) context.out << in_words(methods[i].key, result) << '\n' << std::flush;
    if (!result.kernel.empty() && !electrostatics::is_poisson_boltzmann(how.method))
      bench_kernel(context, options, how, result, *pool, rows.back());
  }
  if ((options.method == "all" && options.file.empty() && options.dielectric == "constant") ||
      options.method == quantum) {
    std::string text;
    rows.push_back(bench_quantum(context,
                                 {options.wavefunction,
                                  options.spacing,
                                  {options.threads, options.engine, options.kernel, options.devices}},
                                 pool, text));
    if (!options.json) context.out << text;
  }
  if (options.json) print(context.out, rows);
}

}  // namespace

void add_electrostatics_bench(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<BenchArguments>();
  auto& lab = add_verb(bench_command, "electrostatics",
                       "Time potentials on a grid: pair sums and Poisson-Boltzmann solutions for random "
                       "charges as dense as the atoms of water, and the potential of a wavefunction.");
  add_option(lab, context, &options->method,
             commands::choice("method", "Which method to time",
                              {"all", "direct", "cutoff", "debye-hueckel", "fmm", "multilevel", "pme",
                               "pb-linear", "pb-nonlinear", "quantum"}));
  add_option(lab, context, &options->dielectric,
             commands::choice("dielectric", "Permittivity for direct and cutoff", {"constant", "distance"}));
  add_option(
      lab, context, &options->wavefunction,
      commands::path("wavefunction", "Wavefunction for quantum, in place of the sample caffeine").optional());
  add_option(lab, context, &options->atoms,
             commands::integer("atoms", "Number of charges; 0: as many as take a few seconds").range(0, 1e8));
  add_option(lab, context, &options->spacing,
             commands::number("spacing", "Spacing of the grid").unit("angstrom").range(0.05, 10));
  add_option(lab, context, &options->file,
             commands::path(
                 "file", "For pb-linear and pb-nonlinear: a PQR file whose charges replace the random ones")
                 .shown_as("PQR")
                 .optional());
  add_option(
      lab, context, &options->points,
      commands::integer("points", "Grid points along each axis around the charges of --file").range(5, 2000));
  add_option(lab, context, &options->cutoff,
             commands::number("cutoff", "Cut-off distance for cutoff, multilevel and pme")
                 .unit("angstrom")
                 .range(0.1, 1000));
  add_option(
      lab, context, &options->error,
      commands::number("error", "Requested relative accuracy for fmm, multilevel and pme").range(1e-12, 0.1));
  add_option(lab, context, &options->threads,
             commands::integer("threads", "CPU threads, 0 for all of them").range(0, 4096));
  add_option(lab, context, &options->engine,
             commands::choice("engine", "Engine for pair sums and equations; auto takes the best",
                              {"auto", "cpu", "cuda", "emulated"}));
  add_option(lab, context, &options->kernel,
             commands::choice(
                 "kernel", "The GPU kernel; auto chooses one",
                 {"auto", "shared", "constant", "sorted-bins", "fixed-bins", "mixed", "single", "sites"}));
  add_option(lab, context, &options->devices,
             commands::text("devices", "Devices to use, by number, as in 1,2; all takes those that help"));
  add_flag(lab, "json", options->json, "Print JSON");
  on_call(lab, context, [options, &context] { bench(context, *options); });
}

}  // namespace isolume::batch
