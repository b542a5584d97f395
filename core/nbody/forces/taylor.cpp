#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/forces/taylor.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/nbody/forces/taylor.h"
#include "core/nbody/forces/taylor_index.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Lanes>;

/// Derivatives of 1 / sqrt(R^2 + softening^2), each multiplied by the softened distance to the power of its order
/// plus one: polynomials of n = R / softened distance. With f_m = (d / (R dR))^m of it, d^(a + i) f_m = R_i d^a f_(m
/// + 1) + a_i d^(a - i) f_(m + 1) (McMurchie, Davidson, J. Comput. Phys. 26, 218 (1978)).
struct Derivatives {
  Vector of[Taylor::count];

  HWY_INLINE Derivatives(Vector x, Vector y, Vector z) {
    const Vector n[3] = {x, y, z};
    of[0] = Start<taylor_top>();
    Lower<taylor_top - 1>(n);
  }

 private:
  /// f_m at the distance 1: (-1)^m (2 m - 1)!!
  template <int M>
  static HWY_INLINE Vector Start() {
    float value = 1;
    for (int m = 1; m <= M; ++m) value *= static_cast<float>(1 - 2 * m);
    return hn::Set(Lanes(), value);
  }
  /// Computes those of f_M from those of f_(M + 1), in place.
  template <int M>
  HWY_INLINE void Lower(const Vector (&n)[3]) {
    constexpr std::size_t end = taylor_count_to(taylor_top - M);
    const Lanes d;
#pragma GCC unroll 84
    for (std::size_t a = end - 1; a > 0; --a) {
      const TaylorStep step = taylor_steps[a];
      of[a] = hn::Mul(n[step.axis], of[step.before]);
      if (step.exponent > 1) {
        const Vector twice = of[taylor_steps[step.before].before];
        of[a] = hn::MulAdd(hn::Set(d, step.exponent - 1), twice, of[a]);
      }
    }
    of[0] = Start<M>();
    if constexpr (M > 0) Lower<M - 1>(n);
  }
};

/// Adds mass D(a) + sum_b moments[b] D(a + b) to the sums of the multi-indices a of an order, then recurses to the
/// next one.
template <int Order>
HWY_INLINE void AddOrder(Vector (&sums)[Taylor::count], Vector mass, const Vector* moments,
                         const Derivatives& derivatives, Vector unit, Vector step) {
  constexpr std::size_t first = Order > 0 ? taylor_count_to(Order - 1) : 0, end = taylor_count_to(Order);
  constexpr std::size_t last = taylor_count_to(std::min(taylor_top - Order, CellMoments::top));
#pragma GCC unroll 28
  for (std::size_t a = first; a < end; ++a) {
    Vector sum = hn::Mul(mass, derivatives.of[a]);
#pragma GCC unroll 64
    for (std::size_t b = CellMoments::first; b < last; ++b) {
      sum = hn::MulAdd(moments[b - CellMoments::first], derivatives.of[taylor_sum[a][b]], sum);
    }
    sums[a] = hn::MulAdd(unit, sum, sums[a]);
  }
  if constexpr (Order < taylor_top) {
    AddOrder<Order + 1>(sums, mass, moments, derivatives, hn::Mul(unit, step), step);
  }
}

void AddDistantCells(Taylor& to, const CellSources& cells, float softening_squared) {
  const Lanes d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Vector sums[Taylor::count];
  for (Vector& sum : sums) sum = hn::Zero(d);
  const Vector length = hn::Set(d, static_cast<float>(to.length));
  for (int i = 0; i < cells.count; i += lanes) {
    const Vector x = hn::Load(d, cells.x + i), y = hn::Load(d, cells.y + i), z = hn::Load(d, cells.z + i);
    const Vector squared =
        hn::MulAdd(x, x, hn::MulAdd(y, y, hn::MulAdd(z, z, hn::Set(d, softening_squared))));
    const Vector inverse = isolume::HWY_NAMESPACE::InverseRoot(d, squared);
    const Vector back = hn::Neg(inverse);  // the expansion centre as seen from the cell
    const Derivatives derivatives(hn::Mul(x, back), hn::Mul(y, back), hn::Mul(z, back));
    const Vector size = hn::Mul(inverse, hn::Load(d, cells.radius + i));
    Vector moments[CellMoments::count], power = size;
    for (int order = 2; order <= CellMoments::top; ++order) {
      power = hn::Mul(power, size);
      for (std::size_t b = taylor_count_to(order - 1); b < taylor_count_to(order); ++b) {
        moments[b - CellMoments::first] =
            hn::Mul(power, hn::Load(d, cells.moments[b - CellMoments::first] + i));
      }
    }
    const Vector mass = hn::Load(d, cells.mass + i), step = hn::Mul(length, inverse);
    AddOrder<0>(sums, mass, moments, derivatives, inverse, step);
  }
  for (std::size_t a = 0; a < Taylor::count; ++a) {
    to.values[a] += static_cast<double>(hn::GetLane(hn::SumOfLanes(d, sums[a])));
  }
}

void AddTaylor(Targets& targets, const Taylor& from) {
  const Lanes d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vector per_length = hn::Set(d, static_cast<float>(1 / from.length));
  float values[Taylor::count];
  for (std::size_t a = 0; a < Taylor::count; ++a) values[a] = static_cast<float>(from.values[a]);
  for (int first = 0; first < targets.count; first += lanes) {
    const Vector at[3] = {hn::Mul(hn::Load(d, targets.x + first), per_length),
                          hn::Mul(hn::Load(d, targets.y + first), per_length),
                          hn::Mul(hn::Load(d, targets.z + first), per_length)};
    Vector powers[Taylor::count];  // x^a / a!
    powers[0] = hn::Set(d, 1.0f);
#pragma GCC unroll 84
    for (std::size_t a = 1; a < Taylor::count; ++a) {
      const TaylorStep step = taylor_steps[a];
      powers[a] = hn::Mul(hn::Mul(powers[step.before], at[step.axis]), hn::Set(d, 1.0f / step.exponent));
    }
    Vector potential = hn::Zero(d), pull[3] = {potential, potential, potential};
#pragma GCC unroll 84
    for (std::size_t a = 0; a < Taylor::count; ++a) {
      potential = hn::NegMulAdd(powers[a], hn::Set(d, values[a]), potential);
    }
#pragma GCC unroll 56
    for (std::size_t a = 0; a < taylor_count_to(taylor_top - 1); ++a) {
#pragma GCC unroll 3
      for (std::size_t axis = 0; axis < 3; ++axis) {
        pull[axis] = hn::MulAdd(powers[a], hn::Set(d, values[taylor_sum[a][axis + 1]]), pull[axis]);
      }
    }
    HWY_ALIGN float lane[4][16];
    for (std::size_t axis = 0; axis < 3; ++axis) hn::Store(pull[axis], d, lane[axis]);
    hn::Store(potential, d, lane[3]);
    for (int i = 0; i < lanes; ++i) {
      targets.ax[first + i] += static_cast<double>(lane[0][i]) / from.length;
      targets.ay[first + i] += static_cast<double>(lane[1][i]) / from.length;
      targets.az[first + i] += static_cast<double>(lane[2][i]) / from.length;
      targets.potential[first + i] += static_cast<double>(lane[3][i]);
    }
  }
}

}  // namespace isolume::nbody::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::nbody {

HWY_EXPORT(AddDistantCells);
HWY_EXPORT(AddTaylor);

void add_distant_cells(Taylor& to, CellSources& cells, float softening_squared) {
  // A vector reads up to 15 entries beyond the last: they must have no mass, and not be at the centre, where powers
  // of the inverse distance may be infinite, and 0 times infinity is NaN.
  const int end = std::min(cells.count + 15, CellSources::capacity);
  for (float* column : {cells.mass, cells.radius}) std::fill(column + cells.count, column + end, 0.0f);
  std::fill(cells.x + cells.count, cells.x + end, 1.0f);
  HWY_DYNAMIC_DISPATCH(AddDistantCells)(to, cells, softening_squared);
  cells.count = 0;
}

void add_taylor(Targets& targets, const Taylor& from) {
  HWY_DYNAMIC_DISPATCH(AddTaylor)(targets, from);
}

Taylor moved(const Taylor& from, const Eigen::Vector3d& to, double length) {
  // values'[a] = sum_b values[a + b] to^b / b!, with lengths divided by the first length, then by the new one.
  std::array<double, Taylor::count> powers = {1};
#pragma GCC unroll 84  // makes the exponents constants
  for (std::size_t a = 1; a < Taylor::count; ++a) {
    const TaylorStep step = taylor_steps[a];
    const double by = to[static_cast<Eigen::Index>(step.axis)] / from.length;
    powers[a] = powers[step.before] * by / static_cast<double>(step.exponent);
  }
  Taylor result;
  result.length = length;
  const double ratio = length / from.length;
  for (std::size_t a = 0; a < Taylor::count; ++a) {
    for (std::size_t b = 0; b < taylor_count_to(taylor_top - taylor_order(a)); ++b) {
      result.values[a] += from.values[taylor_sum[a][b]] * powers[b];
    }
    for (int order = taylor_order(a); order > 0; --order) result.values[a] *= ratio;
  }
  return result;
}

}  // namespace isolume::nbody
#endif
