#include "core/molecules/biopolymer.h"

#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include "core/base/input_file.h"
#include "core/base/suffix.h"
#include "core/base/text.h"
#include "core/molecules/residue_names.h"

namespace isolume::molecules {
namespace {

constexpr std::size_t bytes_looked_at = std::size_t{1} << 16;

/// A sequence, or an atom of a chain.
bool is_of_polymer(std::string_view line) {
  if (line.starts_with("SEQRES")) return true;
  return line.starts_with("ATOM  ") && line.size() >= 54 &&
         (is_monomer_name(trimmed(line.substr(17, 3))) || is_monomer_name(trimmed(line.substr(17, 4))));
}

}  // namespace

bool is_biopolymer_file(const std::filesystem::path& path) {
  auto name = path.filename();
  const bool packed = suffix_of(name) == ".gz";
  if (packed) name = name.stem();
  const std::string suffix = suffix_of(name);
  const bool cif = suffix == ".cif" || suffix == ".mmcif" || suffix == ".pdbx";
  // Biological assemblies: .pdb1, .pdb2 ...
  const bool pdb = suffix == ".ent" || (suffix.starts_with(".pdb") && suffix.size() <= 5);
  if (!cif && !pdb) return false;
  if (packed) return true;
  const std::string text = start_of_file(path, bytes_looked_at);
  // Small-molecule CIFs have an underscore there: _atom_site_label.
  if (cif) return text.find("_atom_site.") != text.npos || text.find("_entity_poly.") != text.npos;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (is_of_polymer(line)) return true;
  }
  return false;
}

}  // namespace isolume::molecules
