#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/flames/variation.h"

/// Fractal flames: attractors of iterated function systems with nonlinear variations, coloured by structure and shown
/// by the logarithm of their density (S. Draves and E. Reckase, "The Fractal Flame Algorithm", 2003, revised 2008).
/// Lengths are in the plane of the flame and have no unit.
namespace isolume::flames {

/// (x, y) -> (a x + b y + c, d x + e y + f).
struct Affine {
  double a = 1, b = 0, c = 0;
  double d = 0, e = 1, f = 0;

  bool operator==(const Affine&) const = default;
  bool is_identity() const { return *this == Affine{}; }
};

/// `first`, then `second`.
Affine chained(const Affine& first, const Affine& second);
/// The linear part turned by an angle in radians, anticlockwise for a y axis that points up; the translation stays.
Affine turned(const Affine& affine, double radians);

/// A variation in the sum of a function.
struct Term {
  Variation variation = Variation::linear;
  double amount = 1;
  std::array<double, most_variation_parameters> parameters{};  ///< in the order of variations.h

  bool operator==(const Term&) const = default;
};

/// One function of the iterated function system: post(sum of amount * variation(affine(p))).
struct Function {
  std::string name = {};
  double weight = 1;          ///< relative probability, not negative
  double colour = 0;          ///< position in the palette, 0 to 1
  double colour_speed = 0.5;  ///< the colour of a point moves this part of the way, -1 to 1
  double opacity = 1;         ///< probability that its points are plotted, 0 to 1
  bool animated = true;       ///< whether it turns while the flame is played
  Affine affine = {};
  Affine post = {};
  std::vector<Term> terms = {};

  bool operator==(const Function&) const = default;
};

struct Rgb {
  std::uint8_t red = 0, green = 0, blue = 0;
  bool operator==(const Rgb&) const = default;
};
inline constexpr int palette_size = 256;
using Palette = std::array<Rgb, palette_size>;

/// The part of the plane that is shown. The y axis points down in the picture, as in `.flame` files.
struct View {
  int width = 1280, height = 800;  ///< pixels, for which `scale` holds
  double x = 0, y = 0;             ///< centre
  double scale = 200;              ///< pixels per unit
  double zoom = 0;                 ///< multiplies the scale by 2^zoom
  double rotation = 0;             ///< degrees

  bool operator==(const View&) const = default;
};

/// How densities become brightness; tone_map.h has the formulas.
struct Tone {
  double brightness = 4;
  double gamma = 4;
  double gamma_threshold = 0.01;  ///< alpha below which the gamma curve is linear
  double vibrancy = 1;            ///< 1: gamma acts on alpha; 0: on each colour channel
  /// Density estimation: greatest and least radius of the kernel in pixels, and its decrease with the number of hits.
  double estimator_radius = 0, estimator_minimum = 0, estimator_curve = 0.4;
  std::array<double, 3> background{};  ///< red, green, blue, 0 to 1

  bool operator==(const Tone&) const = default;
};

struct Flame {
  std::string name = {};
  std::vector<Function> functions = {};
  std::optional<Function> final_transform = {};  ///< changes what is plotted, but not the orbit
  Palette palette = {};
  View view = {};
  Tone tone = {};
  double quality = 50;  ///< points per pixel of a finished picture

  bool operator==(const Flame&) const = default;
};

/// The view at another size: the same region, as far as the shape allows, with the shorter side fitted.
View resized(const View& view, int width, int height);

/// Sierpinski's gasket (p/2, p/2 + (1/2, 0), p/2 + (0, 1/2)), with a palette from blue to yellow.
Flame gasket();
/// Smooth colours from dark blue through red to yellow.
Palette default_palette();

/// Throws Error naming the function if a flame cannot be iterated: no function, too many of them, a number that is not
/// finite, a negative weight, weights that are all 0.
void require_valid(const Flame& flame);
inline constexpr std::size_t most_functions = 128;

}  // namespace isolume::flames
