#include "gpu/nbody/fmm/lane_tiles.h"
#include "gpu/runtime/launch.h"

namespace isolume::gpu::fmm_kernels {
namespace {

constexpr int degree = 6;

__host__ __device__ constexpr std::uint32_t terms_to(int n) {
  return static_cast<std::uint32_t>((n + 1) * (n + 2) * (n + 3) / 6);
}
static_assert(terms_to(degree) == softening_terms);

/// Multiplies terms of degree n by factor x scale^n.
__device__ void scale_terms(float factor, float scale, float* lane) {
  std::uint32_t i = 0;
  for (int n = 0; n <= degree; ++n, factor *= scale) {
    for (; i < terms_to(n); ++i) lane[i * row] *= factor;
  }
}

/// The derivatives of multipoles::add_softening_field in units of D = sqrt(r^2 + softening^2), at `at`.
/// `ratio`: softening^2 / r^2, or infinite where 1 / r is left out.
__device__ void derive(const SofteningTables& tables, const float (&at)[3], float ratio, float* lane) {
  // The nth derivative of the radial function is (-1)^n (2n - 1)!! (1 - (D / r)^(2n + 1)); its second part is as good
  // as the first one, which it nearly cancels.
  const float logarithm = log1pf(ratio);
  float radial[degree + 1];
  float factor = 1;
#pragma unroll
  for (int n = 0; n <= degree; ++n) {
    radial[n] = factor * (is_finite(ratio) ? -expm1f((static_cast<float>(n) + 0.5f) * logarithm) : 1.0f);
    factor *= -static_cast<float>(2 * n + 1);
  }
#pragma unroll
  for (int n = degree; n >= 0; --n) {
    for (std::uint32_t i = terms_to(degree - n); i-- > 1;) {
      const std::uint32_t axis = tables.axis[i];
      const float along = axis == 0 ? at[0] : axis == 1 ? at[1] : at[2];
      const int power = tables.power[i] - 1;
      float sum = along * lane[tables.lower[i] * row];
      if (power > 0) sum = fmaf(static_cast<float>(power), lane[tables.second_lower[i] * row], sum);
      lane[i * row] = sum;
    }
    lane[0] = radial[n];
  }
}

/// The sum over b of term a + b times factor b, for all terms a, in place: terms follow those that they are in.
__device__ void contract(const SofteningTables& tables, const float* factors, float* lane) {
  for (std::uint32_t a = 0; a < softening_terms; ++a) {
    float sum = 0;
    const std::uint32_t partners = tables.partners[a];
    for (std::uint32_t b = 0; b < partners; ++b)
      sum = fmaf(lane[tables.sum[a][b] * row], factors[b * row], sum);
    lane[a * row] = sum;
  }
}

/// The softening series of M2L for one cell by one warp, in batches of a source for each lane.
__global__ void __launch_bounds__(lanes) convert_softened(Tree tree, Slab slab, Fields fields) {
  __shared__ float terms[softening_terms * row], moments[softening_terms * row];
  const std::uint32_t number = cell_of_field(tree, slab, blockIdx.x);
  const Cell& target = tree.cells[number];
  const std::uint64_t end = tree.softened.starts[number + 1];
  RowSums<softening_terms> sums;
  for (std::uint64_t first = tree.softened.starts[number]; first < end; first += lanes) {
    const auto count = static_cast<std::uint32_t>(min(end - first, std::uint64_t{lanes}));
    const std::uint32_t entry = tree.softened.cells[first + min(threadIdx.x, count - 1)],
                        source = entry & ~alone;
    load_columns(tree.softening_moments + std::size_t{source} * softening_terms, softening_terms, count,
                 moments);
    float* const lane = terms + threadIdx.x;
    if (threadIdx.x < count) {
      const Cell& from = tree.cells[source];
      const double x = target.x - from.x, y = target.y - from.y, z = target.z - from.z;
      const double squared = x * x + y * y + z * z, softening = tree.softening * tree.softening;
      const double per_distance = 1 / sqrt(squared + softening);
      const float at[3] = {to_float(x * per_distance), to_float(y * per_distance),
                           to_float(z * per_distance)};
      const auto inverse = to_float(per_distance);
      derive(*tree.softening_tables, at,
             (entry & alone) != 0 ? __builtin_inff() : to_float(softening / squared), lane);
      scale_terms(1, from.unit * inverse, moments + threadIdx.x);
      contract(*tree.softening_tables, moments + threadIdx.x, lane);
      scale_terms(inverse, target.unit * inverse, lane);
    } else {
      for (std::uint32_t i = 0; i < softening_terms; ++i) lane[i * row] = 0;
    }
    sums.add(terms, softening_terms);
  }
  sums.store(softening_terms, fields.values + std::size_t{blockIdx.x} * fields.stride + 2 * tree.terms);
}

/// The softening series of L2L for a child in each lane.
__global__ void __launch_bounds__(lanes)
    move_softened(Tree tree, Slab slab, const std::uint32_t* cells, std::uint32_t count, Fields fields) {
  __shared__ float terms[softening_terms * row], powers[softening_terms * row];
  const std::uint32_t first = blockIdx.x * lanes, here = min(count - first, lanes);
  const std::uint32_t number = cells[first + min(threadIdx.x, here - 1)];
  const Cell &child = tree.cells[number], &parent = tree.cells[child.parent];
  const auto field_of = [&](std::uint32_t cell) {
    return fields.values + std::size_t{field_number(tree, slab, cell)} * fields.stride + 2 * tree.terms;
  };
  load_columns(field_of(child.parent), softening_terms, here, terms);
  if (threadIdx.x < here) {
    const SofteningTables& tables = *tree.softening_tables;
    const auto unit = static_cast<double>(parent.unit);
    const float x = to_float((child.x - parent.x) / unit), y = to_float((child.y - parent.y) / unit),
                z = to_float((child.z - parent.z) / unit);
    float* const power = powers + threadIdx.x;
    power[0] = 1;
    for (std::uint32_t i = 1; i < softening_terms; ++i) {
      const std::uint32_t axis = tables.axis[i];
      power[i * row] = power[tables.lower[i] * row] *
                       (axis == 0   ? x
                        : axis == 1 ? y
                                    : z) /
                       static_cast<float>(tables.power[i]);
    }
    contract(tables, power, terms + threadIdx.x);
    scale_terms(1, child.unit / parent.unit, terms + threadIdx.x);
  }
  add_columns(terms, softening_terms, here, field_of(number));
}

}  // namespace

void add_softened_cells(const Tree& tree, const Slab& slab, const Fields& fields, const Stream& stream) {
  launch(convert_softened, dim3(slab.all_cells()), dim3(lanes), 0, stream, tree, slab, fields);
}

void add_softened_parents(const Tree& tree, const Slab& slab, const std::uint32_t* cells, std::uint32_t count,
                          const Fields& fields, const Stream& stream) {
  launch(move_softened, dim3(blocks_for(count, lanes)), dim3(lanes), 0, stream, tree, slab, cells, count,
         fields);
}

}  // namespace isolume::gpu::fmm_kernels
