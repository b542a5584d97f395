#include "core/electrostatics/sums/kept_parts.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/base/text_file.h"
#include "core/electrostatics/sums/map_parts.h"
#include "tests/temporary_folder.h"

namespace isolume::electrostatics {
namespace {

using isolume::testing::TemporaryFolder;
using ::testing::HasSubstr;
using Start = KeptParts::Start;

grid::Grid small_grid() {
  grid::Grid grid;
  grid.dimensions = {11, 3, 2};
  grid.unit = grid::LengthUnit::angstrom;
  return grid;
}

/// Of a part, in the order of its field.
float value_at(int plane, std::size_t row) {
  return static_cast<float>(100 * plane) + static_cast<float>(row);
}

struct Computed {
  std::vector<int> planes;      ///< that were computed
  std::vector<float> by_plane;  ///< the first number of each plane that was used
};

/// In parts of so many planes; ended before the part that begins behind `last` planes.
Computed compute(int together, KeptParts* kept, int last = 100) {
  const grid::Grid grid = small_grid();
  Computed found;
  const auto empty = [](const grid::Grid& its) {
    grid::ScalarField field;
    field.grid = its;
    field.values.resize(its.point_count());
    return field;
  };
  const auto compute = [&](const GridPlanes& planes, float* values, const jobs::Progress&) {
    if (planes.first >= last) throw Cancelled();
    for (int i = planes.first; i < planes.end; ++i) {
      found.planes.push_back(i);
      for (std::size_t row = 0; row < 6; ++row)
        values[row * static_cast<std::size_t>(planes.count()) + static_cast<std::size_t>(i - planes.first)] =
            value_at(i, row);
    }
  };
  const auto use = [&](const grid::ScalarField& planes, const jobs::Progress&) {
    const auto count = static_cast<std::size_t>(planes.grid.dimensions[0]);
    for (std::size_t i = 0; i < count; ++i) {
      const int plane = static_cast<int>(found.by_plane.size());
      for (std::size_t row = 0; row < 6; ++row)
        EXPECT_EQ(planes.values[row * count + i], value_at(plane, row));
      found.by_plane.push_back(planes.values[i]);
    }
  };
  try {
    compute_parts(grid, {.planes = together, .count = (10 + together) / together, .bytes = 1}, empty, compute,
                  use, {}, kept);
  } catch (const Cancelled&) {
  }
  return found;
}

TEST(KeptParts, ContinueBehindWhatIsComputed) {
  const TemporaryFolder folder;
  {
    KeptParts kept(folder / "a.dx", 7, small_grid(), Start::fresh);
    EXPECT_EQ(compute(4, &kept, 8).planes.size(), 8u);
  }
  KeptParts kept(folder / "a.dx", 7, small_grid(), Start::continued);
  ASSERT_EQ(kept.parts().size(), 2u);
  const Computed rest = compute(2, &kept);
  EXPECT_THAT(rest.planes, ::testing::ElementsAre(8, 9, 10));
  EXPECT_EQ(rest.by_plane.size(), 11u) << "all planes are used, in their order";
  kept.discard();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

/// Whatever is on the disk when the program is killed.
TEST(KeptParts, HalfAPartIsComputedAgain) {
  const TemporaryFolder folder;
  {
    KeptParts kept(folder / "a.dx", 7, small_grid(), Start::fresh);
    compute(4, &kept, 8);
  }
  const std::string whole = read_text_file(folder / "a.dx.parts");
  for (std::size_t length = 60; length <= whole.size(); length += 9) {
    folder.write("a.dx.parts", whole.substr(0, length));
    KeptParts kept(folder / "a.dx", 7, small_grid(), Start::continued);
    const Computed rest = compute(3, &kept);
    EXPECT_EQ(rest.by_plane.size(), 11u) << length;
    EXPECT_EQ(rest.planes.size() % 4, 3u) << "parts of four planes, or none";
    std::filesystem::remove(folder / "a.dx.parts");
  }
}

TEST(KeptParts, OfAnotherComputationAreRefused) {
  const TemporaryFolder folder;
  {
    KeptParts kept(folder / "a.dx", 7, small_grid(), Start::fresh);
    compute(4, &kept, 8);
  }
  const auto refusal = [&](std::uint64_t computation, const grid::Grid& grid, Start start) -> std::string {
    try {
      KeptParts(folder / "a.dx", computation, grid, start);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  grid::Grid other = small_grid();
  other.dimensions[1] = 2;
  EXPECT_THAT(refusal(8, small_grid(), Start::continued),
              HasSubstr("a.dx.parts: these parts are of another"));
  EXPECT_THAT(refusal(7, other, Start::continued), HasSubstr("of another computation"));
  EXPECT_THAT(refusal(7, small_grid(), Start::fresh), HasSubstr("Continue that with --resume"));
  EXPECT_TRUE(std::filesystem::exists(folder / "a.dx.parts")) << "what was refused stays";
  std::filesystem::remove(folder / "a.dx.parts");
  EXPECT_THAT(refusal(7, small_grid(), Start::continued), HasSubstr("there is nothing to continue"));
}

TEST(KeptParts, NothingIsLeftWhereNoPartIsFinished) {
  const TemporaryFolder folder;
  { KeptParts kept(folder / "a.dx", 7, small_grid(), Start::fresh); }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace isolume::electrostatics
