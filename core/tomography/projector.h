#pragma once

#include <span>

#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"
#include "core/volumes/counts.h"

namespace isolume::tomography {

/// A volume as the projector needs it: columns along z, x faster than y, `stride` numbers each.
struct ColumnVolume {
  volumes::Counts counts{};
  std::size_t stride = 0;
  FieldValues values;

  ColumnVolume() = default;
  /// Values are 0.
  explicit ColumnVolume(const volumes::Counts& of);
  /// From and to a volume with x fastest.
  explicit ColumnVolume(std::span<const float> volume, const volumes::Counts& of);
  FieldValues with_x_fastest() const;
  std::size_t column_index(int x, int y) const {
    return (static_cast<std::size_t>(y) * static_cast<std::size_t>(counts[0]) + static_cast<std::size_t>(x)) *
           stride;
  }
};

/// Line integrals by P. M. Joseph (IEEE Trans. Med. Imaging 1, 192, 1982), and the exact adjoint of this operation. A
/// ray is sampled on the planes across x or y, whichever it crosses more steeply seen along z, bilinear, 0 outside the
/// grid. Needs detectors whose columns are parallel to z, and a grid whose axes are those of the patient. The same
/// bits on any number of threads.
class Projector {
 public:
  /// Throws Error if geometry or grid do not suit.
  Projector(const Geometry& geometry, const grid::Grid& grid);

  const Geometry& geometry() const { return geometry_; }
  const volumes::Counts& counts() const { return counts_; }
  /// result(view) = A volume, for views of `chosen`; other views stay unchanged.
  void forward(const ColumnVolume& volume, std::span<const int> chosen, Projections& result,
               const jobs::Progress& progress = {}) const;
  /// volume = A' projections, of views of `chosen` alone.
  void adjoint(const Projections& projections, std::span<const int> chosen, ColumnVolume& volume,
               const jobs::Progress& progress = {}) const;

 private:
  struct Fan;
  Fan fan_of(int view, int u) const;

  Geometry geometry_;
  grid::Grid grid_;
  volumes::Counts counts_;
};

}  // namespace isolume::tomography
