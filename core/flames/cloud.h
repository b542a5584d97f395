#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "core/flames/game.h"

namespace isolume::flames {

/// The points of one cloud between rounds.
struct Cloud {
  struct alignas(64) Points {
    std::array<float, cloud_points> x, y, colour;
  };
  std::array<Points, 2> points;  ///< the rounds write them in turn
  std::uint64_t number = 0;
  std::uint32_t round = 0;  ///< of the next one
};

/// The plotted points of several rounds.
struct Hits {
  static constexpr int most_rounds = 60;
  static constexpr std::size_t most = std::size_t{most_rounds} * cloud_points;
  alignas(64) std::array<std::uint32_t, most> pixel;  ///< pixel_count() for points out of the view
  alignas(64) std::array<std::uint8_t, most> colour;  ///< index into the palette
};

void begin_cloud(const Game& game, std::uint64_t number, Cloud& cloud);
/// Plays rounds, at most Hits::most_rounds, and stores their points; `hits` may be null.
void play_rounds(const Game& game, Cloud& cloud, int rounds, Hits* hits);
/// The instruction set in use: "AVX2".
const char* instruction_set();

/// For tests: V(x, y) of a function for up to cloud_points points, with the random numbers of their slots in round 0 of
/// cloud 0.
void apply_function(const Game& game, std::size_t function, Cloud::Points& points);

}  // namespace isolume::flames
