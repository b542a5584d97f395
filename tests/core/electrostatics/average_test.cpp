#include "core/electrostatics/potential/average.h"

#include <cmath>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

/// A charge of 1 e that moves along x: to 0, 1, 2 and 3 angstrom.
class Averages : public ::testing::Test {
 protected:
  Averages() {
    std::string text;
    for (int i = 0; i < 4; ++i) text += "1\n\nNa " + std::to_string(i) + " 0 0 1\n";
    frames = structures::open_charge_frames(folder.write("m.xyz", text), {}, {});
  }
  isolume::testing::TemporaryFolder folder;
  std::unique_ptr<structures::ChargeFrames> frames;
  const std::vector<std::size_t> chosen{0, 1, 3};
};

TEST_F(Averages, TheMeanOfAMovingChargeIsThatOfItsPlaces) {
  PotentialOptions options;
  options.method = Method::direct;
  const double constant = coulomb_constant(options.unit, options.temperature_kelvin);
  const auto expected = [&](const Eigen::Vector3d& place) {
    double sum = 0;
    for (const double x : {0.0, 1.0, 3.0}) sum += constant / (place - Eigen::Vector3d(x, 0, 0)).norm() / 3;
    return sum / options.solute_dielectric;
  };
  const auto at = average_at({{0.5, 9}, {2, -1}, {0, 3}}, *frames, chosen, options);
  EXPECT_NEAR(at.values.at(0), expected({0.5, 2, 0}), 1e-9);
  EXPECT_NEAR(at.values.at(1), expected({9, -1, 3}), 1e-9);
  const auto grid = grid::cover_box({-3, -3, -3}, {5, 3, 3}, 1.7, grid::LengthUnit::angstrom);
  const auto on = average_on(grid, *frames, chosen, options);
  for (int i = 0; i < grid.dimensions[0]; ++i)
    EXPECT_NEAR(on.values.at(i, 2, 1), expected(grid.position(i, 2, 1)),
                1e-5 * expected(grid.position(i, 2, 1)));
  EXPECT_EQ(on.values.unit, "kT/e");
  const auto box = box_of(*frames, chosen);
  EXPECT_EQ(box.low, Eigen::Vector3d(0, 0, 0));
  EXPECT_EQ(box.high, Eigen::Vector3d(3, 0, 0));
}

TEST_F(Averages, WorkOnFramesCanBeCancelled) {
  std::stop_source stop;
  int reports = 0;
  const jobs::Progress progress(stop.get_token(), [&](double, std::string_view) {
    if (++reports == 2) stop.request_stop();
  });
  const auto grid = grid::cover_box({-3, -3, -3}, {5, 3, 3}, 0.2, grid::LengthUnit::angstrom);
  EXPECT_THROW(average_on(grid, *frames, chosen, {}, progress), Cancelled);
}

}  // namespace
}  // namespace isolume::electrostatics
