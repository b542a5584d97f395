#include "core/nbody/bodies/cosmology.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/nbody/scenes/power_spectrum.h"

namespace isolume::nbody {
namespace {

using std::numbers::pi;

constexpr Cosmology einstein_de_sitter{1, 0, 0.7};

TEST(Cosmology, OfMatterAloneIsEinsteinAndDeSitters) {
  for (const double a : {0.01, 0.3, 1.0, 4.0}) {
    EXPECT_NEAR(einstein_de_sitter.expansion_rate(a), std::pow(a, -1.5), 1e-12 * std::pow(a, -1.5));
    EXPECT_NEAR(einstein_de_sitter.growth(a), a, 1e-10 * a);
    EXPECT_NEAR(einstein_de_sitter.growth_rate(a), 1, 1e-10);
    EXPECT_NEAR(einstein_de_sitter.age(a), 2.0 / 3 * std::pow(a, 1.5), 1e-10);
  }
  // Integrals of a^-2 a^1.5 and a^-3 a^1.5 over a.
  EXPECT_NEAR(einstein_de_sitter.kick(0.25, 1), 2 * (1 - 0.5), 1e-12);
  EXPECT_NEAR(einstein_de_sitter.drift(0.25, 1), 2 * (1 / 0.5 - 1), 1e-12);
  EXPECT_NEAR(einstein_de_sitter.drift(1, 0.25), -2 * (1 / 0.5 - 1), 1e-12);
}

TEST(Cosmology, OfAFlatUniverseWithLambdaIsKnownInClosedForm) {
  const Cosmology flat{0.3, 0.7, 0.7};
  for (const double a : {0.1, 0.5, 1.0, 2.0}) {
    // Peebles, The Large-Scale Structure of the Universe: sinh(1.5 sqrt(Lambda) t)^(2/3).
    const double age = 2 / (3 * std::sqrt(0.7)) * std::asinh(std::sqrt(0.7 / 0.3) * std::pow(a, 1.5));
    EXPECT_NEAR(flat.age(a), age, 1e-10);
  }
  // Today 0.964 / H0, at h = 0.7 13.46 thousand million years.
  EXPECT_NEAR(flat.age(1) * 9.778 / 0.7, 13.46, 0.01);
  // Fits: Linder, PRD 72, 043529 (2005) for its rate, Carroll, Press, Turner, ARA&A 30, 499 (1992) for the growth.
  EXPECT_NEAR(flat.growth_rate(1), std::pow(0.3, 0.55), 0.005);
  const double carroll = 2.5 * 0.3 / (std::pow(0.3, 4.0 / 7) - 0.7 + 1.15 * (1 + 0.7 / 70));
  EXPECT_NEAR(flat.growth(1), carroll, 0.01);
  EXPECT_NEAR(flat.growth(1e-3) / 1e-3, 1, 1e-6) << "matter is all there is at first";
}

TEST(Cosmology, TheGrowthRateIsTheSlopeOfTheGrowth) {
  for (const auto& each : {Cosmology{0.3, 0.7, 0.7}, Cosmology{0.3, 0, 0.7}, Cosmology{0.6, 0.9, 0.7}}) {
    for (const double a : {0.2, 1.0}) {
      const double step = 1e-3;
      const double slope =
          std::log(each.growth(a * std::exp(step)) / each.growth(a * std::exp(-step))) / (2 * step);
      EXPECT_NEAR(each.growth_rate(a), slope, 1e-6);
    }
  }
  // Without Lambda in closed form (Weinberg 1972): D = 1 + 3 / x + 3 sqrt((1 + x) / x^3) ln(sqrt(1 + x) - sqrt(x)).
  const auto open = [](double x) {
    return 1 + 3 / x + 3 * std::sqrt((1 + x) / (x * x * x)) * std::log(std::sqrt(1 + x) - std::sqrt(x));
  };
  const Cosmology empty{0.3, 0, 0.7};
  const double today = 0.7 / 0.3;
  EXPECT_NEAR(empty.growth(0.5) / empty.growth(1), open(0.5 * today) / open(today), 1e-9);
}

TEST(Cosmology, BoxesHoldTheMeanDensity) {
  // rho = Omega_m 3 H0^2 / (8 pi G) = Omega_m 2.7754e11 h^2 solar masses / Mpc^3, in units of 2.3251e12 solar masses / h.
  const ComovingBox box{100, {0.3, 0.7, 0.7}};
  EXPECT_NEAR(box.mass() * 2.3251e12 / (0.3 * 2.77536627e11 * 1e6), 1, 1e-4);
  EXPECT_EQ(wrapped(25, 100), 25);
  EXPECT_NEAR(wrapped(-0.25, 100), 99.75, 1e-12);
  EXPECT_NEAR(wrapped(250.5, 100), 50.5, 1e-12);
  EXPECT_EQ(wrapped(-1e-300, 100), 0) << "never at the far side itself";
}

TEST(Cosmology, WhatMakesNoSenseIsRefused) {
  EXPECT_THROW(check(Cosmology{0, 0.7, 0.7}), Error);
  EXPECT_THROW(check(Cosmology{0.3, 1.5, 0.7}), Error);
  EXPECT_THROW(check(Cosmology{0.3, 0.7, NAN}), Error);
  EXPECT_THROW(check(ComovingBox{0, {}}), Error);
  EXPECT_THROW(PowerSpectrum({.omega_baryon = 0.5}), Error);
  EXPECT_THROW(PowerSpectrum({.sigma_8 = -1}), Error);
}

TEST(PowerSpectrum, HasTheSigmaThatWasAskedFor) {
  const PowerSpectrum spectrum({.cosmology = {0.3, 0.7, 0.7}, .sigma_8 = 0.77});
  // Simpson's rule in k, not in its logarithm.
  const double step = 1e-4;
  double sum = 0;
  for (int i = 1; i < 400000; ++i) {
    const double k = i * step, x = 8 * k;
    const double window = 3 * (std::sin(x) - x * std::cos(x)) / (x * x * x);
    sum += (i % 2 == 1 ? 4 : 2) * k * k * spectrum(k) * window * window;
  }
  EXPECT_NEAR(std::sqrt(sum * step / 3 / (2 * pi * pi)), 0.77, 1e-4);
}

TEST(PowerSpectrum, HasTheShapeOfEisensteinAndHu) {
  const PowerSpectrum spectrum({.cosmology = {0.3, 0.7, 0.7}, .omega_baryon = 0.05, .spectral_index = 1});
  EXPECT_NEAR(spectrum.transfer(1e-6), 1, 1e-4);
  EXPECT_NEAR(spectrum(2e-5) / spectrum(1e-5), 2, 2e-3) << "k^n_s at the largest scales";
  // Without baryons Gamma is Omega_m h; at k = 0.1 h/Mpc by hand: q = 0.1 x 1.018978 / 0.21 = 0.485228,
  // L = ln(5.436564 + 0.873410) = 1.842131, C = 14.2 + 731 / 31.32673 = 37.534706, T = L / (L + C q^2) = 0.172492.
  const PowerSpectrum cold({.cosmology = {0.3, 0.7, 0.7}, .omega_baryon = 0, .spectral_index = 1});
  EXPECT_NEAR(cold.transfer(0.1), 0.172492, 2e-6);
  // With them the sound horizon is 146.97 Mpc and alpha_Gamma 0.78573, by a few lines of Python.
  EXPECT_NEAR(spectrum.transfer(0.1), 0.131200, 2e-6);
}

}  // namespace
}  // namespace isolume::nbody
