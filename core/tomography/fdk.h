#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "core/base/remarks.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

enum class FilterWindow { ram_lak, shepp_logan, cosine, hamming, hann };

struct FilterParameters {
  FilterWindow window = FilterWindow::ram_lak;
  double cutoff = 1;  ///< as a fraction of the highest frequency of the detector, in (0, 1]

  bool operator==(const FilterParameters&) const = default;
};

/// Factors of the Fourier modes 0 to count / 2 of a line of `count` pixels: the transform of the band-limited ramp's
/// samples (1/4 at 0, -1/(pi n)^2 at odd n; A. C. Kak, M. Slaney, 1988, eq. 3.61), times the window. Lines must be
/// padded to twice their pixels. The unit is 1 / pixel.
std::vector<double> ramp_factors(int count, const FilterParameters& parameters);

/// What is projected back: projections that are weighted and filtered.
struct Filtered {
  Projections projections;
  std::vector<double>
      distance_factors;  ///< of each view: distance of source and axis / distance of source and detector
  Remarks remarks;
};

/// Filters along the rows of the detector, weighted as by L. A. Feldkamp, L. C. Davis, J. W. Kress (J. Opt. Soc. Am. A
/// 1, 612, 1984). Views may lie at unequal angles. Rays that are measured twice share their weight: a short scan as by
/// D. L. Parker (Med. Phys. 9, 254, 1982; overscan as by M. D. Silver, Med. Phys. 27, 773, 2000), a detector that is
/// displaced by more than a twentieth of its width as by G. Wang (Med. Phys. 29, 1634, 2002). Throws Error where views
/// lie at one angle alone or the source does not move on a circle about the z axis.
Filtered filter(const Projections& projections, const FilterParameters& parameters,
                const jobs::Progress& progress = {});

/// Throws Error where filtered back projection is not possible: sources that are not on a circle about the z axis, rows of the
/// detector or parallel rays that are not across it.
void require_circle(const Geometry& geometry);

/// Views of half a turn and the angle of the fan, in the order of their angles; all, where there are no more. Throws
/// Error where views lie at one angle alone.
std::vector<int> short_scan(const Geometry& geometry);

/// Angles of views, from the end of the widest gap on.
struct ViewArc {
  std::vector<int> order;  ///< views by their angle
  std::vector<double>
      angles;  ///< of each view, counted from the begin of the arc, half a step before the first view
  std::vector<double> shares;  ///< of each view, in radians
  double length = 0;           ///< in radians
  bool is_whole = false;       ///< 360 degrees
};
/// Throws Error where views lie at one angle alone.
ViewArc arc_of(const Geometry& geometry);
/// Angle of the ray to a column of the detector against the middle of the fan, and its distance from the axis in mm;
/// to the right, seen from the source.
struct RayPlace {
  double angle = 0, sideways_mm = 0;
};
RayPlace ray_place(const View& view, Beam beam, double u);

/// A box of voxels of a grid.
struct Region {
  std::array<int, 3> first{}, count{};

  static Region whole(const grid::Grid& grid) { return {{0, 0, 0}, grid.dimensions}; }
  /// One slice across an axis.
  static Region slice(const grid::Grid& grid, int axis, int index);
  std::size_t size() const {
    return static_cast<std::size_t>(count[0]) * static_cast<std::size_t>(count[1]) *
           static_cast<std::size_t>(count[2]);
  }
};

/// Attenuation in 1/mm at the voxels of a region, x fastest: sums over views of bilinear values, 0 outside the
/// detector.
void back_project(const Filtered& filtered, const grid::Grid& grid, const Region& region,
                  std::span<float> values, const jobs::Progress& progress = {});

}  // namespace isolume::tomography
