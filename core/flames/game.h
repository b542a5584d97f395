#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/flames/flame.h"
#include "core/flames/game_layout.h"

namespace isolume::flames {

/// A flame compiled for engines.
struct Game {
  std::vector<GameFunction> functions;
  std::vector<GameFunction> final_transform;  ///< none or one
  std::vector<GameTerm> terms;
  GameView view{};
  Palette palette{};
  std::uint64_t seed = 1;

  std::size_t pixel_count() const {
    return static_cast<std::size_t>(view.width) * static_cast<std::size_t>(view.height);
  }
};

/// Throws Error as require_valid, and for a picture without pixels or with more than 2^28.
Game compile(const Flame& flame, const View& view, std::uint64_t seed = 1);
/// Plane to pixels: the upper left corner of the picture is at (0, 0).
Affine to_pixels(const View& view);
/// Points for a picture of this size and quality (points per pixel), rounded up to whole clouds.
std::int64_t clouds_for(double points_per_pixel, const View& view);

}  // namespace isolume::flames
