#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "core/molecules/basis_set.h"
#include "core/molecules/molecule.h"

namespace isolume::molecules {

enum class Spin { alpha, beta };

/// Properties of one orbital apart from its coefficients. An orbital of a restricted calculation is listed once, with
/// spin alpha and an occupation up to 2.
struct Orbital {
  Spin spin = Spin::alpha;
  double occupation = 0;
  double energy_hartree = std::numeric_limits<double>::quiet_NaN();  ///< NaN if the file has none
  std::string symmetry;  ///< irreducible representation as spelt in the file ("1a1", "e1g"); may be empty
};

/// How the electrons of a restricted set's partly occupied orbitals are divided into alpha and beta.
enum class OpenShells {
  high_spin,     ///< singly occupied orbitals contain alpha electrons, as in ROHF
  without_spin,  ///< equal densities of both spins: singlets
  unknown        ///< neither the occupations nor the file determine it
};

/// One block of coefficients: canonical, natural or localised orbitals. There may be fewer orbitals than
/// functions.
struct OrbitalSet {
  /// "canonical", "natural", "localised", "molecular" (not known which), or the file's own word.
  std::string name = "canonical";
  std::vector<Orbital> orbitals;
  Eigen::MatrixXd coefficients;   ///< functions x orbitals, rows in the order of BasisSet
  bool occupations_known = true;  ///< without occupations there are no densities
  OpenShells open_shells = OpenShells::high_spin;

  bool unrestricted() const;
  /// Positions in `orbitals` of one spin, in the order of the file.
  std::vector<int> of_spin(Spin spin) const;
};

struct Wavefunction {
  Molecule molecule;
  BasisSet basis;
  std::vector<OrbitalSet> sets;  ///< at least one; the first is shown first
};

/// Position in `set.orbitals` of a user's "12", "homo", "homo-1", "lumo", "lumo+3", "somo" for one spin. Numbers
/// count from 1 within the spin. The HOMO is the highest-lying orbital (by energy if known, else by order) with
/// occupation above one half of full. Throws Error naming the valid range.
int find_orbital(const OrbitalSet& set, std::string_view text, Spin spin);

/// "HOMO", "HOMO-2", "LUMO", "LUMO+1" ... for an orbital position, relative to its own spin's frontier.
std::string frontier_label(const OrbitalSet& set, int orbital);
/// The same for all orbitals of the set, in its order.
std::vector<std::string> frontier_labels(const OrbitalSet& set);

struct ElectronCount {
  double alpha = 0;
  double beta = 0;
};
/// Electrons of each spin in one orbital of a set: in an unrestricted one all have the orbital's spin; in a
/// restricted one half of them each, except that the single electrons of high-spin open shells are alpha.
ElectronCount electrons_in(const Orbital& orbital, bool unrestricted, OpenShells open_shells);
/// The sum over the set.
ElectronCount electrons_from_occupations(const OrbitalSet& set);
/// Throws Error with a message for users if the file gives no occupations of the set.
void require_occupations(const OrbitalSet& set);

}  // namespace isolume::molecules
