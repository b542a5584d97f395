#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/multipoles/near_field.cpp"
#include <hwy/foreach_target.h>
// foreach_target must come first.
#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/multipoles/near_field.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::multipoles::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Singles = hn::CappedTag<float, 16>;
using Doubles = hn::CappedTag<double, 8>;

HWY_INLINE hn::Vec<Singles> InverseRoot(Singles d, hn::Vec<Singles> squared) {
  return isolume::HWY_NAMESPACE::InverseRoot(d, squared);
}

/// Refines `root`, an estimate of 1 / sqrt(squared): with e = 1 - squared x root^2 the result is root (1 + e
/// / 2 + 3 e^2 / 8 + 5 e^3 / 16 + ...).
HWY_INLINE hn::Vec<Doubles> Improved(Doubles d, hn::Vec<Doubles> squared, hn::Vec<Doubles> root) {
  const auto e = hn::NegMulAdd(squared, hn::Mul(root, root), hn::Set(d, 1.0));
  const auto series = hn::MulAdd(hn::MulAdd(hn::Set(d, 0.3125), e, hn::Set(d, 0.375)), e, hn::Set(d, 0.5));
  return hn::MulAdd(hn::Mul(root, e), series, root);
}
HWY_INLINE hn::Vec<Doubles> InverseRoot(Doubles d, hn::Vec<Doubles> squared) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  const auto root = Improved(d, squared, hn::Vec<Doubles>{_mm512_rsqrt14_pd(squared.raw)});
#else
  // Shifting the bits halves the exponent; the result has 5 correct bits.
  const hn::RebindToUnsigned<Doubles> bits;
  const auto guess = hn::BitCast(
      d, hn::Sub(hn::Set(bits, 0x5fe6eb50c7b537a9u), hn::ShiftRight<1>(hn::BitCast(bits, squared))));
  const auto root = Improved(d, squared, Improved(d, squared, guess));
#endif
  return hn::IfThenElseZero(hn::Ge(squared, hn::Set(d, 1e-300)), root);
}

template <class Lanes>
struct Sums {
  using Real = hn::TFromD<Lanes>;
  using Vector = hn::Vec<Lanes>;
  Vector x, y, z, dx, dy, dz, potential, close;

  HWY_INLINE Sums(const NearTargets<Real>& targets, int first) {
    const Lanes d;
    x = hn::Load(d, targets.x + first);
    y = hn::Load(d, targets.y + first);
    z = hn::Load(d, targets.z + first);
    close = hn::Load(d, targets.close + first);
    dx = dy = dz = potential = hn::Zero(d);
  }
  template <bool with_own>
  HWY_INLINE void Add(const NearSource<Real>& source, Vector softening_squared, Vector close_squared,
                      hn::Mask<Lanes> others) {
    const Lanes d;
    const Vector to_x = hn::Sub(hn::Set(d, source.x), x);
    const Vector to_y = hn::Sub(hn::Set(d, source.y), y);
    const Vector to_z = hn::Sub(hn::Set(d, source.z), z);
    const Vector squared =
        hn::MulAdd(to_x, to_x, hn::MulAdd(to_y, to_y, hn::MulAdd(to_z, to_z, softening_squared)));
    Vector inverse = InverseRoot(d, squared);
    // The points differ, but the square of their distance underflows: the result is not a number.
    if constexpr (sizeof(Real) == sizeof(double)) {
      const auto apart = hn::Add(hn::Abs(to_x), hn::Add(hn::Abs(to_y), hn::Abs(to_z)));
      const auto lost = hn::And(hn::Lt(squared, hn::Set(d, 1e-300)), hn::Gt(apart, hn::Zero(d)));
      inverse = hn::IfThenElse(lost, hn::Inf(d), inverse);
    }
    Vector charge = hn::Set(d, source.charge);
    if (with_own) charge = hn::IfThenElseZero(others, charge);
    const Vector part = hn::Mul(charge, inverse);
    const Vector slope = hn::Mul(part, hn::Mul(inverse, inverse));
    auto is_close = hn::Lt(squared, close_squared);
    if (with_own) is_close = hn::And(is_close, others);
    close = hn::Add(close, hn::IfThenElseZero(is_close, hn::Set(d, Real{1})));
    potential = hn::Add(potential, part);
    dx = hn::MulAdd(slope, to_x, dx);
    dy = hn::MulAdd(slope, to_y, dy);
    dz = hn::MulAdd(slope, to_z, dz);
  }
  HWY_INLINE void Store(NearTargets<Real>& targets, int first) const {
    const Lanes d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN Real values[4][16];
    hn::Store(potential, d, values[0]);
    hn::Store(dx, d, values[1]);
    hn::Store(dy, d, values[2]);
    hn::Store(dz, d, values[3]);
    hn::Store(close, d, targets.close + first);
    for (int lane = 0; lane < lanes; ++lane) {
      targets.potential[first + lane] += static_cast<double>(values[0][lane]);
      targets.dx[first + lane] += static_cast<double>(values[1][lane]);
      targets.dy[first + lane] += static_cast<double>(values[2][lane]);
      targets.dz[first + lane] += static_cast<double>(values[3][lane]);
    }
  }
};

template <class Lanes, class Real>
HWY_INLINE void AddSources(NearTargets<Real>& targets, std::span<const NearSource<Real>> sources,
                           Real softening_squared, Real close_squared) {
  const Lanes d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const auto softening = hn::Set(d, softening_squared), close = hn::Set(d, close_squared);
  const auto all = hn::Eq(close, close);
  int first = 0;
  // Two vectors of targets share the loads of a source and hide each other's latency.
  for (; first + lanes < targets.count; first += 2 * lanes) {
    Sums<Lanes> one(targets, first), two(targets, first + lanes);
    for (const auto& source : sources) {
      one.template Add<false>(source, softening, close, all);
      two.template Add<false>(source, softening, close, all);
    }
    one.Store(targets, first);
    two.Store(targets, first + lanes);
  }
  for (; first < targets.count; first += lanes) {
    Sums<Lanes> sums(targets, first);
    for (const auto& source : sources) sums.template Add<false>(source, softening, close, all);
    sums.Store(targets, first);
  }
}

template <class Lanes, class Real>
HWY_INLINE void AddSourcesButOwn(NearTargets<Real>& targets, std::span<const NearSource<Real>> sources,
                                 Real softening_squared, Real close_squared, int own) {
  const Lanes d;
  const auto softening = hn::Set(d, softening_squared), close = hn::Set(d, close_squared);
  const int count = static_cast<int>(sources.size());
  for (int first = 0; first < targets.count; first += static_cast<int>(hn::Lanes(d))) {
    Sums<Lanes> sums(targets, first);
    const auto numbers = hn::Iota(d, static_cast<Real>(own + first));
    for (int i = 0; i < count; ++i) {
      const auto others = hn::Ne(numbers, hn::Set(d, static_cast<Real>(i)));
      sums.template Add<true>(sources[static_cast<std::size_t>(i)], softening, close, others);
    }
    sums.Store(targets, first);
  }
}

void AddSingles(NearTargets<float>& targets, std::span<const NearSource<float>> sources,
                float softening_squared, float close_squared, int own) {
  if (own == no_target) return AddSources<Singles>(targets, sources, softening_squared, close_squared);
  AddSourcesButOwn<Singles>(targets, sources, softening_squared, close_squared, own);
}
void AddDoubles(NearTargets<double>& targets, std::span<const NearSource<double>> sources,
                double softening_squared, double close_squared, int own) {
  if (own == no_target) return AddSources<Doubles>(targets, sources, softening_squared, close_squared);
  AddSourcesButOwn<Doubles>(targets, sources, softening_squared, close_squared, own);
}

}  // namespace isolume::multipoles::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::multipoles {

HWY_EXPORT(AddSingles);
HWY_EXPORT(AddDoubles);

void add_near_field(NearTargets<float>& targets, std::span<const NearSource<float>> sources,
                    float softening_squared, float close_squared, int own) {
  HWY_DYNAMIC_DISPATCH(AddSingles)(targets, sources, softening_squared, close_squared, own);
}
void add_near_field(NearTargets<double>& targets, std::span<const NearSource<double>> sources,
                    double softening_squared, double close_squared, int own) {
  HWY_DYNAMIC_DISPATCH(AddDoubles)(targets, sources, softening_squared, close_squared, own);
}

}  // namespace isolume::multipoles
#endif
