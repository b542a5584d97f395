#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/sums/pair_potentials.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <cstdint>
#include <span>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/electrostatics/sums/pair_potentials.h"

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
// The instruction gives 8 bits there, elsewhere 12 or more.
#if HWY_ARCH_ARM
  reciprocal = hn::Mul(reciprocal, hn::NegMulAdd(squared, reciprocal, two));
#endif
  return hn::Mul(reciprocal, hn::NegMulAdd(squared, reciprocal, two));
}
HWY_INLINE hn::Vec<Doubles> Reciprocal(Doubles d, hn::Vec<Doubles> squared) {
  return hn::Div(hn::Set(d, 1.0), squared);
}

/// Loads the first `count` lanes, zero elsewhere.
HWY_INLINE hn::Vec<Doubles> LoadSome(const double* from, std::size_t count) {
  const Doubles d;
#if HWY_MEM_OPS_MIGHT_FAULT
  double some[8] = {};
  std::copy_n(from, count, some);
  return hn::LoadU(d, some);
#else
  return hn::MaskedLoad(hn::FirstN(d, count), d, from);
#endif
}

/// Potential by the law from charge / r; 0 for a charge at the point itself.
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
      // For a charge at the point itself, only the smooth part is subtracted.
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
  alignas(64) float across_of[TileCharges::capacity];  // squared distance
  const auto row_y = hn::Set(d, row.y), row_z = hn::Set(d, row.z);
  for (int i = 0; i < charges.count; i += lanes) {
    const auto y = hn::Sub(hn::Load(d, charges.y + i), row_y), z = hn::Sub(hn::Load(d, charges.z + i), row_z);
    hn::Store(hn::MulAdd(y, y, hn::Mul(z, z)), d, across_of + i);
  }
  const Law<law, Singles> part(terms);
  // Two vectors of points share the loads of a charge, which hides latencies.
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

/// The square of the cut-off.
constexpr auto reach = static_cast<float>(squared_cutoff);

/// Charges of one sign, prepared for blocks between the same planes.
struct LayerCharges {
  static constexpr int room = TileCharges::room;

  int count = 0;  ///< includes distant padding up to a whole vector
  alignas(64) float x[room];
  alignas(64) float y[room];
  alignas(64) float magnitude[room];
  alignas(64) float third_of_root[room];            ///< of the magnitude
  alignas(64) float inverse_root[room];             ///< of the magnitude
  alignas(64) float across[TileBlock::side][room];  ///< squared distance along z from each plane
  alignas(64) float left[TileBlock::side][room];    ///< root of the magnitude * (1 - across / reach)
  alignas(64) float to_nearest[room];   ///< minimum squared distance along z from points of the blocks
  alignas(64) float to_farthest[room];  ///< the maximum
};

/// Adds squared distances of positions from the nearest and the farthest point of a box.
template <class Vector>
HWY_INLINE void AddAlong(Vector place, float low, float high, Vector& to_nearest, Vector& to_farthest) {
  const Singles d;
  const auto below = hn::Sub(hn::Set(d, low), place), above = hn::Sub(place, hn::Set(d, high));
  const auto gap = hn::Max(hn::Max(below, above), hn::Zero(d)), across = hn::Min(below, above);
  to_nearest = hn::MulAdd(gap, gap, to_nearest);
  to_farthest = hn::MulAdd(across, across, to_farthest);
}

HWY_INLINE void Prepare(const TileBlock& block, const TileCharges& charges, LayerCharges& layer) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto third = hn::Set(d, 1 / reach), far = hn::Set(d, 1e15f);
  for (layer.count = 0; layer.count < charges.count; layer.count += lanes) {
    const int i = layer.count;
    const auto there = hn::FirstN(d, static_cast<std::size_t>(charges.count - i));
    const auto z = hn::Load(d, charges.z + i), magnitude = hn::Abs(hn::Load(d, charges.charge + i)),
               inverse_root = isolume::HWY_NAMESPACE::InverseRoot(d, magnitude),
               root = hn::Mul(magnitude, inverse_root), third_of_root = hn::Mul(root, third);
    hn::Store(hn::IfThenElse(there, hn::Load(d, charges.x + i), far), d, layer.x + i);
    hn::Store(hn::Load(d, charges.y + i), d, layer.y + i);
    hn::Store(magnitude, d, layer.magnitude + i);
    hn::Store(third_of_root, d, layer.third_of_root + i);
    hn::Store(inverse_root, d, layer.inverse_root + i);
    for (int k = 0; k < TileBlock::side; ++k) {
      const auto along = hn::Sub(z, hn::Set(d, block.z[k])), across = hn::Mul(along, along);
      hn::Store(across, d, layer.across[k] + i);
      hn::Store(hn::NegMulAdd(third_of_root, across, root), d, layer.left[k] + i);
    }
    auto to_nearest = hn::Zero(d), to_farthest = hn::Zero(d);
    AddAlong(z, block.z[0], block.z[TileBlock::side - 1], to_nearest, to_farthest);
    hn::Store(to_nearest, d, layer.to_nearest + i);
    hn::Store(to_farthest, d, layer.to_farthest + i);
  }
}

/// Position of charges relative to a block.
enum class Where {
  inside,  ///< within the cut-off of all its points, but not close
  border,  ///< within the cut-off of its box, but not of all its points
  close,   ///< within a quarter of the cut-off, possibly at a point
};

/// Indices of charges.
struct Seen {
  int count = 0;
  std::int32_t numbers[TileCharges::room];
};

struct SeenFromBlock {
  Seen inside, border, close;
};

/// Classifies charges for blocks in a row along x.
HWY_INLINE void See(const TileBlock* blocks, int count, const LayerCharges& charges, SeenFromBlock* seen) {
  const Singles d;
  const hn::RebindToSigned<Singles> numbers;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int last = TileBlock::side * TileBlock::side - 1;
  const auto far = hn::Set(d, reach), near = hn::Set(d, reach / 16);
  for (int block = 0; block < count; ++block) {
    for (Seen* each : {&seen[block].inside, &seen[block].border, &seen[block].close}) each->count = 0;
  }
  for (int i = 0; i < charges.count; i += lanes) {
    const auto x = hn::Load(d, charges.x + i);
    auto nearest_in_row = hn::Load(d, charges.to_nearest + i),
         farthest_in_row = hn::Load(d, charges.to_farthest + i);
    AddAlong(hn::Load(d, charges.y + i), blocks->y[0], blocks->y[last], nearest_in_row, farthest_in_row);
    if (hn::AllFalse(d, hn::Lt(nearest_in_row, far))) continue;
    const auto number = hn::Iota(numbers, i);
    for (int block = 0; block < count; ++block) {
      auto to_nearest = nearest_in_row, to_farthest = farthest_in_row;
      AddAlong(x, blocks[block].x[0], blocks[block].x[last], to_nearest, to_farthest);
      const auto close = hn::Lt(to_nearest, near), inside = hn::AndNot(close, hn::Lt(to_farthest, far)),
                 border = hn::AndNot(hn::Or(close, inside), hn::Lt(to_nearest, far));
      // Not CompressStore, which is microcode on Zen 4.
      const auto append = [&](Seen& to, auto which) HWY_ATTR {
        hn::StoreU(hn::Compress(number, hn::RebindMask(numbers, which)), numbers, to.numbers + to.count);
        to.count += static_cast<int>(hn::CountTrue(d, which));
      };
      append(seen[block].inside, inside);
      append(seen[block].border, border);
      append(seen[block].close, close);
    }
  }
}

/// Contribution of charges, except for a common factor.
template <PairLaw law>
struct BlockLaw {
  double factor;  ///< common to all sums
  float least;    ///< square of `nearest`
  float smooth[RadialPolynomial::capacity];
  int highest = 0;

  explicit HWY_INLINE BlockLaw(const PairTerms& terms) {
    const double units = units_per_angstrom(terms);
    factor = units * (law == PairLaw::cutoff ? 1.5 : law == PairLaw::split ? 0.5 : units);
    least = static_cast<float>(nearest * nearest * units * units);
    highest = std::max(terms.smooth_single.terms - 1, 0);
    for (int i = 0; i <= highest; ++i)
      smooth[i] = static_cast<float>(terms.smooth_single.coefficients[i] / factor);
  }

  /// Adds the contribution of charge `i` to the sums of the four planes, for points with these squared distances
  /// along x and y.
  template <Where where, class Vector>
  HWY_INLINE void Add(const LayerCharges& charges, int i, Vector in_plane, Vector& sum0, Vector& sum1,
                      Vector& sum2, Vector& sum3) const {
    const Singles d;
    const auto squared = [&](int k) HWY_ATTR { return hn::Add(in_plane, hn::Set(d, charges.across[k][i])); };
    const auto s0 = squared(0), s1 = squared(1), s2 = squared(2), s3 = squared(3);
    // For a charge at the point itself, only the smooth part is subtracted.
    const auto unless_there = [&](auto square, auto value) HWY_ATTR {
      return where == Where::close ? hn::IfThenElseZero(hn::Ge(square, hn::Set(d, least)), value) : value;
    };
    if constexpr (law == PairLaw::split) {
      const auto two_thirds = hn::Set(d, 2 / reach), minus = hn::Set(d, -1.0f);
      const auto u0 = hn::MulAdd(s0, two_thirds, minus), u1 = hn::MulAdd(s1, two_thirds, minus),
                 u2 = hn::MulAdd(s2, two_thirds, minus), u3 = hn::MulAdd(s3, two_thirds, minus);
      auto rest0 = hn::Set(d, smooth[highest]), rest1 = rest0, rest2 = rest0, rest3 = rest0;
      for (int n = highest; n-- > 0;) {
        const auto next = hn::Set(d, smooth[n]);
        rest0 = hn::MulAdd(rest0, u0, next);
        rest1 = hn::MulAdd(rest1, u1, next);
        rest2 = hn::MulAdd(rest2, u2, next);
        rest3 = hn::MulAdd(rest3, u3, next);
      }
      const auto magnitude = hn::Set(d, charges.magnitude[i]), three = hn::Set(d, 3.0f);
      const auto add = [&](auto square, auto rest, auto& sum) HWY_ATTR {
        const auto root = unless_there(square, isolume::HWY_NAMESPACE::RoughInverseRoot(d, square));
        // Twice the inverse root minus the smooth part.
        auto part = hn::MulSub(root, hn::NegMulAdd(hn::Mul(square, root), root, three), rest);
        if constexpr (where != Where::inside)
          part = hn::IfThenElseZero(hn::Lt(square, hn::Set(d, reach)), part);
        sum = hn::MulAdd(magnitude, part, sum);
      };
      add(s0, rest0, sum0), add(s1, rest1, sum1), add(s2, rest2, sum2), add(s3, rest3, sum3);
    } else {
      const auto third_of_root = hn::Set(d, charges.third_of_root[i]),
                 inverse_root = hn::Set(d, charges.inverse_root[i]), third = hn::Set(d, 1 / reach);
      const auto add = [&](int k, auto square, auto& sum) HWY_ATTR {
        // root(q) (1 - square / 3)
        auto left = hn::NegMulAdd(third_of_root, in_plane, hn::Set(d, charges.left[k][i]));
        if constexpr (where != Where::inside) left = hn::Max(left, hn::Zero(d));
        if constexpr (law == PairLaw::distance_cutoff) {
          sum = hn::MulAdd(hn::Mul(left, left), unless_there(square, Reciprocal(d, square)), sum);
        } else {
          // q (1 - square / 3)^2 root (1 - square root^2 / 3): a Newton step, up to a factor 2/3, with `left` in both
          // factors, and square root / 3 = root - (1 - square / 3) root, which keeps enough digits unless the charge
          // is close.
          const auto root = unless_there(square, isolume::HWY_NAMESPACE::RoughInverseRoot(d, square)),
                     part = hn::Mul(left, root);
          const auto rest = where == Where::close ? hn::Mul(hn::Mul(square, third), root)
                                                  : hn::NegMulAdd(part, inverse_root, root);
          sum = hn::MulAdd(part, hn::NegMulAdd(part, rest, left), sum);
        }
      };
      add(0, s0, sum0), add(1, s1, sum1), add(2, s2, sum2), add(3, s3, sum3);
    }
  }
};

/// Processes one vector of the points of a plane at a time, for all planes together.
template <PairLaw law, Where where>
HWY_INLINE void AddSeen(TileBlock& block, const LayerCharges& charges, const Seen& seen,
                        const BlockLaw<law>& add, double factor) {
  const Singles d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  constexpr int plane = TileBlock::side * TileBlock::side;
  for (int first = 0; first < plane; first += lanes) {
    const auto at_x = hn::Load(d, block.x + first), at_y = hn::Load(d, block.y + first);
    auto sum0 = hn::Zero(d), sum1 = sum0, sum2 = sum0, sum3 = sum0;
    for (int n = 0; n < seen.count; ++n) {
      const int i = seen.numbers[n];
      const auto dx = hn::Sub(at_x, hn::Set(d, charges.x[i])), dy = hn::Sub(at_y, hn::Set(d, charges.y[i]));
      add.template Add<where>(charges, i, hn::MulAdd(dx, dx, hn::Mul(dy, dy)), sum0, sum1, sum2, sum3);
    }
    HWY_ALIGN float sums[TileBlock::side][16];
    hn::Store(sum0, d, sums[0]);
    hn::Store(sum1, d, sums[1]);
    hn::Store(sum2, d, sums[2]);
    hn::Store(sum3, d, sums[3]);
    for (int k = 0; k < TileBlock::side; ++k) {
      for (int i = 0; i < lanes; ++i)
        block.potential[plane * k + first + i] += factor * static_cast<double>(sums[k][i]);
    }
  }
}

template <PairLaw law>
HWY_INLINE void AddToLayer(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms) {
  const BlockLaw<law> add(terms);
  const double factor = charges.count > 0 && charges.charge[0] < 0 ? -add.factor : add.factor;
  LayerCharges layer;
  Prepare(blocks.front(), charges, layer);
  SeenFromBlock seen[TileBlock::most_in_row];
  for (std::size_t first = 0, end = 0; first < blocks.size(); first = end) {
    while (end < blocks.size() && end - first < TileBlock::most_in_row &&
           blocks[end].y[0] == blocks[first].y[0])
      ++end;
    See(&blocks[first], static_cast<int>(end - first), layer, seen);
    for (std::size_t i = first; i < end; ++i) {
      AddSeen<law, Where::inside>(blocks[i], layer, seen[i - first].inside, add, factor);
      AddSeen<law, Where::border>(blocks[i], layer, seen[i - first].border, add, factor);
      AddSeen<law, Where::close>(blocks[i], layer, seen[i - first].close, add, factor);
    }
  }
}

void LayerCutoff(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms) {
  AddToLayer<PairLaw::cutoff>(blocks, charges, terms);
}
void LayerDistanceCutoff(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms) {
  AddToLayer<PairLaw::distance_cutoff>(blocks, charges, terms);
}
void LayerSplit(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms) {
  AddToLayer<PairLaw::split>(blocks, charges, terms);
}

/// Appends those of a vector of charges that are within reach of the box to those of their sign.
HWY_INLINE void SortVector(const TileBox& box, hn::Vec<Doubles> x, hn::Vec<Doubles> y, hn::Vec<Doubles> z,
                           hn::Vec<Doubles> charge, std::size_t count, TileCharges& positive,
                           TileCharges& negative) {
  const Doubles d;
  const hn::Rebind<float, Doubles> f;
  const auto zero = hn::Zero(f);
  const auto along = [&](auto place, int axis, auto& beyond) HWY_ATTR {
    const auto from = hn::DemoteTo(
        f, hn::Mul(hn::Sub(place, hn::Set(d, box.middle[axis])), hn::Set(d, box.units_per_angstrom)));
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
    const std::size_t some = std::min(lanes, count - i);
    const auto load = [&](const double* from) HWY_ATTR {
      return some == lanes ? hn::LoadU(d, from + i) : LoadSome(from + i, some);
    };
    SortVector(box, load(x), load(y), load(z), load(charge), some, positive, negative);
    i += some;
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
  if (i < count) {
    const auto load = [&](const double* from) HWY_ATTR { return LoadSome(from + i, count - i); };
    add(load(charge_x), load(charge_y), load(charge_z), load(charge));
  }
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
HWY_EXPORT(LayerCutoff);
HWY_EXPORT(LayerSplit);
HWY_EXPORT(LayerDistanceCutoff);
HWY_EXPORT(SortNear);
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

void add_to_layer(std::span<TileBlock> blocks, const TileCharges& charges, const PairTerms& terms) {
  if (terms.law == PairLaw::split) return HWY_DYNAMIC_DISPATCH(LayerSplit)(blocks, charges, terms);
  if (terms.law == PairLaw::distance_cutoff)
    return HWY_DYNAMIC_DISPATCH(LayerDistanceCutoff)(blocks, charges, terms);
  HWY_DYNAMIC_DISPATCH(LayerCutoff)(blocks, charges, terms);
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
