#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/pair_sums.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/base/inverse_root-inl.h"
#include "core/nbody/pair_sums.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;
using Vector = hn::Vec<Lanes>;

/// The sums of a vector of targets.
struct Sums {
  Vector x, y, z, ax, ay, az, potential;

  HWY_INLINE Sums(const Targets& targets, int first) {
    const Lanes d;
    x = hn::Load(d, targets.x + first);
    y = hn::Load(d, targets.y + first);
    z = hn::Load(d, targets.z + first);
    ax = ay = az = potential = hn::Zero(d);
  }
  HWY_INLINE void Add(const PointSource& source, Vector softening_squared) {
    const Lanes d;
    const Vector dx = hn::Sub(hn::Set(d, source.x), x);
    const Vector dy = hn::Sub(hn::Set(d, source.y), y);
    const Vector dz = hn::Sub(hn::Set(d, source.z), z);
    const Vector squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, softening_squared)));
    const Vector inverse = isolume::HWY_NAMESPACE::InverseRoot(d, squared);
    const Vector pull = hn::Mul(hn::Set(d, source.mass), inverse);
    const Vector strength = hn::Mul(pull, hn::Mul(inverse, inverse));
    potential = hn::Sub(potential, pull);
    ax = hn::MulAdd(strength, dx, ax);
    ay = hn::MulAdd(strength, dy, ay);
    az = hn::MulAdd(strength, dz, az);
  }
  /// With n the direction to the cell, i its inverse softened distance, S its second moments, u = S n,
  /// s = n.u and t the trace of S: potential -i (m + i^2 (3 s - t) / 2), acceleration
  /// i^2 (n (m + i^2 (7.5 s - 1.5 t)) - 3 i^2 u). (The gradient of the first; nothing overflows early, as
  /// powers of i are multiplied with moments.)
  HWY_INLINE void Add(const CellSource& source, Vector softening_squared) {
    const Lanes d;
    const Vector dx = hn::Sub(hn::Set(d, source.x), x);
    const Vector dy = hn::Sub(hn::Set(d, source.y), y);
    const Vector dz = hn::Sub(hn::Set(d, source.z), z);
    const Vector squared = hn::MulAdd(dx, dx, hn::MulAdd(dy, dy, hn::MulAdd(dz, dz, softening_squared)));
    const Vector inverse = isolume::HWY_NAMESPACE::InverseRoot(d, squared);
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
  HWY_INLINE void Store(Targets& targets, int first) const {
    const Lanes d;
    const int lanes = static_cast<int>(hn::Lanes(d));
    HWY_ALIGN float values[4][16];
    hn::Store(ax, d, values[0]);
    hn::Store(ay, d, values[1]);
    hn::Store(az, d, values[2]);
    hn::Store(potential, d, values[3]);
    for (int lane = 0; lane < lanes; ++lane) {
      targets.ax[first + lane] += static_cast<double>(values[0][lane]);
      targets.ay[first + lane] += static_cast<double>(values[1][lane]);
      targets.az[first + lane] += static_cast<double>(values[2][lane]);
      targets.potential[first + lane] += static_cast<double>(values[3][lane]);
    }
  }
};

template <class Source>
HWY_INLINE void AddSources(Targets& targets, std::span<const Source> sources, float softening_squared) {
  const Lanes d;
  const int lanes = static_cast<int>(hn::Lanes(d));
  const Vector softening = hn::Set(d, softening_squared);
  int first = 0;
  // Two vectors of targets share what is loaded of a source, and hide each other's latencies.
  for (; first + lanes < targets.count; first += 2 * lanes) {
    Sums one(targets, first), two(targets, first + lanes);
    for (const Source& source : sources) {
      one.Add(source, softening);
      two.Add(source, softening);
    }
    one.Store(targets, first);
    two.Store(targets, first + lanes);
  }
  for (; first < targets.count; first += lanes) {
    Sums sums(targets, first);
    for (const Source& source : sources) sums.Add(source, softening);
    sums.Store(targets, first);
  }
}

void AddPoints(Targets& targets, std::span<const PointSource> sources, float softening_squared) {
  AddSources(targets, sources, softening_squared);
}
void AddCells(Targets& targets, std::span<const CellSource> sources, float softening_squared) {
  AddSources(targets, sources, softening_squared);
}

}  // namespace isolume::nbody::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::nbody {

HWY_EXPORT(AddPoints);
HWY_EXPORT(AddCells);

void add_points(Targets& targets, std::span<const PointSource> sources, float softening_squared) {
  HWY_DYNAMIC_DISPATCH(AddPoints)(targets, sources, softening_squared);
}
void add_cells(Targets& targets, std::span<const CellSource> sources, float softening_squared) {
  HWY_DYNAMIC_DISPATCH(AddCells)(targets, sources, softening_squared);
}

}  // namespace isolume::nbody
#endif
