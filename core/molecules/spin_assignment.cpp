#include "core/molecules/spin_assignment.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace isolume::molecules {
namespace {

constexpr double whole_occupation = 1e-4;  ///< tolerance for rounding occupations to integers

/// Positions where beta orbitals can begin such that the orbitals before and after are each orthogonal among
/// themselves.
struct Cuts {
  std::size_t first = 0;
  std::size_t last = 0;  ///< number of orbitals: there may be no beta orbitals
};

Cuts possible_cuts(const Eigen::MatrixXd& products, double tolerance) {
  const auto count = static_cast<std::size_t>(products.cols());
  const auto overlap = [&](std::size_t i, std::size_t j) {
    return std::abs(products(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j))) > tolerance;
  };
  Cuts cuts{0, count};
  for (std::size_t j = 0; j < cuts.last; ++j) {
    for (std::size_t i = 0; i < j && cuts.last == count; ++i) {
      if (overlap(i, j)) cuts.last = j;
    }
  }
  for (std::size_t i = count; i-- > cuts.first;) {
    for (std::size_t j = i + 1; j < count && cuts.first == 0; ++j) {
      if (overlap(i, j)) cuts.first = i + 1;
    }
  }
  // By convention there are no fewer alpha orbitals than beta ones.
  const std::size_t half = (count + 1) / 2;
  if (cuts.first < half && half <= cuts.last) cuts.first = half;
  return cuts;
}

/// The electrons of one spin in each orbital of a set.
std::vector<double> shares(const OrbitalSet& set, Spin spin) {
  const bool unrestricted = set.unrestricted();
  std::vector<double> all;
  for (const Orbital& orbital : set.orbitals) {
    const ElectronCount electrons = electrons_in(orbital, unrestricted, set.open_shells);
    all.push_back(spin == Spin::alpha ? electrons.alpha : electrons.beta);
  }
  return all;
}

/// Orbitals that hold exactly one electron, and whether any holds another number than 0, 1 or 2.
struct Occupations {
  std::size_t single = 0;
  bool fractional = false;
};
Occupations occupations_of(const OrbitalSet& set) {
  Occupations found;
  for (const Orbital& orbital : set.orbitals) {
    const double whole = std::round(orbital.occupation);
    if (std::abs(orbital.occupation - whole) > whole_occupation || whole < 0 || whole > 2)
      found.fractional = true;
    if (whole == 1) ++found.single;
  }
  return found;
}

/// Natural orbitals have no energies; writers leave them out, or put one number for all.
bool has_energies(const OrbitalSet& set) {
  return std::all_of(set.orbitals.begin(), set.orbitals.end(),
                     [](const Orbital& one) { return std::isfinite(one.energy_hartree); }) &&
         std::any_of(set.orbitals.begin(), set.orbitals.end(), [&set](const Orbital& one) {
           return one.energy_hartree != set.orbitals.front().energy_hartree;
         });
}

/// Whether that many single electrons can have the multiplicity 2S+1: each is alpha or beta.
bool has_such_a_spin(int multiplicity, std::size_t single) {
  const long unpaired = multiplicity - 1L, most = static_cast<long>(single);
  return unpaired >= 0 && unpaired <= most && (most - unpaired) % 2 == 0;
}

}  // namespace

std::optional<std::size_t> only_energy_fall(const std::vector<Orbital>& orbitals) {
  std::optional<std::size_t> fall;
  for (std::size_t i = 1; i < orbitals.size(); ++i) {
    if (!(orbitals[i].energy_hartree < orbitals[i - 1].energy_hartree - 1e-6)) continue;
    if (fall) return std::nullopt;
    fall = i;
  }
  return fall;
}

bool assign_spins(const Eigen::MatrixXd& overlap, const StatedSpins& stated, double tolerance,
                  OrbitalSet& set, Remarks& remarks) {
  const std::size_t count = set.orbitals.size();
  const Eigen::MatrixXd products = set.coefficients.transpose() * overlap * set.coefficients;
  const Cuts cuts = possible_cuts(products, tolerance);
  if (cuts.first > cuts.last) return false;
  const auto possible = [&cuts, count](std::optional<std::size_t> cut) {
    return cut && *cut > 0 && *cut < count && *cut >= cuts.first && *cut <= cuts.last;
  };
  std::size_t cut = cuts.last;
  const bool told = possible(stated.first_beta);
  if (told) {
    cut = *stated.first_beta;
  } else if (cuts.last < count && possible(stated.energy_fall)) {
    cut = *stated.energy_fall;
  }
  for (std::size_t i = 0; i < count; ++i) set.orbitals[i].spin = i < cut ? Spin::alpha : Spin::beta;
  // Without beta orbitals the set is one of open shells, which settle_open_shells reports.
  if (cut < count && !told && cuts.first < cuts.last) {
    remarks.assumed(
        fmt::format("The file does not state the spins of its orbitals, and their overlaps leave it open "
                    "where beta begins: orbitals {} to {} were taken as beta.",
                    cut + 1, count),
        count - cut);
  }
  return true;
}

bool derive_occupations(const Eigen::MatrixXd& overlap, const OrbitalSet& from, OrbitalSet& set) {
  const bool by_spin = from.unrestricted();
  if (by_spin && !set.unrestricted()) return false;
  std::vector<double> found(set.orbitals.size(), 0);
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<double> electrons = shares(from, spin);
    const std::vector<int> sources = from.of_spin(by_spin ? spin : Spin::alpha);
    const std::vector<int> columns = set.of_spin(set.unrestricted() ? spin : Spin::alpha);
    const Eigen::MatrixXd images = overlap * set.coefficients(Eigen::all, columns);
    const Eigen::MatrixXd products = from.coefficients(Eigen::all, sources).transpose() * images;
    // Both sets are orthonormal: the diagonal of the density has the same sum of squares as its eigenvalues only if
    // it has no off-diagonal elements.
    double squares = 0, total = 0;
    for (const int source : sources) {
      const double share = electrons[static_cast<std::size_t>(source)];
      squares += share * share;
      total += share;
    }
    double found_squares = 0, found_total = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      double share = 0;
      for (std::size_t k = 0; k < sources.size(); ++k) {
        const double product = products(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(i));
        share += electrons[static_cast<std::size_t>(sources[k])] * product * product;
      }
      if (std::abs(share - std::round(share)) < whole_occupation) share = std::round(share);
      found[static_cast<std::size_t>(columns[i])] += share;
      found_squares += share * share;
      found_total += share;
    }
    constexpr double tolerance = 1e-3;
    if (std::abs(found_squares - squares) > tolerance || std::abs(found_total - total) > tolerance)
      return false;
  }
  for (std::size_t i = 0; i < found.size(); ++i) set.orbitals[i].occupation = found[i];
  set.occupations_known = true;
  return true;
}

void settle_open_shells(std::optional<int> multiplicity, OrbitalSet& set, Remarks& remarks) {
  if (set.unrestricted() || !set.occupations_known) return;
  const auto [single, fractional] = occupations_of(set);
  if (single == 0 && !fractional) return;
  set.open_shells = OpenShells::unknown;
  if (multiplicity == 1) {
    if (fractional || single % 2 == 0) set.open_shells = OpenShells::without_spin;
  } else if (!fractional && multiplicity) {
    if (static_cast<std::size_t>(std::max(0, *multiplicity - 1)) == single)
      set.open_shells = OpenShells::high_spin;
  } else if (!fractional && (single == 1 || has_energies(set))) {
    set.open_shells = OpenShells::high_spin;
    if (single > 1) {
      remarks.assumed(
          fmt::format("The file does not state the multiplicity: its {} singly occupied orbitals were taken "
                      "to hold alpha electrons (high spin).",
                      single),
          single);
    }
  }
  if (set.open_shells != OpenShells::unknown) return;
  if (!fractional && multiplicity && !has_such_a_spin(*multiplicity, single)) {
    remarks.warn(fmt::format(
        "The file states a multiplicity of {}, which contradicts its numbers of electrons: {} of the set "
        "\"{}\" {} one electron each. Half of these is counted for each spin, and there is no spin density. "
        "Correct the multiplicity in the file.",
        *multiplicity, single == 1 ? "1 orbital" : fmt::format("{} orbitals", single), set.name,
        single == 1 ? "holds" : "hold"));
    return;
  }
  remarks.warn(
      fmt::format("The orbitals of the set \"{}\" are {}, and the file does not say how their electrons "
                  "divide into alpha and beta: "
                  "half of them is counted for each spin, and there is no spin density.",
                  set.name, fractional ? "partly occupied" : "singly occupied"));
}

}  // namespace isolume::molecules
