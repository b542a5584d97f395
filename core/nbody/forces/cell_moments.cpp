#include "core/nbody/forces/cell_moments.h"

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::nbody {

namespace {

using Eigen::Vector3d;
using Range = tbb::blocked_range<std::size_t>;
constexpr std::size_t moment_count = taylor_count_to(CellMoments::top);

/// sum m d^b / b!, from order 0 on; those of first order are 0.
struct MomentSums {
  std::array<double, moment_count> of = {};
};

MomentSums powers_of(double mass, const Vector3d& d) {
  MomentSums powers;
  powers.of[0] = mass;
#pragma GCC unroll 64  // makes the exponents constants
  for (std::size_t b = 1; b < moment_count; ++b) {
    const TaylorStep step = taylor_steps[b];
    powers.of[b] =
        powers.of[step.before] * d[static_cast<Eigen::Index>(step.axis)] / static_cast<double>(step.exponent);
  }
  return powers;
}

/// Shifts moments of a part about its own centre of mass, which is at `d` relative to the whole's: (p + d)^b / b! is
/// the sum over c of p^c / c! d^(b - c) / (b - c)!
void add_part(const MomentSums& part, const Vector3d& d, MomentSums& sums) {
  const MomentSums powers = powers_of(1, d);
  for (std::size_t c = 0; c < moment_count; ++c) {
    if (c > 0 && c < CellMoments::first) continue;
    for (std::size_t b = 0; b < taylor_count_to(CellMoments::top - taylor_order(c)); ++b) {
      sums.of[taylor_sum[c][b]] += part.of[c] * powers.of[b];
    }
  }
}

CellMoments scaled(const MomentSums& sums, double radius) {
  CellMoments moments;
  if (radius == 0) return moments;
  double unit = -1 / radius;
  for (int order = 2; order <= CellMoments::top; ++order) {
    unit = -unit / radius;
    for (std::size_t b = taylor_count_to(order - 1); b < taylor_count_to(order); ++b) {
      moments.values[b - CellMoments::first] = static_cast<float>(unit * sums.of[b]);
    }
  }
  return moments;
}

/// Computes the moments of a cell and of all cells in it.
void sum_moments(const Octree& tree, std::size_t number, Paged<MomentSums>& sums) {
  constexpr std::uint32_t worth_a_thread = 1 << 12;
  const Cell& cell = tree.cells[number];
  if (cell.leaf) {
    for (std::uint32_t body = cell.begin; body < cell.end; ++body) {
      const auto powers = powers_of(tree.bodies.mass(body), tree.bodies.place(body) - cell.centre_of_mass);
      for (std::size_t b = 0; b < moment_count; ++b) sums[number].of[b] += powers.of[b];
    }
    return;
  }
  std::vector<std::size_t> parts;
  for (std::size_t part = number + 1; part < cell.next; part = tree.cells[part].next) parts.push_back(part);
  const auto sum_parts_of = [&](const Range& range) {
    for (std::size_t i = range.begin(); i != range.end(); ++i) sum_moments(tree, parts[i], sums);
  };
  const Range all(0, parts.size(), 1);
  if (cell.count() < worth_a_thread) {
    sum_parts_of(all);
  } else {
    handover::parallel_for(all, sum_parts_of, tbb::simple_partitioner());
  }
  for (const std::size_t part : parts) {
    add_part(sums[part], tree.cells[part].centre_of_mass - cell.centre_of_mass, sums[number]);
  }
}

}  // namespace

Paged<CellMoments> cell_moments(const Octree& tree) {
  Paged<MomentSums> sums(tree.cells.size());
  sum_moments(tree, 0, sums);
  Paged<CellMoments> moments(sums.size());
  handover::parallel_for(Range(0, sums.size(), 1 << 8), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      moments[i] = scaled(sums[i], tree.cells[i].radius);
    }
  });
  return moments;
}

}  // namespace isolume::nbody
