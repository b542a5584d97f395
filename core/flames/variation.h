#pragma once

#include <cstdint>

/// The variations by number, without anything else: for kernels, too.
namespace isolume::flames {

/// Nonlinear maps of the plane. The first 49 are numbered as in the appendix of Draves and Reckase, "The Fractal Flame
/// Algorithm" (2008), and have the names that `.flame` files use. variations.h describes them.
enum class Variation : std::int32_t {
  linear,
  sinusoidal,
  spherical,
  swirl,
  horseshoe,
  polar,
  handkerchief,
  heart,
  disc,
  spiral,
  hyperbolic,
  diamond,
  ex,
  julia,
  bent,
  waves,
  fisheye,
  popcorn,
  exponential,
  power,
  cosine,
  rings,
  fan,
  blob,
  pdj,
  fan2,
  rings2,
  eyefish,
  bubble,
  cylinder,
  perspective,
  noise,
  julian,
  juliascope,
  blur,
  gaussian_blur,
  radial_blur,
  pie,
  ngon,
  curl,
  rectangles,
  arch,
  tangent,
  square,
  rays,
  blade,
  secant2,
  twintrian,
  cross,
};
inline constexpr int variation_count = static_cast<int>(Variation::cross) + 1;
inline constexpr int most_variation_parameters = 4;
/// Constants of a variation in its compiled form (game.h): parameters and what follows from them.
inline constexpr int variation_constants = 6;

}  // namespace isolume::flames
