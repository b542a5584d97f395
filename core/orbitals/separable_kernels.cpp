// Arrays of vectors keep the accumulators in registers; the scalable instruction sets do not allow them.
#define HWY_DISABLED_TARGETS \
  (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/orbitals/separable_kernels.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "core/orbitals/separable_kernels.h"
#include "core/orbitals/tile_product-inl.h"

#if HWY_ARCH_X86
#include <xmmintrin.h>
#endif

HWY_BEFORE_NAMESPACE();
namespace isolume::orbitals::separable::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

void FillAxisTable(const AxisTableJob& job) {
  const hn::CappedTag<double, 8> dd;
  const hn::Rebind<float, decltype(dd)> df;
  const int lanes = static_cast<int>(hn::Lanes(dd));
  for (int n = job.first; n < job.last; n += lanes) {
    const auto place =
        hn::MulAdd(hn::Iota(dd, static_cast<double>(n)), hn::Set(dd, job.step), hn::Set(dd, job.origin));
    const auto x = hn::Sub(place, hn::Set(dd, job.centre));
    auto value = hn::Exp(dd, hn::Mul(hn::Set(dd, -job.exponent), hn::Mul(x, x)));
    float* to = job.rows + n;
    for (int power = 0; power <= job.degree; ++power, to += job.stride) {
      hn::StoreU(hn::DemoteTo(df, value), df, to);
      value = hn::Mul(value, x);
    }
  }
}

/// Rows of a plane that are processed together.
constexpr int group_rows = lanes_x > tile_rows ? lanes_x : tile_rows;

void FillPlaneMonomials(std::span<const PlaneMonomialsJob> jobs, std::size_t count, float* monomials) {
  const hn::CappedTag<float, block_y> d;
  const std::size_t lanes = hn::Lanes(d);
  for (const auto& job : jobs) {
    float* to = monomials + job.first * group_rows;
    for (int n = 0; n <= job.degree; ++n) {
      for (int k = 0; k <= n; ++k, to += group_rows) {
        const float* y_row = job.y_rows + (n - k) * job.y_stride;
        const float* z_row = job.z_rows + k * job.z_stride;
        for (std::size_t row = 0; row < plane_points; row += lanes) {
          const auto value = hn::Mul(hn::Load(d, y_row + row % block_y), hn::Set(d, z_row[row / block_y]));
          hn::Store(value, d, to + row / group_rows * count * group_rows + row % group_rows);
        }
      }
    }
  }
}

/// The planes of all terms in one group of rows.
HWY_INLINE void SumPlanes(std::span<const PlaneTerm> terms, const float* HWY_RESTRICT coefficients,
                          const float* HWY_RESTRICT monomials, float* HWY_RESTRICT planes) {
  const Tag d;
  constexpr int vectors = group_rows / lanes_x;
  for (const auto& term : terms) {
    const float* c = coefficients + term.first_coefficient;
    const float* from = monomials + static_cast<std::size_t>(term.first_monomial) * group_rows;
    Vector sum[vectors];
    for (int v = 0; v < vectors; ++v) sum[v] = hn::Mul(hn::Set(d, c[0]), hn::Load(d, from + v * lanes_x));
    for (std::uint32_t m = 1; m < term.count; ++m) {
      from += group_rows;
      for (int v = 0; v < vectors; ++v) {
        sum[v] = hn::MulAdd(hn::Set(d, c[m]), hn::Load(d, from + v * lanes_x), sum[v]);
      }
    }
    for (int v = 0; v < vectors; ++v) hn::Store(sum[v], d, planes + v * lanes_x);
    planes += group_rows;
  }
}

HWY_INLINE void MultiplyTile(std::span<const TileEntry> entries, const float* HWY_RESTRICT x_table,
                             const float* HWY_RESTRICT planes, Vector (&sums)[tile_rows][vectors_x]) {
  const Tag d;
#pragma GCC unroll 16
  for (int row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v) sums[row][v] = hn::Zero(d);
  }
  for (const TileEntry entry : entries)
    AddTerm(x_table + entry.x_row, planes + entry.term * group_rows, sums);
}

/// The first `count` of a vector's values.
HWY_INLINE void StorePart(Vector values, float* to, int count) {
  const Tag d;
  if (count >= lanes_x) return hn::StoreU(values, d, to);
  // Not hn::BlendedStore: masked stores to memory are microcode on AMD's processors.
  alignas(64) float part[lanes_x];
  hn::Store(values, d, part);
  std::copy_n(part, std::max(count, 0), to);
}

/// Stores rows `first` ... `first + tile_rows - 1` of the plane, as far as they exist, in a column's values.
HWY_INLINE void StoreTile(const PencilJob& job, const Vector (&values)[tile_rows][vectors_x], int x,
                          int first, float* column) {
  const bool whole = job.count_x - x >= tile_x;
#pragma GCC unroll 16
  for (int row = 0; row < tile_rows; ++row) {
    const int y = (first + row) % block_y;
    const int z = (first + row) / block_y;
    if (y >= job.count_y || z >= job.count_z) continue;
    float* to = column + y * job.y_stride + z * job.z_stride + x;
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v) {
      if (whole) {
        hn::StoreU(values[row][v], Tag(), to + v * lanes_x);
      } else {
        StorePart(values[row][v], to + v * lanes_x, job.count_x - x - v * lanes_x);
      }
    }
  }
}

/// sums = weight values^2, or adds this.
template <bool add>
HWY_INLINE void SquareTile(const Vector (&values)[tile_rows][vectors_x], Vector weight,
                           float* HWY_RESTRICT sums) {
  const Tag d;
#pragma GCC unroll 16
  for (int row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v, sums += lanes_x) {
      const Vector weighted = hn::Mul(weight, values[row][v]);
      hn::Store(
          add ? hn::MulAdd(weighted, values[row][v], hn::Load(d, sums)) : hn::Mul(weighted, values[row][v]),
          d, sums);
    }
  }
}

/// Stores the sums of all columns in the grid.
HWY_INLINE void StoreSquares(const PencilJob& job, int x, int first, const float* HWY_RESTRICT sums) {
  for (int row = 0; row < tile_rows; ++row, sums += tile_x) {
    const int y = (first + row) % block_y;
    const int z = (first + row) / block_y;
    if (y >= job.count_y || z >= job.count_z) continue;
    float* to = job.columns.front().values + y * job.y_stride + z * job.z_stride + x;
    const int count = std::min(tile_x, job.count_x - x);
    if (job.store == Store::squares) {
      std::copy_n(sums, count, to);
    } else {
      for (int n = 0; n < count; ++n) to[n] += sums[n];
    }
  }
}

void ComputePencil(const PencilJob& job) {
  constexpr int tile_points = tile_rows * tile_x;
  for (int group = 0; group < plane_points; group += group_rows) {
    if (group / block_y >= job.count_z) continue;
    const float* monomials = job.monomials + static_cast<std::size_t>(group) * job.monomial_count;
    const auto for_each_tile = [&](auto function) {
      float* sums = job.squares;
      for (std::size_t tile = 0; tile < job.tiles.size(); ++tile) {
        for (int row = 0; row < group_rows; row += tile_rows, sums += tile_points) {
          if ((group + row) % block_y < job.count_y)
            function(job.tiles[tile], static_cast<int>(tile) * tile_x, row, sums);
        }
      }
    };
    for (const auto& column : job.columns) {
      SumPlanes(job.terms, column.coefficients, monomials, job.planes);
      const Vector weight = hn::Set(Tag(), column.weight);
      const bool first = &column == &job.columns.front();
      for_each_tile([&](std::span<const TileEntry> entries, int x, int row, float* sums) {
        Vector values[tile_rows][vectors_x];
        MultiplyTile(entries, job.x_table + x, job.planes + row, values);
        if (job.store == Store::amplitude) {
          StoreTile(job, values, x, group + row, column.values);
        } else if (first) {
          SquareTile<false>(values, weight, sums);
        } else {
          SquareTile<true>(values, weight, sums);
        }
      });
    }
    if (job.store == Store::amplitude) continue;
    for_each_tile([&](std::span<const TileEntry>, int x, int row, float* sums) {
      StoreSquares(job, x, group + row, sums);
    });
  }
}

std::string_view InstructionSet() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace isolume::orbitals::separable::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::orbitals::separable {

HWY_EXPORT(FillAxisTable);
HWY_EXPORT(FillPlaneMonomials);
HWY_EXPORT(ComputePencil);
HWY_EXPORT(InstructionSet);

void fill_axis_table(const AxisTableJob& job) {
  HWY_DYNAMIC_DISPATCH(FillAxisTable)(job);
}

void fill_plane_monomials(std::span<const PlaneMonomialsJob> jobs, std::size_t count, float* monomials) {
  HWY_DYNAMIC_DISPATCH(FillPlaneMonomials)(jobs, count, monomials);
}

void compute_pencil(const PencilJob& job) {
  HWY_DYNAMIC_DISPATCH(ComputePencil)(job);
}

#if HWY_ARCH_X86
DenormalsAsZero::DenormalsAsZero() : before_(_mm_getcsr()) {
  constexpr unsigned flush_results_and_operands = 0x8040;
  _mm_setcsr(before_ | flush_results_and_operands);
}
DenormalsAsZero::~DenormalsAsZero() {
  _mm_setcsr(before_);
}
#else
DenormalsAsZero::DenormalsAsZero() = default;
DenormalsAsZero::~DenormalsAsZero() = default;
#endif

std::string_view instruction_set() {
  const std::string_view name = HWY_DYNAMIC_DISPATCH(InstructionSet)();
  return name == "AVX3" ? "AVX-512" : name;
}

}  // namespace isolume::orbitals::separable
#endif
