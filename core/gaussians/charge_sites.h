#pragma once

#include <cstddef>
#include <vector>

#include <Eigen/Core>

#include "core/gaussians/hermite_density.h"
#include "core/gaussians/site_kernels.h"

/// The potential of a density of Hermite Gaussians, near ones by themselves and distant ones together.
///
/// Beyond some distance a Hermite Gaussian acts like a point multipole: the difference is a derivative of erfc(sqrt(p) R) / R.
/// Point multipoles at neighbouring places are moved to a site in their middle, exactly but for what is of higher order than
/// far_order, and add up. Each Gaussian has a range, the distance from its site beyond which both errors are within its share
/// of the tolerance. A site has them in classes by rising range, and the sum of the multipoles of each class and those before
/// it. For a tile of points at a distance D from a site, that sum for the ranges up to D is evaluated, to an order that is
/// enough there, and the Gaussians of larger ranges one by one.
///
/// With X from a point to the centre, |(d/dP)^tuv exp(-s^2 X^2)| <= s^n (2 s R + sqrt(2 n))^n exp(-s^2 R^2) for n = t + u + v
/// (a Hermite polynomial of imaginary argument is an expectation, then Minkowski), and erfc(sqrt(p) R) / R is 2 / sqrt(pi)
/// times the integral of exp(-s^2 R^2) over s from sqrt(p). A derivative of 1 / R along any N unit vectors is at most
/// N! / R^(N+1).
namespace isolume::gaussians {

/// The box around a tile's points.
struct TileBox {
  Eigen::Vector3d low, high;

  explicit TileBox(const PointTile& tile);
  double distance_to(const Eigen::Vector3d& place) const;
};

class ChargeSites {
 public:
  static constexpr int far_order = 10;

  /// What is not computed exactly sums to at most `tolerance` (Eh/e) at every point.
  ChargeSites(const HermiteDensity& density, const molecules::Molecule& molecule, double tolerance,
              const jobs::Progress& progress = {});

  void add_to(PointTile& tile, const jobs::Progress& progress = {}) const;
  /// About how many operations that takes for each point of a tile.
  double operations_a_point(const TileBox& box) const;

  /// One sum to several orders, each with the distance from which it is enough.
  struct Version {
    int order = 0;
    double from = 0;
    std::size_t first = 0;  ///< in far_coefficients()
  };
  struct Class {
    double range = 0;
    std::size_t first = 0;          ///< its first one in gaussians()
    std::vector<Version> versions;  ///< by rising order, of the classes before this one; empty in the first
  };
  struct Site {
    Eigen::Vector3d place;
    std::vector<Class> classes;  ///< by rising range; one more at the end, without Gaussians
  };
  /// What is evaluated of a site for points that are at least `distance` from it: Gaussians from first_near up to before those
  /// of the next site, and the others' sum, if there are any.
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
