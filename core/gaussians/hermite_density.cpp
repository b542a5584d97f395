#include "core/gaussians/hermite_density.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <numbers>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::gaussians {
namespace {

using Eigen::MatrixXd;
using Eigen::Vector3d;
using molecules::CartesianPowers;

/// Primitives of one atom that share an exponent: monomials times one Gaussian.
struct PrimitiveGroup {
  double exponent = 0;
  int degree = 0;
  std::vector<CartesianPowers> monomials;
  MatrixXd of_functions;  ///< monomials x functions of the atom
};

struct AtomFunctions {
  Vector3d place = Vector3d::Zero();
  std::vector<Eigen::Index> functions;  ///< rows of the coefficients
  std::vector<PrimitiveGroup> groups;
  double smallest_exponent = 0;
};

void check_shapes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                  const MatrixXd& coefficients, const Eigen::VectorXd& weights) {
  if (static_cast<std::size_t>(coefficients.rows()) != basis.function_count() ||
      coefficients.cols() != weights.size()) {
    throw Error(
        fmt::format("The orbital coefficients have {} rows and {} columns, the basis set {} functions, and "
                    "there are {} weights.",
                    coefficients.rows(), coefficients.cols(), basis.function_count(), weights.size()));
  }
  for (const auto& shell : basis.shells) {
    if (shell.atom < 0 || static_cast<std::size_t>(shell.atom) >= molecule.atoms.size()) {
      throw Error(fmt::format("A shell belongs to atom {} of a molecule of {} atoms.", shell.atom + 1,
                              molecule.atoms.size()));
    }
  }
}

std::size_t row_of(PrimitiveGroup& group, const CartesianPowers& powers) {
  const auto found = std::ranges::find_if(group.monomials, [&](const CartesianPowers& each) {
    return each.x == powers.x && each.y == powers.y && each.z == powers.z;
  });
  if (found != group.monomials.end()) return static_cast<std::size_t>(found - group.monomials.begin());
  group.monomials.push_back(powers);
  group.of_functions.conservativeResize(group.of_functions.rows() + 1, Eigen::NoChange);
  group.of_functions.bottomRows(1).setZero();
  return group.monomials.size() - 1;
}

void add_shell(AtomFunctions& atom, const molecules::Shell& shell, Eigen::Index first_of_atom) {
  const auto& powers = molecules::cartesian_powers(shell.angular_momentum);
  const MatrixXd& of_shell = molecules::functions_to_monomials(shell);  // functions x monomials
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    auto group = std::ranges::find(atom.groups, shell.exponents[p], &PrimitiveGroup::exponent);
    if (group == atom.groups.end()) {
      atom.groups.push_back(
          {shell.exponents[p], 0, {}, MatrixXd::Zero(0, static_cast<Eigen::Index>(atom.functions.size()))});
      group = atom.groups.end() - 1;
    }
    group->degree = std::max(group->degree, shell.angular_momentum);
    const double factor =
        shell.coefficients[p] * molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
    for (std::size_t m = 0; m < powers.size(); ++m) {
      const auto row = static_cast<Eigen::Index>(row_of(*group, powers[m]));
      for (Eigen::Index f = 0; f < of_shell.rows(); ++f) {
        group->of_functions(row, first_of_atom + f) += factor * of_shell(f, static_cast<Eigen::Index>(m));
      }
    }
  }
}

std::vector<AtomFunctions> group_by_atom(const molecules::Molecule& molecule,
                                         const molecules::BasisSet& basis) {
  std::vector<AtomFunctions> atoms(molecule.atoms.size());
  std::vector<std::vector<std::pair<const molecules::Shell*, Eigen::Index>>> shells(atoms.size());
  Eigen::Index row = 0;
  for (const auto& shell : basis.shells) {
    auto& functions = atoms[static_cast<std::size_t>(shell.atom)].functions;
    shells[static_cast<std::size_t>(shell.atom)].emplace_back(&shell,
                                                              static_cast<Eigen::Index>(functions.size()));
    for (int f = 0; f < shell.function_count(); ++f) functions.push_back(row++);
  }
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    atoms[a].place = molecule.atoms[a].position_bohr;
    for (const auto& [shell, first] : shells[a]) add_shell(atoms[a], *shell, first);
    std::ranges::sort(atoms[a].groups, std::ranges::greater(), &PrimitiveGroup::exponent);
    atoms[a].smallest_exponent = atoms[a].groups.empty() ? 0 : atoms[a].groups.back().exponent;
  }
  return atoms;
}

/// E_t^ij along one axis: (x - a)^i (x - b)^j exp(-p (x - c)^2) = sum_t E_t^ij (d/dc)^t exp(-p (x - c)^2).
struct Expansion {
  static constexpr int side = molecules::max_angular_momentum + 1;
  double of[side][side][max_order + 2] = {};

  /// `from_a` is c - a, `from_b` is c - b.
  Expansion(int degree_a, int degree_b, double p, double from_a, double from_b) {
    of[0][0][0] = 1;
    for (int i = 0; i <= degree_a; ++i) {
      if (i > 0) raise(of[i - 1][0], of[i][0], i, p, from_a);
      for (int j = 1; j <= degree_b; ++j) raise(of[i][j - 1], of[i][j], i + j, p, from_b);
    }
  }

 private:
  static void raise(const double* lower, double* higher, int highest, double p, double from) {
    for (int t = 0; t <= highest; ++t) {
      higher[t] = from * lower[t] + (t + 1) * lower[t + 1] + (t > 0 ? lower[t - 1] / (2 * p) : 0);
    }
  }
};

/// Pairs of one atom's groups with its own and those of later atoms.
class PairMaker {
 public:
  PairMaker(const std::vector<AtomFunctions>& atoms, const MatrixXd& coefficients,
            const Eigen::VectorXd& weights, double share)
      : atoms_(atoms), coefficients_(coefficients), weights_(weights), share_(share) {}

  HermiteDensity of_atom(std::size_t a, const jobs::Progress& progress) const {
    HermiteDensity made;
    const AtomFunctions& one = atoms_[a];
    if (one.functions.empty()) return made;
    // Functions of the atom x columns, with the weights.
    const MatrixXd weighted = coefficients_(one.functions, Eigen::all) * weights_.asDiagonal();
    for (std::size_t b = a; b < atoms_.size(); ++b) {
      const AtomFunctions& other = atoms_[b];
      if (other.functions.empty() || too_far(one, other)) continue;
      progress.check();
      const MatrixXd density = weighted * coefficients_(other.functions, Eigen::all).transpose();
      for (std::size_t g = 0; g < one.groups.size(); ++g) {
        const MatrixXd half = one.groups[g].of_functions * density;
        for (std::size_t h = a == b ? g : 0; h < other.groups.size(); ++h) {
          const double times = a == b && g == h ? 1 : 2;
          add_pair(one, one.groups[g], other, other.groups[h],
                   times * half * other.groups[h].of_functions.transpose(),
                   {static_cast<int>(a), static_cast<int>(b)}, made);
        }
      }
    }
    return made;
  }

 private:
  /// exp(-100) is negligible compared with any coefficient
  static constexpr double negligible_exponent = 100;

  static bool too_far(const AtomFunctions& one, const AtomFunctions& other) {
    const double a = one.smallest_exponent, b = other.smallest_exponent;
    return a / (a + b) * b * (one.place - other.place).squaredNorm() > negligible_exponent;
  }

  void add_pair(const AtomFunctions& one, const PrimitiveGroup& g, const AtomFunctions& other,
                const PrimitiveGroup& h, const MatrixXd& matrix, std::array<int, 2> atoms,
                HermiteDensity& made) const {
    const double p = g.exponent + h.exponent;
    const Vector3d apart = one.place - other.place;
    const double damping = g.exponent / p * h.exponent * apart.squaredNorm();
    if (damping > negligible_exponent) return;
    HermiteGaussian pair;
    pair.exponent = p;
    pair.order = g.degree + h.degree;
    pair.centre_bohr = one.place - h.exponent / p * apart;
    pair.first = made.coefficients.size();
    pair.atoms[0] = atoms[0];
    pair.atoms[1] = atoms[1];
    const Vector3d from_a = -h.exponent / p * apart, from_b = g.exponent / p * apart;
    const Expansion x(g.degree, h.degree, p, from_a.x(), from_b.x()),
        y(g.degree, h.degree, p, from_a.y(), from_b.y()), z(g.degree, h.degree, p, from_a.z(), from_b.z());
    made.coefficients.resize(pair.first + triple_count(pair.order));
    double* const into = made.coefficients.data() + pair.first;
    const TripleIndex& index = triple_index(pair.order);
    const double factor = std::exp(-damping);
    for (std::size_t m = 0; m < g.monomials.size(); ++m) {
      const CartesianPowers& i = g.monomials[m];
      for (std::size_t n = 0; n < h.monomials.size(); ++n) {
        const double weight = factor * matrix(static_cast<Eigen::Index>(m), static_cast<Eigen::Index>(n));
        if (weight == 0) continue;
        const CartesianPowers& j = h.monomials[n];
        for (int t = 0; t <= i.x + j.x; ++t) {
          const double of_x = weight * x.of[i.x][j.x][t];
          for (int u = 0; u <= i.y + j.y; ++u) {
            const double of_xy = of_x * y.of[i.y][j.y][u];
            for (int v = 0; v <= i.z + j.z; ++v) into[index.at(t, u, v)] += of_xy * z.of[i.z][j.z][v];
          }
        }
      }
    }
    finish(pair, made);
  }

  /// Keeps the pair, or removes it again if its contribution is too small.
  void finish(const HermiteGaussian& pair, HermiteDensity& made) const {
    const auto& triples = triple_index(pair.order).triples();
    double bound = 0;
    for (std::size_t i = 0; i < triples.size(); ++i) {
      const double h = std::abs(made.coefficients[pair.first + i]);
      if (h != 0)
        bound += h * largest_potential(pair.exponent, triples[i][0] + triples[i][1] + triples[i][2]);
    }
    if (bound > share_) {
      made.gaussians.push_back(pair);
    } else {
      made.left_out += bound;
      made.coefficients.resize(pair.first);
    }
  }

  const std::vector<AtomFunctions>& atoms_;
  const MatrixXd& coefficients_;
  const Eigen::VectorXd& weights_;
  double share_;
};

/// Approximate numbers: of pairs of groups near enough to each other, and of their coefficients.
struct Size {
  std::size_t pairs = 0, coefficients = 0;
};
Size size_of(const std::vector<AtomFunctions>& atoms) {
  Size size;
  for (std::size_t a = 0; a < atoms.size(); ++a) {
    for (std::size_t b = a; b < atoms.size(); ++b) {
      const double squared = (atoms[a].place - atoms[b].place).squaredNorm();
      for (const auto& g : atoms[a].groups) {
        for (const auto& h : atoms[b].groups) {
          // More distant pairs contribute less than exp(-40) of the near ones.
          if (g.exponent * h.exponent * squared > 40 * (g.exponent + h.exponent)) continue;
          ++size.pairs;
          size.coefficients += triple_count(g.degree + h.degree);
        }
      }
    }
  }
  return size;
}

}  // namespace

double largest_potential(double exponent, int order) {
  // Gamma((n+1)/2) for n = 0 ... max_order.
  static const auto gamma = [] {
    std::array<double, max_order + 1> made;
    for (int n = 0; n <= max_order; ++n) made[static_cast<std::size_t>(n)] = std::tgamma((n + 1) / 2.0);
    return made;
  }();
  return std::pow(std::numbers::pi / exponent, 1.5) * std::pow(4 * exponent, (order + 1) / 2.0) *
         gamma[static_cast<std::size_t>(order)] / std::numbers::pi;
}

double HermiteDensity::integral() const {
  double sum = 0;
  for (const auto& each : gaussians) {
    // Derivatives integrate to 0.
    sum += coefficients[each.first + triple_index(each.order).at(0, 0, 0)] *
           std::pow(std::numbers::pi / each.exponent, 1.5);
  }
  return sum;
}

Vector3d HermiteDensity::first_moment() const {
  Vector3d sum = Vector3d::Zero();
  for (const auto& each : gaussians) {
    // A first derivative by the centre is a dipole; higher ones have no first moment.
    const TripleIndex& index = triple_index(each.order);
    const double* const h = coefficients.data() + each.first;
    Vector3d moment = h[index.at(0, 0, 0)] * each.centre_bohr;
    if (each.order > 0) moment += Vector3d(h[index.at(1, 0, 0)], h[index.at(0, 1, 0)], h[index.at(0, 0, 1)]);
    sum += moment * std::pow(std::numbers::pi / each.exponent, 1.5);
  }
  return sum;
}

HermiteDensity hermite_density(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                               const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                               double tolerance, const jobs::Progress& progress) {
  check_shapes(molecule, basis, coefficients, weights);
  progress.report(0, "pairs of functions");
  const auto atoms = group_by_atom(molecule, basis);
  const Size size = size_of(atoms);
  // While the parts are joined, all data exist twice.
  dispatch::require_memory(fmt::format("A density of {} pairs of primitives", size.pairs),
                           2 * (size.pairs * sizeof(HermiteGaussian) + size.coefficients * sizeof(double)),
                           "Take a smaller basis set, or a part of the molecule.");
  const PairMaker maker(atoms, coefficients, weights,
                        tolerance / static_cast<double>(std::max<std::size_t>(size.pairs, 1)));
  std::vector<HermiteDensity> parts(atoms.size());
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, atoms.size(), 1), [&](const auto& range) {
    for (std::size_t a = range.begin(); a != range.end(); ++a) {
      parts[a] = maker.of_atom(a, progress);
      progress.report(static_cast<double>(++done) / static_cast<double>(atoms.size()), "pairs of functions");
    }
  });
  HermiteDensity whole;
  for (auto& part : parts) {
    for (auto& each : part.gaussians) {
      each.first += whole.coefficients.size();
      whole.gaussians.push_back(each);
    }
    whole.coefficients.insert(whole.coefficients.end(), part.coefficients.begin(), part.coefficients.end());
    whole.left_out += part.left_out;
    part = {};
  }
  return whole;
}

HermiteDensity electron_density(const molecules::Wavefunction& wavefunction, const molecules::OrbitalSet& set,
                                double tolerance, const jobs::Progress& progress) {
  molecules::require_occupations(set);
  std::vector<Eigen::Index> occupied;
  for (std::size_t i = 0; i < set.orbitals.size(); ++i) {
    if (set.orbitals[i].occupation != 0) occupied.push_back(static_cast<Eigen::Index>(i));
  }
  Eigen::VectorXd occupations(static_cast<Eigen::Index>(occupied.size()));
  for (std::size_t i = 0; i < occupied.size(); ++i)
    occupations[static_cast<Eigen::Index>(i)] =
        set.orbitals[static_cast<std::size_t>(occupied[i])].occupation;
  const Eigen::MatrixXd coefficients = set.coefficients(Eigen::all, occupied);
  return hermite_density(wavefunction.molecule, wavefunction.basis, coefficients, occupations, tolerance,
                         progress);
}

}  // namespace isolume::gaussians
