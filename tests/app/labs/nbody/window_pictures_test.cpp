// Pictures of the window's scenes, beside those that were looked at.
#include <gtest/gtest.h>
#include <vtkImageData.h>

#include "app/workbench/window/main_window.h"
#include "tests/app/lab_window_test.h"
#include "tests/app/scene/baseline.h"

namespace isolume::labs::nbody {

workbench::LabEntry lab_entry();

namespace {

class NBodyPicturesTest : public LabWindowTest {
 protected:
  NBodyPicturesTest() : LabWindowTest({lab_entry()}) {
    window->resize(1200, 800);  // cameras were placed in a view of this shape
  }
  void expect_looks_like(const char* baseline, std::vector<std::string> lines) {
    lines.insert(lines.begin(), "lab.show nbody");
    lines.push_back("file.export-image " + path("picture.png") + " 480x360");
    ASSERT_EQ(run(lines), "");
    scene::expect_like_baseline(*scene::read_png(path("picture.png")), baseline, scene::likeness::small);
  }
};

TEST_F(NBodyPicturesTest, AGalaxyWithItsColourBarLooksAsLookedAt) {
  expect_looks_like("nbody-galaxy", {"nbody.scene galaxy 6000 5", "view.preset isometric", "nbody.step 10",
                                     "parameter.set brightness 3", "nbody.pick 12"});
}

TEST_F(NBodyPicturesTest, BoxesTrailsAndTheProbeLookAsLookedAt) {
  expect_looks_like("nbody-octree-and-trails",
                    {"nbody.scene collapse 150 7", "parameter.set solver direct", "parameter.set dt 0.02",
                     "parameter.set colour-by id", "nbody.step 40", "nbody.trails all 40", "nbody.octree 3",
                     "view.zoom-in", "view.zoom-in", "view.zoom-in", "nbody.probe 0.5 0.25 0.9"});
}

TEST_F(NBodyPicturesTest, SurfaceDensityLooksAsLookedAt) {
  expect_looks_like("nbody-surface-density", {"nbody.scene encounter 8000 3", "view.preset top",
                                              "nbody.step 5", "nbody.surface-density"});
}

}  // namespace
}  // namespace isolume::labs::nbody
