#include "core/molecules/overlap.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <mutex>
#include <numbers>
#include <utility>

#include "core/dispatch/dispatch.h"
#include "core/molecules/inner_products.h"

namespace isolume::molecules {
namespace {

constexpr int powers = max_angular_momentum + 1;
using PowerTable = std::array<std::array<double, powers>, powers>;

/// A shell prepared for integrals: coefficients with their primitive norms, its position and its first function.
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
void fill_table(PowerTable& table, int la, int lb, double pa, double pb, double p) {
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
  std::array<PowerTable, 3> tables;
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

/// Rows of S between shell `a` and the shells before it, and their mirror images.
void fill_rows(const std::vector<PreparedShell>& shells, const PreparedShell& a, Eigen::MatrixXd& overlap) {
  const Eigen::MatrixXd& left = functions_to_monomials(*a.shell);
  Eigen::MatrixXd block;
  for (const PreparedShell& b : shells) {
    if (b.first_function > a.first_function) return;
    if (negligible(a, b)) continue;
    monomial_block(a, b, block);
    const Eigen::MatrixXd functions = left * block * functions_to_monomials(*b.shell).transpose();
    overlap.block(a.first_function, b.first_function, functions.rows(), functions.cols()) = functions;
    overlap.block(b.first_function, a.first_function, functions.cols(), functions.rows()) =
        functions.transpose();
  }
}

void run_on_cpu(std::size_t tiles, const std::function<void(std::size_t)>& body,
                const jobs::Progress& progress) {
  const auto cpu = dispatch::make_cpu_device();
  const std::array<dispatch::Device*, 1> devices{cpu.get()};
  dispatch::run_tiles(
      devices, tiles, [&body](dispatch::Device&, int, std::size_t tile) { body(tile); }, progress);
}

/// Two orbitals, the first not after the second; equal for a norm.
struct Pair {
  int first;
  int second;
};

/// Orbitals of one spin compared with each other, a block of columns at a time.
class Comparison {
 public:
  static constexpr Eigen::Index width = 256;

  Comparison(const Eigen::MatrixXd& overlap, const Eigen::MatrixXd& coefficients,
             const jobs::Progress& progress)
      : overlap_(overlap), coefficients_(coefficients), progress_(progress) {
    result_.norms.assign(static_cast<std::size_t>(coefficients.cols()), 0);
    result_.images = result_.norms;
  }

  /// Also collects pairs whose deviation exceeds what `limits` accept, about `most` of them.
  void collect(const std::vector<double>& limits, std::size_t most) {
    limits_ = &limits;
    most_ = most;
  }
  const std::vector<Pair>& pairs() const { return pairs_; }

  Orthonormality run() {
    const auto blocks = static_cast<std::size_t>((coefficients_.cols() + width - 1) / width);
    run_on_cpu(
        blocks, [this](std::size_t block) { compare(static_cast<Eigen::Index>(block) * width); }, progress_);
    return std::move(result_);
  }

 private:
  /// Columns first ... first + width - 1 with themselves and with later ones: C^T S C is symmetric.
  void compare(Eigen::Index first) {
    const Eigen::Index count = coefficients_.cols() - first;
    const Eigen::Index columns = std::min(width, count);
    const auto chosen = coefficients_.middleCols(first, columns);
    Eigen::MatrixXd image(overlap_.rows(), columns);
    in_steps(overlap_.rows(), [&](Eigen::Index row, Eigen::Index rows) {
      const auto [begin, end] = not_zero(row, rows);
      image.middleRows(row, rows) = inner_products(overlap_.block(begin, row, end - begin, rows),
                                                   chosen.middleRows(begin, end - begin));
    });
    double worst = 0;
    in_steps(count, [&](Eigen::Index row, Eigen::Index rows) {
      Eigen::MatrixXd gram = inner_products(coefficients_.middleCols(first + row, rows), image);
      for (Eigen::Index i = row; i < std::min(row + rows, columns); ++i) {
        result_.norms[static_cast<std::size_t>(first + i)] = gram(i - row, i);
        gram(i - row, i) -= 1;
      }
      if (limits_ != nullptr) collect_from(gram, first + row, first);
      const double deviation = gram.cwiseAbs().maxCoeff<Eigen::PropagateNaN>();
      if (!(deviation <= worst)) worst = deviation;  // so that NaN counts
    });
    const Eigen::RowVectorXd images = image.colwise().norm();
    for (Eigen::Index i = 0; i < columns; ++i)
      result_.images[static_cast<std::size_t>(first + i)] = images[i];
    const double widest = images.maxCoeff();
    const std::scoped_lock lock(mutex_);
    if (!(worst <= result_.worst)) result_.worst = worst;
    result_.widest_image = std::max(result_.widest_image, widest);
  }

  /// Rows and columns of `gram` are orbitals from these on; pairs within a block come up twice.
  void collect_from(const Eigen::MatrixXd& gram, Eigen::Index first_row, Eigen::Index first_column) {
    const std::scoped_lock lock(mutex_);
    for (Eigen::Index column = 0; column < gram.cols() && pairs_.size() <= most_; ++column) {
      for (Eigen::Index row = 0; row < gram.rows(); ++row) {
        const auto i = static_cast<std::size_t>(first_row + row);
        const auto j = static_cast<std::size_t>(first_column + column);
        const bool accepted = std::abs(gram(row, column)) <= std::max((*limits_)[i], (*limits_)[j]);
        if (i >= j && !accepted) pairs_.push_back({static_cast<int>(j), static_cast<int>(i)});
      }
    }
  }

  /// First row of the overlap in which these columns are not all zero, and the end: distant functions do not overlap,
  /// and consecutively numbered atoms are mostly near each other.
  std::pair<Eigen::Index, Eigen::Index> not_zero(Eigen::Index column, Eigen::Index columns) const {
    const auto zero = [&](Eigen::Index row) {
      return (overlap_.block(row, column, 1, columns).array() == 0).all();
    };
    Eigen::Index begin = 0, end = overlap_.rows();
    while (begin < end && zero(begin)) ++begin;
    while (end > begin && zero(end - 1)) --end;
    return {begin, end};
  }

  /// Products of whole large matrices would delay a cancellation.
  template <class Body>
  void in_steps(Eigen::Index total, const Body& body) const {
    constexpr Eigen::Index step = 256;
    for (Eigen::Index first = 0; first < total; first += step) {
      progress_.check();
      body(first, std::min(step, total - first));
    }
  }

  const Eigen::MatrixXd& overlap_;
  const Eigen::MatrixXd& coefficients_;
  jobs::Progress progress_;
  const std::vector<double>* limits_ = nullptr;
  std::size_t most_ = 0;
  std::mutex mutex_;
  std::vector<Pair> pairs_;
  Orthonormality result_;
};

/// Smallest set of orbitals that covers all pairs, found greedily; stops if there are more than `most`.
std::vector<int> cover(const std::vector<Pair>& pairs, std::size_t count, std::size_t most) {
  std::vector<bool> out(count, false);
  for (const Pair& pair : pairs) {
    if (pair.first == pair.second) out[static_cast<std::size_t>(pair.first)] = true;
  }
  std::vector<std::size_t> partners(count);
  const auto left = [&out](const Pair& pair) {
    return !out[static_cast<std::size_t>(pair.first)] && !out[static_cast<std::size_t>(pair.second)];
  };
  for (std::size_t round = 0; round <= most; ++round) {
    std::fill(partners.begin(), partners.end(), 0);
    for (const Pair& pair : pairs) {
      if (!left(pair)) continue;
      ++partners[static_cast<std::size_t>(pair.first)];
      ++partners[static_cast<std::size_t>(pair.second)];
    }
    const auto worst = std::max_element(partners.begin(), partners.end());
    if (worst == partners.end() || *worst == 0) break;
    // If two only overlap with each other, either may be the wrong one.
    for (std::size_t i = 0; i < count; ++i) {
      if (*worst == 1 ? partners[i] == 1 : partners.begin() + static_cast<std::ptrdiff_t>(i) == worst)
        out[i] = true;
    }
  }
  std::vector<int> found;
  for (std::size_t i = 0; i < count; ++i) {
    if (out[i]) found.push_back(static_cast<int>(i));
  }
  return found;
}

}  // namespace

Eigen::MatrixXd overlap_matrix(const Molecule& molecule, const BasisSet& basis,
                               const jobs::Progress& progress) {
  const auto shells = prepare(molecule, basis);
  const auto size = static_cast<Eigen::Index>(basis.function_count());
  Eigen::MatrixXd overlap = Eigen::MatrixXd::Zero(size, size);
  progress.report(0, "overlap matrix");
  run_on_cpu(
      shells.size(), [&](std::size_t shell) { fill_rows(shells, shells[shell], overlap); }, progress);
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
  progress.report(0, "orthonormality");
  if (!set.unrestricted()) return Comparison(overlap, set.coefficients, progress).run();
  Orthonormality both;
  both.norms.resize(set.orbitals.size());
  both.images.resize(set.orbitals.size());
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<int> columns = set.of_spin(spin);
    const Eigen::MatrixXd coefficients = set.coefficients(Eigen::all, columns);
    const auto part = spin == Spin::alpha ? progress.part(0, 0.5) : progress.part(0.5, 1);
    const Orthonormality one = Comparison(overlap, coefficients, part).run();
    for (std::size_t i = 0; i < columns.size(); ++i) {
      both.norms[static_cast<std::size_t>(columns[i])] = one.norms[i];
      both.images[static_cast<std::size_t>(columns[i])] = one.images[i];
    }
    if (!(one.worst <= both.worst)) both.worst = one.worst;
    both.widest_image = std::max(both.widest_image, one.widest_image);
  }
  return both;
}

std::optional<std::vector<int>> spoilt_orbitals(const Eigen::MatrixXd& overlap, const OrbitalSet& set,
                                                const std::vector<double>& limits, std::size_t most,
                                                const jobs::Progress& progress) {
  std::vector<int> found;
  for (const Spin spin : {Spin::alpha, Spin::beta}) {
    const std::vector<int> columns = set.of_spin(spin);
    if (columns.empty()) continue;
    const Eigen::MatrixXd coefficients = set.coefficients(Eigen::all, columns);
    std::vector<double> own_limits;
    for (const int column : columns) own_limits.push_back(limits[static_cast<std::size_t>(column)]);
    Comparison comparison(overlap, coefficients, progress);
    const std::size_t most_pairs = columns.size() * (most + 1);
    comparison.collect(own_limits, most_pairs);
    comparison.run();
    if (comparison.pairs().size() > most_pairs) return std::nullopt;
    for (const int i : cover(comparison.pairs(), columns.size(), most))
      found.push_back(columns[static_cast<std::size_t>(i)]);
    if (found.size() > most) return std::nullopt;
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace isolume::molecules
