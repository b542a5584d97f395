// Arrays of vectors keep intermediate values in registers; scalable instruction sets do not support such
// arrays.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/gaussians/site_kernels.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first.
#include <cstdint>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/gaussians/boys_function.h"
#include "core/gaussians/site_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::gaussians::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<double, 8>;
using Vector = hn::Vec<Lanes>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Lanes()));
/// Number of vectors of points that share the loads of a Gaussian and hide each other's latency.
constexpr int together = 2;
static_assert(PointTile::capacity % (together * lanes) == 0);

/// The rows of the table for a vector of points, transposed: terms[k] has the coefficients of the k-th power.
/// Loading whole rows, a cache line each, and transposing them is faster than gathering.
HWY_INLINE void LoadTerms(const double* HWY_RESTRICT table, hn::Vec<hn::RebindToSigned<Lanes>> row,
                          Vector* HWY_RESTRICT terms) {
  const Lanes d;
  HWY_ALIGN std::int64_t rows[lanes];
  hn::Store(row, hn::RebindToSigned<Lanes>(), rows);
#pragma GCC unroll 8
  for (int first = 0; first < boys_terms; first += lanes) {
    Vector block[lanes];
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) block[i] = hn::Load(d, table + rows[i] * boys_terms + first);
#if HWY_TARGET != HWY_SCALAR
      // Separating even from odd lanes log2(lanes) times is a transposition.
#pragma GCC unroll 4
    for (int bit = 1; bit < lanes; bit *= 2) {
      Vector parted[lanes];
#pragma GCC unroll 8
      for (int i = 0; i < lanes / 2; ++i) {
        parted[i] = hn::ConcatEven(d, block[2 * i + 1], block[2 * i]);
        parted[i + lanes / 2] = hn::ConcatOdd(d, block[2 * i + 1], block[2 * i]);
      }
#pragma GCC unroll 8
      for (int i = 0; i < lanes; ++i) block[i] = parted[i];
    }
#endif
#pragma GCC unroll 8
    for (int i = 0; i < lanes; ++i) terms[first + i] = block[i];
  }
}

/// F_m(T) of the highest order from the table; see boys_function.h.
HWY_INLINE Vector TabulatedBoys(Vector t, const double* HWY_RESTRICT table) {
  const Lanes d;
  const hn::RebindToSigned<Lanes> di;
  const auto row = hn::ConvertTo(di, hn::MulAdd(t, hn::Set(d, boys_steps), hn::Set(d, 0.5)));
  const Vector from = hn::NegMulAdd(hn::ConvertTo(d, row), hn::Set(d, 1.0 / boys_steps), t);
  static_assert(boys_terms % lanes == 0);
  Vector terms[boys_terms];
  LoadTerms(table, row, terms);
  Vector sum = terms[boys_terms - 1];
#pragma GCC unroll 8
  for (int k = boys_terms - 2; k >= 0; --k) sum = hn::MulAdd(sum, from, terms[k]);
  return sum;
}

/// F_m(T) of the highest order by upward recursion, where T is large.
template <int order>
HWY_INLINE Vector FarBoys(Vector t, Vector fallen) {
  const Lanes d;
  constexpr double half_root_of_pi = 0.886226925452758014;
  Vector value = hn::Div(hn::Set(d, half_root_of_pi), hn::Sqrt(t));
  if constexpr (order > 0) {
    const Vector half_inverse = hn::Div(hn::Set(d, 0.5), t);
#pragma GCC unroll 16
    for (int m = 0; m < order; ++m)
      value = hn::Mul(half_inverse, hn::MulSub(hn::Set(d, 2 * m + 1.0), value, fallen));
  }
  return value;
}

/// F_0 ... F_order.
template <int order>
HWY_INLINE void Boys(Vector t, const double* table, Vector* HWY_RESTRICT values) {
  const Lanes d;
  const Vector far = hn::Set(d, boys_far);
  const auto is_far = hn::Ge(t, far);
  const Vector fallen = hn::Exp(d, hn::Neg(t));
  Vector highest;
  if (hn::AllFalse(d, is_far)) {
    highest = TabulatedBoys(t, table);
  } else {
    highest = FarBoys<order>(hn::Max(t, far), fallen);
    if (!hn::AllTrue(d, is_far))
      highest = hn::IfThenElse(is_far, highest, TabulatedBoys(hn::Min(t, far), table));
  }
  values[order] = highest;
  const Vector twice = hn::Add(t, t);
#pragma GCC unroll 16
  for (int m = order; m > 0; --m)
    values[m - 1] = hn::Mul(hn::MulAdd(twice, values[m], fallen), hn::Set(d, 1.0 / (2 * m - 1)));
}

template <int order>
HWY_INLINE void AddGaussian(PointTile& tile, const NearGaussian& gaussian, const double* HWY_RESTRICT all) {
  const Lanes d;
  const double* const table = boys_table(order);
  const Vector centre_x = hn::Set(d, gaussian.x), centre_y = hn::Set(d, gaussian.y),
               centre_z = hn::Set(d, gaussian.z), exponent = hn::Set(d, gaussian.exponent);
  for (int first = 0; first < tile.count; first += together * lanes) {
    Vector x[together], y[together], z[together], boys[together][order + 1];
    for (int v = 0; v < together; ++v) {
      const int at = first + v * lanes;
      x[v] = hn::Sub(centre_x, hn::Load(d, tile.x + at));
      y[v] = hn::Sub(centre_y, hn::Load(d, tile.y + at));
      z[v] = hn::Sub(centre_z, hn::Load(d, tile.z + at));
      const Vector squared = hn::MulAdd(x[v], x[v], hn::MulAdd(y[v], y[v], hn::Mul(z[v], z[v])));
      Boys<order>(hn::Mul(exponent, squared), table, boys[v]);
    }
    const double* c = all + gaussian.first;
    Vector sum[together];
    for (int v = 0; v < together; ++v) sum[v] = hn::Zero(d);
    for (int i = order; i >= 0; --i) {
      Vector sum_y[together];
      for (int v = 0; v < together; ++v) sum_y[v] = hn::Zero(d);
      for (int j = order - i; j >= 0; --j) {
        Vector sum_z[together];
        for (int v = 0; v < together; ++v) sum_z[v] = hn::Zero(d);
        for (int k = order - i - j; k >= 0; --k) {
          for (int v = 0; v < together; ++v) sum_z[v] = hn::Mul(sum_z[v], z[v]);
          const int degree = i + j + k;
          for (int m = degree; 2 * m <= order + degree; ++m) {
            const Vector one = hn::Set(d, *c++);
            for (int v = 0; v < together; ++v) sum_z[v] = hn::MulAdd(one, boys[v][m], sum_z[v]);
          }
        }
        for (int v = 0; v < together; ++v) sum_y[v] = hn::MulAdd(sum_y[v], y[v], sum_z[v]);
      }
      for (int v = 0; v < together; ++v) sum[v] = hn::MulAdd(sum[v], x[v], sum_y[v]);
    }
    for (int v = 0; v < together; ++v) {
      double* const to = tile.potential + first + v * lanes;
      hn::Store(hn::Add(hn::Load(d, to), sum[v]), d, to);
    }
  }
}

template <int order>
void OneNear(PointTile& tile, const NearGaussian& gaussian, const double* all) {
  AddGaussian<order>(tile, gaussian, all);
}

void AddNear(PointTile& tile, const NearGaussian* gaussians, std::size_t count, const double* coefficients) {
  using Function = void (*)(PointTile&, const NearGaussian&, const double*);
  static constexpr Function of_order[max_order + 1] = {OneNear<0>, OneNear<1>, OneNear<2>, OneNear<3>,
                                                       OneNear<4>, OneNear<5>, OneNear<6>, OneNear<7>,
                                                       OneNear<8>, OneNear<9>, OneNear<10>};
  for (std::size_t i = 0; i < count; ++i) of_order[gaussians[i].order](tile, gaussians[i], coefficients);
}

void AddFar(PointTile& tile, const FarMultipole& multipole) {
  const Lanes d;
  const Vector centre_x = hn::Set(d, multipole.x), centre_y = hn::Set(d, multipole.y),
               centre_z = hn::Set(d, multipole.z);
  const int order = multipole.order;
  constexpr int at_once = 4;
  static_assert(PointTile::capacity % (at_once * lanes) == 0);
  for (int first = 0; first < tile.count; first += at_once * lanes) {
    Vector x[at_once], y[at_once], z[at_once], inverse[at_once], sum[at_once];
    for (int v = 0; v < at_once; ++v) {
      const int at = first + v * lanes;
      x[v] = hn::Sub(centre_x, hn::Load(d, tile.x + at));
      y[v] = hn::Sub(centre_y, hn::Load(d, tile.y + at));
      z[v] = hn::Sub(centre_z, hn::Load(d, tile.z + at));
      const Vector squared = hn::MulAdd(x[v], x[v], hn::MulAdd(y[v], y[v], hn::Mul(z[v], z[v])));
      inverse[v] = hn::Div(hn::Set(d, 1.0), hn::Sqrt(squared));
      const Vector scale = hn::Mul(inverse[v], inverse[v]);
      x[v] = hn::Mul(x[v], scale);
      y[v] = hn::Mul(y[v], scale);
      z[v] = hn::Mul(z[v], scale);
      sum[v] = hn::Zero(d);
    }
    const double* c = multipole.coefficients;
    for (int i = order; i >= 0; --i) {
      Vector sum_y[at_once];
      for (int v = 0; v < at_once; ++v) sum_y[v] = hn::Zero(d);
      for (int j = order - i; j >= 0; --j) {
        Vector sum_z[at_once];
        for (int v = 0; v < at_once; ++v) sum_z[v] = hn::Zero(d);
        for (int k = order - i - j; k >= 0; --k) {
          const Vector one = hn::Set(d, *c++);
          for (int v = 0; v < at_once; ++v) sum_z[v] = hn::MulAdd(sum_z[v], z[v], one);
        }
        for (int v = 0; v < at_once; ++v) sum_y[v] = hn::MulAdd(sum_y[v], y[v], sum_z[v]);
      }
      for (int v = 0; v < at_once; ++v) sum[v] = hn::MulAdd(sum[v], x[v], sum_y[v]);
    }
    for (int v = 0; v < at_once; ++v) {
      double* const to = tile.potential + first + v * lanes;
      hn::Store(hn::MulAdd(inverse[v], sum[v], hn::Load(d, to)), d, to);
    }
  }
}

void AddNuclei(PointTile& tile, const Nucleus* nuclei, std::size_t count, double nearest) {
  const Lanes d;
  const Vector least = hn::Set(d, nearest * nearest);
  for (int first = 0; first < tile.count; first += lanes) {
    const Vector x = hn::Load(d, tile.x + first), y = hn::Load(d, tile.y + first),
                 z = hn::Load(d, tile.z + first);
    Vector sum = hn::Load(d, tile.potential + first);
    for (std::size_t i = 0; i < count; ++i) {
      const Vector dx = hn::Sub(x, hn::Set(d, nuclei[i].x)), dy = hn::Sub(y, hn::Set(d, nuclei[i].y)),
                   dz = hn::Sub(z, hn::Set(d, nuclei[i].z));
      const Vector squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
      const Vector part = hn::Div(hn::Set(d, nuclei[i].charge), hn::Sqrt(squared));
      sum = hn::Add(sum, hn::IfThenElseZero(hn::Ge(squared, least), part));
    }
    hn::Store(sum, d, tile.potential + first);
  }
}

}  // namespace isolume::gaussians::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::gaussians {

HWY_EXPORT(AddNear);
HWY_EXPORT(AddFar);
HWY_EXPORT(AddNuclei);

void add_near(PointTile& tile, const NearGaussian* gaussians, std::size_t count, const double* coefficients) {
  HWY_DYNAMIC_DISPATCH(AddNear)(tile, gaussians, count, coefficients);
}
void add_far(PointTile& tile, const FarMultipole& multipole) {
  HWY_DYNAMIC_DISPATCH(AddFar)(tile, multipole);
}
void add_nuclei(PointTile& tile, const Nucleus* nuclei, std::size_t count, double nearest) {
  HWY_DYNAMIC_DISPATCH(AddNuclei)(tile, nuclei, count, nearest);
}

}  // namespace isolume::gaussians
#endif
