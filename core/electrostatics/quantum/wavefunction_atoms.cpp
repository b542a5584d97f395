#include "core/electrostatics/quantum/wavefunction_atoms.h"

#include <cmath>
#include <iterator>

#include <fmt/format.h>

#include "core/base/atomic_file.h"
#include "core/molecules/element.h"

namespace isolume::electrostatics {

std::vector<WavefunctionAtom> wavefunction_atoms(const molecules::Molecule& molecule,
                                                 const gaussians::WavefunctionPotential& potential,
                                                 const AtomicCharges& mulliken, const AtomicCharges& loewdin,
                                                 const AtomicCharges& fitted, const QuantumOptions& options,
                                                 const jobs::Progress& progress) {
  const double angstrom = grid::shown_per_unit(grid::LengthUnit::bohr);
  Places nuclei;
  for (const auto& atom : molecule.atoms) {
    nuclei.x.push_back(angstrom * atom.position_bohr.x());
    nuclei.y.push_back(angstrom * atom.position_bohr.y());
    nuclei.z.push_back(angstrom * atom.position_bohr.z());
  }
  // A nucleus at the point itself does not contribute there.
  const auto at_nuclei = quantum_potential_at(nuclei, potential, options, progress).values;
  std::vector<WavefunctionAtom> atoms;
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    atoms.push_back({molecule.atoms[i].atomic_number, mulliken.charges[row], loewdin.charges[row],
                     fitted.charges[row], at_nuclei[i]});
  }
  return atoms;
}

void write_wavefunction_atoms(const std::vector<WavefunctionAtom>& atoms, std::string_view potential_unit,
                              const std::filesystem::path& path) {
  fmt::memory_buffer lines;
  auto out = std::back_inserter(lines);
  fmt::format_to(out,
                 "# charges in e; potential at the nucleus, without that nucleus, in {}\n"
                 "atom,element,mulliken,loewdin,fitted,potential\n",
                 potential_unit);
  // Avoids a negative zero.
  const auto rounded = [](double value) { return std::round(value * 1e6) / 1e6 + 0.0; };
  for (std::size_t i = 0; i < atoms.size(); ++i) {
    const auto& each = atoms[i];
    fmt::format_to(out, "{},{},{:.6f},{:.6f},{:.6f},{:.8g}\n", i + 1,
                   molecules::element(each.atomic_number).symbol, rounded(each.mulliken),
                   rounded(each.loewdin), rounded(each.fitted), each.potential);
  }
  AtomicFile file(path);
  file.stream().write(lines.data(), static_cast<std::streamsize>(lines.size()));
  file.commit();
}

}  // namespace isolume::electrostatics
