#include "app/workbench/window/main_window.h"

#include <QAction>
#include <QApplication>
#include <QCheckBox>
#include <QClipboard>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QDialog>
#include <QDockWidget>
#include <QDragEnterEvent>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QMimeData>
#include <QPlainTextEdit>
#include <QProgressBar>
#include <QPushButton>
#include <QRegularExpression>
#include <QScreen>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QStatusBar>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>
#include <atomic>
#include <chrono>
#include <cmath>
#include <fstream>
#include <thread>

#include <gtest/gtest.h>
#include <vtkCamera.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/view/view_widget.h"
#include "app/workbench/documents/recent_files.h"
#include "app/workbench/parameters/number_box.h"
#include "core/base/logging.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_devices.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::workbench {
namespace {

class MainWindowTest : public testing::Test {
 protected:
  MainWindowTest() {
    QSettings().clear();
    open_window();
  }
  void open_window() {
    window = std::make_unique<MainWindow>(std::vector{fake_entry(lab)}, make_fake_pool);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  std::string file(const std::string& name, const std::string& content) {
    const std::string path = folder.filePath(QString::fromStdString(name)).toStdString();
    std::ofstream(path) << content;
    return path;
  }
  /// Opens a file and waits for it.
  void open_good(const std::string& name = "a.word") {
    QSignalSpy opened(window.get(), &MainWindow::document_opened);
    ASSERT_TRUE(window->run("file.open", {file(name, "good")}));
    ASSERT_TRUE(opened.wait(patience_ms));
  }
  /// The error it ends with, or nothing.
  std::string run_script(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  template <class Widget>
  Widget* find(const char* name) {
    auto* found = window->findChild<Widget*>(name);
    EXPECT_NE(found, nullptr) << name;
    return found;
  }
  void type_in_palette(const QString& text) {
    QTest::keyClick(window.get(), Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    auto* input = find<QLineEdit>("command-palette.input");
    ASSERT_TRUE(QTest::qWaitFor([&] { return input->isVisible() && input->hasFocus(); }, patience_ms));
    QTest::keyClicks(input, text);
  }

  QTemporaryDir folder;
  FakeLab* lab = nullptr;
  std::unique_ptr<MainWindow> window;
};

TEST_F(MainWindowTest, StartsWithTheWelcomePageAndItsTiles) {
  EXPECT_TRUE(find<QWidget>("welcome-page")->isVisible());
  EXPECT_NE(window->findChild<QWidget*>("sample.First sample"), nullptr);
  EXPECT_FALSE(find<QDockWidget>("panel.Parameters")->isVisible());
}

TEST_F(MainWindowTest, TheTileOfALeftSessionShowsItsWholeText) {
  window->offer_left_session(QString("a_file_with_a_long_name.word, ").repeated(6) + "27/11/2026 12:30");
  auto* tile = find<QCommandLinkButton>("welcome.restore");
  ASSERT_TRUE(QTest::qWaitFor([&] { return tile->isVisible(); }, patience_ms));
  EXPECT_TRUE(
      QTest::qWaitFor([&] { return tile->height() >= tile->heightForWidth(tile->width()); }, patience_ms))
      << tile->width() << " x " << tile->height();
}

TEST_F(MainWindowTest, OpeningShowsPanelsTitleAndStatus) {
  open_good();
  EXPECT_FALSE(find<QWidget>("welcome-page")->isVisible());
  EXPECT_TRUE(find<QDockWidget>("panel.Parameters")->isVisible());
  EXPECT_TRUE(find<QDockWidget>("panel.fake.Things")->isVisible());
  EXPECT_TRUE(window->windowTitle().contains("a.word"));
  EXPECT_EQ(find<QLabel>("status")->text(), "all is well");
}

TEST_F(MainWindowTest, TheStatusStaysWhileAMenuIsOpen) {
  open_good();
  auto* status = find<QLabel>("status");
  ASSERT_TRUE(status->isVisible());
  auto* action = find<QAction>("view.reset");
  action->hover();
  EXPECT_TRUE(status->isVisible());
  EXPECT_EQ(window->statusBar()->currentMessage(), "");
  for (const QMenu* menu : window->menuBar()->findChildren<QMenu*>())
    EXPECT_TRUE(menu->toolTipsVisible() || menu->title().isEmpty()) << menu->title().toStdString();
  EXPECT_TRUE(find<QAction>("edit.undo")->toolTip().contains("Not available now: There is nothing to undo."));
}

TEST_F(MainWindowTest, WhatNeedsAnArgumentEndsWithDots) {
  EXPECT_EQ(find<QAction>("fake.greet")->text().remove('&'), "Greet...");
  EXPECT_EQ(find<QAction>("fake.next")->text().remove('&'), "Next thing");
  EXPECT_EQ(find<QAction>("file.open")->text().remove('&'), "Open...");
}

TEST_F(MainWindowTest, AWindowOfALargerScreenIsRestoredWithinThisOne) {
  const QRect room = window->screen()->availableGeometry();
  window->setGeometry(room.x() + room.width() / 2, room.y() + room.height() / 2, room.width() * 3 / 4,
                      room.height() * 3 / 4);
  window->close();
  open_window();
  EXPECT_TRUE(room.contains(window->geometry()));
  window->setGeometry(room.x(), room.y(), room.width() + 300, room.height() + 200);
  window->close();
  open_window();
  EXPECT_TRUE(room.contains(window->geometry()));
}

TEST_F(MainWindowTest, TheFolderOfAFailedExportIsNotRemembered) {
  open_good();
  QSettings().setValue("files/export-folder", folder.path());
  window->run("file.export-image");
  auto* dialog = find<QDialog>("export-image-dialog");
  dialog->findChild<QLineEdit*>()->setText(folder.filePath("missing/a.png"));
  QTest::keyClick(dialog, Qt::Key_Return);
  EXPECT_EQ(QSettings().value("files/export-folder").toString(), folder.path());
}

TEST_F(MainWindowTest, PaletteFiltersByLettersAndRunsWithEnter) {
  open_good();
  type_in_palette("nxthng");
  auto* list = find<QTreeWidget>("command-palette.list");
  ASSERT_GT(list->topLevelItemCount(), 0);
  EXPECT_EQ(list->currentItem()->text(0), "Next thing");
  EXPECT_EQ(list->currentItem()->text(1), "Ctrl+J");
  EXPECT_EQ(list->currentItem()->text(2).trimmed(), "fake.next");
  QTest::keyClick(find<QLineEdit>("command-palette.input"), Qt::Key_Return);
  EXPECT_EQ(lab->nexts, 1);
  EXPECT_FALSE(find<QWidget>("command-palette")->isVisible());
}

TEST_F(MainWindowTest, PaletteTakesArgumentsAfterTheName) {
  type_in_palette("fake.greet \"dear world\"");
  QTest::keyClick(find<QLineEdit>("command-palette.input"), Qt::Key_Return);
  EXPECT_EQ(lab->greeted, (std::vector<std::string>{"dear world"}));
}

TEST_F(MainWindowTest, PaletteAsksForMissingArgumentsInsteadOfRunning) {
  type_in_palette("greet");
  auto* input = find<QLineEdit>("command-palette.input");
  QTest::keyClick(input, Qt::Key_Return);
  EXPECT_TRUE(lab->greeted.empty());
  EXPECT_EQ(input->text(), "fake.greet ");
  QTest::keyClicks(input, "you");
  QTest::keyClick(input, Qt::Key_Return);
  EXPECT_EQ(lab->greeted, (std::vector<std::string>{"you"}));
}

TEST_F(MainWindowTest, PaletteSaysWhyACommandCannotRun) {
  type_in_palette("fake.next");
  bool said = false;
  for (const auto* label : find<QWidget>("command-palette")->findChildren<QLabel*>()) {
    said = said || label->text().contains("Open a file first.");
  }
  EXPECT_TRUE(said);
  QTest::keyClick(find<QLineEdit>("command-palette.input"), Qt::Key_Escape);
  EXPECT_FALSE(find<QWidget>("command-palette")->isVisible());
  EXPECT_EQ(lab->nexts, 0);
}

TEST_F(MainWindowTest, PaletteLeadsToAParameter) {
  open_good();
  find<QDockWidget>("panel.Parameters")->hide();
  type_in_palette("opacity");
  EXPECT_EQ(find<QTreeWidget>("command-palette.list")->currentItem()->text(0), "Surface: Opacity");
  EXPECT_EQ(find<QTreeWidget>("command-palette.list")->currentItem()->text(1), "0.5");
  QTest::keyClick(find<QLineEdit>("command-palette.input"), Qt::Key_Return);
  EXPECT_TRUE(find<NumberBox>("opacity.number")->isVisible());
  EXPECT_TRUE(find<NumberBox>("opacity.number")->hasFocus());
  QTest::keyClicks(find<NumberBox>("opacity.number"), "0.7");
  QTest::keyClick(find<NumberBox>("opacity.number"), Qt::Key_Return);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.7);
}

TEST_F(MainWindowTest, PaletteLeadsFromAHiddenParameterToTheOneItDependsOn) {
  open_good();
  ASSERT_TRUE(window->run("parameter.set style mesh"));
  ASSERT_TRUE(window->run("parameter.show colour"));
  EXPECT_TRUE(find<QComboBox>("style.choice")->hasFocus());
  EXPECT_EQ(window->statusBar()->currentMessage(), "Colour depends on Style: change that first.");
  EXPECT_FALSE(window->run("parameter.show nonsense"));
}

TEST_F(MainWindowTest, PaletteFindsSettingsSamplesFilesAndValues) {
  open_good("letter.word");
  const auto first_of = [&](const char* typed) {
    auto* input = find<QLineEdit>("command-palette.input");
    input->setText(typed);
    return find<QTreeWidget>("command-palette.list")->currentItem()->text(2).toStdString();
  };
  window->run("command.palette");
  EXPECT_EQ(first_of("dark"), "view.theme dark");
  EXPECT_EQ(first_of("orthographic"), "view.projection orthographic");
  EXPECT_EQ(first_of("mesh"), "parameter.set style mesh");
  EXPECT_EQ(first_of("atoms off"), "parameter.set atoms false");
  EXPECT_EQ(first_of("first sample"), "file.open-sample \"First sample\"");
  EXPECT_EQ(first_of("letter"), "file.recent 1");
  EXPECT_EQ(first_of("png").substr(0, 17), "file.export-image");
  EXPECT_EQ(first_of("panel log"), "view.panel Log");
  find<QLineEdit>("command-palette.input")->setText("dark");
  QTest::keyClick(find<QLineEdit>("command-palette.input"), Qt::Key_Return);
  EXPECT_EQ(window->theme(), Theme::dark);
  window->run("view.theme light");
}

TEST_F(MainWindowTest, PaletteHasColumnsThatStayAndNothingToScrollSideways) {
  type_in_palette("");
  auto* list = find<QTreeWidget>("command-palette.list");
  const int second = list->header()->sectionPosition(1);
  EXPECT_GT(second, list->viewport()->width() / 3);
  QTest::keyClicks(find<QLineEdit>("command-palette.input"), "view");
  EXPECT_EQ(list->header()->sectionPosition(1), second);
  EXPECT_EQ(list->horizontalScrollBar()->maximum(), 0);
  EXPECT_LE(list->header()->length(), list->viewport()->width());
  EXPECT_LT(list->topLevelItem(0)->font(2).pointSizeF(), list->font().pointSizeF());
}

TEST_F(MainWindowTest, MenuOfALabRunsItsCommandsAndFollowsTheirAvailability) {
  auto* next = find<QAction>("fake.next");
  EXPECT_FALSE(next->isEnabled());
  EXPECT_TRUE(next->toolTip().contains("Open a file first."));
  open_good();
  EXPECT_TRUE(next->isEnabled());
  QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
  EXPECT_EQ(lab->nexts, 1);
}

TEST_F(MainWindowTest, ParameterSetIsUndoneAndRedoneByKeys) {
  open_good();
  ASSERT_TRUE(window->run("parameter.set opacity 0.75"));
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.75);
  EXPECT_EQ(window->undo_stack().undoText(), "Opacity: 0.5 → 0.75");
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.5);
  EXPECT_DOUBLE_EQ(find<NumberBox>("opacity.number")->value(), 0.5);
  QTest::keyClick(window.get(), Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.75);
  EXPECT_DOUBLE_EQ(find<NumberBox>("opacity.number")->value(), 0.75);
}

TEST_F(MainWindowTest, ThePanelHidesWhatDoesNotMatterNow) {
  open_good();
  auto* colour = find<QLineEdit>("colour.text");
  EXPECT_TRUE(colour->isVisible());
  ASSERT_TRUE(window->run("parameter.set style mesh"));
  EXPECT_FALSE(colour->isVisible());
  EXPECT_TRUE(find<QSlider>("isovalue.slider")->isVisible());
  ASSERT_TRUE(window->run("edit.undo"));
  EXPECT_TRUE(colour->isVisible());
}

TEST_F(MainWindowTest, DraggingASliderIsLiveAndOneUndoEntry) {
  open_good();
  auto* slider = find<QSlider>("isovalue.slider");
  const QPoint handle(static_cast<int>(slider->width() * 0.62), slider->height() / 2);
  const double before = lab->values.isovalue;
  // The handle of 0.03 on the logarithmic scale from 1e-4 to 1: log(300) / log(10^4) = 0.619 of the way.
  QTest::mousePress(slider, Qt::LeftButton, {}, handle);
  ASSERT_TRUE(slider->isSliderDown());
  const int changes_before = lab->changes;
  for (int step = 1; step <= 8; ++step) {
    QTest::mouseMove(slider, handle + QPoint(step * slider->width() / 40, 0));
    QApplication::processEvents();
  }
  EXPECT_GE(lab->changes - changes_before, 5) << "the lab must follow while the hand moves";
  QTest::mouseRelease(slider, Qt::LeftButton, {}, handle + QPoint(slider->width() / 5, 0));
  const double after = lab->values.isovalue;
  EXPECT_GT(after, 2 * before);
  EXPECT_EQ(window->undo_stack().count(), 1);
  ASSERT_TRUE(window->run("edit.undo"));
  EXPECT_DOUBLE_EQ(lab->values.isovalue, before);
  ASSERT_TRUE(window->run("edit.redo"));
  EXPECT_DOUBLE_EQ(lab->values.isovalue, after);
}

TEST_F(MainWindowTest, TwoDragsAreTwoUndoEntries) {
  open_good();
  for (int times = 0; times < 2; ++times) {
    auto* slider = find<QSlider>("opacity.slider");
    const QPoint handle(static_cast<int>(slider->width() * lab->values.opacity), slider->height() / 2);
    QTest::mousePress(slider, Qt::LeftButton, {}, handle);
    ASSERT_TRUE(slider->isSliderDown());
    QTest::mouseMove(slider, handle + QPoint(slider->width() / 10, 0));
    QTest::mouseMove(slider, handle + QPoint(slider->width() / 5, 0));
    QTest::mouseRelease(slider, Qt::LeftButton, {}, handle + QPoint(slider->width() / 5, 0));
  }
  EXPECT_EQ(window->undo_stack().count(), 2);
}

TEST_F(MainWindowTest, EveryKindOfEditorSetsItsParameter) {
  open_good();
  auto* number = find<NumberBox>("isovalue.number");
  number->setFocus();
  number->selectAll();
  QTest::keyClicks(number, "2.5e-3");
  QTest::keyClick(number, Qt::Key_Return);
  EXPECT_DOUBLE_EQ(lab->values.isovalue, 2.5e-3);

  QTest::mouseClick(find<QWidget>("atoms.flag"), Qt::LeftButton, {},
                    QPoint(8, find<QWidget>("atoms.flag")->height() / 2));
  EXPECT_FALSE(lab->values.atoms);

  auto* choice = find<QComboBox>("style.choice");
  choice->setFocus();
  QTest::keyClick(choice, Qt::Key_Down);
  EXPECT_EQ(lab->values.style, FakeStyle::mesh);

  auto* text = find<QLineEdit>("title.text");
  text->selectAll();
  QTest::keyClicks(text, "a better title");
  QTest::keyClick(text, Qt::Key_Return);
  EXPECT_EQ(lab->values.title, "a better title");

  auto* steps = find<QSlider>("steps.slider");
  steps->setFocus();
  QTest::keyClick(steps, Qt::Key_Right);
  EXPECT_EQ(lab->values.steps, 5);
}

TEST_F(MainWindowTest, ARefusedValueIsExplainedAndTheEditorShowsTheOldOne) {
  open_good();
  auto* text = find<QLineEdit>("title.text");
  text->selectAll();
  QTest::keyClicks(text, "forbidden");
  QTest::keyClick(text, Qt::Key_Return);
  EXPECT_EQ(lab->values.title, "nothing");
  EXPECT_EQ(text->text(), "nothing");
  EXPECT_TRUE(window->error_text().contains("that one is forbidden"));
  EXPECT_EQ(window->undo_stack().count(), 0);
  EXPECT_FALSE(window->run("parameter.set opacity 2"));
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.5);
  EXPECT_FALSE(window->run("parameter.set nonsense 2"));
}

TEST_F(MainWindowTest, ResetPutsDefaultsBackAsOneUndoEntry) {
  open_good();
  window->run("parameter.set opacity 0.25");
  window->run("parameter.set steps 7");
  auto* reset = find<QToolButton>("opacity.reset");
  ASSERT_TRUE(reset->isEnabled());
  QTest::mouseClick(reset, Qt::LeftButton);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.5);
  EXPECT_FALSE(reset->isEnabled());
  window->run("parameter.set opacity 0.25");
  const int before = window->undo_stack().count();
  window->run("parameter.reset");
  EXPECT_EQ(lab->values.steps, 4);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.5);
  EXPECT_EQ(window->undo_stack().count(), before + 1);
  window->run("edit.undo");
  EXPECT_EQ(lab->values.steps, 7);
  EXPECT_DOUBLE_EQ(lab->values.opacity, 0.25);
}

TEST_F(MainWindowTest, ABadFileShowsABannerAndTheOldDocumentStays) {
  open_good("old.word");
  const std::string bad = file("bad.word", "rubbish");
  QSignalSpy failed(window.get(), &MainWindow::job_failed);
  window->run("file.open", {bad});
  ASSERT_TRUE(failed.wait(patience_ms));
  auto* banner = find<QWidget>("error-banner");
  EXPECT_TRUE(banner->isVisible());
  EXPECT_TRUE(window->error_text().contains("bad.word:1: expected the word good. Write it there."));
  EXPECT_EQ(QApplication::activeModalWidget(), nullptr);
  EXPECT_TRUE(window->windowTitle().contains("old.word"));
  EXPECT_FALSE(recent_files().contains(QString::fromStdString(bad)));
  QTest::mouseClick(banner->findChild<QToolButton*>(), Qt::LeftButton);
  EXPECT_FALSE(banner->isVisible());
}

TEST_F(MainWindowTest, ADroppedFileIsOpened) {
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(QString::fromStdString(file("dropped.word", "good")))});
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  QDragEnterEvent enter(QPoint(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window.get(), &enter);
  EXPECT_TRUE(enter.isAccepted());
  QDropEvent drop(QPointF(50, 50), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(window.get(), &drop);
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_TRUE(window->windowTitle().contains("dropped.word"));
}

TEST_F(MainWindowTest, ALongJobShowsItsStageAndIsCancelledByTheButton) {
  window->run("file.open", {file("slow.word", "slow")});
  auto* indicator = find<QWidget>("job-indicator");
  ASSERT_TRUE(QTest::qWaitFor([&] { return indicator->isVisible(); }, patience_ms));
  auto* bar = indicator->findChild<QProgressBar*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return bar->maximum() > 0; }, patience_ms));
  EXPECT_EQ(bar->value(), bar->maximum() / 4);
  EXPECT_TRUE(indicator->findChild<QLabel*>()->text().contains("Reading slow.word: reading"));
  QTest::mouseClick(indicator->findChild<QToolButton*>(), Qt::LeftButton);
  ASSERT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms));
  ASSERT_TRUE(QTest::qWaitFor([&] { return !indicator->isVisible(); }, patience_ms));
  EXPECT_TRUE(window->error_text().isEmpty()) << "a cancelled job is no failure";
  EXPECT_FALSE(lab->is_open);
}

TEST_F(MainWindowTest, EscapeCancelsToo) {
  window->run("file.open", {file("slow.word", "slow")});
  ASSERT_TRUE(QTest::qWaitFor([&] { return find<QAction>("job.cancel")->isEnabled(); }, patience_ms));
  QTest::keyClick(window.get(), Qt::Key_Escape);
  EXPECT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms));
}

TEST_F(MainWindowTest, EscapeLeavesWhatNobodyWaitsForAlone) {
  std::atomic<bool> ended = false;
  const auto id = window->jobs().submit(
      "Keep", "fake.keep",
      [&](const jobs::Progress& progress) {
        while (!ended && !progress.cancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        EXPECT_FALSE(progress.cancelled());
      },
      jobs::Waited::by_nobody);
  QTest::qWait(600);  // what is waited for would be shown by now
  EXPECT_FALSE(find<QWidget>("job-indicator")->isVisible());
  EXPECT_FALSE(find<QAction>("job.cancel")->isEnabled());
  EXPECT_FALSE(window->run("job.cancel"));
  ASSERT_EQ(window->jobs().active().size(), 1u);
  EXPECT_EQ(window->jobs().active()[0].id, id);
  ended = true;
  EXPECT_TRUE(QTest::qWaitFor([&] { return window->jobs().active().empty(); }, patience_ms));
}

TEST_F(MainWindowTest, AKeyPressedTooLateIsNoError) {
  window->run("file.open", {file("slow.word", "slow")});
  auto* cancel = find<QAction>("job.cancel");
  ASSERT_TRUE(QTest::qWaitFor([&] { return cancel->isEnabled(); }, patience_ms));
  for (const auto& job : window->jobs().active()) window->jobs().cancel(job.id);
  window->jobs().wait_idle();  // the window has not heard of it yet
  ASSERT_TRUE(cancel->isEnabled());
  cancel->trigger();
  EXPECT_EQ(window->error_text(), "");
}

TEST_F(MainWindowTest, ClosingTheWindowEndsALongJob) {
  window->run("file.open", {file("slow.word", "slow")});
  window->close();
  window.reset();
}

TEST_F(MainWindowTest, RecentFilesAreListedNewestFirstAndOpenAgain) {
  open_good("one.word");
  open_good("two.word");
  open_good("one.word");
  ASSERT_EQ(recent_files().size(), 2);
  EXPECT_TRUE(recent_files()[0].endsWith("one.word"));
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  ASSERT_TRUE(window->run("file.recent 2"));
  ASSERT_TRUE(opened.wait(patience_ms));
  EXPECT_TRUE(window->windowTitle().contains("two.word"));
  EXPECT_FALSE(window->run("file.recent 5"));
  EXPECT_TRUE(window->error_text().contains("from 1 to 2"));
}

TEST_F(MainWindowTest, ThemesChangeTheColoursAndAreRemembered) {
  ASSERT_TRUE(window->run("view.theme dark"));
  EXPECT_LT(QApplication::palette().color(QPalette::Window).lightness(), 80);
  EXPECT_TRUE(lab->is_dark);
  EXPECT_TRUE(find<QAction>("view.theme dark")->isChecked());
  window.reset();
  open_window();
  EXPECT_EQ(window->theme(), Theme::dark);
  ASSERT_TRUE(window->run("view.theme light"));
  EXPECT_GT(QApplication::palette().color(QPalette::Window).lightness(), 200);
  EXPECT_FALSE(lab->is_dark);
  EXPECT_FALSE(window->run("view.theme purple"));
  EXPECT_TRUE(window->error_text().contains("system, light, dark"));
}

TEST_F(MainWindowTest, DocksAreRememberedFromOneStartToTheNext) {
  open_good();
  ASSERT_TRUE(window->run("view.panel log"));
  ASSERT_TRUE(window->run("view.panel things"));
  EXPECT_TRUE(find<QDockWidget>("panel.Log")->isVisible());
  EXPECT_FALSE(find<QDockWidget>("panel.fake.Things")->isVisible());
  window->close();
  window.reset();
  open_window();
  open_good();
  EXPECT_TRUE(find<QDockWidget>("panel.Log")->isVisible());
  EXPECT_FALSE(find<QDockWidget>("panel.fake.Things")->isVisible());
}

TEST_F(MainWindowTest, APanelBehindAnotherTabComesToTheFrontAndOnlyThenIsHidden) {
  open_good();
  ASSERT_TRUE(window->run("view.panel log"));
  ASSERT_TRUE(window->run("view.panel devices"));
  auto* log = find<QDockWidget>("panel.Log");
  ASSERT_TRUE(QTest::qWaitFor([&] { return log->visibleRegion().isEmpty(); }, patience_ms)) << "it is behind";
  ASSERT_TRUE(window->run("view.panel log"));
  EXPECT_TRUE(QTest::qWaitFor([&] { return !log->visibleRegion().isEmpty(); }, patience_ms));
  EXPECT_FALSE(log->isHidden());
  ASSERT_TRUE(window->run("view.panel log"));
  EXPECT_TRUE(log->isHidden());
}

TEST_F(MainWindowTest, ViewCommandsTakeWhatTheySayAndRefuseTheRest) {
  EXPECT_TRUE(window->run("view.projection orthographic"));
  EXPECT_TRUE(find<QAction>("view.projection orthographic")->isChecked());
  EXPECT_FALSE(find<QAction>("view.projection perspective")->isChecked());
  EXPECT_TRUE(window->run("view.interaction turntable"));
  EXPECT_TRUE(find<QAction>("view.interaction turntable")->isChecked());
  EXPECT_FALSE(window->run("view.projection isometric"));
  EXPECT_TRUE(window->run("view.preset top"));
  EXPECT_FALSE(window->run("view.preset nowhere"));
  EXPECT_TRUE(window->run("view.reset"));
}

TEST_F(MainWindowTest, ImageExportReadsSizeTransparencyAndResolution) {
  open_good();
  const QString path = folder.filePath("image.png");
  ASSERT_TRUE(window->run("file.export-image", {path.toStdString(), "800x600", "transparent", "150"}));
  std::ifstream stream(path.toStdString());
  std::string written;
  std::getline(stream, written);
  EXPECT_EQ(written, "800 600 1 150");
  EXPECT_FALSE(window->run("file.export-image", {path.toStdString(), "800x0"}));
  EXPECT_FALSE(window->run("file.export-image", {path.toStdString(), "99999x99999"}));
  EXPECT_FALSE(window->run("file.export-image", {path.toStdString(), "opaque"}));
}

TEST_F(MainWindowTest, WithoutArgumentsExportingAndOpeningAskWithoutBlocking) {
  open_good();
  ASSERT_TRUE(window->run("file.export-image"));
  auto* dialog = window->findChild<QDialog*>("export-image-dialog");
  ASSERT_NE(dialog, nullptr);
  EXPECT_TRUE(dialog->isVisible());
  dialog->findChild<QLineEdit*>()->setText(folder.filePath("from-dialog.png"));
  QTest::keyClick(dialog, Qt::Key_Return);
  EXPECT_TRUE(QFile::exists(folder.filePath("from-dialog.png")));
  ASSERT_TRUE(window->run("file.open"));
  auto* files = window->findChild<QDialog*>("file-dialog");
  ASSERT_NE(files, nullptr);
  files->reject();
}

TEST_F(MainWindowTest, AnAbsolutePathTypedInTheFolderOfTheDialogIsOpened) {
  const QString path = QString::fromStdString(file("typed.word", "good"));
  QSettings().setValue("files/folder", folder.path());
  ASSERT_TRUE(window->run("file.open"));
  auto* dialog = find<QFileDialog>("file-dialog");
  auto* name = dialog->findChild<QLineEdit*>("fileNameEdit");
  QApplication::setActiveWindow(dialog);
  ASSERT_TRUE(QTest::qWaitFor([&] { return name->hasFocus(); }, patience_ms));
  QSignalSpy opened(window.get(), &MainWindow::document_opened);
  for (const QChar letter : path) QTest::keyClick(name, letter.toLatin1(), Qt::NoModifier, 20);
  ASSERT_EQ(name->text(), path);
  EXPECT_EQ(dialog->selectedFiles(), QStringList(path));
  QTest::keyClick(name, Qt::Key_Return);
  EXPECT_TRUE(opened.count() > 0 || opened.wait(patience_ms));
}

TEST_F(MainWindowTest, TheImageDialogRemembersSizeTransparencyAndResolution) {
  open_good();
  const auto ask = [this] {
    window->run("file.export-image");
    auto* dialog = window->findChild<QDialog*>("export-image-dialog");
    dialog->setObjectName("");  // the next one is another
    return dialog;
  };
  auto* first = ask();
  first->findChild<QLineEdit*>()->setText(folder.filePath("remembered"));
  const auto boxes = first->findChildren<QSpinBox*>();
  ASSERT_EQ(boxes.size(), 3);
  int value = 640;
  for (QSpinBox* box : boxes) box->setValue(value += 10);
  first->findChild<QCheckBox*>()->setChecked(true);
  QTest::keyClick(first, Qt::Key_Return);
  std::ifstream stream(folder.filePath("remembered.png").toStdString());
  std::string written;
  std::getline(stream, written);
  EXPECT_EQ(written, "650 660 1 670") << "and the name has got its suffix";
  auto* second = ask();
  value = 640;
  for (QSpinBox* box : second->findChildren<QSpinBox*>()) EXPECT_EQ(box->value(), value += 10);
  EXPECT_TRUE(second->findChild<QCheckBox*>()->isChecked());
}

/// As after a session in a folder of a memory stick that was taken away.
TEST_F(MainWindowTest, DialogsStartAtTheDocumentWhereTheRememberedFolderIsGone) {
  const QString gone = folder.filePath("gone");
  const auto here = [](const QString& path) { return QFileInfo(path).absoluteFilePath(); };
  const auto begins_at = [&](const std::string& command) {
    EXPECT_TRUE(window->run(command)) << command;
    auto* dialog =
        window->findChildren<QDialog*>(QRegularExpression("^(file|export-image)-dialog$")).value(0);
    auto* files = qobject_cast<QFileDialog*>(dialog);
    const QString path = files != nullptr ? files->directory().absolutePath()
                                          : QFileInfo(dialog->findChild<QLineEdit*>()->text()).path();
    dialog->setObjectName("");  // the next one is another
    dialog->reject();
    return here(path);
  };
  lab->filter = "Words (*.word)";
  for (const auto* key : {"files/folder", "files/export-folder"}) QSettings().setValue(key, gone);
  EXPECT_EQ(begins_at("file.open"), here(QDir::currentPath()));
  open_good();
  for (const auto* command : {"file.open", "file.export", "file.export-image"})
    EXPECT_EQ(begins_at(command), here(folder.path())) << command;
  ASSERT_TRUE(QDir().mkdir(gone));
  for (const auto* command : {"file.open", "file.export", "file.export-image"})
    EXPECT_EQ(begins_at(command), here(gone)) << command;
  ASSERT_TRUE(QDir(gone).removeRecursively());
  for (const auto* key : {"files/folder", "files/export-folder"}) QSettings().remove(key);
}

TEST_F(MainWindowTest, AnExportedFileGetsTheSuffixOfTheChosenFilter) {
  open_good();
  QString taken;
  lab->filter = "Words (*.word *.txt);;Numbers (*.number.csv);;All files (*)";
  lab->on_export = [&](const std::filesystem::path& path) { taken = QString::fromStdString(path.string()); };
  for (const auto& [filter, suffix] :
       {std::pair("Words (*.word *.txt)", ".word"), std::pair("Numbers (*.number.csv)", ".number.csv")}) {
    window->run("file.export");
    auto* dialog = window->findChild<QFileDialog*>("file-dialog");
    ASSERT_NE(dialog, nullptr);
    dialog->setObjectName("");
    dialog->setDirectory(folder.path());
    dialog->selectNameFilter(filter);
    Q_EMIT dialog->filterSelected(filter);
    dialog->findChild<QLineEdit*>()->setText("mine");
    QTest::keyClick(dialog, Qt::Key_Return);
    EXPECT_EQ(taken, folder.filePath(QString("mine") + suffix));
  }
}

TEST_F(MainWindowTest, CtrlCCopiesThePicture) {
  open_good();
  QApplication::clipboard()->clear();
  QTest::keyClick(window.get(), Qt::Key_C, Qt::ControlModifier);
  const QImage copied = QApplication::clipboard()->image();
  const auto& view = window->view();
  EXPECT_EQ(copied.size(), view.size() * view.devicePixelRatio());
}

TEST_F(MainWindowTest, KeysTurnAndZoomTheScene) {
  open_good();
  auto& renderer = *window->view().renderer();
  window->run("view.preset front");
  const std::string front = scene::camera_text(renderer);
  QTest::keyClick(window.get(), Qt::Key_Right, Qt::AltModifier);
  const std::string turned = scene::camera_text(renderer);
  EXPECT_NE(turned, front);
  QTest::keyClick(window.get(), Qt::Key_Left, Qt::AltModifier);
  EXPECT_EQ(scene::camera_text(renderer), front);
  // Nine steps of ten degrees to the right show what was at the left.
  for (int i = 0; i < 9; ++i) window->run("view.turn-right");
  auto* camera = renderer.GetActiveCamera();
  const double* place = camera->GetPosition();
  const double* focal = camera->GetFocalPoint();
  EXPECT_LT(place[0] - focal[0], 0);
  EXPECT_NEAR(place[1] - focal[1], 0, 1e-6);
  const double distance = camera->GetDistance();
  window->run("view.zoom-in");
  EXPECT_LT(camera->GetDistance(), distance);
  window->run("view.zoom-out");
  EXPECT_NEAR(camera->GetDistance(), distance, 1e-9);
}

TEST_F(MainWindowTest, ASliderFollowsAUsualRangeButNotUnderTheHand) {
  open_good();
  auto* slider = find<QSlider>("isovalue.slider");
  const double before = lab->values.isovalue;
  const int at = slider->value();
  lab->usual = parameters::Range{0.01, 0.1};
  QTest::mousePress(slider, Qt::LeftButton, {},
                    QPoint(slider->width() * at / slider->maximum(), slider->height() / 2));
  ASSERT_TRUE(slider->isSliderDown());
  lab->context().parameters_changed();
  EXPECT_EQ(slider->value(), at);
  QTest::mouseRelease(slider, Qt::LeftButton);
  lab->context().parameters_changed();
  EXPECT_NEAR(lab->values.isovalue, before, 0.01);
  // On a logarithmic slider from 0.01 to 0.1.
  EXPECT_NEAR(slider->value(), std::log10(lab->values.isovalue / 0.01) * slider->maximum(), 2);
  EXPECT_EQ(find<QSlider>("isovalue.slider"), slider);
  slider->setValue(slider->maximum());
  EXPECT_DOUBLE_EQ(lab->values.isovalue, 0.1);
}

TEST_F(MainWindowTest, TheLogPanelShowsCopiesAndFilters) {
  open_good();
  window->run("view.panel log");
  log::info("something to know");
  log::warning("something to beware of");
  auto* dock = find<QDockWidget>("panel.Log");
  auto* text = dock->findChild<QPlainTextEdit*>();
  ASSERT_TRUE(QTest::qWaitFor([&] { return text->toPlainText().contains("beware"); }, patience_ms));
  EXPECT_TRUE(text->toPlainText().contains("something to know"));
  dock->findChild<QComboBox*>()->setCurrentIndex(static_cast<int>(log::Level::warning));
  EXPECT_FALSE(text->toPlainText().contains("something to know"));
  EXPECT_TRUE(text->toPlainText().contains("beware"));
  for (auto* button : dock->findChildren<QPushButton*>()) {
    if (button->text() == "Copy") QTest::mouseClick(button, Qt::LeftButton);
  }
  EXPECT_TRUE(QApplication::clipboard()->text().contains("beware"));
}

TEST_F(MainWindowTest, HelpListsEveryKey) {
  ASSERT_TRUE(window->run("help.shortcuts"));
  auto* table = find<QDialog>("shortcuts")->findChild<QTreeWidget*>();
  EXPECT_EQ(table->findItems("file.open", Qt::MatchExactly, 1).size(), 1);
  EXPECT_EQ(table->findItems("fake.next", Qt::MatchExactly, 1).size(), 1);
  ASSERT_TRUE(window->run("help.manual isovalue"));
  EXPECT_EQ(find<QLineEdit>("manual.search")->text(), "isovalue");
  ASSERT_TRUE(window->run("help.about"));
  EXPECT_TRUE(find<QDialog>("about")->isVisible());
}

TEST_F(MainWindowTest, EveryCommandHasTitleAndHelpAndEveryKeyIsUsedOnce) {
  std::map<std::string, std::string> by_key;
  for (const Command* command : window->commands().all()) {
    EXPECT_FALSE(command->title.empty()) << command->name;
    EXPECT_FALSE(command->help.empty()) << command->name;
    EXPECT_TRUE(command->run) << command->name << " is declared, but does nothing";
    for (const auto& argument : command->arguments)
      EXPECT_FALSE(argument.description.help.empty()) << command->name << ' ' << argument.description.key;
    const std::string& shortcut = window->commands().part(command->name).shortcut;
    if (shortcut.empty()) continue;
    const auto [taken, is_new] = by_key.emplace(shortcut, command->name);
    EXPECT_TRUE(is_new) << shortcut << " belongs to " << taken->second << " and " << command->name;
  }
}

TEST_F(MainWindowTest, AScriptWaitsForTheWorkOfEachCommand) {
  const std::string path = file("script.word", "good");
  EXPECT_EQ(run_script({"file.open " + commands::quote(path), "parameter.set steps 9", "fake.next"}), "");
  EXPECT_EQ(lab->values.steps, 9);
  EXPECT_EQ(lab->nexts, 1);
}

TEST_F(MainWindowTest, AScriptHearsOfWhatAJobHandedOverAndCouldNotBeTaken) {
  const std::string path = file("script.word", "late");
  EXPECT_EQ(run_script({"file.open " + commands::quote(path), "fake.greet nobody"}),
            "The word came too late.");
  EXPECT_TRUE(lab->greeted.empty());
}

TEST_F(MainWindowTest, AScriptStopsAtTheFirstFailure) {
  const std::string path = file("script.word", "rubbish");
  const std::string error = run_script({"file.open " + commands::quote(path), "fake.greet nobody"});
  EXPECT_NE(error.find("script.word:1"), std::string::npos) << error;
  EXPECT_TRUE(lab->greeted.empty());
  EXPECT_EQ(run_script({"fake.nxt"}), "There is no command named \"fake.nxt\". Did you mean fake.next?");
  EXPECT_TRUE(window->error_text().contains("fake.nxt"));
}

TEST_F(MainWindowTest, AScriptsFirstLineWaitsForWhatBeganWithTheProgram) {
  window->run_at_start("file.open", {file("start.word", "good")});
  EXPECT_EQ(run_script({"parameter.set steps 9"}), "");
  EXPECT_EQ(lab->values.steps, 9);
  EXPECT_NE(lab->devices, nullptr);
  window.reset();
  open_window();
  window->run_at_start("file.open", {file("bad.word", "rubbish")});
  EXPECT_NE(run_script({"fake.greet nobody"}).find("bad.word:1"), std::string::npos);
}

TEST_F(MainWindowTest, WhatAPersonDoesIsRecordedAndRunsAgain) {
  open_good();
  ASSERT_TRUE(window->run("script.record"));
  EXPECT_FALSE(window->run("script.record"));
  ASSERT_TRUE(window->run("file.open"));  // only asks
  find<QFileDialog>("file-dialog")->reject();
  QApplication::setActiveWindow(window.get());
  auto* slider = find<QSlider>("opacity.slider");
  const int middle = slider->value();
  const auto at = [&](int position) { return QPoint(slider->width() * position / slider->maximum(), 5); };
  QTest::mousePress(slider, Qt::LeftButton, {}, at(middle));
  for (const int step : {1, 2, 3}) slider->setValue(middle + 20 * step);
  QTest::mouseRelease(slider, Qt::LeftButton, {}, at(middle));
  find<QCheckBox>("atoms.flag")->click();
  QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
  ASSERT_TRUE(window->run("edit.undo"));  // the atoms
  EXPECT_FALSE(window->run("fake.nothing"));
  ASSERT_TRUE(window->run("script.stop"));
  ASSERT_TRUE(window->run("fake.next"));
  const std::vector<std::string> expected{"parameter.set opacity " + parameters::to_text(lab->values.opacity),
                                          "parameter.set atoms false", "fake.next", "edit.undo"};
  EXPECT_EQ(window->recorder().lines(), expected);
  const double opacity = lab->values.opacity;
  ASSERT_NE(opacity, 0.5);

  const std::string path = folder.filePath("a.isoscript").toStdString();
  ASSERT_TRUE(window->run("script.save", {path}));
  open_good("b.word");
  ASSERT_EQ(lab->values.opacity, 0.5);
  EXPECT_EQ(run_script({"script.run " + commands::quote(path)}), "");
  EXPECT_EQ(lab->values.opacity, opacity);
  EXPECT_TRUE(lab->values.atoms);
  EXPECT_EQ(lab->nexts, 3);
  EXPECT_EQ(window->undo_stack().index(), 1) << "a drag is one step again";
}

TEST_F(MainWindowTest, ACameraThatTheMouseTurnedIsRecorded) {
  open_good();
  ASSERT_TRUE(window->run("script.record"));
  QWidget& view = window->view();
  QTest::mousePress(&view, Qt::LeftButton, {}, {100, 100});
  QTest::mouseMove(&view, {160, 130});
  QTest::mouseRelease(&view, Qt::LeftButton, {}, {160, 130});
  ASSERT_TRUE(QTest::qWaitFor([&] { return !window->recorder().empty(); }, patience_ms));
  const std::string there = scene::camera_text(*window->view().renderer());
  ASSERT_TRUE(window->run("script.stop"));
  const auto lines = window->recorder().lines();
  ASSERT_EQ(lines.size(), 1U);
  ASSERT_TRUE(window->run("view.preset front"));
  ASSERT_NE(scene::camera_text(*window->view().renderer()), there);
  ASSERT_TRUE(window->run(lines.front()));
  EXPECT_EQ(scene::camera_text(*window->view().renderer()), there);
}

TEST_F(MainWindowTest, AScriptThatFailsSaysItsLineAlsoWhereACommandRunsIt) {
  const std::string path = file("bad.isoscript", "fake.greet you\n\nfake.nxt\nfake.greet never\n");
  const std::string error = run_script({"script.run " + commands::quote(path)});
  EXPECT_NE(error.find("bad.isoscript:3: There is no command named"), std::string::npos) << error;
  EXPECT_EQ(lab->greeted, std::vector<std::string>{"you"});
}

}  // namespace
}  // namespace isolume::workbench
