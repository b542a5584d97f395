#include "gpu/flames/chaos_kernel.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::flame_kernels {
namespace {

using namespace flames;

// Numbers for variation_formulas-inl.h: one thread's.
using Real = float;

__device__ inline Real Choose(bool condition, Real yes, Real no) {
  return condition ? yes : no;
}
__device__ inline Real Sqrt(Real x) {
  return sqrtf(x);
}
__device__ inline Real Floor(Real x) {
  return floorf(x);
}
__device__ inline Real Trunc(Real x) {
  return truncf(x);
}
__device__ inline Real Abs(Real x) {
  return fabsf(x);
}
/// With the limits of the CPU's.
__device__ inline Real Exp(Real x) {
  return expf(fminf(fmaxf(x, -87.0F), 88.0F));
}
__device__ inline Real Log(Real x) {
  return logf(x);
}
__device__ inline Real Atan2(Real y, Real x) {
  return atan2f(y, x);
}
__device__ inline void SinCos(Real angle, Real& sine, Real& cosine) {
  sincosf(angle, &sine, &cosine);
}

#define ISOLUME_FLAMES_INLINE __device__ inline
#include "core/flames/variation_formulas-inl.h"
#undef ISOLUME_FLAMES_INLINE

struct Words {
  std::uint32_t a, b, c, d;
};

/// isolume::philox of core/base/philox.h.
__device__ inline Words philox(Words counter, std::uint64_t seed) {
  auto low = static_cast<std::uint32_t>(seed), high = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = 0xD2511F53ULL * counter.a, second = 0xCD9E8D57ULL * counter.c;
    counter = {static_cast<std::uint32_t>(second >> 32) ^ counter.b ^ low, static_cast<std::uint32_t>(second),
               static_cast<std::uint32_t>(first >> 32) ^ counter.d ^ high, static_cast<std::uint32_t>(first)};
    low += 0x9E3779B9U;
    high += 0xBB67AE85U;
  }
  return counter;
}

/// The random numbers of a slot in a round.
class SlotRandom {
 public:
  __device__ SlotRandom(std::uint64_t seed, std::uint64_t cloud, std::uint32_t item, std::uint32_t draw)
      : seed_(seed), cloud_(cloud), item_(item), draw_(draw) {}

  /// Uniform in [0, 1), 24 bits.
  __device__ Real Next() {
    if (left_ == 0) {
      words_ = philox(
          {draw_++, item_, static_cast<std::uint32_t>(cloud_), static_cast<std::uint32_t>(cloud_ >> 32)},
          seed_);
      left_ = 4;
    }
    --left_;
    const std::uint32_t word = words_.a;
    words_ = {words_.b, words_.c, words_.d, 0};
    return static_cast<float>(word >> 8) * 0x1p-24F;
  }

 private:
  std::uint64_t seed_, cloud_;
  std::uint32_t item_, draw_;
  Words words_{};
  int left_ = 0;
};

/// The function of a group in a round with this offset; the same for all threads of a warp.
__device__ int chosen_function(const ChaosGame& game, float position) {
  int low = 0, high = game.function_count - 1;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (game.functions[middle].groups_before_end <= position) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

__device__ void plot(const ChaosGame& game, float plotted, SlotRandom& random, Real x, Real y, Real colour) {
  const float* m = game.view.to_pixels;
  const float column = m[0] * x + m[1] * y + m[2], row = m[3] * x + m[4] * y + m[5];
  if (!(column >= 0 && column < static_cast<float>(game.view.width) && row >= 0 &&
        row < static_cast<float>(game.view.height)))
    return;
  if (plotted < 1 && !(random.Next() < plotted)) return;
  const std::size_t pixel =
      static_cast<std::size_t>(static_cast<int>(row)) * game.view.width + static_cast<int>(column);
  const std::uint32_t shade = game.palette[static_cast<int>(fminf(fmaxf(colour * 256.0F, 0.0F), 255.0F))];
  unsigned long long* bin = game.bins + pixel * words_per_bin;
  atomicAdd(&bin[0], 1ULL);
  atomicAdd(&bin[1], static_cast<unsigned long long>(shade & 255U));
  atomicAdd(&bin[2], static_cast<unsigned long long>(shade >> 8 & 255U));
  atomicAdd(&bin[3], static_cast<unsigned long long>(shade >> 16 & 255U));
}

__global__ void __launch_bounds__(cloud_points) play_clouds(ChaosGame game, std::uint64_t first_cloud) {
  __shared__ float all_x[2][cloud_points], all_y[2][cloud_points], all_colours[2][cloud_points];
  const std::uint32_t slot = threadIdx.x;
  const std::uint64_t cloud = first_cloud + blockIdx.x;
  {
    SlotRandom random(game.seed, cloud, slot, first_draw);
    all_x[0][slot] = 2 * random.Next() - 1;
    all_y[0][slot] = 2 * random.Next() - 1;
    all_colours[0][slot] = random.Next();
  }
  __syncthreads();
  for (std::uint32_t round = 0; round < warm_up_rounds + plotted_rounds; ++round) {
    const std::uint32_t from = round % 2, to = 1 - from;
    // Every thread computes the round's words: cheaper than a barrier more.
    const Words words = philox({0, round * words_per_round + cloud_points, static_cast<std::uint32_t>(cloud),
                                static_cast<std::uint32_t>(cloud >> 32)},
                               game.seed);
    const std::uint32_t source = (slot * (words.a | 1U) + words.b) % cloud_points;
    const float offset = static_cast<float>(words.c >> 16) * 0x1p-16F;
    const GameFunction& function =
        game.functions[chosen_function(game, static_cast<float>(slot / group_points) + offset)];
    SlotRandom random(game.seed, cloud, round * words_per_round + slot, 0);
    Real x = all_x[from][source], y = all_y[from][source], colour = all_colours[from][source];
    Apply(function, game.terms, random, x, y);
    if (!(fabsf(x) < escaped_at && fabsf(y) < escaped_at)) {
      SlotRandom restart(game.seed, cloud, round * words_per_round + slot, restart_draw);
      x = 2 * restart.Next() - 1;
      y = 2 * restart.Next() - 1;
    }
    colour = function.colour_kept * colour + function.colour_added;
    all_x[to][slot] = x;
    all_y[to][slot] = y;
    all_colours[to][slot] = colour;
    if (round >= warm_up_rounds) {
      float plotted = function.plotted;
      if (game.final_transform != nullptr) {
        const GameFunction& last = *game.final_transform;
        Apply(last, game.terms, random, x, y);
        colour = last.colour_kept * colour + last.colour_added;
        plotted *= last.plotted;
      }
      plot(game, plotted, random, x, y, colour);
    }
    __syncthreads();
  }
}

}  // namespace

void play(const ChaosGame& game, std::uint64_t first_cloud, std::uint32_t clouds, const Stream& stream) {
  launch(play_clouds, dim3(clouds), dim3(cloud_points), 0, stream, game, first_cloud);
}

}  // namespace isolume::gpu::flame_kernels
