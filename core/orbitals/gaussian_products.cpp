#include "core/orbitals/gaussian_products.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_kernels.h"

namespace isolume::orbitals {
namespace {

constexpr double largest_exponent_argument = 50;
constexpr int max_degree = molecules::max_angular_momentum;
constexpr int max_product_degree = 2 * max_degree;

using Powers = std::array<int, 3>;

/// Powers of the rows of a group's polynomial, in the order of polynomial_row().
std::array<std::vector<Powers>, max_degree + 1> powers_of_rows() {
  std::array<std::vector<Powers>, max_degree + 1> all;
  for (int degree = 0; degree <= max_degree; ++degree) {
    for (int i = 0; i <= degree; ++i) {
      for (int n = 0; n <= degree - i; ++n) {
        for (int k = 0; k <= n; ++k) all[degree].push_back({i, n - k, k});
      }
    }
  }
  return all;
}

/// Coefficients of (x + a)^i (x + b)^j, for one axis and all i and j.
class ShiftedPowers {
 public:
  ShiftedPowers(double a, int degree_a, double b, int degree_b) {
    (*this)(0, 0)[0] = 1;
    for (int i = 1; i <= degree_a; ++i) multiply((*this)(i - 1, 0), i - 1, a, (*this)(i, 0));
    for (int i = 0; i <= degree_a; ++i) {
      for (int j = 1; j <= degree_b; ++j) multiply((*this)(i, j - 1), i + j - 1, b, (*this)(i, j));
    }
  }
  double* operator()(int i, int j) { return values_[i][j].data(); }
  const double* operator()(int i, int j) const { return values_[i][j].data(); }

 private:
  static void multiply(const double* from, int degree, double shift, double* to) {
    to[degree + 1] = from[degree];
    for (int n = degree; n > 0; --n) to[n] = from[n - 1] + shift * from[n];
    to[0] = shift * from[0];
  }
  std::array<std::array<std::array<double, max_product_degree + 1>, max_degree + 1>, max_degree + 1> values_;
};

/// Position of x^i y^j z^0 among the coefficients of a product.
int row_of(int degree, int i, int j) {
  int row = 0;
  for (int lower = 0; lower < i; ++lower) row += plane_polynomial_size(degree - lower);
  return row + j * (degree - i + 1) - j * (j - 1) / 2;
}

struct Element {
  int function = 0;  ///< among those of its atom
  double value = 0;
};

struct AtomFunctions {
  std::vector<PrimitiveGroup> groups;  ///< `first` counts the atom's own rows
  std::vector<std::vector<Element>> rows;
  std::vector<Eigen::Index> functions;  ///< of the basis set
  double least_exponent = 0;
};

std::vector<AtomFunctions> functions_of_atoms(const GroupedFunctions& grouped, std::size_t atoms) {
  std::vector<AtomFunctions> all(atoms);
  for (const auto& group : grouped.groups) {
    AtomFunctions& atom = all[static_cast<std::size_t>(group.atom)];
    PrimitiveGroup own = group;
    own.first = static_cast<Eigen::Index>(atom.rows.size());
    atom.groups.push_back(own);
    atom.least_exponent = group.exponent;  // they come in decreasing order
    for (Eigen::Index row = group.first; row < group.first + polynomial_size(group.degree); ++row) {
      auto& elements = atom.rows.emplace_back();
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator each(grouped.polynomials, row); each;
           ++each) {
        auto found = std::ranges::find(atom.functions, each.col());
        if (found == atom.functions.end()) found = atom.functions.insert(found, each.col());
        elements.push_back({static_cast<int>(found - atom.functions.begin()), each.value()});
      }
    }
  }
  return all;
}

bool overlap(const AtomFunctions& a, const AtomFunctions& b, double distance_squared) {
  if (a.groups.empty() || b.groups.empty()) return false;
  const double reduced = a.least_exponent * b.least_exponent / (a.least_exponent + b.least_exponent);
  return reduced * distance_squared < largest_exponent_argument;
}

class ProductMaker {
 public:
  ProductMaker(const molecules::Molecule& molecule, const GroupedFunctions& grouped,
               const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights)
      : molecule_(molecule),
        atoms_(functions_of_atoms(grouped, molecule.atoms.size())),
        powers_(powers_of_rows()),
        columns_(static_cast<std::size_t>((coefficients.cols() + 7) / 8 * 8)) {
    for (const auto& atom : atoms_) {
      auto& plain = plain_.emplace_back(atom.functions.size() * columns_, 0.0);
      auto& weighted = weighted_.emplace_back(plain.size(), 0.0);
      for (std::size_t f = 0; f < atom.functions.size(); ++f) {
        for (Eigen::Index k = 0; k < coefficients.cols(); ++k) {
          const std::size_t at = f * columns_ + static_cast<std::size_t>(k);
          plain[at] = coefficients(atom.functions[f], k);
          weighted[at] = weights[k] * plain[at];
        }
      }
    }
  }

  /// Those of an atom with itself and with all after it.
  GaussianProducts of_atom(std::size_t first) const {
    GaussianProducts made;
    Scratch scratch;
    for (std::size_t second = first; second < atoms_.size(); ++second) add_pair(first, second, scratch, made);
    return made;
  }

 private:
  struct Scratch {
    std::vector<double> density;  ///< functions of the first x functions of the second
    std::vector<double> half;     ///< rows of the first x functions of the second
  };

  Eigen::Vector3d place(std::size_t atom) const { return molecule_.atoms[atom].position_bohr; }

  void add_pair(std::size_t first, std::size_t second, Scratch& scratch, GaussianProducts& made) const {
    const AtomFunctions &a = atoms_[first], &b = atoms_[second];
    const double distance_squared = (place(first) - place(second)).squaredNorm();
    if (!overlap(a, b, distance_squared)) return;
    const std::size_t width = b.functions.size();
    scratch.density.resize(a.functions.size() * width);
    products::inner_products(weighted_[first], plain_[second], columns_, scratch.density);
    scratch.half.assign(a.rows.size() * width, 0);
    for (std::size_t row = 0; row < a.rows.size(); ++row) {
      for (const auto& [function, value] : a.rows[row]) {
        for (std::size_t f = 0; f < width; ++f)
          scratch.half[row * width + f] +=
              value * scratch.density[static_cast<std::size_t>(function) * width + f];
      }
    }
    for (std::size_t g = 0; g < a.groups.size(); ++g) {
      for (std::size_t h = first == second ? g : 0; h < b.groups.size(); ++h) {
        const double twice = first == second && g == h ? 1 : 2;
        add_product({a.groups[g], place(first)}, {b.groups[h], place(second)}, b, twice, scratch, made);
      }
    }
  }

  struct Placed {
    const PrimitiveGroup& group;
    Eigen::Vector3d place;
  };

  void add_product(const Placed& a, const Placed& b, const AtomFunctions& of_b, double factor,
                   const Scratch& scratch, GaussianProducts& made) const {
    const double exponent = a.group.exponent + b.group.exponent;
    const double argument =
        a.group.exponent * b.group.exponent / exponent * (a.place - b.place).squaredNorm();
    if (argument > largest_exponent_argument) return;
    const Eigen::Vector3d centre = (a.group.exponent * a.place + b.group.exponent * b.place) / exponent;
    const auto shifts = [&](int axis) {
      return ShiftedPowers(centre[axis] - a.place[axis], a.group.degree, centre[axis] - b.place[axis],
                           b.group.degree);
    };
    const ShiftedPowers x = shifts(0), y = shifts(1), z = shifts(2);
    const int degree = a.group.degree + b.group.degree;
    const std::size_t begin = made.coefficients.size();
    made.coefficients.resize(begin + static_cast<std::size_t>(polynomial_size(degree)), 0.0);
    double* const sum = made.coefficients.data() + begin;
    std::array<std::array<int, max_product_degree + 1>, max_product_degree + 1> rows;
    for (int i = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j) rows[i][j] = row_of(degree, i, j);
    }
    factor *= std::exp(-argument);
    const auto &powers_a = powers_[a.group.degree], &powers_b = powers_[b.group.degree];
    const std::size_t width = of_b.functions.size();
    bool any = false;
    for (std::size_t m = 0; m < powers_a.size(); ++m) {
      const double* half = scratch.half.data() + (static_cast<std::size_t>(a.group.first) + m) * width;
      for (std::size_t n = 0; n < powers_b.size(); ++n) {
        double element = 0;
        for (const auto& [function, value] : of_b.rows[static_cast<std::size_t>(b.group.first) + n])
          element += value * half[function];
        if (element == 0) continue;
        any = true;
        element *= factor;
        const auto [i, j, k] = powers_a[m];
        const auto [p, q, r] = powers_b[n];
        const double *by_x = x(i, p), *by_y = y(j, q), *by_z = z(k, r);
        for (int t = 0; t <= i + p; ++t) {
          for (int u = 0; u <= j + q; ++u) {
            const double at = element * by_x[t] * by_y[u];
            double* const to = sum + rows[t][u];
            for (int v = 0; v <= k + r; ++v) to[v] += at * by_z[v];
          }
        }
      }
    }
    if (any) {
      made.products.push_back({centre, exponent, degree, begin});
    } else {
      made.coefficients.resize(begin);
    }
  }

  const molecules::Molecule& molecule_;
  std::vector<AtomFunctions> atoms_;
  std::array<std::vector<Powers>, max_degree + 1> powers_;
  std::size_t columns_;
  std::vector<std::vector<double>> plain_, weighted_;  ///< of each atom: functions x columns
};

}  // namespace

GaussianProducts gaussian_products(const molecules::Molecule& molecule, const molecules::BasisSet& basis,
                                   const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                                   const jobs::Progress& progress) {
  check_shapes(molecule, basis, coefficients);
  const ProductMaker maker(molecule, group_functions(molecule, basis), coefficients, weights);
  std::vector<GaussianProducts> parts(molecule.atoms.size());
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, parts.size(), 1), [&](const auto& range) {
    for (std::size_t atom = range.begin(); atom != range.end(); ++atom) {
      progress.check();
      parts[atom] = maker.of_atom(atom);
    }
  });
  GaussianProducts all;
  for (auto& part : parts) {
    for (auto product : part.products) {
      product.first += all.coefficients.size();
      all.products.push_back(product);
    }
    all.coefficients.insert(all.coefficients.end(), part.coefficients.begin(), part.coefficients.end());
    part = {};
  }
  return all;
}

double product_count(const molecules::Molecule& molecule, const molecules::BasisSet& basis, double most) {
  constexpr double negligible = 30;  // as -ln of the prefactor
  std::vector<std::vector<double>> exponents(molecule.atoms.size());
  for (const auto& shell : basis.shells) {
    auto& own = exponents[static_cast<std::size_t>(shell.atom)];
    own.insert(own.end(), shell.exponents.begin(), shell.exponents.end());
  }
  for (auto& own : exponents) {
    std::ranges::sort(own);
    own.erase(std::unique(own.begin(), own.end()), own.end());
  }
  double count = 0;
  for (std::size_t first = 0; first < exponents.size() && count <= most; ++first) {
    for (std::size_t second = first; second < exponents.size(); ++second) {
      const double squared =
          (molecule.atoms[first].position_bohr - molecule.atoms[second].position_bohr).squaredNorm();
      for (const double a : exponents[first]) {
        // In increasing order: the reduced exponent, too.
        std::size_t near = 0;
        while (near < exponents[second].size() &&
               a * exponents[second][near] * squared <= negligible * (a + exponents[second][near]))
          ++near;
        if (near == 0) break;
        count += static_cast<double>(near) * (first == second ? 0.5 : 1);
      }
    }
  }
  return count;
}

}  // namespace isolume::orbitals
