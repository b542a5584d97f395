// What is made of traced contours: suggestions between slices, files of other programs, the panels.
#include <QAction>
#include <QCheckBox>
#include <QColorDialog>
#include <QInputDialog>
#include <QTableWidget>
#include <QTreeWidget>

#include "core/base/resources.h"
#include "core/dicom/rtstruct.h"
#include "tests/app/labs/livewire/lab_fixture.h"

namespace isolume::labs::livewire {
namespace {

/// Quoted: the program may lie in a folder with blanks in its name.
std::string open_the_sample() {
  return "file.open " + commands::quote(resource("samples/livewire/ct-abdomen").string());
}

TEST_F(LabTest, SlicesBetweenAreSuggestedAcceptedAndRejectedByKeys) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  trace_ball(3);
  ASSERT_EQ(run({"livewire.contour.deselect", "livewire.slice.show axial 7"}), "");
  trace_ball(6);
  ASSERT_EQ(run({"livewire.contour.interpolate"}), "");
  auto set = contours();
  ASSERT_EQ(set.contours().size(), 4u);
  for (std::size_t i = 2; i < 4; ++i) {
    EXPECT_TRUE(set.contours()[i]->suggestion);
    EXPECT_GT(dice(*set.contours()[i]), 0.95) << "slice " << set.contours()[i]->slice.index;
  }
  ASSERT_EQ(run({"livewire.contour.select 3"}), "");
  key(Qt::Key_Y);
  key(Qt::Key_X);
  set = contours();
  ASSERT_EQ(set.contours().size(), 3u);
  EXPECT_FALSE(set.contours()[2]->suggestion);
  ASSERT_EQ(run({"edit.undo", "edit.undo", "livewire.suggestion.accept-all"}), "");
  set = contours();
  ASSERT_EQ(set.contours().size(), 4u);
  EXPECT_FALSE(set.contours()[3]->suggestion);
}

TEST_F(LabTest, AStructureSetAndASegmentationComeBackAsTheyWereWritten) {
  ASSERT_EQ(run({open_the_sample(), "livewire.slice.show axial 5", "livewire.press 43 75",
                 "livewire.press 70 60", "livewire.press 97 85", "livewire.press 60 107", "livewire.close"}),
            "");
  const double area = *contours::measure(*contours().contours().front(), ball.geometry).area_mm2;
  ASSERT_GT(area, 100);
  for (const char* name : {"liver.dcm", "liver.seg.dcm", "liver.nii.gz"}) {
    ASSERT_EQ(run({"file.export " + file(name), "livewire.contours.import " + file(name)}), "") << name;
    const auto set = contours();
    ASSERT_EQ(set.contours().size(), 2u) << name;
    EXPECT_EQ(set.contours()[1]->slice.index, 4) << name;
    EXPECT_NEAR(*contours::measure(*set.contours()[1], ball.geometry).area_mm2, area, 0.06 * area) << name;
    ASSERT_EQ(run({"edit.undo"}), "");
  }
  EXPECT_EQ(dicom::kind_of(file("liver.dcm")), dicom::DicomKind::rtstruct);
  EXPECT_EQ(dicom::kind_of(file("liver.seg.dcm")), dicom::DicomKind::segmentation);
}

TEST_F(LabTest, ThePanelsListContoursMeasuresAndTheHeader) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  trace_ball();
  auto* tree = window->findChild<QTreeWidget*>("contours");
  ASSERT_TRUE(QTest::qWaitFor(
      [&] { return tree->topLevelItemCount() == 1 && tree->topLevelItem(0)->childCount() == 1; },
      patience_ms));
  tree->topLevelItem(0)->child(0)->setText(0, "Heart");
  tree->topLevelItem(0)->child(0)->setCheckState(3, Qt::Checked);
  EXPECT_EQ(contours().contours().front()->name, "Heart");
  EXPECT_TRUE(contours().contours().front()->locked);
  auto* table = window->findChild<QTableWidget*>("measures");
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->rowCount() == 2 && table->item(0, 0)->text() == "Heart"; },
                              patience_ms));
  const double area = std::numbers::pi * 16 * 16;
  EXPECT_NEAR(table->item(0, 3)->text().toDouble(), area, 0.03 * area);
  EXPECT_NEAR(table->item(0, 7)->text().toDouble(), 1000, 50) << "the mean within";
  EXPECT_EQ(table->item(1, 0)->text(), "Label 1");
  EXPECT_NEAR(table->item(1, 4)->text().toDouble(), area * 2 / 1000, 0.05 * area * 2 / 1000)
      << "ml: one slice, 2 mm thick";

  ASSERT_EQ(run({open_the_sample()}), "");
  auto* header = window->findChild<QTreeWidget*>("header");
  const auto patient = [&] { return header->findItems("Patient's Name", Qt::MatchExactly, 1); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return patient().size() == 1; }, patience_ms));
  EXPECT_EQ(patient()[0]->text(2), "(hidden)");
  window->findChild<QCheckBox*>("header.hide")->setChecked(false);
  EXPECT_NE(patient()[0]->text(2), "(hidden)");
}

QTreeWidgetItem* only_label(const QTreeWidget& tree, int contours) {
  return tree.topLevelItemCount() == 1 && tree.topLevelItem(0)->childCount() == contours
             ? tree.topLevelItem(0)
             : nullptr;
}

TEST_F(LabTest, TheContoursPanelSortsBySliceAndItsButtonsDoWhatTheySay) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"livewire.slice.show axial 5"}), "");
  trace_ball(4);
  ASSERT_EQ(run({"livewire.contour.deselect", "livewire.slice.show axial 3"}), "");
  trace_ball(2);
  ASSERT_EQ(run({"livewire.label.rename Heart"}), "");
  auto* tree = window->findChild<QTreeWidget*>("contours");
  ASSERT_TRUE(QTest::qWaitFor([&] { return only_label(*tree, 2) != nullptr; }, patience_ms));
  const auto row = [&](int number) { return only_label(*tree, 2)->child(number); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return row(0)->text(0) == "Heart 2"; }, patience_ms)) << "names follow";
  EXPECT_EQ(row(0)->text(1), "3");
  EXPECT_EQ(row(1)->text(0), "Heart 1");
  EXPECT_EQ(row(1)->text(1), "5");

  tree->setCurrentItem(row(1));
  const auto press = [&](const char* action) { window->findChild<QAction*>(action)->trigger(); };
  press("lock");
  press("hide");
  EXPECT_TRUE(contours().find(1)->locked);
  EXPECT_FALSE(contours().find(1)->visible);
  ASSERT_TRUE(QTest::qWaitFor([&] { return row(1)->checkState(3) == Qt::Checked; }, patience_ms));
  EXPECT_EQ(window->findChild<QAction*>("lock")->text(), "Unlock");
  press("lock");
  press("colour");
  auto* colours = window->findChild<QColorDialog*>("colour-dialog");
  ASSERT_NE(colours, nullptr);
  colours->setCurrentColor(QColor("#0072b2"));
  colours->accept();
  EXPECT_EQ(contours().find(1)->colour, "#0072b2");
  ASSERT_EQ(run({"livewire.contour.colour label"}), "");
  EXPECT_EQ(contours().find(1)->colour, "");
  press("delete");
  EXPECT_EQ(contours().contours().size(), 1u);
  press("new-label");
  auto* name = window->findChild<QInputDialog*>("new-label-dialog");
  ASSERT_NE(name, nullptr);
  name->setTextValue("Liver");
  name->accept();
  EXPECT_EQ(contours().labels().back().name, "Liver");
}

}  // namespace
}  // namespace isolume::labs::livewire
