#include <algorithm>
#include <string>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/base/units.h"
#include "core/molecules/element.h"
#include "core/molecules/writers.h"

namespace isolume::molecules {

void write_xyz(const Molecule& molecule, std::span<const Molecule> frames,
               const std::filesystem::path& path) {
  AtomicFile file(path);
  const auto write = [&file](const Molecule& one) {
    std::string title = one.title;
    std::replace_if(
        title.begin(), title.end(), [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
    std::string out = fmt::format("{}\n{}\n", one.atoms.size(), title);
    for (const Atom& atom : one.atoms) {
      const Eigen::Vector3d p = atom.position_bohr * units::angstrom_per_bohr;
      out += fmt::format("{:<3} {:18.10f} {:18.10f} {:18.10f}\n", element(atom.atomic_number).symbol, p.x(),
                         p.y(), p.z());
    }
    file.stream().write(out.data(), static_cast<std::streamsize>(out.size()));
  };
  write(molecule);
  for (const Molecule& frame : frames) write(frame);
  file.commit();
}

}  // namespace isolume::molecules
