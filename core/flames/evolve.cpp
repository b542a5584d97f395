#include "core/flames/evolve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <span>
#include <vector>

#include "core/base/philox.h"
#include "core/flames/cloud.h"
#include "core/flames/variations.h"

namespace isolume::flames {
namespace {

using std::numbers::pi;

double between(Random& random, double low, double high) {
  return low + (high - low) * random.uniform();
}
std::size_t index(Random& random, std::size_t count) {
  return std::min(static_cast<std::size_t>(random.uniform() * static_cast<double>(count)), count - 1);
}

/// Variations that fill an area whatever they are given hide the structure: they are chosen seldom.
bool blurs(Variation variation) {
  using enum Variation;
  constexpr std::array all{noise, blur,   gaussian_blur, radial_blur, pie,
                           arch,  square, rays,          blade,       twintrian};
  return std::ranges::find(all, variation) != all.end();
}

Term random_term(Random& random, double amount) {
  auto chosen = variations()[index(random, variation_count)];
  while (blurs(chosen.variation) && random.uniform() < 0.9)
    chosen = variations()[index(random, variation_count)];
  Term term = term_of(chosen.variation, amount);
  for (std::size_t i = 0; i < chosen.parameters.size(); ++i) {
    const auto& parameter = chosen.parameters[i];
    term.parameters[i] = between(random, parameter.low, parameter.high);
    // Powers and slices are whole numbers, and no power is 0.
    if (parameter.high - parameter.low > 8) term.parameters[i] = std::round(term.parameters[i]);
    if (parameter.name == "power" && term.parameters[i] == 0) term.parameters[i] = 2;
  }
  return term;
}

Affine random_affine(Random& random) {
  const double turn = between(random, -pi, pi), skew = between(random, -0.4, 0.4);
  const double first = between(random, 0.35, 0.95), second = between(random, 0.35, 0.95);
  return {.a = first * std::cos(turn),
          .b = -second * std::sin(turn + skew),
          .c = between(random, -0.9, 0.9),
          .d = first * std::sin(turn),
          .e = second * std::cos(turn + skew),
          .f = between(random, -0.9, 0.9)};
}

/// A cosine wave in each channel, as procedural palettes have it.
Palette random_palette(Random& random) {
  Palette palette;
  std::array<double, 3> frequency{}, phase{};
  for (std::size_t k = 0; k < 3; ++k) {
    frequency[k] = between(random, 0.4, 1.4);
    phase[k] = random.uniform();
  }
  for (std::size_t i = 0; i < palette.size(); ++i) {
    const double at = static_cast<double>(i) / palette_size;
    const auto channel = [&](std::size_t k) {
      return static_cast<std::uint8_t>(
          std::lround(139 + 116 * std::cos(2 * pi * (frequency[k] * at + phase[k]))));
    };
    palette[i] = {channel(0), channel(1), channel(2)};
  }
  return palette;
}

/// Points of the attractor, after the final transform, as floats.
struct Sample {
  std::vector<float> x, y;
};
Sample sample(const Flame& flame) {
  // A view of many pixels to a unit around the origin shows where plotted points are.
  constexpr int side = 4096;
  constexpr double scale = 256;
  const Game game = compile(flame, {.width = side, .height = side, .x = 0, .y = 0, .scale = scale});
  const auto cloud = std::make_unique<Cloud>();
  const auto hits = std::make_unique<Hits>();
  begin_cloud(game, 0, *cloud);
  play_rounds(game, *cloud, warm_up_rounds, nullptr);
  play_rounds(game, *cloud, Hits::most_rounds, hits.get());
  Sample points;
  for (const std::uint32_t pixel : hits->pixel) {
    if (pixel == game.pixel_count()) continue;
    const auto at = [&](std::uint32_t column) {
      return static_cast<float>((static_cast<int>(column) - side / 2 + 0.5) / scale);
    };
    points.x.push_back(at(pixel % side));
    points.y.push_back(at(pixel / side));
  }
  return points;
}

/// The numbers below and above which 2 % lie.
std::pair<double, double> middle(std::vector<float>& values) {
  const auto at = [&](double part) {
    const auto nth =
        values.begin() + static_cast<std::ptrdiff_t>(part * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, nth);
    return static_cast<double>(*nth);
  };
  const double low = at(0.02);
  return {low, at(0.98)};
}

/// Whether the points show anything: most of them are near, and they are not all in a few places.
bool worth_seeing(const Flame& flame) {
  const Sample points = sample(flame);
  if (points.x.size() < Hits::most * 8 / 10) return false;
  const Affine pixels = to_pixels(resized(fitted_view(flame), 64, 40));
  std::vector<bool> filled(64 * 40);
  for (std::size_t i = 0; i < points.x.size(); ++i) {
    const double column = pixels.a * points.x[i] + pixels.c, row = pixels.e * points.y[i] + pixels.f;
    if (column >= 0 && column < 64 && row >= 0 && row < 40)
      filled[static_cast<std::size_t>(row) * 64 + static_cast<std::size_t>(column)] = true;
  }
  const auto count = std::ranges::count(filled, true);
  return count > 64 * 40 / 6 && count < 64 * 40 * 9 / 10;
}

/// A vector between two, by length and angle.
std::pair<double, double> turned_between(double ax, double ay, double bx, double by, double at) {
  const double a = std::hypot(ax, ay), b = std::hypot(bx, by);
  constexpr double no_direction = 1e-9;
  if (a < no_direction || b < no_direction) return {std::lerp(ax, bx, at), std::lerp(ay, by, at)};
  const double from = std::atan2(ay, ax);
  const double way = std::remainder(std::atan2(by, bx) - from, 2 * pi);
  const double length = std::exp(std::lerp(std::log(a), std::log(b), at)), angle = from + at * way;
  return {length * std::cos(angle), length * std::sin(angle)};
}

Affine interpolated(const Affine& a, const Affine& b, double at) {
  if (a == b) return a;
  const auto [xx, xy] = turned_between(a.a, a.d, b.a, b.d, at);
  const auto [yx, yy] = turned_between(a.b, a.e, b.b, b.e, at);
  return {xx, yx, std::lerp(a.c, b.c, at), xy, yy, std::lerp(a.f, b.f, at)};
}

Function interpolated(const Function& a, const Function& b, double at) {
  Function result = a;
  result.weight = std::lerp(a.weight, b.weight, at);
  result.colour = std::lerp(a.colour, b.colour, at);
  result.colour_speed = std::lerp(a.colour_speed, b.colour_speed, at);
  result.opacity = std::lerp(a.opacity, b.opacity, at);
  result.affine = interpolated(a.affine, b.affine, at);
  result.post = interpolated(a.post, b.post, at);
  result.terms.clear();
  const auto find = [](const Function& function, Variation variation) {
    return std::ranges::find(function.terms, variation, &Term::variation);
  };
  for (const auto& term : a.terms) {
    const auto other = find(b, term.variation);
    Term made = term;
    made.amount = std::lerp(term.amount, other == b.terms.end() ? 0 : other->amount, at);
    for (std::size_t i = 0; i < made.parameters.size() && other != b.terms.end(); ++i)
      made.parameters[i] = std::lerp(term.parameters[i], other->parameters[i], at);
    result.terms.push_back(made);
  }
  for (const auto& term : b.terms) {
    if (find(a, term.variation) != a.terms.end()) continue;
    result.terms.push_back(term);
    result.terms.back().amount *= at;
  }
  return result;
}

Function without_weight(Function function) {
  function.weight = 0;
  return function;
}
Function identity() {
  return {.colour_speed = 0, .terms = {Term{}}};
}

}  // namespace

View fitted_view(const Flame& flame) {
  View view = flame.view;
  view.zoom = view.rotation = 0;
  Sample points = sample(flame);
  if (points.x.empty()) return view;
  const auto [left, right] = middle(points.x);
  const auto [top, bottom] = middle(points.y);
  constexpr double margin = 0.86, least = 0.05;
  view.x = (left + right) / 2;
  view.y = (top + bottom) / 2;
  view.scale = margin * std::min(view.width / std::max(right - left, least),
                                 view.height / std::max(bottom - top, least));
  return view;
}

Flame random_flame(std::uint64_t seed, int width, int height) {
  constexpr std::uint64_t most_tries = 200;
  Flame flame;
  for (std::uint64_t attempt = 0; attempt < most_tries; ++attempt) {
    Random random(seed, attempt);
    flame = Flame{.name = "Random " + std::to_string(seed)};
    flame.view.width = width;
    flame.view.height = height;
    flame.palette = random_palette(random);
    const std::size_t count = 2 + index(random, 3);
    for (std::size_t i = 0; i < count; ++i) {
      Function function{.weight = between(random, 0.3, 1),
                        .colour = static_cast<double>(i) / static_cast<double>(count - 1),
                        .affine = random_affine(random)};
      const std::size_t terms = 1 + index(random, 3);
      for (std::size_t k = 0; k < terms; ++k) {
        Term term = random_term(random, between(random, 0.3, 1) / static_cast<double>(terms));
        if (std::ranges::find(function.terms, term.variation, &Term::variation) == function.terms.end())
          function.terms.push_back(term);
      }
      flame.functions.push_back(function);
    }
    if (worth_seeing(flame)) break;
  }
  flame.view = fitted_view(flame);
  return flame;
}

Flame mutated(const Flame& flame, double strength, std::uint64_t seed) {
  Random random(seed, 0, 1);
  Flame result = flame;
  for (auto& function : result.functions) {
    const double size = 0.25 * strength;
    for (double* value : {&function.affine.a, &function.affine.b, &function.affine.c, &function.affine.d,
                          &function.affine.e, &function.affine.f})
      *value += size * random.normal();
    function.weight = std::clamp(function.weight * std::exp(size * random.normal()), 1e-3, 1e3);
    function.colour = std::clamp(function.colour + size * random.normal(), 0.0, 1.0);
    for (auto& term : function.terms) term.amount += 0.5 * size * random.normal();
    if (random.uniform() < strength / 3) {
      const Term term = random_term(random, between(random, 0.2, 0.8));
      const auto same = std::ranges::find(function.terms, term.variation, &Term::variation);
      if (same != function.terms.end()) {
        *same = term;
      } else {
        function.terms.push_back(term);
      }
    }
  }
  return result;
}

Flame interpolated(const Flame& a, const Flame& b, double at) {
  if (at <= 0) return a;
  if (at >= 1) {
    Flame result = b;
    result.view = resized(b.view, a.view.width, a.view.height);
    return result;
  }
  Flame result = a;
  result.functions.clear();
  for (std::size_t i = 0; i < std::max(a.functions.size(), b.functions.size()); ++i) {
    const Function from = i < a.functions.size() ? a.functions[i] : without_weight(b.functions[i]);
    const Function to = i < b.functions.size() ? b.functions[i] : without_weight(a.functions[i]);
    result.functions.push_back(interpolated(from, to, at));
  }
  if (a.final_transform || b.final_transform)
    result.final_transform =
        interpolated(a.final_transform.value_or(identity()), b.final_transform.value_or(identity()), at);
  for (std::size_t i = 0; i < result.palette.size(); ++i) {
    const auto mix = [at](std::uint8_t from, std::uint8_t to) {
      return static_cast<std::uint8_t>(
          std::lround(std::lerp(static_cast<double>(from), static_cast<double>(to), at)));
    };
    result.palette[i] = {mix(a.palette[i].red, b.palette[i].red), mix(a.palette[i].green, b.palette[i].green),
                         mix(a.palette[i].blue, b.palette[i].blue)};
  }
  const View to = resized(b.view, a.view.width, a.view.height);
  result.view.x = std::lerp(a.view.x, to.x, at);
  result.view.y = std::lerp(a.view.y, to.y, at);
  result.view.scale = std::exp(std::lerp(std::log(a.view.scale), std::log(to.scale), at));
  result.view.zoom = std::lerp(a.view.zoom, to.zoom, at);
  result.view.rotation = std::lerp(a.view.rotation, to.rotation, at);
  const auto tone = [&](double Tone::*member) {
    result.tone.*member = std::lerp(a.tone.*member, b.tone.*member, at);
  };
  for (double Tone::*member : {&Tone::brightness, &Tone::gamma, &Tone::gamma_threshold, &Tone::vibrancy,
                               &Tone::estimator_radius, &Tone::estimator_minimum, &Tone::estimator_curve})
    tone(member);
  for (std::size_t k = 0; k < 3; ++k)
    result.tone.background[k] = std::lerp(a.tone.background[k], b.tone.background[k], at);
  return result;
}

Flame played(const Flame& flame, double turns) {
  Flame result = flame;
  for (auto& function : result.functions) {
    if (function.animated) function.affine = turned(function.affine, 2 * pi * turns);
  }
  return result;
}

Flame at_time(const Flame& flame, const std::optional<Flame>& second, double time) {
  if (second) return interpolated(flame, *second, 0.5 - 0.5 * std::cos(2 * pi * time));
  return time == 0 ? flame : played(flame, time);
}

}  // namespace isolume::flames
