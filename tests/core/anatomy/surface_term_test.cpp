// Registrations that surfaces and classes of tissue lead.
#include "core/anatomy/surface_term.h"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/anatomy/alignment.h"
#include "core/anatomy/classes.h"
#include "core/anatomy/deformation.h"
#include "core/anatomy/fluid.h"
#include "core/base/error.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using Eigen::Vector3d;

constexpr int side = 32;
constexpr double spacing = 2;

grid::Grid box() {
  grid::Grid grid =
      grid::centred(Vector3d::Zero(), {side, side, side}, spacing, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  return grid;
}

template <class Value>
FieldValues values_of(const Value& value) {
  FieldValues values;
  for (int z = 0; z < side; ++z) {
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) values.push_back(static_cast<float>(value(box().position(x, y, z))));
    }
  }
  return values;
}

/// A ball of 24 mm, and another one in it, which no value of the image shows.
Labels nested_balls(const Vector3d& inner_centre, double inner_radius) {
  Labels labels{.grid = box(), .values = {0, 1, 2}, .indices = {}, .remarks = {}};
  for (const float each : values_of([&](const Vector3d& p) {
         return (p - inner_centre).norm() < inner_radius ? 2 : p.norm() < 24 ? 1 : 0;
       }))
    labels.indices.push_back(static_cast<std::uint32_t>(each));
  return labels;
}

FieldValues ball() {
  return values_of([](const Vector3d& p) { return std::clamp((24 - p.norm()) / 2 + 0.5, 0.0, 1.0); });
}

constexpr Spacing spacings{spacing, spacing, spacing};
const FluidParameters few_iterations = [] {
  FluidParameters parameters;
  parameters.levels = 2;
  parameters.iterations = 60;
  return parameters;
}();

Registration registered(const FieldValues& fixed, const FieldValues& moving, const SurfaceTerm& surfaces,
                        const ClassPair& classes = {}, FluidParameters parameters = few_iterations) {
  const volumes::Counts counts{side, side, side};
  return register_images(fixed, moving, counts, spacings, parameters, levels_of(counts, parameters), {}, {},
                         {}, {}, {}, {}, surfaces, classes);
}

SurfaceTerm term_of(const Labels& fixed, const Labels& moving, const TermParameters& parameters = {}) {
  Remarks remarks;
  return placed_on(surface_pairs(fixed, moving, {}, remarks), fixed.grid, Eigen::Affine3d::Identity(),
                   parameters);
}

TEST(SurfaceTerm, BringsTogetherWhatImagesDoNotShow) {
  const Labels fixed = nested_balls({0, 0, 0}, 10), moving = nested_balls({4, -2, 1}, 13);
  const SurfaceTerm term = term_of(fixed, moving);
  ASSERT_EQ(term.pairs.size(), 2U);
  const Registration found = registered(ball(), ball(), term);
  ASSERT_EQ(found.surfaces.size(), 2U);
  for (const SurfaceResult& each : found.surfaces) {
    EXPECT_LT(each.after.mean, 0.25 * spacing) << each.name << ", before " << each.before.mean;
    EXPECT_LT(each.after.greatest, spacing) << each.name;
  }
  EXPECT_GT(found.surfaces[1].before.mean, 1.5 * spacing);
  EXPECT_GT(found.least_jacobian, 0);
  EXPECT_LT(found.levels.back().surfaces_after, 0.1 * found.levels.front().surfaces_before);
  // The images, which are the same, stay together.
  EXPECT_LT(found.mismatch_after, 0.05);
  // A weight of 0 leaves the surfaces where they are.
  const Registration without = registered(ball(), ball(), term_of(fixed, moving, {.surface_weight = 0}));
  EXPECT_NEAR(without.surfaces[1].after.mean, without.surfaces[1].before.mean, 0.01);
}

TEST(SurfaceTerm, ForcesAreMinusHalfOfTheDerivative) {
  const SurfaceTerm term = term_of(nested_balls({0, 0, 0}, 10), nested_balls({4, -2, 1}, 13));
  const volumes::Counts counts{side, side, side};
  SurfaceForces forces(term, counts, counts, spacings, 1);
  volumes::VectorField u = volumes::zero_field(counts);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < u.components[axis].size(); ++i) {
      const double phase = 0.2 * static_cast<double>(i % side + 2 * (i / side % side) + i / side / side);
      u.data(axis)[i] = static_cast<float>(0.5 * std::sin(phase + static_cast<double>(axis)));
    }
  }
  forces.measure(u);
  volumes::VectorField force = volumes::zero_field(counts), v(counts), moved(counts);
  forces.add(force);
  // Along a smooth step, whose composition with the present map moves the surfaces.
  double expected = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    for (std::size_t i = 0; i < v.components[axis].size(); ++i) {
      const double phase = 0.15 * static_cast<double>(2 * (i % side) + i / side % side + i / side / side);
      v.data(axis)[i] = static_cast<float>(std::cos(phase + 2 * static_cast<double>(axis)));
      expected -=
          2 * static_cast<double>(force.data(axis)[i]) * static_cast<double>(v.data(axis)[i]) * spacing;
    }
  }
  constexpr double step = 0.02;
  const auto at = [&](double size) {
    volumes::compose_step(u, v, {size, size, size}, moved);
    return forces.measure(moved);
  };
  const double slope = (at(step) - at(-step)) / (2 * step);
  EXPECT_NEAR(expected, slope, 0.01 * std::abs(slope));
}

/// The derivative by all velocities of a flow, against finite differences; the images are the same and hardly count.
TEST(SurfaceTerm, ForcesOfAFlowAreItsDerivative) {
  const SurfaceTerm term = term_of(nested_balls({0, 0, 0}, 10), nested_balls({4, -2, 1}, 13));
  const volumes::Counts counts{side, side, side};
  SurfaceForces forces(term, counts, counts, spacings, 1);
  constexpr std::size_t steps = 4;
  std::vector<volumes::VectorField> velocities(steps, volumes::zero_field(counts)), changes = velocities;
  const auto set = [](volumes::VectorField& field, double scale, double phase) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < field.components[axis].size(); ++i) {
        const double at = 0.17 * static_cast<double>(2 * (i % side) + i / side % side + i / side / side);
        field.data(axis)[i] = static_cast<float>(scale * std::sin(at + phase + static_cast<double>(axis)));
      }
    }
  };
  for (std::size_t t = 0; t < steps; ++t) {
    set(velocities[t], 0.6, static_cast<double>(t));
    set(changes[t], 1, 2 + 3 * static_cast<double>(t));
  }
  forces.measure_along(velocities);
  double expected = 0;
  for (std::size_t t = 0; t < steps; ++t) {
    volumes::VectorField force = volumes::zero_field(counts);
    forces.add_along(t, force);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < force.components[axis].size(); ++i)
        expected -=
            2 * static_cast<double>(force.data(axis)[i]) * static_cast<double>(changes[t].data(axis)[i]);
    }
  }
  const auto at = [&](float size) {
    std::vector<volumes::VectorField> changed = velocities;
    for (std::size_t t = 0; t < steps; ++t) {
      for (std::size_t axis = 0; axis < 3; ++axis) {
        for (std::size_t i = 0; i < changed[t].components[axis].size(); ++i)
          changed[t].data(axis)[i] += size * changes[t].data(axis)[i];
      }
    }
    return forces.measure_along(changed);
  };
  constexpr float step = 0.05F;
  const double slope = (at(step) - at(-step)) / (2 * static_cast<double>(step));
  EXPECT_NEAR(expected, slope, 0.01 * std::abs(slope));
  EXPECT_GT(std::abs(slope), 10);
}

TEST(SurfaceTerm, LeadsAGeodesicFlow) {
  const SurfaceTerm term = term_of(nested_balls({0, 0, 0}, 10), nested_balls({4, -2, 1}, 12));
  DeformationParameters parameters;
  parameters.model = DeformationModel::lddmm;
  parameters.levels = 2;
  parameters.iterations = 40;
  const volumes::Counts counts{side, side, side};
  const Registration found =
      deform(ball(), ball(), counts, spacings, parameters, levels_of(counts, parameters), {}, {}, {}, {}, {},
             {.surfaces = term, .classes = 0, .probabilities = {}, .remarks = {}});
  ASSERT_EQ(found.surfaces.size(), 2U);
  EXPECT_GT(found.surfaces[1].before.mean, spacing);
  EXPECT_LT(found.surfaces[1].after.mean, 0.25 * spacing) << "before " << found.surfaces[1].before.mean;
  EXPECT_GT(found.least_jacobian, 0);
  EXPECT_GT(found.kinetic_energies.front(), 0);
}

TEST(SurfaceTerm, ResultsDoNotDependOnThreads) {
  const SurfaceTerm term = term_of(nested_balls({0, 0, 0}, 10), nested_balls({4, -2, 1}, 13));
  FluidParameters parameters = few_iterations;
  parameters.iterations = 6;
  Registration found[2];
  for (const int threads : {1, 4}) {
    tbb::task_arena(threads).execute(
        [&] { found[threads == 4 ? 1 : 0] = registered(ball(), ball(), term, {}, parameters); });
  }
  for (std::size_t axis = 0; axis < 3; ++axis)
    EXPECT_EQ(found[0].displacement.components[axis], found[1].displacement.components[axis]);
  EXPECT_EQ(found[0].levels.back().surfaces_after, found[1].levels.back().surfaces_after);
}

TEST(SurfaceTerm, NamesLabelsThatOneImageLacks) {
  Labels fixed = nested_balls({0, 0, 0}, 10), moving = nested_balls({0, 0, 0}, 10);
  moving.values = {0, 1, 5};
  Remarks remarks;
  const auto pairs = surface_pairs(fixed, moving, {}, remarks);
  ASSERT_EQ(pairs.size(), 1U);
  EXPECT_EQ(pairs[0].name, "1");
  EXPECT_NE(remarks.text().find("2 labels are in one of the two images alone"), std::string::npos)
      << remarks.text();
  try {
    surface_pairs(fixed, moving, std::vector<std::int64_t>{2}, remarks);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("is missing or consists of isolated voxels"), std::string::npos)
        << error.what();
  }
  moving.values = {0, 4, 5};
  EXPECT_THROW(surface_pairs(fixed, moving, {}, remarks), Error);
}

TEST(Classes, FindsTheGaussiansOfAMixture) {
  std::mt19937 random(7);
  FieldValues values;
  const std::vector<double> means{10, 60, 90}, deviations{3, 8, 5};
  const std::vector<std::size_t> counts{20000, 50000, 30000};
  for (std::size_t i = 0; i < 3; ++i) {
    std::normal_distribution<double> normal(means[i], deviations[i]);
    for (std::size_t k = 0; k < counts[i]; ++k) values.push_back(static_cast<float>(normal(random)));
  }
  const Classes found = classify(values, 3);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(found.means[i], means[i], 0.5);
    EXPECT_NEAR(found.deviations[i], deviations[i], 0.5);
    EXPECT_NEAR(found.weights[i], static_cast<double>(counts[i]) / 1e5, 0.01);
  }
  // Bayes' rule at some values.
  const auto density = [&](std::size_t i, double value) {
    return static_cast<double>(counts[i]) / deviations[i] *
           std::exp(-0.5 * std::pow((value - means[i]) / deviations[i], 2));
  };
  for (const std::size_t at : {11U, 30000U, 65000U, 99999U}) {
    const auto value = static_cast<double>(values[at]);
    const double all = density(0, value) + density(1, value) + density(2, value);
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(static_cast<double>(found.posteriors[i][at]), density(i, value) / all, 0.05);
      sum += static_cast<double>(found.posteriors[i][at]);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  try {
    classify(values, 1);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "At least 2 classes are needed, not 1.");
  }
  EXPECT_THROW(classify(FieldValues(9, 2.F), 2), Error);
}

/// Shells of three tissues; the moving image is deformed, and its values are another, not monotonic function of the tissue.
TEST(Classes, AlignImagesOfAnyContrast) {
  const auto tissue = [](double radius) { return radius < 9 ? 2 : radius < 17 ? 1 : radius < 25 ? 3 : 0; };
  const auto shells = [&](const std::array<double, 4>& values, double bulge) {
    return values_of([&](const Vector3d& p) {
      // The shell's mean over a voxel, about.
      double sum = 0;
      for (int part = -4; part <= 4; ++part) {
        const double radius = (p.norm() + 0.25 * part) / (1 + bulge * p.x() / (p.norm() + 1));
        sum += values[static_cast<std::size_t>(tissue(radius))] / 9;
      }
      return sum;
    });
  };
  constexpr double bulge = 0.15;
  const std::array<double, 4> contrast{0, 0.4, 0.7, 1}, other{1, 0.75, 0.1, 0.5};
  const FieldValues fixed = shells(contrast, 0), moving = shells(other, bulge),
                    truth = shells(contrast, bulge);
  const auto error = [&](const volumes::VectorField& displacement) {
    FieldValues warped(truth.size());
    volumes::warp(truth, displacement, warped);
    double sum = 0;
    for (std::size_t i = 0; i < warped.size(); ++i)
      sum += std::pow(static_cast<double>(warped[i]) - static_cast<double>(fixed[i]), 2);
    return std::sqrt(sum / static_cast<double>(warped.size()));
  };
  const ClassPair classes = class_pair(fixed, moving, 4);
  const Registration found = registered(fixed, moving, {}, classes);
  const double before = error(volumes::zero_field({side, side, side})), after = error(found.displacement);
  EXPECT_LT(after, 0.35 * before);
  EXPECT_LT(found.mismatch_after, 0.5 * found.mismatch_before);
  EXPECT_GT(found.least_jacobian, 0);
  // Values alone lead astray.
  EXPECT_GT(error(registered(fixed, moving, {}).displacement), 0.7 * before);
}

}  // namespace
}  // namespace isolume::anatomy
