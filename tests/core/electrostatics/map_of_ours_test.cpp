// Maps that we write, opened by another program.
#include <string>

#include <gtest/gtest.h>

#include "core/electrostatics/maps/map_file.h"
#include "tests/run_program.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

class MapOfOurs : public ::testing::TestWithParam<std::string> {};

TEST_P(MapOfOurs, IsReadByGridDataFormats) {
  const std::string python = ISOLUME_PHANTOM_PYTHON;
  if (python.empty() || !isolume::testing::run_program({python, "-c", "import gridData"}))
    GTEST_SKIP() << "no Python with GridDataFormats was found (Debian: python3-griddataformats)";
  grid::ScalarField field;
  // Whole numbers of steps from 0, and others, which CCP4 maps say in other words.
  const bool between = GetParam().starts_with("between");
  field.grid.origin = {between ? -1.625 : -1.5, 2.25, 10};
  field.grid.step = Eigen::Vector3d(0.5, 0.75, 1.25).asDiagonal();
  field.grid.dimensions = {5, 4, 3};
  field.grid.unit = grid::LengthUnit::angstrom;
  field.name = "potential";
  field.unit = "kT/e";
  for (int k = 0; k < 3; ++k) {
    for (int j = 0; j < 4; ++j) {
      for (int i = 0; i < 5; ++i) field.values.push_back(static_cast<float>(i + 10 * j + 100 * k));
    }
  }
  const isolume::testing::TemporaryFolder folder;
  const auto file = folder / GetParam();
  write_map(field, file);
  EXPECT_TRUE(isolume::testing::run_program(
      {python, ISOLUME_TEST_READ_MAP, file.string(), between ? "-1.625" : "-1.5", "2.25", "10"}));
}

INSTANTIATE_TEST_SUITE_P(All, MapOfOurs,
                         ::testing::Values("map.dx", "map.dx.gz", "between.mrc", "map.mrc", "map.ccp4"));

}  // namespace
}  // namespace isolume::electrostatics
