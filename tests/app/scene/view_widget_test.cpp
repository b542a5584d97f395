#include "app/scene/view/view_widget.h"

#include <QApplication>
#include <QSignalSpy>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>

#include <gtest/gtest.h>
#include <vtkActor.h>
#include <vtkActor2D.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkCubeSource.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>

#include "app/scene/files/image.h"
#include "app/scene/props/line_set.h"
#include "app/scene/props/molecule_prop.h"
#include "tests/app/patience.h"

namespace isolume::scene {
namespace {

void add_cube(vtkRenderer& renderer, double x, double y, double red, double green, double blue) {
  vtkNew<vtkCubeSource> cube;
  cube->SetCenter(x, y, 0);
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputConnection(cube->GetOutputPort());
  vtkNew<vtkActor> actor;
  actor->SetMapper(mapper);
  actor->GetProperty()->SetColor(red, green, blue);
  actor->GetProperty()->LightingOff();
  renderer.AddActor(actor);
}

/// Red cube on the left, green one on the right, seen from +z; unlit, so that colours are known.
void fill(ViewWidget& view) {
  auto& renderer = *view.renderer();
  add_cube(renderer, -1.5, 0, 1, 0, 0);
  add_cube(renderer, 1.5, 0, 0, 1, 0);
  renderer.SetBackground(0, 0, 0.5);
  renderer.GetActiveCamera()->SetPosition(0, 0, 12);
  renderer.GetActiveCamera()->SetFocalPoint(0, 0, 0);
  renderer.ResetCameraClippingRange();
}

void wait_for_frame(ViewWidget& view) {
  QSignalSpy frames(&view, &ViewWidget::rendered);
  view.request_render();
  ASSERT_TRUE(frames.wait(patience_ms));
}

/// The colour at a place of the widget, given in its own (device independent) coordinates.
QColor colour_at(const QImage& picture, const ViewWidget& view, QPoint place) {
  const double ratio = static_cast<double>(picture.width()) / view.width();
  return picture.pixelColor(static_cast<int>(place.x() * ratio), static_cast<int>(place.y() * ratio));
}

double norm(const double* v) {
  return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

class View : public ::testing::Test {
 protected:
  void SetUp() override {
    if (QGuiApplication::platformName() == "offscreen") GTEST_SKIP() << "needs a display";
    window = std::make_unique<QWidget>();
    view = new ViewWidget;
    (new QVBoxLayout(window.get()))->addWidget(view);
    window->layout()->setContentsMargins(0, 0, 0, 0);
    window->resize(320, 240);
    fill(*view);
    window->show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(window.get()));
    wait_for_frame(*view);
  }

  void drag(QPoint from, QPoint to, Qt::MouseButton button = Qt::LeftButton,
            Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
    QTest::mousePress(view, button, modifiers, from);
    for (int step = 1; step <= 4; ++step) {
      const QPoint place = from + (to - from) * step / 4;
      QMouseEvent move(QEvent::MouseMove, place, view->mapToGlobal(place), Qt::NoButton, button, modifiers);
      QApplication::sendEvent(view, &move);
    }
    QTest::mouseRelease(view, button, modifiers, to);
  }

  void turn_wheel(QPoint place, int notches) {
    QWheelEvent event(place, view->mapToGlobal(place), {}, {0, 120 * notches}, Qt::NoButton, Qt::NoModifier,
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(view, &event);
  }

  vtkCamera& camera() { return *view->renderer()->GetActiveCamera(); }

  std::unique_ptr<QWidget> window;
  ViewWidget* view = nullptr;
};

void expect_cubes(const QImage& picture, const ViewWidget& view) {
  // 1.5 of a view that is 2 * 12 * tan(15 degrees) = 6.43 high, 240 points: 56 points beside the middle.
  EXPECT_EQ(colour_at(picture, view, {160 - 56, 120}), QColor(255, 0, 0));
  EXPECT_EQ(colour_at(picture, view, {160 + 56, 120}), QColor(0, 255, 0));
  EXPECT_NEAR(colour_at(picture, view, {160, 120}).blue(), 128, 1);
  EXPECT_NEAR(colour_at(picture, view, {10, 10}).blue(), 128, 1);
}

TEST_F(View, ShowsTheSceneAtTheScreensResolution) {
  const QImage picture = view->grabFramebuffer();
  EXPECT_EQ(picture.width(), std::lround(320 * view->devicePixelRatioF()));
  EXPECT_EQ(picture.height(), std::lround(240 * view->devicePixelRatioF()));
  EXPECT_EQ(view->render_window()->GetSize()[0], picture.width());
  EXPECT_EQ(view->render_window()->GetDPI(), std::lround(72 * view->devicePixelRatioF()));
  expect_cubes(picture, *view);
}

/// As in exported pictures, whose contexts are others.
TEST_F(View, LinesHaveTheirWidth) {
  auto line = std::make_shared<LineSet>();
  line->begin_line();
  for (const float x : {-3.0F, 3.0F}) line->add(x, 1.5F, 0, {255, 255, 255, 255});
  LineSetProp lines(*view->renderer(), {.width_points = 6, .translucent = false});
  lines.set(line);
  const double pixels_of_a_point = view->devicePixelRatioF();
  lines.update(pixels_of_a_point);
  wait_for_frame(*view);
  const QImage picture = view->grabFramebuffer();
  int white = 0;
  for (int y = 0; y < picture.height(); ++y) white += picture.pixelColor(picture.width() / 2, y).red() > 127;
  EXPECT_NEAR(white, 6 * pixels_of_a_point, 1);
}

TEST_F(View, AtomsChangeTheirSizeInTheSameView) {
  MoleculeProp atoms(*view->renderer());
  molecules::Molecule helium;
  helium.atoms.emplace_back().atomic_number = 2;
  atoms.set_molecule(helium);
  const auto area_at = [&](double scale) {
    atoms.set_atom_scale(scale);
    wait_for_frame(*view);
    const QImage picture = view->grabFramebuffer();
    int pixels = 0;
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = picture.width() * 2 / 5; x < picture.width() * 3 / 5; ++x)
        pixels += picture.pixelColor(x, y).red() > 40 ? 1 : 0;
    }
    return pixels;
  };
  const double small = area_at(0.25), large = area_at(0.5), again = area_at(0.25);
  EXPECT_GT(small, 100);
  EXPECT_NEAR(large / small, 4, 0.3);
  EXPECT_EQ(again, small);
}

TEST_F(View, WhatTheWindowShowsIsOpaque) {
  const QImage shown = window->grab().toImage();
  EXPECT_EQ(shown.pixelColor(shown.width() / 2, shown.height() / 2).alpha(), 255);
  EXPECT_EQ(colour_at(shown, *view, {160 - 56, 120}), QColor(255, 0, 0));
}

TEST_F(View, DraggingTurnsTheScene) {
  drag({60, 120}, {160, 120});
  // The trackball turns by 200 degrees across the width, at any pixel ratio: 100 of 320 points are 62.5
  // degrees.
  const double* place = camera().GetPosition();
  EXPECT_NEAR(std::atan2(-place[0], place[2]) * 180 / M_PI, 62.5, 2.0);
  EXPECT_NEAR(norm(place), 12, 1e-6);
  wait_for_frame(*view);
  // The cubes are 1.5 cos(62.5 degrees) beside the middle now, and nothing is left at 1.5.
  EXPECT_NEAR(colour_at(view->grabFramebuffer(), *view, {160 + 56, 120}).blue(), 128, 1);
}

TEST_F(View, TurntableKeepsZUpright) {
  view->set_interaction(Interaction::turntable);
  camera().SetPosition(0, -12, 0);
  camera().SetViewUp(0, 0, 1);
  drag({160, 120}, {260, 60});
  drag({160, 120}, {60, 200});
  EXPECT_DOUBLE_EQ(camera().GetViewUp()[2], 1.0);
  EXPECT_NEAR(norm(camera().GetPosition()), 12, 1e-6);
  drag({160, 10}, {160, 230});
  drag({160, 10}, {160, 230});
  // Never over the pole.
  EXPECT_GT(camera().GetPosition()[2], 11.9);
  EXPECT_DOUBLE_EQ(camera().GetViewUp()[2], 1.0);
}

TEST_F(View, ShiftAndMiddleDragPan) {
  drag({160, 120}, {200, 120}, Qt::LeftButton, Qt::ShiftModifier);
  // The scene follows the pointer: 40 of 240 points are 40/240 of 6.43.
  EXPECT_NEAR(camera().GetFocalPoint()[0], -40 * 6.4308 / 240, 0.03);
  drag({200, 120}, {160, 120}, Qt::MiddleButton);
  EXPECT_NEAR(camera().GetFocalPoint()[0], 0, 0.03);
  EXPECT_NEAR(camera().GetPosition()[2], 12, 1e-6);
}

TEST_F(View, WheelZoomsAboutThePointer) {
  const QPoint on_green(160 + 56, 120);
  turn_wheel(on_green, 3);
  EXPECT_NEAR(camera().GetDistance(), 12 / std::pow(1.15, 3), 1e-6);
  // What was under the pointer on the focal plane is still there.
  EXPECT_NEAR(camera().GetFocalPoint()[0], 1.5 * (1 - 1 / std::pow(1.15, 3)), 0.03);
  turn_wheel(on_green, -3);
  EXPECT_NEAR(camera().GetDistance(), 12, 1e-6);
  EXPECT_NEAR(camera().GetFocalPoint()[0], 0, 0.01);
}

TEST_F(View, DoubleClickMovesTheCentreOfRotationToWhatIsThere) {
  QTest::mouseDClick(view, Qt::LeftButton, {}, {160 + 56, 120});
  EXPECT_NEAR(camera().GetFocalPoint()[0], 1.5, 0.1);
  EXPECT_NEAR(camera().GetFocalPoint()[2], 0.5, 0.02);  // the cube's face toward the camera
}

TEST_F(View, KeysAreLeftToTheWorkbench) {
  const double before = camera().GetDistance();
  for (const auto key : {Qt::Key_E, Qt::Key_Q, Qt::Key_R, Qt::Key_W, Qt::Key_S, Qt::Key_P})
    QTest::keyClick(view, key);
  wait_for_frame(*view);
  EXPECT_EQ(camera().GetDistance(), before);
  EXPECT_EQ(camera().GetPosition()[2], 12);
}

TEST_F(View, ReparentingToANewWindowKeepsThePicture) {
  auto other = std::make_unique<QWidget>();
  other->resize(320, 240);
  auto* layout = new QVBoxLayout(other.get());
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(view);
  other->show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(other.get()));
  window.reset();
  wait_for_frame(*view);
  expect_cubes(view->grabFramebuffer(), *view);
}

TEST_F(View, ResizingKeepsTheSceneUndistorted) {
  window->resize(480, 240);
  wait_for_frame(*view);
  ASSERT_EQ(view->width(), 480);
  const QImage picture = view->grabFramebuffer();
  EXPECT_EQ(colour_at(picture, *view, {240 - 56, 120}), QColor(255, 0, 0));
  EXPECT_EQ(colour_at(picture, *view, {240 + 56, 120}), QColor(0, 255, 0));
}

TEST_F(View, TwoViewsInOneWindowAndDeletingOne) {
  auto* second = new ViewWidget;
  fill(*second);
  window->layout()->addWidget(second);
  window->resize(320, 480);
  wait_for_frame(*second);
  wait_for_frame(*view);
  delete second;
  window->resize(320, 240);
  wait_for_frame(*view);
  expect_cubes(view->grabFramebuffer(), *view);
}

TEST_F(View, APictureOfAnotherSizeLeavesTheViewAsItWas) {
  ImageOptions options;
  options.width = 640;
  options.height = 480;
  const auto image = render_offscreen(*view->renderer(), options);
  ASSERT_EQ(image->GetDimensions()[0], 640);
  const auto* red = static_cast<const unsigned char*>(image->GetScalarPointer(320 - 112, 240, 0));
  EXPECT_EQ(red[0], 255);
  EXPECT_EQ(red[1], 0);
  wait_for_frame(*view);
  EXPECT_EQ(view->render_window()->GetSize()[1], std::lround(240 * view->devicePixelRatioF()));
  expect_cubes(view->grabFramebuffer(), *view);
}

TEST_F(View, SlowFramesInQuickSuccessionAreDraftsUntilThingsSettle) {
  struct Slowness {
    ViewWidget* view = nullptr;
    int narrowest = 1 << 20;
    void sleep() {
      narrowest = std::min(narrowest, view->render_window()->GetSize()[0]);
      std::this_thread::sleep_for(std::chrono::milliseconds(60));
    }
  } slowness{view};
  view->renderer()->AddObserver(vtkCommand::StartEvent, &slowness, &Slowness::sleep);
  wait_for_frame(*view);
  wait_for_frame(*view);
  const int full_width = view->render_window()->GetSize()[0];
  QSignalSpy frames(view, &ViewWidget::rendered);
  QTest::mousePress(view, Qt::LeftButton, {}, {60, 120});
  for (int x = 60; x <= 160; x += 10) {
    QMouseEvent move(QEvent::MouseMove, QPoint(x, 120), view->mapToGlobal(QPoint(x, 120)), Qt::NoButton,
                     Qt::LeftButton, Qt::NoModifier);
    QApplication::sendEvent(view, &move);
    QApplication::processEvents();
  }
  EXPECT_NEAR(slowness.narrowest, full_width / 2, 1);
  QTest::mouseRelease(view, Qt::LeftButton, {}, {160, 120});
  ASSERT_TRUE(frames.wait(patience_ms));
  EXPECT_EQ(view->render_window()->GetSize()[0], full_width);
  // The drag turned the scene as far as in full pictures (see DraggingTurnsTheScene).
  const double* place = camera().GetPosition();
  EXPECT_NEAR(std::atan2(-place[0], place[2]) * 180 / M_PI, 62.5, 2.5);
}

TEST_F(View, TheFirstFrameIsADraftWhereFullOnesAreKnownToBeVerySlow) {
  struct Slowness {
    ViewWidget* view = nullptr;
    int full_width = 0;
    int drafts = 0;
    int smoothed_drafts = 0;
    void sleep() {
      const bool draft = view->render_window()->GetSize()[0] < full_width;
      drafts += draft;
      smoothed_drafts += draft && view->renderer()->GetUseFXAA();
      if (!draft) std::this_thread::sleep_for(std::chrono::milliseconds(200));
    }
  } slowness{view, view->render_window()->GetSize()[0]};
  view->renderer()->UseDepthPeelingOn();
  view->renderer()->AddObserver(vtkCommand::StartEvent, &slowness, &Slowness::sleep);
  wait_for_frame(*view);
  slowness.drafts = 0;
  QTest::qWait(500);  // long after the last frame: nothing is in quick succession
  QSignalSpy frames(view, &ViewWidget::rendered);
  view->request_render();
  ASSERT_TRUE(QTest::qWaitFor([&] { return slowness.drafts > 0; }, patience_ms));
  EXPECT_EQ(frames.count(), 0);
  EXPECT_TRUE(view->renderer()->GetUseDepthPeeling()) << "translucent layers stay in their order";
  ASSERT_TRUE(frames.wait(patience_ms));
  EXPECT_EQ(view->render_window()->GetSize()[0], slowness.full_width);
  EXPECT_EQ(slowness.smoothed_drafts, 0) << "that takes a third of a frame";
  EXPECT_TRUE(view->renderer()->GetUseFXAA());
}

/// Lines one pixel wide and apart, in front of the scene.
vtkSmartPointer<vtkActor2D> stripes(int height) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> quads;
  for (int x = 30; x < 60; x += 2) {
    const vtkIdType first = points->InsertNextPoint(x, 0, 0);
    points->InsertNextPoint(x + 1, 0, 0);
    points->InsertNextPoint(x + 1, height, 0);
    points->InsertNextPoint(x, height, 0);
    quads->InsertNextCell({first, first + 1, first + 2, first + 3});
  }
  vtkNew<vtkPolyData> shape;
  shape->SetPoints(points);
  shape->SetPolys(quads);
  vtkNew<vtkPolyDataMapper2D> mapper;
  mapper->SetInputData(shape);
  auto actor = vtkSmartPointer<vtkActor2D>::New();
  actor->SetMapper(mapper);
  return actor;
}

TEST_F(View, TextsAndBarsOfDraftsHaveTheFullResolution) {
  struct Slowness {
    void sleep() { std::this_thread::sleep_for(std::chrono::milliseconds(200)); }
  } slowness;
  const auto lines = stripes(1000);
  view->renderer()->AddActor2D(lines);
  view->renderer()->AddObserver(vtkCommand::StartEvent, &slowness, &Slowness::sleep);
  wait_for_frame(*view);
  QSignalSpy frames(view, &ViewWidget::rendered);
  view->request_render();
  QApplication::processEvents();
  const QImage draft = window->grab().toImage();
  ASSERT_EQ(frames.count(), 0) << "no draft was shown";
  expect_cubes(
      draft.copy(QRect(view->pos() * draft.devicePixelRatio(), view->size() * draft.devicePixelRatio())),
      *view);
  const QPoint left = view->pos() * draft.devicePixelRatio();
  for (int x = 30; x < 60; ++x) {
    const QColor colour = draft.pixelColor(left + QPoint(x, 20));
    EXPECT_EQ(colour.red(), x % 2 == 0 ? 255 : 0) << x;
  }
  ASSERT_TRUE(frames.wait(patience_ms));
}

TEST_F(View, AClickIsNoDragAndKnowsItsPlace) {
  QSignalSpy clicks(view, &ViewWidget::clicked);
  drag({60, 120}, {160, 120});
  EXPECT_EQ(clicks.count(), 0);
  QSignalSpy with_keys(view, &ViewWidget::clicked_with_keys);
  QTest::mouseClick(view, Qt::LeftButton, Qt::ShiftModifier, {80, 60});
  QTest::mouseClick(view, Qt::RightButton, {}, {80, 60});
  EXPECT_EQ(clicks.count(), 0);
  EXPECT_EQ(with_keys.count(), 1);
  QTest::mouseClick(view, Qt::LeftButton, {}, {80, 60});
  ASSERT_EQ(clicks.count(), 1);
  EXPECT_DOUBLE_EQ(clicks[0][0].toDouble(), 0.25);
  EXPECT_DOUBLE_EQ(clicks[0][1].toDouble(), 0.75);
}

TEST_F(View, TimersOfTheInteractorTick) {
  auto* interactor = view->render_window()->GetInteractor();
  struct Count {
    int ticks = 0;
    void tick() { ++ticks; }
  } count;
  interactor->AddObserver(vtkCommand::TimerEvent, &count, &Count::tick);
  const int timer = interactor->CreateRepeatingTimer(5);
  EXPECT_TRUE(QTest::qWaitFor([&] { return count.ticks >= 3; }, patience_ms));
  interactor->DestroyTimer(timer);
  interactor->RemoveObservers(vtkCommand::TimerEvent);
}

TEST(WithoutOpenGl, ShowingTheViewDrawsThePictureAllTheSame) {
  if (QGuiApplication::platformName() != "offscreen") GTEST_SKIP() << "is about platforms without OpenGL";
  QWidget window;
  window.resize(320, 240);
  auto* layout = new QVBoxLayout(&window);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* view = new ViewWidget;
  layout->addWidget(view);
  fill(*view);
  window.show();
  wait_for_frame(*view);
  expect_cubes(window.grab().toImage(), *view);
}

}  // namespace
}  // namespace isolume::scene

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  if (GTEST_FLAG_GET(list_tests)) return RUN_ALL_TESTS();
  if (std::getenv("DISPLAY") == nullptr) setenv("QT_QPA_PLATFORM", "offscreen", 0);
  isolume::scene::ViewWidget::set_default_surface_format();
  const QApplication application(argc, argv);
  return RUN_ALL_TESTS();
}
