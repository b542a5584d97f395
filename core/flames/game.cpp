#include "core/flames/game.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::flames {
namespace {

/// Keeps denominators away from 0.
constexpr double least = 1e-10;

void store(const Affine& affine, float (&to)[6]) {
  const double values[] = {affine.a, affine.b, affine.c, affine.d, affine.e, affine.f};
  std::ranges::transform(values, to, [](double value) { return static_cast<float>(value); });
}

/// What the formula of the variation reads: its parameters, or numbers that follow from them and the affine map.
std::array<double, variation_constants> constants(const Term& term, const Affine& affine) {
  using std::numbers::pi;
  const auto& p = term.parameters;
  switch (term.variation) {
    case Variation::waves:
      return {affine.b, 1 / (affine.c * affine.c + least), affine.e, 1 / (affine.f * affine.f + least)};
    case Variation::popcorn:
      return {affine.c, affine.f};
    case Variation::rings:
      return {affine.c * affine.c + least};
    case Variation::fan:
      return {pi * (affine.c * affine.c + least), affine.f};
    case Variation::blob:
      return {p[0], p[1] - p[0], p[2]};
    case Variation::fan2:
      return {pi * (p[0] * p[0] + least), p[1]};
    case Variation::rings2:
      return {p[0] * p[0] + least};
    case Variation::perspective:
      return {std::sin(p[0] * pi / 2), p[1], p[1] * std::cos(p[0] * pi / 2)};
    case Variation::julian:
    case Variation::juliascope:
      return {std::abs(p[0]), 1 / p[0], p[1] / p[0] / 2};
    case Variation::radial_blur:
      return {std::sin(p[0] * pi / 2), std::cos(p[0] * pi / 2)};
    case Variation::pie:
      return {p[0], p[1], p[2], 2 * pi / p[0]};
    case Variation::ngon:
      return {2 * pi / p[0], p[1] / 2, p[2], p[3]};
    default:
      return {p[0], p[1], p[2], p[3]};
  }
}

GameFunction compile(const Function& function, std::vector<GameTerm>& terms) {
  GameFunction made{};
  store(function.affine, made.affine);
  store(function.post, made.post);
  made.has_post = function.post.is_identity() ? 0 : 1;
  made.colour_kept = static_cast<float>(1 - function.colour_speed);
  made.colour_added = static_cast<float>(function.colour_speed * function.colour);
  made.plotted = static_cast<float>(function.opacity);
  made.first_term = static_cast<std::int32_t>(terms.size());
  for (const auto& term : function.terms) {
    if (term.amount == 0) continue;
    GameTerm compiled{
        .variation = term.variation, .amount = static_cast<float>(term.amount), .constants = {}};
    std::ranges::transform(constants(term, function.affine), compiled.constants,
                           [](double value) { return static_cast<float>(value); });
    terms.push_back(compiled);
  }
  made.end_term = static_cast<std::int32_t>(terms.size());
  return made;
}

}  // namespace

Affine to_pixels(const View& view) {
  const double scale = view.scale * std::exp2(view.zoom);
  const double angle = view.rotation * std::numbers::pi / 180;
  const Affine centred{1, 0, -view.x, 0, 1, -view.y};
  const double cosine = scale * std::cos(angle), sine = scale * std::sin(angle);
  return chained(centred, {cosine, -sine, view.width / 2.0, sine, cosine, view.height / 2.0});
}

Game compile(const Flame& flame, const View& view, std::uint64_t seed) {
  require_valid(flame);
  constexpr double most_pixels = 0x1p28;
  if (view.width < 1 || view.height < 1 || static_cast<double>(view.width) * view.height > most_pixels) {
    throw Error(fmt::format("A picture of {} x {} pixels is not possible: choose 1 to 2^28 pixels.",
                            view.width, view.height));
  }
  Game game;
  game.seed = seed;
  game.palette = flame.palette;
  game.view.width = view.width;
  game.view.height = view.height;
  store(to_pixels(view), game.view.to_pixels);
  double sum = 0, before = 0;
  for (const auto& function : flame.functions) sum += function.weight;
  for (const auto& function : flame.functions) {
    auto compiled = compile(function, game.terms);
    before += function.weight;
    compiled.groups_before_end = static_cast<float>(cloud_groups * before / sum);
    game.functions.push_back(compiled);
  }
  if (flame.final_transform) game.final_transform.push_back(compile(*flame.final_transform, game.terms));
  return game;
}

std::int64_t clouds_for(double points_per_pixel, const View& view) {
  const double points = points_per_pixel * view.width * view.height;
  return std::max<std::int64_t>(1, std::llround(std::ceil(points / static_cast<double>(points_per_cloud))));
}

}  // namespace isolume::flames
