#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/electrostatics/batch/batch_places.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "core/base/clock.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/quantum/quantum_potential.h"

namespace isolume::batch {

namespace es = electrostatics;

namespace {

/// Throws UsageError for options that say something about charges or a medium: all but these.
void check_quantum_words(const PotentialArguments& options) {
  constexpr std::array<std::string_view, 15> meant{"memory",  "output",  "points", "plane",       "like",
                                                   "spacing", "margin",  "set",    "unit",        "engine",
                                                   "kernel",  "devices", "json",   "temperature", "threads"};
  for (const auto& name : given_options(*options.command)) {
    if (std::ranges::find(meant, name) != meant.end()) continue;
    throw UsageError(
        fmt::format("{}: --{} does not apply to a wavefunction: its potential is that of nuclei and "
                    "electrons in vacuum. Leave it out.",
                    options.file, name));
  }
}

void tell(Context& context, const PotentialArguments& options, const WavefunctionInput& input,
          const gaussians::WavefunctionPotential& source, std::size_t points, const dispatch::Report& report,
          const nlohmann::ordered_json& seconds) {
  const auto& atoms = input.wavefunction().molecule.atoms;
  const double charge = source.nuclear_charge() - source.electrons();
  if (!options.json) {
    context.out << fmt::format("{}: {} atoms, {:.4f} electrons, charge {:.4f} e, {} points: {:.3f} s by {}\n",
                               options.output, atoms.size(), source.electrons(), shown_charge(charge), points,
                               seconds["density"].get<double>() + seconds["sums"].get<double>(), report.who);
    return;
  }
  const Eigen::Vector3d dipole = molecules::debye_per_e_bohr * source.dipole();
  print(context.out,
        {{"file", options.file},
         {"output", options.output},
         {"method", "quantum"},
         {"unit", parameters::to_text(options.set.get("unit"))},
         {"atoms", atoms.size()},
         {"orbitals", input.set().name},
         {"electrons", source.electrons()},
         {"electrons_by_occupations", input.electrons_by_occupations()},
         {"electrons_in_effective_cores", input.core_electrons()},
         {"charge", charge},
         {"dipole_debye", {dipole.x(), dipole.y(), dipole.z()}},
         {"points", points},
         {"computed_by", report.who},
         {"kernel", report.kernel.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(report.kernel)},
         {"reason", report.reason},
         {"devices", describe_shares(report)},
         {"gaussians", source.gaussian_count()},
         {"remarks", json_of(context.remarks)},
         {"seconds", seconds}});
}

}  // namespace

void quantum_potential(Context& context, const PotentialArguments& options) {
  check_quantum_words(options);
  const auto start = std::chrono::steady_clock::now();
  const auto input = read_wavefunction(context, options.file, options.wavefunction, 0.1);
  const double read = seconds_since(start);
  auto how = es::quantum_options(options.how);
  how.engines = quantum_engines_for(options.how);
  const auto from = std::chrono::steady_clock::now();
  const auto source = es::expand(input.wavefunction(), input.set(), how, context.progress.part(0.1, 0.2));
  const double density = seconds_since(from);
  const auto sums = context.progress.part(0.2, 0.9), writing = context.progress.part(0.9, 1);
  const auto finish = [&](const auto& found, std::size_t points, const auto& write) {
    const auto computed = std::chrono::steady_clock::now();
    write(found.values);
    tell(context, options, input, source, points, found.report,
         {{"read", read},
          {"density", density},
          {"sums", found.seconds_sums},
          {"write", seconds_since(computed)}});
  };
  if (asks_for_places(options)) {
    const auto where = asked_places(context, options, {}, context.progress.part(0.2, 0.2));
    return finish(es::quantum_potential_at(where.places, source, how, sums), where.places.size(),
                  [&](const auto& values) { write_at(where, values, options, writing); });
  }
  const auto& molecule = input.wavefunction().molecule;
  const auto grid = grid_of(context, options, box_in_angstrom(molecule));
  const std::size_t bytes = grid.point_count() * sizeof(float);
  if (comes_in_parts(options, bytes)) {
    const auto parts = es::quantum_parts_of(grid, bytes_for_map(options));
    PartsWriter writer(context, options, grid, parts, molecule);
    const auto found = writer.during([&] {
      return es::quantum_potential_in_parts(
          grid, source, how, parts,
          [&](const grid::ScalarField& planes, const jobs::Progress& on) { writer.put(planes, on); },
          context.progress.part(0.2, 1), writer.kept());
    });
    writer.commit();
    return tell(
        context, options, input, source, grid.point_count(), found.report,
        {{"read", read}, {"density", density}, {"sums", found.seconds_sums}, {"write", writer.seconds()}});
  }
  tell_memory(context, options.output, grid.point_count(), bytes);
  finish(es::quantum_potential_on(grid, source, how, sums), grid.point_count(),
         [&](const auto& values) { es::write_map(values, options.output, writing, molecule); });
}

}  // namespace isolume::batch
