// Structures in PDB format and CIF, geometry alone: each model is a molecule.
#include <algorithm>
#include <filesystem>
#include <string_view>

#include <fmt/format.h>

#include "core/base/counted.h"
#include "core/base/letter_case.h"
#include "core/base/suffix.h"
#include "core/base/units.h"
#include "core/molecules/assembly_rows.h"
#include "core/molecules/atom_rows.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"

namespace isolume::molecules {
namespace {

Molecule molecule_of_structure(const Structure& structure) {
  Molecule molecule;
  molecule.title = structure.title;
  for (const auto& residue : structure.residues) {
    for (const auto& from : residue.atoms) {
      auto& atom = molecule.atoms.emplace_back();
      atom.atomic_number = from.atomic_number;
      atom.nuclear_charge = from.atomic_number;
      atom.position_bohr = from.place * units::bohr_per_angstrom;
    }
  }
  return molecule;
}

/// Remarks of the first model, and additional ones of later models.
class RemarksOfModels {
 public:
  void take(const Structure& structure) {
    bool has_others = false;
    for (const auto& remark : structure.remarks) {
      if (std::ranges::find(first_, remark) != first_.end()) continue;
      if (is_first_) {
        first_.add(remark.kind, remark.text, remark.count);
      } else if (others_.size() < most_others) {
        others_.add(remark.kind, fmt::format("Model {}: {}", structure.model, remark.text), remark.count);
      } else {
        has_others = true;
      }
    }
    is_first_ = false;
    unnamed_ += has_others ? 1 : 0;
  }
  Remarks all() const {
    Remarks made = first_;
    made.add(others_);
    if (unnamed_ > 0)
      made.warn(fmt::format("Similar remarks hold for {} that are not named here.",
                            counted(unnamed_, "further model")));
    return made;
  }

 private:
  static constexpr std::size_t most_others = 10;
  Remarks first_, others_;
  bool is_first_ = true;
  std::size_t unnamed_ = 0;
};

/// By its name, "x.pqr" or "x.pqr.gz": its lines are those of a PDB file with other columns after the positions.
bool is_pqr(std::filesystem::path path) {
  if (suffix_of(path) == ".gz") path.replace_extension();
  return lower_case(path.extension().string()) == ".pqr";
}

FileContents contents_of(AtomRows& rows, const Source& source) {
  if (!is_assembly_file(source.path) || !join_copies(rows)) remark_on_assemblies(rows);
  FileContents contents;
  auto& document = contents.document;
  RemarksOfModels remarks;
  for (const auto& structure : models_of(rows)) {
    remarks.take(structure);
    if (document.molecule.atoms.empty()) {
      document.molecule = molecule_of_structure(structure);
    } else {
      document.frames.push_back(molecule_of_structure(structure));
    }
  }
  document.remarks = remarks.all();
  return contents;
}

}  // namespace

bool looks_like_pdb(std::string_view text) {
  LineReader reader({}, text, {});
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.size() < 54 || !(line.starts_with("ATOM  ") || line.starts_with("HETATM"))) continue;
    bool placed = true;
    for (const std::size_t column : {30, 38, 46})
      placed = placed && parse_real(trimmed(line.substr(column, 8))).has_value();
    if (placed) return true;
  }
  return text.starts_with("HEADER    ") && text.find("\nREMARK") != std::string_view::npos;
}

FileContents read_pdb(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  auto rows = read_pdb_rows(reader);
  if (rows.atoms.empty()) reader.fail_at(0, "expected atoms (ATOM, HETATM), found none");
  if (!is_pqr(source.path)) return contents_of(rows, source);
  for (auto& row : rows.atoms) row.is_unoccupied = false;  // charges stand in the columns of occupancies
  FileContents contents = contents_of(rows, source);
  contents.document.remarks.dropped(
      "Charges and radii of the PQR file are not used. Open it in the Electrostatics lab for its potential.");
  return contents;
}

bool looks_like_cif(std::string_view text) {
  LineReader reader({}, text, {});
  bool data = false;
  while (reader.next()) {
    const std::string_view line = trimmed(reader.line());
    if (line.empty() || line.starts_with('#')) continue;
    if (!data && !starts_with_ignoring_case(line, "data_")) return false;
    data = true;
    if (line.starts_with('_') || starts_with_ignoring_case(line, "loop_")) return true;
  }
  return false;
}

FileContents read_cif(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  auto rows = read_cif_rows(reader);
  if (rows.atoms.empty()) reader.fail_at(0, "expected atoms with coordinates (_atom_site), found none");
  return contents_of(rows, source);
}

}  // namespace isolume::molecules
