#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QUndoCommand>
#include <QUndoStack>

#include <gtest/gtest.h>

#include "app/labs/livewire/tools/tracing_model.h"
#include "app/slices/linked_slices.h"
#include "app/slices/slice_frame.h"
#include "tests/app/slices/phantom.h"
#include "tests/app/slices/wheel.h"

namespace isolume::labs::livewire {
namespace {

using images::PatientPlane;
using images::SliceId;
using slices::SliceView;

class ViewsTest : public testing::Test {
 protected:
  void SetUp() override {
    views.resize(1200, 800);
    model.set_image(slices::head_phantom({80, 100, 30}, {2, 2, 6}), {});
    views.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&views));
  }
  const images::Geometry& geometry() { return model.image()->volume.geometry; }
  Eigen::Vector3d cursor_index() { return geometry().index_at(model.cursor_mm()); }
  SliceView& coronal() { return *views.all()[1]; }
  SliceView& sagittal() { return *views.all()[2]; }

  QUndoStack undo;
  TracingModel model{undo};
  QWidget* three_d = new QWidget;
  slices::LinkedSlices views{model, three_d};
};

TEST_F(ViewsTest, AnImageOpensWithItsMiddleInThreePlanes) {
  EXPECT_EQ(views.large().slice(), (SliceId{2, 15}));
  EXPECT_EQ(coronal().slice(), (SliceId{1, 50}));
  EXPECT_EQ(sagittal().slice(), (SliceId{0, 40}));
  EXPECT_TRUE(three_d->isVisible());
  EXPECT_GT(views.large().width(), 2 * coronal().width());
}

/// An undo entry that is no change of contours, but has a merge id like one.
class AnotherKind : public QUndoCommand {
 public:
  int id() const override { return 1; }
};

TEST_F(ViewsTest, UndoEntriesOfDifferentKindsAreNeverTakenForEachOther) {
  model.change("Drag", {}, 1);
  model.change("Drag", {}, 1);
  EXPECT_EQ(undo.count(), 1);
  undo.push(new AnotherKind);
  EXPECT_EQ(undo.count(), 2);
  undo.undo();
  undo.undo();
}

TEST_F(ViewsTest, TheLargeViewAndTheModelShowOneSlice) {
  slices::turn_wheel(views.large(), {50, 50}, 240);
  EXPECT_EQ(model.slice(), (SliceId{2, 17}));
  EXPECT_NEAR(cursor_index().z(), 17, 1e-9);
  model.set_slice({2, 3});
  EXPECT_EQ(views.large().slice(), (SliceId{2, 3}));
}

TEST_F(ViewsTest, TheLeftButtonInASmallViewMovesTheCrosshairAndTheLargeSlice) {
  const auto expect_cursor_at = [&](const QPoint& point) {
    const Eigen::Vector2d place = coronal().to_place(point);  // of x = i, y = k
    EXPECT_NEAR(cursor_index().x(), place.x(), 1e-9);
    EXPECT_NEAR(cursor_index().y(), 50, 0.51);
    EXPECT_NEAR(cursor_index().z(), std::round(place.y()), 1e-9);
    EXPECT_EQ(model.slice().index, std::lround(place.y()));
    EXPECT_EQ(views.large().slice(), model.slice());
    EXPECT_EQ(sagittal().slice().index, std::lround(place.x()));
  };
  const QPoint start = coronal().to_widget({30, 10}).toPoint(), end = coronal().to_widget({55, 20}).toPoint();
  QTest::mousePress(&coronal(), Qt::LeftButton, {}, start);
  expect_cursor_at(start);
  QTest::mouseMove(&coronal(), end);
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return model.slice().index != std::lround(coronal().to_place(start).y()); }));
  expect_cursor_at(end);
  QTest::mouseRelease(&coronal(), Qt::LeftButton, {}, end);
  const Eigen::Vector3d before = model.cursor_mm();
  QTest::mouseMove(&coronal(), start);
  QTest::qWait(20);
  EXPECT_EQ(model.cursor_mm(), before);
}

TEST_F(ViewsTest, TheWheelInASmallViewMovesTheCursorThroughItsSlices) {
  const Eigen::Vector3d before = cursor_index();
  slices::turn_wheel(sagittal(), {50, 50}, -360);
  EXPECT_NEAR(cursor_index().x(), 37, 1e-9);
  EXPECT_NEAR(cursor_index().y(), before.y(), 1e-9);
  EXPECT_EQ(sagittal().slice(), (SliceId{0, 37}));
  EXPECT_EQ(model.slice(), (SliceId{2, 15}));
}

TEST_F(ViewsTest, ShiftAndAMoveInTheLargeViewSetTheCrosshair) {
  auto& large = views.large();
  const Eigen::Vector3d before = model.cursor_mm();
  QTest::mouseMove(&large, {200, 300});
  QTest::qWait(20);
  EXPECT_EQ(model.cursor_mm(), before);
  const QPointF to = large.to_widget({20, 30});
  QMouseEvent move(QEvent::MouseMove, to, large.mapToGlobal(to), Qt::NoButton, Qt::NoButton,
                   Qt::ShiftModifier);
  QCoreApplication::sendEvent(&large, &move);
  EXPECT_LT((cursor_index() - Eigen::Vector3d(20, 30, 15)).norm(), 1e-9);
  EXPECT_EQ(coronal().slice().index, 30);
  EXPECT_EQ(sagittal().slice().index, 20);
}

TEST_F(ViewsTest, ASmallViewsTitleSwapsItWithTheLargeOne) {
  auto* frame = qobject_cast<slices::SliceFrame*>(coronal().parentWidget());
  ASSERT_NE(frame, nullptr);
  auto* title = frame->findChild<QLabel*>();
  EXPECT_EQ(title->text(), "Coronal");
  QTest::mouseDClick(title, Qt::LeftButton);
  EXPECT_EQ(views.large_plane(), PatientPlane::coronal);
  EXPECT_EQ(views.large().slice(), (SliceId{1, 50}));
  EXPECT_EQ(coronal().slice(), (SliceId{2, 15}));  // where the coronal one was
  EXPECT_EQ(title->text(), "Axial");
  QTest::keyClick(title, Qt::Key_Return);
  EXPECT_EQ(views.large_plane(), PatientPlane::axial);
}

TEST_F(ViewsTest, PlanesAreFoundInVolumesThatLieOtherwise) {
  Eigen::Matrix3d direction;  // sagittal slices: i to the back, j to the feet, k to the left
  direction << 0, 0, 1, 1, 0, 0, 0, -1, 0;
  model.set_image(slices::head_phantom({60, 50, 40}, {3, 4, 5}, direction), {});
  EXPECT_EQ(views.large_plane(), PatientPlane::sagittal);  // as it was taken
  views.set_large_plane(PatientPlane::axial);
  EXPECT_EQ(model.slice().axis, 1);
  EXPECT_EQ(views.all()[1]->slice().axis, 0);
  EXPECT_EQ(views.all()[2]->slice().axis, 2);
}

TEST_F(ViewsTest, OneWindowForAll) {
  QTest::mousePress(&sagittal(), Qt::RightButton, {}, {60, 60});
  QTest::mouseMove(&sagittal(), {90, 80});
  QTest::mouseRelease(&sagittal(), Qt::RightButton, {}, {90, 80});
  ASSERT_TRUE(QTest::qWaitFor([&] { return sagittal().window().width > 401; }));
  for (auto* view : views.all()) {
    EXPECT_EQ(view->window().centre, sagittal().window().centre);
    EXPECT_EQ(view->window().width, sagittal().window().width);
  }
}

TEST_F(ViewsTest, TheTitleOfThe3dViewGivesItAllTheRoomAndTakesItBack) {
  auto* title = views.findChild<QWidget*>("space-title");
  ASSERT_NE(title, nullptr);
  QTest::mouseDClick(title, Qt::LeftButton);
  EXPECT_TRUE(three_d->isVisible());
  EXPECT_FALSE(views.large().isVisible());
  EXPECT_FALSE(coronal().isVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return three_d->width() > 0.95 * views.width(); }));
  QTest::keyClick(title, Qt::Key_Return);
  EXPECT_TRUE(views.large().isVisible());
  EXPECT_TRUE(coronal().isVisible());
  views.set_space_alone(true);
  model.set_image(slices::head_phantom({80, 100, 30}, {2, 2, 6}), {});
  EXPECT_TRUE(views.large().isVisible()) << "another image";
}

TEST_F(ViewsTest, PicturesAndNarrowWindowsHaveTheLargeViewAlone) {
  EXPECT_TRUE(coronal().isVisible());
  views.resize(300, 600);
  EXPECT_FALSE(coronal().isVisible());
  EXPECT_FALSE(three_d->isVisible());
  EXPECT_TRUE(QTest::qWaitFor([&] { return views.large().width() > 200; }));
  views.resize(1200, 800);
  EXPECT_TRUE(coronal().isVisible());
  views.set_side_shown(false);
  EXPECT_FALSE(coronal().isVisible());
  views.set_side_shown(true);
  EXPECT_TRUE(three_d->isVisible());
  model.set_image(slices::head_phantom({80, 100, 1}, {2, 2, 6}), {});
  EXPECT_FALSE(coronal().isVisible());
  EXPECT_TRUE(views.large().isVisible());
}

TEST_F(ViewsTest, NothingIsOpenAtFirst) {
  TracingModel empty(undo);
  slices::LinkedSlices page(empty, nullptr);
  page.resize(800, 600);
  page.show();
  ASSERT_TRUE(QTest::qWaitForWindowExposed(&page));
  QTest::mouseClick(&page.large(), Qt::LeftButton);
  slices::turn_wheel(page.large(), {50, 50}, 120);
  page.set_large_plane(PatientPlane::coronal);
  page.go_to({1, 2, 3});
  EXPECT_FALSE(page.all()[1]->isVisible());
}

}  // namespace
}  // namespace isolume::labs::livewire
