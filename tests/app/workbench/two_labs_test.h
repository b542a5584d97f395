#pragma once

#include <QApplication>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "app/workbench/window/main_window.h"
#include "tests/app/patience.h"
#include "tests/app/workbench/fake_devices.h"
#include "tests/app/workbench/fake_lab.h"

namespace isolume::workbench {

/// A window with two labs, files for them, and scripts.
class TwoLabsTest : public testing::Test {
 protected:
  TwoLabsTest() {
    QSettings().clear();
    open_window();
  }
  void open_window() {
    window.reset();
    fake_made = other_made = nullptr;
    window = std::make_unique<MainWindow>(std::vector{fake_entry(fake_made), other_entry(other_made)},
                                          make_fake_pool);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());  // there is no window manager to do it
  }
  std::string path(const std::string& name) const {
    return folder.filePath(QString::fromStdString(name)).toStdString();
  }
  std::string file(const std::string& name, const std::string& content = "good") const {
    std::ofstream(path(name)) << content;
    return path(name);
  }
  /// Runs the lines one after the other; gives the error, or nothing.
  std::string run(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", line});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    if (!QTest::qWaitFor([&] { return end.has_value(); }, patience_ms)) return "no end";
    return *end;
  }

  /// The folder with the sessions that windows keep.
  static std::filesystem::path sessions() {
    return std::filesystem::path(
               QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString()) /
           "sessions";
  }

  QTemporaryDir folder;
  FakeLab* fake_made = nullptr;  ///< the one of each lab that was made last
  FakeLab* other_made = nullptr;
  std::unique_ptr<MainWindow> window;
};

}  // namespace isolume::workbench
