#pragma once

/// What movies can be, wherever they are asked for.
namespace isolume::pictures {

inline constexpr int largest_movie_side = 16384;  ///< pixels
inline constexpr int highest_movie_rate = 240;    ///< frames a second
inline constexpr double longest_movie_seconds = 3600;

}  // namespace isolume::pictures
