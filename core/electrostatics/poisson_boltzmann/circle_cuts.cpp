#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/poisson_boltzmann/circle_cuts.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <hwy/highway.h>

#include "core/electrostatics/poisson_boltzmann/circle_cuts.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;

/// ExposedCircle::number_of.
HWY_INLINE hn::Vec<Doubles> NumberOf(Doubles d, hn::Vec<Doubles> cosine, hn::Vec<Doubles> sine) {
  const auto part = hn::Div(cosine, hn::Add(hn::Abs(cosine), hn::Abs(sine)));
  return hn::IfThenElse(hn::Ge(sine, hn::Zero(d)), hn::Sub(hn::Set(d, 1.0), part),
                        hn::Add(hn::Set(d, 3.0), part));
}

std::size_t Cuts(const BallsAround& balls, const Circle& circle, double* from, double* to) {
  const Doubles d;
  const auto dot = [&](const Eigen::Vector3d& axis, const auto& x, const auto& y, const auto& z) HWY_ATTR {
    return hn::MulAdd(x, hn::Set(d, axis.x()),
                      hn::MulAdd(y, hn::Set(d, axis.y()), hn::Mul(z, hn::Set(d, axis.z()))));
  };
  const double twice = 2 * circle.radius;
  std::size_t found = 0;
  for (std::size_t i = 0; i < balls.size(); i += hn::Lanes(d)) {
    // Inside a ball where w.e1 cos t + w.e2 sin t < (its radius^2 - w^2 - radius^2) / (2 radius).
    const auto x = hn::Sub(hn::Set(d, circle.centre.x()), hn::LoadU(d, balls.x.data() + i)),
               y = hn::Sub(hn::Set(d, circle.centre.y()), hn::LoadU(d, balls.y.data() + i)),
               z = hn::Sub(hn::Set(d, circle.centre.z()), hn::LoadU(d, balls.z.data() + i)),
               radius = hn::LoadU(d, balls.radius.data() + i);
    const auto a = hn::Mul(dot(circle.e1, x, y, z), hn::Set(d, twice)),
               b = hn::Mul(dot(circle.e2, x, y, z), hn::Set(d, twice));
    const auto squared = hn::MulAdd(x, x, hn::MulAdd(y, y, hn::Mul(z, z)));
    const auto less = hn::Sub(hn::MulSub(radius, radius, squared), hn::Set(d, circle.radius * circle.radius));
    const auto rest = hn::Sub(hn::MulAdd(a, a, hn::Mul(b, b)), hn::Mul(less, less));
    const auto whole = hn::Le(rest, hn::Zero(d));
    if (!hn::AllFalse(d, hn::And(whole, hn::Ge(less, hn::Zero(d))))) return covers_all;
    if (hn::AllTrue(d, whole)) continue;
    // The exposed part is within an angle of (a, b), whose cosine is `less` and whose sine is this.
    const auto sine = hn::Sqrt(hn::Max(rest, hn::Zero(d)));
    const auto begins = NumberOf(d, hn::NegMulAdd(sine, b, hn::Mul(less, a)),
                                 hn::MulAdd(sine, a, hn::Mul(less, b))),
               ends = NumberOf(d, hn::MulAdd(sine, b, hn::Mul(less, a)),
                               hn::NegMulAdd(sine, a, hn::Mul(less, b)));
    const auto cut = hn::Not(whole);
    HWY_ALIGN double some_begins[8], some_ends[8];
    hn::CompressStore(begins, cut, d, some_begins);
    const std::size_t count = hn::CompressStore(ends, cut, d, some_ends);
    for (std::size_t n = 0; n < count; ++n) {
      from[found + n] = some_begins[n];
      to[found + n] = some_ends[n];
    }
    found += count;
  }
  return found;
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {

HWY_EXPORT(Cuts);

void BallsAround::clear() {
  for (auto* each : {&x, &y, &z, &radius}) each->clear();
}

void BallsAround::add(const Eigen::Vector3d& at, double of_radius) {
  x.push_back(at.x());
  y.push_back(at.y());
  z.push_back(at.z());
  radius.push_back(of_radius);
}

void BallsAround::fill_up() {
  constexpr std::size_t most_lanes = 16;
  const std::size_t whole = (x.size() + most_lanes - 1) / most_lanes * most_lanes;
  constexpr double far_away = 1e6;
  for (auto* each : {&x, &y, &z}) each->resize(whole, far_away);
  radius.resize(whole, 0);
}

std::size_t circle_cuts(const BallsAround& balls, const Circle& circle, double* from, double* to) {
  return HWY_DYNAMIC_DISPATCH(Cuts)(balls, circle, from, to);
}

}  // namespace isolume::electrostatics
#endif
