#include "gpu/orbitals/separable/local_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::separable {
namespace {

constexpr int threads = 128;
constexpr int warps = threads / 32;
constexpr unsigned all_lanes = 0xffffffffu;
constexpr float infinity = __builtin_inff();

__device__ int thread() {
  return static_cast<int>(threadIdx.x);
}
__device__ int block() {
  return static_cast<int>(blockIdx.x);
}

/// The largest |t|^power exp(-exponent t^2) at low <= |t| <= high.
__device__ float largest_on(float low, float high, float exponent, int power) {
  const float peak = sqrtf(static_cast<float>(power) / (2 * exponent));
  const float t = fminf(fmaxf(peak, low), high);
  float value = expf(-exponent * t * t);
  for (int p = 0; p < power; ++p) value *= t;
  return value;
}

/// Upper bound of a row in a brick, with a margin for rounding; 0 if it is out of range.
__device__ float bound_of_row(const MonomialRow& row, const LocalTables& tables, BlockPlace brick) {
  const float centre[3] = {row.x, row.y, row.z};
  const int first[3] = {brick.x, brick.y, brick.z};
  const int size[3] = {brick_x, brick_y, brick_z};
  float bound = 1.0001f;
  float distance_squared = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const float low = static_cast<float>(first[axis]) - centre[axis];
    const float high =
        static_cast<float>(min(first[axis] + size[axis], tables.count[axis]) - 1) - centre[axis];
    const float nearest = fmaxf(fmaxf(low, -high), 0.0f) * tables.step[axis];
    const float farthest = fmaxf(fabsf(low), fabsf(high)) * tables.step[axis];
    distance_squared += nearest * nearest;
    bound *= largest_on(nearest, farthest, row.exponent, row.power[axis]);
  }
  return distance_squared < row.radius_squared * 1.0001f ? bound : 0.0f;
}

__global__ void __launch_bounds__(threads)
    bound_in_bricks(LocalTables tables, LocalScratch scratch, int first_block) {
  const BlockPlace corner = place_of_block(tables.blocks, first_block + block());
  float* bounds = scratch.bounds + static_cast<std::size_t>(block()) * bricks_per_block * tables.functions;
  for (int i = thread(); i < bricks_per_block * tables.functions; i += threads) {
    const int brick = i / tables.functions;
    const int function = i % tables.functions;
    const BlockPlace place = {corner.x, corner.y + brick % 2 * brick_y, corner.z + brick / 2 * brick_z};
    float bound = 0;
    if (place.y < tables.count[1] && place.z < tables.count[2]) {
      for (int e = tables.function_begin[function]; e < tables.function_begin[function + 1]; ++e) {
        const Element& element = tables.by_function[e];
        bound += fabsf(element.value) * bound_of_row(tables.rows[element.other], tables, place);
      }
    }
    bounds[i] = bound;
  }
  if (thread() < bricks_per_block) scratch.least[block() * bricks_per_block + thread()] = infinity;
  __syncthreads();
  if (thread() >= 32) return;  // one warp makes the list, in the order of the functions
  int* position = scratch.position + static_cast<std::size_t>(block()) * tables.functions;
  int* list = scratch.list + static_cast<std::size_t>(block()) * scratch.most_functions;
  double* weight = scratch.weight + static_cast<std::size_t>(block()) * scratch.most_functions;
  int count = 0;
  for (int from = 0; from < tables.functions; from += 32) {
    const int function = from + thread();
    float largest = 0;
    for (int brick = 0; brick < bricks_per_block && function < tables.functions; ++brick) {
      largest = fmaxf(largest, bounds[brick * tables.functions + function]);
    }
    const unsigned which = __ballot_sync(all_lanes, largest > 0);
    const int at = count + __popc(which & ((1u << thread()) - 1));
    if (function < tables.functions) position[function] = largest > 0 ? at : -1;
    if (largest > 0) {
      list[at] = function;
      weight[at] = largest;
    }
    count += __popc(which);
  }
  if (thread() == 0) scratch.states[block()] = {count, 0, 0, 0, 0, 0};
}

struct Shared {
  double sum[threads];
  double largest[threads];
  int where[threads];
};

/// The sum of all threads' numbers, and the position of the largest (of equal ones, the first); in a fixed
/// order. All threads must call it.
__device__ double reduce(Shared& shared, double sum, double largest, int where, int& pivot) {
  __syncthreads();
  shared.sum[thread()] = sum;
  shared.largest[thread()] = largest;
  shared.where[thread()] = where;
  for (int half = threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (thread() < half) {
      const int other = thread() + half;
      shared.sum[thread()] += shared.sum[other];
      const bool better =
          shared.largest[other] > shared.largest[thread()] ||
          (shared.largest[other] == shared.largest[thread()] && shared.where[other] < shared.where[thread()]);
      if (better) {
        shared.largest[thread()] = shared.largest[other];
        shared.where[thread()] = shared.where[other];
      }
    }
  }
  __syncthreads();
  pivot = shared.where[0];
  return shared.sum[0];
}

/// One block's decomposition, see PivotedCholesky.
struct Factor {
  int functions;
  int columns_made;
  int pivot;
  double least_pivot;
  double remainder;
  const int* list;
  const double* weight;
  double* diagonal;
  double* columns;
  int stride;  ///< capacity of a column, in functions
};

__device__ Factor factor_of(const LocalScratch& scratch) {
  const std::size_t first = static_cast<std::size_t>(block()) * scratch.most_functions;
  const LocalState state = scratch.states[block()];
  return {state.functions,
          state.columns,
          state.pivot,
          state.least_pivot,
          state.remainder,
          scratch.list + first,
          scratch.weight + first,
          scratch.diagonal + first,
          scratch.columns + first * scratch.most_columns,
          scratch.most_functions};
}

__device__ void keep(const Factor& factor, const LocalScratch& scratch) {
  if (thread() == 0) {
    scratch.states[block()] = {factor.functions,   factor.columns_made, factor.pivot, 0,
                               factor.least_pivot, factor.remainder};
  }
}

__device__ void start(Factor& factor, const double* density, int all_functions, Shared& shared) {
  double roots = 0;
  double largest = -1;
  int where = 0;
  for (int i = thread(); i < factor.functions; i += threads) {
    const int function = factor.list[i];
    const double of_matrix = density[static_cast<std::size_t>(function) * all_functions + function];
    const double value = factor.weight[i] * factor.weight[i] * fmax(of_matrix, 0.0);
    factor.diagonal[i] = value;
    roots += sqrt(value);
    if (value > largest) {
      largest = value;
      where = i;
    }
  }
  roots = reduce(shared, roots, largest, where, factor.pivot);
  factor.remainder = roots * roots;
  factor.columns_made = 0;
  factor.least_pivot = factor.functions > 0 ? 8 * 2.220446049250313e-16 * factor.diagonal[factor.pivot] : 0;
}

/// Like PivotedCholesky::extend.
__device__ bool extend(Factor& factor, const double* density, int all_functions, int most_columns,
                       Shared& shared) {
  const int pivot = factor.pivot;
  if (factor.functions == 0 || factor.columns_made == most_columns) return false;
  const double at_pivot = factor.diagonal[pivot];
  if (!(at_pivot > factor.least_pivot)) return false;
  __syncthreads();  // all have read the diagonal
  const double scale = 1 / sqrt(at_pivot);
  const double* of_pivot = density + static_cast<std::size_t>(factor.list[pivot]) * all_functions;
  double* column = factor.columns + static_cast<std::size_t>(factor.columns_made) * factor.stride;
  double roots = 0;
  double largest = -1;
  int where = 0;
  for (int i = thread(); i < factor.functions; i += threads) {
    double value = factor.weight[i] * factor.weight[pivot] * of_pivot[factor.list[i]];
    const double* before = factor.columns;
    for (int j = 0; j < factor.columns_made; ++j, before += factor.stride) value -= before[pivot] * before[i];
    value *= scale;
    column[i] = value;
    const double left = i == pivot ? 0 : fmax(factor.diagonal[i] - value * value, 0.0);
    factor.diagonal[i] = left;
    roots += sqrt(left);
    if (left > largest) {
      largest = left;
      where = i;
    }
  }
  roots = reduce(shared, roots, largest, where, factor.pivot);
  factor.remainder = roots * roots;
  ++factor.columns_made;
  return true;
}

__global__ void __launch_bounds__(threads)
    make_first_columns(LocalTables tables, LocalScratch scratch, const double* density, int count) {
  __shared__ Shared shared;
  Factor factor = factor_of(scratch);
  start(factor, density, tables.functions, shared);
  while (factor.columns_made < count &&
         extend(factor, density, tables.functions, scratch.most_columns, shared)) {
  }
  keep(factor, scratch);
  if (thread() < bricks_per_block)
    scratch.needed[block() * bricks_per_block + thread()] = factor.columns_made;
}

/// The largest contribution of each column from `first` on to an amplitude in each brick.
__device__ void find_amplitudes(const LocalTables& tables, const LocalScratch& scratch, const Factor& factor,
                                int first) {
  const float* bounds =
      scratch.bounds + static_cast<std::size_t>(block()) * bricks_per_block * tables.functions;
  const int lane = thread() % 32;
  for (int column = first + thread() / 32; column < factor.columns_made; column += warps) {
    const double* values = factor.columns + static_cast<std::size_t>(column) * factor.stride;
    double sums[bricks_per_block] = {};
    for (int i = lane; i < factor.functions; i += 32) {
      const double value = fabs(values[i]) / factor.weight[i];
      for (int brick = 0; brick < bricks_per_block; ++brick) {
        sums[brick] += value * bounds[brick * tables.functions + factor.list[i]];
      }
    }
    for (int brick = 0; brick < bricks_per_block; ++brick) {
      for (int away = 16; away > 0; away /= 2) sums[brick] += __shfl_xor_sync(all_lanes, sums[brick], away);
      if (lane == 0) {
        scratch
            .amplitude[(static_cast<std::size_t>(block()) * bricks_per_block + brick) * scratch.most_columns +
                       column] = sums[brick];
      }
    }
  }
}

__global__ void __launch_bounds__(threads)
    make_further_columns(LocalTables tables, LocalScratch scratch, const double* density, int first,
                         double screening, double share) {
  __shared__ Shared shared;
  Factor factor = factor_of(scratch);
  double allowed[bricks_per_block];
  double least_allowed = infinity;
  for (int brick = 0; brick < bricks_per_block; ++brick) {
    const double least = scratch.least[block() * bricks_per_block + brick];
    allowed[brick] = share * (screening * sqrt(least) + screening * screening / 4);
    least_allowed = fmin(least_allowed, allowed[brick]);
  }
  while (factor.remainder > least_allowed / 4 &&
         extend(factor, density, tables.functions, scratch.most_columns, shared)) {
  }
  keep(factor, scratch);
  find_amplitudes(tables, scratch, factor, first);
  __syncthreads();
  if (thread() >= bricks_per_block) return;
  const int at = block() * bricks_per_block + thread();
  const double* amplitude = scratch.amplitude + static_cast<std::size_t>(at) * scratch.most_columns;
  double left_out = factor.remainder;
  int count = factor.columns_made;
  while (count > first) {
    left_out += amplitude[count - 1] * amplitude[count - 1];
    if (left_out > allowed[thread()]) break;
    --count;
  }
  scratch.needed[at] = count;
}

__global__ void __launch_bounds__(threads) expand(LocalTables tables, LocalScratch scratch, int first) {
  const Factor factor = factor_of(scratch);
  int last = 0;
  for (int brick = 0; brick < bricks_per_block; ++brick) {
    last = max(last, scratch.needed[block() * bricks_per_block + brick]);
  }
  const int count = min(last, first + local_chunk) - first;
  const int* position = scratch.position + static_cast<std::size_t>(block()) * tables.functions;
  float* coefficients =
      scratch.coefficients + static_cast<std::size_t>(block()) * local_chunk * tables.row_count;
  for (int row = thread(); row < tables.row_count; row += threads) {
    for (int column = 0; column < count; ++column) {
      const double* values = factor.columns + static_cast<std::size_t>(first + column) * factor.stride;
      float sum = 0;
      for (int e = tables.row_begin[row]; e < tables.row_begin[row + 1]; ++e) {
        const Element& element = tables.by_row[e];
        const int at = position[element.other];
        if (at >= 0) sum += element.value * static_cast<float>(values[at] / factor.weight[at]);
      }
      coefficients[static_cast<std::size_t>(column) * tables.row_count + row] = sum;
    }
  }
}

}  // namespace

void bound_functions(const LocalTables& tables, const LocalScratch& scratch, int first_block, int block_count,
                     const Stream& stream) {
  launch(bound_in_bricks, dim3(static_cast<unsigned>(block_count)), dim3(threads), 0, stream, tables, scratch,
         first_block);
}

void first_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int count,
                   int block_count, const Stream& stream) {
  launch(make_first_columns, dim3(static_cast<unsigned>(block_count)), dim3(threads), 0, stream, tables,
         scratch, density, count);
}

void further_columns(const LocalTables& tables, const LocalScratch& scratch, const double* density, int first,
                     double screening, double share, int block_count, const Stream& stream) {
  launch(make_further_columns, dim3(static_cast<unsigned>(block_count)), dim3(threads), 0, stream, tables,
         scratch, density, first, screening, share);
}

void expand_columns(const LocalTables& tables, const LocalScratch& scratch, int first, int block_count,
                    const Stream& stream) {
  launch(expand, dim3(static_cast<unsigned>(block_count)), dim3(threads), 0, stream, tables, scratch, first);
}

}  // namespace isolume::gpu::separable
