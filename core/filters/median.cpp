#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "core/filters/declare.h"
#include "core/filters/in_parallel.h"
#include "core/filters/median_kernels.h"

namespace isolume::filters {
namespace {

struct MedianParameters {
  double radius_mm = 1;
};

const Schema<MedianParameters>& median_schema() {
  static const Schema<MedianParameters> schema({
      field("radius", &MedianParameters::radius_mm, "Radius")
          .unit("mm")
          .range(0, 1000)
          .usual(0, 10)
          .help("Half the side of the box over which the median is taken, rounded to whole voxels along each "
                "axis."),
  });
  return schema;
}

/// A number whose order as an unsigned one is that of the floating-point numbers.
std::uint32_t ordered_bits(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value + 0.F);  // -0 becomes 0
  return bits & 0x80000000U ? ~bits : bits | 0x80000000U;
}

/// Ranks of the values of a block among each other, equal ones for equal values.
class BlockRanks {
 public:
  /// `ranks` begin at `least`.
  template <class Rank>
  void rank(std::span<const float> values, std::span<Rank> ranks, std::int64_t least) {
    if (rank_whole_numbers(values, ranks, least)) return;
    sort(values);
    distinct_.clear();
    std::uint32_t previous = 0;
    for (const Entry& each : sorted_) {
      if (distinct_.empty() || each.key != previous) distinct_.push_back(values[each.index]);
      previous = each.key;
      ranks[each.index] = static_cast<Rank>(least + static_cast<std::int64_t>(distinct_.size()) - 1);
    }
    is_whole_ = false;
  }
  /// The value of a rank, counted from 0.
  float value(std::int64_t rank) const {
    return is_whole_ ? first_ + static_cast<float>(rank) : distinct_[static_cast<std::size_t>(rank)];
  }

 private:
  struct Entry {
    std::uint32_t key, index;
  };

  /// Whole numbers of a small range are ranks already.
  template <class Rank>
  bool rank_whole_numbers(std::span<const float> values, std::span<Rank> ranks, std::int64_t least) {
    constexpr float most = 32767, exact = 1 << 23;
    float low = values[0], high = values[0];
    for (const float each : values) {
      low = each < low ? each : low;
      high = each > high ? each : high;
    }
    is_whole_ = high - low <= most && std::abs(low) < exact && std::abs(high) < exact;
    if (!is_whole_) return false;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const auto rank = static_cast<std::int32_t>(values[i] - low);
      ranks[i] = static_cast<Rank>(rank + static_cast<std::int32_t>(least));
      is_whole_ &= low + static_cast<float>(rank) == values[i];
    }
    first_ = low;
    return is_whole_;
  }

  /// By radix, 11 bits at a time.
  void sort(std::span<const float> values) {
    constexpr std::uint32_t bits = 11, digits = 1U << bits;
    sorted_.resize(values.size());
    other_.resize(values.size());
    std::array<std::array<std::uint32_t, digits>, 3> starts{};
    for (std::uint32_t i = 0; i < values.size(); ++i) {
      const std::uint32_t key = ordered_bits(values[i]);
      sorted_[i] = {key, i};
      for (std::uint32_t pass = 0; pass < 3; ++pass) ++starts[pass][key >> (bits * pass) & (digits - 1)];
    }
    for (std::uint32_t pass = 0; pass < 3; ++pass) {
      std::uint32_t start = 0;
      for (std::uint32_t& each : starts[pass]) start += std::exchange(each, start);
      for (const Entry& each : sorted_)
        other_[starts[pass][each.key >> (bits * pass) & (digits - 1)]++] = each;
      sorted_.swap(other_);
    }
  }

  std::vector<Entry> sorted_, other_;
  std::vector<float> distinct_;
  bool is_whole_ = false;
  float first_ = 0;
};

using Box = std::array<int, 3>;

/// Voxels of a block of results; ranks of the block with its surroundings fit in 16 bits if possible.
struct Blocks {
  Box size{};
  bool is_narrow = false;

  Blocks(const volumes::Counts& counts, const Box& radius) {
    constexpr std::int64_t most_ranks = 65536, most_counted = std::numeric_limits<std::int16_t>::max();
    const std::int64_t neighbours = product({2 * radius[0] + 1, 2 * radius[1] + 1, 2 * radius[2] + 1});
    for (const int side : {16, 12, 8, 4}) {
      size = {std::min(counts[0], 64), std::min(counts[1], side), std::min(counts[2], side)};
      is_narrow = neighbours <= most_counted && product(with_edge(radius)) <= most_ranks;
      if (is_narrow) return;
    }
  }
  Box with_edge(const Box& radius) const {
    return {size[0] + 2 * radius[0], size[1] + 2 * radius[1], size[2] + 2 * radius[2]};
  }
  static std::int64_t product(const Box& box) { return std::int64_t{box[0]} * box[1] * box[2]; }
};

/// Any radius, by bisection of ranks.
template <class Rank>
class RankMedian {
 public:
  RankMedian(const FieldValues& image, const volumes::Counts& counts, const Box& radius, const Box& size)
      : image_(image), counts_(counts), radius_(radius), size_(size) {}

  void run(FieldValues& result, const jobs::Progress& progress) const {
    Box blocks{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      blocks[axis] = (counts_[axis] + size_[axis] - 1) / size_[axis];
    in_parallel(blocks[0] * blocks[1] * blocks[2], progress, [&](int i) {
      run_block({i % blocks[0] * size_[0], i / blocks[0] % blocks[1] * size_[1],
                 i / blocks[0] / blocks[1] * size_[2]},
                result, progress);
    });
  }

 private:
  std::size_t voxel(int x, int y, int z) const {
    return (static_cast<std::size_t>(z) * static_cast<std::size_t>(counts_[1]) +
            static_cast<std::size_t>(y)) *
               static_cast<std::size_t>(counts_[0]) +
           static_cast<std::size_t>(x);
  }

  void run_block(const Box& first, FieldValues& result, const jobs::Progress& progress) const {
    Box size{};
    for (std::size_t axis = 0; axis < 3; ++axis)
      size[axis] = std::min(size_[axis], counts_[axis] - first[axis]);
    const Box edged{size[0] + 2 * radius_[0], size[1] + 2 * radius_[1], size[2] + 2 * radius_[2]};
    thread_local std::vector<float> values;
    thread_local std::vector<Rank> ranks, medians;
    thread_local BlockRanks order;
    values.clear();
    for (int k = 0; k < edged[2]; ++k) {
      const int z = std::clamp(first[2] + k - radius_[2], 0, counts_[2] - 1);
      for (int j = 0; j < edged[1]; ++j) {
        const int y = std::clamp(first[1] + j - radius_[1], 0, counts_[1] - 1);
        const float* row = image_.data() + voxel(0, y, z);
        for (int i = 0; i < edged[0]; ++i)
          values.push_back(row[std::clamp(first[0] + i - radius_[0], 0, counts_[0] - 1)]);
      }
    }
    constexpr std::int64_t least = sizeof(Rank) == 2 ? std::numeric_limits<Rank>::min() : 0;
    ranks.resize(values.size() + rank_overrun);
    order.rank(values, std::span<Rank>(ranks).first(values.size()), least);
    medians.resize(static_cast<std::size_t>(size[0]) + rank_overrun);
    const auto row = static_cast<std::size_t>(edged[0]), plane = row * static_cast<std::size_t>(edged[1]);
    for (int k = 0; k < size[2]; ++k) {
      progress.check();
      for (int j = 0; j < size[1]; ++j) {
        const RankBlock<Rank> block{
            ranks.data() + static_cast<std::size_t>(k) * plane + static_cast<std::size_t>(j) * row, row,
            plane};
        median_rank_row(block, radius_, size[0], medians.data());
        float* to = result.data() + voxel(first[0], first[1] + j, first[2] + k);
        for (int i = 0; i < size[0]; ++i) to[i] = order.value(medians[static_cast<std::size_t>(i)] - least);
      }
    }
  }

  const FieldValues& image_;
  volumes::Counts counts_;
  Box radius_, size_;
};

FieldValues median(const FieldValues& image, const volumes::Counts& counts, const Box& radius,
                   const jobs::Progress& progress) {
  FieldValues result(image.size());
  if (std::ranges::max(radius) == 1) {
    constexpr int rows = 32;
    const int blocks = (counts[1] + rows - 1) / rows;
    in_parallel(blocks * counts[2], progress, [&](int i) {
      const int first = i % blocks * rows, last = std::min(first + rows, counts[1]), z = i / blocks;
      if (radius == Box{1, 1, 1}) {
        median_of_27(image.data(), counts, first, last, z, result.data());
      } else {
        median_of_few(image.data(), counts, radius, first, last, z, result.data());
      }
    });
    return result;
  }
  const Blocks blocks(counts, radius);
  if (blocks.is_narrow) {
    RankMedian<std::int16_t>(image, counts, radius, blocks.size).run(result, progress);
  } else {
    RankMedian<std::int32_t>(image, counts, radius, blocks.size).run(result, progress);
  }
  return result;
}

Filtered apply_median(const grid::ScalarField& image, const MedianParameters& parameters,
                      const jobs::Progress& progress) {
  const Box radius = radius_in_voxels(image.grid, parameters.radius_mm, "median: radius");
  Filtered result = like(image, median(image.values, image.grid.dimensions, radius, progress));
  remark_limits(image.grid, parameters.radius_mm, "median", result.remarks);
  result.report["radius_voxels"] = radius;
  return result;
}

}  // namespace

FilterKind median_filter() {
  return declare(
      "median", "Median",
      "Takes the median of a box around each voxel, which removes single wrong values and keeps edges.",
      median_schema(), apply_median);
}

}  // namespace isolume::filters
