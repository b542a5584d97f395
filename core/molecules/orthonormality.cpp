#include "core/molecules/orthonormality.h"

#include <algorithm>
#include <array>
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

Mistake named(std::string_view name, std::string_view explanation, bool (*concerns)(const Shell&)) {
  Mistake mistake;
  mistake.name = name;
  mistake.explanation = explanation;
  mistake.concerns = concerns;
  return mistake;
}

/// Each program's mistake alone.
std::vector<Mistake> programs_mistakes() {
  Mistake orca =
      named("orca",
            "ORCA writes contraction coefficients for unnormalised primitives and some f, g and h functions "
            "with the opposite sign; both were corrected.",
            any_shell);
  orca.primitive = orca_primitive;
  orca.order = &orca_order;
  orca.only_spherical = true;
  Mistake old = named(
      "psi4-old", "Psi4 before 1.0 writes contraction coefficients for unnormalised primitives; corrected.",
      any_shell);
  old.primitive = raw_primitive;
  Mistake turbomole = named(
      "turbomole", "Turbomole normalises Cartesian d, f and g shells differently from the format; corrected.",
      cartesian_above_p);
  turbomole.primitive = turbomole_primitive;
  Mistake cfour =
      named("cfour",
            "CFOUR normalises Cartesian functions such as xx differently from the format; the orbital "
            "coefficients were corrected.",
            cartesian_above_p);
  cfour.function = cfour_function;
  Mistake psi4 =
      named("psi4-cartesian",
            "Psi4 up to 1.3.2 normalises Cartesian functions such as xy differently from the format; the "
            "orbital coefficients were corrected.",
            cartesian_above_p);
  psi4.function = psi4_function;
  Mistake nwchem =
      named("nwchem", "NWChem gives spherical functions of odd m above zero the opposite sign; corrected.",
            above_p);
  nwchem.order = &nwchem_order;
  nwchem.only_spherical = true;
  return {orca, old, turbomole, cfour, psi4, nwchem};
}

constexpr std::array<const AngularOrder*, 5> known_orders{
    &lexicographic_order, &gamess_order, &reverse_lexicographic_order, &molden_order, &fchk_order};

std::vector<Mistake> wrong_orders() {
  std::vector<Mistake> all;
  for (const AngularOrder* order : known_orders) {
    all.push_back(named(
        "swapped-10f-15g",
        "The functions of the d, f, g or h shells are not in the order of the format; they were reordered.",
        above_p));
    all.back().order = order;
  }
  return all;
}

/// Mistakes that come together: no function of the file is normalised (xtb), perhaps in another order as
/// well.
std::vector<Mistake> compound_mistakes() {
  std::vector<Mistake> all;
  Mistake raw = named(
      "unnormalised-functions",
      "The basis functions are not normalised, neither their primitives nor Cartesian functions such as xy; "
      "the coefficients were corrected.",
      cartesian_above_p);
  raw.primitive = raw_primitive;
  raw.function = psi4_function;
  all.push_back(raw);
  std::vector<Mistake> ordered = programs_mistakes();
  ordered.push_back(raw);
  for (const Mistake& mistake : ordered) {
    if (mistake.order != nullptr) continue;
    for (const AngularOrder* order : known_orders) {
      all.push_back(mistake);
      all.back().order = order;
    }
  }
  return all;
}

std::vector<Mistake> known_mistakes() {
  std::vector<Mistake> all = programs_mistakes();
  const auto append = [&all](const std::vector<Mistake>& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  append(wrong_orders());
  const std::vector<Mistake> alone = all;
  // Contractions last: normalising them first would hide the mistakes above.
  all.push_back(named("unnormalised-contractions",
                      "The contractions of the basis set are not normalised; they were normalised.",
                      any_shell));
  all.back().normalise = true;
  for (const Mistake& mistake : alone) {
    if (mistake.primitive != nullptr) continue;
    all.push_back(mistake);
    all.back().normalise = true;
  }
  append(compound_mistakes());
  for (const double length : {units::bohr_per_angstrom, units::angstrom_per_bohr}) {
    all.push_back(named("wrong-length-unit",
                        length > 1
                            ? "The coordinates are in angstrom although the file says bohr; converted."
                            : "The coordinates are in bohr although the file says angstrom; converted.",
                        any_shell));
    all.back().length = length;
  }
  return all;
}

/// For people: what was corrected.
std::string explanation_of(const Mistake& mistake) {
  std::string text(mistake.explanation);
  if (mistake.normalise && mistake.name != "unnormalised-contractions") {
    text += " The contractions were normalised as well.";
  }
  const bool beside_order = mistake.primitive != nullptr || mistake.function != nullptr;
  if (mistake.order != nullptr && beside_order && !mistake.only_spherical) {
    text += " The order of the functions was corrected as well.";
  }
  return text;
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

/// Mistakes that treat basis and coordinates alike share their overlaps.
struct LastOverlap {
  double (*primitive)(const Shell&, double) = nullptr;
  bool normalise = false;
  double length = 0;  ///< none yet
  Eigen::MatrixXd overlap;

  const Eigen::MatrixXd& of(const Molecule& molecule, const BasisSet& basis, const Mistake& mistake,
                            const jobs::Progress& progress) {
    if (length != mistake.length || primitive != mistake.primitive || normalise != mistake.normalise) {
      overlap = overlap_matrix(molecule, basis, progress);
      primitive = mistake.primitive;
      normalise = mistake.normalise;
      length = mistake.length;
    }
    return overlap;
  }
};

/// A few orbitals spread over the set: wrong norms show in them long before the whole product is done.
constexpr std::size_t sample_spoilt = 2;  ///< of them may be spoilt in a set that is whole otherwise
OrbitalSet sample(const OrbitalSet& set) {
  constexpr Eigen::Index most = 12;
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

/// The same for each orbital.
std::vector<double> accepted_of_each(const Orthonormality& found, double rounding) {
  std::vector<double> limits;
  for (const double image : found.images) {
    limits.push_back(std::max(accepted_deviation, 5 * rounding * std::sqrt(2.0 / 3.0) * image));
  }
  return limits;
}

ElectronCount count_electrons(const OrbitalSet& set, const std::vector<double>& norms) {
  ElectronCount count;
  const bool unrestricted = set.unrestricted();
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const ElectronCount share = electrons_in(set.orbitals[i], unrestricted);
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

/// What the corrections change and what is known so far.
struct Proof {
  Wavefunction& wavefunction;
  const AsRead& as_read;
  LastOverlap last;
  OrthonormalityCheck orthonormality;
  ElectronCount electrons;
};

/// What explains all orbitals but a few.
struct Explanation {
  const Mistake* mistake = nullptr;
  std::vector<int> spoilt;
};

/// Most orbitals that may be spoilt in a set whose others tell the writer's mistake; none in small sets.
std::size_t most_spoilt(std::size_t orbitals) {
  constexpr std::size_t fewest_whole = 3;
  return orbitals <= fewest_whole ? 0 : std::max<std::size_t>(1, orbitals / 10);
}

/// Takes `mistake` when it leaves fewer orbitals spoilt than the best so far.
void improve(Explanation& best, const Mistake& mistake, const Eigen::MatrixXd& overlap, const OrbitalSet& set,
             double rounding, const Orthonormality& found, const jobs::Progress& progress) {
  const std::size_t most =
      best.mistake == nullptr ? most_spoilt(set.orbitals.size()) : best.spoilt.size() - 1;
  if (most == 0) return;
  auto spoilt = spoilt_orbitals(overlap, set, accepted_of_each(found, rounding), most, progress);
  if (spoilt && !spoilt->empty()) best = {&mistake, std::move(*spoilt)};
}

/// "3, 7 (beta)": orbitals by the numbers that people give them.
std::string list_of_orbitals(const OrbitalSet& set, const std::vector<int>& positions) {
  std::string text;
  for (const int position : positions) {
    const Spin spin = set.orbitals[static_cast<std::size_t>(position)].spin;
    const auto same_spin = set.of_spin(spin);
    const auto number = std::find(same_spin.begin(), same_spin.end(), position) - same_spin.begin() + 1;
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", number,
                        !set.unrestricted()   ? ""
                        : spin == Spin::alpha ? " (alpha)"
                                              : " (beta)");
  }
  return text;
}

OrbitalSet without(const OrbitalSet& set, const std::vector<int>& positions) {
  std::vector<int> kept;
  OrbitalSet rest;
  for (int i = 0; i < static_cast<int>(set.orbitals.size()); ++i) {
    if (std::find(positions.begin(), positions.end(), i) != positions.end()) continue;
    kept.push_back(i);
    rest.orbitals.push_back(set.orbitals[static_cast<std::size_t>(i)]);
  }
  rest.coefficients = set.coefficients(Eigen::all, kept);
  return rest;
}

void apply(const Mistake& mistake, const Correction& correction, const Orthonormality& now, Proof& proof) {
  proof.electrons = count_electrons(proof.wavefunction.sets.front(), now.norms);
  proof.wavefunction.molecule = correction.molecule;
  proof.wavefunction.basis = correction.basis;
  for (OrbitalSet& one : proof.wavefunction.sets) correction.apply(one);
  proof.orthonormality.name = mistake.name;
  proof.orthonormality.worst_deviation = now.worst;
  proof.orthonormality.explanation = explanation_of(mistake);
}

/// Corrects what the whole orbitals show and says which ones are not whole.
void correct_but_for_spoilt(const Explanation& best, Proof& proof, const jobs::Progress& progress) {
  const Mistake& mistake = *best.mistake;
  const Correction correction = correction_for(mistake, proof.wavefunction, *proof.as_read.order);
  OrbitalSet corrected = proof.wavefunction.sets.front();
  correction.apply(corrected);
  const Eigen::MatrixXd& overlap =
      proof.last.of(correction.molecule, correction.basis, mistake, progress.part(0, 0.5));
  const Orthonormality now = orthonormality(overlap, corrected, progress.part(0.5, 0.8));
  const double whole = orthonormality(overlap, without(corrected, best.spoilt), progress.part(0.8, 1)).worst;
  apply(mistake, correction, now, proof);
  proof.orthonormality.spoilt_orbitals = best.spoilt;
  const bool one = best.spoilt.size() == 1;
  proof.orthonormality.explanation += fmt::format(
      "{}{} {} {} not orthonormal to the others (worst deviation {:.1e}), which are so to {:.1e}: {} damaged "
      "or cut, and pictures of {} are wrong. Copy or export the file again.",
      proof.orthonormality.explanation.empty() ? "" : " ", one ? "Orbital" : "Orbitals",
      list_of_orbitals(corrected, best.spoilt), one ? "is" : "are", now.worst, whole,
      one ? "it is" : "they are", one ? "it" : "them");
}

/// Corrects the wavefunction by the first known mistake that explains its first set, or else by what explains
/// all but a few of its orbitals; false when nothing does.
bool correct(Proof& proof, const Orthonormality& as_written, const jobs::Progress& progress) {
  const OrbitalSet& set = proof.wavefunction.sets.front();
  const OrbitalSet few = sample(set);
  const double rounding = proof.as_read.rounding;
  const Mistake none = named("as written", "", any_shell);
  const std::vector<Mistake> mistakes = in_order_of_likelihood(proof.as_read.program);
  Explanation best;
  improve(best, none, proof.last.overlap, set, rounding, as_written, progress);
  for (const Mistake& mistake : mistakes) {
    if (!applicable(mistake, proof.wavefunction.basis, *proof.as_read.order)) continue;
    const Correction correction = correction_for(mistake, proof.wavefunction, *proof.as_read.order);
    const Eigen::MatrixXd& overlap =
        proof.last.of(correction.molecule, correction.basis, mistake, progress.part(0, 0.5));
    OrbitalSet corrected = few;
    correction.apply(corrected);
    Orthonormality now = orthonormality(overlap, corrected);
    const auto spoilt = spoilt_orbitals(overlap, corrected, accepted_of_each(now, rounding), sample_spoilt);
    if (!spoilt && !(now.worst <= accepted(now, rounding))) continue;
    corrected = set;
    correction.apply(corrected);
    now = orthonormality(overlap, corrected, progress.part(0.5, 1));
    if (now.worst <= accepted(now, rounding)) {
      apply(mistake, correction, now, proof);
      return true;
    }
    improve(best, mistake, overlap, corrected, rounding, now, progress.part(0.5, 1));
  }
  if (best.mistake == nullptr) return false;
  correct_but_for_spoilt(best, proof, progress);
  return true;
}

/// The further sets stand on the basis set that the first one proved.
void prove_further_sets(Proof& proof, const jobs::Progress& progress) {
  const auto& sets = proof.wavefunction.sets;
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const auto share = 1.0 / static_cast<double>(sets.size());
    const Orthonormality found =
        orthonormality(proof.last.overlap, sets[i],
                       progress.part(share * static_cast<double>(i - 1), share * static_cast<double>(i)));
    if (!(found.worst <= proof.orthonormality.worst_deviation))
      proof.orthonormality.worst_deviation = found.worst;
    if (found.worst <= accepted(found, proof.as_read.rounding)) continue;
    proof.orthonormality.name = "unproven";
    proof.orthonormality.explanation += fmt::format(
        " The orbitals of the set \"{}\" are not (worst deviation {:.1e}): its pictures may be wrong.",
        sets[i].name, found.worst);
  }
}

std::string explain_unproven(const OrbitalSet& set, std::size_t functions, double worst_deviation) {
  const std::size_t orbitals = std::max(set.of_spin(Spin::alpha).size(), set.of_spin(Spin::beta).size());
  // Independent orbitals cannot be more than the functions: PySCF, for one, leaves out h functions by
  // default.
  if (orbitals > functions) {
    return fmt::format(
        "The file has {} orbitals but only {} basis functions, so functions are missing from it (worst "
        "deviation "
        "from orthonormal orbitals {:.1e}): the picture may be wrong. Export all shells, h functions too.",
        orbitals, functions, worst_deviation);
  }
  return fmt::format(
      "The orbitals are not orthonormal (worst deviation {:.1e}) and no known mistake of a program explains "
      "it: "
      "the picture may be wrong. Export the file with another program version or as FCHK.",
      worst_deviation);
}

}  // namespace

OrthonormalityCheck prove(Wavefunction& wavefunction, const AsRead& as_read,
                          ElectronCount& electrons_from_overlap, const jobs::Progress& progress) {
  Proof proof{wavefunction, as_read, {}, {}, {}};
  const OrbitalSet& set = wavefunction.sets.front();
  const Eigen::MatrixXd& overlap =
      proof.last.of(wavefunction.molecule, wavefunction.basis, {}, progress.part(0, 0.3));
  const Orthonormality found = orthonormality(overlap, set, progress.part(0.3, 0.6));
  proof.orthonormality.deviation_as_written = proof.orthonormality.worst_deviation = found.worst;
  proof.electrons = count_electrons(set, found.norms);
  if (found.worst <= accepted(found, as_read.rounding)) {
    proof.orthonormality.name = "as written";
    proof.orthonormality.explanation =
        fmt::format("The orbitals are orthonormal as written (worst deviation {:.1e}).", found.worst);
  } else if (!correct(proof, found, progress.part(0.6, 0.9))) {
    proof.orthonormality.explanation =
        explain_unproven(set, wavefunction.basis.function_count(), found.worst);
  }
  if (proof.orthonormality.name != "unproven") prove_further_sets(proof, progress.part(0.9, 1));
  electrons_from_overlap = proof.electrons;
  return proof.orthonormality;
}

}  // namespace isolume::molecules
