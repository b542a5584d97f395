#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/forces/pair_sums.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <type_traits>

#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/nbody/forces/pair_sums.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Lanes>;

/// Smallest normal number in single precision.
constexpr float least_normal = 1.1754944e-38f;

/// 2 / sqrt(squared), and 0 for a square of 0, which only occurs if `softened` is false.
template <bool softened>
HWY_INLINE Vector TwiceInverseRoot(Vector squared) {
  const Lanes d;
  const Vector twice = isolume::HWY_NAMESPACE::TwiceInverseRootOfNormal(d, squared);
  return softened ? twice : hn::IfThenElseZero(hn::Ge(squared, hn::Set(d, least_normal)), twice);
}

/// Form of the softening.
enum class Softening { none, plummer, spline };

/// Sums for a vector of targets.
template <Softening kind>
struct Sums {
  static constexpr bool softened = kind != Softening::none;
  Vector x, y, z, ax, ay, az, potential;

  HWY_INLINE Sums(const Targets& targets, int first) {
    const Lanes d;
    x = hn::Load(d, targets.x + first);
    y = hn::Load(d, targets.y + first);
    z = hn::Load(d, targets.z + first);
    ax = ay = az = potential = hn::Zero(d);
  }
  /// Accumulates eight times the acceleration, and twice the potential.
  HWY_INLINE void Add(const PointSource& source, Vector softening) {
    Add(source, hn::Set(Lanes(), source.mass), softening);
  }
  /// `mass`: the source's mass as seen by each target. `softening`: Plummer's squared, or the inverse of the spline's
  /// support.
  HWY_INLINE void Add(const PointSource& source, Vector mass, Vector softening) {
    if constexpr (kind == Softening::spline) {
      AddBySpline(source, mass, softening);
    } else {
      AddByPlummer(source, mass, softening);
    }
  }
  HWY_INLINE void AddByPlummer(const PointSource& source, Vector mass, Vector softening_squared) {
    const Lanes d;
    const Vector dx = hn::Sub(hn::Set(d, source.x), x);
    const Vector dy = hn::Sub(hn::Set(d, source.y), y);
    const Vector dz = hn::Sub(hn::Set(d, source.z), z);
    const Vector squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, softening_squared)));
    const Vector twice = TwiceInverseRoot<softened>(squared);
    const Vector pull = hn::Mul(mass, twice);
    // Does not use the square of `twice`, which may overflow: 0 times infinity is NaN.
    const Vector strength = hn::Mul(hn::Mul(pull, twice), twice);
    potential = hn::Sub(potential, pull);
    ax = hn::MulAdd(strength, dx, ax);
    ay = hn::MulAdd(strength, dy, ay);
    az = hn::MulAdd(strength, dz, az);
  }
  /// With u the distance divided by the support h, and w = 1 - u, or 0 from the support on. For u >= 1/2, acceleration
  /// and potential are Newton's times 1 - w^4 (16 - 25.6 w + 32/3 w^2) and 1 - w^5 (3.2 - 32/15 w), which are the
  /// polynomials of spline_pull() without their cancellation.
  HWY_INLINE void AddBySpline(const PointSource& source, Vector mass, Vector per_support) {
    const Lanes d;
    const Vector dx = hn::Sub(hn::Set(d, source.x), x);
    const Vector dy = hn::Sub(hn::Set(d, source.y), y);
    const Vector dz = hn::Sub(hn::Set(d, source.z), z);
    // Above 0, so that the inverse root is finite.
    const Vector squared =
        hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, hn::Set(d, least_normal))));
    const Vector twice = TwiceInverseRoot<true>(squared), one = hn::Set(d, 1.0f);
    const Vector u = hn::Mul(hn::Mul(hn::Mul(squared, twice), hn::Set(d, 0.5f)), per_support);
    const Vector w = hn::Max(hn::Sub(one, u), hn::Zero(d));
    const Vector u2 = hn::Mul(u, u), w2 = hn::Mul(w, w), w4 = hn::Mul(w2, w2), w5 = hn::Mul(w4, w);
    const auto polynomial = [&](Vector at, float first, float second)
                                HWY_ATTR { return hn::MulAdd(at, hn::Set(d, second), hn::Set(d, first)); };
    const Vector inner_attraction = hn::MulAdd(u2, polynomial(u, -38.4f, 32.0f), hn::Set(d, 32.0f / 3));
    const Vector outer_attraction =
        hn::NegMulAdd(w4, hn::MulAdd(w, polynomial(w, -25.6f, 32.0f / 3), hn::Set(d, 16.0f)), one);
    const Vector inner_depth = hn::NegMulAdd(
        u2, hn::MulAdd(u2, polynomial(u, -9.6f, 6.4f), hn::Set(d, 16.0f / 3)), hn::Set(d, 2.8f));
    const Vector outer_depth = hn::NegMulAdd(w5, polynomial(w, 3.2f, -32.0f / 15), one);
    const auto inner = hn::Lt(u, hn::Set(d, 0.5f));
    const Vector scale = hn::IfThenElse(inner, hn::Add(per_support, per_support), twice);
    const Vector pull = hn::Mul(mass, scale);
    const Vector strength = hn::Mul(hn::Mul(hn::Mul(pull, scale), scale),
                                    hn::IfThenElse(inner, inner_attraction, outer_attraction));
    potential = hn::NegMulAdd(pull, hn::IfThenElse(inner, inner_depth, outer_depth), potential);
    ax = hn::MulAdd(strength, dx, ax);
    ay = hn::MulAdd(strength, dy, ay);
    az = hn::MulAdd(strength, dz, az);
  }
  /// With n the direction to the cell, i its inverse softened distance, S its second moments, u = S n, s = n.u and t
  /// the trace of S: potential -i (m + i^2 (3 s - t) / 2), acceleration i^2 (n (m + i^2 (7.5 s - 1.5 t)) - 3 i^2 u).
  /// (The gradient of the potential; powers of i are multiplied by moments first, which avoids early overflow.)
  HWY_INLINE void Add(const CellSource& source, Vector softening_squared) {
    const Lanes d;
    const Vector dx = hn::Sub(hn::Set(d, source.x), x);
    const Vector dy = hn::Sub(hn::Set(d, source.y), y);
    const Vector dz = hn::Sub(hn::Set(d, source.z), z);
    const Vector squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, softening_squared)));
    const Vector inverse = hn::Mul(TwiceInverseRoot<softened>(squared), hn::Set(d, 0.5f));
    const Vector nx = hn::Mul(dx, inverse), ny = hn::Mul(dy, inverse), nz = hn::Mul(dz, inverse);
    const Vector i2 = hn::Mul(inverse, inverse);
    const SecondMoments& moments = source.moments;
    const Vector xx = hn::Set(d, moments.xx), xy = hn::Set(d, moments.xy), xz = hn::Set(d, moments.xz);
    const Vector yy = hn::Set(d, moments.yy), yz = hn::Set(d, moments.yz), zz = hn::Set(d, moments.zz);
    const Vector ux = hn::MulAdd(xx, nx, hn::MulAdd(xy, ny, hn::Mul(xz, nz)));
    const Vector uy = hn::MulAdd(xy, nx, hn::MulAdd(yy, ny, hn::Mul(yz, nz)));
    const Vector uz = hn::MulAdd(xz, nx, hn::MulAdd(yz, ny, hn::Mul(zz, nz)));
    const Vector s = hn::MulAdd(ux, nx, hn::MulAdd(uy, ny, hn::Mul(uz, nz)));
    const Vector t = hn::Set(d, moments.xx + moments.yy + moments.zz);
    const Vector m = hn::Set(d, source.mass);
    const Vector spread = hn::Mul(i2, hn::MulSub(hn::Set(d, 3.0f), s, t));
    potential = hn::NegMulAdd(inverse, hn::MulAdd(hn::Set(d, 0.5f), spread, m), potential);
    const Vector along =
        hn::Mul(i2, hn::MulAdd(i2, hn::MulSub(hn::Set(d, 7.5f), s, hn::Mul(hn::Set(d, 1.5f), t)), m));
    const Vector across = hn::Mul(hn::Set(d, -3.0f), i2);
    ax = hn::MulAdd(along, nx, hn::MulAdd(across, hn::Mul(i2, ux), ax));
    ay = hn::MulAdd(along, ny, hn::MulAdd(across, hn::Mul(i2, uy), ay));
    az = hn::MulAdd(along, nz, hn::MulAdd(across, hn::Mul(i2, uz), az));
  }
  template <class Source>
  HWY_INLINE void Store(Targets& targets, int first) const {
    constexpr bool is_point = std::is_same_v<Source, PointSource>;
    constexpr double of_accelerations = is_point ? 0.125 : 1, of_potentials = is_point ? 0.5 : 1;
    const Lanes d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN float values[4][16];
    hn::Store(ax, d, values[0]);
    hn::Store(ay, d, values[1]);
    hn::Store(az, d, values[2]);
    hn::Store(potential, d, values[3]);
    for (int lane = 0; lane < lanes; ++lane) {
      targets.ax[first + lane] += of_accelerations * static_cast<double>(values[0][lane]);
      targets.ay[first + lane] += of_accelerations * static_cast<double>(values[1][lane]);
      targets.az[first + lane] += of_accelerations * static_cast<double>(values[2][lane]);
      targets.potential[first + lane] += of_potentials * static_cast<double>(values[3][lane]);
    }
  }
};

template <Softening kind, class Source>
HWY_INLINE void AddSources(Targets& targets, std::span<const Source> sources, float by) {
  const Lanes d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vector softening = hn::Set(d, by);
  int first = 0;
  // Two vectors of targets share the loads of a source, which hides latencies.
  for (; first + lanes < targets.count; first += 2 * lanes) {
    Sums<kind> one(targets, first), two(targets, first + lanes);
    for (const Source& source : sources) {
      one.Add(source, softening);
      two.Add(source, softening);
    }
    one.template Store<Source>(targets, first);
    two.template Store<Source>(targets, first + lanes);
  }
  for (; first < targets.count; first += lanes) {
    Sums<kind> sums(targets, first);
    for (const Source& source : sources) sums.Add(source, softening);
    sums.template Store<Source>(targets, first);
  }
}

template <class Source>
HWY_INLINE void AddAll(Targets& targets, std::span<const Source> sources, float softening_squared) {
  if (softening_squared >= least_normal)
    return AddSources<Softening::plummer>(targets, sources, softening_squared);
  AddSources<Softening::none>(targets, sources, softening_squared);
}

template <Softening kind>
HWY_INLINE void AddSourcesButOwn(Targets& targets, std::span<const PointSource> sources, int own, float by) {
  const Lanes d;
  const Vector softening = hn::Set(d, by);
  const int count = static_cast<int>(sources.size());
  for (int first = 0; first < targets.count; first += static_cast<int>(hn::Lanes(d))) {
    Sums<kind> sums(targets, first);
    const Vector numbers = hn::Iota(d, static_cast<float>(own + first));
    for (int i = 0; i < count; ++i) {
      const auto others = hn::Ne(numbers, hn::Set(d, static_cast<float>(i)));
      const PointSource& source = sources[static_cast<std::size_t>(i)];
      sums.Add(source, hn::IfThenElseZero(others, hn::Set(d, source.mass)), softening);
    }
    sums.template Store<PointSource>(targets, first);
  }
}

void AddPointsButOwn(Targets& targets, std::span<const PointSource> sources, int first,
                     float softening_squared) {
  if (softening_squared >= least_normal)
    return AddSourcesButOwn<Softening::plummer>(targets, sources, first, softening_squared);
  AddSourcesButOwn<Softening::none>(targets, sources, first, softening_squared);
}
void AddPoints(Targets& targets, std::span<const PointSource> sources, float softening_squared) {
  AddAll(targets, sources, softening_squared);
}
void AddSplinePoints(Targets& targets, std::span<const PointSource> sources, float per_support) {
  AddSources<Softening::spline>(targets, sources, per_support);
}
void AddSplinePointsButOwn(Targets& targets, std::span<const PointSource> sources, int first,
                           float per_support) {
  AddSourcesButOwn<Softening::spline>(targets, sources, first, per_support);
}
void AddCells(Targets& targets, std::span<const CellSource> sources, float softening_squared) {
  AddAll(targets, sources, softening_squared);
}

void PointsFrom(const double* place, std::span<const double> points, PointSource* to) {
  const hn::CappedTag<double, 4> d;
  const hn::Rebind<float, decltype(d)> f;
  const double from[4] = {place[0], place[1], place[2], 0};
  static_assert(sizeof(PointSource) == sizeof from / 2);
  auto* out = reinterpret_cast<float*>(to);
  for (std::size_t i = 0; i < points.size(); i += hn::Lanes(d))
    hn::StoreU(hn::DemoteTo(f, hn::Sub(hn::LoadU(d, points.data() + i), hn::LoadU(d, from + i % 4))), f,
               out + i);
}

}  // namespace isolume::nbody::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::nbody {

HWY_EXPORT(AddPoints);
HWY_EXPORT(AddPointsButOwn);
HWY_EXPORT(AddSplinePoints);
HWY_EXPORT(AddSplinePointsButOwn);
HWY_EXPORT(AddCells);
HWY_EXPORT(PointsFrom);

void add_points(Targets& targets, std::span<const PointSource> sources, float softening_squared) {
  HWY_DYNAMIC_DISPATCH(AddPoints)(targets, sources, softening_squared);
}
void add_points_but_own(Targets& targets, std::span<const PointSource> sources, int first,
                        float softening_squared) {
  HWY_DYNAMIC_DISPATCH(AddPointsButOwn)(targets, sources, first, softening_squared);
}
void add_spline_points(Targets& targets, std::span<const PointSource> sources, float per_support) {
  HWY_DYNAMIC_DISPATCH(AddSplinePoints)(targets, sources, per_support);
}
void add_spline_points_but_own(Targets& targets, std::span<const PointSource> sources, int first,
                               float per_support) {
  HWY_DYNAMIC_DISPATCH(AddSplinePointsButOwn)(targets, sources, first, per_support);
}
void add_cells(Targets& targets, std::span<const CellSource> sources, float softening_squared) {
  HWY_DYNAMIC_DISPATCH(AddCells)(targets, sources, softening_squared);
}
void points_from(const double* place, std::span<const double> points, PointSource* to) {
  HWY_DYNAMIC_DISPATCH(PointsFrom)(place, points, to);
}

}  // namespace isolume::nbody
#endif
