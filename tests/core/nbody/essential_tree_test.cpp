#include "core/nbody/forces/essential_tree.h"

#include <cmath>
#include <functional>
#include <memory>

#include <gtest/gtest.h>

#include "core/nbody/forces/barnes_hut.h"
#include "tests/core/nbody/distributions.h"
#include "tests/core/nbody/force_errors.h"

namespace isolume::nbody {
namespace {

using testing::distributions;
using testing::errors;
using testing::joined;
using testing::largest_potential_error;
using testing::moved;
using testing::plummer;
using testing::relative_errors;

/// Which of some parts a body belongs to.
using PartOf = std::function<std::size_t(std::size_t body)>;

struct Part {
  Bodies bodies;
  std::vector<std::size_t> number;
  Forces forces;
  std::vector<float> work;
  std::unique_ptr<BarnesHutSum> sum;
};

struct Summed {
  Forces forces;
  std::size_t cells_sent = 0, points_sent = 0;
  double work = 0;
};

/// By parts that know of each other what their essential trees tell.
Summed by_parts(const Bodies& bodies, std::size_t count, const PartOf& part_of_body,
                const ForceOptions& options) {
  const Extent extent = extent_of(bodies);
  std::vector<Part> parts(count);
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    Part& part = parts[part_of_body(i)];
    testing::add(part.bodies, bodies.mass[i], bodies.x[i], bodies.y[i], bodies.z[i]);
    part.number.push_back(i);
  }
  std::erase_if(parts, [](const Part& part) { return part.number.empty(); });
  for (Part& part : parts) {
    part.forces = no_forces(part.bodies.size());
    part.work.resize(part.bodies.size());
    part.sum = std::make_unique<BarnesHutSum>(part.bodies, extent, std::span<const std::uint32_t>(), options,
                                              part.forces, &part.work, jobs::Progress());
  }
  Summed all;
  for (int number = 0; number < sums_of(options); ++number) {
    std::vector<std::vector<GroupOutline>> groups;
    for (Part& part : parts) {
      EXPECT_TRUE(part.sum->next());
      groups.push_back(part.sum->groups());
    }
    std::vector<std::vector<EssentialTree>> trees(parts.size());
    for (std::size_t to = 0; to < parts.size(); ++to) {
      for (std::size_t from = 0; from < parts.size(); ++from) {
        if (from == to) continue;
        trees[to].push_back(parts[from].sum->essential_to(groups[to]));
        all.cells_sent += trees[to].back().cells.size();
        all.points_sent += trees[to].back().points.size();
      }
    }
    for (std::size_t i = 0; i < parts.size(); ++i) parts[i].sum->add(trees[i]);
  }
  all.forces = no_forces(bodies.size());
  for (const Part& part : parts) {
    EXPECT_FALSE(part.sum->next());
    for (std::size_t i = 0; i < part.number.size(); ++i) {
      all.forces.ax[part.number[i]] = part.forces.ax[i];
      all.forces.ay[part.number[i]] = part.forces.ay[i];
      all.forces.az[part.number[i]] = part.forces.az[i];
      all.forces.potential[part.number[i]] = part.forces.potential[i];
      all.work += static_cast<double>(part.work[i]);
    }
  }
  return all;
}

TEST(EssentialTrees, TellWhatIsNeededHoweverBodiesAreDivided) {
  for (const auto& [name, bodies] : distributions()) {
    if (bodies.size() == 0) continue;
    const double extent = bodies.size() > 1 ? std::abs(bodies.x[0] - bodies.x[1]) : 1;
    const std::size_t third = bodies.size() / 3 + 1;
    const auto& all = bodies;
    for (const auto& [how, part] :
         {std::pair<const char*, PartOf>{"mixed", [](std::size_t i) { return i % 3; }},
          {"by their order", [third](std::size_t i) { return i / third; }},
          {"by x", [&all](std::size_t i) { return all.x[i] < 0 ? 0u : 1u; }}}) {
      for (const double softening : {0.0, 0.1 * extent}) {
        SCOPED_TRACE(name + ", " + how);
        ForceOptions options;
        options.opening_angle = 0.5;
        options.softening = softening;
        const Forces found = by_parts(bodies, 3, part, options).forces,
                     expected = make_reference_solver()->forces(bodies, options);
        EXPECT_LT(errors(bodies, found, expected, softening).back(), 7e-3) << "up to 5e-3 in one part";
        EXPECT_LT(largest_potential_error(bodies, found, expected), 2e-3);
      }
    }
  }
}

TEST(EssentialTrees, LetNinetyNineOfAHundredForcesBeAsExactAsWasAskedFor) {
  for (const auto& bodies : {plummer(5000), joined(plummer(2500), moved(plummer(2000, 2), 20))}) {
    const Forces expected = make_reference_solver()->forces(bodies, {});
    const PartOf octant = [&](std::size_t i) {
      return (bodies.x[i] < 0.1 ? 0u : 1u) + (bodies.y[i] < -0.2 ? 0u : 2u);
    };
    for (const double error : {1e-4, 1e-3, 1e-2}) {
      ForceOptions options;
      options.error = error;
      const auto found = relative_errors(by_parts(bodies, 4, octant, options).forces, expected);
      EXPECT_LT(found[found.size() * 99 / 100], error);
    }
  }
}

TEST(EssentialTrees, TellOfPartnersInTightBinaries) {
  for (const double closeness : {1e-3, 1e-5, 1e-7}) {
    for (const double softening : {0.0, 0.1 * closeness}) {
      SCOPED_TRACE(closeness);
      const Bodies bodies = testing::binaries(1500, closeness);
      ForceOptions options;
      options.softening = softening;
      options.error = 1e-5;
      const Forces found = by_parts(
                               bodies, 2, [](std::size_t i) { return i % 2; }, options)
                               .forces;
      const auto relative = relative_errors(found, make_reference_solver()->forces(bodies, options));
      EXPECT_LT(relative[relative.size() * 99 / 100], 1e-5);
      EXPECT_LT(relative.back(), 5e-5);
    }
  }
}

TEST(EssentialTrees, TellOfTheBodiesInTightGroupsNearby) {
  const Bodies bodies = testing::beside_tight_groups();
  ForceOptions options;
  options.error = 1e-5;
  const PartOf side = [&](std::size_t i) { return bodies.x[i] < 0 ? 0u : 1u; };
  const Forces found = by_parts(bodies, 2, side, options).forces,
               expected = make_reference_solver()->forces(bodies, options);
  for (std::size_t i = 0; i < 4; ++i) {
    const double error = testing::length(found.ax[i] - expected.ax[i], found.ay[i] - expected.ay[i],
                                         found.az[i] - expected.az[i]);
    EXPECT_LT(error, 1e-5 * testing::length(expected.ax[i], expected.ay[i], expected.az[i])) << i;
  }
}

TEST(EssentialTrees, AreSmallForThoseThatAreFar) {
  const Bodies bodies = joined(plummer(5000), moved(plummer(5000, 2), 1000));
  const auto all = by_parts(bodies, 2, [](std::size_t i) { return i / 5000; }, {});
  EXPECT_EQ(all.cells_sent, 2u) << "each sphere is one cell to the other";
  EXPECT_EQ(all.points_sent, 0u);
  EXPECT_GT(all.work, 5000.0 * 100);
}

TEST(EssentialTrees, OfOneHalfOfASphereAreAPartOfIt) {
  const Bodies bodies = plummer(40000);
  const auto all = by_parts(bodies, 2, [&](std::size_t i) { return bodies.x[i] < 0 ? 0u : 1u; }, {});
  EXPECT_LT(all.points_sent, bodies.size() / 2) << "bodies near the plane between the halves";
  EXPECT_GT(all.points_sent, 1000u);
}

}  // namespace
}  // namespace isolume::nbody
