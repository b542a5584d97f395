#include "core/molecules/overlap.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numbers>

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include "core/base/handover.h"

namespace isolume::molecules {
namespace {

constexpr int powers = max_angular_momentum + 1;
using Table = std::array<std::array<double, powers>, powers>;

/// A shell as the integrals need it: coefficients with their primitive norms, its place and its first
/// function.
struct PreparedShell {
  const Shell* shell = nullptr;
  Eigen::Vector3d place;
  std::vector<double> weights;
  double smallest_exponent = 0;
  Eigen::Index first_function = 0;
};

std::vector<PreparedShell> prepare(const Molecule& molecule, const BasisSet& basis) {
  std::vector<PreparedShell> prepared;
  prepared.reserve(basis.shells.size());
  Eigen::Index first = 0;
  for (const Shell& shell : basis.shells) {
    PreparedShell one;
    one.shell = &shell;
    one.place = molecule.atoms[static_cast<std::size_t>(shell.atom)].position_bohr;
    for (std::size_t p = 0; p < shell.exponents.size(); ++p) {
      const double norm = primitive_norm(shell.exponents[p], {shell.angular_momentum, 0, 0});
      one.weights.push_back(shell.coefficients[p] * norm);
    }
    one.smallest_exponent = *std::min_element(shell.exponents.begin(), shell.exponents.end());
    one.first_function = first;
    first += shell.function_count();
    prepared.push_back(std::move(one));
  }
  return prepared;
}

/// Integrals of x_A^i x_B^j exp(-p x_P^2) over one coordinate.
void fill_table(Table& table, int la, int lb, double pa, double pb, double p) {
  const double half = 0.5 / p;
  table[0][0] = std::sqrt(std::numbers::pi / p);
  for (int i = 0; i < la; ++i) {
    table[i + 1][0] = pa * table[i][0] + (i > 0 ? half * i * table[i - 1][0] : 0);
  }
  for (int j = 0; j < lb; ++j) {
    for (int i = 0; i <= la; ++i) {
      double value = pb * table[i][j];
      if (i > 0) value += half * i * table[i - 1][j];
      if (j > 0) value += half * j * table[i][j - 1];
      table[i][j + 1] = value;
    }
  }
}

/// Overlap of two shells' monomials, each with its radial part.
void monomial_block(const PreparedShell& a, const PreparedShell& b, Eigen::MatrixXd& block) {
  constexpr double negligible_exponent = 48;  // exp(-48) = 1e-21
  const int la = a.shell->angular_momentum, lb = b.shell->angular_momentum;
  const auto& rows = cartesian_powers(la);
  const auto& columns = cartesian_powers(lb);
  block.setZero(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(columns.size()));
  const Eigen::Vector3d apart = a.place - b.place;
  const double distance2 = apart.squaredNorm();
  std::array<Table, 3> tables;
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    const double alpha = a.shell->exponents[i];
    for (std::size_t j = 0; j < b.weights.size(); ++j) {
      const double beta = b.shell->exponents[j];
      const double p = alpha + beta;
      const double damping = alpha / p * beta * distance2;
      if (!(damping < negligible_exponent)) continue;
      for (int axis = 0; axis < 3; ++axis) {
        fill_table(tables[axis], la, lb, -beta / p * apart[axis], alpha / p * apart[axis], p);
      }
      const double weight = a.weights[i] * b.weights[j] * std::exp(-damping);
      for (Eigen::Index c = 0; c < block.cols(); ++c) {
        const CartesianPowers& to = columns[static_cast<std::size_t>(c)];
        for (Eigen::Index r = 0; r < block.rows(); ++r) {
          const CartesianPowers& from = rows[static_cast<std::size_t>(r)];
          block(r, c) += weight * tables[0][from.x][to.x] * tables[1][from.y][to.y] * tables[2][from.z][to.z];
        }
      }
    }
  }
}

bool negligible(const PreparedShell& a, const PreparedShell& b) {
  const double damping = a.smallest_exponent * b.smallest_exponent /
                         (a.smallest_exponent + b.smallest_exponent) * (a.place - b.place).squaredNorm();
  return !(damping < 48);
}

}  // namespace

Eigen::MatrixXd overlap_matrix(const Molecule& molecule, const BasisSet& basis,
                               const jobs::Progress& progress) {
  const auto shells = prepare(molecule, basis);
  const auto size = static_cast<Eigen::Index>(basis.function_count());
  Eigen::MatrixXd overlap = Eigen::MatrixXd::Zero(size, size);
  std::atomic<std::size_t> done{0};
  const auto rows = [&](const tbb::blocked_range<std::size_t>& range) {
    const handover::Worker there;
    Eigen::MatrixXd block;
    for (std::size_t i = range.begin(); i != range.end(); ++i) {
      progress.check();
      const PreparedShell& a = shells[i];
      const Eigen::MatrixXd& left = functions_to_monomials(*a.shell);
      for (std::size_t j = 0; j <= i; ++j) {
        const PreparedShell& b = shells[j];
        if (negligible(a, b)) continue;
        monomial_block(a, b, block);
        const Eigen::MatrixXd functions = left * block * functions_to_monomials(*b.shell).transpose();
        overlap.block(a.first_function, b.first_function, functions.rows(), functions.cols()) = functions;
        overlap.block(b.first_function, a.first_function, functions.cols(), functions.rows()) =
            functions.transpose();
      }
      progress.report(static_cast<double>(++done) / static_cast<double>(shells.size()), "overlap matrix");
    }
  };
  const handover::Caller here(rows);
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, shells.size(), 8), rows);
  return overlap;
}

double self_overlap(const Shell& shell) {
  double sum = 0;
  for (std::size_t i = 0; i < shell.exponents.size(); ++i) {
    for (std::size_t j = 0; j < shell.exponents.size(); ++j) {
      const double a = shell.exponents[i], b = shell.exponents[j];
      // <a|b> of two normalised primitives of one l: (2 sqrt(ab) / (a+b))^(l + 3/2)
      const double ratio = 2 * std::sqrt(a / (a + b)) * std::sqrt(b / (a + b));
      sum += shell.coefficients[i] * shell.coefficients[j] * std::pow(ratio, shell.angular_momentum + 1.5);
    }
  }
  return sum;
}

Orthonormality orthonormality(const Eigen::MatrixXd& overlap, const OrbitalSet& set,
                              const jobs::Progress& progress) {
  constexpr Eigen::Index width = 32;
  const Eigen::MatrixXd& c = set.coefficients;
  const Eigen::Index count = c.cols();
  Orthonormality result;
  result.norms.assign(static_cast<std::size_t>(count), 0);
  const Eigen::Index blocks = (count + width - 1) / width;
  std::mutex mutex;
  Eigen::Index done = 0;
  const auto compare = [&](Eigen::Index block) {
    const handover::Worker there;
    progress.check();
    const Eigen::Index first = block * width;
    const Eigen::Index columns = std::min(width, count - first);
    const Eigen::MatrixXd image = overlap * c.middleCols(first, columns);
    progress.check();
    // Only the triangle: rows from this block's first orbital on.
    const Eigen::MatrixXd gram = c.rightCols(count - first).transpose() * image;
    double worst = 0;
    for (Eigen::Index j = 0; j < columns; ++j) {
      const Spin spin = set.orbitals[static_cast<std::size_t>(first + j)].spin;
      result.norms[static_cast<std::size_t>(first + j)] = gram(j, j);
      for (Eigen::Index i = j; i < gram.rows(); ++i) {
        if (set.orbitals[static_cast<std::size_t>(first + i)].spin != spin) continue;
        const double deviation = std::abs(gram(i, j) - (i == j ? 1.0 : 0.0));
        if (!(deviation <= worst)) worst = deviation;  // so that NaN counts
      }
    }
    const double widest = std::sqrt(image.colwise().squaredNorm().maxCoeff());
    const std::scoped_lock lock(mutex);
    if (!(worst <= result.worst)) result.worst = worst;
    result.widest_image = std::max(result.widest_image, widest);
    progress.report(static_cast<double>(++done) / static_cast<double>(blocks), "orthonormality");
  };
  const handover::Caller here(compare);
  tbb::parallel_for(Eigen::Index{0}, blocks, compare);
  return result;
}

}  // namespace isolume::molecules
