#include "core/molecules/effective_cores.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/molecules/element.h"

namespace isolume::molecules {
namespace {

/// Elements whose atoms all lack functions for their innermost electrons, with the number of these atoms:
/// all-electron basis sets have largest exponents far above Z^2, those for effective cores far below. A minimal set of
/// valence functions, as of semi-empirical methods, has a single s shell, where all elements after helium occupy two.
std::map<int, int> atoms_without_core_functions(const Molecule& molecule, const BasisSet& basis) {
  std::vector<double> steepest(molecule.atoms.size(), 0);
  std::vector<int> s_shells(molecule.atoms.size(), 0);
  for (const Shell& shell : basis.shells) {
    double& so_far = steepest[static_cast<std::size_t>(shell.atom)];
    for (const double exponent : shell.exponents) so_far = std::max(so_far, exponent);
    if (shell.angular_momentum == 0) ++s_shells[static_cast<std::size_t>(shell.atom)];
  }
  std::map<int, int> counts;
  for (const Atom& atom : molecule.atoms) {
    if (atom.atomic_number > 2) ++counts[atom.atomic_number];
  }
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const int z = molecule.atoms[i].atomic_number;
    const bool lacks = steepest[i] < 0.5 * z * z || s_shells[i] < 2;
    if (!(steepest[i] > 0 && lacks)) counts.erase(z);
  }
  return counts;
}

using Cores = std::map<int, int>;  ///< electrons in the core by atomic number

/// Finds all combinations of usual effective cores that sum to `electrons`.
void find_cores(std::map<int, int>::const_iterator next, std::map<int, int>::const_iterator end,
                long electrons, Cores& chosen, std::vector<Cores>& found) {
  if (electrons < 0 || found.size() > 1) return;
  if (next == end) {
    if (electrons == 0) found.push_back(chosen);
    return;
  }
  for (const int core : {2, 10, 18, 28, 36, 46, 54, 60, 68, 78}) {
    if (core >= next->first) break;
    chosen[next->first] = core;
    find_cores(std::next(next), end, electrons - static_cast<long>(core) * next->second, chosen, found);
  }
}

}  // namespace

void subtract_effective_cores(FileContents& contents) {
  Document& document = contents.document;
  Molecule& molecule = document.molecule;
  const ElectronCount electrons = electrons_from_occupations(contents.wavefunction->sets.front());
  double missing = -electrons.alpha - electrons.beta - molecule.charge.value_or(0);
  for (const Atom& atom : molecule.atoms) {
    if (atom.nuclear_charge != atom.atomic_number) return;  // the file takes its cores into account
    missing += atom.nuclear_charge;
  }
  const auto heavy = atoms_without_core_functions(molecule, contents.wavefunction->basis);
  if (!(missing >= 2 && missing < 1e6) || heavy.empty() || heavy.size() > 6) return;
  Cores chosen;
  std::vector<Cores> found;
  find_cores(heavy.begin(), heavy.end(), std::lround(missing), chosen, found);
  if (found.empty()) return;
  contents.nuclei_explained = true;
  if (found.size() != 1) {
    document.remarks.warn(fmt::format(
        "The file counts {} electrons fewer than its nuclei require, and heavy atoms have no functions for "
        "inner shells: it leaves out its effective core potentials, and the charges of those nuclei are too "
        "high.",
        std::lround(missing)));
    return;
  }
  for (Atom& atom : molecule.atoms) {
    if (const auto core = found[0].find(atom.atomic_number); core != found[0].end())
      atom.nuclear_charge -= core->second;
  }
  std::string list;
  for (const auto& [z, core] : found[0])
    list += fmt::format("{}{} of {}", list.empty() ? "" : ", ", core, element(z).symbol);
  document.remarks.corrected(fmt::format(
      "The file lists the charges of bare nuclei, but not the electrons that effective core potentials "
      "replace: they were subtracted ({}).{}",
      list, molecule.charge ? "" : " It states no charge; the molecule was taken to be neutral."));
}

}  // namespace isolume::molecules
