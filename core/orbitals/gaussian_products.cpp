#include "core/orbitals/gaussian_products.h"

#include <algorithm>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/orbitals/primitive_groups.h"
#include "core/orbitals/product_batch_kernels.h"

namespace isolume::orbitals {
namespace {

constexpr double largest_exponent_argument = 50;
constexpr int degrees = molecules::max_angular_momentum + 1;

using Doubles = std::vector<double, UninitialisedAllocator<double>>;

std::size_t padded(std::size_t count) {
  return (count + product_lanes - 1) / product_lanes * product_lanes;
}

struct Element {
  int function = 0;  ///< among those of its atom
  double value = 0;
};

struct AtomFunctions {
  std::vector<PrimitiveGroup> groups;  ///< by increasing degree; `first` counts the atom's own rows
  std::vector<std::vector<Element>> rows;
  std::vector<Eigen::Index> functions;  ///< of the basis set
  double least_exponent = 0;
  Doubles plain, weighted;  ///< coefficients: columns x functions, padded
};

std::vector<AtomFunctions> functions_of_atoms(const GroupedFunctions& grouped, std::size_t atoms) {
  std::vector<AtomFunctions> all(atoms);
  auto groups = grouped.groups;
  std::ranges::stable_sort(groups, {}, &PrimitiveGroup::degree);
  for (auto& group : groups) {
    AtomFunctions& atom = all[static_cast<std::size_t>(group.atom)];
    const auto own_first = static_cast<Eigen::Index>(atom.rows.size());
    for (Eigen::Index row = group.first; row < group.first + polynomial_size(group.degree); ++row) {
      auto& elements = atom.rows.emplace_back();
      for (Eigen::SparseMatrix<double, Eigen::RowMajor>::InnerIterator each(grouped.polynomials, row); each;
           ++each) {
        auto found = std::ranges::find(atom.functions, each.col());
        if (found == atom.functions.end()) found = atom.functions.insert(found, each.col());
        elements.push_back({static_cast<int>(found - atom.functions.begin()), each.value()});
      }
    }
    group.first = own_first;
    if (atom.groups.empty() || group.exponent < atom.least_exponent) atom.least_exponent = group.exponent;
    atom.groups.push_back(group);
  }
  return all;
}

void set_coefficients(const Eigen::MatrixXd& coefficients, const Eigen::VectorXd& weights,
                      AtomFunctions& atom) {
  const std::size_t width = padded(atom.functions.size());
  atom.plain = Doubles(width * static_cast<std::size_t>(coefficients.cols()));
  std::ranges::fill(atom.plain, 0.0);
  atom.weighted = atom.plain;
  for (Eigen::Index k = 0; k < coefficients.cols(); ++k) {
    for (std::size_t f = 0; f < atom.functions.size(); ++f) {
      const std::size_t at = static_cast<std::size_t>(k) * width + f;
      atom.plain[at] = coefficients(atom.functions[f], k);
      atom.weighted[at] = weights[k] * atom.plain[at];
    }
  }
}

bool overlap(const AtomFunctions& a, const AtomFunctions& b, double distance_squared) {
  if (a.groups.empty() || b.groups.empty()) return false;
  const double reduced = a.least_exponent * b.least_exponent / (a.least_exponent + b.least_exponent);
  return reduced * distance_squared < largest_exponent_argument;
}

/// Adds linear combinations of rows of `from`, the result's rows being padded to `width`.
void combine_rows(const std::vector<std::vector<Element>>& rows, const double* from, std::size_t width,
                  double* to) {
  std::fill_n(to, rows.size() * width, 0.0);
  for (const auto& row : rows) {
    for (const auto& [function, value] : row) {
      const double* const of_function = from + static_cast<std::size_t>(function) * width;
      for (std::size_t n = 0; n < width; ++n) to[n] += value * of_function[n];
    }
    to += width;
  }
}

/// Those of an atom with itself and with all after it.
class AtomProducts {
 public:
  AtomProducts(const molecules::Molecule& molecule, const std::vector<AtomFunctions>& atoms,
               std::size_t first, std::size_t columns)
      : molecule_(molecule), first_(first), a_(atoms[first]), columns_(columns) {
    for (std::size_t second = first; second < atoms.size(); ++second) add_atom(second, atoms[second]);
    for (auto& pairs : pending_) flush(pairs);
  }
  GaussianProducts take() { return std::move(made_); }

 private:
  Eigen::Vector3d place(std::size_t atom) const { return molecule_.atoms[atom].position_bohr; }

  void add_atom(std::size_t second, const AtomFunctions& b) {
    const double distance_squared = (place(first_) - place(second)).squaredNorm();
    if (!overlap(a_, b, distance_squared)) return;
    find_elements(b);
    for (std::size_t g = 0; g < a_.groups.size(); ++g) {
      const PrimitiveGroup& of_a = a_.groups[g];
      for (std::size_t h = second == first_ ? g : 0; h < b.groups.size(); ++h) {
        const PrimitiveGroup& of_b = b.groups[h];
        if (of_a.exponent * of_b.exponent * distance_squared >
            largest_exponent_argument * (of_a.exponent + of_b.exponent))
          continue;
        add(of_a, second, of_b, second == first_ && g == h ? 1 : 2);
      }
    }
  }

  /// Of the density matrix between the rows of both atoms' polynomials, those of b by rows.
  void find_elements(const AtomFunctions& b) {
    const std::size_t width_a = padded(a_.functions.size()), width_b = padded(b.functions.size()),
                      rows_a = padded(a_.rows.size());
    density_.resize(width_a * width_b);
    half_.resize(a_.rows.size() * width_b);
    transposed_.resize(width_b * rows_a);
    elements_.resize(b.rows.size() * rows_a);
    products::multiply_transposed(a_.weighted.data(), width_a, b.plain.data(), width_b, columns_,
                                  density_.data());
    combine_rows(a_.rows, density_.data(), width_b, half_.data());
    for (std::size_t f = 0; f < b.functions.size(); ++f) {
      for (std::size_t row = 0; row < rows_a; ++row)
        transposed_[f * rows_a + row] = row < a_.rows.size() ? half_[row * width_b + f] : 0;
    }
    combine_rows(b.rows, transposed_.data(), rows_a, elements_.data());
  }

  void add(const PrimitiveGroup& of_a, std::size_t second, const PrimitiveGroup& of_b, double factor) {
    auto& pairs = pending_[static_cast<std::size_t>(of_a.degree * degrees + of_b.degree)];
    const auto rows_a = static_cast<std::size_t>(polynomial_size(of_a.degree)),
               rows_b = static_cast<std::size_t>(polynomial_size(of_b.degree));
    if (pairs.count == 0) {
      pairs.degree_a = of_a.degree;
      pairs.degree_b = of_b.degree;
      pairs.elements.assign(rows_a * rows_b, {});
    }
    const auto lane = static_cast<std::size_t>(pairs.count++);
    pairs.a[lane] = of_a.exponent;
    pairs.b[lane] = of_b.exponent;
    pairs.factor[lane] = factor;
    for (int axis = 0; axis < 3; ++axis) {
      pairs.place_a[axis][lane] = place(first_)[axis];
      pairs.place_b[axis][lane] = place(second)[axis];
    }
    const std::size_t stride = padded(a_.rows.size());
    const double* from = elements_.data() + static_cast<std::size_t>(of_b.first) * stride +
                         static_cast<std::size_t>(of_a.first);
    for (std::size_t n = 0; n < rows_b; ++n, from += stride) {
      for (std::size_t m = 0; m < rows_a; ++m) pairs.elements[m * rows_b + n][lane] = from[m];
    }
    if (pairs.count == product_lanes) flush(pairs);
  }

  void flush(products::PairBatch& pairs) {
    if (pairs.count == 0) return;
    // Lanes without a pair have no elements; their places and exponents only have to be finite.
    for (auto lane = static_cast<std::size_t>(pairs.count); lane < product_lanes; ++lane) {
      pairs.a[lane] = pairs.b[lane] = 1;
      pairs.factor[lane] = 0;
      for (int axis = 0; axis < 3; ++axis) pairs.place_a[axis][lane] = pairs.place_b[axis][lane] = 0;
    }
    auto& batch = made_.batches.emplace_back();
    batch.first = made_.coefficients.size();
    const int size = polynomial_size(pairs.degree_a + pairs.degree_b) * product_lanes;
    made_.coefficients.resize(batch.first + static_cast<std::size_t>(size));
    products::multiply_pairs(pairs, batch, made_.coefficients.data() + batch.first);
    pairs.count = 0;
  }

  const molecules::Molecule& molecule_;
  std::size_t first_;
  const AtomFunctions& a_;
  std::size_t columns_;
  std::array<products::PairBatch, degrees * degrees> pending_{};
  Doubles density_, half_, transposed_, elements_;
  GaussianProducts made_;
};

}  // namespace

std::vector<GaussianProducts> gaussian_products(const molecules::Molecule& molecule,
                                                const molecules::BasisSet& basis,
                                                const Eigen::MatrixXd& coefficients,
                                                const Eigen::VectorXd& weights,
                                                const jobs::Progress& progress) {
  check_shapes(molecule, basis, coefficients);
  auto atoms = functions_of_atoms(group_functions(molecule, basis), molecule.atoms.size());
  const auto for_each_atom = [&](const auto& function) {
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, atoms.size(), 1), [&](const auto& range) {
      for (std::size_t atom = range.begin(); atom != range.end(); ++atom) {
        progress.check();
        function(atom);
      }
    });
  };
  for_each_atom([&](std::size_t atom) { set_coefficients(coefficients, weights, atoms[atom]); });
  std::vector<GaussianProducts> made(atoms.size());
  for_each_atom([&](std::size_t atom) {
    made[atom] = AtomProducts(molecule, atoms, atom, static_cast<std::size_t>(weights.size())).take();
  });
  return made;
}

}  // namespace isolume::orbitals
