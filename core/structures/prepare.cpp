#include "core/structures/prepare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <optional>
#include <set>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/base/resources.h"
#include "core/molecules/element.h"
#include "core/structures/chain_ends.h"
#include "core/structures/links.h"
#include "core/structures/protonation.h"
#include "core/structures/residue_hydrogens.h"
#include "core/structures/residue_tables.h"
#include "core/structures/site.h"
#include "core/structures/surroundings.h"
#include "core/structures/unknown_residues.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;
using molecules::ResidueKind;

constexpr double link_reach = 2.0;  // angstrom
constexpr int selenium = 34;

/// Names of force fields in options, and their tables.
constexpr std::array<std::string_view, 3> force_field_words{"amber", "charmm", "parse"};

/// Performs the preparation in steps, each based on the previous ones.
class Preparing {
 public:
  Preparing(const Structure& structure, const PrepareOptions& options, const jobs::Progress& progress)
      : structure_(structure),
        options_(options),
        progress_(progress),
        surroundings_(structure),
        table_(read_parameters(resource(fmt::format("charges/{}.csv", word_of(options.force_field))))),
        rules_(read_hydrogen_rules(resource("charges/hydrogens.csv"))) {
    ends_added_ = add_missing_ends(table_);
    if (!options.given_charges.empty())
      given_ = read_given_charges(options.given_charges, made_.given_remarks);
    for (const auto& [name, charges] : options.ligands)
      if (!charges.file.empty()) ligand_files_.emplace(name, read_ligand(charges.file, name, progress));
  }

  Preparation run() {
    made_.force_field = options_.force_field;
    made_.model = structure_.model;
    made_.models = structure_.models;
    made_.assemblies = structure_.assemblies;
    made_.alternatives_left_out = structure_.alternatives;
    for (const auto& residue : structure_.residues) {
      if (residue.alternatives > 0) made_.alternatives.emplace_back(name_of(residue), residue.alternatives);
      if (residue.equally_occupied) made_.equally_occupied.insert(name_of(residue));
    }
    made_.charges.cell = structure_.cell;
    take_residues();
    note_neighbours();
    protonate_sites();
    made_.ends = find_chain_ends(sites_, table_, ends_added_, surroundings_);
    find_links();
    for (auto& site : sites_) {
      progress_.check();
      find_parameters(site);
      complete(site);
    }
    // Hydroxyls take the atoms of all residues into account, including hydrogens other than hydroxyls'.
    for (auto& site : sites_) {
      progress_.check();
      finish(site);
    }
    made_.hydrogens_kept = hydrogens_.kept;
    made_.hydrogens_added = hydrogens_.added;
    made_.hydrogens_replaced = hydrogens_.replaced;
    made_.hydrogens_dropped = std::move(hydrogens_.dropped);
    made_.hydrogens_completed = std::move(hydrogens_.completed);
    check_given();
    check_ligands();
    equalise();
    check(made_.charges);
    return std::move(made_);
  }

 private:
  void take_residues() {
    for (const auto& residue : structure_.residues) {
      Site site{&residue, known_residue(residue)};
      site.atoms = residue.atoms;
      site.is_given = given_.contains(residue.name) || ligand_file_of(residue.name) != nullptr;
      site.base = site.known.name;
      if (site.known.kind == ResidueKind::water && !is_hydroxide(site) && !options_.keep_water) {
        leave_out_water(site);
        continue;
      }
      if (is_selenomethionine(site) && !site.is_given) take_for_methionine(site);
      if (site.known.kind == ResidueKind::ion && !site.is_given) name_as_in_table(site);
      take_stated_charge(site);
      sites_.push_back(std::move(site));
    }
    join_reducing_ends();
    if (sites_.empty())
      throw Error("Nothing but water is in the structure. Keep it with --keep-water, or give another one.");
    for (auto& site : sites_)
      if (is_hydroxide(site)) take_for_hydroxide(site);
  }
  /// GLYCAM's ROH, the terminal hydroxyl group of a sugar, belongs to the sugar.
  void join_reducing_ends() {
    for (auto& end : sites_) {
      const auto* oxygen = end.source->name == "ROH" ? end.find("O1") : nullptr;
      if (oxygen == nullptr) continue;
      const auto sugar = std::ranges::find_if(sites_, [&](const auto& site) {
        const auto* carbon = site.known.kind == ResidueKind::sugar ? site.find("C1") : nullptr;
        return carbon != nullptr && (carbon->place - oxygen->place).norm() < link_reach;
      });
      if (sugar == sites_.end()) continue;
      decide(*sugar, sugar->base, "ROH is its reducing end");
      sugar->atoms.insert(sugar->atoms.end(), end.atoms.begin(), end.atoms.end());
      end.atoms.clear();
    }
    std::erase_if(sites_, [](const auto& site) { return site.atoms.empty(); });
  }
  void leave_out_water(const Site& site) {
    ++made_.waters_left_out;
    made_.water_atoms_left_out += static_cast<int>(site.atoms.size());
    const auto* oxygen = site.find("O");
    if (oxygen != nullptr && surroundings_.nearest_metal(oxygen->place, metal_water_reach, is_metal))
      ++made_.metal_waters_left_out;
  }
  /// A water molecule with one hydrogen at a metal.
  bool is_hydroxide(const Site& site) const {
    const auto* oxygen = site.find("O");
    return site.known.kind == ResidueKind::water && oxygen != nullptr && protons(site, "O", {}) == 1 &&
           surroundings_.nearest_metal(oxygen->place, metal_water_reach, is_metal).has_value();
  }
  void take_for_hydroxide(Site& site) {
    site.base = "OH";
    decide(site, "OH", "it has one hydrogen and is bound to a metal");
  }
  static bool is_selenomethionine(const Site& site) {
    return site.known.name == "MSE" ||
           (site.known.name == "MET" &&
            std::ranges::find(site.atoms, selenium, &StructureAtom::atomic_number) != site.atoms.end());
  }
  void take_for_methionine(Site& site) {
    site.base = "MET";
    for (auto& atom : site.atoms)
      if (atom.name == "SE") atom.name = "SD";
    decide(site, "MET", "selenomethionine has the charges of methionine, and selenium the radius of sulphur");
    made_.selenomethionines.push_back(name_of(*site.source));
  }
  /// CHARMM's "SOD" is NA in the table.
  void name_as_in_table(Site& site) const {
    const auto* parameters = parameters_of(site.base);
    if (parameters != nullptr && parameters->size() == 1)
      site.atoms.front().name = parameters->begin()->first;
  }

  /// The formal charge of a single atom in the file decides over the name of its residue.
  void take_stated_charge(Site& site) {
    const int charge = site.atoms.front().formal_charge;
    const bool is_ion = site.known.kind == ResidueKind::ion;
    const bool is_unknown =
        site.known.kind == ResidueKind::unknown && !options_.ligands.contains(site.source->name);
    if (charge == 0 || site.is_given || site.atoms.size() != 1 || !(is_ion || is_unknown)) return;
    if (is_ion && charge == site.known.charge) return;
    const std::string name = name_of(*site.source),
                      meaning = is_ion ? fmt::format("its name means {:+} e", site.known.charge)
                                       : "its name means none";
    site.known = molecules::known_ion(site.atoms.front().atomic_number, charge);
    site.base = site.known.name;
    made_.stated_ion_charges.push_back(fmt::format("{} ({:+} e; {})", name, charge, meaning));
    decide(site, fmt::format("{:+} e", charge), "the file states this charge; " + meaning);
  }

  void note_neighbours() {
    for (const auto& site : sites_) {
      for (const auto& atom : site.atoms)
        if (!is_hydrogen(atom)) surroundings_.note(site, atom);
    }
  }

  void decide(const Site& site, std::string state, std::string why) {
    made_.states.push_back({name_of(*site.source), std::move(state), std::move(why)});
  }

  void protonate_sites() {
    std::optional<ComputedPka> computed;
    if (options_.pka == PkaSource::propka) computed = computed_pka(sites_, progress_);
    auto found = protonate(sites_, surroundings_, options_, computed);
    std::ranges::move(found.states, std::back_inserter(made_.states));
    made_.disulphides = std::move(found.disulphides);
    made_.titrated = std::move(found.titrated);
    made_.without_computed_pka = std::move(found.without_computed_pka);
    made_.pka = std::move(found.pka);
    if (computed) made_.pka_program = computed->program;
    made_.ph = options_.ph;
  }

  const ResidueParameters* parameters_of(const std::string& name) const {
    const auto found = table_.find(name);
    return found == table_.end() ? nullptr : &found->second;
  }

  bool can_be_sugar(const Site& site) const { return !site.is_given && is_sugar(table_, site.base); }
  /// Elements whose bonds are short enough to be distinguished from contacts.
  static bool bonds_covalently(int atomic_number) {
    return (atomic_number >= 6 && atomic_number <= 8) || atomic_number == 15 || atomic_number == 16;
  }

  void find_links() {
    for (auto& site : sites_) {
      if (!can_be_sugar(site)) continue;
      for (const auto& atom : site.atoms) {
        if (!bonds_covalently(atom.atomic_number)) continue;
        surroundings_.near(atom.place, [&](const HeavyAtom& other, double apart) {
          if (other.site != &site && apart < link_reach && bonds_covalently(other.atomic_number))
            link(site, atom, sites_[static_cast<std::size_t>(other.site - sites_.data())], other, apart);
        });
      }
    }
  }

  void link(Site& site, const StructureAtom& atom, Site& partner, const HeavyAtom& other, double apart) {
    site.links.push_back({atom.name, other.name, other.place});
    const bool finds_this = can_be_sugar(partner);
    if (!finds_this) partner.links.push_back({other.name, atom.name, atom.place});
    // A bond between two sugars is reported by the one whose carbon takes part in it.
    if (!finds_this || atom.name.front() == 'C')
      made_.sugar_links.push_back(
          {atom.name, name_of(*site.source), other.name, name_of(*partner.source), apart});
  }

  void find_linked_parameters(Site& site) {
    auto linked =
        linked_parameters(table_, rules_, site.prefix + site.base + site.suffix, site.base, site.links);
    if (linked) {
      site.linked = std::move(*linked);
      site.parameters = &site.linked.parameters;
    } else if (site.parameters != nullptr) {
      std::vector<std::string> atoms;
      for (const auto& each : site.links) atoms.push_back(each.atom);
      decide(site, can_be_sugar(site) ? "without charges" : site.base,
             fmt::format("the table lacks its bond to another residue at {}", fmt::join(atoms, ", ")));
      if (can_be_sugar(site)) site.parameters = nullptr;
    }
  }

  /// A side chain's atom that is bonded to another residue, such as an inhibitor, has no other hydrogens than the file
  /// states: the charge of those that the table has goes to the atom.
  void remove_hydrogens_at_bonds(Site& site) {
    const auto rules = rules_.find(site.base);
    if (site.is_given || site.parameters == nullptr || site.known.kind != ResidueKind::amino_acid ||
        rules == rules_.end())
      return;
    static const std::set<std::string, std::less<>> ends{"SG", "NZ", "OG", "OG1", "OH", "OD2", "OE2"};
    for (const auto& rule : rules->second) {
      const auto* atom = ends.contains(rule.atom) ? site.find(rule.atom) : nullptr;
      const bool is_linked = !site.linked.parameters.empty() &&
                             std::ranges::find(site.links, rule.atom, &LinkedAtom::atom) != site.links.end();
      if (atom == nullptr || is_linked) continue;
      const auto present = hydrogens_at(site, rule.atom, rule.hydrogens);
      if (present.size() >= rule.hydrogens.size()) continue;
      const auto* other = surroundings_.bonded(site, *atom);
      if (other == nullptr) continue;
      auto changed = *site.parameters;
      for (std::size_t i = 0; i < rule.hydrogens.size(); ++i) {
        if (i < present.size()) {
          site.atoms[present[i]].name = rule.hydrogens[i];
          continue;
        }
        const auto gone = changed.find(rule.hydrogens[i]);
        if (gone == changed.end()) continue;
        changed.at(rule.atom).charge += gone->second.charge;
        changed.erase(gone);
      }
      site.linked.parameters = std::move(changed);
      site.parameters = &site.linked.parameters;
      made_.bonded_side_chains.push_back(
          fmt::format("{} of {} to {} of {}, {:.2f} angstrom ({}, {:+.3g} e)", rule.atom,
                      name_of(*site.source), other->name, name_of(*other->site->source),
                      (other->place - atom->place).norm(), counted(present.size(), "hydrogen"),
                      std::round(1000 * total_charge(*site.parameters)) / 1000 + 0.0));
    }
  }

  /// A carboxyl or amide group that is bonded by its carbon, as in isopeptides of Asn or Asp with Lys, has lost an oxygen
  /// or a nitrogen, whose charge goes to the carbon; one that the file still has keeps its place, without protons of an
  /// acid.
  void remove_leaving_group(Site& site) {
    struct Acyl {
      std::string_view base, carbon, leaving;
      std::array<std::string_view, 2> hydrogens;
    };
    static constexpr std::array<Acyl, 4> acyls{{{"ASH", "CG", "OD2", {"HD2", ""}},
                                                {"GLH", "CD", "OE2", {"HE2", ""}},
                                                {"ASN", "CG", "ND2", {"HD21", "HD22"}},
                                                {"GLN", "CD", "NE2", {"HE21", "HE22"}}}};
    const auto acyl = std::ranges::find(acyls, site.base, &Acyl::base);
    if (site.is_given || site.parameters == nullptr || acyl == acyls.end()) return;
    const auto* carbon = site.find(acyl->carbon);
    const auto* other = carbon == nullptr ? nullptr : surroundings_.acylated(site, *carbon);
    if (other == nullptr) return;
    const bool is_there = site.find(acyl->leaving) != nullptr, is_acid = acyl->hydrogens[1].empty();
    auto changed = *site.parameters;
    const auto give = [&](std::string_view from, std::string_view to) {
      const auto gone = changed.find(std::string(from));
      if (gone == changed.end()) return;
      changed.at(std::string(to)).charge += gone->second.charge;
      changed.erase(gone);
    };
    for (const auto hydrogen : acyl->hydrogens)
      if (!is_there || is_acid) give(hydrogen, is_there ? acyl->leaving : acyl->carbon);
    if (!is_there) give(acyl->leaving, acyl->carbon);
    site.linked.parameters = std::move(changed);
    site.parameters = &site.linked.parameters;
    made_.bonded_side_chains.push_back(
        fmt::format("{} of {} to {} of {}, {:.2f} angstrom (acyl group {} {}, {:+.3g} e)", acyl->carbon,
                    name_of(*site.source), other->name, name_of(*other->site->source),
                    (other->place - carbon->place).norm(), is_there ? "with" : "without", acyl->leaving,
                    std::round(1000 * total_charge(*site.parameters)) / 1000 + 0.0));
  }

  void find_parameters(Site& site) {
    if (const auto* file = ligand_file_of(site.source->name)) return take_from_file(site, *file);
    if (site.is_given) {
      site.parameters = &given_.find(site.source->name)->second;
      made_.given.push_back(name_of(*site.source));
      return;
    }
    site.parameters = parameters_of(site.prefix + site.base + site.suffix);
    note_composed(site);
    if (site.begins_with_phosphate && site.parameters != nullptr) charge_phosphate(site);
    if (!site.links.empty()) find_linked_parameters(site);
    remove_hydrogens_at_bonds(site);
    remove_leaving_group(site);
    if (site.known.kind == ResidueKind::ion) charge_ion(site);
    if (site.parameters == nullptr) made_.without_parameters.push_back(name_of(*site.source));
  }

  void charge_ion(Site& site) {
    const double charge = site.known.charge;
    const std::string& atom = site.atoms.front().name;
    double radius = -1;
    std::string source = "its element";
    // The force field may have the element's usual ion alone.
    std::string base = site.base;
    const auto* parameters = site.parameters;
    if (parameters == nullptr) {
      base = molecules::known_ion(site.atoms.front().atomic_number, 0).name;
      parameters = parameters_of(base);
    }
    if (parameters != nullptr) {
      const auto& [name, known] = *parameters->begin();
      if (known.charge == charge && name == atom && parameters == site.parameters)
        return decide(site, fmt::format("{:+} e", charge), "its charge as an ion in the force field");
      radius = known.radius;
      source = fmt::format("{} of {:+} e", base, known.charge);
    } else {
      made_.ions_of_element_radii.push_back(name_of(*site.source));
    }
    decide(site, fmt::format("{:+} e", charge), "its charge as an ion, with the radius of " + source);
    site.linked.parameters = {{atom, {charge, radius}}};
    site.parameters = &site.linked.parameters;
  }

  static double total_charge(const ResidueParameters& parameters) {
    double sum = 0;
    for (const auto& [atom, each] : parameters) sum += each.charge;
    return sum;
  }

  /// Tables have no phosphate at the 5' end. Where the file has its third oxygen, the three share what the residue
  /// lacks of a phosphate that has its last proton only below pH 6.7, or if the file has it.
  void charge_phosphate(Site& site) {
    const auto *middle = parameters_of(site.base), *end = parameters_of(site.base + "5");
    if (middle == nullptr || end == nullptr || !middle->contains("OP1") || !middle->contains("OP2")) return;
    const double of_one_charge = total_charge(*end) - 1 - total_charge(*middle);
    if (site.find("OP3") == nullptr) {
      made_.incomplete_phosphates.push_back(
          fmt::format("{} ({:+.3f} e)", name_of(*site.source), of_one_charge));
      return;
    }
    constexpr double pka = 6.7;
    constexpr std::array<std::string_view, 3> oxygens{"OP1", "OP2", "OP3"};
    const bool has_proton = options_.ph < pka || std::ranges::any_of(oxygens, [&](auto oxygen) {
                              return protons(site, oxygen, {}) > 0;
                            });
    auto changed = *site.parameters;
    const double shared =
        changed.at("OP1").charge + changed.at("OP2").charge + of_one_charge - (has_proton ? 0 : 1);
    const double radius = changed.at("OP1").radius;
    for (const auto oxygen : oxygens) changed[std::string(oxygen)] = {shared / 3, radius};
    site.linked.parameters = std::move(changed);
    site.parameters = &site.linked.parameters;
    made_.composed.push_back(name_of(*site.source));
    decide(site, site.base + site.suffix,
           fmt::format(
               "the table has no phosphate at the 5' end; that of {} e shares the charge among its oxygens",
               has_proton ? -1 : -2));
  }

  const LigandFile* ligand_file_of(const std::string& name) const {
    const auto found = ligand_files_.find(name);
    return found == ligand_files_.end() ? nullptr : &found->second;
  }

  void take_from_file(Site& site, const LigandFile& file) {
    auto matched = match_ligand(site.atoms, file);
    const auto name = name_of(*site.source);
    const auto file_name = file.path.filename().string();
    std::string how =
        filled(matched.by_names ? localised("structures", "charges of %1, atoms by their names")
                                : localised("structures", "charges of %1, atoms by elements and bonds"),
               {file_name});
    if (matched.hydrogens_joined > 0)
      how += filled(
          localised("structures", "; those of hydrogens that the structure lacks (%1) are with their atoms"),
          {std::to_string(matched.hydrogens_joined)});
    for (const auto& atom : matched.not_in_residue)
      made_.lost_charges.push_back(fmt::format("{} of {} (only in {})", atom, name, file_name));
    for (const auto& atom : matched.not_in_file)
      made_.lost_charges.push_back(fmt::format("{} of {} (not in {})", atom, name, file_name));
    made_.given_how[name] = std::move(how);
    made_.given.push_back(name);
    site.linked.parameters = std::move(matched.parameters);
    for (const auto& atom : matched.not_in_file) site.linked.parameters[atom] = {0, -1};
    site.parameters = &site.linked.parameters;
  }

  void note_composed(const Site& site) {
    const bool is_borrowed = options_.force_field == ForceField::parse &&
                             (site.base == "SEP" || site.base == "TPO" || site.base == "PTR");
    if (is_borrowed) decide(site, site.base, "PARSE has no phosphates: theirs are AMBER's");
    if (is_borrowed || ends_added_.contains(site.prefix + site.base))
      made_.composed.push_back(name_of(*site.source));
  }

  /// Adds heavy atoms for which there is a rule.
  void complete(Site& site) {
    if (site.parameters == nullptr || site.is_given) return;
    const auto *c = site.find("C"), *o = site.find("O"), *ca = site.find("CA");
    const bool wanted = site.prefix.ends_with('C') && site.find("OXT") == nullptr;
    if (!wanted || c == nullptr || o == nullptr || ca == nullptr) return;
    const Vector3d away = -((o->place - c->place).normalized() + (ca->place - c->place).normalized());
    if (away.norm() < 1e-3) return;
    const Vector3d place = c->place + 1.25 * away.normalized();
    site.atoms.push_back({"OXT", 8, place});
    surroundings_.note(site, site.atoms.back());
    made_.added_atoms.push_back("OXT of " + name_of(*site.source));
  }

  void finish(Site& site) {
    if (site.parameters == nullptr) {
      const bool is_water = site.known.kind == ResidueKind::water;
      unknown_.push_back(
          {site.source, made_.charges.size(), site.atoms.size(), is_water ? site.base : site.source->name});
      for (const auto& atom : site.atoms) add(site, atom, {0, -1});
      return;
    }
    if (!site.is_given) place_missing_hydrogens(site, rules_, surroundings_, hydrogens_);
    Incomplete lacks{name_of(*site.source), {}, 0, 0};
    for (const auto& atom : site.atoms) {
      const auto found = site.parameters->find(atom.name);
      const bool known = found != site.parameters->end();
      if (!known) made_.unknown_atoms.push_back(fmt::format("{} of {}", atom.name, name_of(*site.source)));
      if (known && site.is_given && found->second.radius < 0)
        made_.element_radii.push_back(fmt::format("{} of {}", atom.name, name_of(*site.source)));
      add(site, atom, known ? found->second : AtomParameters{0, -1});
      if (known) lacks.charge += found->second.charge;
    }
    for (const auto& [name, parameters] : *site.parameters) {
      lacks.expected += parameters.charge;
      if (site.find(name) == nullptr) lacks.atoms.push_back(name);
    }
    if (!lacks.atoms.empty()) made_.incomplete.push_back(std::move(lacks));
  }

  /// A radius below 0 means that of the element.
  void add(const Site& site, const StructureAtom& atom, AtomParameters parameters) {
    const auto& from = *site.source;
    const bool was_renamed = atom.atomic_number == selenium && atom.name == "SD" && !site.is_given;
    add_atom(made_.charges, atom.place, parameters.charge,
             parameters.radius >= 0 ? parameters.radius
                                    : molecules::element(atom.atomic_number).van_der_waals_radius_angstrom,
             {was_renamed ? "SE" : atom.name, from.name, from.chain, from.number, from.insertion,
              from.is_hetero, atom.atomic_number});
  }

  void check_given() const {
    if (options_.given_charges.empty() || !made_.given.empty()) return;
    std::vector<std::string> names;
    for (const auto& [name, parameters] : given_) names.push_back(name);
    if (names.size() > 5) names.resize(5);
    throw InputError(options_.given_charges, 0,
                     fmt::format("none of its residues ({}) is in the structure", fmt::join(names, ", ")),
                     "Call residues and atoms as the structure does.");
  }

  void check_ligands() const {
    for (const auto& [name, charges] : options_.ligands) {
      const bool there =
          std::ranges::any_of(structure_.residues, [&](const auto& residue) { return residue.name == name; });
      if (!there) throw Error(fmt::format("There is no residue {} in the structure.", name));
    }
  }

  /// Residues that now have charges are no longer without parameters.
  void equalise() {
    PrepareOptions options = options_;
    std::vector<UnknownResidue> wanted;
    for (const auto& each : unknown_) {
      const auto ligand = options.ligands.find(each.source->name);
      const bool named = ligand != options.ligands.end();
      if (named ? ligand->second.net.has_value() : options.equalise_unknown) wanted.push_back(each);
    }
    for (const auto& [name, charges] : options.ligands)
      if (charges.net) options.equalised_totals[name] = *charges.net;
    if (wanted.empty() && options.equalised_totals.empty()) return;
    made_.equalised = equalise_unknown(made_.charges, wanted, options, progress_);
    for (const auto& group : made_.equalised)
      for (const auto& residue : group.residues) std::erase(made_.without_parameters, residue);
  }

  const Structure& structure_;
  const PrepareOptions& options_;
  jobs::Progress progress_;
  Surroundings surroundings_;
  ParameterTable table_, given_;
  std::map<std::string, LigandFile> ligand_files_;  ///< by residue name
  std::set<std::string> ends_added_;                ///< to table_
  HydrogenTable rules_;
  std::vector<Site> sites_;
  std::vector<UnknownResidue> unknown_;
  HydrogenCounts hydrogens_;
  Preparation made_;
};

}  // namespace

std::string_view name_of(ForceField force_field) {
  constexpr std::array<std::string_view, 3> names{"AMBER ff14SB", "CHARMM36", "PARSE"};
  return names.at(static_cast<std::size_t>(force_field));
}

std::string_view word_of(ForceField force_field) {
  return force_field_words.at(static_cast<std::size_t>(force_field));
}

ForceField force_field_of(std::string_view word) {
  const auto found = std::ranges::find(force_field_words, word);
  if (found == force_field_words.end())
    throw Error(fmt::format("{} is not a force field. Name one of {}.", quoted(word),
                            fmt::join(force_field_words, ", ")));
  return static_cast<ForceField>(found - force_field_words.begin());
}

Preparation prepare(const Structure& structure, const PrepareOptions& options,
                    const jobs::Progress& progress) {
  return Preparing(structure, options, progress).run();
}

}  // namespace isolume::structures
