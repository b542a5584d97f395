#include "core/electrostatics/quantum/quantum_potential.h"

#include <atomic>
#include <cmath>
#include <filesystem>
#include <stop_token>
#include <string>

#include <Eigen/Geometry>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"

namespace isolume::electrostatics {
namespace {

const std::filesystem::path all_references = ISOLUME_TEST_REFERENCES;
constexpr double angstrom_per_bohr = 0.529177210903;

class QuantumPotential : public testing::Test {
 protected:
  QuantumPotential()
      : document_(molecules::read_document(all_references / "potentials/oh-cartesian.molden.gz")),
        source_(expand(*document_.wavefunction, document_.wavefunction->sets.front(), in_hartree)) {}

  static grid::Grid small_grid() {
    return grid::cover_box({-2, -1.5, -2}, {2, 2, 3}, 0.41, grid::LengthUnit::angstrom);
  }

  const QuantumOptions in_hartree{.unit = PotentialUnit::hartree_per_e};
  molecules::Document document_;
  gaussians::WavefunctionPotential source_;
};

TEST_F(QuantumPotential, AtPlacesAndOnGridsInEveryUnitIsOne) {
  const auto grid = small_grid();
  const auto on_grid = quantum_potential_on(grid, source_, in_hartree).values;
  EXPECT_EQ(on_grid.unit, "Eh/e");
  auto in_bohr = grid;
  in_bohr.origin /= angstrom_per_bohr;
  in_bohr.step /= angstrom_per_bohr;
  in_bohr.unit = grid::LengthUnit::bohr;
  // The first axis of the turned one is the second of the other, backwards.
  auto turned = in_bohr;
  turned.origin += (grid.dimensions[1] - 1) * turned.step.col(1);
  turned.step.col(0).swap(turned.step.col(1));
  turned.step.col(0) *= -1;
  std::swap(turned.dimensions[0], turned.dimensions[1]);
  const auto same = quantum_potential_on(in_bohr, source_, in_hartree).values;
  const auto other = quantum_potential_on(turned, source_, in_hartree).values;
  const auto& n = grid.dimensions;
  Places places;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i) {
        const auto place = grid.position(i, j, k);
        places.x.push_back(place.x());
        places.y.push_back(place.y());
        places.z.push_back(place.z());
      }
    }
  }
  const auto kt = quantum_potential_at(places, source_, {.temperature_kelvin = 300}).values;
  std::size_t at = 0;
  for (int k = 0; k < n[2]; ++k) {
    for (int j = 0; j < n[1]; ++j) {
      for (int i = 0; i < n[0]; ++i, ++at) {
        const double value = on_grid.at(i, j, k);
        ASSERT_NEAR(same.at(i, j, k), value, 1e-6 * std::abs(value) + 1e-7);
        ASSERT_NEAR(other.at(n[1] - 1 - j, i, k), value, 1e-6 * std::abs(value) + 1e-7);
        // Eh / kT
        ASSERT_NEAR(kt[at], value * 315775.0248 / 300, 1e-3 * (std::abs(value) + 1e-3));
      }
    }
  }
}

TEST_F(QuantumPotential, OfPlacesInAnyOrderIsThatOfEachAlone) {
  Places many;
  for (int i = 0; i < 200; ++i) {
    many.x.push_back(3 * std::sin(1.7 * i));
    many.y.push_back(4 * std::cos(2.9 * i));
    many.z.push_back(0.05 * (i % 37) - 1);
  }
  const auto together = quantum_potential_at(many, source_, in_hartree).values;
  for (std::size_t i = 0; i < many.size(); i += 11) {
    const Places one{{many.x[i]}, {many.y[i]}, {many.z[i]}};
    EXPECT_NEAR(quantum_potential_at(one, source_, in_hartree).values[0], together[i], 1e-8);
  }
  EXPECT_TRUE(quantum_potential_at({}, source_, in_hartree).values.empty());
}

TEST_F(QuantumPotential, IsTheSameOnAnyNumberOfThreads) {
  auto options = in_hartree;
  options.compute.threads = 1;
  const auto one = quantum_potential_on(small_grid(), source_, options);
  options.compute.threads = 3;
  const auto expanded_by_three =
      expand(*document_.wavefunction, document_.wavefunction->sets.front(), options);
  const auto three = quantum_potential_on(small_grid(), expanded_by_three, options);
  for (std::size_t i = 0; i < one.values.values.size(); ++i)
    ASSERT_EQ(one.values.values[i], three.values.values[i]);
  EXPECT_NE(three.report.who.find("3 threads"), std::string::npos);
}

TEST_F(QuantumPotential, InPartsItHasTheBitsOfOnePiece) {
  const auto grid = small_grid();
  auto turned = grid;
  turned.step = Eigen::AngleAxisd(0.3, Eigen::Vector3d(1, 2, 3).normalized()) * turned.step;
  for (const auto& each : {grid, turned}) {
    const auto whole = quantum_potential_on(each, source_, in_hartree).values;
    const auto& n = each.dimensions;
    const std::size_t plane = sizeof(float) * static_cast<std::size_t>(n[1]) * static_cast<std::size_t>(n[2]);
    const auto parts = quantum_parts_of(each, 4 * plane);
    EXPECT_GE(parts.count, 3);
    int next = 0;
    const auto found = quantum_potential_in_parts(
        each, source_, in_hartree, parts, [&](const grid::ScalarField& planes, const jobs::Progress&) {
          const auto& m = planes.grid.dimensions;
          for (int k = 0; k < m[2]; ++k) {
            for (int j = 0; j < m[1]; ++j) {
              for (int i = 0; i < m[0]; ++i) ASSERT_EQ(planes.at(i, j, k), whole.at(next + i, j, k));
            }
          }
          next += m[0];
        });
    EXPECT_EQ(next, n[0]);
    EXPECT_EQ(found.values, parts.count);
    EXPECT_THROW(quantum_parts_of(each, plane), ResourceError);
    auto other = in_hartree;
    other.compute.engine = "cuda";
    EXPECT_THROW(quantum_potential_in_parts(each, source_, other, parts, [](auto&, auto&) {}), Error);
  }
}

TEST_F(QuantumPotential, LeavesOutANucleusNearerThanACharge) {
  const auto& nucleus = document_.wavefunction->molecule.atoms[0].position_bohr;
  const Eigen::Vector3d at = angstrom_per_bohr * nucleus;
  const Places places{{at.x(), at.x() + 0.9 * nearest, at.x() + 1.1 * nearest},
                      {at.y(), at.y(), at.y()},
                      {at.z(), at.z(), at.z()}};
  const auto values = quantum_potential_at(places, source_, in_hartree).values;
  EXPECT_NEAR(values[0], values[1], 1e-3);
  EXPECT_NEAR(values[2] - values[0], 8 * angstrom_per_bohr / (1.1 * nearest), 1);
}

/// Psi4 fits the density, by some 1e-4 Eh/e.
TEST(QuantumPotentialOfWater, IsAnotherProgramsWithinItsFit) {
  const auto document = molecules::read_document(all_references / "wavefunctions/water-631gs.molden.gz");
  const auto cube = molecules::read_document(all_references / "cubes/water-631gs-ESP.cube.gz");
  const auto& expected = *cube.fields.at(0);
  const QuantumOptions options{.unit = PotentialUnit::hartree_per_e};
  const auto source = expand(*document.wavefunction, document.wavefunction->sets.front(), options);
  const auto found = quantum_potential_on(expected.grid, source, options).values;
  double squares = 0, worst = 0;
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    const double difference = static_cast<double>(found.values[i]) - static_cast<double>(expected.values[i]);
    squares += difference * difference;
    worst = std::max(worst, std::abs(difference));
  }
  EXPECT_LT(std::sqrt(squares / static_cast<double>(found.values.size())), 3e-4);
  EXPECT_LT(worst, 2e-3);
}

TEST_F(QuantumPotential, RefusesWhatMakesNoSense) {
  auto grid = small_grid();
  grid.unit = grid::LengthUnit::millimetre;
  EXPECT_THROW(quantum_potential_on(grid, source_, in_hartree), Error);
  grid.unit = grid::LengthUnit::angstrom;
  grid.dimensions = {2'000'000, 2'000'000, 2'000'000};
  EXPECT_THROW(quantum_potential_on(grid, source_, in_hartree), ResourceError);
  EXPECT_THROW(quantum_potential_at({{std::nan("")}, {0}, {0}}, source_, in_hartree), Error);
  EXPECT_THROW(quantum_potential_at({{0}, {0}, {0}}, source_, {.temperature_kelvin = -1}), Error);
}

TEST_F(QuantumPotential, CanBeCancelledAndTellsHowFarItIs) {
  std::stop_source stop;
  std::atomic<int> reports = 0;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) {
    if (++reports == 3) stop.request_stop();
  });
  EXPECT_THROW(quantum_potential_on(small_grid(), source_, in_hartree, progress), Cancelled);
  EXPECT_GE(reports, 3);
}

}  // namespace
}  // namespace isolume::electrostatics
