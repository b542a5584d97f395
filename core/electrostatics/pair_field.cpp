#include "core/electrostatics/pair_field.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <vector>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

/// Rows along x that are summed for together: charges are brought near all of them at once.
struct TileShape {
  static constexpr int across = 4;  ///< rows along y, and along z
  int along;                        ///< points of a row

  explicit TileShape(const PairTerms& terms)
      // Short rows keep to the sphere of the cut-off.
      : along(terms.cutoff > 0 ? TileRow::capacity / 2 : TileRow::capacity) {}
};

class LatticeSum {
 public:
  LatticeSum(const lattice::Lattice& lattice, const Bins& bins, const PairTerms& terms, double scale,
             float* values)
      : lattice_(lattice),
        bins_(bins),
        terms_(terms),
        shape_(terms),
        scale_(scale),
        values_(values),
        angstrom_(lattice::shown_per_unit(lattice.unit)) {
    const std::array<int, 3> sides{shape_.along, TileShape::across, TileShape::across};
    for (std::size_t axis = 0; axis < 3; ++axis)
      tiles_[axis] = (lattice.dimensions[axis] + sides[axis] - 1) / sides[axis];
  }

  std::size_t tiles() const { return static_cast<std::size_t>(tiles_[0]) * tiles_[1] * tiles_[2]; }

  void sum_tile(std::size_t tile, const jobs::Progress& progress) const {
    const int i = static_cast<int>(tile % tiles_[0]) * shape_.along;
    const int j = static_cast<int>(tile / tiles_[0] % tiles_[1]) * TileShape::across;
    const int k = static_cast<int>(tile / tiles_[0] / tiles_[1]) * TileShape::across;
    const int last_i = std::min(i + shape_.along, lattice_.dimensions[0]) - 1;
    const int last_j = std::min(j + TileShape::across, lattice_.dimensions[1]) - 1;
    const int last_k = std::min(k + TileShape::across, lattice_.dimensions[2]) - 1;
    const Vector3d low = lattice_.point(i, j, k) * angstrom_,
                   high = lattice_.point(last_i, last_j, last_k) * angstrom_;
    const Vector3d middle = (low + high) / 2;
    std::vector<TileRow> rows;
    for (int at_k = k; at_k <= last_k; ++at_k) {
      for (int at_j = j; at_j <= last_j; ++at_j) rows.push_back(row_at(i, last_i, at_j, at_k, middle));
    }
    add_charges(low, high, middle, rows, progress);
    const TileRow* row = rows.data();
    for (int at_k = k; at_k <= last_k; ++at_k) {
      for (int at_j = j; at_j <= last_j; ++at_j, ++row) store(*row, i, at_j, at_k);
    }
  }

 private:
  TileRow row_at(int i, int last_i, int j, int k, const Vector3d& middle) const {
    TileRow row;
    row.count = last_i - i + 1;
    for (int at = i; at <= last_i; ++at)
      row.x[at - i] = static_cast<float>(lattice_.point(at, j, k).x() * angstrom_ - middle.x());
    const Vector3d place = lattice_.point(i, j, k) * angstrom_ - middle;
    row.y = static_cast<float>(place.y());
    row.z = static_cast<float>(place.z());
    return row;
  }
  void add_charges(const Vector3d& low, const Vector3d& high, const Vector3d& middle,
                   std::vector<TileRow>& rows, const jobs::Progress& progress) const {
    const bool cut = terms_.cutoff > 0;
    const double reach = cut ? terms_.cutoff : 0;
    const Sources& sources = bins_.sorted();
    TileCharges some{};
    const auto flush = [&] {
      progress.check();
      for (TileRow& row : rows) add_to_row(row, some, terms_);
      some.count = 0;
    };
    bins_.near(low, high, cut ? reach : 1e300, [&](std::size_t first, std::size_t end) {
      for (std::size_t n = first; n < end; ++n) {
        const Vector3d place(sources.x[n], sources.y[n], sources.z[n]);
        if (cut) {
          const Vector3d beyond = (low - place).cwiseMax(place - high).cwiseMax(0);
          if (beyond.squaredNorm() >= reach * reach) continue;
        }
        const Vector3d relative = place - middle;
        some.x[some.count] = static_cast<float>(relative.x());
        some.y[some.count] = static_cast<float>(relative.y());
        some.z[some.count] = static_cast<float>(relative.z());
        some.charge[some.count] = static_cast<float>(sources.charge[n]);
        if (++some.count == TileCharges::capacity) flush();
      }
    });
    flush();
  }
  void store(const TileRow& row, int i, int j, int k) const {
    float* to = values_ + static_cast<std::size_t>(i) +
                static_cast<std::size_t>(lattice_.dimensions[0]) *
                    (static_cast<std::size_t>(j) + static_cast<std::size_t>(lattice_.dimensions[1]) * k);
    for (int at = 0; at < row.count; ++at) to[at] = static_cast<float>(scale_ * row.potential[at]);
  }

  const lattice::Lattice& lattice_;
  const Bins& bins_;
  const PairTerms& terms_;
  TileShape shape_;
  double scale_;
  float* values_;
  double angstrom_;
  std::array<int, 3> tiles_{};
};

/// Calls `work(i)` for all i below `count` on all threads of the arena.
void for_each_part(std::size_t count, const jobs::Progress& progress,
                   const std::function<void(std::size_t)>& work) {
  std::atomic<std::size_t> done = 0;
  handover::parallel_for(
      tbb::blocked_range<std::size_t>(0, count), [&](const tbb::blocked_range<std::size_t>& range) {
        for (std::size_t i = range.begin(); i != range.end(); ++i) {
          progress.check();
          work(i);
          progress.report(static_cast<double>(++done) / static_cast<double>(count), "potential");
        }
      });
}

}  // namespace

void sum_pairs_on(const lattice::Lattice& lattice, const Bins& bins, const PairTerms& terms, double scale,
                  float* values, const jobs::Progress& progress) {
  const LatticeSum sum(lattice, bins, terms, scale, values);
  for_each_part(sum.tiles(), progress, [&](std::size_t tile) { sum.sum_tile(tile, progress); });
}

void sum_pairs_at(std::size_t count, const std::function<Vector3d(std::size_t)>& place, const Bins& bins,
                  const PairTerms& terms, double scale, const std::function<void(std::size_t, double)>& store,
                  const jobs::Progress& progress) {
  constexpr std::size_t at_once = 64;
  const Sources& sources = bins.sorted();
  for_each_part((count + at_once - 1) / at_once, progress, [&](std::size_t part) {
    for (std::size_t i = part * at_once; i < std::min((part + 1) * at_once, count); ++i) {
      progress.check();
      const Vector3d at = place(i);
      double sum = 0;
      bins.near(at, at, terms.cutoff > 0 ? terms.cutoff : 1e300, [&](std::size_t first, std::size_t end) {
        sum += sum_at_point(at.x(), at.y(), at.z(), sources.x.data() + first, sources.y.data() + first,
                            sources.z.data() + first, sources.charge.data() + first, end - first, terms);
      });
      store(i, scale * sum);
    }
  });
}

}  // namespace isolume::electrostatics
