// Arrays of vectors keep the accumulators in registers; the scalable instruction sets do not allow them.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/product_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>
#include <utility>

#include <hwy/cache_control.h>
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/molecules/basis_set.h"
#include "core/orbitals/product_kernels.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::products::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::CappedTag<float, patch_points>;
using Vector = hn::Vec<Tag>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int parts = patch_points / lanes;  ///< vectors of a patch

constexpr int most_powers = 2 * molecules::max_angular_momentum + 1;
constexpr int most_x = 240;  ///< points of a row that are added at once
constexpr int x_stride = most_x + 2 * patch_points;
constexpr int both = block_z + block_y + patch_points;  // the last vector of y may not be full

struct Range {
  int first = 0, last = 0;
};

/// What all rows of patches of a product have in common.
struct Prepared {
  float inverse_steps[3];  ///< of the grid
  const Product* product;
  Range x, y, z;                           ///< points along x, patches along y and z
  float centre;                            ///< along x, from x.first on
  alignas(64) float squares_y[patches_y];  ///< squared distances of rows of patches
  alignas(64) float squares_z[patches_z];
  // Rows p = 0 ... degree of x^p exp(-exponent x^2).
  alignas(64) float along_x[most_powers * x_stride];
  alignas(64) float along_zy[most_powers * both];  ///< those of z, then those of y
};

/// Fills columns of a table, at least `count`, with neighbouring points, the first of which is `from_nearest` steps
/// from that nearest to the centre.
HWY_INLINE void FillTable(const Product& product, int axis, float step, int from_nearest, int count,
                          float* HWY_RESTRICT rows, int stride) {
  const Tag d;
  for (int n = 0; n < count; n += lanes) {
    const Vector x = hn::MulAdd(hn::Iota(d, static_cast<float>(from_nearest + n)), hn::Set(d, step),
                                hn::Set(d, product.offset[axis]));
    Vector value = hn::Exp(d, hn::Mul(hn::Set(d, -product.exponent), hn::Mul(x, x)));
    float* to = rows + n;
    for (int power = 0; power < product.degree; ++power, to += stride) {
      hn::StoreU(value, d, to);
      value = hn::Mul(value, x);
    }
    hn::StoreU(value, d, to);
  }
}

/// The points of an axis that a product may extend to, counted from its nearest point.
HWY_INLINE Range Extent(const Product& product, int axis, float inverse_step) {
  const float centre = -product.offset[axis] * inverse_step, reach = product.radius * inverse_step;
  return {static_cast<int>(std::floor(centre - reach)), static_cast<int>(std::ceil(centre + reach)) + 1};
}

/// The squared distances from the centre to neighbouring patches along one axis.
template <int patches>
HWY_INLINE void FindDistances(float low_of_first, float step, float* HWY_RESTRICT squares) {
  const hn::CappedTag<float, patches> d;
  for (int p = 0; p < patches; p += static_cast<int>(hn::Lanes(d))) {
    const auto low = hn::MulAdd(hn::Iota(d, static_cast<float>(p)), hn::Set(d, step * patch_edge),
                                hn::Set(d, low_of_first));
    const auto high = hn::Add(low, hn::Set(d, step * (patch_edge - 1)));
    const auto distance = hn::Max(hn::Max(low, hn::Neg(high)), hn::Zero(d));
    hn::Store(hn::Mul(distance, distance), d, squares + p);
  }
}

/// For each patch of a row, which points are within the radius, where `rest` is the radius squared less the squared
/// distance along z.
HWY_INLINE void FindRanges(const float* HWY_RESTRICT squares_y, float rest, float centre, float inverse_step,
                           int count, std::int32_t* HWY_RESTRICT begins, std::int32_t* HWY_RESTRICT ends) {
  const hn::CappedTag<float, patches_y> d;
  const hn::RebindToSigned<decltype(d)> di;
  for (int p = 0; p < patches_y; p += static_cast<int>(hn::Lanes(d))) {
    const auto disc = hn::Sub(hn::Set(d, rest), hn::Load(d, squares_y + p));
    const auto half = hn::Mul(hn::Sqrt(hn::Max(disc, hn::Zero(d))), hn::Set(d, inverse_step));
    const auto begin = hn::ConvertTo(di, hn::Ceil(hn::Sub(hn::Set(d, centre), half)));
    const auto last = hn::ConvertTo(di, hn::Floor(hn::Add(hn::Set(d, centre), half)));
    const auto end = hn::Min(hn::Add(last, hn::Set(di, 1)), hn::Set(di, count));
    hn::Store(hn::Max(begin, hn::Zero(di)), di, begins + p);
    hn::Store(hn::IfThenElseZero(hn::RebindMask(di, hn::Gt(disc, hn::Zero(d))), end), di, ends + p);
  }
}

/// Of a product at the points `window` of each row, at most most_x. Returns false where it extends to none of them.
bool Prepare(const PencilJob& job, const Product& product, Range window, Prepared& made) {
  const auto around = [&](int axis) { return Extent(product, axis, made.inverse_steps[axis]); };
  const int from_y = job.first_y - product.nearest[1], from_z = job.first_z - product.nearest[2];
  const Range x = around(0), y = around(1), z = around(2);
  made.product = &product;
  made.x = {std::max(window.first, product.nearest[0] + x.first),
            std::min(window.last, product.nearest[0] + x.last)};
  if (made.x.first >= made.x.last) return false;
  made.y = {std::max(y.first - from_y, 0) / patch_edge,
            std::min(y.last - from_y + patch_edge - 1, block_y) / patch_edge};
  made.z = {std::max(z.first - from_z, 0) / patch_edge,
            std::min(z.last - from_z + patch_edge - 1, block_z) / patch_edge};
  made.centre =
      static_cast<float>(product.nearest[0] - made.x.first) - product.offset[0] * made.inverse_steps[0];
  const int count_x = made.x.last - made.x.first;
  FillTable(product, 0, job.steps[0], made.x.first - product.nearest[0], count_x + unrolled - 1, made.along_x,
            x_stride);
  if (made.x.last == window.last) {  // the next points are those of another window
    for (int power = 0; power <= product.degree; ++power)
      std::fill_n(made.along_x + power * x_stride + count_x, unrolled - 1, 0.0F);
  }
  FillTable(product, 2, job.steps[2], from_z, block_z, made.along_zy, both);
  const int first_y = made.y.first * patch_edge, count_y = (made.y.last - made.y.first) * patch_edge;
  FillTable(product, 1, job.steps[1], from_y + first_y, count_y, made.along_zy + block_z + first_y, both);
  const auto place = [&](int axis, int from) {
    return static_cast<float>(from) * job.steps[axis] + product.offset[axis];
  };
  FindDistances<patches_y>(place(1, from_y), job.steps[1], made.squares_y);
  FindDistances<patches_z>(place(2, from_z), job.steps[2], made.squares_z);
  return true;
}

/// Four values along y or along z, for vector `part` of a patch.
#if HWY_TARGET == HWY_SCALAR
HWY_INLINE Vector AlongY(const float* four, int part) {
  return hn::Set(Tag(), four[part % patch_edge]);
}
HWY_INLINE Vector AlongZ(const float* four, int part) {
  return hn::Set(Tag(), four[part / patch_edge]);
}
#else
HWY_INLINE Vector AlongY(const float* four, int) {
  return hn::LoadDup128(Tag(), four);
}
HWY_INLINE Vector AlongZ(const float* four, int part) {
  const Tag d;
  const hn::RebindToSigned<Tag> di;
  const auto z = hn::ShiftRight<2>(hn::Iota(di, part * lanes));
  return hn::TableLookupLanes(hn::LoadDup128(d, four), hn::IndicesFromVec(d, z));
}
#endif

/// Adds a product to a row of patches along y.
template <int degree>
HWY_INLINE void AddToRow(const PencilJob& job, const Prepared& prepared, int pz, Scratch& scratch) {
  constexpr int terms = (degree + 1) * (degree + 2) / 2;  // x^i y^j
  const Tag d;
  const Product& product = *prepared.product;
  alignas(64) std::int32_t begins[patches_y], ends[patches_y];
  FindRanges(prepared.squares_y, product.radius * product.radius - prepared.squares_z[pz], prepared.centre,
             prepared.inverse_steps[0], prepared.x.last - prepared.x.first, begins, ends);
  Vector along_z[degree + 1][parts];
  for (int k = 0; k <= degree; ++k) {
    for (int v = 0; v < parts; ++v) along_z[k][v] = AlongZ(prepared.along_zy + k * both + pz * patch_edge, v);
  }
  Vector of_xy[terms][parts];
  const float* c = job.coefficients + product.first;
  for (int i = 0, term = 0; i <= degree; ++i) {
    for (int j = 0; j <= degree - i; ++j, ++term) {
      for (int v = 0; v < parts; ++v) {
        of_xy[term][v] = hn::Mul(hn::Set(d, c[0]), along_z[0][v]);
        for (int k = 1; k <= degree - i - j; ++k)
          of_xy[term][v] = hn::MulAdd(hn::Set(d, c[k]), along_z[k][v], of_xy[term][v]);
      }
      c += degree - i - j + 1;
    }
  }
  const std::size_t patch_size = row_length(job.points_x) * patch_points;
  float* const row = scratch.sums.data() + static_cast<std::size_t>(pz * patches_y) * patch_size +
                     static_cast<std::size_t>(prepared.x.first) * patch_points;
  int points = 0;
  for (int py = prepared.y.first; py < prepared.y.last; ++py) {
    const int begin = begins[py], end = ends[py];
    if (begin >= end) continue;
    points += end - begin;
    Vector plane[degree + 1][parts];
    for (int i = 0, term = 0; i <= degree; ++i) {
      for (int j = 0; j <= degree - i; ++j, ++term) {
        for (int v = 0; v < parts; ++v) {
          const Vector along_y = AlongY(prepared.along_zy + j * both + block_z + py * patch_edge, v);
          plane[i][v] =
              j == 0 ? hn::Mul(along_y, of_xy[term][v]) : hn::MulAdd(along_y, of_xy[term][v], plane[i][v]);
        }
      }
    }
    float* HWY_RESTRICT to =
        row + static_cast<std::size_t>(py) * patch_size + static_cast<std::size_t>(begin) * patch_points;
    const float* HWY_RESTRICT x = prepared.along_x + begin;
    for (int n = begin; n < end; n += unrolled) {
#pragma GCC unroll 4
      for (int step = 0; step < unrolled; ++step, ++x, to += patch_points) {
        Vector sums[parts];
        for (int v = 0; v < parts; ++v) sums[v] = hn::Load(d, to + v * lanes);
        for (int i = 0; i <= degree; ++i) {
          const Vector at = hn::Set(d, x[i * x_stride]);
          for (int v = 0; v < parts; ++v) sums[v] = hn::MulAdd(at, plane[i][v], sums[v]);
        }
        for (int v = 0; v < parts; ++v) hn::Store(sums[v], d, to + v * lanes);
      }
    }
  }
  scratch.operations += 2.0 * points * ((degree + 1) * patch_points);
}

template <int degree>
void AddToRows(const PencilJob& job, const Prepared& prepared, Scratch& scratch) {
  for (int pz = prepared.z.first; pz < prepared.z.last; ++pz) AddToRow<degree>(job, prepared, pz, scratch);
}

using Adding = void (*)(const PencilJob&, const Prepared&, Scratch&);
template <int... degrees>
constexpr std::array<Adding, sizeof...(degrees)> AddingOf(std::integer_sequence<int, degrees...>) {
  return {AddToRows<degrees>...};
}

void AddProducts(const PencilJob& job, Scratch& scratch) {
  static constexpr auto of_degree = AddingOf(std::make_integer_sequence<int, most_powers>());
  Prepared prepared;
  for (std::size_t axis = 0; axis < 3; ++axis) prepared.inverse_steps[axis] = 1 / job.steps[axis];
  for (std::size_t n = 0; n < job.chosen.size(); ++n) {
    if (n + 4 < job.chosen.size()) hwy::Prefetch(&job.products[job.chosen[n + 4]]);
    if (n + 2 < job.chosen.size()) hwy::Prefetch(job.coefficients + job.products[job.chosen[n + 2]].first);
    const Product& product = job.products[job.chosen[n]];
    for (int first = 0; first < job.points_x; first += most_x) {
      if (Prepare(job, product, {first, std::min(first + most_x, job.points_x)}, prepared))
        of_degree[product.degree](job, prepared, scratch);
    }
  }
}

#if HWY_TARGET != HWY_SCALAR
constexpr int blocks = lanes / patch_edge;
/// Transposes in each block of four lanes: lane n of row m of a block becomes lane m of row n.
HWY_INLINE void TransposeBlocks(Vector (&rows)[patch_edge]) {
  const Tag d;
  const Vector low_02 = hn::InterleaveLower(d, rows[0], rows[2]),
               high_02 = hn::InterleaveUpper(d, rows[0], rows[2]),
               low_13 = hn::InterleaveLower(d, rows[1], rows[3]),
               high_13 = hn::InterleaveUpper(d, rows[1], rows[3]);
  rows[0] = hn::InterleaveLower(d, low_02, low_13);
  rows[1] = hn::InterleaveUpper(d, low_02, low_13);
  rows[2] = hn::InterleaveLower(d, high_02, high_13);
  rows[3] = hn::InterleaveUpper(d, high_02, high_13);
}
/// to(block, row) = block of a row, for transposed rows.
template <class Place>
HWY_INLINE void StoreTransposed(Vector (&rows)[patch_edge], Place to) {
  const hn::Full128<float> four;
  TransposeBlocks(rows);
  alignas(64) float stored[patch_edge][lanes];
  for (int n = 0; n < patch_edge; ++n) hn::Store(rows[n], Tag(), stored[n]);
  for (int block = 0; block < blocks; ++block) {
    for (int n = 0; n < patch_edge; ++n)
      hn::StoreU(hn::Load(four, stored[n] + block * patch_edge), four, to(block, n));
  }
}
#endif

/// Four rows y of one z, of `count` values, a multiple of the lanes, to a patch.
HWY_INLINE void ToPatch(const float* HWY_RESTRICT from, std::size_t row_stride, int count,
                        float* HWY_RESTRICT to) {
#if HWY_TARGET == HWY_SCALAR
  for (int x = 0; x < count; ++x) {
    for (std::size_t y = 0; y < patch_edge; ++y) to[x * patch_points + y] = from[y * row_stride + x];
  }
#else
  for (int x = 0; x < count; x += lanes, to += lanes * patch_points) {
    Vector rows[patch_edge];
    for (std::size_t y = 0; y < patch_edge; ++y) rows[y] = hn::Load(Tag(), from + y * row_stride + x);
    StoreTransposed(rows, [&](int block, int n) { return to + (block * patch_edge + n) * patch_points; });
  }
#endif
}

void ToRows(const float* HWY_RESTRICT patch, int count, float least, const PatchRows& to) {
  int x = 0;
#if HWY_TARGET != HWY_SCALAR
  const Tag d;
  for (; x + patch_edge <= count; x += patch_edge, patch += patch_edge * patch_points) {
    for (int part = 0; part < parts; ++part) {
      Vector rows[patch_edge];
      for (int n = 0; n < patch_edge; ++n)
        rows[n] = hn::Max(hn::Load(d, patch + n * patch_points + part * lanes), hn::Set(d, least));
      StoreTransposed(rows, [&](int block, int n) {
        return to[static_cast<std::size_t>((part * blocks + block) * patch_edge + n)] + x;
      });
    }
  }
#endif
  for (; x < count; ++x, patch += patch_points) {
    for (std::size_t row = 0; row < patch_points; ++row) to[row][x] = std::max(patch[row], least);
  }
}

/// For each of all taps of 8 neighbouring points, its weights for these, which are zero where a point lacks it.
void Widen(const Stencil& stencil, int first, int wide, float* to) {
  constexpr int points = 8;
  std::fill_n(to, points * wide, 0.0F);
  for (int n = 0; n < points; ++n) {
    const int shift = stencil.first_tap(first + n) - stencil.first_tap(first);
    for (int tap = 0; tap < stencil.taps; ++tap)
      to[(shift + tap) * points + n] = stencil.weights_of(first + n)[tap];
  }
}

/// to[n] = sum_t weights[t][n] from[t], rows of `count` values, for 8 rows n.
HWY_INLINE void Combine(const float* HWY_RESTRICT from, std::size_t from_stride, int taps,
                        const float* HWY_RESTRICT weights, float* HWY_RESTRICT to, std::size_t to_stride,
                        int count) {
  const Tag d;
  constexpr int rows = 8, ahead = 64;
  for (int x = 0; x < count; x += lanes) {
    Vector sums[rows];
#pragma GCC unroll 8
    for (int n = 0; n < rows; ++n) sums[n] = hn::Zero(d);
    for (int t = 0; t < taps; ++t) {
      const float* const at = from + static_cast<std::size_t>(t) * from_stride + x;
      hwy::Prefetch(at + ahead);  // the processor does not foresee loads that are so far apart
      const Vector value = hn::Load(d, at);
#pragma GCC unroll 8
      for (int n = 0; n < rows; ++n) sums[n] = hn::MulAdd(value, hn::Set(d, weights[t * rows + n]), sums[n]);
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

/// From a grid that has been interpolated along z (y, then z, then x, from a first y on): along y, then along x, for
/// one row of patches.
void InterpolateRow(const InterpolationJob& job, int row_of_patches, const float* along_z, Scratch& scratch) {
  constexpr int row_points = block_y * patch_edge;
  const Tag d;
  const Stencil &along_x = (*job.stencils)[0], &along_y = (*job.stencils)[1];
  const std::size_t width = job.y_stride;
  float* const rows = Fitting(scratch.along_y, row_points * width);  // z, then y
  for (int y = 0; y < block_y; y += 8) {
    const int first_y = job.first_y + y, taps = WideTaps(along_y, first_y);
    float* const weights = Fitting(scratch.weights, static_cast<std::size_t>(8 * taps));
    Widen(along_y, first_y, taps, weights);
    const auto first = static_cast<std::size_t>(along_y.first_tap(first_y) - along_y.first_tap(job.first_y));
    for (int z = 0; z < patch_edge; ++z) {
      const auto at_z = static_cast<std::size_t>(row_of_patches * patch_edge + z);
      Combine(along_z + (first * block_z + at_z) * width, block_z * width, taps, weights,
              rows + static_cast<std::size_t>(z * block_y + y) * width, width, static_cast<int>(width));
    }
    scratch.operations += 2.0 * 8 * patch_edge * static_cast<double>(width) * taps;
  }
  float* const columns = Fitting(scratch.columns, row_points * width);  // as a row of patches
  for (int z = 0; z < patch_edge; ++z) {
    for (int patch = 0; patch < patches_y; ++patch) {
      ToPatch(rows + static_cast<std::size_t>(z * block_y + patch * patch_edge) * width, width,
              static_cast<int>(width),
              columns + static_cast<std::size_t>(patch) * width * patch_points + z * patch_edge);
    }
  }
  constexpr int of_patch = patch_points / lanes, together = 8;
  const std::size_t patch_size = row_length(job.points_x) * patch_points;
  float* const sums_of_row =
      scratch.sums.data() + static_cast<std::size_t>(row_of_patches * patches_y) * patch_size;
  for (int x = 0; x < job.points_x; ++x) {
    const float* weight = along_x.weights_of(x);
    for (int part = 0; part < row_points / lanes; part += together) {
      const float* from =
          columns + static_cast<std::size_t>(part / of_patch) * width * patch_points +
          static_cast<std::size_t>(along_x.first_tap(x) * patch_points + part % of_patch * lanes);
      float* const to = sums_of_row + static_cast<std::size_t>(part / of_patch) * patch_size +
                        static_cast<std::size_t>(x * patch_points + part % of_patch * lanes);
      Vector sums[together];
#pragma GCC unroll 8
      for (int n = 0; n < together; ++n) sums[n] = hn::Zero(d);
      for (int t = 0; t < along_x.taps; ++t, from += patch_points) {
        const Vector at = hn::Set(d, weight[t]);
#pragma GCC unroll 8
        for (int n = 0; n < together; ++n) {
          const float* const tap =
              from + static_cast<std::size_t>(n / of_patch) * width * patch_points + n % of_patch * lanes;
          sums[n] = hn::MulAdd(at, hn::Load(d, tap), sums[n]);
        }
      }
#pragma GCC unroll 8
      for (int n = 0; n < together; ++n) {
        float* const sum = to + static_cast<std::size_t>(n / of_patch) * patch_size + n % of_patch * lanes;
        hn::Store(hn::Add(sums[n], hn::Load(d, sum)), d, sum);
      }
    }
  }
  scratch.operations += 2.0 * row_points * job.points_x * along_x.taps;
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
  for (int row = 0; row < patches_z; ++row) InterpolateRow(job, row, to, scratch);
}

}  // namespace isolume::orbitals::products::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals::products {

HWY_EXPORT(AddProducts);
HWY_EXPORT(Interpolate);
HWY_EXPORT(ToRows);

void add_products(const PencilJob& job, Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(AddProducts)(job, scratch);
}

void to_rows(const float* patch, int count, float least, const PatchRows& to) {
  HWY_DYNAMIC_DISPATCH(ToRows)(patch, count, least, to);
}

void interpolate(const InterpolationJob& job, Scratch& scratch) {
  HWY_DYNAMIC_DISPATCH(Interpolate)(job, scratch);
}

}  // namespace isolume::orbitals::products
#endif
