#include "core/molecules/verdict.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "core/base/units.h"
#include "core/molecules/line_reader.h"
#include "core/molecules/overlap.h"

namespace isolume::molecules {
namespace {

constexpr double accepted_deviation = 1e-4;

double odd_double_factorial(int n) {
  double product = 1;
  for (int factor = 2 * n - 1; factor > 1; factor -= 2) product *= factor;
  return product;
}

/// Product of (2i-1)!! over the three powers: the squared ratio of the norms of "xyz..." and of this
/// monomial.
double monomial_square(CartesianPowers p) {
  return odd_double_factorial(p.x) * odd_double_factorial(p.y) * odd_double_factorial(p.z);
}

/// One known way to write a wrong file, as what to do about it. Absent members change nothing.
struct Mistake {
  std::string_view name;
  std::string_view explanation;
  bool (*concerns)(const Shell&) = nullptr;                     ///< some shell must be like this
  double (*primitive)(const Shell&, double) = nullptr;          ///< factor of a contraction coefficient
  double (*function)(const Shell&, CartesianPowers) = nullptr;  ///< factor of an orbital coefficient
  const AngularOrder* order = nullptr;                          ///< the order the file really has
  double length = 1;                                            ///< factor of the coordinates
  bool only_spherical = false;  ///< the program has no Cartesian functions above p
  bool normalise = false;       ///< normalise the contractions at the end
};

bool any_shell(const Shell&) {
  return true;
}
bool cartesian_above_p(const Shell& shell) {
  return !shell.spherical && shell.angular_momentum > 1;
}
bool above_p(const Shell& shell) {
  return shell.angular_momentum > 1;
}

// The facts behind ORCA, Psi4, Turbomole and CFOUR are those the IOData project found in real files.
double orca_primitive(const Shell& shell, double exponent) {
  static constexpr std::array<CartesianPowers, 6> unit{
      {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}, {2, 1, 1}, {5, 0, 0}}};
  return 1 / primitive_norm(exponent, unit[static_cast<std::size_t>(shell.angular_momentum)]);
}
double raw_primitive(const Shell& shell, double exponent) {
  return 1 / primitive_norm(exponent, {shell.angular_momentum, 0, 0});
}
double turbomole_primitive(const Shell& shell, double) {
  return cartesian_above_p(shell) ? std::sqrt(odd_double_factorial(shell.angular_momentum)) : 1;
}
double cfour_function(const Shell&, CartesianPowers powers) {
  return std::sqrt(monomial_square(powers));
}
double psi4_function(const Shell& shell, CartesianPowers powers) {
  return std::sqrt(monomial_square(powers) / odd_double_factorial(shell.angular_momentum));
}

constexpr std::string_view contractions_too = " The contractions were normalised as well.";

std::vector<Mistake> known_mistakes() {
  std::vector<Mistake> all;
  const auto add = [&all](std::string_view name, std::string_view explanation,
                          bool (*concerns)(const Shell&)) -> Mistake& {
    Mistake mistake;
    mistake.name = name;
    mistake.explanation = explanation;
    mistake.concerns = concerns;
    all.push_back(mistake);
    return all.back();
  };
  Mistake& orca =
      add("orca",
          "ORCA writes contraction coefficients for unnormalised primitives and some f, g and h functions "
          "with the opposite sign; both were corrected.",
          any_shell);
  orca.primitive = orca_primitive;
  orca.order = &orca_order;
  orca.only_spherical = true;
  add("psi4-old", "Psi4 before 1.0 writes contraction coefficients for unnormalised primitives; corrected.",
      any_shell)
      .primitive = raw_primitive;
  add("turbomole",
      "Turbomole gives Cartesian d, f and g shells another norm than the format asks; corrected.",
      cartesian_above_p)
      .primitive = turbomole_primitive;
  add("cfour",
      "CFOUR gives Cartesian functions such as xx another norm than the format asks; the orbital "
      "coefficients were "
      "corrected.",
      cartesian_above_p)
      .function = cfour_function;
  add("psi4-cartesian",
      "Psi4 up to 1.3.2 gives Cartesian functions such as xy another norm than the format asks; the orbital "
      "coefficients were corrected.",
      cartesian_above_p)
      .function = psi4_function;
  for (const AngularOrder* order :
       {&lexicographic_order, &gamess_order, &reverse_lexicographic_order, &molden_order, &fchk_order}) {
    add("swapped-10f-15g",
        "The functions of the d, f, g or h shells stand in another order than the format asks; they "
        "were put in order.",
        above_p)
        .order = order;
  }
  // Contractions last: normalising them first would hide the mistakes above.
  add("unnormalised-contractions",
      "The contractions of the basis set are not normalised; they were normalised.", any_shell)
      .normalise = true;
  const std::size_t count = all.size() - 1;
  for (std::size_t i = 0; i < count; ++i) {
    if (all[i].function == nullptr && all[i].order == nullptr) continue;
    Mistake both = all[i];
    both.normalise = true;
    all.push_back(both);
  }
  for (const double length : {units::bohr_per_angstrom, units::angstrom_per_bohr}) {
    add("wrong-length-unit",
        length > 1 ? "The coordinates are in angstrom although the file says bohr; converted."
                   : "The coordinates are in bohr although the file says angstrom; converted.",
        any_shell)
        .length = length;
  }
  return all;
}

/// A basis set and what to do with the rows of the coefficients.
struct Correction {
  Molecule molecule;
  BasisSet basis;
  Eigen::VectorXd row_factors;
  std::vector<Rearrangement> rearrangements;

  void apply(OrbitalSet& set) const {
    for (const Rearrangement& one : rearrangements) rearrange_rows(one, set.coefficients);
    set.coefficients.array().colwise() *= row_factors.array();
  }
};

Correction correction_for(const Mistake& mistake, const Wavefunction& wavefunction,
                          const AngularOrder& read_as) {
  Correction result;
  result.molecule = wavefunction.molecule;
  for (Atom& atom : result.molecule.atoms) atom.position_bohr *= mistake.length;
  result.basis = wavefunction.basis;
  for (Shell& shell : result.basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size() && mistake.primitive != nullptr; ++p) {
      shell.coefficients[p] *= mistake.primitive(shell, shell.exponents[p]);
    }
    if (!mistake.normalise) continue;
    const double norm = self_overlap(shell);
    if (!(norm > 0)) continue;
    for (double& coefficient : shell.coefficients) coefficient /= std::sqrt(norm);
  }
  result.row_factors = Eigen::VectorXd::Ones(static_cast<Eigen::Index>(result.basis.function_count()));
  Eigen::Index row = 0;
  for (const Shell& shell : result.basis.shells) {
    if (mistake.function != nullptr && !shell.spherical) {
      for (const CartesianPowers& powers : cartesian_powers(shell.angular_momentum)) {
        result.row_factors[row++] = mistake.function(shell, powers);
      }
    } else {
      row += shell.function_count();
    }
  }
  if (mistake.order != nullptr) {
    result.rearrangements.push_back(rearrangement(result.basis, isolume_order, read_as));
    result.rearrangements.push_back(rearrangement(result.basis, *mistake.order, isolume_order));
  }
  return result;
}

bool applicable(const Mistake& mistake, const BasisSet& basis, const AngularOrder& read_as) {
  if (mistake.order == &read_as) return false;
  const auto& shells = basis.shells;
  if (mistake.only_spherical && std::any_of(shells.begin(), shells.end(), cartesian_above_p)) return false;
  return std::any_of(shells.begin(), shells.end(), mistake.concerns);
}

/// A few orbitals spread over the set: wrong norms show in them long before the whole product is done.
OrbitalSet sample(const OrbitalSet& set) {
  constexpr Eigen::Index most = 48;
  const Eigen::Index count = set.coefficients.cols();
  const Eigen::Index taken = std::min(most, count);
  OrbitalSet few;
  few.coefficients.resize(set.coefficients.rows(), taken);
  for (Eigen::Index i = 0; i < taken; ++i) {
    const Eigen::Index from = i * count / taken;
    few.coefficients.col(i) = set.coefficients.col(from);
    few.orbitals.push_back(set.orbitals[static_cast<std::size_t>(from)]);
  }
  return few;
}

/// Rounding of printed coefficients shows up in C^T S C; five standard deviations of it are not the writer's
/// mistake.
double accepted(const Orthonormality& found, double rounding) {
  return std::max(accepted_deviation, 5 * rounding * std::sqrt(2.0 / 3.0) * found.widest_image);
}

ElectronCount count_electrons(const OrbitalSet& set, const std::vector<double>& norms) {
  ElectronCount count;
  const bool unrestricted = set.unrestricted();
  for (std::size_t i = 0; i < norms.size(); ++i) {
    OrbitalSet one;
    one.orbitals.push_back(set.orbitals[i]);
    ElectronCount share = electrons_from_occupations(one);
    if (unrestricted && set.orbitals[i].spin == Spin::alpha) share = {set.orbitals[i].occupation, 0};
    count.alpha += share.alpha * norms[i];
    count.beta += share.beta * norms[i];
  }
  return count;
}

std::vector<Mistake> in_order_of_likelihood(std::string_view program) {
  std::vector<Mistake> all = known_mistakes();
  const std::string said = lower_case(program);
  std::stable_partition(all.begin(), all.end(), [&said](const Mistake& mistake) {
    const std::string_view who = mistake.name.substr(0, mistake.name.find('-'));
    return said.find(who) != std::string::npos;
  });
  return all;
}

}  // namespace

WriterVerdict prove(Wavefunction& wavefunction, const AsRead& as_read, ElectronCount& electrons_from_overlap,
                    const jobs::Progress& progress) {
  OrbitalSet& set = wavefunction.sets.front();
  WriterVerdict verdict;
  Orthonormality found;
  {
    const Eigen::MatrixXd overlap =
        overlap_matrix(wavefunction.molecule, wavefunction.basis, progress.part(0, 0.3));
    found = orthonormality(overlap, set, progress.part(0.3, 0.6));
  }
  verdict.deviation_as_written = verdict.worst_deviation = found.worst;
  electrons_from_overlap = count_electrons(set, found.norms);
  if (found.worst <= accepted(found, as_read.rounding)) {
    verdict.name = "as written";
    verdict.explanation =
        fmt::format("The orbitals are orthonormal as written (worst deviation {:.1e}).", found.worst);
    return verdict;
  }

  const OrbitalSet few = sample(set);
  for (const Mistake& mistake : in_order_of_likelihood(as_read.program)) {
    if (!applicable(mistake, wavefunction.basis, *as_read.order)) continue;
    const Correction correction = correction_for(mistake, wavefunction, *as_read.order);
    const Eigen::MatrixXd overlap =
        overlap_matrix(correction.molecule, correction.basis, progress.part(0.6, 0.9));
    OrbitalSet corrected = few;
    correction.apply(corrected);
    Orthonormality now = orthonormality(overlap, corrected);
    if (!(now.worst <= accepted(now, as_read.rounding))) continue;
    corrected = set;
    correction.apply(corrected);
    now = orthonormality(overlap, corrected, progress.part(0.9, 1));
    if (!(now.worst <= accepted(now, as_read.rounding))) continue;

    wavefunction.molecule = correction.molecule;
    wavefunction.basis = correction.basis;
    for (OrbitalSet& one : wavefunction.sets) correction.apply(one);
    electrons_from_overlap = count_electrons(set, now.norms);
    verdict.name = mistake.name;
    verdict.worst_deviation = now.worst;
    verdict.explanation = mistake.explanation;
    if (mistake.normalise && mistake.name != "unnormalised-contractions")
      verdict.explanation += contractions_too;
    return verdict;
  }
  verdict.explanation = fmt::format(
      "The orbitals are not orthonormal (worst deviation {:.1e}) and no known mistake of a program explains "
      "it: the "
      "picture may be wrong. Export the file with another program version or as FCHK.",
      found.worst);
  return verdict;
}

}  // namespace isolume::molecules
