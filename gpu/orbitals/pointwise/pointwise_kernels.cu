#include "gpu/orbitals/pointwise/point_places.h"
#include "gpu/orbitals/pointwise/pointwise_kernels.h"
#include "gpu/orbitals/pointwise/shell_sums.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu {
namespace {

__constant__ float4 constant_words[constant_memory_words];

class FromConstant {
 public:
  __device__ FromConstant(const PackedLayout&, const float4*) {}
  template <Section section>
  __device__ int bring(int first, int) const {
    return first;
  }
  __device__ float4 word(int at) const { return constant_words[at]; }
  static constexpr int most_primitives = INT_MAX;
};

constexpr int tile_words(Section section) {
  switch (section) {
    case Section::centres:
      return 32;
    case Section::groups:
      return 64;
    case Section::primitives:
      return 128;
    default:
      return 256;  // coefficients: a shell h of 16 columns has 84
  }
}
constexpr int tile_start(Section section) {
  switch (section) {
    case Section::centres:
      return 0;
    case Section::groups:
      return tile_words(Section::centres);
    case Section::primitives:
      return tile_start(Section::groups) + tile_words(Section::groups);
    default:
      return tile_start(Section::primitives) + tile_words(Section::primitives);
  }
}
constexpr int all_tile_words = tile_start(Section::coefficients) + tile_words(Section::coefficients);

/// Shared memory as an explicit cache: a tile of each section, aligned to 64 bytes, which the whole block
/// fills whenever a loop is about to leave it.
class FromTiles {
 public:
  __device__ FromTiles(const PackedLayout& layout, const float4* words)
      : words_(words), end_(layout.first_radius) {
    __shared__ float4 tiles[all_tile_words];
    tiles_ = tiles;
  }
  template <Section section>
  __device__ int bring(int first, int count) {
    int& base = bases_[static_cast<int>(section)];
    if (first < base || first + count > base + tile_words(section)) {
      __syncthreads();  // the old tile has been read
      base = first & ~3;
      for (int i = static_cast<int>(threadIdx.x); i < tile_words(section); i += threads_per_block) {
        if (base + i < end_) tiles_[tile_start(section) + i] = __ldg(words_ + base + i);
      }
      __syncthreads();
    }
    return tile_start(section) + first - base;
  }
  __device__ float4 word(int at) const { return tiles_[at]; }
  static constexpr int most_primitives = tile_words(Section::primitives) - 3;

 private:
  const float4* words_;
  float4* tiles_;
  int end_;
  int bases_[4] = {nowhere, nowhere, nowhere, nowhere};
  static constexpr int nowhere = INT_MIN / 2;
};

template <class Memory, int N>
__global__ void __launch_bounds__(threads_per_block, blocks_wanted(N))
    sum_all_shells(PackedLayout layout, const float4* words, PointSet points, FieldOutput output) {
  constexpr int P = points_per_thread(N);
  Memory memory(layout, words);
  Points<P> mine;
#pragma unroll
  for (int p = 0; p < P; ++p) set_point(points, consecutive_target<P>(points, p), p, mine);
  float density[P] = {};
  for (int pass = 0; pass < layout.pass_count; ++pass) {
    const int first_coefficient = layout.first_coefficient + pass * layout.words_per_pass;
    float psi[P][N] = {};
    for (int centre = 0; centre < layout.centre_count; ++centre) {
      const int at = memory.template bring<Section::centres>(2 * centre, 2);
      const float4 r = memory.word(at + 1);
      Relative<P> relative;
      look_from(points, mine, memory.word(at), r, relative);
      const int groups = __float_as_int(r.w);
      const int first_group = layout.first_group + (groups >> 4);
      for (int g = 0; g < (groups & 15); ++g) {
        const float4 group = memory.word(memory.template bring<Section::groups>(first_group + g, 1));
        const int count_and_shells = __float_as_int(group.y);
        add_group(memory, layout.first_primitive + __float_as_int(group.x), count_and_shells >> 12,
                  count_and_shells & 0xfff, first_coefficient + __float_as_int(group.z), relative, psi);
      }
    }
    if (output.density) {
      add_squares(memory, first_coefficient + layout.words_per_pass, psi, density);
    } else {
#pragma unroll
      for (int p = 0; p < P; ++p) write_amplitudes(output, pass, consecutive_target<P>(points, p), psi[p]);
    }
  }
  if (output.density) {
#pragma unroll
    for (int p = 0; p < P; ++p) write_density(output, consecutive_target<P>(points, p), density[p]);
  }
}

std::size_t slab_points(const PointSet& points) {
  if (points.kind == PlaceKind::scattered) return points.count;
  return static_cast<std::size_t>(points.nx) * points.ny * points.count;
}

template <class Memory, int N>
void launch_all(const PackedLayout& layout, const Word* words, const PointSet& points,
                const FieldOutput& output, const Stream& stream) {
  constexpr std::size_t per_block = points_per_block(N);
  const std::size_t blocks = (slab_points(points) + per_block - 1) / per_block;
  launch(sum_all_shells<Memory, N>, dim3(static_cast<unsigned>(blocks)), dim3(threads_per_block), 0, stream,
         layout, reinterpret_cast<const float4*>(words), points, output);
}

template <class Memory>
void launch_all(const PackedLayout& layout, const Word* words, const PointSet& points,
                const FieldOutput& output, const Stream& stream) {
  switch (layout.columns_per_pass) {
    case 1:
      return launch_all<Memory, 1>(layout, words, points, output, stream);
    case 2:
      return launch_all<Memory, 2>(layout, words, points, output, stream);
    case 4:
      return launch_all<Memory, 4>(layout, words, points, output, stream);
    case 8:
      return launch_all<Memory, 8>(layout, words, points, output, stream);
    default:
      return launch_all<Memory, 16>(layout, words, points, output, stream);
  }
}

}  // namespace

void copy_to_constant_memory(const Word* words, std::size_t count, std::size_t first, const Stream& stream) {
  require_queued(cudaMemcpyToSymbolAsync(constant_words, words, count * sizeof(Word), first * sizeof(Word),
                                         cudaMemcpyDeviceToDevice, queue_of(stream)),
                 "copying into constant memory");
}

void launch_constant(const PackedLayout& layout, const PointSet& points, const FieldOutput& output,
                     const Stream& stream) {
  launch_all<FromConstant>(layout, nullptr, points, output, stream);
}

void launch_tiled(const PackedLayout& layout, const Word* words, const PointSet& points,
                  const FieldOutput& output, const Stream& stream) {
  launch_all<FromTiles>(layout, words, points, output, stream);
}

void launch_cached(const PackedLayout& layout, const Word* words, const PointSet& points,
                   const FieldOutput& output, const Stream& stream) {
  launch_all<FromGlobal>(layout, words, points, output, stream);
}

}  // namespace isolume::gpu
