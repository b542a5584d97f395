// The chaos game as the literature prints it, in double precision, one point at a time. It shares neither formulas nor
// random numbers with the engines, which tests compare with it.
#include <cmath>
#include <numbers>
#include <random>
#include <utility>

#include "core/flames/engine.h"

namespace isolume::flames {
namespace {

using std::numbers::pi;

struct Point {
  double x = 0, y = 0;
};

class SerialGame {
 public:
  SerialGame(const Flame& flame, std::uint64_t seed) : flame_(flame), random_(seed) {
    for (const auto& function : flame.functions) weights_.push_back(function.weight);
    choice_ = std::discrete_distribution<std::size_t>(weights_.begin(), weights_.end());
  }

  double uniform() { return std::uniform_real_distribution<double>()(random_); }
  const Function& choose() { return flame_.functions[choice_(random_)]; }
  Point anywhere() { return {2 * uniform() - 1, 2 * uniform() - 1}; }
  Point through(const Function& function, Point p);

 private:
  Point varied(const Term& term, const Affine& affine, Point p);
  double four() { return uniform() + uniform() + uniform() + uniform() - 2; }

  const Flame& flame_;
  std::mt19937_64 random_;
  std::vector<double> weights_;
  std::discrete_distribution<std::size_t> choice_;
};

Point apply(const Affine& m, Point p) {
  return {m.a * p.x + m.b * p.y + m.c, m.d * p.x + m.e * p.y + m.f};
}
Point polar(double length, double angle) {
  return {length * std::cos(angle), length * std::sin(angle)};
}

/// V(p), without the amount.
Point SerialGame::varied(const Term& term, const Affine& affine, Point p) {
  const auto [x, y] = p;
  const auto& q = term.parameters;
  const double r = std::hypot(x, y), theta = std::atan2(x, y), phi = std::atan2(y, x), v = term.amount;
  const double c_squared = affine.c * affine.c, f = affine.f;
  switch (term.variation) {
    case Variation::linear:
      return p;
    case Variation::sinusoidal:
      return {std::sin(x), std::sin(y)};
    case Variation::spherical:
      return {x / (r * r), y / (r * r)};
    case Variation::swirl:
      return {x * std::sin(r * r) - y * std::cos(r * r), x * std::cos(r * r) + y * std::sin(r * r)};
    case Variation::horseshoe:
      return {(x * x - y * y) / r, 2 * x * y / r};
    case Variation::polar:
      return {theta / pi, r - 1};
    case Variation::handkerchief:
      return {r * std::sin(theta + r), r * std::cos(theta - r)};
    case Variation::heart:
      return {r * std::sin(theta * r), -r * std::cos(theta * r)};
    case Variation::disc:
      return {theta / pi * std::sin(pi * r), theta / pi * std::cos(pi * r)};
    case Variation::spiral:
      return {(std::cos(theta) + std::sin(r)) / r, (std::sin(theta) - std::cos(r)) / r};
    case Variation::hyperbolic:
      return {std::sin(theta) / r, r * std::cos(theta)};
    case Variation::diamond:
      return {std::sin(theta) * std::cos(r), std::cos(theta) * std::sin(r)};
    case Variation::ex: {
      const double first = std::pow(std::sin(theta + r), 3), second = std::pow(std::cos(theta - r), 3);
      return {r * (first + second), r * (first - second)};
    }
    case Variation::julia:
      return polar(std::sqrt(r), theta / 2 + (uniform() < 0.5 ? 0 : pi));
    case Variation::bent:
      return {x < 0 ? 2 * x : x, y < 0 ? y / 2 : y};
    case Variation::waves:
      return {x + affine.b * std::sin(y / c_squared), y + affine.e * std::sin(x / (f * f))};
    case Variation::fisheye:
      return {2 * y / (r + 1), 2 * x / (r + 1)};
    case Variation::popcorn:
      return {x + affine.c * std::sin(std::tan(3 * y)), y + f * std::sin(std::tan(3 * x))};
    case Variation::exponential:
      return polar(std::exp(x - 1), pi * y);
    case Variation::power:
      return polar(std::pow(r, std::sin(theta)), theta);
    case Variation::cosine:
      return {std::cos(pi * x) * std::cosh(y), -std::sin(pi * x) * std::sinh(y)};
    case Variation::rings:
      return polar(std::fmod(r + c_squared, 2 * c_squared) - c_squared + r * (1 - c_squared), theta);
    case Variation::fan: {
      const double t = pi * c_squared;
      return polar(r, std::fmod(theta + f, t) > t / 2 ? theta - t / 2 : theta + t / 2);
    }
    case Variation::blob: {
      const double factor = q[0] + (q[1] - q[0]) / 2 * (std::sin(q[2] * theta) + 1);
      return {factor * r * std::sin(theta), factor * r * std::cos(theta)};
    }
    case Variation::pdj:
      return {std::sin(q[0] * y) - std::cos(q[1] * x), std::sin(q[2] * x) - std::cos(q[3] * y)};
    case Variation::fan2: {
      const double t = pi * q[0] * q[0];
      const Point turned = polar(r, std::fmod(theta + q[1], t) > t / 2 ? theta - t / 2 : theta + t / 2);
      return {turned.y, turned.x};
    }
    case Variation::rings2: {
      const double t = q[0] * q[0];
      const double length = r - 2 * t * std::trunc((r + t) / (2 * t)) + r * (1 - t);
      return {length * std::sin(theta), length * std::cos(theta)};
    }
    case Variation::eyefish:
      return {2 * x / (r + 1), 2 * y / (r + 1)};
    case Variation::bubble:
      return {4 * x / (r * r + 4), 4 * y / (r * r + 4)};
    case Variation::cylinder:
      return {std::sin(x), y};
    case Variation::perspective: {
      const double angle = q[0] * pi / 2, factor = q[1] / (q[1] - y * std::sin(angle));
      return {factor * x, factor * y * std::cos(angle)};
    }
    case Variation::noise: {
      const double length = uniform(), angle = 2 * pi * uniform();
      return {length * x * std::cos(angle), length * y * std::sin(angle)};
    }
    case Variation::julian: {
      const double turn = std::trunc(std::abs(q[0]) * uniform());
      return polar(std::pow(r, q[1] / q[0]), (phi + 2 * pi * turn) / q[0]);
    }
    case Variation::juliascope: {
      const int turn = static_cast<int>(std::abs(q[0]) * uniform());
      return polar(std::pow(r, q[1] / q[0]), (2 * pi * turn + (turn % 2 == 0 ? phi : -phi)) / q[0]);
    }
    case Variation::blur:
      return polar(uniform(), 2 * pi * uniform());
    case Variation::gaussian_blur:
      return polar(four(), 2 * pi * uniform());
    case Variation::radial_blur: {
      const double spread = v * four(), angle = q[0] * pi / 2, zoomed = spread * std::cos(angle) - 1;
      const Point turned = polar(r, phi + spread * std::sin(angle));
      return {(turned.x + zoomed * x) / v, (turned.y + zoomed * y) / v};
    }
    case Variation::pie: {
      const double slice = std::trunc(q[0] * uniform() + 0.5);
      const double angle = q[1] + 2 * pi / q[0] * (slice + q[2] * uniform());
      return polar(uniform(), angle);
    }
    case Variation::ngon: {
      const double side = 2 * pi / q[0];
      double angle = phi - side * std::floor(phi / side);
      if (angle > side / 2) angle -= side;
      const double factor = (q[3] * (1 / std::cos(angle) - 1) + q[2]) / std::pow(r, q[1]);
      return {factor * x, factor * y};
    }
    case Variation::curl: {
      const double re = 1 + q[0] * x + q[1] * (x * x - y * y), im = q[0] * y + 2 * q[1] * x * y;
      return {(x * re + y * im) / (re * re + im * im), (y * re - x * im) / (re * re + im * im)};
    }
    case Variation::rectangles:
      return {q[0] == 0 ? x : (2 * std::floor(x / q[0]) + 1) * q[0] - x,
              q[1] == 0 ? y : (2 * std::floor(y / q[1]) + 1) * q[1] - y};
    case Variation::arch: {
      const double angle = pi * v * uniform();
      return {std::sin(angle), std::pow(std::sin(angle), 2) / std::cos(angle)};
    }
    case Variation::tangent:
      return {std::sin(x) / std::cos(y), std::tan(y)};
    case Variation::square: {
      const double first = uniform() - 0.5;
      return {first, uniform() - 0.5};
    }
    case Variation::rays: {
      const double factor = v * std::tan(pi * v * uniform()) / (r * r);
      return {factor * std::cos(x), factor * std::sin(y)};
    }
    case Variation::blade: {
      const double angle = v * r * uniform();
      return {x * (std::cos(angle) + std::sin(angle)), x * (std::cos(angle) - std::sin(angle))};
    }
    case Variation::secant2: {
      const double cosine = std::cos(v * r);
      return {x, 1 / cosine + (cosine < 0 ? 1 : -1)};
    }
    case Variation::twintrian: {
      const double angle = v * r * uniform();
      const double t = std::log10(std::pow(std::sin(angle), 2)) + std::cos(angle);
      return {x * t, x * (t - pi * std::sin(angle))};
    }
    case Variation::cross: {
      const double factor = 1 / std::abs(x * x - y * y);
      return {factor * x, factor * y};
    }
  }
  return p;
}

Point SerialGame::through(const Function& function, Point p) {
  const Point from = apply(function.affine, p);
  Point sum;
  for (const auto& term : function.terms) {
    if (term.amount == 0) continue;
    const Point part = varied(term, function.affine, from);
    sum.x += term.amount * part.x;
    sum.y += term.amount * part.y;
  }
  return apply(function.post, sum);
}

}  // namespace

Tally play_serially(const Flame& flame, const View& view, std::int64_t points, std::uint64_t seed,
                    const jobs::Progress& progress) {
  require_valid(flame);
  constexpr int warm_up = 20;
  constexpr std::int64_t restart_after =
      100'000;  // a point that is lost in one place does not stay there for ever
  SerialGame game(flame, seed);
  Tally tally(view.width, view.height);
  const Affine pixels = to_pixels(view);
  Point p = game.anywhere();
  double colour = game.uniform();
  const auto step = [&]() -> const Function& {
    const Function& function = game.choose();
    p = game.through(function, p);
    if (!(std::abs(p.x) < 1e10 && std::abs(p.y) < 1e10)) p = game.anywhere();
    colour = (1 - function.colour_speed) * colour + function.colour_speed * function.colour;
    return function;
  };
  for (std::int64_t i = 0; i < points; ++i) {
    if (i % restart_after == 0) {
      progress.check();
      p = game.anywhere();
      for (int k = 0; k < warm_up; ++k) step();
    }
    const Function& function = step();
    double shade = colour, plotted = function.opacity;
    Point shown = p;
    if (flame.final_transform) {
      const Function& last = *flame.final_transform;
      shown = game.through(last, p);
      shade = (1 - last.colour_speed) * shade + last.colour_speed * last.colour;
      plotted *= last.opacity;
    }
    if (plotted < 1 && game.uniform() >= plotted) continue;
    const Point at = apply(pixels, shown);
    if (!(at.x >= 0 && at.x < view.width && at.y >= 0 && at.y < view.height)) continue;
    Bin& bin = tally.bins[static_cast<std::size_t>(at.y) * static_cast<std::size_t>(view.width) +
                          static_cast<std::size_t>(at.x)];
    const auto& rgb = flame.palette[static_cast<std::size_t>(std::min(std::max(shade * 256, 0.0), 255.0))];
    ++bin.count;
    bin.red += rgb.red;
    bin.green += rgb.green;
    bin.blue += rgb.blue;
  }
  tally.points = points;
  return tally;
}

}  // namespace isolume::flames
