#include "gpu/orbitals/in_reach.h"
#include "gpu/orbitals/separable/local_kernels.h"
#include "gpu/orbitals/separable/separable_kernels.h"
#include "gpu/runtime/kernel.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::separable {
namespace {

constexpr int warps = 2;
constexpr int threads = 32 * warps;
constexpr unsigned all_lanes = 0xffffffffu;

/// Terms that a warp lists before their products are summed. For most bricks one list holds all terms.
constexpr int list_size = 256;
/// Terms whose factors are in shared memory at once.
constexpr int batch = 32;
/// Two parts of the memory alternate: half a batch is loaded while the previous one is multiplied.
constexpr int half_batch = batch / 2;

constexpr int plane_points = brick_y * brick_z;
/// A term's plane has 8 unused values, so that threads that write four terms at once use all banks.
constexpr int plane_stride = plane_points + 8;

/// Each thread sums 8 x 4 points: x = 4 tx .. 4 tx + 3 and 16 more, and four neighbours in y.
constexpr int tile_x = 8;
constexpr int tile_y = 4;
static_assert(threads * tile_x * tile_y == brick_x * plane_points);

/// Shared memory of a block.
struct Shared {
  float4 a[batch][brick_x / 4];
  float4 b[batch][plane_stride / 4];
  int listed[warps][list_size];
  int count[warps];
  int ended[warps];
};

/// A warp's position in listing terms.
struct Cursor {
  int next_chunk = 0;
  int tested_from = 0;   ///< the chunk of bit 0 of `pending`
  unsigned pending = 0;  ///< chunks in range of the brick that are not listed yet
};

__device__ bool ended(const Tables& tables, const Cursor& cursor) {
  return cursor.pending == 0 && cursor.next_chunk >= tables.chunk_count;
}

/// Lists terms in range of the brick until the list is full or the terms are exhausted; returns their number.
/// The warps of a block process the chunks in turn, so that the lists are the same in every run.
__device__ int list_terms(const Tables& tables, const Box& brick, Cursor& cursor, int* listed) {
  const int lane = static_cast<int>(threadIdx.x % 32);
  const unsigned own_chunks = 0x55555555u << (threadIdx.x / 32);
  static_assert(warps == 2);
  int count = 0;
  while (count <= list_size - chunk_terms && !ended(tables, cursor)) {
    if (cursor.pending == 0) {
      const int chunk = cursor.next_chunk + lane;
      const bool near = chunk < tables.chunk_count && reaches(tables.step, brick, tables.chunks[chunk]);
      cursor.pending = __ballot_sync(all_lanes, near) & own_chunks;
      cursor.tested_from = cursor.next_chunk;
      cursor.next_chunk += 32;
    } else {
      const int chunk = cursor.tested_from + __ffs(static_cast<int>(cursor.pending)) - 1;
      cursor.pending &= cursor.pending - 1;
      const int term = chunk * chunk_terms + lane;
      const bool near = reaches(tables.step, brick, tables.reach[term]);
      const unsigned which = __ballot_sync(all_lanes, near);
      if (near) listed[count + __popc(which & ((1u << lane) - 1))] = term;
      count += __popc(which);
    }
  }
  return count;
}

/// Concatenates the lists of both warps.
__device__ int term_at(const Shared& shared, int position) {
  const int first = shared.count[0];
  return position < first ? shared.listed[0][position] : shared.listed[1][position - first];
}

/// Adds polynomial * Z(z) to a column of a plane, all z of the brick.
__device__ void add_power_of_z(float polynomial, const float* z_values, float4 (&column)[brick_z / 4]) {
#pragma unroll
  for (int i = 0; i < brick_z / 4; ++i) {
    const float4 at_z = reinterpret_cast<const float4*>(z_values)[i];
    column[i].x = fmaf(polynomial, at_z.x, column[i].x);
    column[i].y = fmaf(polynomial, at_z.y, column[i].y);
    column[i].z = fmaf(polynomial, at_z.z, column[i].z);
    column[i].w = fmaf(polynomial, at_z.w, column[i].w);
  }
}

/// A term's values at one y and all z of a brick: sum_k (sum_j c_jk Y_j) Z_k(z). `known_degree` lets the
/// compiler unroll the frequent ones; -1: any.
template <int known_degree>
__device__ void sum_column(const Tables& tables, const TermRows& term, const float* coefficients, int y,
                           int z, float4 (&column)[brick_z / 4]) {
  const int degree = known_degree >= 0 ? known_degree : term.degree;
  const float* y_values = tables.values + (term.y_row + y);
  const float* z_values = tables.values + (term.z_row + z);
#pragma unroll(known_degree >= 0 ? known_degree + 1 : 1)
  for (int k = 0; k <= degree; ++k) {
    float polynomial = 0;
#pragma unroll(known_degree >= 0 ? known_degree + 1 : 1)
    for (int j = 0; j + k <= degree; ++j) {
      polynomial = fmaf(coefficients[(j + k) * (j + k + 1) / 2 + k], y_values[j * term.y_stride], polynomial);
    }
    add_power_of_z(polynomial, z_values + k * term.z_stride, column);
  }
}

__device__ void fill_column(const Tables& tables, const TermRows& term, const float* coefficients, int y,
                            int z, float* to) {
  const float* c = coefficients + term.coefficient;
  float4 column[brick_z / 4] = {};
  switch (term.degree) {
    case 0:
      sum_column<0>(tables, term, c, y, z, column);
      break;
    case 1:
      sum_column<1>(tables, term, c, y, z, column);
      break;
    case 2:
      sum_column<2>(tables, term, c, y, z, column);
      break;
    default:
      sum_column<-1>(tables, term, c, y, z, column);
  }
#pragma unroll
  for (int i = 0; i < brick_z / 4; ++i) {
    to[(4 * i + 0) * brick_y] = column[i].x;
    to[(4 * i + 1) * brick_y] = column[i].y;
    to[(4 * i + 2) * brick_y] = column[i].z;
    to[(4 * i + 3) * brick_y] = column[i].w;
  }
}

/// Loads the factors of `count` listed terms into shared memory, from row `row` on, for the brick whose first
/// point is given.
__device__ void load_batch(const Tables& tables, const float* coefficients, int x, int y, int z, int first,
                           int count, int row, Shared& shared) {
  constexpr int vectors = brick_x / 4;
  for (int i = static_cast<int>(threadIdx.x); i < count * vectors; i += threads) {
    const TermRows& term = tables.rows[term_at(shared, first + i / vectors)];
    shared.a[row + i / vectors][i % vectors] =
        reinterpret_cast<const float4*>(tables.values + (term.x_row + x))[i % vectors];
  }
  float* planes = reinterpret_cast<float*>(&shared.b[row][0]);
  for (int i = static_cast<int>(threadIdx.x); i < count * brick_y; i += threads) {
    const TermRows term = tables.rows[term_at(shared, first + i / brick_y)];
    fill_column(tables, term, coefficients, y + i % brick_y, z,
                planes + i / brick_y * plane_stride + i % brick_y);
  }
}

/// The part of the brick that a thread sums. Lanes whose numbers differ in one bit share their position
/// either in x or in the plane, so that wide loads of shared memory coincide.
struct Place {
  int tx;     ///< 0 .. 3
  int plane;  ///< 0 .. 15: four points at y = 4 (plane % 2), z = plane / 2
};
__device__ Place place_of_thread() {
  const int t = static_cast<int>(threadIdx.x);
  return {(t & 1) | ((t >> 1) & 2), ((t >> 1) & 1) | ((t >> 2) & ~1)};
}

using Tile = float[tile_y][tile_x];

__device__ void multiply_batch(const Shared& shared, Place place, int row, int count, Tile& sums) {
#pragma unroll 4
  for (int t = row; t < row + count; ++t) {
    const float4 a0 = shared.a[t][place.tx];
    const float4 a1 = shared.a[t][place.tx + 4];
    const float4 b4 = shared.b[t][place.plane];
    const float a[tile_x] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
    const float b[tile_y] = {b4.x, b4.y, b4.z, b4.w};
#pragma unroll
    for (int y = 0; y < tile_y; ++y) {
#pragma unroll
      for (int x = 0; x < tile_x; ++x) sums[y][x] = fmaf(a[x], b[y], sums[y][x]);
    }
  }
}

/// Adds the products of all listed terms, batch by batch.
__device__ void multiply_listed(const Tables& tables, const float* coefficients, int x, int y, int z,
                                int count, Place place, Shared& shared, Tile& sums) {
  for (int first = 0; first < count; first += batch) {
    const int size = min(batch, count - first);
    __syncthreads();  // the previous batch has been read
    load_batch(tables, coefficients, x, y, z, first, size, 0, shared);
    __syncthreads();
    multiply_batch(shared, place, 0, size, sums);
  }
}

/// The same sums in the same order, with half a batch loaded ahead: loads wait for memory while the other
/// warp, or this one's next instructions, multiply, and there is one barrier for each half.
__device__ void multiply_listed_ahead(const Tables& tables, const float* coefficients, int x, int y, int z,
                                      int count, Place place, Shared& shared, Tile& sums) {
  load_batch(tables, coefficients, x, y, z, 0, min(half_batch, count), 0, shared);
  __syncthreads();
  for (int first = 0, row = 0; first < count; first += half_batch, row ^= half_batch) {
    const int next = first + half_batch;
    load_batch(tables, coefficients, x, y, z, next, min(half_batch, count - next), row ^ half_batch, shared);
    multiply_batch(shared, place, row, min(half_batch, count - first), sums);
    __syncthreads();  // one half has been read, the other written
  }
}

__device__ void clear(Tile& sums) {
#pragma unroll
  for (int y = 0; y < tile_y; ++y) {
#pragma unroll
    for (int x = 0; x < tile_x; ++x) sums[y][x] = 0;
  }
}

/// The thread's part of a brick that lies within the slab; `to` is the slab's first value.
__device__ void store(const Tables& tables, Place place, int x, int y, int z, int first_z, int count_z,
                      bool aligned, const Tile& sums, float* to) {
  const int at_z = z + place.plane / 2 - first_z;
  if (at_z < 0 || at_z >= count_z) return;
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
    const int at_y = y + place.plane % 2 * 4 + i;
    if (at_y >= tables.count[1]) return;
    float* row = to + (static_cast<std::size_t>(at_z) * tables.count[1] + at_y) * tables.count[0];
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int at_x = x + half * 16 + place.tx * 4;
      const float* four = sums[i] + half * 4;
      if (aligned && at_x < tables.count[0]) {
        *reinterpret_cast<float4*>(row + at_x) = {four[0], four[1], four[2], four[3]};
      } else {
#pragma unroll
        for (int j = 0; j < 4; ++j) {
          if (at_x + j < tables.count[0]) row[at_x + j] = four[j];
        }
      }
    }
  }
}

__device__ Box box_of(const Tables& tables, int x, int y, int z) {
  return box_at({x, y, z}, {brick_x, brick_y, brick_z}, tables.count);
}

/// Adds all terms of one column in range of the brick. `all_listed` is kept between the columns of a brick: a
/// list that holds all terms is made once.
template <bool ahead>
__device__ void sum_terms(const Tables& tables, const float* coefficients, const Box& box, int x, int y,
                          int z, Place place, Shared& shared, bool& all_listed, Tile& sums) {
  const int warp = static_cast<int>(threadIdx.x / 32);
  Cursor cursor;
  for (bool first_list = true, more = true; more; first_list = false) {
    if (!all_listed) {
      __syncthreads();  // the previous lists have been read
      const int count = list_terms(tables, box, cursor, shared.listed[warp]);
      if (threadIdx.x % 32 == 0) {
        shared.count[warp] = count;
        shared.ended[warp] = ended(tables, cursor);
      }
      __syncthreads();
      more = !shared.ended[0] || !shared.ended[1];
      all_listed = first_list && !more;
    } else {
      more = false;
    }
    const int count = shared.count[0] + shared.count[1];
    if (ahead) {
      multiply_listed_ahead(tables, coefficients, x, y, z, count, place, shared, sums);
    } else {
      multiply_listed(tables, coefficients, x, y, z, count, place, shared, sums);
    }
  }
}

__device__ void add_square(float weight, const Tile& sums, Tile& field) {
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
#pragma unroll
    for (int j = 0; j < tile_x; ++j) field[i][j] = fmaf(weight * sums[i][j], sums[i][j], field[i][j]);
  }
}

/// `aligned`: rows of the results begin at multiples of 16 bytes and hold a multiple of four values.
template <bool quadratic, bool ahead>
__global__ void __launch_bounds__(threads, 8)
    sum_brick(Tables tables, int bricks_x, int bricks_y, int first_z, int count_z, bool aligned, float* out,
              std::size_t field_stride) {
  __shared__ Shared shared;
  const int brick = static_cast<int>(blockIdx.x);
  const int x = brick % bricks_x * brick_x;
  const int y = brick / bricks_x % bricks_y * brick_y;
  const int z = (brick / bricks_x / bricks_y + first_z / brick_z) * brick_z;
  const Box box = box_of(tables, x, y, z);
  const Place place = place_of_thread();

  Tile field;
  if (quadratic) clear(field);
  bool all_listed = false;
  for (int column = 0; column < tables.columns; ++column) {
    const float* coefficients =
        tables.coefficients + static_cast<std::size_t>(column) * tables.coefficient_rows;
    Tile sums;
    clear(sums);
    sum_terms<ahead>(tables, coefficients, box, x, y, z, place, shared, all_listed, sums);
    if (!quadratic) {
      store(tables, place, x, y, z, first_z, count_z, aligned, sums, out + column * field_stride);
    } else {
      add_square(tables.weights[column], sums, field);
    }
  }
  if (quadratic) store(tables, place, x, y, z, first_z, count_z, aligned, field, out);
}

/// Calls `each(value of the tile, x, y, z)` for each of the thread's points on the grid.
template <class Each>
__device__ void for_points(const Tables& tables, Place place, int x, int y, int z, Tile& values,
                           const Each& each) {
  const int at_z = z + place.plane / 2;
  if (at_z >= tables.count[2]) return;
#pragma unroll
  for (int i = 0; i < tile_y; ++i) {
    const int at_y = y + place.plane % 2 * 4 + i;
#pragma unroll
    for (int j = 0; j < tile_x; ++j) {
      const int at_x = x + j / 4 * 16 + place.tx * 4 + j % 4;
      if (at_y < tables.count[1] && at_x < tables.count[0]) each(values[i][j], at_x, at_y, at_z);
    }
  }
}

/// One block of threads per brick of some blocks of the grid.
template <bool ahead>
__global__ void __launch_bounds__(threads, 8)
    add_local_columns(Tables tables, LocalColumns columns, int first_z, int count_z, float* out) {
  __shared__ Shared shared;
  const int block = static_cast<int>(blockIdx.x) / bricks_per_block;
  const int brick = static_cast<int>(blockIdx.x) % bricks_per_block;
  const BlockPlace corner = place_of_block(columns.blocks, columns.first_block + block);
  const int x = corner.x;
  const int y = corner.y + brick % 2 * brick_y;
  const int z = corner.z + brick / 2 * brick_z;
  const int last = min(columns.last, columns.needed[block * bricks_per_block + brick]);
  const bool outside = y >= tables.count[1] || z >= tables.count[2];
  if (outside || (!columns.begins && columns.first >= last)) return;
  const Box box = box_of(tables, x, y, z);
  const Place place = place_of_thread();
  const std::size_t row = static_cast<std::size_t>(tables.count[0]);
  const std::size_t plane = row * tables.count[1];

  Tile field;
  clear(field);
  if (!columns.begins) {
    for_points(tables, place, x, y, z, field, [&](float& value, int i, int j, int k) {
      if (k >= first_z && k < first_z + count_z) value = out[(k - first_z) * plane + j * row + i];
    });
  }
  bool all_listed = false;
  for (int column = columns.first; column < last; ++column) {
    Tile sums;
    clear(sums);
    const std::size_t position = static_cast<std::size_t>(block) * local_chunk + (column - columns.first);
    sum_terms<ahead>(tables, columns.coefficients + position * tables.coefficient_rows, box, x, y, z, place,
                     shared, all_listed, sums);
    add_square(columns.sign, sums, field);
  }
  store(tables, place, x, y, z, first_z, count_z, false, field, out);
  if (columns.least == nullptr) return;
  // All squares so far have one sign; magnitudes are ordered like their bits.
  float least = __builtin_inff();
  for_points(tables, place, x, y, z, field,
             [&](float& value, int, int, int) { least = fminf(least, fabsf(value)); });
  atomicMin(reinterpret_cast<int*>(&columns.least[block * bricks_per_block + brick]), __float_as_int(least));
}

/// One block per job.
__global__ void fill_table(const TableJob* jobs, float* values) {
  const TableJob job = jobs[blockIdx.x];
  for (int n = static_cast<int>(threadIdx.x); n < job.count; n += static_cast<int>(blockDim.x)) {
    const double x = fma(static_cast<double>(job.first + n), job.step, job.origin) - job.centre;
    double value = exp(-job.exponent * (x * x));
    float* to = values + job.row + n;
    for (int power = 0; power <= job.degree; ++power, to += job.count) {
      *to = static_cast<float>(value);
      value *= x;
    }
  }
}

}  // namespace

void fill_tables(const TableJob* jobs, int count, float* values, const Stream& stream) {
  if (count == 0) return;
  launch(fill_table, dim3(static_cast<unsigned>(count)), dim3(128), 0, stream, jobs, values);
}

void sum_bricks(const Tables& tables, bool ahead, int first_z, int count_z, float* out,
                std::size_t field_stride, const Stream& stream) {
  const int bricks_x = (tables.count[0] + brick_x - 1) / brick_x;
  const int bricks_y = (tables.count[1] + brick_y - 1) / brick_y;
  const int layers = (first_z + count_z - 1) / brick_z - first_z / brick_z + 1;
  if (bricks_x == 0 || bricks_y == 0 || count_z <= 0) return;
  const bool aligned = tables.count[0] % 4 == 0 && reinterpret_cast<std::size_t>(out) % 16 == 0 &&
                       (tables.quadratic || field_stride % 4 == 0);
  const auto kernel = tables.quadratic ? (ahead ? sum_brick<true, true> : sum_brick<true, false>)
                                       : (ahead ? sum_brick<false, true> : sum_brick<false, false>);
  launch(kernel, dim3(static_cast<unsigned>(bricks_x) * bricks_y * layers), dim3(threads), 0, stream, tables,
         bricks_x, bricks_y, first_z, count_z, aligned, out, field_stride);
}

void add_columns(const Tables& tables, bool ahead, const LocalColumns& columns, int block_count, int first_z,
                 int count_z, float* out, const Stream& stream) {
  launch(ahead ? add_local_columns<true> : add_local_columns<false>,
         dim3(static_cast<unsigned>(block_count) * bricks_per_block), dim3(threads), 0, stream, tables,
         columns, first_z, count_z, out);
}

}  // namespace isolume::gpu::separable
