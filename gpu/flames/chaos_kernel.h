#pragma once

#include <cstdint>

#include "core/flames/game_layout.h"
#include "gpu/runtime/streams/stream_name.h"

/// The permuted chaos game of game_layout.h. A block of 1024 threads plays one cloud: the points lie in shared memory,
/// a warp is bound to one function in each round, and the slots exchange their points by the round's permutation.
///
/// By arithmetic, for each point: 24 bytes of shared memory read and written, one evaluation of its function without
/// divergence between functions, and four atomic additions of 8 bytes to one line of the histogram.
namespace isolume::gpu::flame_kernels {

/// Four sums of a pixel: count, red, green, blue; as flames::Bin.
inline constexpr int words_per_bin = 4;

struct ChaosGame {
  const flames::GameFunction* functions;
  std::int32_t function_count;
  const flames::GameFunction* final_transform;  ///< null: none
  const flames::GameTerm* terms;
  const std::uint32_t* palette;  ///< red + 256 green + 65536 blue
  flames::GameView view;
  std::uint64_t seed;
  unsigned long long* bins;  ///< words_per_bin for each pixel
};

/// Adds `clouds` clouds, the first of number `first_cloud`.
void play(const ChaosGame& game, std::uint64_t first_cloud, std::uint32_t clouds, const Stream& stream);

}  // namespace isolume::gpu::flame_kernels
