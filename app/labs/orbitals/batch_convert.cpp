#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "core/base/remarks.h"
#include "core/base/suffix.h"
#include "core/base/version.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/writers.h"

namespace isolume::batch {
namespace {

constexpr std::array<std::string_view, 6> suffixes{".molden", ".wfx", ".cjson", ".xyz", ".cube", ".cub"};

struct ConvertArguments {
  std::string input;
  std::string output;
  int set = 1;
};

/// The numbers of orbitals in a cube file, by the names that its reader gives them; empty for other fields.
std::vector<int> orbital_numbers(std::span<const grid::ScalarField* const> fields) {
  constexpr std::string_view beginning = "orbital ";
  std::vector<int> numbers;
  for (const grid::ScalarField* field : fields) {
    const std::string_view name = field->name;
    const auto number =
        name.starts_with(beginning) ? molecules::parse_integer(name.substr(beginning.size())) : std::nullopt;
    if (!number || *number < 0 || *number > std::numeric_limits<int>::max()) return {};
    numbers.push_back(static_cast<int>(*number));
  }
  return numbers;
}

void write_fields(const molecules::Document& document, const std::string& output,
                  const jobs::Progress& progress) {
  if (document.fields.empty()) {
    throw InputError(document.path, 0, fmt::format("this {} file holds no field", document.format),
                     "Use isolume-batch compute to make one from orbitals.");
  }
  std::vector<const grid::ScalarField*> fields;
  for (const auto& field : document.fields) fields.push_back(field.get());
  // The name says what the numbers are: readers tell orbitals from densities by it.
  const std::string comment = fmt::format("{}, converted by Isolume {}", fields.front()->name, version);
  molecules::write_cube(document.molecule, fields, orbital_numbers(fields), comment, output, progress);
}

/// What becomes of energy, dipole moment, charge and multiplicity.
void remark_on_results(const molecules::Document& document, std::string_view suffix, Remarks& remarks) {
  const bool is_geometry = suffix == ".xyz", is_molden = suffix == ".molden";
  if (suffix == ".wfx") {
    remarks.assumed(fmt::format("WFX files need {}, which the input does not state: written as zero.",
                                document.energy ? "a virial ratio" : "an energy and a virial ratio"));
  }
  std::vector<std::string> lost;
  if (const auto& energy = document.energy; energy && (is_molden || is_geometry)) {
    lost.push_back(fmt::format("energy ({:.10g} Eh)", energy->hartree));
  } else if (energy && energy->kind != "total") {
    remarks.converted(fmt::format(
        "The {} energy is written as the total energy, although a correlated method may have followed.",
        energy->kind));
  }
  if (document.dipole_debye && suffix != ".cjson")
    lost.push_back(fmt::format("dipole moment ({:.4g} D)", document.dipole_debye->norm()));
  const auto& molecule = document.molecule;
  if ((is_molden || is_geometry) && molecule.charge.value_or(0) != 0)
    lost.push_back(fmt::format("charge ({:+d})", *molecule.charge));
  if ((is_molden || is_geometry) && molecule.multiplicity.value_or(1) != 1)
    lost.push_back(fmt::format("multiplicity ({})", *molecule.multiplicity));
  if (is_geometry && document.wavefunction) lost.push_back("orbitals");
  if (is_geometry && !document.fields.empty())
    lost.push_back(fmt::format("fields ({})", document.fields.size()));
  if (lost.empty()) return;
  remarks.dropped(fmt::format("Not written, because {} files do not hold it: {}.", suffix, first_names(lost)),
                  lost.size());
}

molecules::StatedResults results_of(const molecules::Document& document) {
  molecules::StatedResults results{.energy_hartree = {}, .dipole_debye = document.dipole_debye};
  if (document.energy) results.energy_hartree = document.energy->hartree;
  return results;
}

/// Files of orbitals hold one geometry, one set of orbitals, and in WFX those with electrons alone; XYZ files hold
/// geometries and nothing else.
Remarks left_out(const molecules::Document& document, const molecules::OrbitalSet* set,
                 std::string_view suffix) {
  Remarks remarks;
  if (const std::size_t frames = document.frames.size(); frames > 0 && suffix != ".xyz")
    remarks.dropped(fmt::format("Further geometries are not written: {}.", frames), frames);
  remark_on_results(document, suffix, remarks);
  if (set == nullptr) return remarks;
  if (const std::size_t others = document.wavefunction->sets.size() - 1; others > 0) {
    remarks.dropped(fmt::format("Orbital sets other than \"{}\" are not written: {}. Choose one by --set.",
                                set->name, others),
                    others);
  }
  const auto without_energy = static_cast<std::size_t>(std::ranges::count_if(
      set->orbitals, [](const molecules::Orbital& one) { return !std::isfinite(one.energy_hartree); }));
  if (without_energy > 0 && suffix != ".cjson") {
    remarks.assumed(
        fmt::format("Orbital energies that the input does not state are written as zero{}: {}.",
                    suffix == ".molden" ? ", or as the occupations of natural orbitals" : "", without_energy),
        without_energy);
  }
  if (suffix != ".wfx") return remarks;
  const auto empty = static_cast<std::size_t>(
      std::ranges::count(set->orbitals, 0.0, [](const molecules::Orbital& one) { return one.occupation; }));
  if (empty > 0) {
    remarks.dropped(
        fmt::format("Orbitals without electrons are not written, as WFX files hold occupied ones: {}.",
                    empty),
        empty);
  }
  if (set->open_shells == molecules::OpenShells::unknown) {
    remarks.dropped(
        "Numbers of alpha and beta electrons are not written, because the input does not say how its "
        "electrons divide into them.");
  }
  return remarks;
}

void convert(Context& context, const ConvertArguments& options) {
  const std::string suffix = suffix_of(options.output);
  if (std::find(suffixes.begin(), suffixes.end(), suffix) == suffixes.end()) {
    throw Error(fmt::format("{}: expected an output file that ends in .molden, .wfx, .cjson, .xyz or .cube.",
                            options.output));
  }
  check_outputs(context, std::array{options.output}, std::array{options.input});
  const auto document = read(context, options.input, 0.8);
  context.progress.check();
  if (suffix == ".cube" || suffix == ".cub") {
    write_fields(document, options.output, context.progress.part(0.8, 1));
  } else if (suffix == ".xyz") {
    molecules::write_xyz(document.molecule, document.frames, options.output);
    report(context, options.output, left_out(document, nullptr, suffix));
  } else if (suffix == ".cjson" && !document.wavefunction) {
    molecules::write_cjson(document.molecule, nullptr, nullptr, options.output, results_of(document));
    report(context, options.output, left_out(document, nullptr, suffix));
  } else {
    const auto& wavefunction = wavefunction_of(document);
    if (options.set < 1 || static_cast<std::size_t>(options.set) > wavefunction.sets.size()) {
      throw Error(fmt::format("--set {}: {} has the sets 1 to {}.", options.set, options.input,
                              wavefunction.sets.size()));
    }
    const auto& set = wavefunction.sets[static_cast<std::size_t>(options.set) - 1];
    if (suffix == ".molden") {
      molecules::write_molden(wavefunction, set, options.output);
    } else if (suffix == ".wfx") {
      molecules::write_wfx(wavefunction, set, options.output, results_of(document));
    } else {
      molecules::write_cjson(wavefunction.molecule, &wavefunction, &set, options.output,
                             results_of(document));
    }
    report(context, options.output, left_out(document, &set, suffix));
  }
  context.out << fmt::format("{}: written from {}\n", options.output, options.input);
}

}  // namespace

void add_orbitals_convert(CLI::App& program, Context& context) {
  auto options = std::make_shared<ConvertArguments>();
  auto& command =
      add_verb(program, "convert",
               "Convert a file to another format and correct known errors of the program that wrote it.");
  add_option(command, context, &options->input, commands::path("IN", "The file to read"));
  add_option(
      command, context, &options->output,
      commands::path(
          "OUT", "The file to write: .molden, .wfx, .cjson (orbitals), .xyz (geometry) or .cube (fields)"));
  add_option(command, context, &options->set, commands::counted("set", "Orbital set, from 1"));
  on_call(command, context, [options, &context] { convert(context, *options); });
}

}  // namespace isolume::batch
