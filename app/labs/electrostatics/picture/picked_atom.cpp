#include "app/labs/electrostatics/picture/picked_atom.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/labs/electrostatics/picture/wavefunction_source.h"
#include "app/scene/drawing/text_style.h"
#include "core/base/language.h"
#include "core/base/shown_number.h"
#include "core/base/text.h"
#include "core/electrostatics/potential/field_strength.h"
#include "core/molecules/element.h"
#include "core/structures/molecule_of.h"

namespace isolume::labs::electrostatics {
namespace {

std::string symbol_of(const ChargedMolecule& molecule, std::size_t atom) {
  return std::string(molecules::element(molecule.molecule.atoms[atom].atomic_number).symbol);
}

/// Of what `number` says without a code of insertion, too.
bool is_called_alike(const structures::AtomLabel& label, const structures::AtomLabel& other) {
  return other.number == label.number && (label.insertion == ' ' || other.insertion == label.insertion) &&
         (label.chain.empty() || other.chain == label.chain);
}

/// A few letters could be another word.
std::string value_of_chain(const std::string& chain) {
  const bool is_plain = chain.size() == 1 && std::isalnum(static_cast<unsigned char>(chain.front())) != 0;
  return is_plain ? chain : '"' + chain + '"';
}

/// "chain A and number 25"; empty where others are called the same, and of so many residues that looking for one would be
/// felt.
std::string by_names(const ChargedMolecule& molecule, std::size_t residue) {
  constexpr std::size_t most_residues = 100'000;
  const auto& labels = molecule.charges.labels;
  const auto& all = molecule.residues.all;
  if (all.size() > most_residues) return {};
  const auto& label = labels[all[residue].atoms.front()];
  if (label.chain.find('"') != label.chain.npos) return {};
  const auto alike = std::ranges::count_if(all, [&](const structures::Residues::Residue& each) {
    return is_called_alike(label, labels[each.atoms.front()]);
  });
  if (alike != 1) return {};
  const std::string number = label.insertion == ' ' ? std::to_string(label.number)
                                                    : fmt::format("{}{}", label.number, label.insertion);
  if (label.chain.empty()) return "number " + number;
  return fmt::format("chain {} and number {}", value_of_chain(label.chain), number);
}

/// Those that `or` joins outside of parentheses and quotes.
std::vector<std::string> alternatives_of(const std::string& expression) {
  std::vector<std::string> all;
  std::size_t start = 0;
  int depth = 0;
  const auto add = [&](std::size_t end) {
    all.emplace_back(trimmed(std::string_view(expression).substr(start, end - start)));
  };
  for (std::size_t i = 0; i < expression.size();) {
    if (expression[i] == '"') {
      i = std::min(expression.find('"', i + 1), expression.size() - 1) + 1;
      continue;
    }
    depth += expression[i] == '(' ? 1 : expression[i] == ')' ? -1 : 0;
    const std::size_t end = std::min(expression.find_first_of(" \t\n\r()\"", i), expression.size());
    const std::string_view word = std::string_view(expression).substr(i, end - i);
    if (depth == 0 && (word == "or" || word == "OR" || word == "Or")) {
      add(i);
      start = end;
    }
    i = std::max(end, i + 1);
  }
  add(expression.size());
  return all;
}

}  // namespace

std::string charge_text(double charge) {
  return shown_reading(std::abs(charge) < 5e-5 ? 0 : charge);
}

std::string atom_name(const ChargedMolecule& molecule, std::size_t atom, std::optional<std::size_t> before) {
  if (molecule.wavefunction) return symbol_of(molecule, atom) + std::to_string(atom + 1);
  const auto& labels = molecule.charges.labels;
  const std::string name = atom < labels.size() ? labels[atom].atom : "";
  const auto& [residues, of_atom] = molecule.residues;
  if (before && of_atom[*before] == of_atom[atom]) return name;
  return fmt::format("{}, {}", residues[of_atom[atom]].name, name);
}

std::string atom_text(const ChargedMolecule& molecule, std::size_t atom) {
  const std::string charge = charge_text(molecule.charges.charge[atom]);
  if (molecule.wavefunction)
    return filled(localised("electrostatics", "%1: Mulliken charge %2 e"),
                  {atom_name(molecule, atom), charge});
  const auto& residue = molecule.residues.all[molecule.residues.of_atom[atom]];
  const std::string name = fmt::format("{} ({})", atom_name(molecule, atom), symbol_of(molecule, atom));
  if (!residue.has_parameters) return filled(localised("electrostatics", "%1: no charge assigned"), {name});
  return filled(localised("electrostatics", "%1: charge %2 e"), {name, charge});
}

std::string reading_of(const ChargedMolecule& molecule, const SeenAtom& seen,
                       const scene::FieldPicture* picture, double height) {
  std::string text = atom_text(molecule, seen.atom);
  if (picture == nullptr) return text;
  const std::string form =
      !seen.on_surface ? localised("electrostatics", "%1 at its centre, including its own contribution")
      : height == 0    ? localised("electrostatics", "%1 at this point of the surface")
                       : localised("electrostatics", "%1 at %2 Å above this point of the surface");
  const auto place = seen.on_surface.value_or(molecule.charges.place(seen.atom));
  const bool coloured = seen.on_surface && picture->colouring;
  return text + '\n' +
         filled(form, {coloured ? scene::named_value(*picture->colouring, picture->lobes, place)
                                : scene::named_value(*picture->field, place),
                       shown_reading(height)});
}

std::string field_text(const grid::ScalarField& potential, const Eigen::Vector3d& place) {
  const auto strength = science::field_strength(potential, place);
  if (!strength || !std::isfinite(strength->norm())) return {};
  return fmt::format(
      "|E|: {} {}", shown_reading(strength->norm(), 3),
      scene::pretty_unit(fmt::format("{}/{}", potential.unit, grid::shown_unit(potential.grid.unit))));
}

std::string picked_expression(const ChargedMolecule& molecule, std::size_t atom, Picked what) {
  const std::string place = fmt::format("atom {}", atom + 1);
  if (what == Picked::atom || molecule.wavefunction || molecule.charges.labels.size() <= atom) return place;
  const auto names = by_names(molecule, molecule.residues.of_atom[atom]);
  return names.empty() ? "residues of " + place : names;
}

bool has_alternative(const std::string& expression, const std::string& picked) {
  return std::ranges::count(alternatives_of(expression), picked) > 0;
}

std::string with_picked(const std::string& expression, const std::string& picked) {
  if (trimmed(expression).empty()) return picked;
  return expression + " or " + picked;
}

std::string without_picked(const std::string& expression, const std::string& picked) {
  auto all = alternatives_of(expression);
  if (std::erase(all, picked) > 0) return fmt::format("{}", fmt::join(all, " or "));
  return fmt::format("{} and not ({})", all.size() == 1 ? expression : "(" + expression + ")", picked);
}

}  // namespace isolume::labs::electrostatics
