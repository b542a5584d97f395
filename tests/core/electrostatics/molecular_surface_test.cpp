#include "core/electrostatics/surfaces/molecular_surface.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/surfaces/isosurface.h"

namespace isolume::electrostatics {
namespace {

using structures::Charges;

Charges balls(const std::vector<Eigen::Vector4d>& places_and_radii) {
  Charges charges;
  for (const auto& each : places_and_radii) {
    charges.x.push_back(each.x());
    charges.y.push_back(each.y());
    charges.z.push_back(each.z());
    charges.radius.push_back(each.w());
    charges.charge.push_back(0);
    charges.labels.emplace_back();
  }
  return charges;
}

struct Size {
  double area = 0, volume = 0;
};

Size size_of(const surfaces::Mesh& mesh) {
  const auto point = [&](std::size_t corner) {
    return Eigen::Map<const Eigen::Vector3f>(&mesh.points[3 * mesh.triangles[corner]]).cast<double>().eval();
  };
  Size size;
  for (std::size_t t = 0; t < mesh.triangles.size(); t += 3) {
    const Eigen::Vector3d a = point(t), b = point(t + 1), c = point(t + 2);
    size.area += (b - a).cross(c - a).norm() / 2;
    size.volume += a.dot(b.cross(c)) / 6;
  }
  return size;
}

Size contoured(const Charges& charges, MolecularSurface form, double spacing, double probe = 1.4) {
  const auto grid = grid::cover_box({-5, -5, -5}, {8, 5, 5}, spacing, grid::LengthUnit::angstrom);
  const auto [field, isovalue, report] = molecular_surface(grid, charges, form, probe);
  return size_of(surfaces::isosurface(field, isovalue));
}

TEST(MolecularSurface, OfOneAtomIsItsSphere) {
  const auto one = balls({{0.1, 0.2, -0.1, 1.8}});
  for (const auto& [form, r] : {std::pair(MolecularSurface::vdw, 1.8), std::pair(MolecularSurface::ses, 1.8),
                                std::pair(MolecularSurface::sas, 3.2)}) {
    const Size size = contoured(one, form, 0.25);
    // Chords run inside: by 0.2 h^2 / r on the mean, as the header says.
    const double sphere = 4 * std::numbers::pi / 3 * r * r * r, inwards = 0.2 * 0.25 * 0.25 / r;
    EXPECT_NEAR((sphere - size.volume) / (4 * std::numbers::pi * r * r), inwards, 0.3 * inwards);
    EXPECT_NEAR(size.area, 4 * std::numbers::pi * r * r, 3 * inwards / r * 4 * std::numbers::pi * r * r);
  }
}

TEST(MolecularSurface, ItsVerticesLieAsNearToTheSurfaceAsIsSaid) {
  constexpr double h = 0.5, r = 1.8;
  const auto grid = grid::cover_box({-5, -5, -5}, {5, 5, 5}, h, grid::LengthUnit::angstrom);
  const auto [field, isovalue, report] =
      molecular_surface(grid, balls({{0.1, 0.2, -0.1, r}}), MolecularSurface::ses, 1.4);
  const auto mesh = surfaces::isosurface(field, isovalue);
  ASSERT_GT(mesh.point_count(), 200U);
  double worst = 0;
  for (std::size_t i = 0; i < mesh.point_count(); ++i) {
    const Eigen::Vector3d place = Eigen::Map<const Eigen::Vector3f>(&mesh.points[3 * i]).cast<double>();
    worst = std::max(worst, std::abs((place - Eigen::Vector3d(0.1, 0.2, -0.1)).norm() - r));
  }
  EXPECT_LT(worst, 1.1 * h * h / (8 * r));
  EXPECT_GT(worst, 0.2 * h * h / (8 * r));
}

/// Two equal spheres that a probe rolls around: caps, and the inner part of a torus (Connolly 1983).
TEST(MolecularSurface, OfTwoAtomsIsThatOfConnollysFormula) {
  constexpr double r = 1.8, p = 1.4, distance = 3.0, pi = std::numbers::pi;
  const auto two = balls({{0, 0, 0, r}, {distance, 0, 0, r}});
  // From the middle: the probe's centres lie on a circle of this radius.
  const double ring = std::sqrt((r + p) * (r + p) - distance * distance / 4);
  const double angle = std::asin(distance / 2 / (r + p));  // of the torus' arc, to either side
  const double saddle = 2 * pi * p * (ring * 2 * angle - 2 * p * std::sin(angle));
  const double caps = 2 * 2 * pi * r * r * (1 + distance / 2 / (r + p));
  const Size ses = contoured(two, MolecularSurface::ses, 0.2, p);
  EXPECT_NEAR(ses.area, saddle + caps, 0.005 * (saddle + caps));
  // Spheres that meet: two caps less.
  const double vdw_area = 2 * 2 * pi * r * (r + distance / 2);
  const Size vdw = contoured(two, MolecularSurface::vdw, 0.1);
  EXPECT_NEAR(vdw.area, vdw_area, 0.01 * vdw_area);
}

TEST(MolecularSurface, ConvergesWithTheSquareOfTheSpacing) {
  const auto one = balls({{0.1, 0.2, -0.1, 2.0}});
  const double exact = 4 * std::numbers::pi / 3 * 8;
  const double coarse = exact - contoured(one, MolecularSurface::ses, 0.5).volume;
  const double fine = exact - contoured(one, MolecularSurface::ses, 0.25).volume;
  EXPECT_GT(coarse, 0);
  EXPECT_NEAR(coarse / fine, 4, 0.6);
}

TEST(MolecularSurface, IsNoneWithoutAtomsThatTakeUpRoom) {
  const Size size = contoured(balls({{0, 0, 0, 0}}), MolecularSurface::ses, 1);
  EXPECT_EQ(size.area, 0);
}

}  // namespace
}  // namespace isolume::electrostatics
