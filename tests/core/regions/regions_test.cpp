#include "core/regions/regions.h"

#include <cmath>
#include <limits>
#include <random>

#include <Eigen/Dense>
#include <gtest/gtest.h>
#include <tbb/task_arena.h>

#include "core/base/error.h"
#include "core/regions/random_walker.h"

namespace isolume::regions {
namespace {

grid::Grid grid_of(std::array<int, 3> dimensions, const Eigen::Vector3d& spacing = {1, 1, 1}) {
  grid::Grid grid;
  grid.dimensions = dimensions;
  grid.unit = grid::LengthUnit::millimetre;
  grid.step = spacing.asDiagonal();
  return grid;
}

/// An image of random values with seeds of `labels` labels at random voxels.
struct Example {
  grid::Grid grid;
  std::vector<float> values;
  std::vector<Label> seeds;

  Example(const grid::Grid& its_grid, int labels, unsigned seed) : grid(its_grid) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<float> value(0, 1);
    values.resize(grid.point_count());
    for (float& each : values) each = value(random);
    seeds.resize(values.size());
    for (int label = 1; label <= labels; ++label) seeds[random() % seeds.size()] = static_cast<Label>(label);
  }
  SeededImage image() const { return {grid, values, seeds}; }
  bool has_all(int labels) const {
    for (int label = 1; label <= labels; ++label) {
      if (std::ranges::find(seeds, static_cast<Label>(label)) == seeds.end()) return false;
    }
    return true;
  }
};

/// A link between two voxels, in double precision by its definition.
struct Link {
  std::size_t a, b;
  double weight;
};
std::vector<Link> links_of(const Example& example, double edge) {
  const auto& n = example.grid.dimensions;
  std::vector<Link> links;
  std::vector<std::size_t> axes;
  double squares = 0;
  std::size_t i = 0;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x, ++i) {
        const std::array<int, 3> at{x, y, z};
        std::size_t stride = 1;
        for (std::size_t axis = 0; axis < 3; stride *= static_cast<std::size_t>(n[axis++])) {
          if (at[axis] + 1 == n[axis]) continue;
          const double difference =
              static_cast<double>(example.values[i]) - static_cast<double>(example.values[i + stride]);
          squares += difference * difference;
          links.push_back({i, i + stride, difference});
          axes.push_back(axis);
        }
      }
    }
  }
  const double sigma = edge * std::sqrt(squares / static_cast<double>(links.size()));
  double least = std::min(example.grid.spacing(0), example.grid.spacing(1));
  if (n[2] > 1) least = std::min(least, example.grid.spacing(2));
  for (std::size_t k = 0; k < links.size(); ++k) {
    const double ratio = links[k].weight / sigma;
    links[k].weight =
        least / example.grid.spacing(static_cast<int>(axes[k])) * std::exp(-0.5 * ratio * ratio);
  }
  return links;
}

double energy_of(const std::vector<Link>& links, const std::vector<Label>& labels) {
  double energy = 0;
  for (const Link& each : links) energy += labels[each.a] != labels[each.b] ? each.weight : 0;
  return energy;
}

/// -ln of the density of each voxel's value among the seeds of each label but 0, relative to an even one, 0 at seeds.
std::vector<std::array<double, 8>> costs_of(const Example& example, int labels) {
  std::vector<std::array<double, 8>> costs(example.seeds.size());
  std::vector<std::vector<double>> values(static_cast<std::size_t>(labels));
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (std::size_t i = 0; i < costs.size(); ++i) {
    if (example.seeds[i] == 0) continue;
    const auto value = static_cast<double>(example.values[i]);
    values[example.seeds[i] - 1U].push_back(value);
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const double range = 1.5 * (high - low);  // with a quarter on both sides
  for (std::size_t label = 0; label < values.size(); ++label) {
    const auto& own = values[label];
    const auto count = static_cast<double>(own.size());
    double mean = 0, squares = 0;
    for (const double each : own) mean += each / count;
    for (const double each : own) squares += (each - mean) * (each - mean) / count;
    const double bandwidth = std::max(1.06 * std::sqrt(squares) * std::pow(count, -0.2), 0.02 * range);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      if (example.seeds[i] != 0) continue;
      double density = 0;
      for (const double each : own) {
        const double ratio = (static_cast<double>(example.values[i]) - each) / bandwidth;
        density += std::exp(-0.5 * ratio * ratio) / (std::sqrt(2 * M_PI) * bandwidth * count);
      }
      costs[i][label] = -std::log(0.99 * density * range + 0.01);
    }
  }
  return costs;
}

/// The least energy of all labellings that keep the seeds.
template <class Energy>
double least_energy(const Example& example, int labels, const Energy& energy) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < example.seeds.size(); ++i) {
    if (example.seeds[i] == 0) open.push_back(i);
  }
  std::vector<Label> all = example.seeds;
  for (const std::size_t each : open) all[each] = 1;
  double least = energy(all);
  for (std::size_t k = 0; k < open.size();) {
    if (++all[open[k]] > labels) {
      all[open[k++]] = 1;
      continue;
    }
    k = 0;
    least = std::min(least, energy(all));
  }
  return least;
}
double least_energy(const Example& example, const std::vector<Link>& links, int labels) {
  return least_energy(example, labels, [&](const std::vector<Label>& all) { return energy_of(links, all); });
}

constexpr double rounding = 1e-4;  ///< of a link's weight, which is at least 1 / 4096 in the cut

TEST(GraphCut, TwoLabelsHaveTheLeastEnergyOfAll) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Example example(seed % 2 == 0 ? grid_of({4, 3, 1}, {1, 0.8, 7}) : grid_of({3, 2, 2}, {1, 2, 0.5}),
                          2, seed);
    if (!example.has_all(2)) continue;
    const auto links = links_of(example, 0.7);
    const auto found = GraphCut(example.grid, example.values, 0.7).cut(example.seeds, 0);
    for (std::size_t i = 0; i < example.seeds.size(); ++i) {
      if (example.seeds[i] != 0) {
        EXPECT_EQ(found.labels[i], example.seeds[i]);
      }
    }
    const double tolerance = rounding * static_cast<double>(links.size());
    EXPECT_NEAR(found.energy, energy_of(links, found.labels), tolerance);
    EXPECT_NEAR(found.energy, least_energy(example, links, 2), tolerance) << seed;
  }
}

TEST(GraphCut, NoExpansionOfSeveralLabelsIsBetter) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const Example example(grid_of({3, 3, 1}), 3, seed);
    if (!example.has_all(3)) continue;
    const auto links = links_of(example, 1);
    const auto found = GraphCut(example.grid, example.values, 1).cut(example.seeds, 0);
    const double tolerance = rounding * static_cast<double>(links.size());
    EXPECT_NEAR(found.energy, energy_of(links, found.labels), tolerance);
    EXPECT_LE(found.energy, 2 * least_energy(example, links, 3) + tolerance);
    for (Label label = 1; label <= 3; ++label) {
      for (unsigned set = 0; set < 1U << 9U; ++set) {
        std::vector<Label> moved = found.labels;
        for (std::size_t i = 0; i < 9; ++i) {
          if ((set >> i & 1U) != 0 && example.seeds[i] == 0) moved[i] = label;
        }
        ASSERT_GE(energy_of(links, moved), found.energy - tolerance) << seed;
      }
    }
  }
}

TEST(GraphCut, SeveralLabelsWithLikelihoodsHaveTheLeastEnergyNearlyAlways) {
  int examples = 0, least = 0, moves = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    const int labels = seed % 2 == 0 ? 3 : 4;
    Example example(seed % 2 == 0 ? grid_of({5, 2, 1}, {1, 0.7, 1}) : grid_of({2, 2, 2}, {1, 2, 0.5}), labels,
                    seed);
    if (!example.has_all(labels)) continue;
    const auto links = links_of(example, 1);
    const auto costs = costs_of(example, labels);
    constexpr double likelihood = 0.1;
    const auto energy = [&](const std::vector<Label>& all) {
      double sum = energy_of(links, all);
      for (std::size_t i = 0; i < all.size(); ++i) sum += likelihood * costs[i][all[i] - 1U];
      return sum;
    };
    const auto found = GraphCut(example.grid, example.values, 1).cut(example.seeds, likelihood);
    const double tolerance = 0.02;  // of bins
    const double expected = energy(found.labels), best = least_energy(example, labels, energy);
    EXPECT_NEAR(found.energy, expected, tolerance);
    for (int label = 1; label <= labels; ++label) {
      for (unsigned set = 0; set < 1U << example.seeds.size(); ++set) {
        std::vector<Label> moved = found.labels;
        for (std::size_t i = 0; i < moved.size(); ++i) {
          if ((set >> i & 1U) != 0 && example.seeds[i] == 0) moved[i] = static_cast<Label>(label);
        }
        ASSERT_GE(energy(moved), expected - tolerance) << seed;
      }
    }
    ++examples;
    least += expected < best + tolerance ? 1 : 0;
    moves += found.expansions > 0 ? 1 : 0;
  }
  EXPECT_GT(examples, 20);
  EXPECT_GE(least, examples - examples / 10);
  EXPECT_GT(moves, 0);
  EXPECT_LT(moves, examples) << "cuts find all voxels of some";
}

/// A ball of value 1 in 0, noise of a standard deviation, seeds in its middle and in corners.
struct Ball {
  grid::Grid grid;
  std::vector<float> values;
  std::vector<Label> truth, seeds;

  Ball(std::array<int, 3> counts, float noise)
      : grid(grid::centred({0, 0, 0}, counts, 1, grid::LengthUnit::millimetre)) {
    std::mt19937 random(2);
    std::normal_distribution<float> normal(0, 1);
    for (int z = 0; z < counts[2]; ++z) {
      for (int y = 0; y < counts[1]; ++y) {
        for (int x = 0; x < counts[0]; ++x) {
          const Eigen::Vector3d p = grid.position(x, y, z) / counts[0];
          truth.push_back(p.norm() < 0.3 ? 1 : 2);
          values.push_back((truth.back() == 1 ? 1.F : 0.F) + noise * normal(random));
          const bool is_corner = p.x() > 0.4 && std::abs(p.y()) > 0.35;
          seeds.push_back(p.norm() < 0.1 ? 1 : is_corner ? 2 : 0);
        }
      }
    }
  }
  SeededImage image() const { return {grid, values, seeds}; }
  double dice(const std::vector<Label>& found) const {
    double both = 0, sum = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
      both += found[i] == 1 && truth[i] == 1 ? 1 : 0;
      sum += (found[i] == 1 ? 1 : 0) + (truth[i] == 1 ? 1 : 0);
    }
    return 2 * both / sum;
  }
};

TEST(Regions, ANoisyBallIsFound) {
  for (const std::array<int, 3>& counts : {std::array{96, 96, 1}, std::array{40, 40, 40}}) {
    const Ball ball(counts, 0.35F);
    EXPECT_GT(ball.dice(find_regions(ball.image(), {.method = Method::graph_cut}).labels), 0.97);
    // The random walker has links alone, without likelihoods: its image has less noise.
    EXPECT_GT(ball.dice(find_regions(Ball(counts, 0.15F).image(), {.method = Method::random_walker}).labels),
              0.95);
    const Regions joined = find_regions(Ball(counts, 0.15F).image(), {.method = Method::watershed});
    EXPECT_GT(Ball(counts, 0).dice(joined.labels), 0.93);
    EXPECT_GT(joined.basins, 3U);
    const Ball clear(counts, 0.05F);
    const Regions grown = find_regions(clear.image(), {.method = Method::region_growing, .tolerance = 5});
    EXPECT_EQ(grown.labels, clear.truth);
    EXPECT_NEAR(grown.intervals.at(0).low, 1 - 5 * 0.05, 0.05);
    EXPECT_NEAR(grown.intervals.at(1).high, 5 * 0.05, 0.05);
  }
}

TEST(Regions, AStrokeContinuesTheCutAndGivesTheSame) {
  Ball ball({40, 40, 20}, 0.4F);
  GraphCut cut(ball.grid, ball.values, 1);
  find_regions(ball.image(), {}, &cut);
  for (const std::size_t at : {0U, 50U, 10000U, 15999U}) {
    for (std::size_t i = at; i < std::min<std::size_t>(at + 30, ball.seeds.size()); ++i)
      ball.seeds[i] = ball.truth[i];
    const Regions continued = find_regions(ball.image(), {}, &cut), anew = find_regions(ball.image(), {});
    EXPECT_EQ(continued.labels, anew.labels);
    EXPECT_EQ(continued.energy, anew.energy);
  }
  // Seeds that are cleared, too, and several labels between.
  Ball other({40, 40, 20}, 0.4F);
  other.seeds[40] = 3;
  find_regions(other.image(), {}, &cut);
  other.seeds[40] = 0;
  EXPECT_EQ(find_regions(other.image(), {}, &cut).labels, find_regions(other.image(), {}).labels);
}

/// The least of the largest levels on all paths from voxels of a number to each voxel, both ends included.
template <class Number>
std::vector<int> passes_from(const Relief& relief, const std::vector<Number>& sources, Number number) {
  const auto& n = relief.grid.dimensions;
  std::vector<int> passes(sources.size(), std::numeric_limits<int>::max());
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i] == number) passes[i] = relief.levels[i];
  }
  for (bool is_changed = true; is_changed;) {
    is_changed = false;
    std::size_t i = 0;
    for (int z = 0; z < n[2]; ++z) {
      for (int y = 0; y < n[1]; ++y) {
        for (int x = 0; x < n[0]; ++x, ++i) {
          const auto from = [&](bool is_there, std::ptrdiff_t step) {
            if (!is_there) return;
            const int by = passes[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + step)];
            const int pass = std::max<int>(by, relief.levels[i]);
            is_changed = is_changed || pass < passes[i];
            passes[i] = std::min(passes[i], pass);
          };
          from(x > 0, -1);
          from(x + 1 < n[0], 1);
          from(y > 0, -n[0]);
          from(y + 1 < n[1], n[0]);
          from(z > 0, -n[0] * n[1]);
          from(z + 1 < n[2], n[0] * n[1]);
        }
      }
    }
  }
  return passes;
}

TEST(Watershed, RelievesAreLengthsOfGradients) {
  const Example example(grid_of({5, 4, 3}, {1, 2, 0.5}), 2, 8);
  const Relief relief = relief_of(example.grid, example.values, 0);
  std::vector<double> lengths;
  const auto at = [&](int x, int y, int z) {
    return static_cast<double>(example.values[static_cast<std::size_t>((z * 4 + y) * 5 + x)]);
  };
  for (int z = 0; z < 3; ++z) {
    for (int y = 0; y < 4; ++y) {
      for (int x = 0; x < 5; ++x) {
        const int x0 = std::max(x - 1, 0), x1 = std::min(x + 1, 4), y0 = std::max(y - 1, 0),
                  y1 = std::min(y + 1, 3), z0 = std::max(z - 1, 0), z1 = std::min(z + 1, 2);
        lengths.push_back(std::hypot((at(x1, y, z) - at(x0, y, z)) / (x1 - x0),
                                     (at(x, y1, z) - at(x, y0, z)) / (2 * (y1 - y0)),
                                     (at(x, y, z1) - at(x, y, z0)) / (0.5 * (z1 - z0))));
      }
    }
  }
  const double greatest = *std::ranges::max_element(lengths);
  for (std::size_t i = 0; i < lengths.size(); ++i)
    EXPECT_NEAR(relief.levels[i], 65535 * lengths[i] / greatest, 1.1);
}

TEST(Watershed, EachVoxelIsReachedOverTheLowestPass) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    Example example(seed % 2 == 0 ? grid_of({9, 8, 1}) : grid_of({6, 5, 4}), 3, seed);
    if (!example.has_all(3)) continue;
    Relief relief = relief_of(example.grid, example.values, 0);
    for (auto& each : relief.levels) each /= 4096;  // plateaus
    const std::vector<Label> found = flood(relief, example.image());
    std::vector<std::vector<int>> passes;
    for (Label label = 1; label <= 3; ++label) passes.push_back(passes_from(relief, example.seeds, label));
    for (std::size_t i = 0; i < found.size(); ++i) {
      if (example.seeds[i] != 0) {
        ASSERT_EQ(found[i], example.seeds[i]);
      } else {
        ASSERT_EQ(passes[found[i] - 1U][i], std::min({passes[0][i], passes[1][i], passes[2][i]}));
      }
    }
    const Basins basins = find_basins(relief);
    // A basin has a single minimum: from its lowest voxels, no path leads lower without a climb.
    EXPECT_GT(basins.count, 1U);
    EXPECT_EQ(basins.count, *std::ranges::max_element(basins.numbers));
    std::vector<std::vector<int>> of_basin;
    std::vector<std::uint32_t> minima(basins.numbers.size());
    for (std::uint32_t number = 1; number <= basins.count; ++number) {
      int least = std::numeric_limits<int>::max();
      for (std::size_t i = 0; i < minima.size(); ++i) {
        if (basins.numbers[i] == number) least = std::min<int>(least, relief.levels[i]);
      }
      for (std::size_t i = 0; i < minima.size(); ++i) {
        if (basins.numbers[i] == number && relief.levels[i] == least) minima[i] = number;
      }
      of_basin.push_back(passes_from(relief, minima, number));
    }
    for (std::size_t i = 0; i < minima.size(); ++i) {
      int least = std::numeric_limits<int>::max();
      for (std::size_t k = 0; k < of_basin.size(); ++k) {
        least = std::min(least, of_basin[k][i]);
        if (minima[i] != 0 && minima[i] != k + 1) {
          ASSERT_GT(of_basin[k][i], relief.levels[i]) << "no minimum";
        }
      }
      ASSERT_EQ(of_basin[basins.numbers[i] - 1U][i], least);
    }
  }
}

TEST(RandomWalker, ProbabilitiesAreThoseOfADenseSolution) {
  for (const bool is_slice : {false, true}) {
    const Example example(is_slice ? grid_of({7, 8, 1}, {1, 2, 9}) : grid_of({5, 4, 3}, {1, 2, 1.5}), 3, 4);
    ASSERT_TRUE(example.has_all(3));
    const auto voxels = static_cast<Eigen::Index>(example.values.size());
    Eigen::MatrixXd laplacian = Eigen::MatrixXd::Zero(voxels, voxels);
    for (const Link& each : links_of(example, 0.8)) {
      const auto a = static_cast<Eigen::Index>(each.a), b = static_cast<Eigen::Index>(each.b);
      laplacian(a, b) -= each.weight;
      laplacian(b, a) -= each.weight;
      laplacian(a, a) += each.weight;
      laplacian(b, b) += each.weight;
    }
    const Walked found = walk_randomly(example.image(), 0.8, 1e-7);
    for (Label label = 1; label <= 3; ++label) {
      Eigen::MatrixXd matrix = laplacian;
      Eigen::VectorXd right = Eigen::VectorXd::Zero(voxels);
      for (Eigen::Index i = 0; i < voxels; ++i) {
        const Label seed = example.seeds[static_cast<std::size_t>(i)];
        if (seed == 0) continue;
        matrix.row(i).setZero();
        matrix(i, i) = 1;
        right(i) = seed == label ? 1 : 0;
      }
      const Eigen::VectorXd expected = matrix.partialPivLu().solve(right);
      for (Eigen::Index i = 0; i < voxels; ++i)
        EXPECT_NEAR(found.probabilities[label - 1U][static_cast<std::size_t>(i)], expected(i), 2e-5);
    }
  }
}

TEST(RandomWalker, ThreadsDoNotChangeAnything) {
  const Ball ball({30, 31, 32}, 0.3F);
  Walked one, four;
  tbb::task_arena(1).execute([&] { one = walk_randomly(ball.image(), 1); });
  tbb::task_arena(4).execute([&] { four = walk_randomly(ball.image(), 1); });
  EXPECT_EQ(one.probabilities[0], four.probabilities[0]);
  EXPECT_EQ(one.iterations, four.iterations);
}

TEST(RegionGrowing, FollowsFacesWithinTheIntervalOfItsSeeds) {
  // Two rooms that touch at an edge alone, and one value above the interval between seed and border.
  const grid::Grid grid = grid_of({5, 4, 1});
  const std::vector<float> values{5, 6, 0, 0, 0,  //
                                  4, 9, 0, 0, 0,  //
                                  0, 0, 5, 5, 5,  //
                                  0, 0, 5, 5, 5};
  std::vector<Label> seeds(20);
  seeds[0] = seeds[1] = seeds[5] = 1;
  const Grown found = grow_regions({grid, values, seeds}, 2.5);
  EXPECT_DOUBLE_EQ(found.intervals.at(0).low, 2.5) << "mean 5, standard deviation 1";
  EXPECT_DOUBLE_EQ(found.intervals.at(0).high, 7.5);
  EXPECT_EQ(found.labels, seeds) << "neither across the edge nor to 9";
  EXPECT_EQ(grow_regions({grid, values, seeds}, 4).labels[6], 1);
  // Where two meet, the nearer one is first, and the smaller one half way.
  seeds.assign(20, 0);
  const std::vector<float> same(20, 1.F);
  seeds[4] = 1;
  seeds[0] = 2;
  const auto met = grow_regions({grid_of({5, 4, 1}), same, seeds}, 0).labels;
  EXPECT_EQ(met[1], 2);
  EXPECT_EQ(met[2], 1);
  EXPECT_EQ(met[17], 1);
}

TEST(Regions, WhatCannotBeUsedIsNamed) {
  Example example(grid_of({4, 4, 2}), 0, 1);
  const auto problem = [&](Method method) {
    try {
      find_regions(example.image(), {.method = method});
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_NE(problem(Method::graph_cut).find("There are no seeds"), std::string::npos);
  EXPECT_NE(problem(Method::region_growing).find("There are no seeds"), std::string::npos);
  example.seeds[3] = 4;
  EXPECT_NE(problem(Method::graph_cut).find("All seeds have the same label"), std::string::npos);
  EXPECT_NE(problem(Method::random_walker).find("All seeds have the same label"), std::string::npos);
  EXPECT_EQ(problem(Method::region_growing), "");
  example.seeds[9] = 2;
  EXPECT_EQ(problem(Method::graph_cut), "");
  example.values[5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_NE(problem(Method::graph_cut).find("1 value is not finite"), std::string::npos);
  example.values.assign(32, 3.F);
  EXPECT_EQ(find_regions(example.image(), {.method = Method::watershed}).basins, 1U) << "flat";
  for (const Method method : {Method::graph_cut, Method::random_walker}) {
    const Regions found = find_regions(example.image(), {.method = method});
    EXPECT_NE(found.remarks.text().find("the same value"), std::string::npos);
    EXPECT_EQ(found.labels[3], 4);
    EXPECT_EQ(found.labels[9], 2);
  }
  example.seeds.pop_back();
  EXPECT_NE(problem(Method::graph_cut).find("seeds have 31 voxels"), std::string::npos);
}

}  // namespace
}  // namespace isolume::regions
