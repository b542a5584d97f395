#include "core/structures/decisions.h"

#include <cmath>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/base/csv.h"
#include "core/base/language.h"

namespace isolume::structures {
namespace {

using Kind = DecisionKind;

/// "OXT of PHE A 319".
DecisionRow of_atom(Kind kind, const std::string& text) {
  const auto of = text.find(" of ");
  if (of == std::string::npos) return {.kind = kind, .atoms = 1, .what = text};
  return {.kind = kind, .residues = {text.substr(of + 4)}, .atoms = 1, .what = text.substr(0, of)};
}

std::string angstroms(double distance) {
  return fmt::format("{:.2f} angstrom", distance);
}

std::string electrons(double charge) {
  // Avoids a negative zero.
  return fmt::format("{:.4g} e", std::round(charge * 1e4) / 1e4 + 0.0);
}

class Rows {
 public:
  Rows(const Preparation& made, const Residues& residues) : made_(made), residues_(residues) {}

  std::vector<DecisionRow> all() {
    of_structure();
    without_charges();
    given_charges();
    for (const auto& [residue, state, why] : made_.states) add({Kind::state, {residue}, 0, state, why});
    for (const auto& [residue, state, why] : made_.ends) add({Kind::end, {residue}, 0, state, why});
    bonds();
    for (const auto& each : made_.added_atoms) add(of_atom(Kind::added, each));
    for (const auto& [residue, count] : made_.alternatives)
      add({Kind::alternatives,
           {residue},
           static_cast<std::size_t>(count),
           localised("structures", "left out"),
           made_.equally_occupied.contains(residue)
               ? localised("structures", "the first of equally occupied locations was used")
               : localised("structures", "others have more occupancy")});
    for (const auto& [residue, value] : made_.pka)
      add({Kind::pka, {residue}, 0, fmt::format("{:.2f}", value), made_.pka_program});
    return std::move(rows_);
  }

 private:
  void add(DecisionRow row) { rows_.push_back(std::move(row)); }

  void of_structure() {
    add({.kind = Kind::source,
         .what = filled(localised("structures", "%1, model %2 of %3"),
                        {std::string(name_of(made_.force_field)), std::to_string(made_.model),
                         std::to_string(made_.models)})});
    add({.kind = Kind::hydrogens,
         .what = filled(localised("structures", "%1 kept, %2 added, %3 replaced"),
                        {std::to_string(made_.hydrogens_kept), std::to_string(made_.hydrogens_added),
                         std::to_string(made_.hydrogens_replaced)})});
    if (!made_.pka_program.empty())
      add({.kind = Kind::state,
           .what = filled(localised("structures", "pH %1, pKa values by %2"),
                          {fmt::format("{:.2f}", made_.ph), made_.pka_program})});
    if (made_.waters_left_out > 0)
      add({.kind = Kind::water,
           .what = filled(localised("structures", "%1 left out"), {std::to_string(made_.waters_left_out)})});
  }

  void without_charges() {
    for (const auto& [residue, count] : atom_counts(made_.without_parameters, residues_))
      add({Kind::without_charge,
           {residue},
           count,
           localised("structures", "no charge, radii of elements"),
           localised("structures", "the force field has no parameters of it")});
    for (const auto& each : made_.unknown_atoms) add(of_atom(Kind::atoms_without_charge, each));
    for (const auto& each : made_.incomplete)
      add({Kind::incomplete,
           {each.residue},
           each.atoms.size(),
           fmt::format("{}", fmt::join(each.atoms, " ")),
           filled(localised("structures", "charge %1 instead of %2"),
                  {electrons(each.charge), electrons(each.expected)})});
  }

  void given_charges() {
    for (const auto& [residue, count] : atom_counts(made_.given, residues_)) {
      const auto how = made_.given_how.find(residue);
      add({Kind::given,
           {residue},
           count,
           how == made_.given_how.end() ? localised("structures", "charges of the table") : how->second,
           ""});
    }
    for (const auto& each : made_.equalised) {
      std::size_t atoms = 0;
      for (const auto& [residue, count] : atom_counts(each.residues, residues_)) atoms += count;
      add({Kind::equalised, each.residues, atoms,
           filled(localised("structures", "total charge %1"), {electrons(each.charge)}),
           each.lacks_hydrogens ? localised("structures", "rough: the structure lacks its hydrogens") : ""});
    }
  }

  void bonds() {
    for (const auto& [first, second, distance] : made_.disulphides)
      add({Kind::disulphide, {first, second}, 0, angstroms(distance), ""});
    for (const auto& [first_atom, first, second_atom, second, distance] : made_.sugar_links)
      add({Kind::link,
           {first, second},
           0,
           fmt::format("{}-{}, {}", first_atom, second_atom, angstroms(distance)),
           ""});
  }

  const Preparation& made_;
  const Residues& residues_;
  std::vector<DecisionRow> rows_;
};

}  // namespace

std::vector<DecisionRow> decisions_of(const Preparation& made, const Residues& residues) {
  return Rows(made, residues).all();
}

std::vector<DecisionRow> decisions_of(const Residues& residues) {
  std::vector<DecisionRow> rows;
  for (const auto& residue : residues.all) {
    if (!residue.has_parameters)
      rows.push_back({Kind::without_charge,
                      {residue.name},
                      residue.atoms.size(),
                      localised("structures", "no charge"),
                      localised("structures", "the file gives it none")});
  }
  return rows;
}

Remarks remarks_of(const Preparation& made) {
  Remarks remarks;
  const auto say = [&](RemarkKind kind, const std::vector<std::string>& names, std::string_view text) {
    if (!names.empty()) remarks.add(kind, fmt::format("{}: {}.", text, first_names(names)), names.size());
  };
  if (made.waters_left_out > 0) {
    auto text = fmt::format("Water was left out: {} ({}).", counted(made.waters_left_out, "molecule"),
                            counted(made.water_atoms_left_out, "atom"));
    if (made.metal_waters_left_out > 0)
      text +=
          fmt::format(" It includes {} bound to metals.", counted(made.metal_waters_left_out, "molecule"));
    remarks.dropped(text, static_cast<std::size_t>(made.water_atoms_left_out));
  }
  say(RemarkKind::dropped, made.hydrogens_dropped,
      "Hydrogens that residues do not have in their state were left out");
  if (made.hydrogens_replaced > 0)
    remarks.converted(
        fmt::format("Ideal positions replace those of {}, because the atoms that carry them lack others.",
                    counted(made.hydrogens_replaced, "hydrogen")),
        static_cast<std::size_t>(made.hydrogens_replaced));
  say(RemarkKind::assumed, made.hydrogens_completed,
      "Hydrogens were added to atoms that have none, in residues that have others (choose another state if "
      "they are missing on purpose)");
  say(RemarkKind::assumed, made.bonded_side_chains,
      "Side chains are bonded to other residues and have no hydrogens there but those in the file");
  say(RemarkKind::assumed, made.added_atoms, "The structure lacks atoms at ends of chains, which were added");
  const auto of_ends = [&](auto is_so) {
    std::vector<std::string> names;
    for (const auto& end : made.ends)
      if (is_so(end)) names.push_back(end.residue);
    return names;
  };
  say(RemarkKind::assumed, of_ends([](const auto& end) { return end.state == "gap"; }),
      "A chain has a gap before residues that are not bonded to the previous one; both are charged as in its "
      "middle");
  say(RemarkKind::assumed, of_ends([](const auto& end) { return end.state == "bonded"; }),
      "Ends of chains are bonded to other residues and are charged as in the middle of a chain");
  say(RemarkKind::assumed, made.incomplete_phosphates,
      "Nucleotides that begin a chain with a phosphate lack its third oxygen and are charged as in the "
      "middle of a chain, so that its charge is not whole (missing of a phosphate of -1 e)");
  say(RemarkKind::assumed, made.without_parameters,
      "No charge was assigned to residues for which the force field has no parameters (assign ligand "
      "charges, a table of charges or equalised charges)");
  say(RemarkKind::assumed, made.stated_ion_charges,
      "The charges of ions that the file states were used, although the names of their residues mean others");
  say(RemarkKind::assumed, made.ions_of_element_radii,
      "The force field lacks these ions; they have their charge and the radius of their element");
  remarks.add(made.given_remarks);
  say(RemarkKind::assumed, made.element_radii,
      "Atoms whose charges were given without radii have the van der Waals radii of their elements");
  say(RemarkKind::assumed, made.unknown_atoms,
      "No charge was assigned to atoms that their residues do not have");
  std::vector<std::string> neutral, rough, incomplete, formal, other_formal;
  for (const auto& each : made.equalised) {
    neutral.insert(neutral.end(), each.assumed_neutral.begin(), each.assumed_neutral.end());
    formal.insert(formal.end(), each.formal_charges.begin(), each.formal_charges.end());
    other_formal.insert(other_formal.end(), each.other_formal_charges.begin(),
                        each.other_formal_charges.end());
    if (each.lacks_hydrogens) rough.insert(rough.end(), each.residues.begin(), each.residues.end());
  }
  for (const auto& each : made.incomplete)
    incomplete.push_back(fmt::format("{} ({}: {} instead of {})", each.residue, fmt::join(each.atoms, " "),
                                     electrons(each.charge), electrons(each.expected)));
  say(RemarkKind::assumed, neutral,
      "Residues of unknown charge were equalised as neutral ones (NAME=CHARGE gives another charge)");
  say(RemarkKind::assumed, formal, "Formal charges of the file were used in equalised charges");
  say(RemarkKind::dropped, other_formal,
      "Equalised charges have the known charge of residues for which the file states other formal charges");
  say(RemarkKind::assumed, made.without_computed_pka,
      made.pka_program + " has no pKa of these residues; their standard pKa in water was used");
  if (!made.titrated.empty() && !made.pka_program.empty())
    say(RemarkKind::assumed, made.titrated,
        fmt::format("Protonation at pH {:g} follows pKa values that {} computed from the structure", made.ph,
                    made.pka_program));
  if (!made.titrated.empty() && made.pka_program.empty())
    say(RemarkKind::assumed, made.titrated,
        fmt::format("Protonation at pH {:g} follows the standard pKa of amino acids in water (ASP 3.8, GLU "
                    "4.5, HIS 6.5, CYS 9, LYS 10.5), without regard to their surroundings",
                    made.ph));
  if (!(made.ph >= 3.2 && made.ph <= 8))
    remarks.assumed(
        fmt::format("Termini, tyrosine and arginine have their charges of pH 7, although the pH is {:g}: the "
                    "force fields "
                    "lack their other states (standard pKa: C-terminus 3.2, N-terminus 8, TYR 10, ARG 12.5).",
                    made.ph));
  say(RemarkKind::assumed, made.composed,
      "The force field lacks these residues; their charges are combined from those of others (see the "
      "preparation report)");
  say(RemarkKind::assumed, made.selenomethionines,
      "Selenomethionines have the charges of methionine, and their selenium has the radius of sulphur");
  say(RemarkKind::warning, made.lost_charges,
      "Atoms of ligands are missing in the structure or in the file of their charges");
  say(RemarkKind::warning, rough,
      "Equalised charges are rough, because the structure lacks the hydrogens of these residues");
  say(RemarkKind::warning, incomplete, "Atoms are missing in residues");
  return remarks;
}

std::string title_of(DecisionKind kind) {
  switch (kind) {
    case Kind::source:
      return localised("structures", "Charges and radii");
    case Kind::hydrogens:
      return localised("structures", "Hydrogens");
    case Kind::water:
      return localised("structures", "Water");
    case Kind::without_charge:
      return localised("structures", "Without charge");
    case Kind::atoms_without_charge:
      return localised("structures", "Atom without charge");
    case Kind::incomplete:
      return localised("structures", "Missing atoms");
    case Kind::given:
      return localised("structures", "Given charges");
    case Kind::equalised:
      return localised("structures", "Equalised charges");
    case Kind::state:
      return localised("structures", "Protonation");
    case Kind::end:
      return localised("structures", "End of chain");
    case Kind::disulphide:
      return localised("structures", "Disulphide");
    case Kind::link:
      return localised("structures", "Link");
    case Kind::added:
      return localised("structures", "Added atom");
    case Kind::alternatives:
      return localised("structures", "Alternative places");
    case Kind::pka:
      return localised("structures", "Computed pKa");
  }
  return {};
}

std::string residues_of(const DecisionRow& row) {
  return fmt::format("{}", fmt::join(row.residues, ", "));
}

std::string line_of(const DecisionRow& row) {
  std::string line = title_of(row.kind) + ": ";
  if (!row.residues.empty()) line += residues_of(row) + ": ";
  line += row.what;
  if (row.atoms > 1) line += filled(localised("structures", ", %1 atoms"), {std::to_string(row.atoms)});
  if (!row.why.empty()) line += fmt::format(" ({})", row.why);
  return line;
}

void write_decisions(const std::vector<DecisionRow>& rows, const std::filesystem::path& path) {
  fmt::memory_buffer lines;
  auto out = std::back_inserter(lines);
  fmt::format_to(out, "kind,residues,atoms,what,why\n");
  for (const auto& row : rows) {
    fmt::format_to(out, "{},{},{},{},{}\n", csv_cell(title_of(row.kind)), csv_cell(residues_of(row)),
                   row.atoms > 0 ? std::to_string(row.atoms) : "", csv_cell(row.what), csv_cell(row.why));
  }
  AtomicFile file(path);
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

std::vector<std::pair<std::string, std::size_t>> atom_counts(const std::vector<std::string>& names,
                                                             const Residues& residues) {
  std::map<std::string_view, std::size_t> counts;
  for (const auto& residue : residues.all) {
    // Repeated names are followed by a number from the second one on.
    const std::string_view name = residue.name;
    counts[name.substr(0, name.find(" ("))] += residue.atoms.size();
  }
  std::vector<std::pair<std::string, std::size_t>> all;
  for (const auto& name : names) {
    const auto found = counts.find(name);
    all.emplace_back(name, found == counts.end() ? 0 : found->second);
  }
  return all;
}

}  // namespace isolume::structures
