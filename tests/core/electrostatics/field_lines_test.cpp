#include "core/electrostatics/surfaces/field_lines.h"

#include <cmath>

#include <gtest/gtest.h>

#include "core/electrostatics/potential/potential.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "core/electrostatics/surfaces/molecular_surface.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;

structures::Charges on_axis(const std::vector<std::pair<double, double>>& places_and_charges) {
  structures::Charges charges;
  for (const auto& [x, charge] : places_and_charges) {
    charges.x.push_back(x);
    charges.y.push_back(0);
    charges.z.push_back(0);
    charges.charge.push_back(charge);
    charges.radius.push_back(1.5);
    charges.labels.emplace_back();
  }
  return charges;
}

std::vector<Vector3d> ring(double x, double radius) {
  std::vector<Vector3d> places;
  for (int i = 0; i < 12; ++i)
    places.emplace_back(x, radius * std::cos(i * 0.52 + 0.1), radius * std::sin(i * 0.52 + 0.1));
  return places;
}

TEST(FieldLines, OfOneChargeRunStraightAway) {
  const auto charges = on_axis({{0, -1}});
  const auto map = potential_on(grid_around(charges, 0.25, 8), charges, {}).values;
  const auto lines = field_lines(map, charges, ring(1, 2));
  ASSERT_EQ(lines.size(), 12U);
  for (const auto& line : lines) {
    EXPECT_EQ(line.start, LineEnd::box);
    EXPECT_EQ(line.end, LineEnd::charge);
    const Vector3d direction = line.places.front().cast<double>().normalized();
    for (std::size_t i = 0; i < line.places.size(); ++i) {
      const Vector3d place = line.places[i].cast<double>();
      // Differences over two spacings know a field of 1/r^2 less well in the last steps.
      const double error = place.norm() > 5 * 0.25 ? 0.012 : 0.06;
      EXPECT_GT(place.normalized().dot(direction), std::cos(error));
      EXPECT_NEAR(line.potential[i], -560.459 / place.norm(), 0.02 * 560.459 / place.norm());
      if (i > 0) {
        EXPECT_LT(line.potential[i], line.potential[i - 1]);
      }
    }
  }
}

/// On every line of charges on an axis, the sum of charge times cosine stays what it is (flux through its surface of
/// revolution).
TEST(FieldLines, OfTwoChargesKeepTheirFlux) {
  const std::vector<std::pair<double, double>> two{{-3, 1}, {3, -0.5}};
  const auto charges = on_axis(two);
  const auto map = potential_on(grid_around(charges, 0.2, 8), charges, {}).values;
  int at_charge = 0, at_box = 0;
  for (const auto& [x, radius] : {std::pair(-2.0, 0.8), std::pair(-2.0, 2.0), std::pair(-5.0, 2.0)}) {
    const auto through = ring(x, radius);
    for (const auto& line : field_lines(map, charges, through)) {
      const auto flux = [&](const Vector3d& place) {
        double sum = 0;
        for (const auto& [at, charge] : two) {
          const Vector3d from = place - Vector3d(at, 0, 0);
          sum += charge * from.x() / from.norm();
        }
        return sum;
      };
      const double expected = flux(through.front());
      for (const auto& each : line.places) {
        const Vector3d place = each.cast<double>();
        const double nearest =
            std::min((place - Vector3d(-3, 0, 0)).norm(), (place - Vector3d(3, 0, 0)).norm());
        if (nearest > 1) {
          EXPECT_NEAR(flux(place), expected, 0.01) << place.transpose();
        }
      }
      EXPECT_EQ(line.start, LineEnd::charge) << "from the positive charge";
      EXPECT_TRUE(line.end == LineEnd::charge || line.end == LineEnd::box);
      (line.end == LineEnd::charge ? at_charge : at_box) += 1;
    }
  }
  EXPECT_GT(at_charge, 0) << "half of the flux goes to the negative charge";
  EXPECT_GT(at_box, 0);
}

TEST(FieldLines, BeginWhereTheyAreSpreadEvenly) {
  const auto charges = on_axis({{0, 1}});
  const auto [field, isovalue, report] =
      molecular_surface(grid_around(charges, 0.2, 4), charges, MolecularSurface::vdw, 0);
  const auto mesh = surfaces::isosurface(field, isovalue);
  const auto places = spread_over(mesh, 100);
  EXPECT_GT(places.size(), 75U);
  EXPECT_LE(places.size(), 100U);
  double least = 10;
  Vector3d middle = Vector3d::Zero();
  for (std::size_t i = 0; i < places.size(); ++i) {
    EXPECT_NEAR(places[i].norm(), 1.5, 0.02);
    middle += places[i] / static_cast<double>(places.size());
    for (std::size_t j = 0; j < i; ++j) least = std::min(least, (places[i] - places[j]).norm());
  }
  EXPECT_GT(least, 0.6 * std::sqrt(4 * 3.14 * 2.25 / 100));
  EXPECT_LT(middle.norm(), 0.2) << "on all sides";
  EXPECT_TRUE(spread_over({}, 10).empty());
}

TEST(FieldLines, AreNoneInAMapWithoutAField) {
  const auto charges = on_axis({{0, 0}});
  const auto map = potential_on(grid_around(charges, 0.5, 4), charges, {}).values;
  EXPECT_TRUE(field_lines(map, charges, ring(0, 1)).empty());
  EXPECT_TRUE(field_lines(map, charges, {{100, 0, 0}}).empty());
}

}  // namespace
}  // namespace isolume::electrostatics
