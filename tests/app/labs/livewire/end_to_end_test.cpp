// A morning's work on a phantom, with mouse and keys alone: traced on two slices, undone, a seed mended, the
// slices between suggested, and what is exported held against the ball's formulas.
#include <QDir>
#include <QSlider>
#include <QStandardPaths>
#include <QUndoStack>
#include <fstream>
#include <sstream>

#include "core/base/text_file.h"
#include "core/image_files/read_image.h"
#include "tests/app/labs/livewire/lab_fixture.h"
#include "tests/app/menu_letters.h"

namespace isolume::labs::livewire {
namespace {

constexpr int first_slice = 1, last_slice = 5;

/// The lines below the heading, each split at its commas.
std::vector<std::vector<std::string>> rows_of_csv(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream stream(line);
    auto& row = rows.emplace_back();
    for (std::string cell; std::getline(stream, cell, ',');) row.push_back(cell);
  }
  if (!rows.empty()) rows.erase(rows.begin());
  return rows;
}

class EndToEnd : public LabTest {
 protected:
  void trace_with_mouse(int slice) {
    key(Qt::Key_Escape);  // selects nothing
    ASSERT_EQ(run({"livewire.slice.show axial " + std::to_string(slice + 1)}), "");
    for (const double degrees : {20.0, 110.0, 200.0, 290.0, 20.0}) click(ball.at(slice, degrees));
  }
  void window_key(Qt::Key which, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(window.get(), which, modifiers);
    settle();
  }
  void drag(const QPoint& from, const QPoint& by) {
    QTest::mousePress(&view(), Qt::LeftButton, {}, from);
    for (int step = 1; step <= 4; ++step) {
      QTest::mouseMove(&view(), from + by * step / 4);
      QTest::qWait(10);
    }
    QTest::mouseRelease(&view(), Qt::LeftButton, {}, from + by);
    settle();
  }
  double area_mm2(int slice) const {
    return std::numbers::pi * std::pow(ball.radius_px(slice) * ball.geometry.spacing().x(), 2);
  }
};

TEST_F(EndToEnd, EveryMenuHasLettersOfItsOwn) {
  expect_letters_of_their_own(*window->menuBar());
}

TEST_F(EndToEnd, APhantomIsTracedMendedInterpolatedAndExported) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_NO_FATAL_FAILURE(trace_with_mouse(first_slice));
  EXPECT_NE(status().find("mm²"), std::string::npos) << status();
  ASSERT_NO_FATAL_FAILURE(trace_with_mouse(last_slice));
  ASSERT_EQ(contours().contours().size(), 2u);

  window_key(Qt::Key_Z, Qt::ControlModifier);
  ASSERT_EQ(contours().contours().size(), 1u);
  window_key(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  ASSERT_EQ(contours().contours().size(), 2u);

  // A seed dragged away spoils the outline, dragged back it is as good as before.
  const auto traced = contours().contours()[1];
  ASSERT_EQ(run({"livewire.contour.select 2"}), "");
  const QPoint seed = view().to_widget(traced->seeds[0]).toPoint(), away(40, 0);
  drag(seed, away);
  const auto spoilt = contours().contours()[1];
  EXPECT_GT(worst_deviation(*spoilt), 3);
  drag(view().to_widget(spoilt->seeds[0]).toPoint(), -away);
  EXPECT_LT(worst_deviation(*contours().contours()[1]), 1.5);

  window_key(Qt::Key_I, Qt::ControlModifier);
  ASSERT_EQ(contours().contours().size(), 5u);
  key(Qt::Key_Escape);
  ASSERT_EQ(run({"livewire.slice.show axial 1", "livewire.suggestion.next"}), "");
  window_key(Qt::Key_X);
  window_key(Qt::Key_Z, Qt::ControlModifier);
  key(Qt::Key_Escape);
  ASSERT_EQ(run({"livewire.slice.show axial 1", "livewire.suggestion.next"}), "");
  for (int i = 0; i < 3; ++i) window_key(Qt::Key_Y);
  const auto accepted = contours();
  for (const auto& each : accepted.contours()) EXPECT_FALSE(each->suggestion);

  ASSERT_EQ(run({"file.export " + file("ball.measures.csv"), "file.export " + file("ball.nii.gz")}), "");
  EXPECT_NE(status().find("ball.nii.gz"), std::string::npos) << "what was written is said: " << status();
  const auto rows = rows_of_csv(file("ball.measures.csv"));
  ASSERT_EQ(rows.size(), 5u + 1);
  for (const auto& row : std::span(rows).first(5)) {
    const int slice = std::stoi(row[3]) - 1;  // as the window counts
    const double radius_mm = ball.radius_px(slice) * 0.5;
    EXPECT_NEAR(std::stod(row[5]), 2 * std::numbers::pi * radius_mm, 0.03 * 2 * std::numbers::pi * radius_mm)
        << "perimeter on slice " << slice;
    EXPECT_NEAR(std::stod(row[6]), area_mm2(slice), 0.03 * area_mm2(slice)) << "area on slice " << slice;
    EXPECT_NEAR(std::stod(row[8]), 2 * radius_mm, 2) << "greatest diameter on slice " << slice;
  }
  const auto map = images::read_image(file("ball.nii.gz")).volume;
  double volume_mm3 = 0, expected_mm3 = 0;
  for (int k = 0; k < 7; ++k) {
    if (k >= first_slice && k <= last_slice) expected_mm3 += 2 * area_mm2(k);
    for (int y = 0; y < 128; ++y) {
      for (int x = 0; x < 128; ++x) volume_mm3 += map.value(x, y, k) == 1 ? 0.5 * 0.5 * 2 : 0;
    }
  }
  EXPECT_NEAR(volume_mm3, expected_mm3, 0.03 * expected_mm3);
  EXPECT_NEAR(std::stod(rows.back()[7]) * 1000, volume_mm3, 1e-6) << "the label's row, in ml";
}

TEST_F(EndToEnd, CopiesAreNumberedAndNamesThatWereGivenStay) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_NO_FATAL_FAILURE(trace_with_mouse(first_slice));
  window_key(Qt::Key_N);
  window_key(Qt::Key_N);
  ASSERT_EQ(run({"livewire.contour.rename \"Caudate 2\""}), "");
  window_key(Qt::Key_N);
  const auto set = contours();
  ASSERT_EQ(set.contours().size(), 4u);
  const std::array names{"Label 1 1", "Label 1 2", "Caudate 2", "Caudate 2"};
  for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(set.contours()[i]->name, names[i]);
}

TEST_F(EndToEnd, WhatIsTracedWhileSlicesAreSuggestedStays) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_NO_FATAL_FAILURE(trace_with_mouse(first_slice));
  ASSERT_NO_FATAL_FAILURE(trace_with_mouse(last_slice));
  window->run("livewire.contour.interpolate", {});
  window->run("livewire.contour.delete", {});  // before the job can have come back
  settle();
  const auto set = contours();
  EXPECT_EQ(set.contours().size(), 1u + 3u)
      << "the deleted one stays deleted, the three suggestions are there";
}

TEST_F(EndToEnd, TheStatusLineTellsWhatTheWireTook) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  click(ball.at(3, 20));
  mouse_move(ball.at(3, 60));
  EXPECT_NE(status().find(" ms by CPU"), std::string::npos) << status();
  key(Qt::Key_Escape);
  EXPECT_NE(status().find("discarded"), std::string::npos) << status();
  window_key(Qt::Key_R, Qt::ControlModifier);
  key(Qt::Key_Escape);
  EXPECT_NE(status().find("discarded"), std::string::npos) << "it was there to be discarded again";
}

TEST_F(EndToEnd, TheFrontOfTheWireRunsFromItsSeed) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  EXPECT_NE(run({"livewire.layer.play"}).find("Show the distances first"), std::string::npos);
  ASSERT_EQ(run({"parameter.set layer distance"}), "");
  click(ball.at(3, 20));
  auto* slider = window->findChild<QSlider*>("playback.slider");
  ASSERT_TRUE(slider->isVisible());
  EXPECT_EQ(slider->value(), slider->maximum()) << "all of them are shown at first";
  const auto everything = view().grab().toImage();
  ASSERT_EQ(run({"livewire.layer.seek 0"}), "");
  EXPECT_EQ(slider->value(), 0);
  const auto nothing = view().grab().toImage();
  EXPECT_NE(nothing, everything);
  window->run("livewire.layer.play");
  EXPECT_TRUE(window->commands().part("livewire.layer.play").checked());
  ASSERT_TRUE(QTest::qWaitFor([&] { return slider->value() > slider->maximum() / 20; }, patience_ms));
  window->run("job.cancel");
  EXPECT_FALSE(window->commands().part("livewire.layer.play").checked());
  EXPECT_LT(slider->value(), slider->maximum());
  ASSERT_EQ(run({"livewire.layer.seek 1e9"}), "");
  EXPECT_EQ(view().grab().toImage(), everything);
}

/// With mouse and keys, commands and undo: all of it comes out the same from the recorded script.
TEST_F(LabTest, WhatTheHandDoesToContoursIsRecordedWithItsPoints) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"script.record", "livewire.label.add Ball"}), "");
  trace_ball();
  const QPoint seed = view().to_widget(contours().contours().front()->seeds[1]).toPoint();
  QTest::mousePress(&view(), Qt::LeftButton, {}, seed);
  for (const int step : {1, 2, 3}) QTest::mouseMove(&view(), seed + QPoint(3 * step, 6 * step));
  QTest::mouseRelease(&view(), Qt::LeftButton, {}, seed + QPoint(9, 18));
  settle();
  ASSERT_EQ(run({"livewire.contour.copy-to-next"}), "");
  QTest::keyClick(&view(), Qt::Key_PageUp);  // turns a slice
  settle();
  ASSERT_EQ(run({"livewire.contour.deselect", "livewire.slice.show axial 3"}), "");
  for (const double degrees : {20.0, 140.0, 260.0}) click(ball.at(2, degrees));
  key(Qt::Key_O);
  ASSERT_EQ(run({"livewire.contour.rename Open", "edit.undo", "edit.redo", "livewire.contour.select 1"}), "");
  click({4, 4});  // begins a contour, after having ended the selection
  key(Qt::Key_Escape);
  const auto saved = [this] {
    EXPECT_EQ(run({"livewire.contours.save " + file("now.json")}), "");
    return read_text_file(file("now.json"));
  };
  ASSERT_EQ(run({"script.stop", "script.save " + file("hand.isoscript")}), "");
  const std::string script = read_text_file(file("hand.isoscript"));
  EXPECT_NE(script.find("livewire.contour.trace 2 4 2 closed wire:"), std::string::npos) << script;
  EXPECT_NE(script.find("livewire.contour.move-seed 2 "), std::string::npos) << script;
  EXPECT_EQ(script.find("livewire.press"), std::string::npos) << "what a hand did is told by the contour";
  const std::string before = saved();
  const auto undo_steps = window->undo_stack().count();
  ASSERT_EQ(contours().contours().size(), 3U);

  window.reset();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
  open_window();
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"script.run " + file("hand.isoscript")}), "");
  EXPECT_EQ(saved(), before);
  EXPECT_EQ(window->undo_stack().count(), undo_steps);
}

TEST_F(LabTest, ASessionBringsBackContoursAndPlace) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  trace_ball();
  const auto snap = [this] { return parameters::to_text(window->lab().parameters()->get("snap")); };
  const std::string snap_set = snap() == "true" ? "false" : "true";
  ASSERT_EQ(run({"livewire.label.add Ball", "livewire.contour.copy-to-next", "livewire.contour.select 1",
                 "livewire.slice.show axial 2", "parameter.set snap " + snap_set}),
            "");
  const auto saved = [this] {
    EXPECT_EQ(run({"livewire.contours.save " + file("now.json")}), "");
    return read_text_file(file("now.json"));
  };
  ASSERT_EQ(run({"session.save " + file("work.isolume")}), "");
  const std::string before = saved();
  const int slice = view().slice().index;
  ASSERT_EQ(contours().contours().size(), 2U);

  window.reset();
  QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
  open_window();
  ASSERT_EQ(run({"session.open " + file("work.isolume")}), "");
  EXPECT_EQ(saved(), before);
  EXPECT_EQ(snap(), snap_set);
  EXPECT_EQ(view().slice().index, slice);
  EXPECT_EQ(run({"livewire.contour.delete"}), "") << "the selected contour is selected again";
  EXPECT_EQ(contours().contours().size(), 1U);
  EXPECT_EQ(run({"edit.undo", "edit.undo"}), "");
  EXPECT_EQ(contours().contours().size(), 0U) << "what was there before the session comes back";
}

TEST_F(LabTest, ASessionKeepsWhatCostsAreTrainedOn) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  ASSERT_EQ(run({"parameter.set layer cost"}), "");
  const auto picture = [this] {
    EXPECT_EQ(run({"livewire.contours.delete-all", "file.export-image " + file("cost.png") + " 200x200"}),
              "");
    return QImage(QString::fromStdString(file("cost.png")));
  };
  ASSERT_EQ(run({"parameter.set trained-weight 0.5"}), "");
  const QImage untrained = picture();
  trace_ball();
  settle();
  const QImage trained = picture();
  EXPECT_NE(trained, untrained);
  ASSERT_EQ(run({"session.save " + file("work.isolume")}), "");
  window.reset();
  open_window();
  ASSERT_EQ(run({"session.open " + file("work.isolume")}), "");
  settle();
  EXPECT_EQ(picture(), trained);
}

/// The window goes as if the program had been killed: nobody is asked, and nothing more is written.
TEST_F(LabTest, TheUnfinishedTraceAndTheSliceComeBackAfterTheProgramWasKilled) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  for (const double degrees : {10.0, 100.0, 190.0}) click(ball.at(3, degrees));
  key(Qt::Key_Up);
  const int slice = view().slice().index;
  ASSERT_NE(slice, 3);
  const auto kept = [] {
    QDir sessions(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation) + "/sessions");
    for (const auto& each : sessions.entryInfoList({"*.isolume"})) {
      const std::string text = read_text_file(each.absoluteFilePath().toStdString());
      if (text.find("draft") != text.npos) return nlohmann::json::parse(text);
    }
    return nlohmann::json();
  };
  ASSERT_TRUE(QTest::qWaitFor([&] { return !kept().is_null(); }, patience_ms)) << "without any other change";

  window.reset();
  open_window();
  ASSERT_EQ(run({"session.restore"}), "");
  settle();
  EXPECT_EQ(view().slice().index, slice);
  ASSERT_EQ(run({"livewire.slice.show axial 4"}), "");
  click(ball.at(3, 280));
  key(Qt::Key_Return);
  const auto set = contours();
  ASSERT_EQ(set.contours().size(), 1U);
  EXPECT_EQ(set.contours().front()->slice.index, 3);
  EXPECT_GT(dice(*set.contours().front()), 0.97);
}

TEST_F(LabTest, ATracedContourThatMakesNoSenseIsRefused) {
  ASSERT_NO_FATAL_FAILURE(open_ball());
  for (const char* words :
       {"2 99 1 closed wire:1,2;3,4 wire:3,4;1,2", "2 4 1 closed wire:1,2;3,4 wire:3,5;1,2",
        "2 4 1 open wire:1,2;3", "2 4 1 open wire:1,nan;3,4", "2 4 1 open thread:1,2;3,4", "2 4 1 open wire",
        "2 4 1 round wire:1,2;3,4"})
    EXPECT_NE(run({std::string("livewire.contour.trace ") + words}), "") << words;
  EXPECT_EQ(contours().contours().size(), 0U);
  ASSERT_EQ(run({"livewire.contour.trace 2 4 1 open wire:10,20;11,21 straight:11,21;30,40"}), "");
  const auto set = contours();
  ASSERT_EQ(set.contours().size(), 1U);
  EXPECT_EQ(set.contours().front()->seeds.size(), 3U);
  EXPECT_EQ(set.contours().front()->pieces[1].kind, contours::PieceKind::straight);
}

}  // namespace
}  // namespace isolume::labs::livewire
