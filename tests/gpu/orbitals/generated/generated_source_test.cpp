// The text that becomes a kernel. That NVRTC takes it: generated_nvrtc_test.cpp; what it computes:
// generated_job_test.cpp.
#include "gpu/orbitals/generated/generated_source.h"

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/core/orbitals/made_up_wavefunction.h"
#include "tests/gpu/orbitals/many_kinds.h"

namespace isolume::gpu {
namespace {

int occurrences(const std::string& text, std::string_view what) {
  int count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
  return count;
}

std::string source_of(const molecules::Wavefunction& wavefunction, const GeneratedShape& shape = {}) {
  return generated_source(find_atom_types(wavefunction.molecule, wavefunction.basis), shape);
}

std::vector<GeneratedShape> all_shapes() {
  std::vector<GeneratedShape> shapes;
  for (const auto places : {PlaceKind::aligned_grid, PlaceKind::grid, PlaceKind::scattered}) {
    for (const int columns : {1, 2, 4}) {
      for (const bool quadratic : {false, true}) shapes.push_back({places, columns, quadratic});
    }
  }
  return shapes;
}

float read_back(const std::string& literal) {
  EXPECT_EQ(literal.back(), 'f') << literal;
  EXPECT_TRUE(literal.find_first_of(".e") != std::string::npos) << literal << " is an integer to a compiler";
  return std::strtof(literal.c_str(), nullptr);
}

TEST(GeneratedSource, LiteralsReadBackAsTheSameFloat) {
  for (const float value : {0.0F, 1.0F, -1.0F, 100.0F, 16777216.0F, 0.1F, 1e-45F, -3.4e38F,
                            std::numeric_limits<float>::min(), std::numeric_limits<float>::max()}) {
    EXPECT_EQ(read_back(float_literal(value)), value);
  }
  std::mt19937 generator(11);
  for (int i = 0; i < 100'000; ++i) {
    const float value = std::bit_cast<float>(static_cast<std::uint32_t>(generator()));
    if (std::isfinite(value)) {
      ASSERT_EQ(read_back(float_literal(value)), value);
    }
  }
  EXPECT_EQ(read_back(float_literal(0.1)), 0.1F) << "doubles are rounded to nearest once";
}

TEST(GeneratedSource, NumbersBeyondFloatAreRefused) {
  EXPECT_THROW(float_literal(1e39), Error);
  EXPECT_THROW(float_literal(std::nan("")), Error);
}

TEST(GeneratedSource, DependsOnTheShellsOfTypesAndNothingElse) {
  auto wavefunction = test::all_shells(true);
  const std::string text = source_of(wavefunction);
  wavefunction.molecule.atoms[1].position_bohr = {100, -3, 1e-3};
  EXPECT_EQ(source_of(wavefunction), text) << "geometry";
  for (auto& shell : wavefunction.basis.shells) shell.spherical = false;
  EXPECT_EQ(source_of(wavefunction), text) << "spherical functions are the coefficients' matter";
  auto larger = wavefunction;
  larger.molecule.atoms.push_back({6, {5, 5, 5}, 6.0});
  for (const auto& shell : wavefunction.basis.shells) {
    if (shell.atom != 0) continue;
    larger.basis.shells.push_back(shell);
    larger.basis.shells.back().atom = 3;
  }
  EXPECT_EQ(source_of(larger), text) << "one more atom of the same type";
  for (const auto& shape : all_shapes()) {
    if (shape != GeneratedShape{}) {
      EXPECT_NE(source_of(wavefunction, shape), text);
    }
  }
  wavefunction.basis.shells.front().exponents.front() *= 1 + 1e-6;
  EXPECT_NE(source_of(wavefunction), text) << "an exponent";
}

TEST(GeneratedSource, SharedExponentsAreRaisedOnce) {
  molecules::BasisSet basis;
  basis.shells = {test::shell(0, 0, false, {7.9, 1.9, 0.54}, {-0.1, -0.2, 1.1}),
                  test::shell(0, 1, false, {7.9, 1.9, 0.54}, {0.1, 0.3, 0.7}),
                  test::shell(0, 2, true, {0.8}, {1.0})};
  const auto types = find_atom_types(test::atoms_at({{0, 0, 0}}), basis);
  const std::string text = generated_source(types, {});
  EXPECT_EQ(occurrences(text, "exp2f("), 4);
  EXPECT_EQ(occurrences(text, "coefficient["), 3) << "ten coefficients are three words";
}

TEST(GeneratedSource, AtomsOfOneKindAreOneLoop) {
  auto wavefunction = test::all_shells(true);
  EXPECT_EQ(occurrences(source_of(wavefunction), "for (int left"), 1);
  wavefunction.basis.shells.back().exponents.front() = 2.0;  // the last atom becomes one of its own kind
  EXPECT_EQ(occurrences(source_of(wavefunction), "for (int left"), 2);
}

TEST(GeneratedSource, IsRefusedWhenTooLong) {
  EXPECT_LE(source_of(test::many_kinds(10)).size(), largest_generated_source);
  EXPECT_THROW(source_of(test::many_kinds(200)), Error);
}

}  // namespace
}  // namespace isolume::gpu
