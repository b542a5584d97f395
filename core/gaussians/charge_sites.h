#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/gaussians/hermite_density.h"
#include "core/gaussians/site_kernels.h"

/// The potential of a density of Hermite Gaussians: near ones are evaluated one by one, distant ones together
/// as multipoles.
///
/// Beyond some distance a Hermite Gaussian acts like a point multipole: the difference is a derivative of
/// erfc(sqrt(p) R) / R. Neighbouring point multipoles are translated to a site in their middle, exactly up to
/// far_order, and added. Each Gaussian has a range, the distance from its site beyond which both errors are
/// within its share of the tolerance. A site sorts its Gaussians into classes by increasing range, and stores
/// for each class the sum of the multipoles of this and all earlier classes. For a tile of points at a
/// distance D from a site, the sum for the ranges up to D is evaluated, to an order that suffices at D, and
/// the Gaussians of larger ranges are evaluated one by one.
///
/// With X from a point to the centre, |(d/dP)^tuv exp(-s^2 X^2)| <= s^n (2 s R + sqrt(2 n))^n exp(-s^2 R^2)
/// for n = t + u + v (a Hermite polynomial of imaginary argument is an expectation, then Minkowski's
/// inequality), and erfc(sqrt(p) R) / R is 2 / sqrt(pi) times the integral of exp(-s^2 R^2) over s from
/// sqrt(p). A derivative of 1 / R along any N unit vectors is at most N! / R^(N+1).
namespace isolume::gaussians {

/// The bounding box of a tile's points.
struct TileBox {
  Eigen::Vector3d low, high;

  explicit TileBox(const PointTile& tile);
  double distance_to(const Eigen::Vector3d& place) const;
};

class ChargeSites {
 public:
  static constexpr int far_order = 10;

  /// The sum of all approximation errors is at most `tolerance` (Eh/e) at every point.
  ChargeSites(const HermiteDensity& density, const molecules::Molecule& molecule, double tolerance,
              const jobs::Progress& progress = {});

  void add_to(PointTile& tile, const jobs::Progress& progress = {}) const;
  /// Approximate number of operations for each point of a tile.
  double operations_a_point(const TileBox& box) const;

  /// One sum, truncated at an order, with the distance from which that suffices.
  struct Version {
    int order = 0;
    double from = 0;
    std::size_t first = 0;  ///< position in far_coefficients()
  };
  struct Class {
    double range = 0;
    std::size_t first = 0;  ///< position of its first Gaussian in gaussians()
    /// by increasing order, for the classes before this one; empty in the first
    std::vector<Version> versions;
  };
  struct Site {
    Eigen::Vector3d place;
    std::vector<Class> classes;  ///< by increasing range; a last one without Gaussians follows
  };
  /// What is evaluated of a site for points that are at least `distance` from it: the Gaussians from
  /// first_near to those of the next site, and the multipole sum of the others, if there are any.
  struct Choice {
    const Version* far = nullptr;
    std::size_t first_near = 0, end_near = 0;
  };
  static Choice choose(const Site& site, double distance);

  /// For other engines, which make the same choices.
  const std::vector<Site>& sites() const { return sites_; }
  const std::vector<NearGaussian>& gaussians() const { return gaussians_; }
  const std::vector<double>& near_coefficients() const { return near_coefficients_; }
  const std::vector<double>& far_coefficients() const { return far_coefficients_; }

 private:
  struct Member;
  struct Sorting;

  void require_memory(const std::vector<Member>& members) const;
  void fill_site(Site& site, const HermiteDensity& density, std::vector<Member>& members, double share);
  void add_gaussian(const HermiteGaussian& gaussian, const double* coefficients);
  std::vector<Version> versions_of(const std::vector<double>& moments, double nearest, double share);

  std::vector<Site> sites_;
  std::vector<NearGaussian> gaussians_;
  std::vector<double> near_coefficients_, far_coefficients_;
};

}  // namespace isolume::gaussians
