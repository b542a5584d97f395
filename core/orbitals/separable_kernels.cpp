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

void FillPlaneMonomials(std::span<const PlaneMonomialsJob> jobs) {
  const hn::CappedTag<float, block_y> d;
  const std::size_t lanes = hn::Lanes(d);
  for (const auto& job : jobs) {
    float* to = job.monomials;
    for (int n = 0; n <= job.degree; ++n) {
      for (int k = 0; k <= n; ++k) {
        const float* y_row = job.y_rows + (n - k) * job.y_stride;
        const float* z_row = job.z_rows + k * job.z_stride;
        for (int z = 0; z < block_z; ++z, to += block_y) {
          const auto at_z = hn::Set(d, z_row[z]);
          for (std::size_t y = 0; y < block_y; y += lanes) {
            hn::Store(hn::Mul(hn::Load(d, y_row + y), at_z), d, to + y);
          }
        }
      }
    }
  }
}

void SumPlanes(std::span<const PlaneTerm> terms, const float* HWY_RESTRICT coefficients,
               float* HWY_RESTRICT planes) {
  const hn::CappedTag<float, 16> d;
  constexpr std::size_t lanes = hn::MaxLanes(d);
  constexpr std::size_t vectors = plane_points / lanes < 4 ? plane_points / lanes : 4;
  for (const auto& term : terms) {
    const float* c = coefficients + term.first_coefficient;
    for (std::size_t at = 0; at < plane_points; at += vectors * lanes) {
      hn::Vec<decltype(d)> sum[vectors];
      const auto c0 = hn::Set(d, c[0]);
      for (std::size_t v = 0; v < vectors; ++v)
        sum[v] = hn::Mul(c0, hn::Load(d, term.monomials + at + v * lanes));
      for (std::uint32_t m = 1; m < term.count; ++m) {
        const auto cm = hn::Set(d, c[m]);
        const float* from = term.monomials + m * plane_points + at;
        for (std::size_t v = 0; v < vectors; ++v)
          sum[v] = hn::MulAdd(cm, hn::Load(d, from + v * lanes), sum[v]);
      }
      for (std::size_t v = 0; v < vectors; ++v) hn::Store(sum[v], d, planes + at + v * lanes);
    }
    planes += plane_points;
  }
}

using Tag = hn::CappedTag<float, tile_x>;
using Vector = hn::Vec<Tag>;
constexpr int lanes_x = static_cast<int>(hn::MaxLanes(Tag()));
constexpr int vectors_x = tile_x / lanes_x;
/// Rows (y, z) of one register tile: as many accumulators as the registers hold beside the operands.
constexpr int tile_rows = lanes_x >= 16 ? 16 : lanes_x == 8 ? 4 : 2;

HWY_INLINE void MultiplyTile(std::span<const TileEntry> entries, const float* HWY_RESTRICT x_table,
                             const float* HWY_RESTRICT planes, Vector (&sums)[tile_rows][vectors_x]) {
  const Tag d;
#pragma GCC unroll 16
  for (int row = 0; row < tile_rows; ++row) {
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v) sums[row][v] = hn::Zero(d);
  }
  for (const TileEntry entry : entries) {
    const float* a = x_table + entry.x_row;
    const float* b = planes + entry.plane;
    Vector x[vectors_x];
#pragma GCC unroll 16
    for (int v = 0; v < vectors_x; ++v) x[v] = hn::Load(d, a + v * lanes_x);
#pragma GCC unroll 16
    for (int row = 0; row < tile_rows; ++row) {
      const Vector at_row = hn::Set(d, b[row]);
#pragma GCC unroll 16
      for (int v = 0; v < vectors_x; ++v) sums[row][v] = hn::MulAdd(x[v], at_row, sums[row][v]);
    }
  }
}

template <Store store>
HWY_INLINE void StoreVector(Vector sum, Vector weight, float* to, int count) {
  const Tag d;
  if (store == Store::first_square) sum = hn::Mul(weight, hn::Mul(sum, sum));
  if (count >= lanes_x) {
    if (store == Store::add_square) sum = hn::MulAdd(hn::Mul(weight, sum), sum, hn::LoadU(d, to));
    hn::StoreU(sum, d, to);
    return;
  }
  if (count <= 0) return;
  // Not hn::BlendedStore: masked stores to memory are microcode on AMD's processors.
  alignas(64) float part[lanes_x] = {};
  if (store == Store::add_square) {
    std::copy_n(to, count, part);
    sum = hn::MulAdd(hn::Mul(weight, sum), sum, hn::Load(d, part));
  }
  hn::Store(sum, d, part);
  std::copy_n(part, count, to);
}

template <Store store>
void ComputePencilAs(const PencilJob& job) {
  const Vector weight = hn::Set(Tag(), job.weight);
  for (std::size_t tile = 0; tile < job.tiles.size(); ++tile) {
    const int x = static_cast<int>(tile) * tile_x;
    for (int first = 0; first < job.count_z * block_y; first += tile_rows) {
      if (first % block_y >= job.count_y) continue;
      Vector sums[tile_rows][vectors_x];
      MultiplyTile(job.tiles[tile], job.x_table + x, job.planes + first, sums);
#pragma GCC unroll 16
      for (int row = 0; row < tile_rows; ++row) {
        const int y = (first + row) % block_y;
        const int z = (first + row) / block_y;
        if (y >= job.count_y || z >= job.count_z) continue;
        float* to = job.values + y * job.y_stride + z * job.z_stride + x;
#pragma GCC unroll 16
        for (int v = 0; v < vectors_x; ++v) {
          StoreVector<store>(sums[row][v], weight, to + v * lanes_x, job.count_x - x - v * lanes_x);
        }
      }
    }
  }
}

void ComputePencil(const PencilJob& job) {
  switch (job.store) {
    case Store::amplitude:
      return ComputePencilAs<Store::amplitude>(job);
    case Store::first_square:
      return ComputePencilAs<Store::first_square>(job);
    case Store::add_square:
      return ComputePencilAs<Store::add_square>(job);
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
HWY_EXPORT(SumPlanes);
HWY_EXPORT(ComputePencil);
HWY_EXPORT(InstructionSet);

void fill_axis_table(const AxisTableJob& job) {
  HWY_DYNAMIC_DISPATCH(FillAxisTable)(job);
}

void fill_plane_monomials(std::span<const PlaneMonomialsJob> jobs) {
  HWY_DYNAMIC_DISPATCH(FillPlaneMonomials)(jobs);
}

void sum_planes(std::span<const PlaneTerm> terms, const float* coefficients, float* planes) {
  HWY_DYNAMIC_DISPATCH(SumPlanes)(terms, coefficients, planes);
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
