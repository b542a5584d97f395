#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "core/structures/generators.h"
#include "core/structures/pqr.h"

namespace isolume::batch {
namespace {

/// What is 0 was not given.
struct MakeVerb {
  std::string kind, output;
  const CLI::App* command = nullptr;
  int cells = 0, residues = 0;
  std::int64_t atoms = 0, seed = 1;
  double size = 0;
  bool json = false;
};

/// What each kind can be told; one of these at most, but for the gas.
void check_sizes(const MakeVerb& options) {
  const bool crystal = options.kind == "nacl" || options.kind == "cscl";
  const bool box = options.kind == "water-box" || options.kind == "gas";
  const auto refuse = [&](bool given, bool suits, const char* flag) {
    if (given && !suits)
      throw UsageError(fmt::format("{} does not apply to {}. Leave it out.", flag, options.kind));
  };
  refuse(options.cells > 0, crystal, "--cells");
  refuse(options.atoms > 0, box, "--atoms");
  refuse(options.size > 0, crystal || box, "--size");
  refuse(options.residues > 0, options.kind == "helix", "--residues");
  refuse(given(*options.command, "seed"), box, "--seed");
  const int told = int{options.cells > 0} + int{options.atoms > 0} + int{options.size > 0};
  if (told > 1 && options.kind != "gas")
    throw UsageError("--cells, --atoms and --size each set the size. Give one of them.");
  if (options.kind == "water-box" && options.atoms % 3 != 0)
    throw UsageError(fmt::format("{} atoms are not a whole number of water molecules. Give a multiple of 3.",
                                 options.atoms));
}

/// As many cells as come nearest to the size.
int cells_of(const MakeVerb& options, double edge) {
  constexpr int usual = 4;
  if (options.cells > 0) return options.cells;
  return options.size > 0 ? std::max(1, static_cast<int>(std::lround(options.size / edge))) : usual;
}

structures::Charges gas(const MakeVerb& options) {
  constexpr double density = 0.1;  // to the cubic angstrom, as atoms in water
  auto count = static_cast<std::size_t>(options.atoms);
  if (count == 0 && options.size > 0)
    count = 2 * static_cast<std::size_t>(std::lround(density * std::pow(options.size, 3) / 2));
  if (count == 0) count = 1000;
  const double edge = options.size > 0 ? options.size : std::cbrt(static_cast<double>(count) / density);
  return structures::neutral_gas(count, edge, static_cast<std::uint64_t>(options.seed));
}

structures::Charges made_of(const MakeVerb& options, const jobs::Progress& progress) {
  if (options.kind == "nacl")
    return structures::sodium_chloride(cells_of(options, structures::sodium_chloride_edge), progress);
  if (options.kind == "cscl")
    return structures::caesium_chloride(cells_of(options, structures::caesium_chloride_edge), progress);
  if (options.kind == "helix")
    return structures::alanine_helix(options.residues > 0 ? options.residues : 20, progress);
  if (options.kind == "gas") return gas(options);
  constexpr double usual_size = 30;
  const double size = options.size > 0 ? options.size : usual_size;
  const auto molecules = options.atoms > 0
                             ? static_cast<std::size_t>(options.atoms / 3)
                             : static_cast<std::size_t>(
                                   std::max(1L, std::lround(std::pow(size, 3) * structures::water_density)));
  return structures::water_box(molecules, static_cast<std::uint64_t>(options.seed), progress);
}

/// For the file's head: what these charges are.
std::string description_of(const MakeVerb& options) {
  if (options.kind == "nacl")
    return fmt::format("NaCl, cells of {} angstrom", structures::sodium_chloride_edge);
  if (options.kind == "cscl")
    return fmt::format("CsCl, cells of {} angstrom", structures::caesium_chloride_edge);
  if (options.kind == "helix")
    return "alpha helix of alanines, phi -57.8 and psi -47.0 degrees, AMBER ff14SB";
  if (options.kind == "gas")
    return fmt::format("charges of +1 and -1 e at random positions, seed {}", options.seed);
  return fmt::format(
      "TIP3P water, 997 kg/m^3, randomly oriented on a jittered lattice, not equilibrated, seed {}",
      options.seed);
}

void make(Context& context, const MakeVerb& options) {
  check_sizes(options);
  check_outputs(context, std::vector{options.output}, {});
  const auto charges = made_of(options, context.progress.part(0, 0.4));
  const std::string description = description_of(options);
  structures::write_pqr(charges, {description}, options.output, context.progress.part(0.4, 1));
  const double charge = structures::total_charge(charges);
  if (!options.json) {
    context.out << fmt::format("{}: {} atoms, charge {:.4f} e: {}\n", options.output, charges.size(), charge,
                               description);
    return;
  }
  nlohmann::ordered_json told{{"output", options.output},
                              {"atoms", charges.size()},
                              {"charge", charge},
                              {"description", description}};
  if (charges.cell) {
    const auto& cell = *charges.cell;
    told["box_angstrom"] = {cell(0, 0), cell(1, 1), cell(2, 2)};
  }
  print(context.out, told);
}

}  // namespace

void add_electrostatics_make(CLI::App& lab, Context& context) {
  auto options = std::make_shared<MakeVerb>();
  auto& command = add_verb(lab, "make", "Generate a test system of charges and write it as a PQR file.");
  options->command = &command;
  add_option(command, context, &options->kind,
             commands::choice("KIND",
                              "nacl or cscl, a salt crystal; water-box, TIP3P water; helix, an alpha helix "
                              "of alanines; gas, charges of +1 and -1 e at random positions",
                              {"nacl", "cscl", "water-box", "helix", "gas"}));
  add_option(command, context, &options->output, commands::path("output", "The PQR file to write"));
  add_option(command, context, &options->cells,
             commands::integer("cells", "Crystals: cells along each edge; 0: 4, or as given by --size")
                 .range(0, 1000));
  add_option(
      command, context, &options->atoms,
      commands::integer(
          "atoms",
          "Number of atoms of water (a multiple of 3) or of charges of gas (even); 0: as given by --size")
          .range(0, 1e9));
  add_option(
      command, context, &options->size,
      commands::number("size", "Approximate edge of the box; 0: 30 angstrom for water, 1000 charges for gas")
          .unit("angstrom")
          .range(0, 10000));
  add_option(command, context, &options->residues,
             commands::integer("residues", "Residues of the helix; 0: 20").range(0, 10000));
  add_option(command, context, &options->seed,
             commands::integer("seed", "Seed of the random positions; the same seed gives the same box")
                 .range(0, 1e9));
  add_flag(command, "json", options->json, "Print a summary as JSON");
  on_call(command, context, [options, &context] { make(context, *options); });
}

}  // namespace isolume::batch
