#pragma once

/// Equal bins of log2|value| for isovalues_enclosing(), so fine that a threshold is known to 0.3 %.
namespace isolume::grid::magnitude_bins {

inline constexpr int lowest_octave = -126;
inline constexpr int octaves = 254;
inline constexpr int per_octave = 256;
inline constexpr int count = octaves * per_octave;

}  // namespace isolume::grid::magnitude_bins
