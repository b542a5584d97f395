#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/forces/hilbert_numbers.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/nbody/forces/hilbert.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<std::uint32_t, 16>;
using Vector = hn::Vec<Lanes>;

/// Where `axis` has the bit set, inverts x's lower bits; elsewhere exchanges those of the two.
HWY_INLINE void Turn(Vector& x, Vector& axis, Vector bit, Vector below) {
  const auto has = hn::TestBit(axis, bit);
  const Vector exchange = hn::IfThenZeroElse(has, hn::And(hn::Xor(x, axis), below));
  x = hn::Xor(x, hn::Xor(hn::IfThenElseZero(has, below), exchange));
  axis = hn::Xor(axis, exchange);
}

/// The algorithm of hilbert_number() for a vector of points; their bits are interleaved later.
void TurnPlaces(GridPlaces& places, std::size_t count) {
  const Lanes d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    Vector x = hn::Load(d, places.x + i), y = hn::Load(d, places.y + i), z = hn::Load(d, places.z + i);
    for (int bit = hilbert_levels - 1; bit > 0; --bit) {
      const Vector at = hn::Set(d, 1u << bit), below = hn::Set(d, (1u << bit) - 1);
      x = hn::Xor(x, hn::IfThenElseZero(hn::TestBit(x, at), below));
      Turn(x, y, at, below);
      Turn(x, z, at, below);
    }
    y = hn::Xor(y, x);
    z = hn::Xor(z, y);
    Vector gray = hn::Zero(d);
    for (int bit = hilbert_levels - 1; bit > 0; --bit) {
      const auto has = hn::TestBit(z, hn::Set(d, 1u << bit));
      gray = hn::Xor(gray, hn::IfThenElseZero(has, hn::Set(d, (1u << bit) - 1)));
    }
    hn::Store(hn::Xor(x, gray), d, places.x + i);
    hn::Store(hn::Xor(y, gray), d, places.y + i);
    hn::Store(hn::Xor(z, gray), d, places.z + i);
  }
}

}  // namespace isolume::nbody::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::nbody {

HWY_EXPORT(TurnPlaces);

void turn_along_curve(GridPlaces& places, std::size_t count) {
  HWY_DYNAMIC_DISPATCH(TurnPlaces)(places, count);
}

}  // namespace isolume::nbody
#endif
