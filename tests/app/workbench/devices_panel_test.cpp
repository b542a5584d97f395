#include "app/workbench/devices/devices_panel.h"

#include <QAction>
#include <QContextMenuEvent>
#include <QDockWidget>
#include <QLabel>
#include <QMenu>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolTip>
#include <QTreeWidget>
#include <fstream>
#include <future>
#include <sstream>
#include <thread>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "app/workbench/devices/tile_timeline.h"
#include "app/workbench/devices/timeline_export.h"
#include "app/workbench/look/theme.h"
#include "app/workbench/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_devices.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::workbench {
namespace {

enum Column { number, name, kind, state, tiles, busy, memory, detail };

/// The processor and the second GPU at work: 8 tiles of 2 ms by four threads, 24 of 1 ms by two streams, the
/// last of which fails.
dispatch::Report example_report(const dispatch::DevicePool& pool) {
  dispatch::Report report;
  report.job = "HOMO (21)";
  report.kernel = "separable";
  report.reason = "the grid is axis-aligned";
  report.seconds = 0.016;
  report.shares = {{"Processor", 8, 0.016, "", pool.devices()[0]},
                   {"Graphics", 23, 0.023, "out of memory", pool.devices()[2]}};
  std::size_t tile = 0;
  for (int i = 0; i < 8; ++i) {
    const double begin = 0.002 * (i / 4);
    report.timeline.push_back({0, i % 4, tile++, begin, begin + 0.002, false});
  }
  for (int i = 0; i < 24; ++i) {
    const double begin = 0.001 * (i / 2);
    report.timeline.push_back({1, i % 2, tile++, begin, begin + 0.001, i == 23});
  }
  return report;
}

class DevicesPanelTest : public testing::Test {
 protected:
  DevicesPanelTest() {
    QSettings().clear();
    window = std::make_unique<MainWindow>(std::vector{fake_entry(lab)}, [this] {
      may_find.get_future().wait();
      return pool;
    });
    window->resize(1400, 900);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  ~DevicesPanelTest() override {
    if (!found) may_find.set_value();
  }
  void find_devices() {
    found = true;
    may_find.set_value();
    ASSERT_TRUE(QTest::qWaitFor([&] { return window->devices() != nullptr; }, patience_ms));
  }
  void open_file() {
    const std::string path = folder.filePath("a.word").toStdString();
    std::ofstream(path) << "good";
    QSignalSpy opened(window.get(), &MainWindow::document_opened);
    ASSERT_TRUE(window->run("file.open", {path}));
    ASSERT_TRUE(opened.wait(patience_ms));
  }
  void open_panel() {
    ASSERT_NO_FATAL_FAILURE(find_devices());
    ASSERT_NO_FATAL_FAILURE(open_file());
    ASSERT_TRUE(window->run("view.panel Devices"));
    ASSERT_TRUE(QTest::qWaitFor([&] { return find<QTreeWidget>("devices")->isVisible(); }, patience_ms));
  }
  /// As an engine does, on a thread of its own.
  void record(dispatch::Report report) {
    std::thread([&] { pool->record(std::move(report)); }).join();
  }
  void show_example() {
    ASSERT_NO_FATAL_FAILURE(open_panel());
    record(example_report(*pool));
    ASSERT_TRUE(QTest::qWaitFor([&] { return job().contains("HOMO"); }, patience_ms));
  }
  template <class Widget>
  Widget* find(const char* object_name) {
    auto* widget = window->findChild<Widget*>(object_name);
    EXPECT_NE(widget, nullptr) << object_name;
    return widget;
  }
  QString cell(int row, Column column) {
    return find<QTreeWidget>("devices")->topLevelItem(row)->text(column);
  }
  QString job() { return find<QLabel>("devices.job")->text(); }
  TileTimeline* timeline() { return find<TileTimeline>("timeline"); }
  /// Opens the context menu of a row and chooses its only entry with the mouse.
  void choose_in_menu(int row) {
    auto* table = find<QTreeWidget>("devices");
    const QPoint place = table->visualItemRect(table->topLevelItem(row)).center();
    QContextMenuEvent event(QContextMenuEvent::Mouse, place, table->viewport()->mapToGlobal(place));
    QApplication::sendEvent(table->viewport(), &event);
    auto* menu = find<QMenu>("devices.menu");
    ASSERT_TRUE(QTest::qWaitForWindowExposed(menu, patience_ms));
    QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(menu->actions().front()).center());
    ASSERT_TRUE(
        QTest::qWaitFor([&] { return window->findChild<QMenu*>("devices.menu") == nullptr; }, patience_ms));
  }

  QTemporaryDir folder;
  std::promise<void> may_find;
  bool found = false;
  std::shared_ptr<dispatch::DevicePool> pool = make_fake_pool();
  FakeLab* lab = nullptr;
  std::unique_ptr<MainWindow> window;
};

TEST_F(DevicesPanelTest, TheWindowWorksWhileTheDevicesAreStillLookedFor) {
  ASSERT_NO_FATAL_FAILURE(open_file());
  EXPECT_EQ(window->devices(), nullptr);
  EXPECT_TRUE(find<QLabel>("devices.notes")->text().contains("Looking for devices"));
  EXPECT_FALSE(window->run("device.disable 1"));
  EXPECT_TRUE(window->error_text().contains("still looking for devices"));
  EXPECT_EQ(lab->devices, nullptr);
  ASSERT_NO_FATAL_FAILURE(find_devices());
  EXPECT_EQ(lab->devices, pool);
}

TEST_F(DevicesPanelTest, ARowTellsOfEachDevice) {
  dynamic_cast<FakeDevice&>(*pool->devices()[1]).used = std::size_t{2} << 30;
  pool->devices()[2]->set_aside("It hangs.");
  pool->set_note("display", "staged through the host: the display is another device");
  ASSERT_NO_FATAL_FAILURE(open_panel());
  ASSERT_EQ(find<QTreeWidget>("devices")->topLevelItemCount(), 3);
  EXPECT_EQ(cell(0, name), "Processor");
  EXPECT_EQ(cell(0, kind), "CPU");
  EXPECT_EQ(cell(0, memory), "3 GiB usable");
  EXPECT_EQ(cell(1, number), "1");
  EXPECT_EQ(cell(1, kind), "GPU");
  EXPECT_EQ(cell(1, memory), "2 GiB of 8 GiB used");
  EXPECT_EQ(cell(1, detail), "made up");
  EXPECT_EQ(cell(1, state), "in use");
  EXPECT_EQ(cell(2, state), "disabled: It hangs.");
  EXPECT_EQ(find<QLabel>("devices.notes")->text(),
            "Display: staged through the host: the display is another device");
}

TEST_F(DevicesPanelTest, WhyThereIsNoGpuIsSaid) {
  pool = std::make_shared<dispatch::DevicePool>(std::vector<std::unique_ptr<dispatch::Device>>(),
                                                "No NVIDIA driver was found.");
  ASSERT_NO_FATAL_FAILURE(open_panel());
  EXPECT_EQ(find<QLabel>("devices.notes")->text(), "No GPU: No NVIDIA driver was found.");
}

TEST_F(DevicesPanelTest, AJobsReportIsShownByDevice) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  EXPECT_EQ(cell(0, tiles), "8 of 31 (26 %)");
  EXPECT_EQ(cell(0, busy), "25 %");  // 16 ms of tiles in 4 x 16 ms
  EXPECT_EQ(cell(1, tiles), "") << "the other device of the same name did nothing";
  EXPECT_EQ(cell(2, tiles), "23 of 31 (74 %)");
  EXPECT_EQ(cell(2, busy), "72 %");  // 23 ms in 2 x 16 ms
  EXPECT_EQ(cell(2, state), "in use; last job: out of memory");
  // 31 tiles at 4 per 2 ms and 2 per ms, both to the end, take 7.75 ms of the 16 ms.
  EXPECT_EQ(job(), "HOMO (21) | 16.00 ms | efficiency 48 % | separable kernel: the grid is axis-aligned");
}

TEST_F(DevicesPanelTest, AShareWithoutItsDeviceIsFoundByANameThatOnlyOneHas) {
  ASSERT_NO_FATAL_FAILURE(open_panel());
  auto report = example_report(*pool);
  for (auto& share : report.shares) share.which = nullptr;
  record(std::move(report));
  ASSERT_TRUE(QTest::qWaitFor([&] { return job().contains("HOMO"); }, patience_ms));
  EXPECT_EQ(cell(0, tiles), "8 of 31 (26 %)");
  EXPECT_EQ(cell(1, tiles), "");
  EXPECT_EQ(cell(2, tiles), "") << "two devices are called so";
}

TEST_F(DevicesPanelTest, ManyReportsAreTakenUpToTheLast) {
  ASSERT_NO_FATAL_FAILURE(open_panel());
  for (int i = 0; i < 500; ++i) {
    auto report = example_report(*pool);
    report.job = "HOMO-" + std::to_string(i);
    record(std::move(report));
  }
  EXPECT_TRUE(QTest::qWaitFor([&] { return job().startsWith("HOMO-499 "); }, patience_ms))
      << job().toStdString();
}

TEST_F(DevicesPanelTest, AReportOfAJobThatOutlivesTheWindowDoesNoHarm) {
  ASSERT_NO_FATAL_FAILURE(open_panel());
  std::promise<void> go;
  std::thread late([&] {
    go.get_future().wait();
    for (int i = 0; i < 100; ++i) pool->record(example_report(*pool));
  });
  go.set_value();
  window.reset();
  late.join();
}

TEST_F(DevicesPanelTest, TheContextMenuSetsADeviceAsideAndPutsItBack) {
  ASSERT_NO_FATAL_FAILURE(open_panel());
  ASSERT_NO_FATAL_FAILURE(choose_in_menu(1));
  EXPECT_EQ(pool->devices()[1]->set_aside_because(), "Disabled by the user.");
  EXPECT_EQ(cell(1, state), "disabled: Disabled by the user.");
  ASSERT_NO_FATAL_FAILURE(choose_in_menu(1));
  EXPECT_EQ(pool->devices()[1]->set_aside_because(), "");
  EXPECT_EQ(cell(1, state), "in use");
}

TEST_F(DevicesPanelTest, TheLastDeviceInUseStays) {
  ASSERT_NO_FATAL_FAILURE(find_devices());
  ASSERT_TRUE(window->run("device.disable 0"));
  ASSERT_TRUE(window->run("device.disable 1"));
  EXPECT_FALSE(window->run("device.disable 2"));
  EXPECT_TRUE(window->error_text().contains("only device in use")) << window->error_text().toStdString();
  EXPECT_EQ(pool->devices()[2]->set_aside_because(), "");
  EXPECT_FALSE(window->run("device.enable 3"));
  EXPECT_TRUE(window->error_text().contains("from 0 to 2")) << window->error_text().toStdString();
  EXPECT_TRUE(window->run("device.enable 0"));
  EXPECT_EQ(pool->devices()[0]->set_aside_because(), "");
}

TEST_F(DevicesPanelTest, ArrowKeysStepThroughTheTiles) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  auto* tiles_shown = timeline();
  tiles_shown->setFocus();
  QTest::keyClick(tiles_shown, Qt::Key_Right);
  EXPECT_EQ(tiles_shown->chosen(), 0);
  EXPECT_EQ(tiles_shown->accessibleDescription(),
            "Tile 0 by 0: Processor, worker 1: from 0.000 ms, took 2.00 ms");
  EXPECT_EQ(find<QLabel>("devices.tile")->text(), tiles_shown->accessibleDescription());
  QTest::keyClick(tiles_shown, Qt::Key_Right);
  EXPECT_EQ(tiles_shown->chosen(), 4);  // the next one of the same thread
  QTest::keyClick(tiles_shown, Qt::Key_Right);
  EXPECT_EQ(tiles_shown->chosen(), 4) << "there is none further";
  QTest::keyClick(tiles_shown, Qt::Key_Down);
  EXPECT_EQ(tiles_shown->chosen(), 5);
  for (int i = 0; i < 3; ++i) QTest::keyClick(tiles_shown, Qt::Key_Down);
  const auto report = pool->last_report();
  const auto& span = report->timeline[static_cast<std::size_t>(tiles_shown->chosen())];
  EXPECT_EQ(span.device, 1);
  EXPECT_LE(span.begin, 0.003);  // the middle of tile 5
  EXPECT_GE(span.end, 0.003);
  QTest::keyClick(tiles_shown, Qt::Key_Down);
  QTest::keyClick(tiles_shown, Qt::Key_End);
  EXPECT_EQ(tiles_shown->accessibleDescription(),
            "Tile 31 by 2: Graphics, worker 2: from 11.0 ms, took 1.00 ms; failed and was re-queued: out of "
            "memory");
  QTest::keyClick(tiles_shown, Qt::Key_Home);
  EXPECT_EQ(tiles_shown->chosen(), 9);
}

TEST_F(DevicesPanelTest, TheMouseFindsTiles) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  const auto place = [&] { return timeline()->bar(10).center().toPoint(); };
  EXPECT_EQ(timeline()->tile_at(place()), 10);
  // The panel may still be laid out when the pointer comes: it comes again.
  bool seen = false;
  for (int attempt = 0; attempt < 10 && !seen; ++attempt) {
    QTest::mouseMove(timeline(), place() - QPoint(2, 0));
    QTest::mouseMove(timeline(), place());
    seen = QTest::qWaitFor([] { return QToolTip::isVisible(); }, patience_ms / 5);
  }
  EXPECT_EQ(QToolTip::text(), "Tile 10 by 2: Graphics, worker 1: from 1.00 ms, took 1.00 ms");
  QTest::mouseClick(timeline(), Qt::LeftButton, {}, place());
  EXPECT_EQ(timeline()->chosen(), 10);
  QTest::mouseClick(timeline(), Qt::LeftButton, {}, {1, 1});
  EXPECT_EQ(timeline()->chosen(), -1);
}

/// How many pixels of a widget's picture have about this colour, in a box.
int pixels_like(const QImage& image, const QRectF& box, const QColor& wanted) {
  const double scale = image.devicePixelRatio();
  int count = 0;
  for (int y = static_cast<int>(box.top() * scale); y < box.bottom() * scale; ++y) {
    for (int x = static_cast<int>(box.left() * scale); x < box.right() * scale; ++x) {
      const QColor colour = image.pixelColor(x, y);
      count += std::abs(colour.red() - wanted.red()) + std::abs(colour.green() - wanted.green()) +
                   std::abs(colour.blue() - wanted.blue()) <
               30;
    }
  }
  return count;
}

TEST_F(DevicesPanelTest, FailedTilesCarryACross) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  const QImage image = timeline()->grab().toImage();
  EXPECT_GT(pixels_like(image, timeline()->bar(31), error_colour()), 10);
  EXPECT_EQ(pixels_like(image, timeline()->bar(29), error_colour()), 0);
}

/// Ten thousand tiles of one device, back to back: far more than pixels.
dispatch::Report long_report() {
  dispatch::Report report;
  report.seconds = 1;
  report.shares = {{"Graphics", 10000, 1, "", nullptr}};
  for (std::size_t i = 0; i < 10000; ++i) {
    const double begin = 1e-4 * static_cast<double>(i);
    report.timeline.push_back({0, 0, i, begin, begin + 1e-4, false});
  }
  return report;
}

TEST_F(DevicesPanelTest, TilesBelowAPixelAreDrawnTogether) {
  TileTimeline alone;
  alone.resize(600, 100);
  alone.set_report(std::make_shared<const dispatch::Report>(long_report()), {"Graphics"});
  const QImage image = alone.grab().toImage();
  const QRectF all = alone.bar(0).united(alone.bar(9999));
  const QColor ground = image.pixelColor(QPointF(all.right() + 4, all.center().y()).toPoint());
  const int drawn = static_cast<int>(all.width() * all.height()) - pixels_like(image, all, ground);
  EXPECT_GT(drawn, 0.4 * all.width() * all.height());
  const int tile = alone.tile_at(alone.bar(5000).center());
  EXPECT_NEAR(tile, 5000, 100);  // those of the same few pixels
}

TEST_F(DevicesPanelTest, AnEmptyJobAndNoJobAreSaidInWords) {
  TileTimeline alone;
  alone.resize(300, 100);
  alone.grab();
  alone.set_report(std::make_shared<const dispatch::Report>(), {});
  alone.grab();
  QTest::keyClick(&alone, Qt::Key_Right);
  EXPECT_EQ(alone.chosen(), -1);
}

TEST_F(DevicesPanelTest, TheTimelineIsExportedAsATable) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  const std::string path = folder.filePath("tiles.csv").toStdString();
  ASSERT_TRUE(window->run("devices.export-timeline", {path}));
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, "tile,device,worker,begin_ms,end_ms,failed\r");
  std::vector<std::string> lines;
  while (std::getline(file, line)) lines.push_back(line);
  ASSERT_EQ(lines.size(), 32);
  EXPECT_EQ(lines[4], "4,\"0: Processor\",1,2.000000,4.000000,0\r");
  EXPECT_EQ(lines[31], "31,\"2: Graphics\",2,11.000000,12.000000,1\r");
}

TEST_F(DevicesPanelTest, TheTimelineIsExportedAsATrace) {
  ASSERT_NO_FATAL_FAILURE(show_example());
  const std::string path = folder.filePath("tiles.json").toStdString();
  ASSERT_TRUE(window->run("devices.export-timeline", {path}));
  std::ifstream file(path);
  const auto trace = nlohmann::json::parse(file);
  EXPECT_EQ(trace["otherData"]["job"], "HOMO (21)");
  std::vector<nlohmann::json> complete;
  std::vector<std::string> processes;
  for (const auto& event : trace["traceEvents"]) {
    if (event["ph"] == "X") complete.push_back(event);
    if (event["ph"] == "M") processes.push_back(event["args"]["name"]);
  }
  EXPECT_EQ(processes, (std::vector<std::string>{"0: Processor", "2: Graphics"}));
  ASSERT_EQ(complete.size(), 32);
  EXPECT_DOUBLE_EQ(complete[4]["ts"].get<double>(), 2000);
  EXPECT_DOUBLE_EQ(complete[4]["dur"].get<double>(), 2000);
  EXPECT_EQ(complete[31]["cat"], "failed");
  EXPECT_EQ(complete[31]["pid"], 1);
}

TEST_F(DevicesPanelTest, TimelinesHaveTwoFormatsOnly) {
  ASSERT_NO_FATAL_FAILURE(find_devices());
  EXPECT_FALSE(window->run("devices.export-timeline", {"tiles.csv"}));
  EXPECT_TRUE(window->error_text().contains("No job has run yet"));
  record(example_report(*pool));
  EXPECT_FALSE(window->run("devices.export-timeline", {folder.filePath("tiles.txt").toStdString()}));
  EXPECT_TRUE(window->error_text().contains(".csv or as .json")) << window->error_text().toStdString();
  EXPECT_FALSE(QFile::exists(folder.filePath("tiles.txt")));
}

}  // namespace
}  // namespace isolume::workbench
