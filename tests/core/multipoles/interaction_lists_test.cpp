// Every source acts on every target exactly once: in one far cell of the target's cells, or in one near leaf.
#include "core/multipoles/interaction_lists.h"

#include <algorithm>
#include <random>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "core/multipoles/sum_setup.h"

namespace isolume::multipoles {
namespace {

/// Two clumps of very different size, with a few points at one position.
struct Clumps {
  std::vector<double> x, y, z, charge;

  explicit Clumps(std::size_t count) {
    std::mt19937_64 random(3);
    std::normal_distribution<double> normal;
    for (std::size_t i = 0; i < count; ++i) {
      const bool small = i % 3 == 0;
      const double size = i % 50 == 0 ? 0 : small ? 0.01 : 1;
      x.push_back(size * normal(random) + (small ? 2 : 0));
      y.push_back(size * normal(random));
      z.push_back(size * normal(random));
      charge.push_back(1 + static_cast<double>(i % 7));
    }
  }
  Points points() const { return {x, y, z, charge}; }
};

TEST(InteractionLists, HoldEachSourceOnceForEachTarget) {
  const Clumps clumps(4000);
  for (const double softening : {0.0, 0.02, 0.5}) {
    for (const double error : {0.0, 1e-2, 1e-5}) {
      SCOPED_TRACE(fmt::format("softening {}, error {}", softening, error));
      const SumSetup setup(nullptr, clumps.points(), {.softening = softening, .error = error}, 10, {});
      const InteractionLists lists = interaction_lists(setup.tree, *setup.moments, setup.opening, {});
      const auto& cells = setup.tree.cells;
      std::uint64_t alone = 0;
      const auto add = [&](const InteractionLists::Lists& of, std::size_t target, bool only_alone,
                           std::vector<int>& times) {
        for (std::uint64_t i = of.starts[target]; i < of.starts[target + 1]; ++i) {
          if (only_alone && (of.cells[i] & InteractionLists::alone) == 0) continue;
          const PointCell& source = cells[of.cells[i] & ~InteractionLists::alone];
          for (std::uint32_t point = source.begin; point < source.end; ++point) ++times[point];
          alone += only_alone ? 1 : 0;
        }
      };
      for (std::size_t leaf = 0; leaf < cells.size(); ++leaf) {
        if (!cells[leaf].leaf) {
          EXPECT_EQ(lists.near.starts[leaf], lists.near.starts[leaf + 1])
              << "only leaves act by their points";
          continue;
        }
        std::vector<int> times(clumps.x.size());
        for (std::size_t cell = 0; cell <= leaf; ++cell) {
          if (cells[cell].begin > cells[leaf].begin || cells[cell].end < cells[leaf].end) continue;
          add(lists.far, cell, false, times);
          add(lists.softened, cell, true, times);
        }
        add(lists.near, leaf, false, times);
        EXPECT_TRUE(std::ranges::all_of(times, [](int count) { return count == 1; })) << "leaf " << leaf;
      }
      EXPECT_GT(lists.far.cells.size(), 0u);
      EXPECT_EQ(lists.softened.cells.empty(), softening == 0);
      if (softening == 0.5) {
        EXPECT_GT(alone, 0u) << "cells within the softening length";
      }
    }
  }
}

}  // namespace
}  // namespace isolume::multipoles
