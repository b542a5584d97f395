// Regions of the Anatomy lab become contours of the Livewire lab.
#include <QFile>
#include <QUndoStack>
#include <algorithm>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/isolume/labs.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "tests/app/lab_window_test.h"

namespace isolume::workbench {
namespace {

std::vector<LabEntry> two_labs() {
  auto all = labs();
  std::erase_if(all, [](const LabEntry& each) {
    return each.description.name != "anatomy" && each.description.name != "livewire";
  });
  return all;
}

class RegionsInLivewire : public LabWindowTest {
 protected:
  RegionsInLivewire() : LabWindowTest(two_labs()) {}
};

TEST_F(RegionsInLivewire, AreTheSameVoxelsAndOneStepOfUndo) {
  EXPECT_NE(run({"lab.show anatomy", "anatomy.regions.paint 1 3 third 0 0 0", "anatomy.regions.trace"})
                .find("not a file"),
            std::string::npos);
  // A box of value 1 in 0.
  grid::Grid grid = grid::centred({0, 0, 0}, {20, 18, 6}, 2, grid::LengthUnit::millimetre);
  grid.frame = grid::Frame::patient;
  FieldValues values(grid.point_count());
  std::size_t box = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::size_t x = i % 20, y = i / 20 % 18, z = i / 360;
    const bool is_box = x >= 6 && x < 13 && y >= 5 && y < 14 && z >= 1 && z < 5;
    values[i] = is_box ? 1 : 0;
    box += is_box ? 1 : 0;
  }
  anatomy::write_image(grid, values, path("fixed image.nrrd"));
  ASSERT_EQ(run({"anatomy.fixed.open " + commands::quote(path("fixed image.nrrd")),
                 "anatomy.regions.paint 3 2 third 0 0 1", "anatomy.regions.paint 0 2 third -18 -16 1",
                 "anatomy.regions.save " + path("regions.nrrd"), "anatomy.regions.trace"}),
            "");
  ASSERT_EQ(run({"file.export " + path("traced.nrrd")}), "") << "of Livewire, which is shown";
  const anatomy::Labels regions = anatomy::read_labels(path("regions.nrrd")),
                        traced = anatomy::read_labels(path("traced.nrrd"));
  EXPECT_EQ(traced.indices, regions.indices);
  EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(traced.indices, 1U)), box);
  EXPECT_TRUE(window->undo_stack().canUndo());
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_FALSE(window->undo_stack().canUndo());
  ASSERT_TRUE(QFile::remove(folder.filePath("fixed image.nrrd")));
  EXPECT_NE(run({"lab.show anatomy", "anatomy.regions.trace"}).find("fixed image.nrrd"), std::string::npos);
}

}  // namespace
}  // namespace isolume::workbench
