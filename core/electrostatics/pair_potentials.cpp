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

/// Charges that a block sees.
struct Seen {
  TileCharges inside;  ///< within the cut-off of all its points
  TileCharges border;  ///< within the cut-off of the block, but not of all its points
  TileCharges
      alone;  ///< that may be at one of its points, and those that are too small or too large to be scaled
};

/// Of charges whose squares, and those of their inverses, are numbers of single precision together with squares of distances.
constexpr float least_scaled = 1e-12f, most_scaled = 1e12f;

HWY_INLINE void SeeFromBlock(const TileBlock& block, const TileCharges& charges, float cutoff, Seen& seen) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int last = TileBlock::side - 1, last_of_plane = TileBlock::side * TileBlock::side - 1;
  const auto zero = hn::Zero(d), reach = hn::Set(d, cutoff * cutoff);
  // Twice as far: places are rounded.
  const auto touch = hn::Set(d, static_cast<float>(4 * nearest * nearest));
  for (int i = 0; i < charges.count; i += lanes) {
    const auto x = hn::Load(d, charges.x + i), y = hn::Load(d, charges.y + i), z = hn::Load(d, charges.z + i),
               charge = hn::Load(d, charges.charge + i), magnitude = hn::Abs(charge);
    auto to_nearest = zero, to_farthest = zero;  // squares of distances to points of the block's box
    const auto along = [&](auto place, float low, float high) HWY_ATTR {
      const auto below = hn::Sub(hn::Set(d, low), place), above = hn::Sub(place, hn::Set(d, high));
      const auto gap = hn::Max(hn::Max(below, above), zero), across = hn::Min(below, above);
      to_nearest = hn::MulAdd(gap, gap, to_nearest);
      to_farthest = hn::MulAdd(across, across, to_farthest);
    };
    along(x, block.x[0], block.x[last_of_plane]);
    along(y, block.y[0], block.y[last_of_plane]);
    along(z, block.z[0], block.z[last]);
    const auto near =
        hn::And(hn::Lt(to_nearest, reach), hn::FirstN(d, static_cast<std::size_t>(charges.count - i)));
    const auto alone =
        hn::And(hn::Or(hn::Lt(to_nearest, touch), hn::Or(hn::Lt(magnitude, hn::Set(d, least_scaled)),
                                                         hn::Gt(magnitude, hn::Set(d, most_scaled)))),
                near);
    const auto together = hn::AndNot(alone, near);
    const auto inside = hn::And(hn::Lt(to_farthest, reach), together);
    // Not CompressStore, which is microcode on Zen 4.
    const auto append = [&](TileCharges& to, auto which) HWY_ATTR {
      hn::StoreU(hn::Compress(x, which), d, to.x + to.count);
      hn::StoreU(hn::Compress(y, which), d, to.y + to.count);
      hn::StoreU(hn::Compress(z, which), d, to.z + to.count);
      hn::StoreU(hn::Compress(charge, which), d, to.charge + to.count);
      to.count += static_cast<int>(hn::CountTrue(d, which));
    };
    append(seen.inside, inside);
    append(seen.border, hn::AndNot(inside, together));
    if (!hn::AllFalse(d, alone)) append(seen.alone, alone);
  }
}

/// Charges with places divided by their magnitudes: the root of the square of a distance is then that of charge / r.
struct Scaled {
  static constexpr int room = TileCharges::room;

  int count = 0;
  alignas(64) float x[room];
  alignas(64) float y[room];
  alignas(64) float magnitude[room];
  alignas(64) float inverse[room];                  ///< of the magnitude
  alignas(64) float part_of_cutoff[room];           ///< (magnitude / cut-off)^2
  alignas(64) float across[TileBlock::side][room];  ///< square of the distance along z, from each plane
};

HWY_INLINE void Scale(const TileBlock& block, const TileCharges& charges, float cutoff, Scaled& scaled) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto inverse_cutoff = hn::Set(d, 1 / cutoff);
  scaled.count = charges.count;
  for (int i = 0; i < charges.count; i += lanes) {
    const auto magnitude = hn::Abs(hn::Load(d, charges.charge + i)), inverse = Reciprocal(d, magnitude),
               part = hn::Mul(magnitude, inverse_cutoff), z = hn::Load(d, charges.z + i);
    hn::Store(hn::Mul(hn::Load(d, charges.x + i), inverse), d, scaled.x + i);
    hn::Store(hn::Mul(hn::Load(d, charges.y + i), inverse), d, scaled.y + i);
    hn::Store(magnitude, d, scaled.magnitude + i);
    hn::Store(inverse, d, scaled.inverse + i);
    hn::Store(hn::Mul(part, part), d, scaled.part_of_cutoff + i);
    for (int k = 0; k < TileBlock::side; ++k) {
      const auto along = hn::Mul(hn::Sub(z, hn::Set(d, block.z[k])), inverse);
      hn::Store(hn::Mul(along, along), d, scaled.across[k] + i);
    }
  }
}

/// What a charge's magnitude adds, twice.
template <PairLaw law>
struct BlockLaw {
  float smooth[RadialPolynomial::capacity];
  int highest = 0;

  explicit HWY_INLINE BlockLaw(const PairTerms& terms) {
    highest = std::max(terms.smooth_single.terms - 1, 0);
    for (int i = 0; i <= highest; ++i)
      smooth[i] = static_cast<float>(2 * terms.smooth_single.coefficients[i]);
  }
  /// To four sums, of squares of (distance / magnitude), all of them above 0, and `inside` all within the cut-off.
  template <bool inside, class Vector>
  HWY_INLINE void Add(Vector s0, Vector s1, Vector s2, Vector s3, Vector part_of_cutoff, Vector magnitude,
                      Vector& sum0, Vector& sum1, Vector& sum2, Vector& sum3) const {
    const Singles d;
    const auto one = hn::Set(d, 1.0f);
    if constexpr (law != PairLaw::split) {
      const auto add = [&](auto squared, auto& sum) HWY_ATTR {
        auto left = hn::NegMulAdd(squared, part_of_cutoff, one);
        if constexpr (!inside) left = hn::Max(left, hn::Zero(d));
        const auto smooth_end = hn::Mul(left, left);
        if constexpr (law == PairLaw::cutoff) {
          sum = hn::MulAdd(smooth_end, isolume::HWY_NAMESPACE::TwiceInverseRootOfNormal(d, squared), sum);
        } else {
          const auto reciprocal = Reciprocal(d, hn::Mul(squared, magnitude));
          sum = hn::MulAdd(smooth_end, hn::Add(reciprocal, reciprocal), sum);
        }
      };
      add(s0, sum0), add(s1, sum1), add(s2, sum2), add(s3, sum3);
    } else {
      const auto twice = hn::Add(part_of_cutoff, part_of_cutoff), minus = hn::Set(d, -1.0f);
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
      const auto add = [&](auto squared, auto u, auto rest, auto& sum) HWY_ATTR {
        auto part =
            hn::NegMulAdd(rest, magnitude, isolume::HWY_NAMESPACE::TwiceInverseRootOfNormal(d, squared));
        if constexpr (!inside) part = hn::IfThenElseZero(hn::Lt(u, one), part);
        sum = hn::Add(sum, part);
      };
      add(s0, u0, rest0, sum0), add(s1, u1, rest1, sum1), add(s2, u2, rest2, sum2), add(s3, u3, rest3, sum3);
    }
  }
};

/// A vector of the points of a plane at a time, and the same of all planes. `half_sign`: half of 1 or -1, the sign of all.
template <PairLaw law, bool inside>
HWY_INLINE void AddScaled(TileBlock& block, const Scaled& charges, const BlockLaw<law>& part,
                          double half_sign) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int plane = TileBlock::side * TileBlock::side;
  for (int first = 0; first < plane; first += lanes) {
    const auto at_x = hn::Load(d, block.x + first), at_y = hn::Load(d, block.y + first);
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (int i = 0; i < charges.count; ++i) {
      const auto inverse = hn::Set(d, charges.inverse[i]);
      const auto dx = hn::NegMulAdd(at_x, inverse, hn::Set(d, charges.x[i])),
                 dy = hn::NegMulAdd(at_y, inverse, hn::Set(d, charges.y[i]));
      const auto in_plane = hn::MulAdd(dx, dx, hn::Mul(dy, dy));
      part.template Add<inside>(hn::Add(in_plane, hn::Set(d, charges.across[0][i])),
                                hn::Add(in_plane, hn::Set(d, charges.across[1][i])),
                                hn::Add(in_plane, hn::Set(d, charges.across[2][i])),
                                hn::Add(in_plane, hn::Set(d, charges.across[3][i])),
                                hn::Set(d, charges.part_of_cutoff[i]), hn::Set(d, charges.magnitude[i]), sum0,
                                sum1, sum2, sum3);
    }
    HWY_ALIGN float sums[TileBlock::side][16];
    hn::Store(sum0, d, sums[0]);
    hn::Store(sum1, d, sums[1]);
    hn::Store(sum2, d, sums[2]);
    hn::Store(sum3, d, sums[3]);
    for (int k = 0; k < TileBlock::side; ++k) {
      for (int i = 0; i < lanes; ++i)
        block.potential[plane * k + first + i] += half_sign * static_cast<double>(sums[k][i]);
    }
  }
}

/// One by one, with a look at whether they are at a point.
template <PairLaw law>
HWY_INLINE void AddAlone(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Law<law, Singles> part(terms);
  constexpr int plane = TileBlock::side * TileBlock::side;
  for (int n = 0; n < charges.count; ++n) {
    const auto charge = hn::Set(d, charges.charge[n]);
    for (int at = 0; at < TileBlock::points; at += lanes) {
      const auto dx = hn::Sub(hn::Load(d, block.x + at % plane), hn::Set(d, charges.x[n])),
                 dy = hn::Sub(hn::Load(d, block.y + at % plane), hn::Set(d, charges.y[n])),
                 dz = hn::Set(d, block.z[at / plane] - charges.z[n]);
      HWY_ALIGN float parts[16];
      hn::Store(part(hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::Mul(dz, dz))), charge), d, parts);
      for (int i = 0; i < lanes; ++i) block.potential[at + i] += static_cast<double>(parts[i]);
    }
  }
}

template <PairLaw law>
HWY_INLINE void AddToBlock(TileBlock& block, const TileCharges& charges, const PairTerms& terms) {
  const auto cutoff = static_cast<float>(terms.cutoff);
  const double half_sign = charges.count > 0 && charges.charge[0] < 0 ? -0.5 : 0.5;
  const BlockLaw<law> part(terms);
  Seen seen;
  SeeFromBlock(block, charges, cutoff, seen);
  Scaled scaled;
  Scale(block, seen.inside, cutoff, scaled);
  AddScaled<law, true>(block, scaled, part, half_sign);
  Scale(block, seen.border, cutoff, scaled);
  AddScaled<law, false>(block, scaled, part, half_sign);
  if (seen.alone.count > 0) AddAlone<law>(block, seen.alone, terms);
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

/// Those of a vector of charges that are within reach of the box, behind those of their sign.
HWY_INLINE void SortVector(const TileBox& box, hn::Vec<Doubles> x, hn::Vec<Doubles> y, hn::Vec<Doubles> z,
                           hn::Vec<Doubles> charge, std::size_t count, TileCharges& positive,
                           TileCharges& negative) {
  const Doubles d;
  const hn::Rebind<float, Doubles> f;
  const auto zero = hn::Zero(f);
  const auto along = [&](auto place, int axis, auto& beyond) HWY_ATTR {
    const auto from = hn::DemoteTo(f, hn::Sub(place, hn::Set(d, box.middle[axis])));
    const auto gap = hn::Max(hn::Sub(hn::Abs(from), hn::Set(f, box.half[axis])), zero);
    beyond = hn::MulAdd(gap, gap, beyond);
    return from;
  };
  auto beyond = zero;
  const auto from_x = along(x, 0, beyond), from_y = along(y, 1, beyond), from_z = along(z, 2, beyond),
             q = hn::DemoteTo(f, charge);
  const auto near = hn::And(hn::Lt(beyond, hn::Set(f, box.reach * box.reach)), hn::FirstN(f, count));
  const auto is_negative = hn::Lt(q, zero);
  const auto append = [&](TileCharges& to, auto which) HWY_ATTR {
    hn::StoreU(hn::Compress(from_x, which), f, to.x + to.count);
    hn::StoreU(hn::Compress(from_y, which), f, to.y + to.count);
    hn::StoreU(hn::Compress(from_z, which), f, to.z + to.count);
    hn::StoreU(hn::Compress(q, which), f, to.charge + to.count);
    to.count += static_cast<int>(hn::CountTrue(f, which));
  };
  append(positive, hn::AndNot(is_negative, near));
  append(negative, hn::And(is_negative, near));
}

std::size_t SortNear(const TileBox& box, const double* x, const double* y, const double* z,
                     const double* charge, std::size_t count, TileCharges& positive, TileCharges& negative) {
  const Doubles d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t i = 0;
  while (i < count && std::max(positive.count, negative.count) < TileCharges::capacity) {
    if (i + lanes <= count) {
      SortVector(box, hn::LoadU(d, x + i), hn::LoadU(d, y + i), hn::LoadU(d, z + i), hn::LoadU(d, charge + i),
                 lanes, positive, negative);
      i += lanes;
      continue;
    }
    double rest[4][8] = {};
    const std::size_t left = count - i;
    for (std::size_t lane = 0; lane < left; ++lane) {
      rest[0][lane] = x[i + lane];
      rest[1][lane] = y[i + lane];
      rest[2][lane] = z[i + lane];
      rest[3][lane] = charge[i + lane];
    }
    SortVector(box, hn::LoadU(d, rest[0]), hn::LoadU(d, rest[1]), hn::LoadU(d, rest[2]),
               hn::LoadU(d, rest[3]), left, positive, negative);
    i = count;
  }
  return i;
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
HWY_EXPORT(SortNear);
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

std::size_t sort_near(const TileBox& box, const double* x, const double* y, const double* z,
                      const double* charge, std::size_t count, TileCharges& positive, TileCharges& negative) {
  return HWY_DYNAMIC_DISPATCH(SortNear)(box, x, y, z, charge, count, positive, negative);
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
