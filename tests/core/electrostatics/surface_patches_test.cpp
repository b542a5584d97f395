#include "core/electrostatics/surfaces/surface_patches.h"

#include <cmath>
#include <numbers>

#include <gtest/gtest.h>

#include "core/base/text_file.h"
#include "core/electrostatics/surfaces/grid_around.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

using Eigen::Vector3d;
using std::numbers::pi;

constexpr double radius = 3;

/// An atom of this radius at each place, each a residue of its own.
structures::Charges atoms_at(const std::vector<Vector3d>& places) {
  structures::Charges charges;
  for (const Vector3d& place : places) {
    charges.x.push_back(place.x());
    charges.y.push_back(place.y());
    charges.z.push_back(place.z());
    charges.charge.push_back(0);
    charges.radius.push_back(radius);
    charges.labels.push_back(
        {.atom = "C", .residue = "UNK", .chain = "A", .number = static_cast<int>(charges.size())});
  }
  return charges;
}

template <class Function>
SurfaceSamples sampled(const structures::Charges& charges, const Function& potential) {
  grid::ScalarField map;
  map.grid = grid_around(charges, 0.1, radius + 0.5);
  const auto [nx, ny, nz] = map.grid.dimensions;
  std::vector<float> values;
  for (int z = 0; z < nz; ++z) {
    for (int y = 0; y < ny; ++y) {
      for (int x = 0; x < nx; ++x)
        values.push_back(static_cast<float>(potential(map.grid.position(x, y, z))));
    }
  }
  map.values.assign(values.begin(), values.end());
  return sample_surface(charges, map, MolecularSurface::vdw, 1.4);
}

/// Where z is at least t on a sphere of radius r is a cap of area 2 pi r (r - t) with the mean (r + t) / 2.
TEST(SurfacePatches, OfASphereInAFieldAreItsCaps) {
  const auto charges = atoms_at({{0, 0, 0}});
  const auto surface = sampled(charges, [](const Vector3d& place) { return place.z(); });
  const auto patches = surface_patches(surface, residues_of(charges), {.threshold = 2, .least_area = 1});
  ASSERT_EQ(patches.size(), 2U);
  EXPECT_LT(patches[0].mean * patches[1].mean, 0);
  for (const auto& patch : patches) {
    EXPECT_NEAR(patch.area, 2 * pi * radius * (radius - 2), 0.04 * patch.area);
    EXPECT_NEAR(std::abs(patch.mean), (radius + 2) / 2, 0.02);
    EXPECT_NEAR(std::abs(patch.extreme), radius, 0.02);
    EXPECT_NEAR(patch.place.z(), patch.extreme, 1e-5);
    ASSERT_EQ(patch.residues.size(), 1U);
    EXPECT_NEAR(patch.residues[0].area, patch.area, 1e-9);
  }
}

/// Where z is t on a sphere of radius r is a circle of radius sqrt(r^2 - t^2).
TEST(SurfacePatches, EndWhereThePotentialHasTheThreshold) {
  const auto charges = atoms_at({{0, 0, 0}});
  const auto surface = sampled(charges, [](const Vector3d& place) { return place.z(); });
  const auto patches = surface_patches(surface, residues_of(charges), {.threshold = 2, .least_area = 1});
  ASSERT_EQ(patches.size(), 2U);
  const auto borders = patch_borders(surface, patches, 2);
  ASSERT_EQ(borders.size(), 2U);
  for (std::size_t i = 0; i < patches.size(); ++i) {
    const auto& patch = patches[i];
    const auto& border = borders[i];
    ASSERT_EQ(border.places.size() % 6, 0U);
    ASSERT_EQ(border.normals.size(), border.places.size());
    double length = 0;
    for (std::size_t piece = 0; piece < border.places.size(); piece += 6) {
      const auto place = [&](std::size_t at) {
        return Eigen::Map<const Eigen::Vector3f>(&border.places[at]).cast<double>().eval();
      };
      length += (place(piece + 3) - place(piece)).norm();
      EXPECT_NEAR(place(piece).z(), patch.mean > 0 ? 2 : -2, 1e-4);
      const auto normal = Eigen::Map<const Eigen::Vector3f>(&border.normals[piece]).cast<double>().eval();
      EXPECT_GT(normal.dot(place(piece)), 0.9 * radius * normal.norm());
    }
    EXPECT_NEAR(length, 2 * pi * std::sqrt(radius * radius - 4), 0.02 * length);
  }
}

TEST(SurfacePatches, AreOneWhereTheyTouchAndNameEveryResidue) {
  const auto plus = [](const Vector3d&) { return 5.0; };
  for (const double apart : {5.0, 8.0}) {
    const auto charges = atoms_at({{0, 0, 0}, {apart, 0, 0}});
    const auto patches = surface_patches(sampled(charges, plus), residues_of(charges), {});
    const double lost = apart < 2 * radius ? 2 * pi * radius * (radius - apart / 2) : 0;
    const double each = 4 * pi * radius * radius - lost;
    ASSERT_EQ(patches.size(), apart < 2 * radius ? 1U : 2U) << apart;
    for (const auto& patch : patches) {
      EXPECT_NEAR(patch.area, patches.size() == 1 ? 2 * each : each, 0.01 * each);
      EXPECT_EQ(patch.residues.size(), patches.size() == 1 ? 2U : 1U);
      EXPECT_NEAR(patch.residues[0].area, each, 0.02 * each);
    }
  }
}

TEST(SurfacePatches, NeitherSmallOnesNorWhatIsUnknownIsThere) {
  const auto charges = atoms_at({{0, 0, 0}});
  const auto all =
      sampled(charges, [](const Vector3d& place) { return place.x() > 0 ? std::nan("") : place.z(); });
  const auto patches = surface_patches(all, residues_of(charges), {.threshold = 2, .least_area = 1});
  ASSERT_EQ(patches.size(), 2U);
  for (const auto& patch : patches) EXPECT_LT(patch.area, 0.55 * 2 * pi * radius * (radius - 2));
  EXPECT_TRUE(surface_patches(all, residues_of(charges), {.threshold = 2, .least_area = 12}).empty());
}

TEST(SurfacePatches, AreWrittenAsATable) {
  const auto charges = atoms_at({{0, 0, 0}});
  const auto residues = residues_of(charges);
  const isolume::testing::TemporaryFolder folder;
  const SurfacePatch patch{
      .area = 12.5, .mean = -2.5, .extreme = -4, .place = {1, -2, 3}, .residues = {{0, 12.5}}};
  write_surface_patches({patch}, residues, {.threshold = 2, .least_area = 10}, "kT/e",
                        folder.path() / "p.csv");
  const std::string table = read_text_file(folder.path() / "p.csv");
  EXPECT_NE(table.find("at least 2 kT/e, of at least 10 square angstrom"), std::string::npos) << table;
  EXPECT_NE(table.find("\n1,-,12.5,-2.5,-4,1.000,-2.000,3.000,UNK A 1 (12.5)\n"), std::string::npos) << table;
}

}  // namespace
}  // namespace isolume::electrostatics
