#include "core/nbody/scenes/power_spectrum.h"

#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/bodies/quadrature.h"

namespace isolume::nbody {
namespace {

/// Temperature of the microwave background, in units of 2.7 K.
constexpr double theta = 2.7255 / 2.7;

/// Window function of a sphere of radius 1 and volume 1, at the wave number x.
double top_hat(double x) {
  if (x < 1e-2) return 1 - x * x / 10;
  return 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
}

}  // namespace

PowerSpectrum::PowerSpectrum(const Options& options) : options_(options) {
  check(options.cosmology);
  const double matter = options.cosmology.omega_matter, baryon = options.omega_baryon;
  if (!(baryon >= 0 && baryon <= matter)) {
    throw Error(fmt::format("The density of baryons, Omega_b, is {}. Give one from 0 to that of matter, {}.",
                            baryon, matter));
  }
  if (!(options.sigma_8 > 0 && options.sigma_8 <= 10)) {
    throw Error(fmt::format("sigma_8 is {}. Give a number above 0, at most 10.", options.sigma_8));
  }
  if (!(options.spectral_index >= 0 && options.spectral_index <= 3)) {
    throw Error(
        fmt::format("The spectral index n_s is {}. Give a number from 0 to 3.", options.spectral_index));
  }
  const double h_squared = options.cosmology.hubble * options.cosmology.hubble;
  const double om = matter * h_squared, ob = baryon * h_squared, part = baryon / matter;
  sound_horizon_ = 44.5 * std::log(9.83 / om) / std::sqrt(1 + 10 * std::pow(ob, 0.75));
  suppression_ = 1 - 0.328 * std::log(431 * om) * part + 0.38 * std::log(22.3 * om) * part * part;
  amplitude_ = std::pow(options.sigma_8 / sigma(8), 2);
}

double PowerSpectrum::transfer(double k) const {
  const Cosmology& universe = options_.cosmology;
  const double sound = 0.43 * k * universe.hubble * sound_horizon_;
  const double gamma = universe.omega_matter * universe.hubble *
                       (suppression_ + (1 - suppression_) / (1 + sound * sound * sound * sound));
  const double q = k * theta * theta / gamma;
  const double l = std::log(2 * std::numbers::e + 1.8 * q);
  return l / (l + (14.2 + 731 / (1 + 62.5 * q)) * q * q);
}

double PowerSpectrum::operator()(double k) const {
  if (k <= 0) return 0;
  const double at = transfer(k);
  return amplitude_ * std::pow(k, options_.spectral_index) * at * at;
}

double PowerSpectrum::sigma(double radius) const {
  // Beyond these the integrand is 1e-10 of its greatest or less.
  const double low = std::log(1e-6 / radius), high = std::log(1e3 / radius);
  const double variance = integral(
      [&](double ln_k) {
        const double k = std::exp(ln_k), window = top_hat(k * radius);
        return k * k * k * (*this)(k)*window * window;
      },
      low, high);
  return std::sqrt(variance / (2 * std::numbers::pi * std::numbers::pi));
}

}  // namespace isolume::nbody
