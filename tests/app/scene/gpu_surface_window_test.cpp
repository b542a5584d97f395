#include <QApplication>
#include <QImage>
#include <QSignalSpy>
#include <QVBoxLayout>
#include <cmath>
#include <memory>
#include <vector>

#include <gtest/gtest.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/fields/surface_prop.h"
#include "app/scene/view/view_widget.h"
#include "core/dispatch/dispatch.h"
#include "gpu/emulator/devices.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/runtime/devices/gpu_device.h"
#include "tests/app/patience.h"
#include "tests/app/scene/analytic_field.h"

/// A window of the desktop that shows a GPU's surface: moved, closed, and nothing is left on the device.
namespace isolume::scene {
namespace {

void wait_for_frame(ViewWidget& view) {
  QSignalSpy frames(&view, &ViewWidget::rendered);
  view.request_render();
  ASSERT_TRUE(frames.wait(patience_ms));
}

std::shared_ptr<const grid::ScalarField> ball() {
  const auto grid = grid::centred(Eigen::Vector3d::Zero(), {24, 24, 24}, 0.3);
  return std::make_shared<const grid::ScalarField>(
      sampled(grid, [](const Eigen::Vector3d& p) { return std::exp(-p.squaredNorm()); }));
}

class GpuSurfaceInAWindow : public ::testing::Test {
 protected:
  void SetUp() override {
    gpu::emulator::set_devices("1x sm90 1GiB");
    std::vector<std::unique_ptr<dispatch::Device>> devices;
    devices.push_back(std::make_unique<gpu::GpuDevice>(gpu::describe_devices().at(0)));
    pool = std::make_shared<dispatch::DevicePool>(std::move(devices));
    engine = gpu::make_surface_engine(pool);
    view = std::make_unique<ViewWidget>();
    view->resize(240, 200);
    prop = std::make_unique<SurfaceProp>(*view->renderer());
    prop->set_lobes(contour_on_gpu(*engine, ball(), 0.5, false));
    prop->set_style(SurfaceStyle::smooth, 1, {1, 0, 0}, {0, 0, 1});
    view->renderer()->SetBackground(0, 0, 0);
    set_camera(*view->renderer(), "0,-4,0,0,0,0,0,0,1");
  }
  void TearDown() override {
    engine.reset();
    pool.reset();
    EXPECT_EQ(gpu::emulator::memory_use(0).bytes, 0U);
    EXPECT_EQ(gpu::emulator::pinned_memory_use().bytes, 0U);
  }

  void expect_red_in_the_middle() {
    const QImage picture = view->grabFramebuffer();
    const QColor colour = picture.pixelColor(picture.width() / 2, picture.height() / 2);
    EXPECT_GT(colour.red(), 100);
    EXPECT_LT(colour.blue(), colour.red() / 2);
  }

  std::shared_ptr<dispatch::DevicePool> pool;
  std::shared_ptr<gpu::SurfaceEngine> engine;
  std::unique_ptr<ViewWidget> view;
  std::unique_ptr<SurfaceProp> prop;
};

TEST_F(GpuSurfaceInAWindow, MovesToAnotherWindowWithItsContextLost) {
  view->show();
  wait_for_frame(*view);
  expect_red_in_the_middle();
  QWidget other;
  other.resize(240, 200);
  view->setParent(&other);  // Qt destroys the context and makes another
  view->show();
  other.show();
  wait_for_frame(*view);
  expect_red_in_the_middle();
  prop.reset();
  view.reset();
}

TEST_F(GpuSurfaceInAWindow, MayBeThereWhenTheWindowCloses) {
  view->show();
  wait_for_frame(*view);
  EXPECT_GT(gpu::emulator::memory_use(0).bytes, 0U);
  view->close();
  view.reset();  // the context goes before the surface
  prop.reset();
}

}  // namespace
}  // namespace isolume::scene

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  isolume::scene::ViewWidget::set_default_surface_format();
  const QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
