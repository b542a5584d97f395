// Every instruction set that sums over pairs and on meshes are compiled for, and that this machine can run.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include "core/base/philox.h"
#include "core/electrostatics/sums/convolution.h"
#include "core/electrostatics/sums/inverse_split.h"
#include "core/electrostatics/sums/pair_potentials.h"

namespace isolume::electrostatics {
namespace {

class PairsOnInstructionSet : public testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override {
    if ((hwy::SupportedTargets() & GetParam()) == 0) GTEST_SKIP() << "this machine cannot run it";
    hwy::GetChosenTarget().Update(GetParam());
  }
  void TearDown() override { hwy::GetChosenTarget().DeInit(); }  // back to the best one
};

/// Charges of one sign in a cube of 20 angstrom around the block, one of them at a point of it.
TileCharges charges_around(const TileBlock& block, float sign, double units) {
  TileCharges charges{};
  charges.count = 333;
  for (int i = 0; i < charges.count; ++i) {
    Random random(sign > 0 ? 2 : 3, static_cast<std::uint64_t>(i));
    const auto at = [&] { return static_cast<float>(units * (20 * random.uniform() - 10)); };
    charges.x[i] = at();
    charges.y[i] = at();
    charges.z[i] = at();
    charges.charge[i] = sign * (0.1F + static_cast<float>(i % 7));
  }
  charges.x[5] = block.x[6];
  charges.y[5] = block.y[6];
  charges.z[5] = block.z[2];
  return charges;
}

TileBlock block_of_points(double units) {
  TileBlock block;
  for (int i = 0; i < 16; ++i) {
    block.x[i] = static_cast<float>(units * (0.5 * (i % 4) - 1));
    block.y[i] = static_cast<float>(units * (0.5 * (i / 4) + 0.3));
  }
  for (int i = 0; i < 4; ++i) block.z[i] = static_cast<float>(units * (0.5 * i - 0.7));
  return block;
}

TEST_P(PairsOnInstructionSet, BlocksSumWithinTheCutOff) {
  const auto ewald = ewald_split(7, 1e-5);
  for (const PairTerms& terms : {PairTerms{.law = PairLaw::cutoff, .cutoff = 7},
                                 PairTerms{.law = PairLaw::distance_cutoff, .cutoff = 7}, ewald.terms}) {
    const double units = units_per_angstrom(terms);
    auto block = block_of_points(units);
    const std::array sets{charges_around(block, 1, units), charges_around(block, -1, units)};
    for (const auto& charges : sets) add_to_layer({&block, 1}, charges, terms);
    for (int at = 0; at < TileBlock::points; ++at) {
      double expected = 0, magnitude = 0;
      for (const auto& charges : sets) {
        for (int i = 0; i < charges.count; ++i) {
          const double r = std::hypot(static_cast<double>(block.x[at % 16]) - charges.x[i],
                                      static_cast<double>(block.y[at % 16]) - charges.y[i],
                                      static_cast<double>(block.z[at / 16]) - charges.z[i]) /
                           units;
          if (r >= 7) continue;
          double part = 0;
          if (terms.law == PairLaw::cutoff) {
            part = r < nearest ? 0 : std::pow(1 - r * r / 49, 2) / r;
          } else if (terms.law == PairLaw::distance_cutoff) {
            part = r < nearest ? 0 : std::pow((1 - r * r / 49) / r, 2);
          } else {
            part = r < nearest ? -2 * ewald.alpha / std::sqrt(M_PI) : std::erfc(ewald.alpha * r) / r;
          }
          expected += charges.charge[i] * part;
          magnitude += std::abs(charges.charge[i] * part);
        }
      }
      ASSERT_NEAR(block.potential[at], expected, 3e-6 * magnitude) << at;
    }
  }
}

/// Six blocks in a row, more than are looked from at once, and two in the next row.
TEST_P(PairsOnInstructionSet, LayersSumAsTheirBlocksAlone) {
  const PairTerms terms{.law = PairLaw::cutoff, .cutoff = 7};
  const double units = units_per_angstrom(terms);
  std::vector<TileBlock> layer, alone;
  for (int number = 0; number < 8; ++number) {
    auto& block = layer.emplace_back(block_of_points(units));
    for (int i = 0; i < 16; ++i) {
      block.x[i] += static_cast<float>(2 * units * (number % 6));
      block.y[i] += static_cast<float>(2 * units * (number / 6));
    }
  }
  alone = layer;
  const auto charges = charges_around(layer.front(), -1, units);
  add_to_layer(layer, charges, terms);
  for (std::size_t number = 0; number < layer.size(); ++number) {
    add_to_layer({&alone[number], 1}, charges, terms);
    EXPECT_LT(*std::min_element(std::begin(alone[number].potential), std::end(alone[number].potential)), -1);
    for (int at = 0; at < TileBlock::points; ++at)
      ASSERT_EQ(layer[number].potential[at], alone[number].potential[at]) << number << ' ' << at;
  }
}

/// Whose squares, times those of distances, would be no numbers of single precision.
TEST_P(PairsOnInstructionSet, BlocksTakeChargesOfAnySize) {
  const PairTerms terms{.law = PairLaw::cutoff, .cutoff = 7};
  const double units = units_per_angstrom(terms);
  for (const float size : {1e-30F, 1e-13F, 1e-11F, 1e11F, 1e13F, 1e30F}) {
    for (const float sign : {1.0F, -1.0F}) {
      auto block = block_of_points(units);
      TileCharges one{};
      one.count = 1;
      one.x[0] = static_cast<float>(2 * units);
      one.charge[0] = sign * size;
      add_to_layer({&block, 1}, one, terms);
      for (int at = 0; at < TileBlock::points; ++at) {
        const double r = std::hypot(double{block.x[at % 16]} - double{one.x[0]}, double{block.y[at % 16]},
                                    double{block.z[at / 16]}) /
                         units;
        const double expected = double{one.charge[0]} * std::pow(1 - r * r / 49, 2) / r;
        ASSERT_NEAR(block.potential[at], expected, 3e-6 * std::abs(expected)) << size << ' ' << at;
      }
    }
  }
}

TEST_P(PairsOnInstructionSet, ChargesNearABoxAreSortedBySign) {
  constexpr int count = 3001;
  std::vector<double> x, y, z, charge;
  for (int i = 0; i < count; ++i) {
    Random random(9, static_cast<std::uint64_t>(i));
    for (auto* values : {&x, &y, &z}) values->push_back(1000 + 30 * random.uniform());
    charge.push_back(random.uniform() - 0.4);
  }
  const TileBox box{{1010, 1012, 1017}, 0.5, {2, 1, 0.5}, 4};
  std::vector<std::array<float, 4>> found, expected;
  for (std::size_t first = 0; first < count;) {
    TileCharges positive, negative;
    const std::size_t looked_at =
        sort_near(box, &x[first], &y[first], &z[first], &charge[first], count - first, positive, negative);
    ASSERT_GT(looked_at, 0U);
    ASSERT_LE(first + looked_at, count);
    first += looked_at;
    for (const auto* some : {&positive, &negative}) {
      for (int i = 0; i < some->count; ++i) {
        EXPECT_EQ(some->charge[i] < 0, some == &negative);
        found.push_back({some->x[i], some->y[i], some->z[i], some->charge[i]});
      }
    }
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::array from{(x[i] - 1010) / 2, (y[i] - 1012) / 2, (z[i] - 1017) / 2};
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      squared += std::pow(std::max(std::abs(from[axis]) - double{box.half[axis]}, 0.0), 2);
    if (squared < 16)
      expected.push_back({static_cast<float>(from[0]), static_cast<float>(from[1]),
                          static_cast<float>(from[2]), static_cast<float>(charge[i])});
  }
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_GT(expected.size(), 300U);
  EXPECT_EQ(found, expected);
}

TEST_P(PairsOnInstructionSet, ConvolutionsAreSums) {
  NumberBox numbers{{37, 6, 5}, {}};
  for (int i = 0; i < 37 * 6 * 5; ++i) {
    Random random(4, static_cast<std::uint64_t>(i));
    numbers.values.push_back(random.normal());
  }
  EvenKernel kernel{{4, 3, 4}, 4.2, {}};
  for (int i = 0; i < 5 * 4 * 5; ++i) kernel.values.push_back(1.0 / (1 + i));
  const auto found = convolved(numbers, kernel, {});
  for (int z = 0; z < 5; ++z) {
    for (int y = 0; y < 6; ++y) {
      for (int x = 0; x < 37; ++x) {
        double expected = 0;
        for (int c = 0; c < 5; ++c) {
          for (int b = 0; b < 6; ++b) {
            for (int a = 0; a < 37; ++a) {
              const int dx = std::abs(a - x), dy = std::abs(b - y), dz = std::abs(c - z);
              if (dx > 4 || dy > 3 || dz > 4 || dx * dx + dy * dy + dz * dz > 4.2 * 4.2) continue;
              expected += kernel.at(dx, dy, dz) * numbers.values[numbers.at(a, b, c)];
            }
          }
        }
        ASSERT_NEAR(found.values[found.at(x, y, z)], expected, 1e-12) << x << ' ' << y << ' ' << z;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PairsOnInstructionSet,
                         testing::Values(HWY_SSSE3, HWY_SSE4, HWY_AVX2, HWY_AVX3, HWY_NEON, HWY_EMU128),
                         [](const auto& set) { return std::string(hwy::TargetName(set.param)); });

}  // namespace
}  // namespace isolume::electrostatics
