// Names of residues: wwPDB's chemical components; AMBER's and CHARMM's libraries; GROMACS's residuetypes.dat;
// GLYCAM's codes (https://glycam.org/docs/forcefield/glycam-naming-2).
#include "core/molecules/residue_names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "core/base/letter_case.h"
#include "core/molecules/element.h"
#include "core/molecules/line_reader.h"

namespace isolume::molecules {
namespace {

/// A name and its synonyms.
struct Synonyms {
  ResidueKind kind;
  std::string_view name, others;
};

constexpr std::array residue_synonyms{
    Synonyms{ResidueKind::water, "HOH",
             "WAT DOD D2O H2O HHO OHH OH2 WTR SOL SPC SPCE SPF SPG SPE TIP TIP2 TIP3 TIP4 TIP5 TIP6 TIPS TP3 "
             "TP4 TP5 TPF T3P T4P T5P T3H T4E TP3M TP4E OPC OPC3 FB3 FB4 PL3 SWM4 SWM6 TIP3P TIP4P TIP5P"},
    Synonyms{ResidueKind::amino_acid, "ALA", "DAL"},
    Synonyms{ResidueKind::amino_acid, "ARG", "DAR"},
    Synonyms{ResidueKind::amino_acid, "ASN", "DSG NLN"},
    Synonyms{ResidueKind::amino_acid, "ASP", "DAS"},
    Synonyms{ResidueKind::amino_acid, "ASH", "ASPH ASPP"},
    Synonyms{ResidueKind::amino_acid, "CYS", "DCY CYSH"},
    Synonyms{ResidueKind::amino_acid, "CYX", "CYS2 CYSS"},
    Synonyms{ResidueKind::amino_acid, "CYM", "CYN"},
    Synonyms{ResidueKind::amino_acid, "GLN", "DGN"},
    Synonyms{ResidueKind::amino_acid, "GLU", "DGL"},
    Synonyms{ResidueKind::amino_acid, "GLH", "GLUH GLUP"},
    Synonyms{ResidueKind::amino_acid, "GLY", ""},
    Synonyms{ResidueKind::amino_acid, "HIS", "DHI"},
    Synonyms{ResidueKind::amino_acid, "HID", "HSD HISD HISA HIS1"},
    Synonyms{ResidueKind::amino_acid, "HIE", "HSE HISE HISB"},
    Synonyms{ResidueKind::amino_acid, "HIP", "HSP HISH HISP"},
    Synonyms{ResidueKind::amino_acid, "ILE", "DIL"},
    Synonyms{ResidueKind::amino_acid, "LEU", "DLE"},
    Synonyms{ResidueKind::amino_acid, "LYS", "DLY LYSH LYP"},
    Synonyms{ResidueKind::amino_acid, "LYN", "LSN LYSN"},
    Synonyms{ResidueKind::amino_acid, "MET", "MED"},
    Synonyms{ResidueKind::amino_acid, "MSE", ""},
    Synonyms{ResidueKind::amino_acid, "PHE", "DPN"},
    Synonyms{ResidueKind::amino_acid, "PRO", "DPR"},
    Synonyms{ResidueKind::amino_acid, "HYP", "OLP"},
    Synonyms{ResidueKind::amino_acid, "SER", "DSN OLS"},
    Synonyms{ResidueKind::amino_acid, "SEP", ""},
    Synonyms{ResidueKind::amino_acid, "THR", "DTH OLT"},
    Synonyms{ResidueKind::amino_acid, "TPO", ""},
    Synonyms{ResidueKind::amino_acid, "TRP", "DTR"},
    Synonyms{ResidueKind::amino_acid, "TYR", "DTY"},
    Synonyms{ResidueKind::amino_acid, "PTR", ""},
    Synonyms{ResidueKind::amino_acid, "VAL", "DVA"},
    Synonyms{ResidueKind::nucleotide, "A", "RA ADE"},
    Synonyms{ResidueKind::nucleotide, "C", "RC CYT"},
    Synonyms{ResidueKind::nucleotide, "G", "RG GUA"},
    Synonyms{ResidueKind::nucleotide, "U", "RU URA URI"},
    Synonyms{ResidueKind::nucleotide, "T", "THY"},
    Synonyms{ResidueKind::nucleotide, "DA", "DADE"},
    Synonyms{ResidueKind::nucleotide, "DC", "DCYT"},
    Synonyms{ResidueKind::nucleotide, "DG", "DGUA"},
    Synonyms{ResidueKind::nucleotide, "DT", "DTHY"},
    Synonyms{ResidueKind::sugar, "NAG", ""},
    Synonyms{ResidueKind::sugar, "NDG", ""},
    Synonyms{ResidueKind::sugar, "NGA", ""},
    Synonyms{ResidueKind::sugar, "A2G", ""},
    Synonyms{ResidueKind::sugar, "GLC", ""},
    Synonyms{ResidueKind::sugar, "BGC", ""},
    Synonyms{ResidueKind::sugar, "MAN", ""},
    Synonyms{ResidueKind::sugar, "BMA", ""},
    Synonyms{ResidueKind::sugar, "GAL", ""},
    Synonyms{ResidueKind::sugar, "GLA", ""},
    Synonyms{ResidueKind::sugar, "FUC", ""},
    Synonyms{ResidueKind::sugar, "FUL", ""},
    Synonyms{ResidueKind::sugar, "RAM", ""},
    Synonyms{ResidueKind::sugar, "XYP", ""},
    Synonyms{ResidueKind::sugar, "XYS", ""},
    Synonyms{ResidueKind::sugar, "GCU", ""},
    Synonyms{ResidueKind::sugar, "BDP", ""},
    Synonyms{ResidueKind::sugar, "SIA", ""},
    Synonyms{ResidueKind::sugar, "SLB", ""},
    Synonyms{ResidueKind::cap, "ACE", ""},
    Synonyms{ResidueKind::cap, "NME", "NMA NAC CT3"},
    Synonyms{ResidueKind::cap, "NH2", "NHE CT2"},
};

/// wwPDB's single-atom components: the first of an element is the one denoted by the symbol alone.
struct IonName {
  std::string_view name;
  int element, charge;
  std::string_view others;
};
constexpr std::array ion_names{
    IonName{"LI", 3, 1, "LIT"},      IonName{"F", 9, -1, "FLU"},      IonName{"NA", 11, 1, "SOD NA1 IP"},
    IonName{"MG", 12, 2, "MG2"},     IonName{"AL", 13, 3, "AL3"},     IonName{"CL", 17, -1, "CLA CL1 IM"},
    IonName{"K", 19, 1, "POT"},      IonName{"CA", 20, 2, "CAL CA2"}, IonName{"CR", 24, 3, "CR3"},
    IonName{"MN", 25, 2, "MN2"},     IonName{"FE", 26, 3, "FE3"},     IonName{"FE2", 26, 2, ""},
    IonName{"CO", 27, 2, "CO2"},     IonName{"NI", 28, 2, "NI2"},     IonName{"CU", 29, 2, "CU2"},
    IonName{"CU1", 29, 1, ""},       IonName{"ZN", 30, 2, "ZN2"},     IonName{"BR", 35, -1, "BRO"},
    IonName{"RB", 37, 1, "RUB"},     IonName{"SR", 38, 2, "SR2"},     IonName{"YT3", 39, 3, "Y"},
    IonName{"PD", 46, 2, ""},        IonName{"AG", 47, 1, "AG1"},     IonName{"CD", 48, 2, "CAD CD2"},
    IonName{"IN", 49, 3, ""},        IonName{"IOD", 53, -1, "I"},     IonName{"CS", 55, 1, "CES"},
    IonName{"BA", 56, 2, "BAR BA2"}, IonName{"LA", 57, 3, ""},        IonName{"CE", 58, 3, ""},
    IonName{"PR", 59, 3, ""},        IonName{"SM", 62, 3, ""},        IonName{"EU3", 63, 3, ""},
    IonName{"EU", 63, 2, ""},        IonName{"GD3", 64, 3, "GD"},     IonName{"TB", 65, 3, ""},
    IonName{"DY", 66, 3, ""},        IonName{"ER3", 68, 3, "ER"},     IonName{"LU", 71, 3, ""},
    IonName{"PT", 78, 2, ""},        IonName{"AU", 79, 1, ""},        IonName{"HG", 80, 2, "HG2"},
    IonName{"TL", 81, 1, ""},        IonName{"PB", 82, 2, "PB2"},     IonName{"0BE", 4, 2, ""},
    IonName{"4TI", 22, 4, ""},       IonName{"MN3", 25, 3, ""},       IonName{"3CO", 27, 3, ""},
    IonName{"3NI", 28, 3, ""},       IonName{"CU3", 29, 3, ""},       IonName{"GA", 31, 3, ""},
    IonName{"ZR", 40, 4, ""},        IonName{"4MO", 42, 4, ""},       IonName{"6MO", 42, 6, ""},
    IonName{"RU", 44, 3, ""},        IonName{"RH3", 45, 3, ""},       IonName{"SB", 51, 3, ""},
    IonName{"ND", 60, 3, ""},        IonName{"HO3", 67, 3, ""},       IonName{"YB", 70, 3, ""},
    IonName{"YB2", 70, 2, ""},       IonName{"OS", 76, 3, ""},        IonName{"OS4", 76, 4, ""},
    IonName{"IR", 77, 4, ""},        IonName{"IR3", 77, 3, ""},       IonName{"PT4", 78, 4, ""},
    IonName{"AU3", 79, 3, ""},       IonName{"BS3", 83, 3, ""},       IonName{"TH", 90, 4, ""},
};

/// GLYCAM's letter of a sugar with A or B for its anomer; lower-case letters are L sugars.
constexpr std::array<std::pair<std::string_view, std::string_view>, 19> glycam_sugars{{{"YB", "NAG"},
                                                                                       {"YA", "NDG"},
                                                                                       {"VB", "NGA"},
                                                                                       {"VA", "A2G"},
                                                                                       {"GB", "BGC"},
                                                                                       {"GA", "GLC"},
                                                                                       {"MB", "BMA"},
                                                                                       {"MA", "MAN"},
                                                                                       {"LB", "GAL"},
                                                                                       {"LA", "GLA"},
                                                                                       {"fA", "FUC"},
                                                                                       {"fB", "FUL"},
                                                                                       {"hA", "RAM"},
                                                                                       {"XB", "XYP"},
                                                                                       {"XA", "XYS"},
                                                                                       {"ZB", "BDP"},
                                                                                       {"ZA", "GCU"},
                                                                                       {"SA", "SIA"},
                                                                                       {"SB", "SLB"}}};

using NameTable = std::map<std::string, std::pair<ResidueKind, std::string_view>, std::less<>>;

const NameTable& residue_table() {
  static const NameTable table = [] {
    NameTable made;
    std::vector<std::string_view> words;
    for (const auto& [kind, name, others] : residue_synonyms) {
      made.emplace(name, std::pair(kind, name));
      split_words(others, words);
      for (const auto word : words) made.emplace(word, std::pair(kind, name));
    }
    return made;
  }();
  return table;
}

const std::map<std::string, const IonName*, std::less<>>& ion_table() {
  static const auto table = [] {
    std::map<std::string, const IonName*, std::less<>> made;
    std::vector<std::string_view> words;
    for (const auto& ion : ion_names) {
      made.emplace(ion.name, &ion);
      split_words(ion.others, words);
      for (const auto word : words) made.emplace(word, &ion);
    }
    return made;
  }();
  return table;
}

/// "NA", "SOD", "Na+", "CL-", "MG2+", "ZN+2", "FE+++".
const IonName* ion_of(const std::string& upper) {
  if (const auto found = ion_table().find(upper); found != ion_table().end()) return found->second;
  const auto sign = upper.find_first_of("+-");
  if (sign == std::string::npos) return nullptr;
  const auto letters = static_cast<std::size_t>(
      std::ranges::find_if(upper, [](unsigned char c) { return std::isalpha(c) == 0; }) - upper.begin());
  int charge = static_cast<int>(std::ranges::count(upper, upper[sign]));
  for (const char c : upper)
    if (c >= '1' && c <= '9') charge = c - '0';
  if (upper[sign] == '-') charge = -charge;
  const int element = atomic_number(upper.substr(0, letters));
  const auto found = std::ranges::find_if(
      ion_names, [&](const auto& ion) { return ion.element == element && ion.charge == charge; });
  return element <= 0 || found == ion_names.end() ? nullptr : &*found;
}

std::string_view without_digits_before(std::string_view name) {
  const auto first = name.find_first_not_of("0123456789");
  return first == name.npos ? std::string_view() : name.substr(first);
}

/// Sites of four- and five-point models, and of polarisable ones.
bool is_virtual_site(std::string_view atom) {
  constexpr std::array<std::string_view, 22> names{"M",   "MW",  "IW",   "MW1",  "MW4",  "OM",  "EP",  "EP1",
                                                   "EP2", "EPW", "EPW1", "EPW2", "LP",   "LP1", "LP2", "LPA",
                                                   "LPB", "L1",  "L2",   "LA",   "DOH2", "DO"};
  return std::ranges::find(names, upper_case(atom)) != names.end();
}

bool is_water_oxygen(std::string_view atom) {
  return without_digits_before(atom).starts_with('O') && !is_virtual_site(atom);
}
bool is_water_hydrogen(std::string_view atom) {
  return is_hydrogen_name(atom) && !is_virtual_site(atom);
}

/// One oxygen, and no atoms that do not occur in water.
bool has_atoms_of_water(std::span<const std::string> atoms) {
  return std::ranges::count_if(atoms, is_water_oxygen) == 1 &&
         std::ranges::all_of(atoms, [](const auto& atom) {
           return is_water_oxygen(atom) || is_water_hydrogen(atom) || is_virtual_site(atom);
         });
}

/// One oxygen and two hydrogens, besides virtual sites: no other molecule has these.
bool is_water_by_atoms(std::span<const std::string> atoms) {
  return has_atoms_of_water(atoms) && std::ranges::count_if(atoms, is_water_hydrogen) == 2;
}

/// "NALA", "CHID"; "DA5", "RU3", "AN".
std::optional<KnownResidue> at_an_end(const std::string& name) {
  const auto& table = residue_table();
  if (name.size() == 4 && (name.front() == 'N' || name.front() == 'C')) {
    const auto found = table.find(name.substr(1));
    if (found != table.end() && found->second.first == ResidueKind::amino_acid)
      return KnownResidue{ResidueKind::amino_acid, std::string(found->second.second), name.front()};
  }
  const char last = name.empty() ? ' ' : name.back();
  if (name.size() > 1 && (last == '5' || last == '3' || last == 'N')) {
    const auto found = table.find(name.substr(0, name.size() - 1));
    if (found != table.end() && found->second.first == ResidueKind::nucleotide)
      return KnownResidue{ResidueKind::nucleotide, std::string(found->second.second),
                          last == 'N' ? ' ' : last};
  }
  return std::nullopt;
}

/// "0YB", "4GA", "VMB": linkage positions, sugar, anomer.
std::optional<KnownResidue> glycam_residue(std::string_view name) {
  constexpr std::string_view positions = "0123456789ZYXWVUTSRQPONMLKJIHGF";
  if (name.size() != 3 || positions.find(name.front()) == positions.npos) return std::nullopt;
  const auto found =
      std::ranges::find(glycam_sugars, name.substr(1), &std::pair<std::string_view, std::string_view>::first);
  if (found == glycam_sugars.end()) return std::nullopt;
  return KnownResidue{ResidueKind::sugar, std::string(found->second)};
}

std::optional<KnownResidue> monomer(const std::string& name) {
  const auto& table = residue_table();
  if (const auto found = table.find(name); found != table.end())
    return KnownResidue{found->second.first, std::string(found->second.second)};
  return at_an_end(name);
}

bool has_atom(std::span<const std::string> atoms, std::string_view name) {
  return std::ranges::any_of(atoms, [&](const auto& atom) {
    return atom.size() == name.size() && atom.substr(0, name.size() - 1) == name.substr(0, name.size() - 1) &&
           (atom.back() == name.back() || atom.back() == '*');
  });
}

using AtomNames = std::map<std::string_view, std::string_view>;

const AtomNames& atom_names_of(const KnownResidue& residue) {
  static const AtomNames none,
      protein{{"OT1", "O"},   {"OC1", "O"},   {"O1", "O"},     {"OCT1", "O"},   {"O'", "O"},
              {"OT2", "OXT"}, {"OC2", "OXT"}, {"O2", "OXT"},   {"OCT2", "OXT"}, {"OT", "OXT"},
              {"OCT", "OXT"}, {"OTX", "OXT"}, {"OTER", "OXT"}, {"OC", "OXT"},   {"O''", "OXT"},
              {"HN", "H"},    {"AD1", "OD1"}, {"AD2", "ND2"},  {"AE1", "OE1"},  {"AE2", "NE2"}},
      nucleic{{"O1P", "OP1"}, {"O2P", "OP2"}, {"O3P", "OP3"}, {"C5M", "C7"}, {"O5T", "O5'"}, {"O3T", "O3'"}},
      acetyl{{"CAY", "CH3"}, {"CA", "CH3"}, {"CY", "C"}, {"OY", "O"}},
      phosphorylated =
          [] {
            AtomNames names = protein;
            names.insert({{"OP1", "O1P"}, {"OP2", "O2P"}, {"OP3", "O3P"}});
            return names;
          }(),
      amide{{"CH3", "C"}, {"CAT", "C"}, {"CA", "C"}, {"NT", "N"}, {"HN", "H"}, {"HNT", "H"}},
      glycam{{"C2N", "C7"}, {"O2N", "O7"}, {"CME", "C8"}, {"C5N", "C10"}, {"O5N", "O10"}};
  switch (residue.kind) {
    case ResidueKind::amino_acid:
      return residue.name == "SEP" || residue.name == "TPO" || residue.name == "PTR" ? phosphorylated
                                                                                     : protein;
    case ResidueKind::nucleotide:
      return nucleic;
    case ResidueKind::cap:
      return residue.name == "ACE" ? acetyl : amide;
    case ResidueKind::sugar:
      return glycam;
    default:
      return none;
  }
}

/// Two-letter symbols that cannot be confused with an organic atom's name; names of four characters begin with them
/// ("CLAA"), others consist of them and digits. 0 for other names.
int element_of_known_name(std::string_view letters, std::size_t size) {
  constexpr std::array<std::pair<std::string_view, int>, 8> known{
      {{"FE", 26}, {"ZN", 30}, {"MG", 12}, {"MN", 25}, {"CU", 29}, {"CL", 17}, {"BR", 35}, {"SE", 34}}};
  const auto symbol = size == 4 ? letters.substr(0, 2) : letters;
  const auto found = std::ranges::find(known, symbol, &std::pair<std::string_view, int>::first);
  return found == known.end() ? 0 : found->second;
}

/// In capitals; the first ones only: N of N9A.
std::string first_letters(std::string_view name) {
  const auto end = std::ranges::find_if(name, [](unsigned char c) { return std::isalpha(c) == 0; });
  return upper_case(name.substr(0, static_cast<std::size_t>(end - name.begin())));
}

/// GROMACS and others also call all ions ION.
bool is_name_of_any_ion(std::string_view upper) {
  return upper == "ION" || upper == "CIO" || upper == "CIM";
}

/// The element of an ion, if that is what the residue is and the atom's letters mean: NA in NA+, SOD in SOD. Other
/// single atoms have the residue's name, too: XE.
int element_of_ion(const std::string& letters, std::string_view residue) {
  const std::string upper = upper_case(residue);
  const auto* named = ion_of(letters);
  const auto* ion = is_name_of_any_ion(upper) ? named : ion_of(upper);
  if (ion != nullptr &&
      (atomic_number(letters) == ion->element || (named != nullptr && named->element == ion->element)))
    return ion->element;
  return letters.size() == 2 && letters == upper ? std::max(0, atomic_number(letters)) : 0;
}

}  // namespace

KnownResidue known_ion(int element, int charge) {
  const auto found = std::ranges::find_if(
      ion_names, [&](const auto& ion) { return ion.element == element && ion.charge == charge; });
  const auto usual = std::ranges::find(ion_names, element, &IonName::element);
  const auto* ion = found != ion_names.end() ? &*found : usual != ion_names.end() ? &*usual : nullptr;
  return {ResidueKind::ion, std::string(ion == nullptr ? "" : ion->name), ' ', element, charge};
}

bool is_listed_residue(std::string_view name) {
  const std::string upper = upper_case(name);
  return monomer(upper) || ion_of(upper) != nullptr;
}

bool is_monomer_name(std::string_view residue) {
  const auto found = monomer(upper_case(residue));
  return found && (found->kind == ResidueKind::amino_acid || found->kind == ResidueKind::nucleotide);
}

bool is_water_name(std::string_view residue) {
  const auto found = monomer(upper_case(residue));
  return found && found->kind == ResidueKind::water;
}

KnownResidue known_residue(std::string_view name, std::span<const std::string> atoms) {
  const std::string upper = upper_case(name);
  if (atoms.size() == 1) {
    const auto* ion = ion_of(upper);
    if (ion == nullptr && is_name_of_any_ion(upper)) ion = ion_of(upper_case(atoms.front()));
    if (ion != nullptr) return {ResidueKind::ion, std::string(ion->name), ' ', ion->element, ion->charge};
  }
  auto found = monomer(upper);
  // wwPDB has other components of such names, as 1MA and 2MA, which are nucleotides.
  if (!found && has_atom(atoms, "C1")) found = glycam_residue(name);
  if (found && found->kind == ResidueKind::water && !has_atoms_of_water(atoms)) found.reset();
  if (!found && is_water_by_atoms(atoms)) found = monomer("HOH");
  if (!found) return {ResidueKind::unknown, std::string(name)};
  // Maestro's name of a thiolate is CHARMM's of cytidine.
  if (upper == "CYT" && has_atom(atoms, "SG")) return {ResidueKind::amino_acid, "CYM"};
  // Free bases, cyanide (CYN) and others share names with monomers.
  const bool is_plain = upper == found->name;
  if (found->kind == ResidueKind::amino_acid && !is_plain && !has_atom(atoms, "CA"))
    return {ResidueKind::unknown, std::string(name)};
  // wwPDB's HSE is homoserine, and its HIP a histidine with a phosphate.
  if ((upper == "HSE" && has_atom(atoms, "OD")) || (upper == "HIP" && has_atom(atoms, "P")))
    return {ResidueKind::unknown, std::string(name)};
  // Caps have two heavy atoms; ligands share their other names.
  constexpr std::size_t most_atoms_of_cap = 6;
  if (found->kind == ResidueKind::cap && !is_plain && atoms.size() > most_atoms_of_cap)
    return {ResidueKind::unknown, std::string(name)};
  if (found->kind == ResidueKind::nucleotide && !is_plain && !has_atom(atoms, "C1'"))
    return {ResidueKind::unknown, std::string(name)};
  if (found->kind == ResidueKind::nucleotide && found->name.size() == 1) {
    // Entries before 2008 and CHARMM use the same names for both kinds of nucleotides.
    const bool is_dna = !has_atom(atoms, "O2'") && has_atom(atoms, "C2'");
    if (is_dna && found->name != "U") found->name.insert(0, 1, 'D');
  }
  return *found;
}

std::string usual_atom_name(std::string_view name, const KnownResidue& residue) {
  std::string usual(name);
  if (residue.kind == ResidueKind::water) {
    if (is_water_oxygen(name)) return "O";
    return usual;
  }
  std::ranges::replace(usual, '*', '\'');
  const auto& names = atom_names_of(residue);
  if (const auto found = names.find(usual); found != names.end()) usual = found->second;
  if (usual == "CD" && residue.name == "ILE") return "CD1";
  if (usual == "SE" && residue.name == "MET") return "SD";
  return usual;
}

bool is_hydrogen_name(std::string_view name) {
  const auto letters = without_digits_before(name);
  return letters.starts_with('H') || letters.starts_with('D');
}

int element_in(const KnownResidue& residue, std::string_view atom) {
  switch (residue.kind) {
    case ResidueKind::unknown:
      return -1;
    case ResidueKind::ion:
      return residue.element;
    case ResidueKind::water:
      return is_virtual_site(atom) ? 0 : is_hydrogen_name(atom) ? 1 : 8;
    default:
      break;
  }
  if (is_hydrogen_name(atom)) return 1;
  const auto letters = without_digits_before(atom);
  if (letters.starts_with("SE") && residue.name == "MET") return 34;
  if (letters.starts_with('S') && residue.name == "MSE") return 34;
  constexpr std::string_view organic = "CNOPS";
  return letters.empty() || organic.find(letters.front()) == organic.npos
             ? -1
             : atomic_number(letters.substr(0, 1));
}

int element_of_name(std::string_view atom, std::string_view residue) {
  const std::string letters = first_letters(without_digits_before(atom));
  if (letters.empty()) return 0;
  if (const int number = element_of_known_name(letters, atom.size()); number > 0) return number;
  if (const int number = element_of_ion(letters, residue); number > 0) return number;
  return std::max(0, atomic_number(letters.substr(0, 1)));
}

}  // namespace isolume::molecules
