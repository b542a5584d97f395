#include "core/nbody/bodies/cosmology.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/shown_number.h"
#include "core/nbody/bodies/quadrature.h"

namespace isolume::nbody {
namespace {

/// Lower limit of integrals, in e-foldings before a given time: what precedes it is negligible for integrals that
/// grow as a^1.5 or faster.
constexpr double long_before = 24;

void check_range(double value, double low, double high, const char* what) {
  if (value >= low && value <= high) return;
  throw Error(fmt::format("{} is {}. Give a number from {} to {}.", what, value, shown_setting(low),
                          shown_setting(high)));
}

}  // namespace

double Cosmology::expansion_rate(double a) const {
  return std::sqrt((omega_matter / a + omega_curvature()) / (a * a) + omega_lambda);
}

double Cosmology::growth(double a) const {
  const double end = std::log(a);
  const double sum = integral(
      [this](double ln_a) {
        const double at = std::exp(ln_a), rate = at * expansion_rate(at);
        return at / (rate * rate * rate);
      },
      end - long_before, end);
  return 2.5 * omega_matter * expansion_rate(a) * sum;
}

double Cosmology::growth_rate(double a) const {
  const double rate = expansion_rate(a), squared = rate * rate;
  const double slowing = (-1.5 * omega_matter / a - omega_curvature()) / (a * a * squared);
  return slowing + 2.5 * omega_matter / (a * a * squared * growth(a));
}

double Cosmology::age(double a) const {
  const double end = std::log(a);
  return integral([this](double ln_a) { return 1 / expansion_rate(std::exp(ln_a)); }, end - long_before, end);
}

double Cosmology::kick(double from, double to) const {
  return integral(
      [this](double ln_a) {
        const double a = std::exp(ln_a);
        return 1 / (a * expansion_rate(a));
      },
      std::log(from), std::log(to));
}

double Cosmology::drift(double from, double to) const {
  return integral(
      [this](double ln_a) {
        const double a = std::exp(ln_a);
        return 1 / (a * a * expansion_rate(a));
      },
      std::log(from), std::log(to));
}

void check(const Cosmology& cosmology) {
  check_range(cosmology.omega_matter, 0.01, 1, "The density of matter, Omega_m,");
  check_range(cosmology.omega_lambda, 0, 1, "The cosmological constant, Omega_Lambda,");
  check_range(cosmology.hubble, 0.1, 2, "The Hubble constant h, in 100 km/s/Mpc,");
}

double ComovingBox::mass() const {
  return 3 * cosmology.omega_matter / (8 * std::numbers::pi) * side * side * side;
}

void check(const ComovingBox& box) {
  if (!(box.side > 0 && box.side <= 1e9)) {
    throw Error(
        fmt::format("The side of the comoving box is {} Mpc/h. Give one above 0, at most 1e9.", box.side));
  }
  check(box.cosmology);
}

double usual_softening(const ComovingBox& box, std::size_t bodies) {
  return box.side / (25 * std::cbrt(static_cast<double>(bodies)));
}

double wrapped(double place, double side) {
  const double inside = place - side * std::floor(place / side);
  return inside >= 0 && inside < side ? inside : 0;
}

}  // namespace isolume::nbody
