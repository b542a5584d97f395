// Arrays of vectors keep the accumulators in registers; the scalable instruction sets do not allow them.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/product_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <cmath>

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/molecules/basis_set.h"
#include "core/orbitals/product_kernels.h"
#include "core/orbitals/tile_product-inl.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::products::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;
using separable::HWY_NAMESPACE::AddTerm;
using separable::HWY_NAMESPACE::lanes_x;
using separable::HWY_NAMESPACE::Tag;
using separable::HWY_NAMESPACE::tile_rows;
using separable::HWY_NAMESPACE::Vector;
using separable::HWY_NAMESPACE::vectors_x;

void InnerProducts(std::span<const double> a, std::span<const double> b, std::size_t columns,
                   std::span<double> result) {
  const hn::CappedTag<double, 8> d;
  const std::size_t lanes = hn::Lanes(d);
  double* to = result.data();
  for (const double* row = a.data(); row != a.data() + a.size(); row += columns) {
    for (const double* other = b.data(); other != b.data() + b.size(); other += columns) {
      auto sum = hn::Zero(d);
      for (std::size_t k = 0; k < columns; k += lanes)
        sum = hn::MulAdd(hn::LoadU(d, row + k), hn::LoadU(d, other + k), sum);
      *to++ = hn::GetLane(hn::SumOfLanes(d, sum));
    }
  }
}

/// The positions of 8 points of an axis from the centre of a product.
HWY_INLINE void FillPositions(const PencilJob& job, const Product& product, int axis, int first,
                              float* HWY_RESTRICT to) {
  const hn::CappedTag<float, 8> d;
  for (int n = 0; n < 8; n += static_cast<int>(hn::Lanes(d))) {
    hn::Store(hn::MulAdd(hn::Iota(d, static_cast<float>(first + n - product.nearest[axis])),
                         hn::Set(d, job.steps[axis]), hn::Set(d, product.offset[axis])),
              d, to + n);
  }
}

/// Rows p = 0 ... degree of x^p exp(-exponent x^2), x being what the first row holds before.
HWY_INLINE void FillTable(float exponent, int degree, int count, float* HWY_RESTRICT rows) {
  const Tag d;
  for (int n = 0; n < count; n += lanes_x) {
    const Vector x = hn::Load(d, rows + n);
    Vector value = hn::Exp(d, hn::Mul(hn::Set(d, -exponent), hn::Mul(x, x)));
    float* to = rows + n;
    for (int power = 0; power < degree; ++power, to += count) {
      hn::Store(value, d, to);
      value = hn::Mul(value, x);
    }
    hn::Store(value, d, to);
  }
}

constexpr int most_powers = 2 * molecules::max_angular_momentum + 1;

/// B_i(y, z) for all i: plane_points values each, in the layers first ... last - 1.
HWY_INLINE void FillPlanes(const PencilJob& job, const Product& product, int first, int last,
                           float* HWY_RESTRICT planes) {
  const hn::CappedTag<float, layer_y> d;
  constexpr int lanes = static_cast<int>(hn::MaxLanes(hn::CappedTag<float, layer_y>()));
  constexpr int both = block_z + block_y;  // a multiple of the lanes
  alignas(64) float tables[most_powers * both];
  const int degree = product.degree;
  for (int z = 0; z < block_z; z += 8) FillPositions(job, product, 2, job.first_z + z, tables + z);
  for (int y = 0; y < block_y; y += 8) FillPositions(job, product, 1, job.first_y + y, tables + block_z + y);
  FillTable(product.exponent, degree, both, tables);
  const float *along_z = tables, *along_y = tables + block_z;
  const float* c = job.coefficients + product.first;
  for (int i = 0; i <= degree; ++i, planes += plane_points) {
    alignas(64) float of_z[most_powers][block_z];
    for (int j = 0; j <= degree - i; ++j) {
      for (int part = 0; part < block_z; part += lanes) {
        auto sum = hn::Mul(hn::Set(d, c[0]), hn::Load(d, along_z + part));
        for (int k = 1; k <= degree - i - j; ++k)
          sum = hn::MulAdd(hn::Set(d, c[k]), hn::Load(d, along_z + k * both + part), sum);
        hn::Store(sum, d, of_z[j] + part);
      }
      c += degree - i - j + 1;
    }
    for (int layer = first; layer < last; ++layer) {
      for (int part = 0; part < layer_y; part += lanes) {
        hn::Vec<decltype(d)> sums[block_z];
        auto y = hn::Load(d, along_y + layer * layer_y + part);
#pragma GCC unroll 16
        for (int z = 0; z < block_z; ++z) sums[z] = hn::Mul(y, hn::Set(d, of_z[0][z]));
        for (int j = 1; j <= degree - i; ++j) {
          y = hn::Load(d, along_y + j * both + layer * layer_y + part);
#pragma GCC unroll 16
          for (int z = 0; z < block_z; ++z) sums[z] = hn::MulAdd(y, hn::Set(d, of_z[j][z]), sums[z]);
        }
        float* const to = planes + layer * layer_points + part;
#pragma GCC unroll 16
        for (int z = 0; z < block_z; ++z) hn::Store(sums[z], d, to + z * layer_y);
      }
    }
  }
}

/// Of the centre from neighbouring points of an axis.
HWY_INLINE float Distance(const PencilJob& job, const Product& product, int axis, int first, int count) {
  const float low =
      static_cast<float>(first - product.nearest[axis]) * job.steps[axis] + product.offset[axis];
  const float high = low + job.steps[axis] * static_cast<float>(count - 1);
  return std::max({low, -high, 0.0F});
}

/// A tile is multiplied in parts of neighbouring planes z of a layer; a product need not extend into all.
constexpr int part_z = tile_rows > layer_y ? tile_rows / layer_y : 1;
constexpr int parts_of_layer = block_z / part_z;
constexpr int parts = layers * parts_of_layer;
constexpr int part_rows = part_z * layer_y;

/// Adds the entries of all tiles to the sums.
void MultiplyTiles(const PencilJob& job, Scratch& scratch) {
  const Tag d;
  for (int tile = 0; tile < job.tiles; ++tile) {
    for (int part = 0; part < parts; ++part) {
      const auto& entries = scratch.entries[static_cast<std::size_t>(tile * parts + part)];
      if (entries.empty()) continue;
      for (int row = part * part_rows; row < (part + 1) * part_rows; row += tile_rows) {
        float* sums = scratch.sums.data() + static_cast<std::size_t>(tile * plane_points + row) * tile_x;
        Vector values[tile_rows][vectors_x];
#pragma GCC unroll 16
        for (int r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 16
          for (int v = 0; v < vectors_x; ++v) values[r][v] = hn::Load(d, sums + r * tile_x + v * lanes_x);
        }
        for (const auto& entry : entries) {
          const float *x = entry.x, *plane = entry.planes + row;
          for (int i = 0; i < entry.terms; ++i, x += entry.x_stride, plane += plane_points)
            AddTerm(x, plane, values);
        }
#pragma GCC unroll 16
        for (int r = 0; r < tile_rows; ++r) {
#pragma GCC unroll 16
          for (int v = 0; v < vectors_x; ++v) hn::Store(values[r][v], d, sums + r * tile_x + v * lanes_x);
        }
      }
    }
  }
}

void AddProducts(const PencilJob& job, Scratch& scratch) {
  constexpr std::size_t at_once = 64;  // their tables and planes fit in the second-level cache
  const auto tiles = static_cast<std::size_t>(job.tiles);
  const std::size_t row = tiles * tile_x;
  if (scratch.tables.size() < at_once * most_powers * row)
    scratch.tables = AlignedFloats(at_once * most_powers * row);
  if (scratch.planes.size() < at_once * most_powers * plane_points)
    scratch.planes = AlignedFloats(at_once * most_powers * plane_points);
  if (scratch.entries.size() < tiles * parts) scratch.entries.resize(tiles * parts);
  const float tile = job.steps[0] * tile_x;
  for (std::size_t first = 0; first < job.chosen.size(); first += at_once) {
    for (std::size_t each = 0; each < tiles * parts; ++each) scratch.entries[each].clear();
    float *table = scratch.tables.data(), *planes = scratch.planes.data();
    const std::size_t last = std::min(first + at_once, job.chosen.size());
    for (std::size_t n = first; n < last; ++n) {
      if (n + 4 < job.chosen.size()) hwy::Prefetch(&job.products[job.chosen[n + 4]]);
      const Product& product = job.products[job.chosen[n]];
      const float centre = (static_cast<float>(product.nearest[0]) * job.steps[0] - product.offset[0]) / tile;
      std::array<float, parts_of_layer> dz;
      for (int z = 0; z < parts_of_layer; ++z)
        dz[z] = Distance(job, product, 2, job.first_z + z * part_z, part_z);
      std::array<int, parts> begins{}, ends{};
      int begin = job.tiles, end = 0, first_layer = layers, last_layer = 0;
      for (int layer = 0; layer < layers; ++layer) {
        const float dy = Distance(job, product, 1, job.first_y + layer * layer_y, layer_y);
        const float disc = product.radius * product.radius - dy * dy;
        for (int z = 0; z < parts_of_layer; ++z) {
          const int part = layer * parts_of_layer + z;
          const float slack = disc - dz[z] * dz[z];
          if (slack <= 0) continue;
          const float half = std::sqrt(slack) / tile;
          if (centre + half < 0 || centre - half >= static_cast<float>(job.tiles)) continue;
          begins[part] = static_cast<int>(std::max(centre - half, 0.0F));
          ends[part] = std::min(static_cast<int>(centre + half), job.tiles - 1) + 1;
          begin = std::min(begin, begins[part]);
          end = std::max(end, ends[part]);
          first_layer = std::min(first_layer, layer);
          last_layer = layer + 1;
        }
      }
      if (begin >= end) continue;
      const int points = (end - begin) * tile_x;
      for (int x = 0; x < points; x += 8) FillPositions(job, product, 0, begin * tile_x + x, table + x);
      FillTable(product.exponent, product.degree, points, table);
      FillPlanes(job, product, first_layer, last_layer, planes);
      for (int part = first_layer * parts_of_layer; part < last_layer * parts_of_layer; ++part) {
        scratch.operations += 2.0 * (product.degree + 1) * part_rows * tile_x * (ends[part] - begins[part]);
        for (int at = begins[part]; at < ends[part]; ++at) {
          scratch.entries[static_cast<std::size_t>(at * parts + part)].push_back(
              {table + (at - begin) * tile_x, planes, static_cast<std::size_t>(points), product.degree + 1});
        }
      }
      table += (product.degree + 1) * points;
      planes += (product.degree + 1) * plane_points;
    }
    MultiplyTiles(job, scratch);
  }
}

/// The weights of 8 neighbouring points, each with zeros for the taps that only others of them have.
void Widen(const Stencil& stencil, int first, int wide, float* to) {
  constexpr int points = 8;
  std::fill_n(to, points * wide, 0.0F);
  for (int n = 0; n < points; ++n) {
    const int shift = stencil.first_tap(first + n) - stencil.first_tap(first);
    std::copy_n(stencil.weights_of(first + n), stencil.taps, to + n * wide + shift);
  }
}

/// to[n] = sum_t weights[n][t] from[t], rows of `count` values, for 8 rows n.
HWY_INLINE void Combine(const float* HWY_RESTRICT from, std::size_t from_stride, int taps,
                        const float* HWY_RESTRICT weights, float* HWY_RESTRICT to, std::size_t to_stride,
                        int count) {
  const Tag d;
  constexpr int rows = 8;
  for (int x = 0; x < count; x += lanes_x) {
    Vector sums[rows];
#pragma GCC unroll 8
    for (int n = 0; n < rows; ++n) sums[n] = hn::Zero(d);
    for (int t = 0; t < taps; ++t) {
      const Vector value = hn::Load(d, from + static_cast<std::size_t>(t) * from_stride + x);
#pragma GCC unroll 8
      for (int n = 0; n < rows; ++n) sums[n] = hn::MulAdd(value, hn::Set(d, weights[n * taps + t]), sums[n]);
    }
#pragma GCC unroll 8
    for (int n = 0; n < rows; ++n) hn::Store(sums[n], d, to + static_cast<std::size_t>(n) * to_stride + x);
  }
}

float* Fitting(AlignedFloats& values, std::size_t size) {
  if (values.size() < size) values = AlignedFloats(size);
  return values.data();
}

/// Taps of 8 neighbouring points together.
int WideTaps(const Stencil& stencil, int first) {
  return stencil.taps + stencil.first_tap(first + 7) - stencil.first_tap(first);
}

/// Of a layer that has been interpolated along z (y, then z, then x, from a first y on): along y, then along x.
void InterpolateLayer(const InterpolationJob& job, int layer, const float* along_z, Scratch& scratch) {
  const Tag d;
  const Stencil &along_x = (*job.stencils)[0], &along_y = (*job.stencils)[1];
  const int first_y = job.first_y + layer * layer_y, taps = WideTaps(along_y, first_y);
  const std::size_t width = job.y_stride;
  float* const rows = Fitting(scratch.along_y, layer_points * width);
  float* const weights = Fitting(scratch.weights, static_cast<std::size_t>(layer_y * taps));
  Widen(along_y, first_y, taps, weights);
  const auto first = static_cast<std::size_t>(along_y.first_tap(first_y) - along_y.first_tap(job.first_y));
  for (std::size_t z = 0; z < block_z; ++z) {
    Combine(along_z + (first * block_z + z) * width, block_z * width, taps, weights,
            rows + z * layer_y * width, width, static_cast<int>(width));
  }
  float* const columns = Fitting(scratch.columns, layer_points * width);  // x, then the layer
  for (std::size_t tile = 0; tile < width; tile += tile_x) {
    for (std::size_t row = 0; row < layer_points; ++row) {
      for (std::size_t x = tile; x < tile + tile_x; ++x)
        columns[x * layer_points + row] = rows[row * width + x];
    }
  }
  constexpr int vectors = layer_points / lanes_x, together = 8;
  const int count = job.tiles * tile_x;
  scratch.operations += 2.0 * layer_points * (static_cast<double>(width) * taps + 1.0 * count * along_x.taps);
  for (int x = 0; x < count; ++x) {
    const float* weight = along_x.weights_of(x);
    const float* column = columns + static_cast<std::size_t>(along_x.first_tap(x)) * layer_points;
    float* const to =
        scratch.interpolated.data() + static_cast<std::size_t>(layer * count + x) * layer_points;
    for (int part = 0; part < vectors; part += together) {
      Vector sums[together];
#pragma GCC unroll 8
      for (int v = 0; v < together; ++v) sums[v] = hn::Load(d, to + (part + v) * lanes_x);
      for (int t = 0; t < along_x.taps; ++t) {
        const Vector at = hn::Set(d, weight[t]);
#pragma GCC unroll 8
        for (int v = 0; v < together; ++v)
          sums[v] = hn::MulAdd(at, hn::Load(d, column + t * layer_points + (part + v) * lanes_x), sums[v]);
      }
#pragma GCC unroll 8
      for (int v = 0; v < together; ++v) hn::Store(sums[v], d, to + (part + v) * lanes_x);
    }
  }
}

void Interpolate(const InterpolationJob& job, Scratch& scratch) {
  const Stencil &along_y = (*job.stencils)[1], &along_z = (*job.stencils)[2];
  const int first = along_y.first_tap(job.first_y);
  const auto rows =
      static_cast<std::size_t>(along_y.first_tap(job.first_y + block_y - 1) + along_y.taps - first);
  const std::size_t width = job.y_stride;
  float* const to = Fitting(scratch.along_z, rows * block_z * width);
  for (int z = 0; z < block_z; z += 8) {
    const int taps = WideTaps(along_z, job.first_z + z);
    float* const weights = Fitting(scratch.weights, static_cast<std::size_t>(8 * taps));
    Widen(along_z, job.first_z + z, taps, weights);
    scratch.operations += 2.0 * 8 * taps * static_cast<double>(rows * width);
    const float* from = job.values +
                        static_cast<std::size_t>(along_z.first_tap(job.first_z + z)) * job.z_stride +
                        static_cast<std::size_t>(first) * width;
    for (std::size_t row = 0; row < rows; ++row) {
      Combine(from + row * width, job.z_stride, taps, weights,
              to + (row * block_z + static_cast<std::size_t>(z)) * width, width, static_cast<int>(width));
    }
  }
  for (int layer = 0; layer < layers; ++layer) InterpolateLayer(job, layer, to, scratch);
}

}  // namespace isolume::orbitals::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals::products {

HWY_EXPORT(InnerProducts);
HWY_EXPORT(AddProducts);
HWY_EXPORT(Interpolate);

void inner_products(std::span<const double> a, std::span<const double> b, std::size_t columns,
                    std::span<double> result) {
  HWY_DYNAMIC_DISPATCH(InnerProducts)(a, b, columns, result);
}

void add_products(const PencilJob& job, Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(AddProducts)(job, scratch);
}

void interpolate(const InterpolationJob& job, Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(Interpolate)(job, scratch);
}

}  // namespace isolume::orbitals::products
#endif
