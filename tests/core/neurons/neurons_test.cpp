#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/neurons/follow.h"
#include "core/neurons/neuron_phantom.h"
#include "core/neurons/swc.h"

namespace isolume::neurons {
namespace {

const NeuronPhantom& phantom() {
  static const NeuronPhantom made = neuron_phantom(128, 32);
  return made;
}
Stack stack_of(const NeuronPhantom& phantom) {
  return {phantom.grid, phantom.values, 2};
}

/// A click near the centre of each fibre in a slice.
std::vector<Marks> clicks(const NeuronPhantom& phantom, int slice) {
  std::vector<Marks> marks;
  for (const PhantomAxon& axon : phantom.axons) {
    const Eigen::Vector2d at = axon.centres[static_cast<std::size_t>(slice)] + Eigen::Vector2d(2, -1.5);
    marks.push_back({Mark{phantom.grid.position(at.x(), at.y(), slice)}});
  }
  return marks;
}

TEST(Neurons, AllFibresOfThePhantomAreFollowedToTheirEnds) {
  const NeuronPhantom& made = phantom();
  const int middle = made.grid.dimensions[2] / 2;
  const Followed found = follow(stack_of(made), clicks(made, middle), {});
  ASSERT_EQ(found.neurons.size(), made.axons.size());
  EXPECT_TRUE(found.remarks.empty()) << found.remarks.text();
  double squares = 0, radius_error = 0, worst = 0;
  std::size_t count = 0;
  for (std::size_t n = 0; n < made.axons.size(); ++n) {
    const Neuron& neuron = found.neurons[n];
    EXPECT_EQ(neuron.sections.size(), static_cast<std::size_t>(made.grid.dimensions[2])) << n;
    for (const std::string& each : neuron.ends) ADD_FAILURE() << n << ": " << each;
    for (const Section& each : neuron.sections) {
      const auto slice = static_cast<std::size_t>(each.slice);
      const Eigen::Vector3d index = made.grid.index_at(each.centre);
      const double error = (index.head<2>() - made.axons[n].centres[slice]).norm();
      squares += error * error;
      worst = std::max(worst, error);
      radius_error +=
          std::sqrt(each.area / std::numbers::pi) / made.grid.spacing(0) - made.axons[n].radii[slice];
      ++count;
    }
  }
  const auto all = static_cast<double>(count);
  EXPECT_LT(std::sqrt(squares / all), 0.15);
  EXPECT_LT(worst, 0.5);  // the fibres are 7 to 11 pixels in radius: none is exchanged
  EXPECT_NEAR(radius_error / all, 0, 0.4);
}

/// A straight bright fibre with a dark membrane of 3 pixels in a stack of cubes of 1 mm.
struct Fibre {
  grid::Grid grid;
  std::vector<float> values;

  /// Centre and radius of each slice, and how the fibre differs in some of them.
  template <class Centre, class Change>
  Fibre(int side, int slices, double radius, const Centre& centre, double slope, const Change& change) {
    grid.dimensions = {side, side, slices};
    grid.unit = grid::LengthUnit::millimetre;
    for (int s = 0; s < slices; ++s) {
      for (int y = 0; y < side; ++y) {
        for (int x = 0; x < side; ++x) {
          const Eigen::Vector2d away = Eigen::Vector2d(x, y) - centre(s);
          // Distance from the axis of a cylinder that leans along x.
          const double distance = std::hypot(away.x() / std::hypot(1, slope), away.y()) - radius;
          const auto cover = [](double d) { return std::clamp(0.5 - d, 0.0, 1.0); };
          const double value = 0.6 - 0.4 * cover(distance - 3) + 0.6 * cover(distance);
          values.push_back(static_cast<float>(change(s, away, value)));
        }
      }
    }
  }
  Stack stack() const { return {grid, values, 2}; }
};
const auto unchanged = [](int, const Eigen::Vector2d&, double value) { return value; };

TEST(Neurons, LengthWidthAndVolumeAreThoseOfALeaningCylinder) {
  constexpr double slope = 1.2, radius = 8;
  constexpr int slices = 30;
  const Fibre fibre(
      96, slices, radius, [](int s) { return Eigen::Vector2d(30 + slope * s, 45.3); }, slope, unchanged);
  const Followed found = follow(fibre.stack(), {{Mark{{48, 45, 15}}}}, {});
  const Neuron& neuron = found.neurons.at(0);
  ASSERT_EQ(neuron.sections.size(), slices);
  EXPECT_NEAR(neuron.length, (slices - 1) * std::hypot(1, slope), 0.3);
  EXPECT_NEAR(neuron.mean_width, 2 * radius, 0.6);  // fronts rest up to 0.3 pixels within the edge
  const double section = std::numbers::pi * radius * radius * std::hypot(1, slope);
  EXPECT_NEAR(neuron.volume, slices * section, 0.08 * slices * section);
  EXPECT_NEAR(static_cast<double>(neuron.voxels.size()), neuron.volume, 0.02 * neuron.volume);
}

TEST(Neurons, AxesAndBrightMembranesGiveTheSame) {
  const Fibre fibre(
      64, 12, 7, [](int s) { return Eigen::Vector2d(30 + 0.5 * s, 32); }, 0.5, unchanged);
  const Neuron one = follow(fibre.stack(), {{Mark{{32, 33, 4}}}}, {}).neurons.at(0);
  // The same stack along the first axis of another grid, with the values turned over.
  grid::Grid grid = fibre.grid;
  grid.dimensions = {12, 64, 64};
  std::vector<float> values(fibre.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i % 64, y = i / 64 % 64, s = i / 4096;
    values[(y * 64 + x) * 12 + s] = 1 - fibre.values[i];
  }
  RibbonParameters parameters;
  parameters.membrane = Membrane::bright;
  const Neuron other = follow({grid, values, 0}, {{Mark{{4, 32, 33}}}}, parameters).neurons.at(0);
  ASSERT_EQ(other.sections.size(), one.sections.size());
  for (std::size_t i = 0; i < one.sections.size(); ++i) {
    const Eigen::Vector3d a = one.sections[i].centre, b = other.sections[i].centre;
    EXPECT_NEAR((a - Eigen::Vector3d(b.y(), b.z(), b.x())).norm(), 0, 1e-3);
    EXPECT_NEAR(one.sections[i].area, other.sections[i].area, 0.05);
  }
}

TEST(Neurons, EndsAreNamed) {
  const auto upright = [](int) { return Eigen::Vector2d(32, 32); };
  const auto follow_one = [](const Fibre& fibre) {
    return follow(fibre.stack(), {{Mark{{32, 32, 0}}}}, {}).neurons.at(0);
  };
  // The fibre is gone: background and a little noise.
  const Neuron gone =
      follow_one(Fibre(64, 12, 7, upright, 0, [](int s, const Eigen::Vector2d& away, double value) {
        return s < 6 ? value : 0.6 + 0.02 * std::sin(5 * away.x() + 3 * away.y() * away.y());
      }));
  EXPECT_EQ(gone.sections.size(), 6U);
  ASSERT_EQ(gone.ends.size(), 1U);
  EXPECT_EQ(gone.ends[0].rfind("slice 7: ", 0), 0U) << gone.ends[0];
  // The membrane is missing at three quarters of the outline.
  const Neuron open =
      follow_one(Fibre(64, 12, 7, upright, 0, [](int s, const Eigen::Vector2d& away, double value) {
        return s < 6 || (away.x() > 0 && away.y() > 0) ? value : 0.8;
      }));
  EXPECT_EQ(open.sections.size(), 6U);
  ASSERT_EQ(open.ends.size(), 1U);
  // It leaves the image at its right border.
  const Neuron left = follow_one(Fibre(
      64, 30, 7, [](int s) { return Eigen::Vector2d(32 + 1.5 * s, 32); }, 1.5, unchanged));
  ASSERT_EQ(left.ends.size(), 1U);
  EXPECT_NE(left.ends[0].find("leaves the image"), std::string::npos) << left.ends[0];
  EXPECT_GE(left.sections.back().centre.x() + 7, 55);
}

TEST(Neurons, AGapOfTheMembraneIsBridged) {
  // A twelfth of the membrane is missing, and the background is as bright as the inside.
  const Fibre fibre(
      64, 8, 9, [](int) { return Eigen::Vector2d(32, 32); }, 0,
      [](int, const Eigen::Vector2d& away, double value) {
        if (away.norm() > 12 + 0.5) return 0.8;
        return away.x() > 0 && std::abs(away.y()) < 0.26 * away.x() ? 0.8 : value;
      });
  const Neuron neuron = follow(fibre.stack(), {{Mark{{31, 33, 0}}}}, {}).neurons.at(0);
  ASSERT_EQ(neuron.sections.size(), 8U);
  for (const Section& each : neuron.sections) EXPECT_NEAR(each.radius, 9, 0.5);
}

TEST(Neurons, ALaterMarkCorrectsTheSlicesFromItsOwnOn) {
  // The fibre jumps farther than it is followed; the second mark is where it lies then.
  const Fibre fibre(
      96, 12, 7, [](int s) { return Eigen::Vector2d(s < 6 ? 25 : 65, 40); }, 0, unchanged);
  const Mark first{{25, 40, 0}}, second{{65, 41, 6}};
  const Followed lost = follow(fibre.stack(), {{first}}, {});
  EXPECT_EQ(lost.neurons.at(0).sections.size(), 6U);
  const Followed found = follow(fibre.stack(), {{first, second}}, {});
  ASSERT_EQ(found.neurons.at(0).sections.size(), 12U);
  EXPECT_TRUE(found.neurons.at(0).ends.empty());
  EXPECT_NEAR(found.neurons.at(0).sections.at(5).centre.x(), 25, 0.1);
  EXPECT_NEAR(found.neurons.at(0).sections.at(6).centre.x(), 65, 0.1);
}

TEST(Neurons, AFailedCorrectionDoesNotCutTheNeuronOff) {
  const Fibre fibre(
      64, 40, 7, [](int) { return Eigen::Vector2d(32, 32); }, 0, unchanged);
  const Mark first{{32, 32, 10}}, missed{{4, 4, 20}}, later{{32, 33, 30}};
  for (const Marks& marks : {Marks{first, missed}, Marks{first, missed, later}}) {
    const Followed found = follow(fibre.stack(), {marks}, {});
    const Neuron& neuron = found.neurons.at(0);
    ASSERT_EQ(neuron.sections.size(), 40U);
    for (std::size_t s = 0; s < 40; ++s) EXPECT_EQ(neuron.sections[s].slice, static_cast<int>(s));
    EXPECT_TRUE(neuron.ends.empty());
    EXPECT_NE(found.remarks.text().find("in slice 21, which was left out"), std::string::npos)
        << found.remarks.text();
  }
}

TEST(Neurons, TheSameFibreTwiceIsOneNeuron) {
  const Fibre fibre(
      64, 6, 7, [](int) { return Eigen::Vector2d(32, 32); }, 0, unchanged);
  const Followed found = follow(fibre.stack(), {{Mark{{32, 32, 0}}}, {Mark{{33, 31, 5}}}}, {});
  EXPECT_EQ(found.neurons.at(0).sections.size(), 6U);
  EXPECT_TRUE(found.neurons.at(1).sections.empty());
  EXPECT_NE(found.remarks.text().find("meets neuron 1"), std::string::npos) << found.remarks.text();
  // As a part of several, they have the numbers of those.
  const Followed part = follow(fibre.stack(), {{Mark{{32, 32, 0}}}, {Mark{{33, 31, 5}}}}, {}, {}, {4, 6});
  EXPECT_NE(part.remarks.text().find("Neuron 6 was ended in slice 6: it meets neuron 4"), std::string::npos)
      << part.remarks.text();
  EXPECT_NE(part.neurons.at(1).ends.at(0).find("meets neuron 4"), std::string::npos);
}

TEST(Neurons, AMarkBetweenNeuronsIsLeftOut) {
  // The background of the phantom has membranes on all sides, which are those of others.
  const NeuronPhantom& made = phantom();
  std::vector<Marks> marks{clicks(made, 16).front(), {Mark{made.grid.position(64, 64, 16)}}};
  const Followed found = follow(stack_of(made), marks, {});
  EXPECT_EQ(found.neurons.at(0).sections.size(), 32U);
  EXPECT_TRUE(found.neurons.at(1).sections.empty());
  EXPECT_NE(found.remarks.text().find("Neuron 2 was left out"), std::string::npos) << found.remarks.text();
  EXPECT_THROW(follow(stack_of(made), {marks[1]}, {}), Error);
  const Followed part = follow(stack_of(made), {marks[1]}, {}, {}, {6});
  EXPECT_NE(part.remarks.text().find("Neuron 6 was left out"), std::string::npos) << part.remarks.text();
}

TEST(Neurons, ThreadsDoNotChangeBits) {
  const NeuronPhantom made = neuron_phantom(96, 6);
  const auto on = [&](int threads) {
    return tbb::task_arena(threads).execute([&] { return follow(stack_of(made), clicks(made, 3), {}); });
  };
  const Followed one = on(1), three = on(3);
  for (std::size_t n = 0; n < one.neurons.size(); ++n) {
    EXPECT_EQ(one.neurons[n].voxels, three.neurons[n].voxels);
    EXPECT_EQ(one.neurons[n].length, three.neurons[n].length);
  }
}

TEST(Neurons, FrontsAreExactDistances) {
  // A circle whose function is as steep as 3: its distances, from the circle.
  Patch front{0, 0, 61, 61, std::vector<float>(61 * 61)};
  const auto distance = [](int u, int v) { return std::hypot(u - 30.2, v - 29.7) - 17; };
  for (int v = 0; v < 61; ++v) {
    for (int u = 0; u < 61; ++u) front.values[front.at(u, v)] = static_cast<float>(3 * distance(u, v));
  }
  make_distance(front, 6);
  for (int v = 0; v < 61; ++v) {
    for (int u = 0; u < 61; ++u)
      EXPECT_NEAR(front.values[front.at(u, v)], std::clamp(distance(u, v), -6.0, 6.0), 0.15);
  }
  EXPECT_NEAR(area_of(front), std::numbers::pi * 17 * 17, 1);
}

TEST(Neurons, BadInputIsRefusedWithWords) {
  const Fibre fibre(
      64, 6, 7, [](int) { return Eigen::Vector2d(32, 32); }, 0, unchanged);
  EXPECT_THROW(follow(fibre.stack(), {{Mark{{32, 32, 9}}}}, {}), Error);
  EXPECT_THROW(follow(fibre.stack(), {{Mark{{320, 32, 0}}}}, {}), Error);
  // Half of the diagonal of 64 x 64 pixels of 1 mm.
  EXPECT_NEAR(largest_mark_radius(fibre.grid, 2), 32 * std::numbers::sqrt2, 1e-9);
  EXPECT_NEAR(largest_mark_radius(fibre.grid, 0), 0.5 * std::hypot(64, 6), 1e-9);
  for (const double radius : {46., 1e12, std::numeric_limits<double>::quiet_NaN()}) {
    try {
      follow(fibre.stack(), {{Mark{{32, 32, 0}, radius}}}, {});
      ADD_FAILURE() << radius;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("half of the diagonal of the slices, 45.25 mm"),
                std::string::npos)
          << error.what();
    }
  }
  std::vector<float> values(fibre.values.size(), 1.F);
  EXPECT_THROW(follow({fibre.grid, values, 2}, {{Mark{{32, 32, 0}}}}, {}), Error);  // no membrane
  values[7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THROW(follow({fibre.grid, values, 2}, {{Mark{{32, 32, 0}}}}, {}), Error);
  grid::Grid flat = fibre.grid;
  flat.dimensions[2] = 1;
  EXPECT_THROW(follow({flat, std::span(fibre.values).first(64 * 64), 2}, {{Mark{{32, 32, 0}}}}, {}), Error);
}

TEST(Neurons, SwcHasMicrometresAndParents) {
  Neuron neuron;
  neuron.sections = {
      {.slice = 0, .centre = {0.001, 0.002, 0}, .area = 0, .radius = 0.0005, .confidence = 1},
      {.slice = 1, .centre = {0.001, 0.0025, 0.003}, .area = 0, .radius = 0.00025, .confidence = 1}};
  const auto path = std::filesystem::temp_directory_path() / "isolume_neurons_test.swc";
  write_swc(std::vector{neuron, neuron}, grid::LengthUnit::millimetre, path);
  std::ifstream file(path);
  std::string line, header;
  std::vector<std::string> rows;
  while (std::getline(file, line)) line.front() == '#' ? header += line : (rows.push_back(line), header);
  std::filesystem::remove(path);
  EXPECT_NE(header.find("unit: micrometre"), std::string::npos);
  EXPECT_EQ(rows, (std::vector<std::string>{"1 2 1 2 0 0.5 -1", "2 2 1 2.5 3 0.25 1", "3 2 1 2 0 0.5 -1",
                                            "4 2 1 2.5 3 0.25 3"}));
}

/// A circle of radius 20 to 200 pixels in slices of 512 x 512, as in the source of the method.
TEST(Neurons, DISABLED_TimeOfASlice) {
  constexpr int slices = 12;
  for (const double radius : {20., 50., 100., 150., 200.}) {
    const Fibre fibre(
        512, slices, radius, [](int) { return Eigen::Vector2d(256.3, 255.6); }, 0, unchanged);
    RibbonParameters parameters;
    parameters.largest_radius = 250;
    double best = 1e9, found = 0;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      found = follow(fibre.stack(), {{Mark{{256, 256, 0}}}}, parameters).neurons.at(0).sections.at(5).radius;
      const std::chrono::duration<double, std::milli> time = std::chrono::steady_clock::now() - begin;
      best = std::min(best, time.count() / slices);
    }
    std::printf("radius %.0f: %.2f ms a slice, found %.3f\n", radius, best, found);
  }
}

}  // namespace
}  // namespace isolume::neurons
