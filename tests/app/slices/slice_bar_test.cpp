#include "app/slices/slice_bar.h"

#include <QSlider>
#include <QSpinBox>
#include <QTest>

#include <gtest/gtest.h>

#include "app/slices/slice_frame.h"
#include "app/slices/slice_view.h"
#include "tests/app/slices/phantom.h"

namespace isolume::slices {
namespace {

class SliceBarTest : public testing::Test {
 protected:
  void SetUp() override {
    frame.view().set_document(head_phantom({40, 50, 30}, {4, 4, 6}));
    frame.resize(400, 300);
    frame.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&frame));
  }
  SliceFrame frame;
  QSlider& slider = *frame.findChild<QSlider*>();
  QSpinBox& number = *frame.findChild<QSpinBox*>();
};

TEST_F(SliceBarTest, FollowsTheViewAndCountsFromOne) {
  frame.view().set_slice({2, 7});
  EXPECT_EQ(slider.value(), 8);
  EXPECT_EQ(number.value(), 8);
  EXPECT_EQ(slider.maximum(), 30);
  frame.view().set_slice({0, 39});
  EXPECT_EQ(slider.maximum(), 40);
  EXPECT_EQ(number.value(), 40);
}

TEST_F(SliceBarTest, KeysOnTheSliderAndTypedNumbersMoveTheView) {
  frame.view().set_slice({2, 7});
  QTest::keyClick(&slider, Qt::Key_Up);
  EXPECT_EQ(frame.view().slice().index, 8);
  QTest::keyClick(&slider, Qt::Key_PageUp);
  EXPECT_EQ(frame.view().slice().index, 18);
  number.selectAll();
  QTest::keyClicks(&number, "3");
  QTest::keyClick(&number, Qt::Key_Return);
  EXPECT_EQ(frame.view().slice().index, 2);
  EXPECT_EQ(slider.value(), 3);
}

TEST_F(SliceBarTest, ImagesOfOneSliceHaveNone) {
  EXPECT_TRUE(slider.isVisible());
  frame.view().set_document(head_phantom({40, 50, 1}, {4, 4, 6}));
  EXPECT_FALSE(slider.isVisible());
  EXPECT_FALSE(number.isVisible());
}

}  // namespace
}  // namespace isolume::slices
