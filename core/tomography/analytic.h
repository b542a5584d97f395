#pragma once

#include <span>
#include <vector>

#include <Eigen/Core>

#include "core/base/field_values.h"
#include "core/grid/grid.h"
#include "core/jobs/progress.h"
#include "core/tomography/geometry.h"

namespace isolume::tomography {

/// A solid ellipsoid, which adds its attenuation to what it lies in.
struct Ellipsoid {
  Eigen::Vector3d centre_mm = Eigen::Vector3d::Zero();
  Eigen::Vector3d radii_mm = Eigen::Vector3d::Ones();
  double turn_deg = 0;  ///< of its axes about z, from x towards y
  double attenuation_per_mm = 0;

  bool contains(const Eigen::Vector3d& position_mm) const;
};

/// The head phantom of L. Shepp and B. Logan in three dimensions: ellipsoids of A. C. Kak and M. Slaney, Principles of
/// Computerized Tomographic Imaging, 1988, section 3.2, with the contrasts of P. Toft's thesis, 1996. Its unit of
/// length is `radius_mm`, its unit of attenuation `per_mm`. The table's y points to the front of the head, -y here.
std::vector<Ellipsoid> shepp_logan(double radius_mm = 96, double per_mm = 0.02);

/// Exact line integrals from the source (or along the parallel rays) to the centres of pixels.
Projections project(std::span<const Ellipsoid> ellipsoids, const Geometry& geometry,
                    const jobs::Progress& progress = {});

/// Values at the points of a grid: each the mean of `samples`^3 points of its voxel.
FieldValues voxelised(std::span<const Ellipsoid> ellipsoids, const grid::Grid& grid, int samples = 2,
                      const jobs::Progress& progress = {});

}  // namespace isolume::tomography
