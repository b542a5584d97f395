#include <ostream>
#include <string>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/electrostatics/batch_verbs.h"
#include "core/electrostatics/benchmark.h"

namespace isolume::batch {
namespace {

struct Options {
  std::string method = "all";
  int atoms = 0;  ///< 0: as many as suit the method
  double spacing = 0.5, cutoff = 12, error = 1e-5;
  int threads = 0;
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
  std::string text = fmt::format("{}: {} charges at {} points in {:.3f} s on {} threads, ", method,
                                 result.atoms, result.points, result.seconds, result.threads);
  if (result.unknowns > 0)
    return text + fmt::format("{:.1f} M unknowns/s", result.unknowns_per_second * 1e-6);
  const double pairs = result.pairs_per_second * 1e-9;
  if (result.fraction_of_bound == 0)  // not pair by pair
    return text + fmt::format("for which a direct sum would have to do {:.2f} G pairs/s", pairs);
  return text +
         fmt::format("{:.2f} G pairs/s, {:.0f} % of the {:.2f} G pairs/s that the processor could do at best",
                     pairs, 100 * result.fraction_of_bound, result.pair_peak * 1e-9);
}

void bench(Context& context, const Options& options) {
  auto rows = nlohmann::ordered_json::array();
  const auto& methods = electrostatics::potential_schema().at("method").description.choices;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (options.method != "all" && options.method != methods[i].key) continue;
    electrostatics::PotentialOptions how;
    how.method = static_cast<electrostatics::Method>(i);
    how.threads = options.threads;
    how.cutoff_angstrom = options.cutoff;
    how.error = options.error;
    const std::size_t atoms =
        options.atoms > 0 ? static_cast<std::size_t>(options.atoms) : usual_atoms(how.method);
    const auto result =
        electrostatics::benchmark_potential(atoms, options.spacing, how, {0, 3}, context.progress);
    rows.push_back(electrostatics::to_json(result));
    if (options.json) continue;
    context.out << in_words(methods[i].key, result);
    context.out << '\n' << std::flush;
  }
  if (options.json) print(context.out, rows);
}

}  // namespace

void add_electrostatics_bench(CLI::App& bench_command, Context& context) {
  auto options = std::make_shared<Options>();
  auto& lab = add_verb(bench_command, "electrostatics",
                       "Time potentials of random charges, as dense as atoms in water, on a lattice: sums "
                       "over pairs, and solutions of the Poisson-Boltzmann equation.");
  add_option(lab, context, &options->method,
             commands::choice("method", "Which method to time",
                              {"all", "direct", "cutoff", "debye-hueckel", "fmm", "multilevel", "pme",
                               "pb-linear", "pb-nonlinear"}));
  add_option(lab, context, &options->atoms,
             commands::integer("atoms", "How many charges; 0: as many as take seconds").range(0, 1e8));
  add_option(lab, context, &options->spacing,
             commands::number("spacing", "Between points of the lattice").unit("angstrom").range(0.05, 10));
  add_option(lab, context, &options->cutoff,
             commands::number("cutoff", "Of cutoff, multilevel and pme").unit("angstrom").range(0.1, 1000));
  add_option(lab, context, &options->error,
             commands::number("error", "Of fmm, multilevel and pme").range(1e-12, 0.1));
  add_option(lab, context, &options->threads,
             commands::integer("threads", "CPU threads, 0 for all of them").range(0, 4096));
  add_flag(lab, "json", options->json, "Print JSON");
  on_call(lab, context, [options, &context] { bench(context, *options); });
}

}  // namespace isolume::batch
