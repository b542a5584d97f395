#include <algorithm>
#include <array>
#include <map>
#include <ostream>

#include <fmt/format.h>

#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::batch {
namespace {

using Json = nlohmann::ordered_json;
using molecules::Document;

Json numbers(const Eigen::Vector3d& vector) {
  return Json::array({vector.x(), vector.y(), vector.z()});
}

/// Hill's order: carbon, hydrogen, then by symbol.
std::string formula(const molecules::Molecule& molecule) {
  std::map<std::string_view, int> counts;
  for (const auto& atom : molecule.atoms) ++counts[molecules::element(atom.atomic_number).symbol];
  std::string text;
  const auto append = [&](std::string_view symbol) {
    const auto found = counts.find(symbol);
    if (found == counts.end()) return;
    text += symbol;
    if (found->second > 1) text += std::to_string(found->second);
    counts.erase(found);
  };
  if (counts.contains("C")) {
    append("C");
    append("H");
  }
  while (!counts.empty()) append(counts.begin()->first);
  return text;
}

Json frontier(const molecules::OrbitalSet& set, std::string_view name, molecules::Spin spin) {
  try {
    const int position = molecules::find_orbital(set, name, spin);
    const auto same_spin = set.of_spin(spin);
    const auto number = std::find(same_spin.begin(), same_spin.end(), position) - same_spin.begin() + 1;
    return {{"number", number},
            {"energy_hartree", set.orbitals[static_cast<std::size_t>(position)].energy_hartree}};
  } catch (const Error&) {
    return nullptr;  // no LUMO in a file of occupied orbitals only
  }
}

Json describe_set(const molecules::OrbitalSet& set) {
  Json json{{"name", set.name}, {"orbitals", set.orbitals.size()}, {"unrestricted", set.unrestricted()}};
  const auto in_ev = [](std::optional<double> hartree) {
    return hartree ? Json(*hartree * units::ev_per_hartree) : Json();
  };
  for (const auto spin : {molecules::Spin::alpha, molecules::Spin::beta}) {
    const auto of_spin = set.of_spin(spin);
    if (of_spin.empty()) continue;
    json[spin == molecules::Spin::alpha ? "alpha" : "beta"] = {
        {"orbitals", of_spin.size()},
        {"homo", frontier(set, "homo", spin)},
        {"lumo", frontier(set, "lumo", spin)},
        {"gap_ev", in_ev(frontier_gap_hartree(set, spin))}};
  }
  return json;
}

/// An orbital as the options --orbital and --spin name it.
Json name_of(const molecules::OrbitalSet& set, int position) {
  const auto spin = set.orbitals[static_cast<std::size_t>(position)].spin;
  const auto same_spin = set.of_spin(spin);
  const auto number = std::find(same_spin.begin(), same_spin.end(), position) - same_spin.begin() + 1;
  return {{"number", number}, {"spin", spin == molecules::Spin::alpha ? "alpha" : "beta"}};
}

/// Null or zero where the file holds no orbitals, so that scripts find the same keys in every answer.
void describe_wavefunction(const Document& document, Json& json) {
  const auto* wavefunction = document.wavefunction.get();
  json["basis_functions"] = wavefunction ? wavefunction->basis.function_count() : 0;
  json["shells"] = wavefunction ? wavefunction->basis.shells.size() : 0;
  json["primitives"] = wavefunction ? wavefunction->basis.primitive_count() : 0;
  json["orbitals"] = wavefunction ? wavefunction->sets.front().orbitals.size() : 0;
  json["electrons"] = nullptr;
  json["max_angular_momentum"] = nullptr;
  json["writer_verdict"] = nullptr;
  json["worst_orthonormality_deviation"] = nullptr;
  json["orthonormality_deviation_as_written"] = nullptr;
  json["spoilt_orbitals"] = nullptr;
  json["explanation"] = nullptr;
  json["orbital_sets"] = nullptr;
  if (!wavefunction) return;
  const auto occupied = molecules::electrons_from_occupations(wavefunction->sets.front());
  const auto& integrated = document.electrons_from_overlap;
  json["electrons"] = {{"alpha", occupied.alpha},
                       {"beta", occupied.beta},
                       {"from_occupations", occupied.alpha + occupied.beta},
                       {"from_overlap", integrated.alpha + integrated.beta},
                       {"alpha_from_overlap", integrated.alpha},
                       {"beta_from_overlap", integrated.beta}};
  json["max_angular_momentum"] = wavefunction->basis.max_angular_momentum();
  json["writer_verdict"] = document.orthonormality.name;
  json["worst_orthonormality_deviation"] = document.orthonormality.worst_deviation;
  json["orthonormality_deviation_as_written"] = document.orthonormality.deviation_as_written;
  json["spoilt_orbitals"] = Json::array();
  for (const int position : document.orthonormality.spoilt_orbitals)
    json["spoilt_orbitals"].push_back(name_of(wavefunction->sets.front(), position));
  json["explanation"] = document.orthonormality.explanation;
  json["orbital_sets"] = Json::array();
  for (const auto& set : wavefunction->sets) json["orbital_sets"].push_back(describe_set(set));
}

Json describe_field(const grid::ScalarField& field) {
  const auto range = grid::value_range(field);
  Json json{{"name", field.name}, {"unit", field.unit}, {"dimensions", field.grid.dimensions}};
  json["origin_bohr"] = numbers(field.grid.origin);
  json["steps_bohr"] = Json::array();
  for (int axis = 0; axis < 3; ++axis) json["steps_bohr"].push_back(numbers(field.grid.step.col(axis)));
  json["lowest"] = range.low;
  json["highest"] = range.high;
  json["integral"] = grid::integral(field);
  return json;
}

Json describe(const Document& document) {
  Json json{{"file", document.path.string()}, {"format", document.format}, {"program", document.program}};
  json["title"] = document.molecule.title;
  json["formula"] = formula(document.molecule);
  json["atoms"] = document.molecule.atoms.size();
  json["geometries"] = 1 + document.frames.size();
  json["charge"] = document.molecule.charge ? Json(*document.molecule.charge) : Json();
  json["multiplicity"] = document.molecule.multiplicity ? Json(*document.molecule.multiplicity) : Json();
  json["energy_hartree"] = document.energy ? Json(document.energy->hartree) : Json();
  json["energy_kind"] = document.energy ? Json(document.energy->kind) : Json();
  json["dipole_debye"] = document.dipole_debye ? numbers(*document.dipole_debye) : Json();
  describe_wavefunction(document, json);
  json["fields"] = Json::array();
  for (const auto& field : document.fields) json["fields"].push_back(describe_field(*field));
  json["remarks"] = json_of(document.remarks);
  return json;
}

std::string shell_letter(int angular_momentum) {
  constexpr std::string_view letters = "spdfgh";
  return std::string(1, letters.at(static_cast<std::size_t>(angular_momentum)));
}

void print_for_people(std::ostream& out, const Document& document, const Json& json) {
  const auto line = [&](std::string_view name, const std::string& value) {
    if (!value.empty()) out << fmt::format("{:<18}{}\n", name, value);
  };
  line("file", document.path.string());
  line("format", document.format + (document.program.empty() ? "" : ", written by " + document.program));
  line("title", document.molecule.title);
  line("molecule",
       fmt::format("{}, {} atoms", json["formula"].get<std::string>(), document.molecule.atoms.size()));
  if (const auto charge = document.molecule.charge) line("charge", fmt::format("{} e", *charge));
  if (const auto multiplicity = document.molecule.multiplicity)
    line("multiplicity", std::to_string(*multiplicity));
  if (document.energy)
    line("energy", fmt::format("{:.8f} hartree ({})", document.energy->hartree, document.energy->kind));
  if (document.dipole_debye) line("dipole", fmt::format("{:.4f} D", document.dipole_debye->norm()));
  if (!document.frames.empty()) line("geometries", std::to_string(1 + document.frames.size()));
  if (const auto* wavefunction = document.wavefunction.get()) {
    const auto& electrons = json["electrons"];
    line("basis", fmt::format("{} functions in {} shells, up to {}", wavefunction->basis.function_count(),
                              wavefunction->basis.shells.size(),
                              shell_letter(wavefunction->basis.max_angular_momentum())));
    for (const auto& set : wavefunction->sets) {
      line("orbitals", fmt::format("{}, {}{}", set.orbitals.size(), set.name,
                                   set.unrestricted() ? ", unrestricted" : ""));
      for (const auto spin : {molecules::Spin::alpha, molecules::Spin::beta}) {
        const auto gap = frontier_gap_hartree(set, spin);
        if (!gap || (spin == molecules::Spin::beta && !set.unrestricted())) continue;
        const std::string_view of = !set.unrestricted()              ? ""
                                    : spin == molecules::Spin::alpha ? ", alpha"
                                                                     : ", beta";
        line("HOMO-LUMO gap", fmt::format("{:.3f} eV{}", *gap * units::ev_per_hartree, of));
      }
    }
    line("electrons", fmt::format("{:g} alpha + {:g} beta by occupations, {:.6f} by overlap",
                                  electrons["alpha"].get<double>(), electrons["beta"].get<double>(),
                                  electrons["from_overlap"].get<double>()));
    line("orthonormality", fmt::format("{}, worst deviation {:.1e}", document.orthonormality.name,
                                       document.orthonormality.worst_deviation));
    line("", document.orthonormality.explanation);
  }
  for (const auto& field : document.fields) {
    const auto& n = field->grid.dimensions;
    const auto range = grid::value_range(*field);
    line("field", fmt::format("{}: {} × {} × {} points, {:g} to {:g} {}", field->name, n[0], n[1], n[2],
                              range.low, range.high, field->unit));
  }
}

}  // namespace

void add_orbitals_describe(CLI::App& program, Context& context) {
  struct Options {
    std::string file;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto& command = add_verb(program, "describe",
                           "Describe the contents of a file and check whether its orbitals are orthonormal.");
  add_option(command, context, &options->file,
             commands::path("FILE", "File with orbitals, fields or a structure, plain or .gz"));
  add_flag(command, "json", options->json, "Print JSON");
  on_call(command, context, [options, &context] {
    const Document document = read(context, options->file);
    const Json json = describe(document);
    if (options->json) {
      print(context.out, json);
    } else {
      print_for_people(context.out, document, json);
    }
  });
}

}  // namespace isolume::batch
