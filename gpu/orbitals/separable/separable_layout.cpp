#include "gpu/orbitals/separable/separable_layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <tuple>

#include "core/base/error.h"
#include "gpu/orbitals/make_reach.h"

namespace isolume::gpu {
namespace {

using orbitals::PrimitiveGroup;
using orbitals::SeparableTerm;
using separable::brick_x;
using separable::brick_y;
using separable::brick_z;

constexpr std::array<int, 3> brick_size{brick_x, brick_y, brick_z};

void require_axis_aligned(const FieldProblem& problem) {
  if (problem.grid == nullptr) {
    throw Error("GPU: the separable kernel computes grids, not single points. Choose another kernel.");
  }
  if (!problem.grid->axis_aligned()) {
    throw Error(
        "GPU: the separable kernel computes grids along x, y and z, and this one is turned. Choose another "
        "kernel.");
  }
}

/// Adds the terms of one primitive group after the other.
class LayoutBuilder {
 public:
  LayoutBuilder(SeparableLayout& layout, const molecules::Molecule& molecule)
      : layout_(layout), molecule_(molecule) {}

  /// `terms` are all those of `group`, at least one.
  void add(const PrimitiveGroup& group, std::span<const SeparableTerm> terms) {
    const Eigen::Vector3d place = molecule_.atoms[group.atom].position_bohr;
    const Eigen::Vector3d steps = in_steps(layout_.axes, place);
    const double radius =
        enlarged_radius(layout_.axes, steps, std::ranges::max(terms, {}, &SeparableTerm::radius).radius);
    const int plane_degree = group.degree - terms.front().power_x;
    std::array<orbitals::PointRange, 3> ranges;
    for (int axis = 0; axis < 3; ++axis) {
      // Wide enough for every brick that the device, with its rounding, finds within range.
      ranges[axis] =
          points_within(layout_.axes[axis], place[axis], radius,
                        2 + rounding_in_steps(layout_.axes[axis], steps[axis], radius), brick_size[axis]);
      if (ranges[axis].empty()) return;
    }
    const int x = add_table(0, group, place.x(), terms.back().power_x, ranges[0]);
    const int y = add_table(1, group, place.y(), plane_degree, ranges[1]);
    const int z = add_table(2, group, place.z(), plane_degree, ranges[2]);
    for (const auto& term : terms) {
      layout_.reach.push_back(reach_of(layout_.axes, steps, term.radius));
      const auto coefficient = group.first + orbitals::polynomial_row(group.degree, term.power_x, 0, 0);
      layout_.rows.push_back({x + term.power_x * (ranges[0].last - ranges[0].first), y, z,
                              ranges[1].last - ranges[1].first, ranges[2].last - ranges[2].first,
                              static_cast<int>(coefficient), group.degree - term.power_x, 0});
    }
  }

 private:
  /// Position of point 0 of the lowest power.
  int add_table(int axis, const PrimitiveGroup& group, double centre, int degree,
                orbitals::PointRange range) {
    const int count = range.last - range.first;
    const std::size_t row = layout_.table_size;
    layout_.table_size += static_cast<std::size_t>(count) * (degree + 1);
    if (layout_.table_size > static_cast<std::size_t>(std::numeric_limits<int>::max())) {
      throw ResourceError("The tables of this field", layout_.table_size * sizeof(float),
                          std::size_t{8} << 30, "Use a coarser spacing or a smaller box.");
    }
    layout_.table_jobs.push_back({layout_.axes[axis].origin, layout_.axes[axis].step, centre, group.exponent,
                                  degree, range.first, count, static_cast<int>(row)});
    return static_cast<int>(row) - range.first;
  }

  SeparableLayout& layout_;
  const molecules::Molecule& molecule_;
};

/// Sorts terms so that those of neighbouring atoms are adjacent: by cells of a few bohr.
void sort_by_place(std::vector<SeparableTerm>& terms, const std::vector<PrimitiveGroup>& groups,
                   const molecules::Molecule& molecule) {
  constexpr double cell = 6;  // in bohr; a handful of atoms
  std::ranges::stable_sort(terms, {}, [&](const SeparableTerm& term) {
    const int atom = groups[term.group].atom;
    const Eigen::Vector3d place = (molecule.atoms[atom].position_bohr / cell).array().floor();
    return std::tuple(place.z(), place.y(), place.x(), atom);
  });
}

void make_chunks(SeparableLayout& layout) {
  while (layout.reach.size() % chunk_terms != 0) {
    auto nowhere = layout.reach.back();
    nowhere.radius_squared = -1;
    layout.reach.push_back(nowhere);
    layout.rows.push_back(layout.rows.back());
  }
  layout.chunks = chunks_of(layout.reach);
}

}  // namespace

SeparableLayout lay_out_separable(const FieldProblem& problem, bool with_columns) {
  check_problem(problem);
  require_axis_aligned(problem);
  const auto grouped = orbitals::group_primitives(problem.molecule, problem.basis, problem.coefficients);
  SeparableLayout layout;
  layout.axes = orbitals::axes_of(*problem.grid);
  layout.columns = static_cast<int>(problem.coefficients.cols());
  layout.coefficient_rows = static_cast<int>(grouped.polynomials.rows());
  layout.quadratic = problem.weights != nullptr;
  if (with_columns) {
    layout.coefficients.assign(grouped.polynomials.data(),
                               grouped.polynomials.data() + grouped.polynomials.size());
  }
  if (layout.quadratic && with_columns) {
    layout.weights.assign(problem.weights->data(), problem.weights->data() + problem.weights->size());
  }
  auto terms =
      orbitals::choose_terms(grouped.groups, orbitals::row_norms(grouped.polynomials, problem.weights),
                             with_columns ? problem.screening : problem.screening / 2);
  sort_by_place(terms, grouped.groups, problem.molecule);
  LayoutBuilder builder(layout, problem.molecule);
  for (auto begin = terms.begin(); begin != terms.end();) {
    const auto end = std::find_if(begin, terms.end(),
                                  [&](const SeparableTerm& each) { return each.group != begin->group; });
    builder.add(grouped.groups[begin->group], std::span(begin, end));
    begin = end;
  }
  make_chunks(layout);
  return layout;
}

double separable_flop(const SeparableLayout& layout, Slab slab) {
  const auto& axes = layout.axes;
  if (slab.count <= 0 || layout.columns == 0) return 0;
  constexpr double plane_points = brick_y * brick_z;
  double multiply_adds = 0;
  for (std::size_t t = 0; t < layout.reach.size(); ++t) {
    const int degree = layout.rows[t].degree;
    const double plane = brick_y * orbitals::plane_polynomial_size(degree) + plane_points * (degree + 1);
    for (int z = slab.first / brick_z; z <= (slab.first + slab.count - 1) / brick_z; ++z)
      multiply_adds +=
          boxes_in_layer(axes, brick_size, layout.reach[t], z) * (plane + plane_points * brick_x);
  }
  double squares = 0;
  if (layout.quadratic) {
    squares = 3.0 * axes[0].count * axes[1].count * slab.count;  // one product and one multiply-add
  }
  return layout.columns * (2 * multiply_adds + squares);
}

}  // namespace isolume::gpu
