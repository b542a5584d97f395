#include "core/orbitals/primitive_groups.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::orbitals {
namespace {

/// Finds each primitive's group, and arranges the groups with the degrees they need.
class GroupTable {
 public:
  GroupTable(const molecules::BasisSet& basis, std::size_t atom_count) : of_atom_(atom_count) {
    for (const auto& shell : basis.shells) {
      for (const double exponent : shell.exponents) enter(shell, exponent);
    }
  }
  /// The groups in the order of atoms, tight ones first.
  std::vector<PrimitiveGroup> lay_out() {
    std::vector<PrimitiveGroup> all;
    Eigen::Index first = 0;
    for (auto& groups : of_atom_) {
      std::ranges::sort(groups, std::ranges::greater(), &PrimitiveGroup::exponent);
      for (auto& group : groups) {
        group.first = first;
        first += polynomial_size(group.degree);
        all.push_back(group);
      }
    }
    rows_ = first;
    return all;
  }
  Eigen::Index rows() const { return rows_; }
  const PrimitiveGroup& find(int atom, double exponent) const {
    return *std::ranges::find(of_atom_[atom], exponent, &PrimitiveGroup::exponent);
  }

 private:
  void enter(const molecules::Shell& shell, double exponent) {
    auto& groups = of_atom_[shell.atom];
    const auto found = std::ranges::find(groups, exponent, &PrimitiveGroup::exponent);
    if (found == groups.end()) {
      groups.push_back({shell.atom, exponent, shell.angular_momentum, 0});
    } else {
      found->degree = std::max(found->degree, shell.angular_momentum);
    }
  }
  std::vector<std::vector<PrimitiveGroup>> of_atom_;
  Eigen::Index rows_ = 0;
};

/// Adds a shell's functions, the first of which is column `first`, to the polynomials.
void add_shell(const molecules::Shell& shell, Eigen::Index first, const GroupTable& table,
               std::vector<Eigen::Triplet<double>>& entries) {
  const auto& powers = molecules::cartesian_powers(shell.angular_momentum);
  const Eigen::MatrixXd& of_functions = molecules::functions_to_monomials(shell);  // functions x monomials
  for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
    const auto& group = table.find(shell.atom, shell.exponents[p]);
    const double factor =
        shell.coefficients[p] * molecules::primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
    for (std::size_t m = 0; m < powers.size(); ++m) {
      const auto [i, j, k] = powers[m];
      const Eigen::Index row = group.first + polynomial_row(group.degree, i, j, k);
      for (Eigen::Index f = 0; f < shell.function_count(); ++f) {
        const double element = factor * of_functions(f, static_cast<Eigen::Index>(m));
        if (element != 0) entries.emplace_back(row, first + f, element);
      }
    }
  }
}

void check_atoms(const molecules::Molecule& molecule, const molecules::BasisSet& basis) {
  for (const auto& shell : basis.shells) {
    if (shell.atom < 0 || static_cast<std::size_t>(shell.atom) >= molecule.atoms.size()) {
      throw Error(fmt::format("A shell belongs to atom {} of a molecule of {} atoms.", shell.atom + 1,
                              molecule.atoms.size()));
    }
  }
}

double power_of_itself(int n) {
  return std::pow(static_cast<double>(n), n);
}  // 0^0 = 1

}  // namespace

void check_shapes(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                  const Eigen::MatrixXd& coefficients) {
  if (static_cast<std::size_t>(coefficients.rows()) != basis.function_count()) {
    throw Error(fmt::format("The orbital coefficients have {} rows, the basis set {} functions.",
                            coefficients.rows(), basis.function_count()));
  }
  check_atoms(molecule, basis);
}

Eigen::VectorXd row_norms(const Eigen::MatrixXd& coefficients, const Eigen::VectorXd* weights) {
  if (coefficients.cols() == 0) return Eigen::VectorXd::Zero(coefficients.rows());
  if (weights == nullptr) return coefficients.cwiseAbs().rowwise().maxCoeff();
  return (coefficients.cwiseAbs2() * weights->cwiseAbs()).cwiseSqrt();
}

int polynomial_row(int degree, int i, int j, int k) {
  int row = 0;
  for (int lower = 0; lower < i; ++lower) row += plane_polynomial_size(degree - lower);
  const int n = j + k;
  return row + n * (n + 1) / 2 + k;
}

GroupedFunctions group_functions(const molecules::Molecule& molecule, const molecules::BasisSet& basis) {
  check_atoms(molecule, basis);
  GroupTable table(basis, molecule.atoms.size());
  GroupedFunctions grouped;
  grouped.groups = table.lay_out();
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::Index first = 0;
  for (const auto& shell : basis.shells) {
    add_shell(shell, first, table, entries);
    first += shell.function_count();
  }
  grouped.polynomials.resize(table.rows(), first);
  grouped.polynomials.setFromTriplets(entries.begin(), entries.end());
  return grouped;
}

GroupedPrimitives group_primitives(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                   const Eigen::MatrixXd& coefficients) {
  check_shapes(molecule, basis, coefficients);
  auto grouped = group_functions(molecule, basis);
  return {std::move(grouped.groups), grouped.polynomials * coefficients};
}

void RadialBound::add(double magnitude, int i, int j, int k) {
  const int n = i + j + k;
  by_power[n] += std::abs(magnitude) *
                 std::sqrt(power_of_itself(i) * power_of_itself(j) * power_of_itself(k) / power_of_itself(n));
}

double RadialBound::beyond(double distance) const {
  double sum = 0;
  for (std::size_t n = 0; n < by_power.size(); ++n) {
    if (by_power[n] == 0) continue;
    const double peak = std::sqrt(static_cast<double>(n) / (2 * exponent));
    const double r = std::max(distance, peak);
    sum += by_power[n] * std::pow(r, static_cast<double>(n)) * std::exp(-exponent * r * r);
  }
  return sum;
}

double RadialBound::radius(double tolerance) const {
  if (beyond(0) <= std::max(tolerance, 0.0)) return -1;
  if (!(tolerance > 0)) return std::numeric_limits<double>::infinity();
  // r -> sqrt(ln(sum_n b_n r^n / tolerance) / a) has the desired radius as its fixed point; from above, the iteration
  // decreases towards it without ever passing below, so that stopping early is safe.
  const auto next = [&](double r) {
    double sum = 0;
    double power = 1;
    for (const double each : by_power) {
      sum += each * power;
      power *= r;
    }
    return std::sqrt(std::max(0.0, std::log(sum) - std::log(tolerance)) / exponent);
  };
  int degree = static_cast<int>(by_power.size()) - 1;
  while (degree > 0 && by_power[degree] == 0) --degree;
  const double last_peak = std::sqrt(degree / (2 * exponent));
  double r = std::max(last_peak, 1 / std::sqrt(exponent));
  while (next(r) > r) r *= 2;
  for (int step = 0; step < 5; ++step) r = std::max(last_peak, next(r));
  return r;
}

}  // namespace isolume::orbitals
