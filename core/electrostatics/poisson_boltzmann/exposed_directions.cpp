#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/electrostatics/poisson_boltzmann/exposed_directions.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <array>
#include <cmath>

#include <hwy/highway.h>

#include "core/electrostatics/poisson_boltzmann/exposed_directions.h"

#ifndef ISOLUME_DIRECTIONS_OF_BALL
#define ISOLUME_DIRECTIONS_OF_BALL
namespace isolume::electrostatics {

/// Directions through the centres of squares on the faces of a cube around a sphere. No direction is farther from the
/// nearest of them than half the diagonal of a square, since projection from the cube to the sphere reduces
/// distances.
struct Directions {
  static constexpr int along_edge = 12, along_block = 4, count = 6 * along_edge * along_edge;
  static constexpr float apart = 1.41421357f / along_edge;
  static_assert(along_edge % along_block == 0);

  alignas(64) std::array<float, count> x, y, z;

  /// Block by block: a cap that covers one square of a block covers most of it.
  Directions() {
    constexpr int blocks = along_edge / along_block, in_block = along_block * along_block;
    for (int n = 0; n < count; ++n) {
      const int face = n / (along_edge * along_edge), block = n / in_block % (blocks * blocks),
                in = n % in_block;
      const auto middle = [](int in_blocks, int within) {
        return static_cast<float>(2 * (in_blocks * along_block + within) + 1) / along_edge - 1;
      };
      const std::array<float, 3> on_cube{face % 2 == 0 ? -1.0f : 1.0f,
                                         middle(block / blocks, in / along_block),
                                         middle(block % blocks, in % along_block)};
      const float length = std::hypot(on_cube[0], on_cube[1], on_cube[2]);
      const auto part = [&](int axis) {
        return on_cube[static_cast<std::size_t>((axis + face / 2) % 3)] / length;
      };
      const auto at = static_cast<std::size_t>(n);
      x[at] = part(0);
      y[at] = part(1);
      z[at] = part(2);
    }
  }
};
/// Bound on the single-precision error of a radius or a cosine: far more than it actually is.
constexpr float rounding = 1e-3f;
constexpr std::size_t most_lanes = 16;

}  // namespace isolume::electrostatics
#endif

HWY_BEFORE_NAMESPACE();
namespace isolume::electrostatics::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 16>;

/// Collects the directions u that no cap covers: caps have u.(x, y, z) >= least. Returns their number. Needs room for
/// one more vector.
std::size_t Uncovered(const Directions& directions, const Caps& caps, float* x, float* y, float* z) {
  const Lanes d;
  const std::size_t lanes = hn::Lanes(d), count = caps.least.size();
  std::size_t found = 0, last = 0;
  for (std::size_t i = 0; i < Directions::count; i += lanes) {
    const auto along_x = hn::Load(d, directions.x.data() + i), along_y = hn::Load(d, directions.y.data() + i),
               along_z = hn::Load(d, directions.z.data() + i);
    auto above = hn::Set(d, -1.0f);  // for all caps, the largest excess over the threshold
    const auto look = [&](std::size_t n) HWY_ATTR {
      const auto along =
          hn::MulAdd(along_x, hn::Set(d, caps.x[n]),
                     hn::MulAdd(along_y, hn::Set(d, caps.y[n]), hn::Mul(along_z, hn::Set(d, caps.z[n]))));
      above = hn::Max(above, hn::Sub(along, hn::Set(d, caps.least[n])));
      return hn::AllTrue(d, hn::Ge(above, hn::Zero(d)));
    };
    bool everywhere = count > 0 && look(last);
    for (std::size_t n = 0; n < count && !everywhere; ++n) {
      everywhere = look(n);
      if (everywhere) last = n;
    }
    if (everywhere) continue;
    const auto free = hn::Lt(above, hn::Zero(d));
    hn::CompressStore(along_x, free, d, x + found);
    hn::CompressStore(along_y, free, d, y + found);
    found += hn::CompressStore(along_z, free, d, z + found);
  }
  return found;
}

/// Whether one of them, which are padded to whole vectors, has a cosine with the axis from `least` to `most`.
bool AnyBetween(const float* x, const float* y, const float* z, std::size_t count, const float* axis,
                float least, float most) {
  const Lanes d;
  for (std::size_t i = 0; i < count; i += hn::Lanes(d)) {
    const auto along = hn::MulAdd(hn::LoadU(d, x + i), hn::Set(d, axis[0]),
                                  hn::MulAdd(hn::LoadU(d, y + i), hn::Set(d, axis[1]),
                                             hn::Mul(hn::LoadU(d, z + i), hn::Set(d, axis[2]))));
    const auto between = hn::And(hn::Ge(along, hn::Set(d, least)), hn::Le(along, hn::Set(d, most)));
    if (!hn::AllFalse(d, between)) return true;
  }
  return false;
}

}  // namespace isolume::electrostatics::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::electrostatics {

HWY_EXPORT(Uncovered);
HWY_EXPORT(AnyBetween);

void ExposedDirections::find(double ball_radius, const BallsAround& others) {
  static const Directions directions;
  // R u is `margin` deep in the ball around c of radius s where u.c >= (R^2 + c^2 - (s - margin)^2) / (2 R).
  const double margin = static_cast<double>(Directions::apart + rounding) * ball_radius;
  constexpr double of_larger = 1e-6;  // single precision is less accurate for lengths much larger than R
  for (auto* each : {&caps_.x, &caps_.y, &caps_.z, &caps_.least}) each->clear();
  for (std::size_t n = 0; n < others.size(); ++n) {
    const double x = others.x[n], y = others.y[n], z = others.z[n], squared = x * x + y * y + z * z;
    const double deep = others.radius[n] - margin - of_larger * (others.radius[n] + std::sqrt(squared));
    if (deep <= 0) continue;
    const double needed = (ball_radius * ball_radius + squared - deep * deep) / (2 * ball_radius);
    caps_.x.push_back(static_cast<float>(x));
    caps_.y.push_back(static_cast<float>(y));
    caps_.z.push_back(static_cast<float>(z));
    caps_.least.push_back(static_cast<float>(needed));
  }
  for (auto* each : {&x_, &y_, &z_}) each->resize(Directions::count + most_lanes);
  const std::size_t found =
      HWY_DYNAMIC_DISPATCH(Uncovered)(directions, caps_, x_.data(), y_.data(), z_.data());
  // Pads the last vector with existing directions.
  const std::size_t whole = (found + most_lanes - 1) / most_lanes * most_lanes;
  for (auto* each : {&x_, &y_, &z_}) {
    each->resize(whole);
    if (found > 0) std::fill(each->begin() + static_cast<std::ptrdiff_t>(found), each->end(), each->front());
  }
}

bool ExposedDirections::may_reach(const Eigen::Vector3d& axis, double cosine) const {
  // As an angle: twice the arc sine of half of their distance.
  constexpr float half = Directions::apart / 2;
  const float cosine_apart = 1 - 2 * half * half, sine_apart = std::sqrt(1 - cosine_apart * cosine_apart);
  const auto at = static_cast<float>(cosine), sine = std::sqrt(std::max(0.0f, 1 - at * at));
  // The range is clipped at the poles.
  const float least = -at > cosine_apart ? -1 : at * cosine_apart - sine * sine_apart,
              most = at > cosine_apart ? 1 : at * cosine_apart + sine * sine_apart;
  const Eigen::Vector3f along = axis.cast<float>();
  return HWY_DYNAMIC_DISPATCH(AnyBetween)(x_.data(), y_.data(), z_.data(), x_.size(), along.data(),
                                          least - rounding, most + rounding);
}

}  // namespace isolume::electrostatics
#endif
