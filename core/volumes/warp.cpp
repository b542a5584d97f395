#include "core/volumes/warp.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <numeric>

#include <Eigen/LU>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/volumes/warp_kernels.h"

namespace isolume::volumes {
namespace {

using Range = tbb::blocked_range<int>;

/// Index of the first point of a row.
std::size_t row_at(const Counts& counts, int y, int z) {
  return static_cast<std::size_t>(counts[0]) *
         (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) + static_cast<std::size_t>(y));
}

/// Rows as one range: planes alone would be too few for several threads where an image has one slice.
template <class Row>
void for_rows(const Counts& counts, const Row& row) {
  handover::parallel_for(Range(0, counts[1] * counts[2], 8), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i) row(i % counts[1], i / counts[1]);
  });
}

/// Indices x + u(x) of a part of a row.
struct Displaced {
  float places[3][most_of_a_row];

  Positions at(const VectorField* u, std::size_t index, int first, int y, int z, int count) {
    for (int i = 0; i < count; ++i) places[0][i] = static_cast<float>(first + i);
    std::fill_n(places[1], count, static_cast<float>(y));
    std::fill_n(places[2], count, static_cast<float>(z));
    if (u != nullptr) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const float* from = u->data(axis) + index;
        for (int i = 0; i < count; ++i) places[axis][i] += from[i];
      }
    }
    return {{places[0], places[1], places[2]}, count};
  }
};

/// Calls `part(index, positions)` for all points, a part of a row at a time.
template <class Part>
void for_displaced(const Counts& counts, const VectorField* u, const Part& part) {
  for_rows(counts, [&](int y, int z) {
    Displaced displaced;
    for (int x = 0; x < counts[0]; x += most_of_a_row) {
      const std::size_t index = row_at(counts, y, z) + static_cast<std::size_t>(x);
      part(index, displaced.at(u, index, x, y, z, std::min(most_of_a_row, counts[0] - x)));
    }
  });
}

/// The point of a cell that comes first, and the fractions to the second ones.
struct Cell {
  std::array<int, 3> first;
  std::array<double, 3> fraction;
  std::array<bool, 3> is_outside;

  Cell(const Counts& counts, const std::array<double, 3>& place) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double inside = std::clamp(place[axis], 0.0, counts[axis] - 1.0);
      first[axis] = std::min(static_cast<int>(inside), std::max(counts[axis] - 2, 0));
      fraction[axis] = inside - first[axis];
      is_outside[axis] = inside != place[axis] || counts[axis] == 1;
    }
  }
  /// Calls `corner(index, weights along x, y and z, sides)` for each point with a weight.
  template <class Corner>
  void for_corners(const Counts& counts, const Corner& corner) const {
    for (int side = 0; side < 8; ++side) {
      std::array<double, 3> weights{};
      std::array<int, 3> sides{side & 1, side >> 1 & 1, side >> 2};
      bool exists = true;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        weights[axis] = sides[axis] == 1 ? fraction[axis] : 1 - fraction[axis];
        exists = exists && first[axis] + sides[axis] < counts[axis];
      }
      if (!exists) continue;
      corner(row_at(counts, first[1] + sides[1], first[2] + sides[2]) +
                 static_cast<std::size_t>(first[0] + sides[0]),
             weights, sides);
    }
  }
};

/// The displacement at a place, and its gradient: column by axis.
struct Local {
  Eigen::Vector3d value = Eigen::Vector3d::Zero();
  Eigen::Matrix3d gradient = Eigen::Matrix3d::Zero();

  Local(const VectorField& u, const Eigen::Vector3d& place) {
    const Cell cell(u.counts, {place[0], place[1], place[2]});
    cell.for_corners(
        u.counts, [&](std::size_t at, const std::array<double, 3>& w, const std::array<int, 3>& side) {
          const Eigen::Vector3d vector(static_cast<double>(u.data(0)[at]), static_cast<double>(u.data(1)[at]),
                                       static_cast<double>(u.data(2)[at]));
          value += w[0] * w[1] * w[2] * vector;
          for (std::size_t axis = 0; axis < 3; ++axis) {
            if (cell.is_outside[axis]) continue;
            const double others = w[(axis + 1) % 3] * w[(axis + 2) % 3];
            gradient.col(static_cast<int>(axis)) += (side[axis] == 1 ? others : -others) * vector;
          }
        });
  }
};

/// Solves p + u(p) = target; returns p, and the distance that is left.
std::pair<Eigen::Vector3d, double> preimage(const VectorField& u, const Eigen::Vector3d& target,
                                            double tolerance, int most_iterations) {
  Eigen::Vector3d place = target - Local(u, target).value;
  Local local(u, place);
  Eigen::Vector3d residual = target - place - local.value;
  for (int i = 0; i < most_iterations && residual.norm() > tolerance; ++i) {
    const Eigen::Matrix3d slope = Eigen::Matrix3d::Identity() + local.gradient;
    // Where the cell beyond a face has another slope, Newton's step may lead away.
    const Eigen::Vector3d steps[2] = {
        std::abs(slope.determinant()) > 1e-4 ? Eigen::Vector3d(slope.inverse() * residual) : residual,
        residual};
    bool is_nearer = false;
    for (const Eigen::Vector3d& step : steps) {
      for (double factor = 1; factor > 0.01 && !is_nearer; factor /= 2) {
        const Eigen::Vector3d next = place + factor * step;
        const Local there(u, next);
        const Eigen::Vector3d left = target - next - there.value;
        if (left.norm() >= residual.norm()) continue;
        is_nearer = true;
        place = next;
        local = there;
        residual = left;
      }
    }
    if (!is_nearer) break;
  }
  return {place, residual.norm()};
}

}  // namespace

void warp(std::span<const float> volume, const VectorField& displacement, std::span<float> warped) {
  const Counts& counts = displacement.counts;
  for_displaced(counts, &displacement, [&](std::size_t index, const Positions& at) {
    sample_row(volume.data(), counts, at, warped.data() + index);
  });
}

void warp(std::span<const float> volume, const VectorField& displacement, std::span<float> warped,
          VectorField& gradient) {
  const Counts& counts = displacement.counts;
  for_displaced(counts, &displacement, [&](std::size_t index, const Positions& at) {
    sample_row_gradient(volume.data(), counts, at, warped.data() + index,
                        {gradient.data(0) + index, gradient.data(1) + index, gradient.data(2) + index});
  });
}

void splat(std::span<const float> values, const VectorField& displacement, std::span<float> sums) {
  const Counts& counts = displacement.counts;
  float largest = 0;
  for (const float each : values) largest = std::max(largest, std::abs(each));
  // All values on one point are below 2^62.
  const double unit = static_cast<double>(largest) * static_cast<double>(values.size()) / 0x1p62;
  std::vector<std::int64_t> integers(values.size());
  if (unit > 0) {
    for_rows(counts, [&](int y, int z) {
      for (int x = 0; x < counts[0]; ++x) {
        const std::size_t index = row_at(counts, y, z) + static_cast<std::size_t>(x);
        const auto place = [&](std::size_t axis, int at) {
          // As warp() rounds it.
          return static_cast<double>(static_cast<float>(at) + displacement.data(axis)[index]);
        };
        const double value = static_cast<double>(values[index]) / unit;
        Cell(counts, {place(0, x), place(1, y), place(2, z)})
            .for_corners(counts, [&](std::size_t at, const std::array<double, 3>& w, const auto&) {
              std::atomic_ref(integers[at])
                  .fetch_add(std::llround(value * w[0] * w[1] * w[2]), std::memory_order_relaxed);
            });
      }
    });
  }
  for (std::size_t i = 0; i < sums.size(); ++i)
    sums[i] = static_cast<float>(static_cast<double>(integers[i]) * unit);
}

std::size_t resample(std::span<const float> volume, const Counts& volume_counts, const IndexMap& map,
                     const VectorField* displacement, const Counts& counts, float outside,
                     std::span<float> result) {
  std::atomic<std::size_t> inside = 0;
  for_displaced(counts, displacement, [&](std::size_t index, const Positions& at) {
    float places[3][most_of_a_row];
    std::array<bool, most_of_a_row> is_outside{};
    for (int i = 0; i < at.count; ++i) {
      const Eigen::Vector3d place =
          map.matrix * Eigen::Vector3d(static_cast<double>(at.axes[0][i]), static_cast<double>(at.axes[1][i]),
                                       static_cast<double>(at.axes[2][i])) +
          map.offset;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const double along = place[static_cast<int>(axis)];
        places[axis][i] = static_cast<float>(along);
        if (!(along >= -0.5 && along <= volume_counts[axis] - 0.5))
          is_outside[static_cast<std::size_t>(i)] = true;
      }
    }
    sample_row(volume.data(), volume_counts, {{places[0], places[1], places[2]}, at.count},
               result.data() + index);
    std::size_t found = 0;
    for (std::size_t i = 0; i < static_cast<std::size_t>(at.count); ++i) {
      if (is_outside[i])
        result[index + i] = outside;
      else
        ++found;
    }
    inside += found;
  });
  return inside;
}

VectorField composed(const VectorField& u, const VectorField& v) {
  VectorField result(v.counts);
  for_displaced(v.counts, &v, [&](std::size_t index, const Positions& at) {
    sample_rows({u.data(0), u.data(1), u.data(2)}, u.counts, at,
                {result.data(0) + index, result.data(1) + index, result.data(2) + index});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = index; i < index + static_cast<std::size_t>(at.count); ++i)
        result.data(axis)[i] += v.data(axis)[i];
    }
  });
  return result;
}

void compose_step(const VectorField& u, const VectorField& v, const std::array<double, 3>& scale,
                  VectorField& result) {
  const std::array<float, 3> single{static_cast<float>(scale[0]), static_cast<float>(scale[1]),
                                    static_cast<float>(scale[2])};
  // Rows that follow each other share those that they read.
  constexpr int rows_at_once = 32;
  const int blocks = (u.counts[1] + rows_at_once - 1) / rows_at_once;
  handover::parallel_for(Range(0, blocks * u.counts[2]), [&](const Range& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      const int first = i % blocks * rows_at_once;
      compose_step_rows(u, v, single, first, std::min(first + rows_at_once, u.counts[1]), i / blocks, result);
    }
  });
}

Inverse inverted(const VectorField& u, double tolerance, int most_iterations,
                 const jobs::Progress& progress) {
  Inverse inverse{.field = VectorField(u.counts)};
  std::vector<double> largest(static_cast<std::size_t>(u.counts[1] * u.counts[2]));
  std::vector<std::size_t> unsolved(largest.size());
  std::atomic<int> slices = 0;
  for_rows(u.counts, [&](int y, int z) {
    progress.check();
    const auto row = static_cast<std::size_t>(z * u.counts[1] + y);
    for (int x = 0; x < u.counts[0]; ++x) {
      const Eigen::Vector3d target(x, y, z);
      const auto [place, residual] = preimage(u, target, tolerance, most_iterations);
      const std::size_t index = row_at(u.counts, y, z) + static_cast<std::size_t>(x);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        inverse.field.data(axis)[index] = static_cast<float>((place - target)[static_cast<int>(axis)]);
      }
      largest[row] = std::max(largest[row], residual);
      if (residual > tolerance) ++unsolved[row];
    }
    if (y == 0) progress.report(static_cast<double>(++slices) / u.counts[2], "inverse");
  });
  inverse.largest_residual = *std::ranges::max_element(largest);
  inverse.unsolved = std::accumulate(unsolved.begin(), unsolved.end(), std::size_t{0});
  return inverse;
}

FieldValues jacobian_determinants(const VectorField& u) {
  FieldValues determinants(point_count(u.counts));
  for_rows(u.counts,
           [&](int y, int z) { jacobian_row(u, y, z, determinants.data() + row_at(u.counts, y, z)); });
  return determinants;
}

JacobianRange jacobian_range(const VectorField& u) {
  std::vector<float> least(static_cast<std::size_t>(u.counts[1] * u.counts[2]));
  std::vector<std::size_t> folded(least.size());
  for_rows(u.counts, [&](int y, int z) {
    const auto row = static_cast<std::size_t>(z * u.counts[1] + y);
    least[row] = jacobian_row(u, y, z, nullptr);
    if (least[row] > 0) return;
    std::vector<float> determinants(static_cast<std::size_t>(u.counts[0]));
    jacobian_row(u, y, z, determinants.data());
    folded[row] =
        static_cast<std::size_t>(std::ranges::count_if(determinants, [](float each) { return !(each > 0); }));
  });
  return {.least = *std::ranges::min_element(least),
          .folded = std::accumulate(folded.begin(), folded.end(), std::size_t{0})};
}

std::size_t unfold(VectorField& u, int most_passes) {
  const std::size_t at_first = jacobian_range(u).folded;
  const Counts& counts = u.counts;
  for (int pass = 0; pass < most_passes; ++pass) {
    const FieldValues determinants = jacobian_determinants(u);
    // Points whose differences the folded ones' determinants hold, with their neighbours.
    std::vector<std::size_t> points;
    std::size_t i = 0;
    for (int z = 0; z < counts[2]; ++z) {
      for (int y = 0; y < counts[1]; ++y) {
        for (int x = 0; x < counts[0]; ++x, ++i) {
          if (determinants[i] > 0) continue;
          for (int dz = -1; dz <= 1; ++dz) {
            for (int dy = -1; dy <= 1; ++dy) {
              for (int dx = -1; dx <= 1; ++dx) {
                points.push_back(row_at(counts, std::clamp(y + dy, 0, counts[1] - 1),
                                        std::clamp(z + dz, 0, counts[2] - 1)) +
                                 static_cast<std::size_t>(std::clamp(x + dx, 0, counts[0] - 1)));
              }
            }
          }
        }
      }
    }
    if (points.empty()) break;
    std::ranges::sort(points);
    points.erase(std::unique(points.begin(), points.end()), points.end());
    const auto width = static_cast<std::size_t>(counts[0]), height = static_cast<std::size_t>(counts[1]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      std::vector<float> means;
      for (const std::size_t point : points) {
        const std::array<std::size_t, 3> index{point % width, point / width % height,
                                               point / (width * height)};
        const std::array<std::size_t, 3> strides{1, width, width * height};
        float sum = 0;
        int number = 0;
        for (std::size_t along = 0; along < 3; ++along) {
          if (index[along] > 0) sum += u.data(axis)[point - strides[along]], ++number;
          if (index[along] + 1 < static_cast<std::size_t>(counts[along]))
            sum += u.data(axis)[point + strides[along]], ++number;
        }
        means.push_back(sum / static_cast<float>(number));
      }
      for (std::size_t k = 0; k < points.size(); ++k) u.data(axis)[points[k]] = means[k];
    }
  }
  return at_first;
}

double largest_length(const VectorField& field, const std::array<double, 3>& factors) {
  const std::array<float, 3> single{static_cast<float>(factors[0]), static_cast<float>(factors[1]),
                                    static_cast<float>(factors[2])};
  using Points = tbb::blocked_range<std::size_t>;
  const float square = handover::parallel_reduce(
      Points(0, point_count(field.counts), 1 << 14), 0.F,
      [&](const Points& part, float so_far) {
        const std::size_t at = part.begin();
        return std::max(so_far, largest_square({field.data(0) + at, field.data(1) + at, field.data(2) + at},
                                               single, part.size()));
      },
      [](float a, float b) { return std::max(a, b); });
  return std::sqrt(static_cast<double>(square));
}

double mismatch_force(std::span<const float> warped, std::span<const float> fixed,
                      const std::array<double, 3>& spacing, VectorField& force) {
  std::vector<double> sums(static_cast<std::size_t>(force.counts[1] * force.counts[2]));
  for_rows(force.counts, [&](int y, int z) {
    sums[static_cast<std::size_t>(z * force.counts[1] + y)] =
        force_row(warped.data(), fixed.data(), spacing, y, z, force);
  });
  return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void weighted_gradient(std::span<const float> values, std::span<const float> weights,
                       const std::array<double, 3>& spacing, VectorField& result) {
  for_rows(result.counts, [&](int y, int z) {
    weighted_gradient_row(values.data(), weights.data(), spacing, y, z, result);
  });
}

}  // namespace isolume::volumes
