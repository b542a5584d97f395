#include "core/flames/flame.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::flames {
namespace {

bool finite(const Affine& affine) {
  return std::ranges::all_of(std::array{affine.a, affine.b, affine.c, affine.d, affine.e, affine.f},
                             [](double value) { return std::isfinite(value) && std::abs(value) <= 1e6; });
}

void require_valid(const Function& function, const std::string& which) {
  const auto refuse = [&](const char* what) {
    throw Error(fmt::format("{} of the flame has {}. Correct it in the file.", which, what));
  };
  if (!finite(function.affine) || !finite(function.post)) refuse("an affine map with a number beyond 1e6");
  if (!std::isfinite(function.weight) || function.weight < 0 || function.weight > 1e9)
    refuse("a weight that is not between 0 and 1e9");
  if (!(std::abs(function.colour_speed) <= 1) || !(function.colour >= 0 && function.colour <= 1) ||
      !(function.opacity >= 0 && function.opacity <= 1))
    refuse("a colour, colour speed or opacity out of its range");
  for (const auto& term : function.terms) {
    if (!std::isfinite(term.amount) ||
        !std::ranges::all_of(term.parameters, [](double value) { return std::isfinite(value); }))
      refuse("a variation with a number that is not finite");
  }
}

}  // namespace

Affine chained(const Affine& first, const Affine& second) {
  return {.a = second.a * first.a + second.b * first.d,
          .b = second.a * first.b + second.b * first.e,
          .c = second.a * first.c + second.b * first.f + second.c,
          .d = second.d * first.a + second.e * first.d,
          .e = second.d * first.b + second.e * first.e,
          .f = second.d * first.c + second.e * first.f + second.f};
}

Affine turned(const Affine& affine, double radians) {
  const double cosine = std::cos(radians), sine = std::sin(radians);
  Affine result =
      chained({affine.a, affine.b, 0, affine.d, affine.e, 0}, {cosine, -sine, 0, sine, cosine, 0});
  result.c = affine.c;
  result.f = affine.f;
  return result;
}

View resized(const View& view, int width, int height) {
  View result = view;
  result.scale *=
      std::min(static_cast<double>(width) / view.width, static_cast<double>(height) / view.height);
  result.width = width;
  result.height = height;
  return result;
}

Palette default_palette() {
  constexpr std::array<std::array<double, 3>, 5> stops{
      {{24, 30, 96}, {70, 60, 190}, {214, 58, 92}, {250, 150, 50}, {255, 236, 160}}};
  Palette palette;
  for (int i = 0; i < palette_size; ++i) {
    const double at = static_cast<double>(i) / (palette_size - 1) * (stops.size() - 1);
    const auto stop = std::min(static_cast<std::size_t>(at), stops.size() - 2);
    const double part = at - static_cast<double>(stop);
    const auto channel = [&](std::size_t k) {
      return static_cast<std::uint8_t>(std::lround(std::lerp(stops[stop][k], stops[stop + 1][k], part)));
    };
    palette[static_cast<std::size_t>(i)] = {channel(0), channel(1), channel(2)};
  }
  return palette;
}

Flame gasket() {
  Flame flame{.name = "Sierpinski gasket", .palette = default_palette()};
  for (const auto& [x, y] : {std::pair{0.0, 0.0}, {0.5, 0.0}, {0.0, 0.5}}) {
    flame.functions.push_back({.colour = x + 2 * y, .affine = {0.5, 0, x, 0, 0.5, y}, .terms = {Term{}}});
  }
  flame.view = {.x = 0.5, .y = 0.5, .scale = 700};
  return flame;
}

void require_valid(const Flame& flame) {
  if (flame.functions.empty()) throw Error("The flame has no function. Add one.");
  if (flame.functions.size() > most_functions) {
    throw Error(fmt::format("The flame has {} functions; at most {} are possible. Remove some.",
                            flame.functions.size(), most_functions));
  }
  double sum = 0;
  for (std::size_t i = 0; i < flame.functions.size(); ++i) {
    require_valid(flame.functions[i], fmt::format("Function {}", i + 1));
    sum += flame.functions[i].weight;
  }
  if (flame.final_transform) require_valid(*flame.final_transform, "The final transform");
  if (!(sum > 0)) throw Error("All functions of the flame have weight 0. Give at least one a weight.");
}

}  // namespace isolume::flames
