#include "core/structures/ribbon.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/structures/charged_file.h"
#include "core/structures/generators.h"

namespace isolume::structures {
namespace {

using Eigen::Vector3d;

const std::string entries = std::string(ISOLUME_TEST_REFERENCES) + "/electrostatics/";

Vector3d triple(const std::vector<float>& numbers, std::uint32_t i) {
  return {numbers[3 * i], numbers[3 * i + 1], numbers[3 * i + 2]};
}

/// Of what the triangles enclose, by Gauss's theorem.
double volume(const Ribbon& ribbon) {
  double sum = 0;
  for (std::size_t t = 0; t < ribbon.triangles.size(); t += 3) {
    const auto corner = [&](std::size_t i) { return triple(ribbon.points, ribbon.triangles[t + i]); };
    sum += corner(0).dot(corner(1).cross(corner(2))) / 6;
  }
  return sum;
}

/// Every triangle is seen from where its normals point.
void expect_outward(const Ribbon& ribbon) {
  ASSERT_EQ(ribbon.points.size(), ribbon.normals.size());
  ASSERT_EQ(ribbon.points.size(), 3 * ribbon.residues.size());
  int turned = 0;
  for (std::size_t t = 0; t < ribbon.triangles.size(); t += 3) {
    const auto a = ribbon.triangles[t], b = ribbon.triangles[t + 1], c = ribbon.triangles[t + 2];
    const Vector3d face = (triple(ribbon.points, b) - triple(ribbon.points, a))
                              .cross(triple(ribbon.points, c) - triple(ribbon.points, a));
    for (const auto corner : {a, b, c}) {
      EXPECT_NEAR(triple(ribbon.normals, corner).norm(), 1, 1e-5);
      turned += face.dot(triple(ribbon.normals, corner)) < 0;
    }
  }
  // Where a band bends sharply its inside folds.
  EXPECT_LT(turned, static_cast<int>(ribbon.triangles.size() / 100));
}

/// Alpha carbons on the x axis.
std::vector<Backbone> straight(int count) {
  std::vector<Backbone> all(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) all[static_cast<std::size_t>(i)].alpha_carbon = Vector3d(3.8 * i, 0, 0);
  return all;
}

double width_at(const Ribbon& ribbon, double x) {
  double widest = 0;
  for (std::uint32_t i = 0; i < ribbon.residues.size(); ++i) {
    const Vector3d place = triple(ribbon.points, i);
    if (std::abs(place.x() - x) < 0.05)
      widest = std::max(widest, 2 * Vector3d(0, place.y(), place.z()).norm());
  }
  return widest;
}

TEST(Ribbon, OfAStraightCoilIsATube) {
  const auto ribbon = ribbon_of(straight(6), std::vector<Secondary>(6));
  expect_outward(ribbon);
  const double area = 8 * std::sin(M_PI / 8) * 0.3 * 0.3;  // of a polygon with 16 corners
  EXPECT_NEAR(volume(ribbon), area * 5 * 3.8, 1e-4);
  for (const bool shown : ribbon.shown) EXPECT_TRUE(shown);
}

TEST(Ribbon, OfAStrandEndsInAnArrow) {
  auto kinds = std::vector<Secondary>(8);
  std::fill(kinds.begin() + 2, kinds.begin() + 6, Secondary::strand);
  const auto ribbon = ribbon_of(straight(8), kinds);
  expect_outward(ribbon);
  EXPECT_NEAR(width_at(ribbon, 3 * 3.8), 2.2, 1e-3);
  EXPECT_NEAR(width_at(ribbon, 4.5 * 3.8), 3.8, 1e-3);
  EXPECT_NEAR(width_at(ribbon, 5 * 3.8), 2.2, 1e-3);  // half-way from 3.8 to 0.6
  EXPECT_NEAR(width_at(ribbon, 5.5 * 3.8), 0.6, 1e-3);
  EXPECT_NEAR(width_at(ribbon, 7 * 3.8), 0.6, 1e-3);
  // Closed, arrow and all: the volume does not depend on where the origin is.
  auto moved = ribbon;
  for (auto& each : moved.points) each += 100;
  EXPECT_NEAR(volume(moved), volume(ribbon), 0.01 * volume(ribbon));
}

TEST(Ribbon, OfAHelixIsABandAlongItsAxis) {
  const auto helix = alanine_helix(30);
  const auto backbones = backbones_of(helix, residues_of(helix));
  const auto ribbon = ribbon_of(backbones, assigned_secondary(backbones));
  expect_outward(ribbon);
  const Vector3d axis = (*backbones[20].alpha_carbon - *backbones[2].alpha_carbon).normalized();  // 5 turns
  Vector3d middle = Vector3d::Zero();
  for (int i = 2; i < 20; ++i) middle += *backbones[static_cast<std::size_t>(i)].alpha_carbon / 18;
  double nearest = 1e9, farthest = 0;
  for (std::uint32_t i = 0; i < ribbon.residues.size(); ++i) {
    if (ribbon.residues[i] < 5 || ribbon.residues[i] > 17) continue;
    const Vector3d from = triple(ribbon.points, i) - middle;
    const double radius = (from - from.dot(axis) * axis).norm();
    nearest = std::min(nearest, radius);
    farthest = std::max(farthest, radius);
  }
  // Alpha carbons lie 2.3 angstrom from the axis, and C=O leans a little outwards; a band of 2.6 by 0.44 that stood on end
  // would reach from 1.0 to 3.6.
  EXPECT_GT(nearest, 1.4);
  EXPECT_LT(farthest, 2.9);
}

TEST(Ribbon, IsInterruptedWhereResiduesAreMissing) {
  auto backbones = straight(9);
  backbones[4].alpha_carbon.reset();
  backbones[7].alpha_carbon.reset();
  const auto ribbon = ribbon_of(backbones, std::vector<Secondary>(9));
  EXPECT_EQ(ribbon.shown, (std::vector<bool>{1, 1, 1, 1, 0, 1, 1, 0, 0}));
  for (std::uint32_t i = 0; i < ribbon.residues.size(); ++i) {
    const double x = triple(ribbon.points, i).x() / 3.8;
    EXPECT_TRUE(x < 3.01 || (x > 4.99 && x < 6.01)) << x;
  }
  EXPECT_TRUE(ribbon_of({}, {}).points.empty());
}

TEST(Ribbon, OfAnEntryStaysNearItsChainsAndLeavesOutWaterAndLigands) {
  const auto charges = read_charged_file(entries + "1AFS.pdb.gz").charges;
  const auto residues = residues_of(charges);
  const auto backbones = backbones_of(charges, residues);
  const auto ribbon = ribbon_of(backbones, assigned_secondary(backbones));
  expect_outward(ribbon);
  for (std::size_t i = 0; i < residues.all.size(); ++i)
    EXPECT_EQ(ribbon.shown[i], backbones[i].alpha_carbon.has_value()) << residues.all[i].name;
  EXPECT_GT(std::ranges::count(ribbon.shown, false), 0);
  for (std::uint32_t i = 0; i < ribbon.residues.size(); ++i) {
    EXPECT_LT((triple(ribbon.points, i) - *backbones[ribbon.residues[i]].alpha_carbon).norm(), 3.8)
        << residues.all[ribbon.residues[i]].name;
  }
}

TEST(Ribbon, OfNucleotidesIsATubeThroughTheirPhosphorus) {
  std::vector<Backbone> backbones(4);
  for (int i = 0; i < 4; ++i) {
    auto& each = backbones[static_cast<std::size_t>(i)];
    if (i > 0) each.phosphorus = Vector3d(6.5 * i, 0, 0);
    each.o3 = Vector3d(6.5 * (i + 1) - 1.6, 0, 0);
  }
  const auto ribbon = ribbon_of(backbones, std::vector<Secondary>(4));
  EXPECT_EQ(ribbon.shown, (std::vector<bool>{0, 1, 1, 1}));
  EXPECT_NEAR(width_at(ribbon, 13), 1.2, 1e-3);
}

/// Lac repressor's headpiece on DNA: all its amino acids, and nucleotides but for those that begin a strand and have no phosphorus.
TEST(Ribbon, RunsThroughNucleicAcids) {
  const auto file = read_charged_file(entries + "1LCD.pdb.gz");
  const auto residues = residues_of(file.charges);
  const auto backbones = backbones_of(file.charges, residues);
  const auto ribbon = ribbon_of(backbones, assigned_secondary(backbones));
  expect_outward(ribbon);
  int nucleotides = 0, amino_acids = 0;
  for (std::size_t i = 0; i < backbones.size(); ++i) {
    const bool nucleotide = backbones[i].phosphorus.has_value();
    EXPECT_EQ(ribbon.shown[i], nucleotide || backbones[i].alpha_carbon.has_value()) << residues.all[i].name;
    nucleotides += nucleotide ? 1 : 0;
    amino_acids += backbones[i].alpha_carbon ? 1 : 0;
  }
  EXPECT_EQ(nucleotides, 20);
  EXPECT_EQ(amino_acids, 51);
}

}  // namespace
}  // namespace isolume::structures
