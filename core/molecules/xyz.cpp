// XYZ files, one or many geometries, plain or extended (Properties=species:S:1:pos:R:3:...).
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/remarks.h"
#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/readers.h"
#include "core/molecules/xyz_frames.h"

namespace isolume::molecules {
namespace {

Molecule read_frame(XyzFrames& frames, std::set<std::string>& unused) {
  Molecule molecule;
  molecule.title = frames.comment();
  for (const auto& column : frames.columns()) {
    if (column.name != "species" && column.name != "pos") unused.insert(column.name);
  }
  molecule.atoms.reserve(frames.count());
  for (std::size_t i = 0; i < frames.count(); ++i) {
    if (frames.next_atom().size() > frames.width()) unused.insert("words after the coordinates");
    auto& atom = molecule.atoms.emplace_back();
    atom.atomic_number = frames.element();
    atom.nuclear_charge = atom.atomic_number;
    atom.position_bohr = frames.place() * units::bohr_per_angstrom;
  }
  return molecule;
}

}  // namespace

bool looks_like_xyz(std::string_view text) {
  LineReader reader({}, text.substr(0, 1000), {});
  if (!reader.next()) return false;
  return reader.words().size() == 1 && parse_integer(reader.words()[0]).has_value();
}

FileContents read_xyz(const Source& source) {
  LineReader reader(source.path, source.text, source.progress);
  FileContents contents;
  auto& document = contents.document;
  XyzFrames frames(reader);
  std::set<std::string> unused;
  while (frames.next()) {
    Molecule molecule = read_frame(frames, unused);
    if (document.molecule.atoms.empty()) {
      document.molecule = std::move(molecule);
    } else {
      document.frames.push_back(std::move(molecule));
    }
  }
  if (document.molecule.atoms.empty()) reader.fail_at(1, "expected the number of atoms, found none");
  const std::vector<std::string> names(unused.begin(), unused.end());
  if (!names.empty())
    document.remarks.dropped(fmt::format("Columns are not used: {}.", first_names(names)), names.size());
  return contents;
}

}  // namespace isolume::molecules
