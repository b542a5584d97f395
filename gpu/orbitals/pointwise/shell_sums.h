#pragma once

#include <climits>

#include "gpu/orbitals/packed_layout.h"
#include "gpu/orbitals/pointwise/point_places.h"
#include "gpu/runtime/kernel.h"

/// Device code: sums over shells for the points of a thread (P) and the columns of a pass (N). `Memory`
/// provides access to the packed words: `bring` makes some of a section readable, for `word`; all threads of
/// a block call it together.
namespace isolume::gpu {

enum class Section : int { centres, groups, primitives, coefficients };

/// All threads of a warp read the same word: one transaction, broadcast.
class FromGlobal {
 public:
  __device__ FromGlobal(const PackedLayout&, const float4* words) : words_(words) {}
  template <Section section>
  __device__ int bring(int first, int) const {
    return first;
  }
  __device__ float4 word(int at) const { return __ldg(words_ + at); }
  static constexpr int most_primitives = INT_MAX;

 private:
  const float4* words_;
};

/// sum_p c_p exp(-a_p r^2) of each shell of a group.
template <int shells, int P, class Memory>
__device__ void radial_parts(Memory& memory, int first, int count, const Relative<P>& relative,
                             float (&radial)[P][most_shells_per_group]) {
#pragma unroll
  for (int p = 0; p < P; ++p) radial[p][0] = radial[p][1] = radial[p][2] = 0;
  for (int done = 0; done < count; done += Memory::most_primitives) {
    const int part = count - done < Memory::most_primitives ? count - done : Memory::most_primitives;
    const int at = memory.template bring<Section::primitives>(first + done, part);
    for (int i = 0; i < part; ++i) {
      const float4 primitive = memory.word(at + i);
#pragma unroll
      for (int p = 0; p < P; ++p) {
        const float gaussian = exp2f(primitive.x * relative.square[p]);
        radial[p][0] = fmaf(primitive.y, gaussian, radial[p][0]);
        if constexpr (shells > 1) radial[p][1] = fmaf(primitive.z, gaussian, radial[p][1]);
        if constexpr (shells > 2) radial[p][2] = fmaf(primitive.w, gaussian, radial[p][2]);
      }
    }
  }
}

/// One or two columns: the polynomial by Horner's rule, first in x, then in y. The monomials' order
/// (decreasing powers of x, then of y) is the order in which it needs the coefficients, which are `N` apart.
template <int l, int N>
__device__ float polynomial(const float* coefficients, const float (&place)[3], const float* z_power) {
  if constexpr (l == 0) {
    return coefficients[0];
  } else {
    const float* without_x = coefficients + N * monomial_count(l - 1);
    float plane = without_x[0];
#pragma unroll
    for (int t = 1; t <= l; ++t) plane = fmaf(plane, place[1], without_x[N * t] * z_power[t]);
    return fmaf(polynomial<l - 1, N>(coefficients, place, z_power), place[0], plane);
  }
}

/// More columns: the monomials themselves, times `factor`, for all columns. Each degree follows from the one
/// below, last to first in place: z^l, then y times the terms without x, then x times everything.
template <int l>
__device__ void monomials(const float (&place)[3], float factor, float* values) {
  if constexpr (l == 0) {
    values[0] = factor;
  } else {
    monomials<l - 1>(place, factor, values);
    constexpr int lower = monomial_count(l - 1);
    values[lower + l] = values[lower - 1] * place[2];
#pragma unroll
    for (int t = l - 1; t >= 0; --t) values[lower + t] = values[lower - l + t] * place[1];
#pragma unroll
    for (int t = 0; t < lower; ++t) values[t] *= place[0];
  }
}

template <int l, int N, int P, class Memory>
__device__ void add_shell(Memory& memory, int at, const Relative<P>& relative,
                          const float (&radial)[P][most_shells_per_group], float (&psi)[P][N]) {
  constexpr int words = coefficient_words(l, N);
  if constexpr (N <= 2) {
    float coefficients[4 * words];
#pragma unroll
    for (int w = 0; w < words; ++w) {
      const float4 word = memory.word(at + w);
      coefficients[4 * w] = word.x;
      coefficients[4 * w + 1] = word.y;
      coefficients[4 * w + 2] = word.z;
      coefficients[4 * w + 3] = word.w;
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      float z_power[l + 2];  // the one of 0 is not used
      z_power[1] = relative.place[p][2];
#pragma unroll
      for (int t = 2; t <= l; ++t) z_power[t] = z_power[t - 1] * z_power[1];
#pragma unroll
      for (int n = 0; n < N; ++n) {
        const float value = polynomial<l, N>(coefficients + n, relative.place[p], z_power);
        psi[p][n] = fmaf(radial[p][0], value, psi[p][n]);
      }
    }
  } else {
    float values[P][monomial_count(l)];
#pragma unroll
    for (int p = 0; p < P; ++p) monomials<l>(relative.place[p], radial[p][0], values[p]);
#pragma unroll
    for (int w = 0; w < words; ++w) {  // N is a multiple of 4: a word belongs to one monomial
      const float4 word = memory.word(at + w);
      const int m = 4 * w / N;
      const int n = 4 * w % N;
#pragma unroll
      for (int p = 0; p < P; ++p) {
        psi[p][n] = fmaf(values[p][m], word.x, psi[p][n]);
        psi[p][n + 1] = fmaf(values[p][m], word.y, psi[p][n + 1]);
        psi[p][n + 2] = fmaf(values[p][m], word.z, psi[p][n + 2]);
        psi[p][n + 3] = fmaf(values[p][m], word.w, psi[p][n + 3]);
      }
    }
  }
}

template <int l, int N, int P, class Memory>
__device__ void bring_and_add_shell(Memory& memory, int& first, const Relative<P>& relative,
                                    const float (&radial)[P][most_shells_per_group], float (&psi)[P][N]) {
  constexpr int words = coefficient_words(l, N);
  const int at = memory.template bring<Section::coefficients>(first, words);
  add_shell<l>(memory, at, relative, radial, psi);
  first += words;
}

/// `shells` as in the group's word, `first_coefficient` absolute.
template <int N, int P, class Memory>
__device__ void add_group(Memory& memory, int first_primitive, int primitive_count, int shells,
                          int first_coefficient, const Relative<P>& relative, float (&psi)[P][N]) {
  float radial[P][most_shells_per_group];
  if (shells >> 8 != 0) {
    radial_parts<3>(memory, first_primitive, primitive_count, relative, radial);
  } else if (shells >> 4 != 0) {
    radial_parts<2>(memory, first_primitive, primitive_count, relative, radial);
  } else {
    radial_parts<1>(memory, first_primitive, primitive_count, relative, radial);
  }
#pragma unroll 1
  for (; shells != 0; shells >>= 4) {
    switch (shells & 15) {
      case 1:
        bring_and_add_shell<0>(memory, first_coefficient, relative, radial, psi);
        break;
      case 2:
        bring_and_add_shell<1>(memory, first_coefficient, relative, radial, psi);
        break;
      case 3:
        bring_and_add_shell<2>(memory, first_coefficient, relative, radial, psi);
        break;
      case 4:
        bring_and_add_shell<3>(memory, first_coefficient, relative, radial, psi);
        break;
      case 5:
        bring_and_add_shell<4>(memory, first_coefficient, relative, radial, psi);
        break;
      default:
        bring_and_add_shell<5>(memory, first_coefficient, relative, radial, psi);
        break;
    }
#pragma unroll
    for (int p = 0; p < P; ++p) {
      radial[p][0] = radial[p][1];
      radial[p][1] = radial[p][2];
    }
  }
}

/// Adds a pass's amplitudes to the density, with the weights at the pass's end.
template <int N, int P, class Memory>
__device__ void add_squares(Memory& memory, int end_of_pass, const float (&psi)[P][N], float (&density)[P]) {
  constexpr int words = (N + 3) / 4;
  const int at = memory.template bring<Section::coefficients>(end_of_pass - words, words);
#pragma unroll
  for (int w = 0; w < words; ++w) {
    const float4 word = memory.word(at + w);
#pragma unroll
    for (int p = 0; p < P; ++p) {
      density[p] = fmaf(word.x * psi[p][4 * w], psi[p][4 * w], density[p]);
      if constexpr (N > 1) density[p] = fmaf(word.y * psi[p][4 * w + 1], psi[p][4 * w + 1], density[p]);
      if constexpr (N > 2) density[p] = fmaf(word.z * psi[p][4 * w + 2], psi[p][4 * w + 2], density[p]);
      if constexpr (N > 2) density[p] = fmaf(word.w * psi[p][4 * w + 3], psi[p][4 * w + 3], density[p]);
    }
  }
}

template <int N>
__device__ void write_amplitudes(const FieldOutput& output, int pass, const Target& target,
                                 const float (&psi)[N]) {
  if (!target.wanted) return;
#pragma unroll
  for (int n = 0; n < N; ++n) {
    const int column = output.first_column + pass * N + n;
    if (column < output.column_count) output.values[column * output.stride + target.offset] = psi[n];
  }
}

__device__ inline void write_density(const FieldOutput& output, const Target& target, float density) {
  if (!target.wanted) return;
  output.values[target.offset] = output.add ? output.values[target.offset] + density : density;
}

/// Number of blocks that must fit on a multiprocessor at once: enough to keep its schedulers busy while some
/// warps wait for words, as far as the registers of this many columns allow.
constexpr int blocks_wanted(int columns) {
  return columns <= 8 ? 6 : 4;
}

}  // namespace isolume::gpu
