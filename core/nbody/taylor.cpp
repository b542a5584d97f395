#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/taylor.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/nbody/inverse_root-inl.h"
#include "core/nbody/taylor.h"
#include "core/nbody/taylor_index.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Lanes>;

/// Derivatives of 1 / sqrt(R^2 + softening^2), each times the softened distance to the power of its order plus
/// one: polynomials of n = R / softened distance.
struct Derivatives {
  Vector of[Taylor::count];

  HWY_INLINE Derivatives(Vector x, Vector y, Vector z) {
    const Lanes d;
    const auto number = [&](float value) HWY_ATTR { return hn::Set(d, value); };
    const Vector xx = hn::Mul(x, x), xy = hn::Mul(x, y), xz = hn::Mul(x, z);
    const Vector yy = hn::Mul(y, y), yz = hn::Mul(y, z), zz = hn::Mul(z, z);
    of[0] = number(1);
    of[1] = hn::Neg(x);
    of[2] = hn::Neg(y);
    of[3] = hn::Neg(z);
    const Vector three = number(3), one = number(1);
    of[4] = hn::MulSub(three, xx, one);
    of[5] = hn::Mul(three, xy);
    of[6] = hn::Mul(three, xz);
    of[7] = hn::MulSub(three, yy, one);
    of[8] = hn::Mul(three, yz);
    of[9] = hn::MulSub(three, zz, one);
    const Vector m15 = number(-15), nine = number(9);
    const Vector x3 = hn::MulAdd(m15, xx, three), y3 = hn::MulAdd(m15, yy, three),
                 z3 = hn::MulAdd(m15, zz, three);
    of[10] = hn::Mul(x, hn::MulAdd(m15, xx, nine));
    of[11] = hn::Mul(y, x3);
    of[12] = hn::Mul(z, x3);
    of[13] = hn::Mul(x, y3);
    of[14] = hn::Mul(m15, hn::Mul(xy, z));
    of[15] = hn::Mul(x, z3);
    of[16] = hn::Mul(y, hn::MulAdd(m15, yy, nine));
    of[17] = hn::Mul(z, y3);
    of[18] = hn::Mul(y, z3);
    of[19] = hn::Mul(z, hn::MulAdd(m15, zz, nine));
    const Vector c = number(105), m45 = number(-45), m90 = number(-90);
    const Vector x45 = hn::MulAdd(c, xx, m45), y45 = hn::MulAdd(c, yy, m45), z45 = hn::MulAdd(c, zz, m45);
    const Vector x15 = hn::MulAdd(c, xx, m15), y15 = hn::MulAdd(c, yy, m15), z15 = hn::MulAdd(c, zz, m15);
    of[20] = hn::MulAdd(xx, hn::MulAdd(c, xx, m90), nine);
    of[21] = hn::Mul(xy, x45);
    of[22] = hn::Mul(xz, x45);
    of[23] = hn::MulAdd(x15, yy, x3);
    of[24] = hn::Mul(yz, x15);
    of[25] = hn::MulAdd(x15, zz, x3);
    of[26] = hn::Mul(xy, y45);
    of[27] = hn::Mul(xz, y15);
    of[28] = hn::Mul(xy, z15);
    of[29] = hn::Mul(xz, z45);
    of[30] = hn::MulAdd(yy, hn::MulAdd(c, yy, m90), nine);
    of[31] = hn::Mul(yz, y45);
    of[32] = hn::MulAdd(y15, zz, y3);
    of[33] = hn::Mul(yz, z45);
    of[34] = hn::MulAdd(zz, hn::MulAdd(c, zz, m90), nine);
  }
};

/// sum_b moments[b] D(a + b) over the multi-indices of second order, and of third where `Last` is 20.
template <std::size_t Last>
HWY_INLINE Vector Contracted(Vector sum, const Vector* moments, const Derivatives& derivatives,
                             std::size_t a) {
#pragma GCC unroll 16
  for (std::size_t b = 4; b < Last; ++b) {
    sum = hn::MulAdd(moments[b - 4], derivatives.of[taylor_sum[a][b]], sum);
  }
  return sum;
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
    const Vector inverse = InverseRoot(d, squared);
    const Vector back = hn::Neg(inverse);  // the place lies opposite, seen from the cell
    const Derivatives derivatives(hn::Mul(x, back), hn::Mul(y, back), hn::Mul(z, back));
    const Vector size = hn::Mul(inverse, hn::Load(d, cells.radius + i));
    const Vector size2 = hn::Mul(size, size), size3 = hn::Mul(size2, size);
    Vector moments[CellMoments::count];
#pragma GCC unroll 16
    for (std::size_t b = 0; b < CellMoments::count; ++b) {
      moments[b] = hn::Mul(b < 6 ? size2 : size3, hn::Load(d, cells.moments[b] + i));
    }
    const Vector mass = hn::Load(d, cells.mass + i), step = hn::Mul(length, inverse);
    Vector unit = inverse;
    sums[0] = hn::MulAdd(unit, Contracted<20>(mass, moments, derivatives, 0), sums[0]);
    unit = hn::Mul(unit, step);
#pragma GCC unroll 3
    for (std::size_t a = 1; a < 4; ++a) {
      const Vector own = hn::Mul(mass, derivatives.of[a]);
      sums[a] = hn::MulAdd(unit, Contracted<20>(own, moments, derivatives, a), sums[a]);
    }
    unit = hn::Mul(unit, step);
#pragma GCC unroll 6
    for (std::size_t a = 4; a < 10; ++a) {
      const Vector own = hn::Mul(mass, derivatives.of[a]);
      sums[a] = hn::MulAdd(unit, Contracted<10>(own, moments, derivatives, a), sums[a]);
    }
    const Vector third = hn::Mul(mass, hn::Mul(unit, step)), fourth = hn::Mul(third, step);
#pragma GCC unroll 10
    for (std::size_t a = 10; a < 20; ++a) sums[a] = hn::MulAdd(third, derivatives.of[a], sums[a]);
#pragma GCC unroll 15
    for (std::size_t a = 20; a < 35; ++a) sums[a] = hn::MulAdd(fourth, derivatives.of[a], sums[a]);
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
#pragma GCC unroll 34
    for (std::size_t a = 1; a < Taylor::count; ++a) {
      const TaylorStep step = taylor_steps[a];
      powers[a] = hn::Mul(hn::Mul(powers[step.before], at[step.axis]), hn::Set(d, 1.0f / step.exponent));
    }
    Vector potential = hn::Zero(d), pull[3] = {potential, potential, potential};
#pragma GCC unroll 35
    for (std::size_t a = 0; a < Taylor::count; ++a) {
      potential = hn::NegMulAdd(powers[a], hn::Set(d, values[a]), potential);
    }
#pragma GCC unroll 20
    for (std::size_t a = 0; a < 20; ++a) {
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
  // A vector reads up to 15 beyond the last: they must weigh nothing.
  const int end = std::min(cells.count + 15, CellSources::capacity);
  for (float* column : {cells.mass, cells.radius}) std::fill(column + cells.count, column + end, 0.0f);
  HWY_DYNAMIC_DISPATCH(AddDistantCells)(to, cells, softening_squared);
  cells.count = 0;
}

void add_taylor(Targets& targets, const Taylor& from) {
  HWY_DYNAMIC_DISPATCH(AddTaylor)(targets, from);
}

Taylor moved(const Taylor& from, const Eigen::Vector3d& to, double length) {
  // values'[a] = sum_b values[a + b] to^b / b!, lengths divided by the first length; then by the new one.
  std::array<double, Taylor::count> powers = {1};
  for (std::size_t a = 1; a < Taylor::count; ++a) {
    const TaylorStep step = taylor_steps[a];
    const double by = to[static_cast<Eigen::Index>(step.axis)] / from.length;
    powers[a] = powers[step.before] * by / static_cast<double>(step.exponent);
  }
  Taylor result;
  result.length = length;
  const double ratio = length / from.length;
  for (std::size_t a = 0; a < Taylor::count; ++a) {
    for (std::size_t b = 0; b < Taylor::count && taylor_order(a) + taylor_order(b) <= 4; ++b) {
      result.values[a] += from.values[taylor_sum[a][b]] * powers[b];
    }
    for (int order = taylor_order(a); order > 0; --order) result.values[a] *= ratio;
  }
  return result;
}

}  // namespace isolume::nbody
#endif
