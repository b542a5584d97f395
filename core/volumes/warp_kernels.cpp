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

void SampleRowGradient(const float* volume, const Counts& counts, const Positions& at, float* values,
                       const std::array<float*, 3>& gradient) {
  Cells cells;
  FindCells(counts, at, cells);
  float pairs[4][2 * most_of_a_row];
  for (int i = 0; i < at.count; ++i) {
    const float* from = volume + cells.index[i];
    std::memcpy(&pairs[0][2 * i], from, 8);
    std::memcpy(&pairs[1][2 * i], from + cells.along_y, 8);
    std::memcpy(&pairs[2][2 * i], from + cells.along_z, 8);
    std::memcpy(&pairs[3][2 * i], from + cells.along_y + cells.along_z, 8);
  }
  const float last[3] = {static_cast<float>(counts[0] - 1), static_cast<float>(counts[1] - 1),
                         static_cast<float>(counts[2] - 1)};
  float* HWY_RESTRICT value = values;
  float* HWY_RESTRICT gx = gradient[0];
  float* HWY_RESTRICT gy = gradient[1];
  float* HWY_RESTRICT gz = gradient[2];
  for (int i = 0; i < at.count; ++i) {
    float rows[4], slopes[4];
    for (int k = 0; k < 4; ++k) {
      slopes[k] = pairs[k][2 * i + 1] - pairs[k][2 * i];
      rows[k] = pairs[k][2 * i] + cells.x[i] * slopes[k];
    }
    const float y = cells.y[i], z = cells.z[i];
    const float low = rows[0] + y * (rows[1] - rows[0]), high = rows[2] + y * (rows[3] - rows[2]);
    const float slope_low = slopes[0] + y * (slopes[1] - slopes[0]);
    const float slope_high = slopes[2] + y * (slopes[3] - slopes[2]);
    const float across = rows[1] - rows[0];
    const auto inside = [i, &at, &last](int axis) HWY_ATTR {
      const float place = at.axes[static_cast<std::size_t>(axis)][i];
      return place >= 0.F && place <= last[axis] ? 1.F : 0.F;
    };
    value[i] = low + z * (high - low);
    gx[i] = inside(0) * (slope_low + z * (slope_high - slope_low));
    gy[i] = inside(1) * (across + z * (rows[3] - rows[2] - across));
    gz[i] = inside(2) * (high - low);
  }
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
template <class D>
struct Weights {
  hn::Vec<D> before, at, after;
  HWY_INLINE explicit Weights(hn::Vec<D> step) {
    const D d;
    after = hn::Max(step, hn::Zero(d));
    before = hn::Max(hn::Neg(step), hn::Zero(d));
    at = hn::Sub(hn::Sub(hn::Set(d, 1.F), after), before);
  }
  HWY_INLINE hn::Vec<D> operator()(hn::Vec<D> first, hn::Vec<D> second, hn::Vec<D> third) const {
    return hn::MulAdd(after, third, hn::MulAdd(before, first, hn::Mul(at, second)));
  }
};

/// Copies of the rows of points before, at and after (y, z), each with its border continued by a point. Rows of planes and
/// fields of a power of two have the same place in a cache, which holds but eight of them.
class Neighbours {
 public:
  explicit Neighbours(int count) : count_(static_cast<std::size_t>(count)), length_(count_ + 2) {
    rows_.resize(27 * length_);
  }
  /// Row y of the planes before, at and after z, in the place of row y - 3.
  void take(const VectorField& u, int y, int z) {
    const int row = std::clamp(y, 0, u.counts[1] - 1);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (int k = 0; k < 3; ++k) {
        const float* from = u.data(axis) + RowAt(u.counts, row, std::clamp(z + k - 1, 0, u.counts[2] - 1));
        float* to = rows_.data() + Index(axis, k, y);
        std::copy_n(from, count_, to + 1);
        to[0] = from[0];
        to[count_ + 1] = from[count_ - 1];
      }
    }
  }
  /// The component at a vector of places.
  template <class D>
  HWY_INLINE hn::Vec<D> At(std::size_t axis, int y, std::size_t x, const Weights<D>& along_x,
                           const Weights<D>& along_y, const Weights<D>& along_z) const {
    const float* before = rows_.data() + Index(axis, 0, y - 1) + x;
    const float* at = rows_.data() + Index(axis, 0, y) + x;
    const float* after = rows_.data() + Index(axis, 0, y + 1) + x;
    const auto row = [&](const float* from) HWY_ATTR {
      const D d;
      return along_x(hn::LoadU(d, from), hn::LoadU(d, from + 1), hn::LoadU(d, from + 2));
    };
    const auto plane = [&](std::size_t k) HWY_ATTR {
      const std::size_t skipped = 3 * k * length_;
      return along_y(row(before + skipped), row(at + skipped), row(after + skipped));
    };
    return along_z(plane(0), plane(1), plane(2));
  }

 private:
  std::size_t Index(std::size_t axis, int k, int y) const {
    return (9 * axis + 3 * static_cast<std::size_t>(k) + static_cast<std::size_t>(y + 3) % 3) * length_;
  }
  std::size_t count_, length_;
  FieldValues rows_;
};

template <class D>
void ComposeRow(const Neighbours& near, const VectorField& v, const std::array<float, 3>& scale, int y, int z,
                VectorField& result) {
  const D d;
  const auto count = static_cast<std::size_t>(v.counts[0]), lanes = hn::Lanes(d);
  const std::size_t first = RowAt(v.counts, y, z);
  const float* const from[3] = {v.data(0) + first, v.data(1) + first, v.data(2) + first};
  float* const to[3] = {result.data(0) + first, result.data(1) + first, result.data(2) + first};
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t x = std::min(i, count - lanes);
    const auto step_x = hn::Mul(hn::Set(d, scale[0]), hn::LoadU(d, from[0] + x));
    const auto step_y = hn::Mul(hn::Set(d, scale[1]), hn::LoadU(d, from[1] + x));
    const auto step_z = hn::Mul(hn::Set(d, scale[2]), hn::LoadU(d, from[2] + x));
    const Weights<D> along_x(step_x), along_y(step_y), along_z(step_z);
    hn::StoreU(hn::Add(step_x, near.At(0, y, x, along_x, along_y, along_z)), d, to[0] + x);
    hn::StoreU(hn::Add(step_y, near.At(1, y, x, along_x, along_y, along_z)), d, to[1] + x);
    hn::StoreU(hn::Add(step_z, near.At(2, y, x, along_x, along_y, along_z)), d, to[2] + x);
  }
}

void ComposeStepRows(const VectorField& u, const VectorField& v, const std::array<float, 3>& scale, int first,
                     int last, int z, VectorField& result) {
  Neighbours near(u.counts[0]);
  near.take(u, first - 1, z);
  near.take(u, first, z);
  const auto row = u.counts[0] < static_cast<int>(hn::Lanes(Floats())) ? ComposeRow<hn::FixedTag<float, 1>>
                                                                       : ComposeRow<Floats>;
  for (int y = first; y < last; ++y) {
    near.take(u, y + 1, z);
    row(near, v, scale, y, z, result);
  }
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

/// Row (y, z) of the gradient of `values` times a weight at each point x of the row.
template <class Weight>
HWY_INLINE void GradientRow(const float* values, const Weight& weight, const std::array<double, 3>& spacing,
                            int y, int z, VectorField& result) {
  const Counts& counts = result.counts;
  const int count = counts[0];
  const std::size_t row = RowAt(counts, y, z);
  const float* HWY_RESTRICT from = values + row;
  float* HWY_RESTRICT fx = result.data(0) + row;
  float* HWY_RESTRICT fy = result.data(1) + row;
  float* HWY_RESTRICT fz = result.data(2) + row;
  const Difference along_y(counts, 1, y, spacing[1]), along_z(counts, 2, z, spacing[2]);
  const Difference inside(counts, 0, std::min(1, count - 1), spacing[0]);
  for (int x = 1; x < count - 1; ++x) {
    const float factor = weight(x);
    fx[x] = factor * (inside.factor * (from[x + 1] - from[x - 1]));
    fy[x] = factor * along_y(from + x);
    fz[x] = factor * along_z(from + x);
  }
  for (const int x : {0, count - 1}) {
    const float factor = weight(x);
    fx[x] = factor * Difference(counts, 0, x, spacing[0])(from + x);
    fy[x] = factor * along_y(from + x);
    fz[x] = factor * along_z(from + x);
  }
}

void WeightedGradientRow(const float* values, const float* weights, const std::array<double, 3>& spacing,
                         int y, int z, VectorField& result) {
  const float* HWY_RESTRICT of_row = weights + RowAt(result.counts, y, z);
  GradientRow(
      values, [of_row](int x) HWY_ATTR { return of_row[x]; }, spacing, y, z, result);
}

double ForceRow(const float* warped, const float* fixed, const std::array<double, 3>& spacing, int y, int z,
                VectorField& force) {
  const int count = force.counts[0];
  const std::size_t row = RowAt(force.counts, y, z);
  const float* HWY_RESTRICT from = warped + row;
  const float* HWY_RESTRICT to = fixed + row;
  GradientRow(
      warped, [from, to](int x) HWY_ATTR { return to[x] - from[x]; }, spacing, y, z, force);
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
HWY_EXPORT(SampleRowGradient);
HWY_EXPORT(SampleRows);
HWY_EXPORT(ComposeStepRows);
HWY_EXPORT(ForceRow);
HWY_EXPORT(WeightedGradientRow);
HWY_EXPORT(JacobianRow);
HWY_EXPORT(LargestSquare);

void sample_row(const float* volume, const Counts& counts, const Positions& at, float* values) {
  HWY_DYNAMIC_DISPATCH(SampleRow)(volume, counts, at, values);
}
void sample_row_gradient(const float* volume, const Counts& counts, const Positions& at, float* values,
                         const std::array<float*, 3>& gradient) {
  HWY_DYNAMIC_DISPATCH(SampleRowGradient)(volume, counts, at, values, gradient);
}
void sample_rows(const std::array<const float*, 3>& volumes, const Counts& counts, const Positions& at,
                 const std::array<float*, 3>& values) {
  HWY_DYNAMIC_DISPATCH(SampleRows)(volumes, counts, at, values);
}
void compose_step_rows(const VectorField& u, const VectorField& v, const std::array<float, 3>& scale,
                       int first, int last, int z, VectorField& result) {
  HWY_DYNAMIC_DISPATCH(ComposeStepRows)(u, v, scale, first, last, z, result);
}
double force_row(const float* warped, const float* fixed, const std::array<double, 3>& spacing, int y, int z,
                 VectorField& force) {
  return HWY_DYNAMIC_DISPATCH(ForceRow)(warped, fixed, spacing, y, z, force);
}
void weighted_gradient_row(const float* values, const float* weights, const std::array<double, 3>& spacing,
                           int y, int z, VectorField& result) {
  HWY_DYNAMIC_DISPATCH(WeightedGradientRow)(values, weights, spacing, y, z, result);
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
