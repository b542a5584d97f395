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

HWY_INLINE hn::Vec<Singles> Reciprocal(Singles d, hn::Vec<Singles> squared) {
  const auto two = hn::Set(d, 2.0f);
  auto reciprocal = hn::ApproximateReciprocal(squared);
// There the instruction gives 8 bits, elsewhere 12 or more.
#if HWY_ARCH_ARM
  reciprocal = hn::Mul(reciprocal, hn::NegMulAdd(squared, reciprocal, two));
#endif
  return hn::Mul(reciprocal, hn::NegMulAdd(squared, reciprocal, two));
}
HWY_INLINE hn::Vec<Doubles> Reciprocal(Doubles d, hn::Vec<Doubles> squared) {
  return hn::Div(hn::Set(d, 1.0), squared);
}

/// What the law makes of charge / r; 0 for a charge at the point itself.
template <PairLaw law, class Lanes, class Vector = hn::Vec<Lanes>, class Real = hn::TFromD<Lanes>>
struct Law {
  static constexpr bool grows = law == PairLaw::distance || law == PairLaw::distance_cutoff;
  static constexpr bool ends =
      law == PairLaw::cutoff || law == PairLaw::distance_cutoff || law == PairLaw::split;

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
    const Vector inverse = grows ? Reciprocal(d, squared) : InverseRoot(d, squared);
    Vector part = hn::Mul(charge, inverse);
    if constexpr (law == PairLaw::cutoff || law == PairLaw::distance_cutoff) {
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

template <PairLaw law>
HWY_INLINE void AddToRow(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  alignas(64) float across_of[TileCharges::capacity];  // square of the distance
  const auto row_y = hn::Set(d, row.y), row_z = hn::Set(d, row.z);
  for (int i = 0; i < charges.count; i += lanes) {
    const auto y = hn::Sub(hn::Load(d, charges.y + i), row_y), z = hn::Sub(hn::Load(d, charges.z + i), row_z);
    hn::Store(hn::MulAdd(y, y, hn::Mul(z, z)), d, across_of + i);
  }
  const Law<law, Singles> part(terms);
  // Two vectors of points share what is loaded of a charge, and hide each other's latencies.
  for (int first = 0; first < row.count; first += 2 * lanes) {
    const auto x1 = hn::Load(d, row.x + first),
               x2 = hn::Load(d, row.x + std::min(first + lanes, TileRow::capacity - lanes));
    auto sum1 = hn::Zero(d), sum2 = hn::Zero(d);
    for (int i = 0; i < charges.count; ++i) {
      const auto x = hn::Set(d, charges.x[i]), across = hn::Set(d, across_of[i]),
                 charge = hn::Set(d, charges.charge[i]);
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
void RowDistance(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::distance>(row, charges, terms);
}
void RowScreened(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  AddToRow<PairLaw::screened>(row, charges, terms);
}

/// Charges that a block sees: those within the cut-off of it, but for those that may be at one of its points.
struct InReach {
  static constexpr int room = TileCharges::capacity + 16;

  int count = 0;
  alignas(64) float x[room];
  alignas(64) float y[room];
  alignas(64) float half_charge[room];
  alignas(64) float across[TileBlock::side][room];  ///< square of the distance along z, from each plane
};

/// Charges that may be at a point go into `touching`.
HWY_INLINE void SeeFromBlock(const TileBlock& block, const TileCharges& charges, float cutoff, InReach& seen,
                             TileCharges& touching) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int last = TileBlock::side - 1, last_of_plane = TileBlock::side * TileBlock::side - 1;
  const auto zero = hn::Zero(d), reach = hn::Set(d, cutoff * cutoff);
  // Twice as far: places are rounded.
  const auto touch = hn::Set(d, static_cast<float>(4 * nearest * nearest));
  const auto beyond = [&](auto place, float low, float high) HWY_ATTR {
    return hn::Max(hn::Max(hn::Sub(hn::Set(d, low), place), hn::Sub(place, hn::Set(d, high))), zero);
  };
  std::size_t count = 0;
  for (int i = 0; i < charges.count; i += lanes) {
    const auto x = hn::Load(d, charges.x + i), y = hn::Load(d, charges.y + i), z = hn::Load(d, charges.z + i),
               charge = hn::Load(d, charges.charge + i);
    const auto dx = beyond(x, block.x[0], block.x[last_of_plane]),
               dy = beyond(y, block.y[0], block.y[last_of_plane]), dz = beyond(z, block.z[0], block.z[last]);
    const auto squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz)));
    const auto there = hn::FirstN(d, static_cast<std::size_t>(charges.count - i));
    const auto near = hn::And(hn::Lt(squared, reach), there), at = hn::And(hn::Lt(squared, touch), there);
    const auto apart = hn::AndNot(at, near);
    // Not CompressStore, which is microcode on Zen 4.
    hn::StoreU(hn::Compress(x, apart), d, seen.x + count);
    hn::StoreU(hn::Compress(y, apart), d, seen.y + count);
    hn::StoreU(hn::Compress(hn::Mul(charge, hn::Set(d, 0.5f)), apart), d, seen.half_charge + count);
    const auto kept = hn::Compress(z, apart);
    for (int k = 0; k < TileBlock::side; ++k) {
      const auto along = hn::Sub(kept, hn::Set(d, block.z[k]));
      hn::StoreU(hn::Mul(along, along), d, seen.across[k] + count);
    }
    count += hn::CountTrue(d, apart);
    if (!hn::AllFalse(d, at)) {
      HWY_ALIGN float is_at[16];
      hn::Store(hn::IfThenElseZero(at, hn::Set(d, 1.0f)), d, is_at);
      for (int lane = 0; lane < lanes; ++lane) {
        if (is_at[lane] == 0) continue;
        touching.x[touching.count] = charges.x[i + lane];
        touching.y[touching.count] = charges.y[i + lane];
        touching.z[touching.count] = charges.z[i + lane];
        touching.charge[touching.count++] = charges.charge[i + lane];
      }
    }
  }
  seen.count = static_cast<int>(count);
}

/// Twice what half of a charge is multiplied by.
template <PairLaw law>
struct BlockLaw {
  hn::Vec<Singles> inverse_cutoff_squared;
  float smooth[RadialPolynomial::capacity];
  int highest = 0;

  explicit HWY_INLINE BlockLaw(const PairTerms& terms) {
    inverse_cutoff_squared = hn::Set(Singles(), static_cast<float>(1 / (terms.cutoff * terms.cutoff)));
    highest = std::max(terms.smooth_single.terms - 1, 0);
    for (int i = 0; i <= highest; ++i)
      smooth[i] = static_cast<float>(2 * terms.smooth_single.coefficients[i]);
  }
  /// Of squares of distances, all of them above 0, which become the results.
  template <class Vector>
  HWY_INLINE void operator()(Vector& s0, Vector& s1, Vector& s2, Vector& s3) const {
    const Singles d;
    const auto one = hn::Set(d, 1.0f);
    if constexpr (law != PairLaw::split) {
      const auto twice_inverse = [&](auto squared) HWY_ATTR {
        if constexpr (law == PairLaw::cutoff) {
          return isolume::HWY_NAMESPACE::TwiceInverseRootOfNormal(d, squared);
        } else {
          const auto reciprocal = Reciprocal(d, squared);
          return hn::Add(reciprocal, reciprocal);
        }
      };
      const auto of = [&](auto squared) HWY_ATTR {
        const auto left = hn::Max(hn::NegMulAdd(squared, inverse_cutoff_squared, one), hn::Zero(d));
        return hn::Mul(hn::Mul(left, left), twice_inverse(squared));
      };
      s0 = of(s0), s1 = of(s1), s2 = of(s2), s3 = of(s3);
    } else {
      const auto twice = hn::Add(inverse_cutoff_squared, inverse_cutoff_squared), minus = hn::Set(d, -1.0f);
      const auto u0 = hn::MulAdd(s0, twice, minus), u1 = hn::MulAdd(s1, twice, minus),
                 u2 = hn::MulAdd(s2, twice, minus), u3 = hn::MulAdd(s3, twice, minus);
      auto rest0 = hn::Set(d, smooth[highest]), rest1 = rest0, rest2 = rest0, rest3 = rest0;
      for (int i = highest; i-- > 0;) {
        const auto next = hn::Set(d, smooth[i]);
        rest0 = hn::MulAdd(rest0, u0, next);
        rest1 = hn::MulAdd(rest1, u1, next);
        rest2 = hn::MulAdd(rest2, u2, next);
        rest3 = hn::MulAdd(rest3, u3, next);
      }
      const auto of = [&](auto squared, auto u, auto rest) HWY_ATTR {
        const auto whole = isolume::HWY_NAMESPACE::TwiceInverseRootOfNormal(d, squared);
        return hn::IfThenElseZero(hn::Lt(u, one), hn::Sub(whole, rest));
      };
      s0 = of(s0, u0, rest0), s1 = of(s1, u1, rest1), s2 = of(s2, u2, rest2), s3 = of(s3, u3, rest3);
    }
  }
};

/// A vector of the points of a plane at a time, and the same of all planes.
template <PairLaw law>
HWY_INLINE void AddInReach(TileBlock& block, const InReach& seen, const BlockLaw<law>& part) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int plane = TileBlock::side * TileBlock::side;
  for (int first = 0; first < plane; first += lanes) {
    const auto at_x = hn::Load(d, block.x + first), at_y = hn::Load(d, block.y + first);
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (int i = 0; i < seen.count; ++i) {
      const auto dx = hn::Sub(at_x, hn::Set(d, seen.x[i])), dy = hn::Sub(at_y, hn::Set(d, seen.y[i])),
                 charge = hn::Set(d, seen.half_charge[i]);
      const auto in_plane = hn::MulAdd(dx, dx, hn::Mul(dy, dy));
      auto s0 = hn::Add(in_plane, hn::Set(d, seen.across[0][i])),
           s1 = hn::Add(in_plane, hn::Set(d, seen.across[1][i])),
           s2 = hn::Add(in_plane, hn::Set(d, seen.across[2][i])),
           s3 = hn::Add(in_plane, hn::Set(d, seen.across[3][i]));
      part(s0, s1, s2, s3);
      sum0 = hn::MulAdd(s0, charge, sum0);
      sum1 = hn::MulAdd(s1, charge, sum1);
      sum2 = hn::MulAdd(s2, charge, sum2);
      sum3 = hn::MulAdd(s3, charge, sum3);
    }
    HWY_ALIGN float sums[TileBlock::side][16];
    hn::Store(sum0, d, sums[0]);
    hn::Store(sum1, d, sums[1]);
    hn::Store(sum2, d, sums[2]);
    hn::Store(sum3, d, sums[3]);
    for (int k = 0; k < TileBlock::side; ++k) {
      for (int i = 0; i < lanes; ++i)
        block.potential[plane * k + first + i] += static_cast<double>(sums[k][i]);
    }
  }
}

/// One by one, with a look at whether they are at a point.
template <PairLaw law>
HWY_INLINE void AddTouching(TileBlock& block, const TileCharges& touching, const PairTerms& terms) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Law<law, Singles> part(terms);
  constexpr int plane = TileBlock::side * TileBlock::side;
  for (int n = 0; n < touching.count; ++n) {
    const auto charge = hn::Set(d, touching.charge[n]);
    for (int at = 0; at < TileBlock::points; at += lanes) {
      const auto dx = hn::Sub(hn::Load(d, block.x + at % plane), hn::Set(d, touching.x[n])),
                 dy = hn::Sub(hn::Load(d, block.y + at % plane), hn::Set(d, touching.y[n])),
                 dz = hn::Set(d, block.z[at / plane] - touching.z[n]);
      HWY_ALIGN float parts[16];
      hn::Store(part(hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz))), charge), d, parts);
      for (int i = 0; i < lanes; ++i) block.potential[at + i] += static_cast<double>(parts[i]);
    }
  }
}

template <PairLaw law>
HWY_INLINE void AddToBlock(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  InReach seen;
  TileCharges touching;
  SeeFromBlock(block, charges, static_cast<float>(terms.cutoff), seen, touching);
  AddInReach<law>(block, seen, BlockLaw<law>(terms));
  if (touching.count > 0) AddTouching<law>(block, touching, terms);
}

void BlockCutoff(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  AddToBlock<PairLaw::cutoff>(block, charges, terms);
}
void BlockDistanceCutoff(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  AddToBlock<PairLaw::distance_cutoff>(block, charges, terms);
}
void BlockSplit(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  AddToBlock<PairLaw::split>(block, charges, terms);
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
double PointDistance(double x, double y, double z, const double* charge_x, const double* charge_y,
                     const double* charge_z, const double* charge, std::size_t count,
                     const PairTerms& terms) {
  return AtPoint<PairLaw::distance>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}
double PointDistanceCutoff(double x, double y, double z, const double* charge_x, const double* charge_y,
                           const double* charge_z, const double* charge, std::size_t count,
                           const PairTerms& terms) {
  return AtPoint<PairLaw::distance_cutoff>(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
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
HWY_EXPORT(RowScreened);
HWY_EXPORT(RowDistance);
HWY_EXPORT(BlockCutoff);
HWY_EXPORT(BlockSplit);
HWY_EXPORT(BlockDistanceCutoff);
HWY_EXPORT(PointCoulomb);
HWY_EXPORT(PointCutoff);
HWY_EXPORT(PointScreened);
HWY_EXPORT(PointSplit);
HWY_EXPORT(PointDistance);
HWY_EXPORT(PointDistanceCutoff);

void add_to_row(TileRow& row, const TileCharges& charges, const PairTerms& terms) {
  if (terms.law == PairLaw::screened) return HWY_DYNAMIC_DISPATCH(RowScreened)(row, charges, terms);
  if (terms.law == PairLaw::distance) return HWY_DYNAMIC_DISPATCH(RowDistance)(row, charges, terms);
  HWY_DYNAMIC_DISPATCH(RowCoulomb)(row, charges, terms);
}

void add_to_block(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  if (terms.law == PairLaw::split) return HWY_DYNAMIC_DISPATCH(BlockSplit)(block, charges, terms);
  if (terms.law == PairLaw::distance_cutoff)
    return HWY_DYNAMIC_DISPATCH(BlockDistanceCutoff)(block, charges, terms);
  HWY_DYNAMIC_DISPATCH(BlockCutoff)(block, charges, terms);
}

double sum_at_point(double x, double y, double z, const double* charge_x, const double* charge_y,
                    const double* charge_z, const double* charge, std::size_t count, const PairTerms& terms) {
  switch (terms.law) {
    case PairLaw::coulomb:
      return HWY_DYNAMIC_DISPATCH(PointCoulomb)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::cutoff:
      return HWY_DYNAMIC_DISPATCH(PointCutoff)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::distance:
      return HWY_DYNAMIC_DISPATCH(PointDistance)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::distance_cutoff:
      return HWY_DYNAMIC_DISPATCH(PointDistanceCutoff)(x, y, z, charge_x, charge_y, charge_z, charge, count,
                                                       terms);
    case PairLaw::split:
      return HWY_DYNAMIC_DISPATCH(PointSplit)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
    case PairLaw::screened:
      break;
  }
  return HWY_DYNAMIC_DISPATCH(PointScreened)(x, y, z, charge_x, charge_y, charge_z, charge, count, terms);
}

}  // namespace isolume::electrostatics
#endif
