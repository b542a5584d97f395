// Vectors are kept in arrays, which scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/volumes/warp_kernels.cpp"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/volumes/warp_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::volumes::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Floats = hn::ScalableTag<float>;
using Vector = hn::Vec<Floats>;

/// What the values at places of a row are interpolated from. Plain loops, which the compiler makes vectors of.
struct Cells {
  std::int32_t index[most_of_a_row];  ///< of the cell's first point
  float x[most_of_a_row], y[most_of_a_row], z[most_of_a_row];
  std::ptrdiff_t along_y, along_z;
};

/// The cell's index along an axis, and the fraction from its first to its second point.
HWY_INLINE void Split(const float* places, int count, int points, std::int32_t stride, std::int32_t* index,
                      float* fraction) {
  const float last = static_cast<float>(points - 1);
  const std::int32_t last_cell = points > 1 ? points - 2 : 0;
  for (int i = 0; i < count; ++i) {
    float place = places[i];
    place = place > 0.F ? place : 0.F;
    place = place < last ? place : last;
    auto cell = static_cast<std::int32_t>(place);
    cell = cell < last_cell ? cell : last_cell;
    fraction[i] = place - static_cast<float>(cell);
    index[i] += cell * stride;
  }
}

void FindCells(const Counts& counts, const Positions& at, Cells& cells) {
  std::fill_n(cells.index, at.count, 0);
  const std::int32_t row = counts[0], plane = counts[0] * counts[1];
  Split(at.axes[0], at.count, counts[0], 1, cells.index, cells.x);
  Split(at.axes[1], at.count, counts[1], row, cells.index, cells.y);
  Split(at.axes[2], at.count, counts[2], plane, cells.index, cells.z);
  cells.along_y = counts[1] > 1 ? row : 0;
  cells.along_z = counts[2] > 1 ? plane : 0;
}

/// Loads by ordinary instructions, two neighbours at once: gathers take several times as long on Zen 4.
void Interpolate(const float* volume, const Cells& cells, int count, float* values) {
  float pairs[4][2 * most_of_a_row];
  for (int i = 0; i < count; ++i) {
    const float* at = volume + cells.index[i];
    std::memcpy(&pairs[0][2 * i], at, 8);
    std::memcpy(&pairs[1][2 * i], at + cells.along_y, 8);
    std::memcpy(&pairs[2][2 * i], at + cells.along_z, 8);
    std::memcpy(&pairs[3][2 * i], at + cells.along_y + cells.along_z, 8);
  }
  for (int i = 0; i < count; ++i) {
    float rows[4];
    for (int k = 0; k < 4; ++k)
      rows[k] = pairs[k][2 * i] + cells.x[i] * (pairs[k][2 * i + 1] - pairs[k][2 * i]);
    const float low = rows[0] + cells.y[i] * (rows[1] - rows[0]);
    const float high = rows[2] + cells.y[i] * (rows[3] - rows[2]);
    values[i] = low + cells.z[i] * (high - low);
  }
}

void SampleRow(const float* volume, const Counts& counts, const Positions& at, float* values) {
  Cells cells;
  FindCells(counts, at, cells);
  Interpolate(volume, cells, at.count, values);
}

void SampleRows(const std::array<const float*, 3>& volumes, const Counts& counts, const Positions& at,
                const std::array<float*, 3>& values) {
  Cells cells;
  FindCells(counts, at, cells);
  for (std::size_t k = 0; k < 3; ++k) Interpolate(volumes[k], cells, at.count, values[k]);
}

HWY_INLINE std::size_t RowAt(const Counts& counts, int y, int z) {
  return static_cast<std::size_t>(counts[0]) *
         (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts[1]) + static_cast<std::size_t>(y));
}

/// Weights of the point before, at and after a place that lies by `step` from a point.
struct Weights {
  Vector before, at, after;
};
HWY_INLINE Weights WeightsOf(Vector step) {
  const Floats d;
  const Vector after = hn::Max(step, hn::Zero(d)), before = hn::Max(hn::Neg(step), hn::Zero(d));
  return {before, hn::Sub(hn::Sub(hn::Set(d, 1.F), after), before), after};
}
HWY_INLINE Vector Weighted(const Weights& w, Vector before, Vector at, Vector after) {
  return hn::MulAdd(w.after, after, hn::MulAdd(w.before, before, hn::Mul(w.at, at)));
}

/// The rows of points before, at and after (y, z); at the border, those of the border again.
struct Neighbours {
  std::ptrdiff_t rows[3][3];  ///< [z][y], from the field's first point
  Neighbours(const Counts& counts, int y, int z) {
    for (int k = 0; k < 3; ++k) {
      for (int j = 0; j < 3; ++j) {
        rows[k][j] = static_cast<std::ptrdiff_t>(
            RowAt(counts, std::clamp(y + j - 1, 0, counts[1] - 1), std::clamp(z + k - 1, 0, counts[2] - 1)));
      }
    }
  }
};

void ComposeStepRow(const VectorField& u, const VectorField& v, const std::array<float, 3>& scale, int y,
                    int z, VectorField& result) {
  const Floats d;
  const int count = u.counts[0], lanes = static_cast<int>(hn::Lanes(d));
  const Neighbours near(u.counts, y, z);
  const std::size_t row = RowAt(u.counts, y, z);
  const auto vector_at = [&](int x) HWY_ATTR {
    const std::size_t at = row + static_cast<std::size_t>(x);
    Vector steps[3];
    for (std::size_t axis = 0; axis < 3; ++axis)
      steps[axis] = hn::Mul(hn::Set(d, scale[axis]), hn::LoadU(d, v.data(axis) + at));
    const Weights along_x = WeightsOf(steps[0]), along_y = WeightsOf(steps[1]), along_z = WeightsOf(steps[2]);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      Vector planes[3];
      for (int k = 0; k < 3; ++k) {
        Vector rows[3];
        for (int j = 0; j < 3; ++j) {
          const float* from = u.data(axis) + near.rows[k][j] + x;
          rows[j] = Weighted(along_x, hn::LoadU(d, from - 1), hn::LoadU(d, from), hn::LoadU(d, from + 1));
        }
        planes[k] = Weighted(along_y, rows[0], rows[1], rows[2]);
      }
      const Vector moved = Weighted(along_z, planes[0], planes[1], planes[2]);
      hn::StoreU(hn::Add(steps[axis], moved), d, result.data(axis) + at);
    }
  };
  const auto point_at = [&](int x) {
    const std::size_t at = row + static_cast<std::size_t>(x);
    float weights[3][3];
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const float step = scale[axis] * v.data(axis)[at];
      weights[axis][0] = std::max(-step, 0.F);
      weights[axis][2] = std::max(step, 0.F);
      weights[axis][1] = 1.F - weights[axis][2] - weights[axis][0];
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      float moved = 0;
      for (int k = 0; k < 3; ++k) {
        for (int j = 0; j < 3; ++j) {
          const float* from = u.data(axis) + near.rows[k][j];
          float values = 0;
          for (int i = 0; i < 3; ++i) values += weights[0][i] * from[std::clamp(x + i - 1, 0, count - 1)];
          moved += weights[1][j] * weights[2][k] * values;
        }
      }
      result.data(axis)[at] = scale[axis] * v.data(axis)[at] + moved;
    }
  };
  if (count - 2 < lanes) {
    for (int x = 0; x < count; ++x) point_at(x);
    return;
  }
  point_at(0);
  for (int x = 1; x < count - 1; x += lanes) vector_at(std::min(x, count - 1 - lanes));
  point_at(count - 1);
}

/// Differences of a row from the row before to the row after it, over one or two spacings.
struct Difference {
  std::ptrdiff_t before, after;
  float factor;
  Difference(const Counts& counts, int axis, int index, double spacing) {
    const std::size_t strides[3] = {
        1, static_cast<std::size_t>(counts[0]),
        static_cast<std::size_t>(counts[0]) * static_cast<std::size_t>(counts[1])};
    const int first = std::max(index - 1, 0);
    const int last = std::min(index + 1, counts[static_cast<std::size_t>(axis)] - 1);
    before = static_cast<std::ptrdiff_t>(strides[axis]) * (first - index);
    after = static_cast<std::ptrdiff_t>(strides[axis]) * (last - index);
    factor = last > first && spacing > 0 ? static_cast<float>(1 / (spacing * (last - first))) : 0.F;
  }
  HWY_INLINE float operator()(const float* at) const { return factor * (at[after] - at[before]); }
};

double ForceRow(const float* warped, const float* fixed, const std::array<double, 3>& spacing, int y, int z,
                VectorField& force) {
  const Counts& counts = force.counts;
  const int count = counts[0];
  const std::size_t row = RowAt(counts, y, z);
  const float* HWY_RESTRICT from = warped + row;
  const float* HWY_RESTRICT to = fixed + row;
  float* HWY_RESTRICT fx = force.data(0) + row;
  float* HWY_RESTRICT fy = force.data(1) + row;
  float* HWY_RESTRICT fz = force.data(2) + row;
  const Difference along_y(counts, 1, y, spacing[1]), along_z(counts, 2, z, spacing[2]);
  const Difference inside(counts, 0, std::min(1, count - 1), spacing[0]);
  for (int x = 1; x < count - 1; ++x) {
    const float difference = to[x] - from[x];
    fx[x] = difference * (inside.factor * (from[x + 1] - from[x - 1]));
    fy[x] = difference * along_y(from + x);
    fz[x] = difference * along_z(from + x);
  }
  for (const int x : {0, count - 1}) {
    const float difference = to[x] - from[x];
    fx[x] = difference * Difference(counts, 0, x, spacing[0])(from + x);
    fy[x] = difference * along_y(from + x);
    fz[x] = difference * along_z(from + x);
  }
  // Sums of their own, so that they can be added as a vector.
  float sums[16] = {};
  int x = 0;
  for (; x + 16 <= count; x += 16) {
    for (int k = 0; k < 16; ++k) sums[k] += (to[x + k] - from[x + k]) * (to[x + k] - from[x + k]);
  }
  double sum = 0;
  for (; x < count; ++x) sum += static_cast<double>((to[x] - from[x]) * (to[x] - from[x]));
  for (const float each : sums) sum += static_cast<double>(each);
  return sum;
}

float JacobianRow(const VectorField& u, int y, int z, float* determinants) {
  const int count = u.counts[0];
  const std::size_t row = RowAt(u.counts, y, z);
  const Difference along_y(u.counts, 1, y, 1), along_z(u.counts, 2, z, 1);
  const float* HWY_RESTRICT a = u.data(0) + row;
  const float* HWY_RESTRICT b = u.data(1) + row;
  const float* HWY_RESTRICT c = u.data(2) + row;
  const auto determinant = [&](int x, const Difference& along_x) HWY_ATTR {
    const float axx = 1.F + along_x(a + x), axy = along_y(a + x), axz = along_z(a + x);
    const float ayx = along_x(b + x), ayy = 1.F + along_y(b + x), ayz = along_z(b + x);
    const float azx = along_x(c + x), azy = along_y(c + x), azz = 1.F + along_z(c + x);
    return axx * (ayy * azz - ayz * azy) - axy * (ayx * azz - ayz * azx) + axz * (ayx * azy - ayy * azx);
  };
  float least = std::numeric_limits<float>::max();
  const auto put = [&](int x, float value) HWY_ATTR {
    if (determinants != nullptr) determinants[x] = value;
    least = value < least ? value : least;
  };
  const Difference inside(u.counts, 0, std::min(1, count - 1), 1);
  for (int x = 1; x < count - 1; ++x) put(x, determinant(x, inside));
  for (const int x : {0, count - 1}) put(x, determinant(x, Difference(u.counts, 0, x, 1)));
  return least;
}

float LargestSquare(const std::array<const float*, 3>& v, const std::array<float, 3>& factor,
                    std::size_t count) {
  const Floats d;
  const std::size_t lanes = hn::Lanes(d);
  Vector largest = hn::Zero(d);
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    Vector sum = hn::Zero(d);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const Vector scaled = hn::Mul(hn::Set(d, factor[axis]), hn::LoadU(d, v[axis] + i));
      sum = hn::MulAdd(scaled, scaled, sum);
    }
    largest = hn::Max(largest, sum);
  }
  float result = hn::GetLane(hn::MaxOfLanes(d, largest));
  for (; i < count; ++i) {
    float sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) sum += factor[axis] * v[axis][i] * factor[axis] * v[axis][i];
    result = std::max(result, sum);
  }
  return result;
}

}  // namespace isolume::volumes::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::volumes {

HWY_EXPORT(SampleRow);
HWY_EXPORT(SampleRows);
HWY_EXPORT(ComposeStepRow);
HWY_EXPORT(ForceRow);
HWY_EXPORT(JacobianRow);
HWY_EXPORT(LargestSquare);

void sample_row(const float* volume, const Counts& counts, const Positions& at, float* values) {
  HWY_DYNAMIC_DISPATCH(SampleRow)(volume, counts, at, values);
}
void sample_rows(const std::array<const float*, 3>& volumes, const Counts& counts, const Positions& at,
                 const std::array<float*, 3>& values) {
  HWY_DYNAMIC_DISPATCH(SampleRows)(volumes, counts, at, values);
}
void compose_step_row(const VectorField& u, const VectorField& v, const std::array<float, 3>& scale, int y,
                      int z, VectorField& result) {
  HWY_DYNAMIC_DISPATCH(ComposeStepRow)(u, v, scale, y, z, result);
}
double force_row(const float* warped, const float* fixed, const std::array<double, 3>& spacing, int y, int z,
                 VectorField& force) {
  return HWY_DYNAMIC_DISPATCH(ForceRow)(warped, fixed, spacing, y, z, force);
}
float jacobian_row(const VectorField& u, int y, int z, float* determinants) {
  return HWY_DYNAMIC_DISPATCH(JacobianRow)(u, y, z, determinants);
}
float largest_square(const std::array<const float*, 3>& v, const std::array<float, 3>& factor,
                     std::size_t count) {
  return HWY_DYNAMIC_DISPATCH(LargestSquare)(v, factor, count);
}

}  // namespace isolume::volumes
#endif
