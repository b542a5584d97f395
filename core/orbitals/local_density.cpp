#include "core/orbitals/local_density.h"

#include <algorithm>
#include <cmath>

#include "core/molecules/inner_products.h"

namespace isolume::orbitals {
namespace {

constexpr Eigen::Index least_columns = 32;
/// Fitted to times for C60 at spacings between 0.075 and 0.45 angstrom.
constexpr double reach_bohr = 4;
constexpr double worthwhile_part = 0.5;
/// 0.5 GB for the density matrix, or 1 GB for two.
constexpr Eigen::Index most_functions = 8000;

/// The functions of each atom.
std::vector<std::vector<Eigen::Index>> functions_by_atom(const molecules::Molecule& molecule,
                                                         const molecules::BasisSet& basis) {
  std::vector<std::vector<Eigen::Index>> by_atom(molecule.atoms.size());
  Eigen::Index first = 0;
  for (const auto& shell : basis.shells) {
    auto& functions = by_atom[static_cast<std::size_t>(shell.atom)];
    for (Eigen::Index f = 0; f < shell.function_count(); ++f) functions.push_back(first++);
  }
  return by_atom;
}

/// Whether functions of both atoms may extend into one block.
bool may_meet(const LocalDensity::Problem& problem, std::size_t one, std::size_t other) {
  const double reach = problem.reach_bohr[one] + problem.reach_bohr[other];
  if (problem.reach_bohr[one] < 0 || problem.reach_bohr[other] < 0) return false;
  const auto& atoms = problem.molecule.atoms;
  for (int axis = 0; axis < 3; ++axis) {
    const double block =
        LocalDensity::block_points[static_cast<std::size_t>(axis)] * problem.grid.step(axis, axis);
    if (std::abs(atoms[one].position_bohr[axis] - atoms[other].position_bohr[axis]) > reach + block)
      return false;
  }
  return true;
}

}  // namespace

/// If the number of neighbours per atom is bounded, the work grows as functions x columns.
Eigen::MatrixXd LocalDensity::density_matrix(const Problem& problem, double sign) {
  const auto& [molecule, basis, coefficients, weights, grid, screening, reach] = problem;
  std::vector<Eigen::Index> columns;
  for (Eigen::Index k = 0; k < weights.size(); ++k) {
    if (sign * weights[k] > 0) columns.push_back(k);
  }
  const Eigen::VectorXd roots = (sign * weights(columns)).cwiseSqrt();
  const Eigen::MatrixXd by_function = roots.asDiagonal() * coefficients(Eigen::all, columns).transpose();
  const auto functions = functions_by_atom(molecule, basis);
  Eigen::MatrixXd density = Eigen::MatrixXd::Zero(coefficients.rows(), coefficients.rows());
  std::vector<Eigen::Index> met;
  for (std::size_t atom = 0; atom < functions.size(); ++atom) {
    met.clear();
    for (std::size_t other = atom; other < functions.size(); ++other) {
      if (may_meet(problem, atom, other))
        met.insert(met.end(), functions[other].begin(), functions[other].end());
    }
    if (met.empty() || functions[atom].empty()) continue;
    const Eigen::MatrixXd part = molecules::inner_products(by_function(Eigen::all, functions[atom]).eval(),
                                                           by_function(Eigen::all, met).eval());
    density(functions[atom], met) = part;
    density(met, functions[atom]) = part.transpose();
  }
  return density;
}

bool LocalDensity::worthwhile(const molecules::Molecule& molecule, const Eigen::MatrixXd& coefficients,
                              const grid::Grid& grid) {
  if (coefficients.cols() < least_columns || coefficients.rows() > most_functions) return false;
  Eigen::Array3d half;
  for (int axis = 0; axis < 3; ++axis) {
    half[axis] = grid.step(axis, axis) * block_points[static_cast<std::size_t>(axis)] / 2 + reach_bohr;
  }
  const auto most = static_cast<std::ptrdiff_t>(worthwhile_part * static_cast<double>(molecule.atoms.size()));
  return std::ranges::all_of(molecule.atoms, [&](const auto& centre) {
    return std::ranges::count_if(molecule.atoms, [&](const auto& atom) {
             return ((atom.position_bohr - centre.position_bohr).array().abs() < half).all();
           }) <= most;
  });
}

LocalDensity::LocalDensity(const Problem& problem, Eigen::SparseMatrix<double, Eigen::RowMajor> polynomials)
    : polynomials_(std::move(polynomials)), screening_(problem.screening) {
  for (const double sign : {1.0, -1.0}) {
    if ((sign * problem.weights.array() > 0).any()) {
      parts_.push_back({static_cast<float>(sign), density_matrix(problem, sign)});
    }
  }
}

void LocalDensity::start_block(Scratch& scratch) const {
  scratch.position_of.resize(static_cast<std::size_t>(polynomials_.cols()), -1);
  for (const int function : scratch.functions) scratch.position_of[function] = -1;
  scratch.functions.clear();
  scratch.elements.clear();
}

void LocalDensity::add_group(Eigen::Index first_row, std::span<const TileValues> largest,
                             Scratch& scratch) const {
  const auto count = static_cast<Eigen::Index>(largest.size());
  for (Eigen::Index m = 0; m < count; ++m) {
    for (decltype(polynomials_)::InnerIterator entry(polynomials_, first_row + m); entry; ++entry) {
      int& position = scratch.position_of[static_cast<std::size_t>(entry.col())];
      if (position < 0) {
        position = static_cast<int>(scratch.functions.size());
        scratch.functions.push_back(static_cast<int>(entry.col()));
        if (scratch.tile_bounds.cols() <= position)
          scratch.tile_bounds.conservativeResize(tiles, 2 * position + 64);
        scratch.tile_bounds.col(position).setZero();
      }
      scratch.elements.push_back(
          {static_cast<std::int32_t>(first_row + m), position, static_cast<float>(entry.value())});
      scratch.tile_bounds.col(position) +=
          static_cast<float>(std::abs(entry.value())) * largest[static_cast<std::size_t>(m)];
    }
  }
}

void LocalDensity::first_columns(int part, Scratch& scratch) const {
  scratch.bounds.resize(scratch.functions.size());
  for (std::size_t i = 0; i < scratch.bounds.size(); ++i) {
    scratch.bounds[i] = scratch.tile_bounds.col(static_cast<Eigen::Index>(i)).maxCoeff();
  }
  scratch.column_count = 0;
  scratch.factor.start(parts_[static_cast<std::size_t>(part)].density, scratch.functions, scratch.bounds);
  while (scratch.factor.column_count() < first_count && scratch.factor.extend()) {
  }
  add_columns(scratch);
}

std::array<int, LocalDensity::tiles> LocalDensity::further_columns(const TileValues& least,
                                                                   Scratch& scratch) const {
  const double share = 1.0 / part_count();
  const Eigen::Array<double, tiles, 1> allowed =
      share * (screening_ * least.cast<double>().sqrt() + screening_ * screening_ / 4);
  while (scratch.factor.remainder() > allowed.minCoeff() / 4 && scratch.factor.extend()) {
  }
  const int before = scratch.column_count;
  add_columns(scratch);
  const auto functions = static_cast<Eigen::Index>(scratch.functions.size());
  const auto further = scratch.of_functions.block(0, before, functions, scratch.column_count - before);
  const Eigen::ArrayXXf amplitudes = scratch.tile_bounds.leftCols(functions).matrix() * further.cwiseAbs();
  std::array<int, tiles> needed{};
  for (int tile = 0; tile < tiles; ++tile) {
    double left_out = scratch.factor.remainder();
    int count = scratch.column_count;
    while (count > before) {
      const double amplitude = amplitudes(tile, count - 1 - before);
      left_out += amplitude * amplitude;
      if (left_out > allowed[tile]) break;
      --count;
    }
    needed[static_cast<std::size_t>(tile)] = count;
  }
  return needed;
}

/// Adds columns that the factor has and `columns` lacks.
void LocalDensity::add_columns(Scratch& scratch) const {
  const int before = scratch.column_count;
  const int count = scratch.factor.column_count();
  const auto functions = static_cast<Eigen::Index>(scratch.functions.size());
  // Rows without elements, such as those of x in a group of d functions, are never written and must be zero.
  if (scratch.columns.cols() < count || scratch.columns.rows() != polynomials_.rows()) {
    const Eigen::Index old = scratch.columns.rows() == polynomials_.rows() ? scratch.columns.cols() : 0;
    scratch.columns.conservativeResize(polynomials_.rows(), count + count / 2);
    scratch.columns.rightCols(scratch.columns.cols() - old).setZero();
  }
  if (scratch.of_functions.cols() < count || scratch.of_functions.rows() < functions) {
    scratch.of_functions.conservativeResize(
        std::max(scratch.of_functions.rows(), functions + functions / 2),
        std::max<Eigen::Index>(scratch.of_functions.cols(), count + count / 2));
  }
  for (int j = before; j < count; ++j) {
    for (Eigen::Index i = 0; i < functions; ++i) {
      const double bound = scratch.bounds[static_cast<std::size_t>(i)];
      scratch.of_functions(i, j) =
          bound > 0 ? static_cast<float>(scratch.factor.weighted(j, static_cast<std::size_t>(i)) / bound) : 0;
    }
    const float* from = scratch.of_functions.col(j).data();
    float* to = scratch.columns.col(j).data();
    for (const auto& element : scratch.elements) to[element.row] = 0;
    for (const auto& element : scratch.elements) to[element.row] += element.value * from[element.position];
  }
  scratch.column_count = count;
}

}  // namespace isolume::orbitals
