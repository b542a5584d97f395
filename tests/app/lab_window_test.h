#pragma once

#include <QApplication>
#include <QDir>
#include <QLabel>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/workbench/window/banner.h"
#include "app/workbench/window/main_window.h"
#include "core/commands/arguments.h"
#include "core/jobs/activity.h"
#include "gpu/machine.h"
#include "tests/app/patience.h"

namespace isolume {

/// Labs in a window of their own, whose settings are thrown away: scripts run in it as people run them.
class LabWindowTest : public testing::Test {
 protected:
  explicit LabWindowTest(std::vector<workbench::LabEntry> labs) : labs_(std::move(labs)) {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    open_window();
  }
  /// In place of the one that is open, as when the program is started again.
  void open_window() {
    window.reset();
    window = std::make_unique<workbench::MainWindow>(labs_, gpu::make_device_pool);
    window->resize(900, 640);  // drawn by the processor: every pixel takes time
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  /// Runs the lines, each when the work of the one before has ended; gives the error, or nothing.
  std::string run(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", with_references_quoted(line)});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  /// What a command answers when its work has ended.
  nlohmann::json answer(const std::string& line) {
    std::optional<jobs::Outcome> end;
    window->run_and_wait(line, [&end](const jobs::Outcome& outcome) { end = outcome; });
    EXPECT_TRUE(QTest::qWaitFor([&] { return end.has_value(); }, patience_ms)) << line;
    if (!end) return nullptr;
    EXPECT_EQ(end->error, "") << line;
    return end->result;
  }
  /// Of a parameter, as text.
  std::string value(const char* key) { return parameters::to_text(window->lab().parameters()->get(key)); }
  std::string status() { return window->findChild<QLabel*>("status")->text().toStdString(); }
  std::string warning() {
    return window->findChild<workbench::Banner*>("warning-banner")->text().toStdString();
  }
  std::string path(const char* name) const { return folder.filePath(name).toStdString(); }

  QTemporaryDir folder;
  std::unique_ptr<workbench::MainWindow> window;

 private:
  /// The folder of the references may have a space in its name.
  static std::string with_references_quoted(std::string line) {
    const std::string references = ISOLUME_TEST_REFERENCES, quoted = commands::quote(references);
    for (auto at = line.find(references); at != std::string::npos;
         at = line.find(references, at + quoted.size()))
      line.replace(at, references.size(), quoted);
    return line;
  }

  std::vector<workbench::LabEntry> labs_;
};

}  // namespace isolume
