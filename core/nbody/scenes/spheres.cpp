#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <vector>

#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {

using Eigen::Vector3d;
using std::numbers::pi;

/// Aarseth, Henon, Wielen, A&A 37, 183 (1974).
BodyState plummer_body(Random& random) {
  const double radius = 1 / std::sqrt(std::pow(random.uniform(), -2.0 / 3) - 1);
  const Vector3d place = radius * random_direction(random);
  // Speed as a fraction q of the escape speed: density q^2 (1 - q^2)^(7/2), which is below 0.1 everywhere.
  const double part = drawn_below(
      1, 0.1, [](double q) { return q * q * std::pow(1 - q * q, 3.5); }, random);
  const double escape = std::numbers::sqrt2 * std::pow(1 + radius * radius, -0.25);
  return {place, part * escape * random_direction(random)};
}

namespace {

/// Without a constant factor; q^2 = -E a / (G M) (Hernquist, ApJ 356, 359 (1990), eq. 17).
double hernquist_distribution(double q) {
  const double q2 = q * q;
  return (3 * std::asin(q) + q * std::sqrt(1 - q2) * (1 - 2 * q2) * (8 * q2 * q2 - 8 * q2 - 3)) /
         std::pow(1 - q2, 2.5);
}

}  // namespace

BodyState hernquist_body(Random& random) {
  // M(r) = r^2 / (r + 1)^2; truncated at 198 scale lengths, beyond which lies the last hundredth of the mass.
  const double root = std::sqrt(0.99 * random.uniform());
  const double radius = root / (1 - root), depth = 1 / (1 + radius);
  const Vector3d place = radius * random_direction(random);
  const double escape = std::sqrt(2 * depth);
  const auto density = [&](double speed) {
    return speed * speed * hernquist_distribution(std::sqrt(std::max(0.0, depth - 0.5 * speed * speed)));
  };
  double most = 0;
  for (int i = 1; i < 64; ++i) most = std::max(most, density(escape * i / 64));
  const double speed = drawn_below(escape, 1.1 * most, density, random);
  return {place, speed * random_direction(random)};
}

namespace {

/// King's model in units of the core radius and the velocity dispersion (King, AJ 71, 64 (1966)): potential depth and
/// enclosed mass as functions of the radius, from the centre to the tidal radius.
class King {
 public:
  explicit King(double depth) : middle_(density(depth)) {
    constexpr double step = 1e-3;
    double r = step, w = depth - 1.5 * step * step, slope = -3 * step;  // from the series about the centre
    radius_ = {0, r};
    depth_ = {depth, w};
    mass_ = {0, 4 * pi / 3 * r * r * r};
    while (w > 1e-6 && r < 1e4) {
      // At large radii the depth changes over lengths comparable to the radius, and then reaches 0 quickly.
      const double h = std::min({1e-3 + 0.01 * r, 0.2 * w / -slope + 1e-9});
      advance(r, w, slope, h);
      if (!(w > 0)) break;
      radius_.push_back(r);
      depth_.push_back(w);
      mass_.push_back(-4 * pi / 9 * r * r * slope);  // Poisson's equation
    }
  }
  double mass() const { return mass_.back(); }
  /// The radius that encloses this fraction of the mass, and the depth there.
  std::pair<double, double> at_mass(double part) const {
    const double wanted = part * mass();
    const auto above = std::max<std::ptrdiff_t>(std::ranges::upper_bound(mass_, wanted) - mass_.begin(), 1);
    const auto i = std::min(static_cast<std::size_t>(above), mass_.size() - 1);
    double t = (wanted - mass_[i - 1]) / (mass_[i] - mass_[i - 1]);
    if (i == 1) t = std::cbrt(t);
    return {std::lerp(radius_[i - 1], radius_[i], t), std::lerp(depth_[i - 1], depth_[i], t)};
  }

 private:
  static double density(double w) {
    if (w <= 0) return 0;
    return std::exp(w) * std::erf(std::sqrt(w)) - std::sqrt(4 * w / pi) * (1 + 2 * w / 3);
  }
  /// W'' + 2 W' / r = -9 density / central density, by the fourth-order Runge-Kutta method.
  void advance(double& r, double& w, double& slope, double h) const {
    const auto bend = [&](double at, double value, double first) {
      return -9 * density(value) / middle_ - 2 * first / at;
    };
    const double k1 = slope, l1 = bend(r, w, slope);
    const double k2 = slope + h / 2 * l1, l2 = bend(r + h / 2, w + h / 2 * k1, k2);
    const double k3 = slope + h / 2 * l2, l3 = bend(r + h / 2, w + h / 2 * k2, k3);
    const double k4 = slope + h * l3, l4 = bend(r + h, w + h * k3, k4);
    w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    slope += h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
    r += h;
  }

  double middle_;
  std::vector<double> radius_, depth_, mass_;
};

}  // namespace

std::function<BodyState(Random&)> king_bodies(double concentration) {
  const auto model = std::make_shared<const King>(concentration);
  // Mass 1 in core radii r_c^2 = 9 sigma^2 / (4 pi rho_0).
  const double dispersion = std::sqrt(4 * pi / (9 * model->mass()));
  return [model, dispersion](Random& random) -> BodyState {
    const auto [radius, depth] = model->at_mass(random.uniform());
    const Vector3d place = radius * random_direction(random);
    const double escape = std::sqrt(2 * depth);
    const auto density = [depth = depth](double speed) {
      return speed * speed * std::expm1(depth - 0.5 * speed * speed);
    };
    double most = 0;
    for (int i = 1; i < 64; ++i) most = std::max(most, density(escape * i / 64));
    const double speed = drawn_below(escape, 1.1 * most, density, random);
    return {place, dispersion * speed * random_direction(random)};
  };
}

}  // namespace isolume::nbody
