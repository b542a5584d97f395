// The sums of a tile are arrays of vectors, which the scalable instruction sets do not allow.
#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "core/molecules/inner_products.cpp"
#include <hwy/foreach_target.h>
// The order matters: foreach_target first.
#include <algorithm>

#include <hwy/aligned_allocator.h>
#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/molecules/inner_products.h"

HWY_BEFORE_NAMESPACE();
namespace isolume::molecules::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Columns = Eigen::Ref<const Eigen::MatrixXd>;
using Lanes = hn::ScalableTag<double>;

/// The sums of two vectors of rows by these columns, the two vectors and an element of a column fill the 16
/// registers of AVX2; AVX-512 has 32.
constexpr Eigen::Index tile_columns = HWY_TARGET <= HWY_AVX3 ? 12 : 6;
/// Elements of a column that are multiplied at a time: a tile's columns of this length stay in the first-level cache,
/// 256 others in the second.
constexpr Eigen::Index depth = 256;

/// Elements `first` ... `first + count - 1` of all columns, in groups of `group` columns with the columns of
/// a group side by side. Zeros make up the last group.
HWY_INLINE void Pack(const Columns& matrix, Eigen::Index first, Eigen::Index count, Eigen::Index group,
                     double* packed) {
  for (Eigen::Index column = 0; column < matrix.cols(); column += group) {
    for (Eigen::Index c = 0; c < group; ++c) {
      const bool there = column + c < matrix.cols();
      if (!there) {
        for (Eigen::Index k = 0; k < count; ++k) packed[k * group + c] = 0;
        continue;
      }
      const double* from = matrix.data() + (column + c) * matrix.outerStride() + first;
      // Columns are too short for hardware prefetching: without this, packing takes a third of all time.
      const double* soon = column + c + 2 < matrix.cols() ? from + 2 * matrix.outerStride() : from;
      for (Eigen::Index k = 0; k < count; ++k) {
        if (k % 8 == 0) hwy::Prefetch(soon + k);
        packed[k * group + c] = from[k];
      }
    }
    packed += count * group;
  }
}

/// Adds the inner products of one group of packed columns with another to `products`, starting at their first
/// element.
HWY_INLINE void AddTile(const double* HWY_RESTRICT a, const double* HWY_RESTRICT b, Eigen::Index count,
                        double* HWY_RESTRICT products, Eigen::Index stride) {
  const Lanes d;
  const auto lanes = static_cast<Eigen::Index>(hn::Lanes(d));
  hn::Vec<Lanes> upper[tile_columns], lower[tile_columns];
  for (Eigen::Index c = 0; c < tile_columns; ++c) upper[c] = lower[c] = hn::Zero(d);
  for (Eigen::Index k = 0; k < count; ++k) {
    const auto above = hn::Load(d, a), below = hn::Load(d, a + lanes);
    for (Eigen::Index c = 0; c < tile_columns; ++c) {
      const auto element = hn::Set(d, b[c]);
      upper[c] = hn::MulAdd(above, element, upper[c]);
      lower[c] = hn::MulAdd(below, element, lower[c]);
    }
    a += 2 * lanes;
    b += tile_columns;
  }
  for (Eigen::Index c = 0; c < tile_columns; ++c, products += stride) {
    hn::Store(hn::Add(hn::Load(d, products), upper[c]), d, products);
    hn::Store(hn::Add(hn::Load(d, products + lanes), lower[c]), d, products + lanes);
  }
}

constexpr Eigen::Index WholeTiles(Eigen::Index columns, Eigen::Index group) {
  return (columns + group - 1) / group * group;
}

void InnerProducts(const Columns& a, const Columns& b, Eigen::MatrixXd& products) {
  const Eigen::Index tile_rows = 2 * static_cast<Eigen::Index>(hn::Lanes(Lanes()));
  const Eigen::Index rows = WholeTiles(a.cols(), tile_rows), columns = WholeTiles(b.cols(), tile_columns);
  const auto aligned = [](Eigen::Index size) {
    return hwy::AllocateAligned<double>(static_cast<std::size_t>(size));
  };
  const auto of_a = aligned(rows * depth), of_b = aligned(columns * depth), sums = aligned(rows * columns);
  std::fill_n(sums.get(), rows * columns, 0.0);
  for (Eigen::Index first = 0; first < a.rows(); first += depth) {
    const Eigen::Index count = std::min(depth, a.rows() - first);
    Pack(a, first, count, tile_rows, of_a.get());
    Pack(b, first, count, tile_columns, of_b.get());
    for (Eigen::Index j = 0; j < columns; j += tile_columns) {
      for (Eigen::Index i = 0; i < rows; i += tile_rows)
        AddTile(of_a.get() + i * count, of_b.get() + j * count, count, sums.get() + j * rows + i, rows);
    }
  }
  products = Eigen::Map<const Eigen::MatrixXd>(sums.get(), rows, columns).topLeftCorner(a.cols(), b.cols());
}

}  // namespace isolume::molecules::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace isolume::molecules {

HWY_EXPORT(InnerProducts);

Eigen::MatrixXd inner_products(const Eigen::Ref<const Eigen::MatrixXd>& a,
                               const Eigen::Ref<const Eigen::MatrixXd>& b) {
  Eigen::MatrixXd products;
  HWY_DYNAMIC_DISPATCH(InnerProducts)(a, b, products);
  return products;
}

}  // namespace isolume::molecules
#endif
