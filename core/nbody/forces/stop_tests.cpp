#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/nbody/forces/stop_tests.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>

#include <hwy/highway.h>
#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/nbody/forces/stop_tests.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::nbody::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void Judge(const StopTests& stops, std::uint32_t first, std::uint32_t count, const Place& on, double distance,
           ActsOn* found) {
  const hn::CappedTag<double, StopTests::most> d;
  const hn::Rebind<float, decltype(d)> f;
  const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  for (std::uint32_t i = 0; i < count; i += lanes) {
    const std::size_t at = first + i;
    const auto promoted = [&](const Paged<float>& values)
                              HWY_ATTR { return hn::PromoteTo(d, hn::LoadU(f, values.data() + at)); };
    auto squared = zero,
         beyond = zero;  // squared distances from the expansion centre, and from the box around the bodies
    const auto along = [&](const Paged<double>& places, Eigen::Index axis) HWY_ATTR {
      const auto centre = hn::LoadU(d, places.data() + at), from = hn::Sub(centre, hn::Set(d, on.at[axis]));
      // Uses both ends of the box, so that it is exactly 0 inside the box: the cell may be one of the target bodies.
      const auto gap = hn::Max(hn::Max(hn::Sub(hn::Set(d, on.box.min()[axis]), centre),
                                       hn::Sub(centre, hn::Set(d, on.box.max()[axis]))),
                               zero);
      squared = hn::MulAdd(from, from, squared);
      beyond = hn::MulAdd(gap, gap, beyond);
    };
    along(stops.x, 0);
    along(stops.y, 1);
    along(stops.z, 2);
    const auto radius = promoted(stops.radius), radii = hn::Add(radius, hn::Set(d, on.radius)),
               radii_squared = hn::Mul(radii, radii),
               far = hn::Mul(promoted(stops.spread), hn::Set(d, distance));
    auto on_place = hn::Gt(squared, hn::Mul(hn::Mul(far, far), radii_squared));
    if (on.allowed != 0) {
      const auto ratio = hn::Div(radii_squared, squared), cubed = hn::Mul(ratio, hn::Mul(ratio, ratio));
      on_place = hn::And(
          on_place, hn::Lt(hn::Mul(promoted(stops.mass), cubed), hn::Mul(squared, hn::Set(d, on.allowed))));
    }
    const auto opening = hn::Mul(promoted(stops.opening), hn::Set(d, on.factor)),
               reach = hn::Max(opening, hn::Max(radius, hn::Set(d, on.reach)));
    const auto on_bodies = hn::Gt(beyond, hn::Mul(reach, reach));
    std::uint8_t place_bits[8] = {}, bodies_bits[8] = {};
    hn::StoreMaskBits(d, on_place, place_bits);
    hn::StoreMaskBits(d, on_bodies, bodies_bits);
    for (std::uint32_t lane = 0; lane < lanes && i + lane < count; ++lane) {
      const bool whole = ((place_bits[0] >> lane) & 1) != 0, near = ((bodies_bits[0] >> lane) & 1) != 0;
      found[i + lane] = whole ? ActsOn::place : near ? ActsOn::bodies : ActsOn::parts;
    }
  }
}

}  // namespace isolume::nbody::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::nbody {

HWY_EXPORT(Judge);

StopTests::StopTests(const Paged<Stop>& stops) {
  // Padding, because whole vectors are read.
  const std::size_t count = stops.size() + most;
  for (auto* values : {&x, &y, &z}) values->resize(count);
  for (auto* values : {&radius, &opening, &spread, &mass}) values->resize(count);
  using Range = tbb::blocked_range<std::size_t>;
  handover::parallel_for(Range(0, count, 1 << 12), [&](const Range& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      const Stop& stop = stops[std::min(i, stops.size() - 1)];
      x[i] = stop.centre_of_mass.x();
      y[i] = stop.centre_of_mass.y();
      z[i] = stop.centre_of_mass.z();
      radius[i] = stop.radius;
      opening[i] = stop.opening;
      spread[i] = stop.spread;
      mass[i] = stop.mass;
    }
  });
}

void StopTests::judge(std::uint32_t first, std::uint32_t count, const Place& on, double distance,
                      ActsOn* found) const {
  HWY_DYNAMIC_DISPATCH(Judge)(*this, first, count, on, distance, found);
}

}  // namespace isolume::nbody
#endif
