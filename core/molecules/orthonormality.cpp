#include "core/molecules/orthonormality.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/molecules/overlap.h"
#include "core/molecules/writer_dialects.h"

namespace isolume::molecules {
namespace {

constexpr double accepted_deviation = 1e-4;
constexpr double doubtful_deviation =
    1e-2;  ///< the largest deviation explained by printed digits or inexact virtual orbitals

/// Dialects with the same basis and coordinates share their overlap matrix.
struct LastOverlap {
  double (*primitive)(const Shell&, double) = nullptr;
  bool normalise = false;
  double length = 0;  ///< none yet
  Eigen::MatrixXd overlap;

  const Eigen::MatrixXd& of(const Molecule& molecule, const BasisSet& basis, const WriterDialect& dialect,
                            const jobs::Progress& progress) {
    if (length != dialect.length || primitive != dialect.primitive || normalise != dialect.normalise) {
      overlap = overlap_matrix(molecule, basis, progress);
      primitive = dialect.primitive;
      normalise = dialect.normalise;
      length = dialect.length;
    }
    return overlap;
  }
};

/// A few orbitals spread over the set: wrong norms show in them long before the whole product is computed.
constexpr std::size_t sample_spoilt =
    2;  ///< acceptable number of bad ones among them in an otherwise good set
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

/// Orbitals occupied by the electrons of a set.
std::vector<int> occupied_orbitals(const OrbitalSet& set) {
  std::vector<int> found;
  for (int i = 0; i < static_cast<int>(set.orbitals.size()); ++i) {
    if (set.orbitals[static_cast<std::size_t>(i)].occupation != 0) found.push_back(i);
  }
  return found;
}

OrbitalSet taken_from(const OrbitalSet& set, const std::vector<int>& positions) {
  OrbitalSet taken;
  for (const int i : positions) taken.orbitals.push_back(set.orbitals[static_cast<std::size_t>(i)]);
  taken.coefficients = set.coefficients(Eigen::all, positions);
  return taken;
}

OrbitalSet without(const OrbitalSet& set, const std::vector<int>& positions) {
  std::vector<int> kept;
  for (int i = 0; i < static_cast<int>(set.orbitals.size()); ++i) {
    if (std::find(positions.begin(), positions.end(), i) == positions.end()) kept.push_back(i);
  }
  return taken_from(set, kept);
}

/// "3, 7 (beta)": orbitals by their usual numbers.
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

/// Maximum number of bad orbitals in a set whose others determine the writer's dialect; none in small sets.
std::size_t most_spoilt(std::size_t orbitals) {
  constexpr std::size_t fewest_whole = 3;
  return orbitals <= fewest_whole ? 0 : std::max<std::size_t>(1, orbitals / 10);
}

/// An error of half a unit of the last digit in every number of the basis set and every coordinate.
void add_rounding(const Rounding& rounding, unsigned seed, Molecule& molecule, BasisSet& basis) {
  std::mt19937 random(seed);
  const auto sign = [&random] { return random() % 2 == 0 ? 1.0 : -1.0; };
  for (Shell& shell : basis.shells) {
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      double& exponent = shell.exponents[p];
      exponent = std::max(exponent / 2, exponent + sign() * rounding.exponents.half_unit(exponent));
      double& coefficient = shell.coefficients[p];
      coefficient += sign() * rounding.contractions.half_unit(coefficient);
    }
  }
  for (Atom& atom : molecule.atoms) {
    for (double& coordinate : atom.position_bohr) coordinate += sign() * rounding.position_bohr;
  }
}

/// A dialect that explains all orbitals but a few.
struct Explanation {
  const WriterDialect* dialect = nullptr;
  std::vector<int> spoilt;
};

/// Checks one wavefunction, and corrects it.
class Prover {
 public:
  Prover(Wavefunction& wavefunction, const AsRead& as_read)
      : wavefunction_(wavefunction), as_read_(as_read) {}

  Proof run(const jobs::Progress& progress) {
    Tried plain = attempt(as_written(), std::move(first()), progress.part(0, 0.3));
    const Orthonormality found = plain.found;
    proof_.check.deviation_as_written = proof_.check.worst_deviation = found.worst;
    if (is_orthonormal(found)) {
      take(as_written(), std::move(plain));
      proof_.check.explanation =
          fmt::format("The orbitals are orthonormal as written (worst deviation {:.1e}).", found.worst);
      prove_further_sets(progress.part(0.9, 1));
      return std::move(proof_);
    }
    first() = std::move(plain.set);
    if (!correct(found, progress.part(0.3, 0.9))) {
      proof_.norms = found.norms;
      proof_.check.explanation = explain_unproven(found.worst);
      // Each orbital lacks one of its two components: there is no density of them.
      if (looks_two_component()) first().occupations_known = false;
      if (!as_read_.spins.known) {
        proof_.remarks.assumed("The file does not state the spins of its orbitals: all were taken as alpha.",
                               first().orbitals.size());
      }
    }
    if (proof_.check.name != "unproven") prove_further_sets(progress.part(0.9, 1));
    return std::move(proof_);
  }

 private:
  /// Orbitals as interpreted by a dialect.
  struct Tried {
    Correction correction;
    OrbitalSet set;
    Orthonormality found;
    Remarks remarks;
  };

  OrbitalSet& first() { return wavefunction_.sets.front(); }

  /// Rounding of printed coefficients shows up in C^T S C; up to five standard deviations are not attributed to the
  /// writer.
  double accepted(double image) const {
    return std::max(accepted_deviation, 5 * as_read_.rounding.orbitals * std::sqrt(2.0 / 3.0) * image);
  }
  bool is_orthonormal(const Orthonormality& found) const {
    return found.worst <= accepted(found.widest_image);
  }
  std::vector<double> accepted_of_each(const Orthonormality& found) const {
    std::vector<double> limits;
    for (const double image : found.images) limits.push_back(accepted(image));
    return limits;
  }

  Tried attempt(const WriterDialect& dialect, OrbitalSet set, const jobs::Progress& progress) {
    Tried tried{correction_for(dialect, wavefunction_.molecule, wavefunction_.basis, *as_read_.order),
                std::move(set),
                {},
                {}};
    tried.correction.apply(tried.set);
    const Eigen::MatrixXd& overlap =
        last_.of(tried.correction.molecule, tried.correction.basis, dialect, progress.part(0, 0.5));
    tried.found = orthonormality(overlap, tried.set, progress.part(0.5, 1));
    if (!as_read_.spins.known) {
      const double zero = 10 * accepted(tried.found.widest_image);
      if (assign_spins(overlap, as_read_.spins, zero, tried.set, tried.remarks) && tried.set.unrestricted())
        tried.found = orthonormality(overlap, tried.set);
    }
    return tried;
  }

  void take(const WriterDialect& dialect, Tried tried) {
    wavefunction_.molecule = std::move(tried.correction.molecule);
    wavefunction_.basis = std::move(tried.correction.basis);
    for (std::size_t i = 1; i < wavefunction_.sets.size(); ++i) tried.correction.apply(wavefunction_.sets[i]);
    first() = std::move(tried.set);
    proof_.norms = std::move(tried.found.norms);
    proof_.remarks.add(tried.remarks);
    proof_.check.name = dialect.name;
    proof_.check.worst_deviation = tried.found.worst;
    proof_.check.explanation = explanation_of(dialect, as_read_.program);
  }

  /// Takes `dialect` if it leaves fewer bad orbitals than the best so far.
  void improve(Explanation& best, const WriterDialect& dialect, const OrbitalSet& set,
               const Orthonormality& found, const jobs::Progress& progress) {
    const std::size_t most =
        best.dialect == nullptr ? most_spoilt(set.orbitals.size()) : best.spoilt.size() - 1;
    if (most == 0) return;
    auto spoilt = spoilt_orbitals(last_.overlap, set, accepted_of_each(found), most, progress);
    if (spoilt && !spoilt->empty()) best = {&dialect, std::move(*spoilt)};
  }

  /// Corrects according to the good orbitals and reports the bad ones.
  void correct_but_for_spoilt(const Explanation& best, const jobs::Progress& progress) {
    Tried tried = attempt(*best.dialect, first(), progress.part(0, 0.8));
    const double worst = tried.found.worst;
    const double whole =
        orthonormality(last_.overlap, without(tried.set, best.spoilt), progress.part(0.8, 1)).worst;
    take(*best.dialect, std::move(tried));
    proof_.check.spoilt_orbitals = best.spoilt;
    const bool one = best.spoilt.size() == 1;
    add_to_explanation(fmt::format(
        "{} {} {} not orthonormal to the others (worst deviation {:.1e}), which are so to {:.1e}: {} damaged "
        "or cut, and pictures of {} are wrong. Copy or export the file again.",
        one ? "Orbital" : "Orbitals", list_of_orbitals(first(), best.spoilt), one ? "is" : "are", worst,
        whole, one ? "it is" : "they are", one ? "it" : "them"));
  }

  /// The deviation from orthonormality that the printed digits of basis set and coordinates can cause in a few
  /// orbitals.
  double deviation_by_digits(const WriterDialect& dialect, const Tried& tried, const Rounding& rounding,
                             const jobs::Progress& progress) const {
    const OrbitalSet few = sample(tried.set);
    const Eigen::MatrixXd overlap =
        overlap_matrix(tried.correction.molecule, tried.correction.basis, progress);
    double worst = 0;
    for (unsigned trial = 0; trial < 3; ++trial) {
      Molecule molecule = wavefunction_.molecule;
      BasisSet basis = wavefunction_.basis;
      add_rounding(rounding, trial, molecule, basis);
      const Correction changed = correction_for(dialect, molecule, basis, *as_read_.order);
      const Eigen::MatrixXd change = overlap_matrix(changed.molecule, changed.basis, progress) - overlap;
      worst =
          std::max(worst, (few.coefficients.transpose() * change * few.coefficients).cwiseAbs().maxCoeff());
    }
    return 2 * worst;
  }

  bool accept_within_digits(const WriterDialect& dialect, const jobs::Progress& progress) {
    Tried tried = attempt(dialect, first(), progress.part(0, 0.5));
    const double left = tried.found.worst;
    if (!(left <= doubtful_deviation)) return false;
    const auto expected_with = [&](const Rounding& rounding) {
      return accepted(tried.found.widest_image) +
             deviation_by_digits(dialect, tried, rounding, progress.part(0.5, 1));
    };
    const double expected = expected_with(as_read_.rounding);
    if (!(left <= expected)) return false;
    Rounding of_coordinates, of_basis = as_read_.rounding;
    of_coordinates.position_bohr = std::exchange(of_basis.position_bohr, 0);
    const double by_coordinates = expected_with(of_coordinates), by_basis = expected_with(of_basis);
    const double by_one = std::max(by_coordinates, by_basis);
    const std::string_view few_digits = left > by_one               ? "coordinates and the basis set"
                                        : by_coordinates > by_basis ? "coordinates"
                                                                    : "basis set";
    take(dialect, std::move(tried));
    proof_.check.limited = true;
    add_to_explanation(
        fmt::format("The orbitals are orthonormal to {:.1e}, which is as far as the printed digits of the "
                    "{} allow (up to {:.1e}).",
                    left, few_digits, left > by_one ? expected : by_one));
    return true;
  }

  /// Programs that leave out small integrals have virtual orbitals that are less exact.
  bool accept_inexact_virtuals(const WriterDialect& dialect, const jobs::Progress& progress) {
    Tried tried = attempt(dialect, first(), progress);
    const std::vector<int> occupied = occupied_orbitals(tried.set);
    if (!(tried.found.worst <= doubtful_deviation) || occupied.empty()) return false;
    const double left = tried.found.worst;
    const Orthonormality found = orthonormality(last_.overlap, taken_from(tried.set, occupied));
    if (!is_orthonormal(found)) return false;
    take(dialect, std::move(tried));
    proof_.check.limited = true;
    add_to_explanation(
        fmt::format("The occupied orbitals are orthonormal to {:.1e}, the unoccupied ones only to {:.1e}: "
                    "the program computed them less exactly.",
                    found.worst, left));
    return true;
  }

  void add_to_explanation(const std::string& text) {
    std::string& all = proof_.check.explanation;
    all += (all.empty() ? "" : " ") + text;
  }

  /// Corrects the wavefunction by the first known dialect that explains its first set, or else by the nearest one.
  /// Returns false if none explains it.
  bool correct(const Orthonormality& plain, const jobs::Progress& progress) {
    // The spins of orbitals can only be determined from all of them.
    const OrbitalSet few = as_read_.spins.known ? sample(first()) : OrbitalSet();
    const auto dialects = known_dialects(as_read_.program, wavefunction_.basis, *as_read_.order);
    Explanation best;
    improve(best, as_written(), first(), plain, progress);
    const WriterDialect* nearest = &as_written();
    double smallest = as_read_.spins.known ? orthonormality(last_.overlap, few).worst : plain.worst;
    for (const WriterDialect& dialect : dialects) {
      if (as_read_.spins.known) {
        const Tried tried = attempt(dialect, few, progress.part(0, 0.5));
        if (tried.found.worst < smallest) {
          smallest = tried.found.worst;
          nearest = &dialect;
        }
        const auto spoilt =
            spoilt_orbitals(last_.overlap, tried.set, accepted_of_each(tried.found), sample_spoilt);
        if (!spoilt && !is_orthonormal(tried.found)) continue;
      }
      Tried tried = attempt(dialect, first(), progress.part(0.5, 1));
      if (is_orthonormal(tried.found)) {
        take(dialect, std::move(tried));
        return true;
      }
      if (!as_read_.spins.known && tried.found.worst < smallest) {
        smallest = tried.found.worst;
        nearest = &dialect;
      }
      improve(best, dialect, tried.set, tried.found, progress.part(0.5, 1));
    }
    if (smallest <= doubtful_deviation && accept_within_digits(*nearest, progress)) return true;
    if (best.dialect != nullptr) {
      correct_but_for_spoilt(best, progress);
      return true;
    }
    return smallest <= doubtful_deviation && accept_inexact_virtuals(*nearest, progress);
  }

  /// Further sets use the basis set established by the first one.
  void prove_further_sets(const jobs::Progress& progress) {
    auto& sets = wavefunction_.sets;
    for (std::size_t i = 1; i < sets.size(); ++i) {
      const auto share = 1.0 / static_cast<double>(sets.size());
      const Orthonormality found =
          orthonormality(last_.overlap, sets[i],
                         progress.part(share * static_cast<double>(i - 1), share * static_cast<double>(i)));
      if (!sets[i].occupations_known) tell_occupations(sets[i]);
      if (!(found.worst <= proof_.check.worst_deviation)) proof_.check.worst_deviation = found.worst;
      if (is_orthonormal(found)) continue;
      proof_.check.name = "unproven";
      proof_.check.explanation += fmt::format(
          " The orbitals of the set \"{}\" are not (worst deviation {:.1e}): its pictures may be wrong.",
          sets[i].name, found.worst);
    }
  }

  void tell_occupations(OrbitalSet& set) {
    if (derive_occupations(last_.overlap, first(), set)) {
      proof_.remarks.converted(
          fmt::format("The file gives no occupations of the orbital set \"{}\": they follow from "
                      "the density of the set \"{}\".",
                      set.name, first().name),
          set.orbitals.size());
    } else {
      proof_.remarks.warn(
          fmt::format("The file gives no occupations of the orbital set \"{}\": its orbitals can be "
                      "shown, but not their density.",
                      set.name));
    }
  }

  /// Orbitals of the spin that has more of them.
  std::size_t most_of_one_spin() {
    return std::max(first().of_spin(Spin::alpha).size(), first().of_spin(Spin::beta).size());
  }

  bool looks_two_component() {
    const std::size_t functions = wavefunction_.basis.function_count();
    return functions > 0 && most_of_one_spin() >= 2 * functions;
  }

  std::string explain_unproven(double worst_deviation) {
    const std::size_t functions = wavefunction_.basis.function_count();
    const std::size_t orbitals = most_of_one_spin();
    if (looks_two_component()) {
      return fmt::format(
          "The file has {} orbitals, twice as many as basis functions or more: this looks like a generalised "
          "(two-component) wavefunction, which is not supported: there is no density of its electrons. "
          "Export a restricted or an unrestricted calculation.",
          orbitals);
    }
    // There cannot be more independent orbitals than functions: PySCF, for one, leaves out h functions by default.
    if (orbitals > functions) {
      return fmt::format(
          "The file has {} orbitals but only {} basis functions, so functions are missing from it (worst "
          "deviation "
          "from orthonormal orbitals {:.1e}): the picture may be wrong. Export all shells, h functions too.",
          orbitals, functions, worst_deviation);
    }
    return fmt::format(
        "The orbitals are not orthonormal (worst deviation {:.1e}), and no known dialect of a program "
        "explains it: the picture may be wrong. Export the calculation again, in another format or with "
        "another version of the program.",
        worst_deviation);
  }

  Wavefunction& wavefunction_;
  const AsRead& as_read_;
  LastOverlap last_;
  Proof proof_;
};

}  // namespace

ElectronCount electrons_from_norms(const OrbitalSet& set, const std::vector<double>& norms) {
  ElectronCount count;
  const bool unrestricted = set.unrestricted();
  for (std::size_t i = 0; i < norms.size(); ++i) {
    const ElectronCount share = electrons_in(set.orbitals[i], unrestricted, set.open_shells);
    count.alpha += share.alpha * norms[i];
    count.beta += share.beta * norms[i];
  }
  return count;
}

Proof prove(Wavefunction& wavefunction, const AsRead& as_read, const jobs::Progress& progress) {
  return Prover(wavefunction, as_read).run(progress);
}

}  // namespace isolume::molecules
