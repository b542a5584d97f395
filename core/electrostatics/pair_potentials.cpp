#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/pair_potentials.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/electrostatics/pair_potentials.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Singles = hn::CappedTag<float, 16>;
using Doubles = hn::CappedTag<double, 8>;

HWY_INLINE hn::Vec<Singles> InverseRoot(Singles d, hn::Vec<Singles> squared) {
  return isolume::HWY_NAMESPACE::InverseRootOfNormal(d, squared);
}
HWY_INLINE hn::Vec<Doubles> InverseRoot(Doubles d, hn::Vec<Doubles> squared) {
  return hn::Div(hn::Set(d, 1.0), hn::Sqrt(squared));
}

/// What the law makes of charge / r; 0 for a charge at the point itself.
template <PairLaw law, class Lanes, class Vector = hn::Vec<Lanes>, class Real = hn::TFromD<Lanes>>
struct Law {
  static constexpr bool ends = law == PairLaw::cutoff || law == PairLaw::split;

  Vector least, inverse_cutoff_squared, minus_kappa;
  Real smooth[RadialPolynomial::capacity];
  int highest = 0;  ///< power

  explicit HWY_INLINE Law(const PairTerms& terms) {
    const Lanes d;
    if constexpr (law == PairLaw::split) {
      const auto& from = sizeof(Real) == sizeof(float) ? terms.smooth_single : terms.smooth;
      highest = from.terms - 1;
      for (int i = 0; i <= highest; ++i) smooth[i] = static_cast<Real>(from.coefficients[i]);
    }
    least = hn::Set(d, static_cast<Real>(nearest * nearest));
    inverse_cutoff_squared = hn::Set(d, static_cast<Real>(ends ? 1 / (terms.cutoff * terms.cutoff) : 0));
    minus_kappa = hn::Set(d, static_cast<Real>(-terms.kappa));
  }
  HWY_INLINE Vector operator()(Vector squared, Vector charge) const {
    const Lanes d;
    const Vector inverse = InverseRoot(d, squared);
    Vector part = hn::Mul(charge, inverse);
    if constexpr (law == PairLaw::cutoff) {
      const Vector left =
          hn::Max(hn::NegMulAdd(squared, inverse_cutoff_squared, hn::Set(d, Real{1})), hn::Zero(d));
      part = hn::Mul(part, hn::Mul(left, left));
    }
    if constexpr (law == PairLaw::screened) {
      part = hn::Mul(part, hn::Exp(d, hn::Mul(minus_kappa, hn::Mul(squared, inverse))));
    }
    if constexpr (law == PairLaw::split) {
      const Vector u = hn::MulAdd(hn::Add(squared, squared), inverse_cutoff_squared, hn::Set(d, Real{-1}));
      Vector rest = hn::Set(d, smooth[highest]);
      for (int i = highest; i-- > 0;) rest = hn::MulAdd(rest, u, hn::Set(d, smooth[i]));
      // Of a charge at the point itself, nothing but the rest.
      const Vector whole = hn::IfThenElseZero(hn::Ge(squared, least), inverse);
      return hn::IfThenElseZero(hn::Lt(u, hn::Set(d, Real{1})), hn::Mul(charge, hn::Sub(whole, rest)));
    }
    return hn::IfThenElseZero(hn::Ge(squared, least), part);
  }
};

/// Charges as a row sees them: along x, the square of the distance across, the charge.
struct Seen {
  alignas(64) float x[TileCharges::capacity + 16];
  alignas(64) float across[TileCharges::capacity + 16];
  alignas(64) float charge[TileCharges::capacity + 16];
};

/// With a cut-off, those that are near enough to the row. Returns how many.
template <PairLaw law>
HWY_INLINE int See(const TileRow& row, const TileCharges& charges, float cutoff, Seen& seen) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto row_y = hn::Set(d, row.y), row_z = hn::Set(d, row.z);
  const auto low = hn::Set(d, row.x[0]), high = hn::Set(d, row.x[row.count - 1]);
  const auto reach = hn::Set(d, cutoff * cutoff);
  std::size_t count = 0;
  for (int i = 0; i < charges.count; i += lanes) {
    const auto y = hn::Sub(hn::Load(d, charges.y + i), row_y), z = hn::Sub(hn::Load(d, charges.z + i), row_z);
    const auto x = hn::Load(d, charges.x + i), charge = hn::Load(d, charges.charge + i);
    const auto across = hn::MulAdd(y, y, hn::Mul(z, z));
    if constexpr (Law<law, Singles>::ends) {
      const auto beyond = hn::Max(hn::Max(hn::Sub(low, x), hn::Sub(x, high)), hn::Zero(d));
      const auto near = hn::And(hn::Lt(hn::MulAdd(beyond, beyond, across), reach),
                                hn::FirstN(d, static_cast<std::size_t>(charges.count - i)));
      // Not CompressStore, which is microcode on Zen 4.
      hn::StoreU(hn::Compress(x, near), d, seen.x + count);
      hn::StoreU(hn::Compress(across, near), d, seen.across + count);
      hn::StoreU(hn::Compress(charge, near), d, seen.charge + count);
      count += hn::CountTrue(d, near);
    } else {
      hn::Store(x, d, seen.x + i);
      hn::Store(across, d, seen.across + i);
      hn::Store(charge, d, seen.charge + i);
    }
  }
  return Law<law, Singles>::ends ? static_cast<int>(count) : charges.count;
}

template <PairLaw law>
HWY_INLINE void AddToRow(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  Seen seen;
  const int count = See<law>(row, charges, static_cast<float>(terms.cutoff), seen);
  const Law<law, Singles> part(terms);
  // Two vectors of points share what is loaded of a charge, and hide each other's latencies.
  for (int first = 0; first < row.count; first += 2 * lanes) {
    const auto x1 = hn::Load(d, row.x + first),
               x2 = hn::Load(d, row.x + std::min(first + lanes, TileRow::capacity - lanes));
    auto sum1 = hn::Zero(d), sum2 = hn::Zero(d);
    for (int i = 0; i < count; ++i) {
      const auto x = hn::Set(d, seen.x[i]), across = hn::Set(d, seen.across[i]),
                 charge = hn::Set(d, seen.charge[i]);
      const auto dx1 = hn::Sub(x, x1), dx2 = hn::Sub(x, x2);
      sum1 = hn::Add(sum1, part(hn::MulAdd(dx1, dx1, across), charge));
      sum2 = hn::Add(sum2, part(hn::MulAdd(dx2, dx2, across), charge));
    }
    HWY_ALIGN float sums[2][16];
    hn::Store(sum1, d, sums[0]);
    hn::Store(sum2, d, sums[1]);
    for (int i = first; i < std::min(first + 2 * lanes, row.count); ++i)
      row.potential[i] += static_cast<double>(sums[i - first >= lanes][(i - first) % lanes]);
  }
}

void RowCoulomb(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::coulomb>(row, charges, terms);
}
void RowCutoff(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::cutoff>(row, charges, terms);
}
void RowScreened(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::screened>(row, charges, terms);
}
void RowSplit(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::split>(row, charges, terms);
}

template <PairLaw law>
HWY_INLINE double AtPoint(double x, double y, double z, const double* charge_x, const double* charge_y,
                          const double* charge_z, const double* charge, std::size_t count,
                          const PairTerms& terms) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  const auto at_x = hn::Set(d, x), at_y = hn::Set(d, y), at_z = hn::Set(d, z);
  const Law<law, Doubles> part(terms);
  auto sum = hn::Zero(d);
  const auto add = [&](auto cx, auto cy, auto cz, auto q) HWY_ATTR {
    const auto dx = hn::Sub(cx, at_x), dy = hn::Sub(cy, at_y), dz = hn::Sub(cz, at_z);
    sum = hn::Add(sum, part(hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz))), q));
  };
  std::size_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    add(hn::LoadU(d, charge_x + i), hn::LoadU(d, charge_y + i), hn::LoadU(d, charge_z + i),
        hn::LoadU(d, charge + i));
  }
  double rest[4][8] = {};
  for (std::size_t lane = 0; i < count; ++i, ++lane) {
    rest[0][lane] = charge_x[i];
    rest[1][lane] = charge_y[i];
    rest[2][lane] = charge_z[i];
    rest[3][lane] = charge[i];
  }
  // What is left, filled up with charges of 0.
  add(hn::LoadU(d, rest[0]), hn::LoadU(d, rest[1]), hn::LoadU(d, rest[2]), hn::LoadU(d, rest[3]));
  return hn::GetLane(hn::SumOfLanes(d, sum));
}

double PointCoulomb(double x, double y, double z, const double* charge_x, const double* charge_y,
                    const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms) {
  return AtPoint<PairLaw::coulomb>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}
double PointCutoff(double x, double y, double z, const double* charge_x, const double* charge_y,
                   const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms) {
  return AtPoint<PairLaw::cutoff>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}
double PointScreened(double x, double y, double z, const double* charge_x, const double* charge_y,
                     const double* charge_z, const double* charge, std::size_t count,
                     const PairTerms& terms) {
  return AtPoint<PairLaw::screened>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}
double PointSplit(double x, double y, double z, const double* charge_x, const double* charge_y,
                  const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms) {
  return AtPoint<PairLaw::split>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {

HWY_EXPORT(RowCoulomb);
HWY_EXPORT(RowCutoff);
HWY_EXPORT(RowScreened);
HWY_EXPORT(RowSplit);
HWY_EXPORT(PointCoulomb);
HWY_EXPORT(PointCutoff);
HWY_EXPORT(PointScreened);
HWY_EXPORT(PointSplit);

void add_to_row(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  switch (terms.law) {
    case PairLaw::coulomb:
      return HWY_DYNAMIC_DISPATCH(RowCoulomb)(row, charges, terms);
    case PairLaw::cutoff:
      return HWY_DYNAMIC_DISPATCH(RowCutoff)(row, charges, terms);
    case PairLaw::screened:
      return HWY_DYNAMIC_DISPATCH(RowScreened)(row, charges, terms);
    case PairLaw::split:
      return HWY_DYNAMIC_DISPATCH(RowSplit)(row, charges, terms);
  }
}

double sum_at_point(double x, double y, double z, const double* charge_x, const double* charge_y,
                    const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms) {
  switch (terms.law) {
    case PairLaw::coulomb:
      return HWY_DYNAMIC_DISPATCH(PointCoulomb)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::cutoff:
      return HWY_DYNAMIC_DISPATCH(PointCutoff)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::split:
      return HWY_DYNAMIC_DISPATCH(PointSplit)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::screened:
      break;
  }
  return HWY_DYNAMIC_DISPATCH(PointScreened)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}

}  // namespace isolume::electrostatics
#endif
