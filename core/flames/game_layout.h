#pragma once

#include <cstdint>

#include "core/flames/variation.h"

/// What kernels read of a game: nothing here needs more than this header.
namespace isolume::flames {

/// The chaos game as every engine plays it. Points are iterated in clouds: in each round, the slots of a cloud are
/// bound to functions in groups of 32 (a warp of a GPU), and every slot takes the point of another slot by a random
/// permutation, so that no branch diverges (C. Schied, J. Hanika, H. Dammertz, H. P. A. Lensch, "High-Performance
/// Iterated Function Systems", GPU Computing Gems, Emerald Edition, 2011).
///
/// Each point alone plays the ordinary chaos game exactly: the permutation j = (factor k + shift) mod 1024 puts it into
/// any slot with the same probability, and groups are assigned by systematic sampling, where the expected number of
/// groups of a function is 32 times its share.
///
/// All random numbers are words of Philox 4x32-10, keyed by the seed, at the counter {draw, round * 2048 + slot, cloud,
/// cloud >> 32}. The slot 1024 is the round itself: its words are factor, shift and the offset of the groups. What a
/// cloud plots therefore does not depend on threads, devices or the length of vectors, except for the rounding of
/// elementary functions.
inline constexpr int cloud_points = 1024;
inline constexpr int group_points = 32;
inline constexpr int cloud_groups = cloud_points / group_points;
/// Rounds that are not plotted, while points approach the attractor, and rounds that are.
inline constexpr int warm_up_rounds = 16;
inline constexpr int plotted_rounds = 240;
inline constexpr std::int64_t points_per_cloud = std::int64_t{cloud_points} * plotted_rounds;
inline constexpr std::uint32_t words_per_round = 2048;
/// The draw that gives the first position and colour of a point. Within a round, draws count from 0.
inline constexpr std::uint32_t first_draw = 0xffffffffU;
/// Coordinates beyond this, and those that are not numbers, are replaced by a random point of [-1, 1]², of this draw.
inline constexpr float escaped_at = 1e10F;
inline constexpr std::uint32_t restart_draw = 0xfffffffeU;

// Plain data, which kernels read as they are.
struct GameTerm {
  Variation variation;
  float amount;
  float constants[variation_constants];
};
struct GameFunction {
  float affine[6];  ///< a b c d e f
  float post[6];
  std::int32_t has_post;
  float colour_kept, colour_added;  ///< colour' = kept * colour + added
  float plotted;                    ///< probability
  std::int32_t first_term, end_term;
  float groups_before_end;  ///< 32 times the share of this function and all before it
};
struct GameView {
  float to_pixels[6];
  std::int32_t width, height;
};

}  // namespace isolume::flames
