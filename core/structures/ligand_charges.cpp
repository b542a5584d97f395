#include "core/structures/ligand_charges.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>
#include <set>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/letter_case.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/molecules/cif_category.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"
#include "core/structures/mol2.h"
#include "core/structures/pqr.h"

namespace isolume::structures {
namespace {

constexpr std::string_view ligand_layout =
    "Give a mol2 file, a CIF component with partial charges, or a PQR file of this ligand.";
constexpr double most_net_charge = 1000;  // e
constexpr std::size_t most_ligand_atoms =
    4'000;  // the limit of equalisation: all pairs are searched for bonds

LigandCharges ligand_charges_of(std::string_view entry, std::string_view value) {
  if (value.empty())
    throw Error(quoted(entry) + ": give a ligand and its charge, file or none, as NAP=-4; LIG=lig.mol2.");
  if (value == "none") return {};
  const auto net = molecules::parse_real(value);
  if (!net) return {.file = std::string(value)};
  if (!(std::abs(*net) <= most_net_charge))
    throw Error(fmt::format("{}: a net charge of {} e is not possible.", quoted(entry), value));
  return {.net = *net};
}

bool touch(int one, int other, double apart) {
  return apart < 1.2 * (molecules::element(one).covalent_radius_angstrom +
                        molecules::element(other).covalent_radius_angstrom);
}

/// Bonds of atoms with positions in angstrom: between heavy atoms that touch, and of each hydrogen to its nearest
/// heavy atom.
template <class Element, class Place>
std::vector<std::pair<std::size_t, std::size_t>> bonds_by_distance(std::size_t count, const Element& element,
                                                                   const Place& place) {
  std::vector<std::pair<std::size_t, std::size_t>> bonds;
  for (std::size_t i = 0; i < count; ++i) {
    const bool hydrogen = element(i) == 1;
    std::optional<std::size_t> nearest;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < count; ++j) {
      if (i == j || element(j) == 1) continue;
      const double apart = (place(i) - place(j)).norm();
      if (!touch(element(i), element(j), apart)) continue;
      if (!hydrogen && j < i) bonds.emplace_back(j, i);
      if (hydrogen && apart < least) {
        nearest = j;
        least = apart;
      }
    }
    if (nearest) bonds.emplace_back(*nearest, i);
  }
  return bonds;
}

/// Charges of one residue of a file that may have others.
LigandFile file_of_charges(const std::filesystem::path& path, const Charges& charges,
                           std::string_view residue) {
  std::vector<std::size_t> atoms;
  const auto take = [&](const auto& belongs) {
    for (std::size_t i = 0; i < charges.size(); ++i)
      if (belongs(charges.labels[i])) atoms.push_back(i);
  };
  const auto named = std::ranges::find(charges.labels, residue, &AtomLabel::residue);
  const auto& first = named != charges.labels.end() ? *named : charges.labels.front();
  const auto same = [&first](const AtomLabel& label) {
    return label.residue == first.residue && label.chain == first.chain && label.number == first.number &&
           label.insertion == first.insertion;
  };
  take(same);
  if (named == charges.labels.end() && atoms.size() < charges.size())
    throw InputError(path, 0, fmt::format("none of its residues is called {}", residue),
                     std::string(ligand_layout));
  if (atoms.size() > most_ligand_atoms)
    throw InputError(path, 0,
                     fmt::format("its residue has {} atoms, more than {}", atoms.size(), most_ligand_atoms),
                     std::string(ligand_layout));
  LigandFile file{.path = path, .atoms = {}, .bonds = {}};
  for (const auto i : atoms) {
    const auto& label = charges.labels[i];
    const int element =
        label.atomic_number > 0 ? label.atomic_number : molecules::element_of_name(label.atom, label.residue);
    file.atoms.push_back({label.atom, element, charges.charge[i], charges.radius[i]});
  }
  file.bonds = bonds_by_distance(
      atoms.size(), [&](std::size_t i) { return file.atoms[i].atomic_number; },
      [&](std::size_t i) { return charges.place(atoms[i]); });
  return file;
}

LigandFile read_component(const std::filesystem::path& path, const std::string& text,
                          std::string_view residue, const jobs::Progress& progress) {
  Remarks none;                                                 // there are none on components
  const auto table = read_given_charges(path, none, progress);  // reports why there are no charges
  const auto named = table.find(residue);
  if (named == table.end() && table.size() > 1)
    throw InputError(path, 0, fmt::format("none of its components is called {}", residue),
                     std::string(ligand_layout));
  const auto& [component, charges] = named != table.end() ? *named : *table.begin();
  molecules::LineReader lines(path, text, progress);
  molecules::CifTokens tokens(lines);
  molecules::CifCategory atoms("_chem_comp_atom_"), bonds("_chem_comp_bond_");
  while (const auto token = tokens.next()) {
    if (token->is_tag()) {
      if (!atoms.take(*token, tokens)) bonds.take(*token, tokens);
    } else if (!token->quoted && lower_case(token->text) == "loop_") {
      std::vector<std::string> tags;
      auto tag = tokens.next();
      for (; tag && tag->is_tag(); tag = tokens.next()) tags.push_back(molecules::cif_name(tag->text));
      if (tag) tokens.push_back(*tag);
      if (!atoms.take_loop(tags, tokens)) bonds.take_loop(tags, tokens);
    }
  }
  LigandFile file{.path = path, .atoms = {}, .bonds = {}};
  std::map<std::string, std::size_t, std::less<>> number_of;
  for (const auto& row : atoms.rows()) {
    const std::string name(molecules::text_of(row, "atom_id"));
    const auto charge = charges.find(name);
    if (molecules::text_of(row, "comp_id") != component || charge == charges.end()) continue;
    number_of[name] = file.atoms.size();
    file.atoms.push_back({name, molecules::atomic_number(molecules::text_of(row, "type_symbol")),
                          charge->second.charge, charge->second.radius});
  }
  for (const auto& row : bonds.rows()) {
    const auto one = number_of.find(molecules::text_of(row, "atom_id_1"));
    const auto other = number_of.find(molecules::text_of(row, "atom_id_2"));
    if (molecules::text_of(row, "comp_id") == component && one != number_of.end() && other != number_of.end())
      file.bonds.emplace_back(one->second, other->second);
  }
  return file;
}

}  // namespace

Ligands ligands_of(std::string_view text) {
  Ligands ligands;
  while (!text.empty()) {
    const auto end = std::min(text.find_first_of(";\n"), text.size());
    const auto entry = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(text.size(), end + 1));
    if (entry.empty()) continue;
    const auto equals = entry.find('=');
    const auto name = trimmed(entry.substr(0, equals));
    const auto value = equals == entry.npos ? std::string_view() : trimmed(entry.substr(equals + 1));
    if (name.empty()) ligand_charges_of(entry, {});
    if (!ligands.emplace(name, ligand_charges_of(entry, value)).second)
      throw Error(quoted(name) + " is given charges twice. Give each residue once.");
  }
  return ligands;
}

std::string text_of_ligands(const Ligands& ligands) {
  std::string text;
  for (const auto& [name, charges] : ligands) {
    const std::string value = charges.net            ? fmt::format("{:g}", *charges.net)
                              : charges.file.empty() ? std::string("none")
                                                     : charges.file.string();
    text += fmt::format("{}{}={}", text.empty() ? "" : "; ", name, value);
  }
  return text;
}

LigandFile read_ligand(const std::filesystem::path& path, std::string_view residue,
                       const jobs::Progress& progress) {
  const std::string text = read_text_file(path);
  if (text.find("_chem_comp_atom") != std::string::npos) return read_component(path, text, residue, progress);
  const bool mol2 = text.find("@<TRIPOS>") != std::string::npos;
  return file_of_charges(path, mol2 ? read_mol2(path, progress) : read_pqr(path, progress), residue);
}

namespace {

using Neighbours = std::vector<std::vector<std::size_t>>;

/// Heavy atoms and the bonds between them.
struct HeavyGraph {
  std::vector<std::size_t> atoms;  ///< indices among all atoms
  std::vector<int> elements;
  Neighbours neighbours;
};

/// Finds an isomorphism of two vertex-coloured graphs by backtracking.
class Isomorphism {
 public:
  Isomorphism(const HeavyGraph& from, const HeavyGraph& to, std::span<const std::size_t> colours)
      : from_(from),
        to_(to),
        colours_(colours),
        partner_(from.atoms.size(), none),
        taken_(to.atoms.size(), false) {
    order_neighbours_first();
  }
  /// Partner of each vertex; empty if there is no isomorphism.
  std::vector<std::size_t> find() { return extend(0) ? partner_ : std::vector<std::size_t>(); }

 private:
  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();
  static constexpr int most_steps = 1'000'000;

  void order_neighbours_first() {
    std::set<std::size_t> seen;
    for (std::size_t start = 0; start < from_.atoms.size(); ++start) {
      std::queue<std::size_t> next;
      if (seen.insert(start).second) next.push(start);
      for (; !next.empty(); next.pop()) {
        order_.push_back(next.front());
        for (const auto neighbour : from_.neighbours[next.front()])
          if (seen.insert(neighbour).second) next.push(neighbour);
      }
    }
  }
  bool fits(std::size_t vertex, std::size_t candidate) const {
    if (taken_[candidate] || colours_[vertex] != colours_[from_.atoms.size() + candidate]) return false;
    // Both have the same number of neighbours, because that is part of their colour.
    return std::ranges::all_of(from_.neighbours[vertex], [&](std::size_t neighbour) {
      return partner_[neighbour] == none ||
             std::ranges::count(to_.neighbours[candidate], partner_[neighbour]) > 0;
    });
  }
  bool extend(std::size_t depth) {
    if (depth == order_.size()) return true;
    const auto vertex = order_[depth];
    for (std::size_t candidate = 0; candidate < taken_.size(); ++candidate) {
      if (++steps_ > most_steps) return false;
      if (!fits(vertex, candidate)) continue;
      partner_[vertex] = candidate;
      taken_[candidate] = true;
      if (extend(depth + 1)) return true;
      partner_[vertex] = none;
      taken_[candidate] = false;
    }
    return false;
  }

  const HeavyGraph &from_, &to_;
  const std::span<const std::size_t> colours_;  ///< of `from`, then of `to`
  std::vector<std::size_t> order_, partner_;
  std::vector<bool> taken_;
  int steps_ = 0;
};

/// Colour refinement: vertices of both graphs share a colour only if elements and bonds do not distinguish them
/// (Weisfeiler and Leman 1968).
std::vector<std::size_t> refined_colours(const HeavyGraph& one, const HeavyGraph& other) {
  const std::size_t first = one.atoms.size(), count = first + other.atoms.size();
  std::vector<std::size_t> colours;
  for (const auto* graph : {&one, &other})
    for (const int element : graph->elements) colours.push_back(static_cast<std::size_t>(element));
  std::size_t different = std::set(colours.begin(), colours.end()).size();
  while (true) {
    using Seen = std::pair<std::size_t, std::vector<std::size_t>>;
    std::vector<Seen> seen(count);
    for (std::size_t i = 0; i < count; ++i) {
      seen[i].first = colours[i];
      const auto& neighbours = i < first ? one.neighbours[i] : other.neighbours[i - first];
      for (const auto neighbour : neighbours)
        seen[i].second.push_back(colours[i < first ? neighbour : neighbour + first]);
      std::ranges::sort(seen[i].second);
    }
    std::map<Seen, std::size_t> numbers;
    for (const auto& each : seen) numbers.emplace(each, numbers.size());
    for (std::size_t i = 0; i < count; ++i) colours[i] = numbers.at(seen[i]);
    if (numbers.size() == different) return colours;
    different = numbers.size();
  }
}

HeavyGraph heavy_graph(std::span<const int> elements,
                       std::span<const std::pair<std::size_t, std::size_t>> bonds) {
  HeavyGraph graph;
  std::vector<std::size_t> number(elements.size(), 0);
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (elements[i] == 1) continue;
    number[i] = graph.atoms.size();
    graph.atoms.push_back(i);
    graph.elements.push_back(elements[i]);
  }
  graph.neighbours.resize(graph.atoms.size());
  for (const auto& [one, other] : bonds) {
    if (elements[one] == 1 || elements[other] == 1) continue;
    graph.neighbours[number[one]].push_back(number[other]);
    graph.neighbours[number[other]].push_back(number[one]);
  }
  return graph;
}

/// Grouped by the heavy atom that carries them.
std::map<std::size_t, std::vector<std::size_t>> carried_hydrogens(
    std::span<const int> elements, std::span<const std::pair<std::size_t, std::size_t>> bonds) {
  std::map<std::size_t, std::vector<std::size_t>> carried;
  for (auto [carrier, hydrogen] : bonds) {
    if (elements[carrier] == 1) std::swap(carrier, hydrogen);
    if (elements[hydrogen] == 1 && elements[carrier] != 1) carried[carrier].push_back(hydrogen);
  }
  return carried;
}

class Matching {
 public:
  Matching(std::span<const StructureAtom> residue, const LigandFile& file) : residue_(residue), file_(file) {
    for (const auto& atom : residue) residue_elements_.push_back(atom.atomic_number);
    for (const auto& atom : file.atoms) {
      file_elements_.push_back(atom.atomic_number);
      charges_.push_back(atom.charge);
    }
  }

  MatchedCharges run() {
    if (std::max(residue_.size(), file_.atoms.size()) > most_ligand_atoms)
      fail(fmt::format("ligands of more than {} atoms are not matched", most_ligand_atoms));
    residue_bonds_ = bonds_by_distance(
        residue_.size(), [this](std::size_t i) { return residue_[i].atomic_number; },
        [this](std::size_t i) -> const Eigen::Vector3d& { return residue_[i].place; });
    made_.by_names = match_names();
    if (!made_.by_names) match_bonds();
    for (const auto& [own, other] : partners_) take(own, other, charges_[other]);
    share_hydrogens();
    std::set<std::size_t> matched;
    for (const auto& [own, other] : partners_) matched.insert(other);
    for (std::size_t i = 0; i < file_.atoms.size(); ++i)
      if (file_elements_[i] != 1 && !matched.contains(i)) made_.not_in_residue.push_back(file_.atoms[i].name);
    return std::move(made_);
  }

 private:
  void take(std::size_t own, std::size_t other, double charge) {
    made_.parameters[residue_[own].name] = {charge, file_.atoms[other].radius};
  }

  bool match_names() {
    std::map<std::string_view, std::size_t> named;
    for (std::size_t i = 0; i < file_.atoms.size(); ++i) named[file_.atoms[i].name] = i;
    for (std::size_t i = 0; i < residue_.size(); ++i) {
      if (residue_elements_[i] == 1) continue;
      const auto found = named.find(residue_[i].name);
      if (found == named.end() || file_elements_[found->second] != residue_elements_[i]) {
        partners_.clear();
        return false;
      }
      partners_[i] = found->second;
    }
    return true;
  }

  void match_bonds() {
    const auto own = heavy_graph(residue_elements_, residue_bonds_);
    const auto other = heavy_graph(file_elements_, file_.bonds);
    if (own.atoms.size() != other.atoms.size())
      fail(fmt::format("it has {} atoms without hydrogens, and the residue has {}", other.atoms.size(),
                       own.atoms.size()));
    const auto colours = refined_colours(own, other);
    const auto found = Isomorphism(own, other, colours).find();
    if (found.size() != own.atoms.size()) fail("its elements and bonds are not those of the residue");
    for (std::size_t i = 0; i < found.size(); ++i) partners_[own.atoms[i]] = other.atoms[found[i]];
    share_alike(other, std::span(colours).subspan(own.atoms.size()));
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw InputError(file_.path, 0, what, std::string(ligand_layout));
  }

  /// Equivalent atoms, which elements and bonds do not distinguish, get their mean charge, and so do their hydrogens.
  void share_alike(const HeavyGraph& graph, std::span<const std::size_t> colours) {
    const auto hydrogens = carried_hydrogens(file_elements_, file_.bonds);
    std::map<std::size_t, std::vector<std::size_t>> heavy, carried;
    for (std::size_t i = 0; i < colours.size(); ++i) {
      heavy[colours[i]].push_back(graph.atoms[i]);
      const auto found = hydrogens.find(graph.atoms[i]);
      if (found == hydrogens.end()) continue;
      auto& of_colour = carried[colours[i]];
      of_colour.insert(of_colour.end(), found->second.begin(), found->second.end());
    }
    for (const auto* classes : {&heavy, &carried}) {
      for (const auto& [colour, atoms] : *classes) {
        double sum = 0;
        for (const auto atom : atoms) sum += charges_[atom];
        for (const auto atom : atoms) charges_[atom] = sum / static_cast<double>(atoms.size());
      }
    }
  }

  /// Hydrogens of the residue get charges of those carried by the same atom in the file; the remaining charge goes to
  /// that atom.
  void share_hydrogens() {
    auto own = carried_hydrogens(residue_elements_, residue_bonds_);
    auto others = carried_hydrogens(file_elements_, file_.bonds);
    std::set<std::size_t> done;
    for (const auto& [carrier, partner] : partners_) {
      auto& left = others[partner];
      const auto give = [&](std::size_t hydrogen, std::size_t from) {
        take(hydrogen, from, charges_[from]);
        std::erase(left, from);
        done.insert(hydrogen);
      };
      for (const auto hydrogen : own[carrier]) {
        const auto same = std::ranges::find_if(
            left, [&](std::size_t each) { return file_.atoms[each].name == residue_[hydrogen].name; });
        if (same != left.end()) give(hydrogen, *same);
      }
      for (const auto hydrogen : own[carrier])
        if (!done.contains(hydrogen) && !left.empty()) give(hydrogen, left.front());
      for (const auto missing : left) made_.parameters[residue_[carrier].name].charge += charges_[missing];
      made_.hydrogens_joined += left.size();
    }
    for (std::size_t i = 0; i < residue_.size(); ++i)
      if (residue_elements_[i] == 1 && !done.contains(i)) made_.not_in_file.push_back(residue_[i].name);
  }

  const std::span<const StructureAtom> residue_;
  const LigandFile& file_;
  std::vector<int> residue_elements_, file_elements_;
  std::vector<double> charges_;  ///< of the file's atoms, averaged over equivalent ones
  std::vector<std::pair<std::size_t, std::size_t>> residue_bonds_;
  std::map<std::size_t, std::size_t> partners_;  ///< heavy atoms of the residue to those of the file
  MatchedCharges made_;
};

}  // namespace

MatchedCharges match_ligand(std::span<const StructureAtom> residue, const LigandFile& file) {
  return Matching(residue, file).run();
}

}  // namespace isolume::structures
