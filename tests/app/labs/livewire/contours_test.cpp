// What is made of traced contours: suggestions between slices, files of other programs, the panels.
#include <QAction>
#include <QCheckBox>
#include <QColorDialog>
#include <QDockWidget>
#include <QInputDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableWidget>
#include <QTreeWidget>
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <utility>

#include "app/labs/livewire/panels/contour_panel.h"
#include "app/workbench/window/banner.h"
#include "core/base/resources.h"
#include "core/base/text_file.h"
#include "core/contours/label_map.h"
#include "core/dicom/contours/read_contours.h"
#include "core/image_files/read_image.h"
#include "tests/app/labs/livewire/lab_fixture.h"
#include "tests/core/images/made_nifti.h"

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
  EXPECT_NE(status().find("Label 1 3 is a suggestion: Y accepts it, X rejects it."), std::string::npos)
      << status();
  const auto is_slanted = [&](int row) {
    const auto* label = window->findChild<QTreeWidget*>("contours")->topLevelItem(0);
    return label->child(row)->font(0).italic();  // by slice
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return is_slanted(1) && is_slanted(2); }, patience_ms));
  EXPECT_FALSE(is_slanted(0) || is_slanted(3));
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
  for (const char* name : {"liver.dcm", "liver.seg.dcm", "liver.nii.gz", "liver.seg.nrrd"}) {
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

std::string text_of_banner(const QWidget& window) {
  const auto* banner = window.findChild<workbench::Banner*>("warning-banner");
  return banner == nullptr ? "" : banner->text().toStdString();
}

/// Gives the contours of region 2 to region 1, in a file of implicit VR.
void join_regions(const std::string& path) {
  using namespace std::string_literals;
  std::string bytes = read_text_file(path);
  const std::string second = "\x06\x30\x84\0\x02\0\0\0"s + "2 ", first = "\x06\x30\x84\0\x02\0\0\0"s + "1 ";
  const auto at = bytes.find(second);
  ASSERT_NE(at, std::string::npos);
  bytes.replace(at, second.size(), first);
  std::ofstream(path, std::ios::binary) << bytes;
}

std::ptrdiff_t voxels_of(const contours::ContourSet& set, int label, const images::Geometry& geometry) {
  return std::ranges::count(contours::mask_of_label(set, label, geometry).values, 1);
}

/// Organs of one name and colour, as some programs write them: the names stay, the colours become those of the palette.
TEST_F(LabTest, ImportedOrgansOfOneNameAreToldApartByColour) {
  contours::ContourSet set;
  for (int value = 1; value <= 3; ++value) {
    set.put_label({.value = value, .name = "Kidney", .colour = value == 2 ? "#E59E01" : "#e69f00"});
    set.add(contours::contour_from_outline(
        {{40.0 + 10 * value, 40}, {45.0 + 10 * value, 40}, {42.0 + 10 * value, 50}}, {2, 5}, true, value));
  }
  ASSERT_EQ(run({open_the_sample()}), "");
  const auto image = images::read_image(resource("samples/livewire/ct-abdomen"));
  contours::write_contours({set, {"", "", image.volume.geometry}}, file("organs.json"));
  for (int times = 1; times <= 2; ++times) {
    ASSERT_EQ(run({"livewire.contours.import " + file("organs.json")}), "");
    const auto read = contours();
    ASSERT_EQ(read.labels().size(), 3U * static_cast<std::size_t>(times));
    std::set<std::string> colours;
    for (const auto& label : read.labels()) {
      EXPECT_EQ(label.name, "Kidney");
      colours.insert(label.colour);
    }
    EXPECT_EQ(colours.size(), read.labels().size());
  }
  EXPECT_EQ(contours().labels()[1].colour, contours::label_colour(1));
  ASSERT_EQ(run({"livewire.label.add Spleen"}), "");
  EXPECT_EQ(contours().labels().back().colour, contours::label_colour(6)) << "the last that is free";
}

TEST_F(LabTest, ImportedOverItsOwnALabelKeepsItsVolumeAndUndoTakesItAllBack) {
  ASSERT_EQ(run({open_the_sample(), "livewire.slice.show axial 5",
                 "livewire.contour.trace 2 5 1 closed straight:40,40;80,40;80,80;40,80;40,40",
                 "file.export " + file("box.dcm"), "file.export " + file("box.seg.dcm")}),
            "");
  const auto geometry = images::read_image(resource("samples/livewire/ct-abdomen")).volume.geometry;
  for (const char* name : {"box.dcm", "box.seg.dcm"}) {
    ASSERT_EQ(run({"livewire.contours.import " + file(name)}), "");
    const auto set = contours();
    ASSERT_EQ(set.labels().size(), 2U);
    EXPECT_EQ(voxels_of(set, 1, geometry), 1600) << name;
    EXPECT_EQ(voxels_of(set, 2, geometry), 1600) << name;
    const std::string told = text_of_banner(*window);
    EXPECT_EQ(told.find("Labels whose numbers were already in use were renumbered: Label 1 (1 became 2).\n"
                        "Labels whose colours were already in use got others: Label 1 (#"),
              0U)
        << name << ": " << told;
    // A label map holds one of the two, and that is told.
    ASSERT_EQ(run({"file.export " + file("both.nrrd")}), "");
    EXPECT_EQ(
        text_of_banner(*window),
        told +
            "\n"
            "A label map has one label per voxel: 1600 voxels lie in Label 1 and in Label 1, and become "
            "Label 1.");
    ASSERT_EQ(run({"edit.undo"}), "");
    EXPECT_EQ(contours().labels().size(), 1U);
    EXPECT_EQ(contours().contours().size(), 1U);
    EXPECT_EQ(text_of_banner(*window), "") << "what it speaks of is gone";
    ASSERT_EQ(run({"edit.redo"}), "");
    EXPECT_NE(text_of_banner(*window).find("renumbered: Label 1"), std::string::npos) << name;
    // It stays with the contours that are drawn next, and goes with the last of all.
    ASSERT_EQ(run({"livewire.contour.trace 2 7 1 closed straight:40,40;80,40;80,80;40,40"}), "");
    EXPECT_NE(text_of_banner(*window).find("renumbered: Label 1"), std::string::npos) << name;
    ASSERT_EQ(run({"livewire.contours.delete-all"}), "");
    EXPECT_EQ(text_of_banner(*window), "");
    ASSERT_EQ(run({"edit.undo", "edit.undo", "edit.undo"}), "");
    EXPECT_EQ(text_of_banner(*window), "");
  }
}

TEST_F(LabTest, TheStatusLineSpeaksOfThePresentContours) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  const std::string title = status();
  ASSERT_FALSE(title.empty());
  click(ball.at(3, 10));
  key(Qt::Key_Escape);
  EXPECT_NE(status().find("discarded"), std::string::npos) << status();
  ASSERT_EQ(run({"livewire.label.add Bone"}), "");
  EXPECT_EQ(status(), title);
  key(Qt::Key_D);
  EXPECT_NE(status().find("Distance: click"), std::string::npos) << status();
  key(Qt::Key_Escape);
  EXPECT_EQ(status(), title) << "nothing is being measured";
  key(Qt::Key_D);
  click(ball.at(3, 180));
  click(ball.at(3, 0));
  EXPECT_NE(status().find("Distance: "), std::string::npos) << status();
  ASSERT_EQ(run({"livewire.label.paint 4 40 60 80 60"}), "");
  EXPECT_EQ(status(), title);
  ASSERT_EQ(run({"livewire.contour.trace 2 2 1 closed straight:40,40;80,40;80,80;40,40",
                 "livewire.contours.save " + file("two.json"), "livewire.contours.delete-all"}),
            "");
  EXPECT_EQ(status(), title);
  ASSERT_EQ(run({"livewire.contours.import " + file("two.json")}), "");
  EXPECT_EQ(status().find("two.json: 2 contour"), 0u) << status();
  ASSERT_EQ(run({"livewire.contours.import " + file("two.json")}), "");
  EXPECT_EQ(status().find("two.json: 2 contour"), 0u) << status();
  ASSERT_EQ(run({"livewire.contours.open " + file("two.json")}), "");
  EXPECT_EQ(status().find("two.json: 2 contour"), 0u) << status();
  click(ball.at(3, 10));
  mouse_move(ball.at(3, 60));
  EXPECT_EQ(status().find("imported"), std::string::npos) << status();
}

/// As a screenshot after the last command shows them.
TEST_F(LabTest, PanelsAreFilledForAPictureOfTheWindow) {
  ASSERT_EQ(
      run({open_the_sample(), "livewire.contour.trace 2 5 1 closed straight:40,40;80,40;80,80;40,80;40,40",
           "view.panel Measures"}),
      "");
  std::optional<std::pair<int, int>> rows;
  window->when_at_rest([&] {
    const auto* measures = window->findChild<QTableWidget*>("measures");
    const auto* contours = window->findChild<ContourPanel*>()->findChild<QTreeWidget*>();
    rows.emplace(measures->rowCount(), contours->topLevelItem(0)->childCount());
  });
  ASSERT_TRUE(QTest::qWaitFor([&] { return rows.has_value(); }, patience_ms));
  EXPECT_EQ(*rows, std::pair(2, 1)) << "the contour and its label; the contour of the label";
}

void accept(const QMessageBox& question) {
  for (auto* button : question.buttons()) {
    if (question.buttonRole(button) == QMessageBox::AcceptRole) return button->click();
  }
}

TEST_F(LabTest, SegmentationsBesideTheImagesAreOffered) {
  const std::string series = file("series");
  std::filesystem::copy(resource("samples/livewire/ct-abdomen"), series);
  ASSERT_EQ(run({"file.open " + series,
                 "livewire.contour.trace 2 5 1 closed straight:40,40;80,40;80,80;40,80;40,40",
                 "file.export " + file("series/box.seg.dcm"), "livewire.contours.delete-all",
                 "file.open " + series}),
            "");
  const auto* question = window->findChild<QMessageBox*>("offer-import");
  ASSERT_NE(question, nullptr);
  EXPECT_NE(question->text().toStdString().find("box.seg.dcm"), std::string::npos);
  accept(*question);
  settle();
  ASSERT_EQ(contours().contours().size(), 1U);
  EXPECT_EQ(voxels_of(contours(), 1, images::read_image(series).volume.geometry), 1600);
}

TEST_F(LabTest, WhatContoursWithinOthersAreIsAskedOnce) {
  // A ring of two contours, as programs write it that know neither keyholes nor CLOSEDPLANAR_XOR.
  ASSERT_EQ(
      run({open_the_sample(), "livewire.contour.trace 2 5 1 closed straight:40,40;80,40;80,80;40,80;40,40",
           "livewire.contour.trace 2 5 2 closed straight:50,50;70,50;70,70;50,70;50,50",
           "file.export " + file("ring.dcm"), "livewire.contours.delete-all"}),
      "");
  ASSERT_NO_FATAL_FAILURE(join_regions(file("ring.dcm")));
  const auto geometry = images::read_image(resource("samples/livewire/ct-abdomen")).volume.geometry;
  const auto voxels = [&] {
    const auto set = contours();
    return voxels_of(set, set.contours().back()->label, geometry);
  };
  ASSERT_EQ(run({"livewire.contours.import " + file("ring.dcm")}), "");
  EXPECT_EQ(voxels(), 1600) << "filled, until somebody says otherwise";
  auto* question = window->findChild<QMessageBox*>("nested-contours");
  ASSERT_NE(question, nullptr);
  accept(*question);
  settle();
  EXPECT_EQ(voxels(), 1600 - 400);
  ASSERT_EQ(run({"edit.undo"}), "");
  EXPECT_TRUE(contours().contours().empty()) << "one step of undo";
  // The answer is kept, and told; an argument decides for one file.
  ASSERT_EQ(run({"livewire.contours.import " + file("ring.dcm")}), "");
  EXPECT_EQ(voxels(), 1200);
  EXPECT_NE(text_of_banner(*window).find("as chosen before"), std::string::npos) << text_of_banner(*window);
  ASSERT_EQ(run({"edit.undo", "livewire.contours.import " + file("ring.dcm") + " filled"}), "");
  EXPECT_EQ(voxels(), 1600);
  EXPECT_EQ(window->findChild<QMessageBox*>("nested-contours"), nullptr);
}

TEST_F(LabTest, PixelsThatAreNotFiniteAreNamedAndCounted) {
  std::vector<float> values(64, 5);
  values[3 * 8 + 3] = std::numeric_limits<float>::quiet_NaN();
  std::ofstream(file("gap.nrrd"), std::ios::binary)
      << "NRRD0004\ntype: float\ndimension: 2\nsizes: 8 8\nspacings: 1 1\nencoding: raw\nendian: little\n\n"
      << std::string(reinterpret_cast<const char*>(values.data()), 4 * values.size());
  ASSERT_EQ(run({"file.open " + file("gap.nrrd"), "livewire.label.paint 2 3 3"}), "");
  EXPECT_NE(text_of_banner(*window).find("1 of 64 voxels are not finite"), std::string::npos)
      << text_of_banner(*window);
  const auto* table = window->findChild<QTableWidget*>("measures");
  ASSERT_TRUE(QTest::qWaitFor([&] { return table->rowCount() == 2; }, patience_ms));
  ASSERT_EQ(table->columnCount(), 12);
  EXPECT_TRUE(table->horizontalHeaderItem(11)->text().startsWith("Not finite"));
  EXPECT_EQ(table->item(0, 11)->text(), "1");
  EXPECT_EQ(table->item(1, 11)->text(), "1");
  const std::string refused = run({"livewire.label.fill 3 3"});
  EXPECT_NE(refused.find("is not a number"), std::string::npos) << refused;
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

  const auto* whole = window->findChild<QPlainTextEdit*>("header.chosen");
  auto* hide = window->findChild<QCheckBox*>("header.hide");
  EXPECT_TRUE(whole->placeholderText().startsWith("Only DICOM")) << "a NRRD file";
  EXPECT_FALSE(hide->isEnabled());
  ASSERT_EQ(run({open_the_sample()}), "");
  EXPECT_TRUE(hide->isEnabled());
  auto* header = window->findChild<QTreeWidget*>("header");
  const auto patient = [&] { return header->findItems("Patient's Name", Qt::MatchExactly, 1); };
  ASSERT_TRUE(QTest::qWaitFor([&] { return patient().size() == 1; }, patience_ms));
  EXPECT_EQ(patient()[0]->text(2), "(hidden)");
  EXPECT_EQ(whole->placeholderText(), "");
  hide->setChecked(false);
  const QString name = patient()[0]->text(2);
  EXPECT_NE(name, "(hidden)");
  header->setCurrentItem(patient()[0]);
  EXPECT_TRUE(whole->toPlainText().endsWith("Patient's Name: " + name)) << whole->toPlainText().toStdString();
  hide->setChecked(true);
  EXPECT_EQ(whole->toPlainText(), "") << "it may not show what is hidden";
  window->findChild<QLineEdit*>("header.filter")->setText("no such attribute");
  EXPECT_EQ(whole->placeholderText(), "No attribute matches the filter.");
}

QTreeWidgetItem* only_label(const QTreeWidget& tree, int contours) {
  return tree.topLevelItemCount() == 1 && tree.topLevelItem(0)->childCount() == contours
             ? tree.topLevelItem(0)
             : nullptr;
}

/// The first click of the two chooses the label, which the list shows in bold before the second.
TEST_F(LabTest, ADoubleClickRenamesALabelThatWasNotTheCurrentOne) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  trace_ball();
  ASSERT_EQ(run({"livewire.contour.deselect", "livewire.label.add Lung"}), "");
  auto* tree = window->findChild<QTreeWidget*>("contours");
  for (QWidget* each = tree; each != nullptr; each = each->parentWidget()) {
    if (auto* dock = qobject_cast<QDockWidget*>(each)) dock->raise();
  }
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return tree->isVisible() && tree->topLevelItemCount() == 2; }, patience_ms));
  settle();
  const QPoint first = tree->visualItemRect(tree->topLevelItem(0)).center();
  QTest::mouseClick(tree->viewport(), Qt::LeftButton, {}, first);
  settle();
  EXPECT_TRUE(tree->topLevelItem(0)->font(0).bold());
  QTest::mouseDClick(tree->viewport(), Qt::LeftButton, {}, first);
  QLineEdit* editor = nullptr;
  ASSERT_TRUE(QTest::qWaitFor([&] { return (editor = tree->viewport()->findChild<QLineEdit*>()) != nullptr; },
                              patience_ms));
  QTest::keyClicks(editor, "Heart");
  QTest::keyClick(editor, Qt::Key_Return);
  ASSERT_TRUE(QTest::qWaitFor([&] { return tree->topLevelItem(0)->text(0) == "Heart"; }, patience_ms));
  ASSERT_TRUE(
      QTest::qWaitFor([&] { return tree->topLevelItem(0)->child(0)->text(0) == "Heart 1"; }, patience_ms))
      << "the contours are named anew";
  EXPECT_TRUE(tree->topLevelItem(0)->font(0).bold());
  EXPECT_EQ(contours().label(1)->name, "Heart");
}

TEST_F(LabTest, CollapsedLabelsStayCollapsed) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  trace_ball();
  ASSERT_EQ(run({"livewire.contour.deselect", "livewire.label.add Lung", "livewire.label.paint 4 40 60"}),
            "");
  auto* tree = window->findChild<QTreeWidget*>("contours");
  ASSERT_TRUE(QTest::qWaitFor([&] { return tree->topLevelItemCount() == 2; }, patience_ms));
  tree->topLevelItem(0)->setExpanded(false);
  ASSERT_EQ(run({"livewire.label.paint 4 80 60"}), "");
  ASSERT_TRUE(QTest::qWaitFor([&] { return tree->topLevelItem(1)->childCount() == 2; }, patience_ms));
  EXPECT_FALSE(tree->topLevelItem(0)->isExpanded());
  EXPECT_TRUE(tree->topLevelItem(1)->isExpanded());
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

TEST_F(LabTest, ATimePointShowsItsVolumeUnderTheSameContours) {
  std::vector<std::int16_t> voxels(2 * 16 * 16 * 3, 100);  // two volumes
  std::fill(voxels.begin() + 16 * 16 * 3, voxels.end(), std::int16_t{700});
  std::string bytes =
      images::testing::nifti({16, 16, 3}, 4, 16, 0, 0, images::testing::ras_rows,
                             {reinterpret_cast<const char*>(voxels.data()), 2 * voxels.size()});
  bytes[40] = 4;  // axes
  bytes[48] = 2;  // time points
  std::ofstream(file("beats.nii"), std::ios::binary) << bytes;
  ASSERT_EQ(run({"file.open " + file("beats.nii"), "livewire.slice.show axial 2"}), "");
  const auto shown = [&] { return view().document()->volume.value(8, 8, 1); };
  EXPECT_EQ(shown(), 100);
  ASSERT_EQ(run({"livewire.press 4 4", "livewire.press 10 4", "livewire.press 10 10", "livewire.close"}), "");
  const auto traced = contours().contours().size();
  ASSERT_EQ(run({"parameter.set time-point 2"}), "");
  settle();
  EXPECT_EQ(shown(), 700);
  EXPECT_EQ(contours().contours().size(), traced);
  EXPECT_EQ(view().slice(), (images::SliceId{2, 1}));
  ASSERT_EQ(run({"edit.undo"}), "");
  settle();
  EXPECT_EQ(shown(), 100);
  EXPECT_NE(run({"parameter.set time-point 3"}), "") << "there are two";
}

}  // namespace
}  // namespace isolume::labs::livewire
