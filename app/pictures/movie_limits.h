#pragma once

/// Limits of movies, for all programs.
namespace isolume::pictures {

inline constexpr int largest_movie_side = 16384;  ///< pixels
inline constexpr int highest_movie_rate = 240;    ///< frames per second
inline constexpr double longest_movie_seconds = 3600;

}  // namespace isolume::pictures
