#include "gpu/orbitals/separable/local_layout.h"

#include <algorithm>
#include <cmath>

#include "core/orbitals/primitive_groups.h"

namespace isolume::gpu {
namespace {

using orbitals::LocalDensity;
using separable::Element;
static_assert(LocalDensity::block_points ==
              std::array{separable::block_x, separable::block_y, separable::block_z});

/// The rows of a group, with the powers of their monomials; their range is that of the group's farthest term.
void add_rows(const orbitals::PrimitiveGroup& group, separable::MonomialRow row,
              std::vector<separable::MonomialRow>& rows) {
  for (int i = 0; i <= group.degree; ++i) {
    for (int n = 0; n <= group.degree - i; ++n) {
      for (int k = 0; k <= n; ++k) {
        row.power[0] = i;
        row.power[1] = n - k;
        row.power[2] = k;
        rows[static_cast<std::size_t>(group.first + orbitals::polynomial_row(group.degree, i, n - k, k))] =
            row;
      }
    }
  }
}

/// The squared range of each group in bohr, in the form of the device's terms; negative: the group has no
/// terms.
std::vector<float> reach_of_groups(const std::vector<orbitals::PrimitiveGroup>& groups,
                                   const SeparableLayout& terms) {
  std::vector<float> of_row(static_cast<std::size_t>(terms.coefficient_rows), -1.0F);
  for (std::size_t t = 0; t < terms.reach.size(); ++t) {
    float& reach = of_row[static_cast<std::size_t>(terms.rows[t].coefficient)];
    reach = std::max(reach, terms.reach[t].radius_squared);
  }
  std::vector<float> reach;
  for (const auto& group : groups) {
    const auto first = of_row.begin() + group.first;
    reach.push_back(*std::max_element(first, first + orbitals::polynomial_size(group.degree)));
  }
  return reach;
}

/// Upper bound of the number of functions of any block, counted by atoms.
int most_functions_in_a_block(const FieldProblem& problem, const std::vector<double>& reach,
                              const separable::Blocks& blocks) {
  std::vector<int> of_atom(problem.molecule.atoms.size());
  for (const auto& shell : problem.basis.shells)
    of_atom[static_cast<std::size_t>(shell.atom)] += shell.function_count();
  const auto& grid = *problem.grid;
  int most = 0;
  for (int block = 0; block < blocks.count[0] * blocks.count[1] * blocks.count[2]; ++block) {
    const auto place = separable::place_of_block(blocks, block);
    const std::array first{place.x, place.y, place.z};
    int functions = 0;
    for (std::size_t atom = 0; atom < of_atom.size(); ++atom) {
      if (reach[atom] < 0) continue;
      double squared = 0;
      for (int axis = 0; axis < 3; ++axis) {
        const double low = grid.origin[axis] + grid.step(axis, axis) * first[axis];
        const double high = low + grid.step(axis, axis) * (LocalDensity::block_points[axis] - 1);
        const double at = problem.molecule.atoms[atom].position_bohr[axis];
        const double gap = std::max({low - at, at - high, 0.0});
        squared += gap * gap;
      }
      if (squared <= reach[atom] * reach[atom] * 1.001) functions += of_atom[atom];
    }
    most = std::max(most, functions);
  }
  return most;
}

}  // namespace

std::size_t LocalLayout::block_bytes() const {
  using namespace separable;
  const auto all = static_cast<std::size_t>(functions);
  const auto some = static_cast<std::size_t>(most_functions);
  const auto columns = static_cast<std::size_t>(most_columns);
  return sizeof(LocalState) + all * (bricks_per_block * sizeof(float) + sizeof(int)) +
         some * (sizeof(int) + 2 * sizeof(double)) + columns * (some + bricks_per_block) * sizeof(double) +
         bricks_per_block * (sizeof(int) + sizeof(float)) + local_chunk * rows.size() * sizeof(float);
}

bool local_columns_worthwhile(const FieldProblem& problem) {
  return problem.weights != nullptr && problem.grid != nullptr && problem.grid->axis_aligned() &&
         (problem.weights->array() != 0).any() &&
         orbitals::LocalDensity::worthwhile(problem.molecule, problem.coefficients, *problem.grid);
}

LocalLayout lay_out_local(const FieldProblem& problem, const SeparableLayout& terms) {
  auto grouped = orbitals::group_functions(problem.molecule, problem.basis);
  const auto& polynomials = grouped.polynomials;
  LocalLayout layout;
  layout.functions = static_cast<int>(polynomials.cols());
  layout.screening = problem.screening;
  for (int axis = 0; axis < 3; ++axis) {
    const int size = LocalDensity::block_points[static_cast<std::size_t>(axis)];
    layout.blocks.count[axis] = (problem.grid->dimensions[axis] + size - 1) / size;
  }
  const auto reach = reach_of_groups(grouped.groups, terms);
  std::vector<double> reach_of_atoms(problem.molecule.atoms.size(), -1);
  layout.rows.resize(static_cast<std::size_t>(polynomials.rows()));
  for (std::size_t g = 0; g < grouped.groups.size(); ++g) {
    const auto& group = grouped.groups[g];
    const Eigen::Vector3d place = problem.molecule.atoms[static_cast<std::size_t>(group.atom)].position_bohr;
    separable::MonomialRow row{};
    row.x = static_cast<float>((place.x() - terms.axes[0].origin) / terms.axes[0].step);
    row.y = static_cast<float>((place.y() - terms.axes[1].origin) / terms.axes[1].step);
    row.z = static_cast<float>((place.z() - terms.axes[2].origin) / terms.axes[2].step);
    row.exponent = static_cast<float>(group.exponent);
    row.radius_squared = reach[g];
    add_rows(group, row, layout.rows);
    double& of_atom = reach_of_atoms[static_cast<std::size_t>(group.atom)];
    if (reach[g] >= 0) of_atom = std::max(of_atom, 1.001 * std::sqrt(static_cast<double>(reach[g])));
  }
  layout.most_functions = most_functions_in_a_block(problem, reach_of_atoms, layout.blocks);

  std::vector<std::vector<Element>> by_function(static_cast<std::size_t>(polynomials.cols()));
  layout.row_begin.push_back(0);
  for (int row = 0; row < polynomials.outerSize(); ++row) {
    for (decltype(grouped.polynomials)::InnerIterator entry(polynomials, row); entry; ++entry) {
      const auto value = static_cast<float>(entry.value());
      layout.by_row.push_back({static_cast<int>(entry.col()), value});
      by_function[static_cast<std::size_t>(entry.col())].push_back({row, value});
    }
    layout.row_begin.push_back(static_cast<int>(layout.by_row.size()));
  }
  layout.function_begin.push_back(0);
  for (const auto& elements : by_function) {
    layout.by_function.insert(layout.by_function.end(), elements.begin(), elements.end());
    layout.function_begin.push_back(static_cast<int>(layout.by_function.size()));
  }

  const LocalDensity::Problem local{problem.molecule, problem.basis, problem.coefficients,
                                    *problem.weights, *problem.grid, problem.screening,
                                    reach_of_atoms};
  for (const double sign : {1.0, -1.0}) {
    const auto columns = static_cast<int>((sign * problem.weights->array() > 0).count());
    if (columns == 0) continue;
    layout.parts.push_back({static_cast<float>(sign), columns, LocalDensity::density_matrix(local, sign)});
    layout.most_columns = std::max(layout.most_columns, columns);
  }
  return layout;
}

}  // namespace isolume::gpu
