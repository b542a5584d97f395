#include "core/gaussians/populations.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/molecules/document.h"

namespace isolume::gaussians {
namespace {

const std::filesystem::path folder = std::filesystem::path(ISOLUME_TEST_REFERENCES) / "potentials";

/// Mulliken's and Loewdin's.
std::vector<std::array<double, 2>> read_charges(const std::string& name) {
  std::vector<std::array<double, 2>> charges;
  std::ifstream file(folder / (name + ".charges.csv"));
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::size_t comma = 0;
    const double first = std::stod(line, &comma);
    charges.push_back({first, std::stod(line.substr(comma + 1))});
  }
  return charges;
}

class PopulationsOf : public testing::TestWithParam<const char*> {};

TEST_P(PopulationsOf, ArePyscfs) {
  const auto document = molecules::read_document(folder / (GetParam() + std::string(".molden.gz")));
  const auto& wavefunction = *document.wavefunction;
  const auto expected = read_charges(GetParam());
  const auto mulliken = mulliken_charges(wavefunction, wavefunction.sets.front());
  const auto loewdin = loewdin_charges(wavefunction, wavefunction.sets.front());
  ASSERT_EQ(mulliken.size(), static_cast<Eigen::Index>(expected.size()));
  for (std::size_t a = 0; a < expected.size(); ++a) {
    EXPECT_NEAR(mulliken[static_cast<Eigen::Index>(a)], expected[a][0], 1e-7) << a;
    EXPECT_NEAR(loewdin[static_cast<Eigen::Index>(a)], expected[a][1], 1e-7) << a;
  }
  EXPECT_NEAR(mulliken.sum(), loewdin.sum(), 1e-9);
}
INSTANTIATE_TEST_SUITE_P(All, PopulationsOf,
                         testing::Values("water-ccpv5z", "hydroxide-cartesian", "oh-cartesian",
                                         "methyl-iodide-ecp"));

TEST(Populations, RefuseWhatDoesNotFit) {
  const auto document = molecules::read_document(folder / "oh-cartesian.molden.gz");
  auto set = document.wavefunction->sets.front();
  set.orbitals.pop_back();
  EXPECT_THROW(mulliken_charges(*document.wavefunction, set), Error);
  EXPECT_THROW(loewdin_charges(*document.wavefunction, set), Error);
}

}  // namespace
}  // namespace isolume::gaussians
