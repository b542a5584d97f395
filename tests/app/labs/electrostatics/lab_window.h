#pragma once

#include <QApplication>
#include <QDir>
#include <QImage>
#include <QLabel>
#include <QSettings>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "app/workbench/main_window.h"
#include "core/commands/arguments.h"
#include "gpu/machine.h"

namespace isolume::labs::electrostatics {

workbench::LabEntry lab_entry();

constexpr int patience_ms = 60000;

/// The folder of the references may have a space in its name.
inline std::string with_references_quoted(std::string line) {
  const std::string folder = ISOLUME_TEST_REFERENCES, quoted = commands::quote(folder);
  for (auto at = line.find(folder); at != std::string::npos; at = line.find(folder, at + quoted.size()))
    line.replace(at, folder.size(), quoted);
  return line;
}

/// The lab alone in a window.
class ElectrostaticsLabTest : public testing::Test {
 protected:
  ElectrostaticsLabTest() {
    QSettings().clear();
    QDir(QStandardPaths::writableLocation(QStandardPaths::AppDataLocation)).removeRecursively();
    window = std::make_unique<workbench::MainWindow>(std::vector{lab_entry()}, gpu::make_device_pool);
    window->resize(1200, 800);
    window->show();
    EXPECT_TRUE(QTest::qWaitForWindowExposed(window.get(), patience_ms));
    QApplication::setActiveWindow(window.get());
  }
  /// Runs the lines, each when the work of the one before has ended; gives the error, or nothing.
  std::string run(const std::vector<std::string>& lines) {
    std::optional<std::string> end;
    std::vector<commands::ScriptLine> script;
    for (const std::string& line : lines) script.push_back({"", with_references_quoted(line)});
    window->run_script(script, [&end](const std::string& error) { end = error; });
    return QTest::qWaitFor([&] { return end.has_value(); }, patience_ms) ? *end : "no end";
  }
  std::string value(const char* key) { return parameters::to_text(window->lab().parameters()->get(key)); }
  std::string status() { return window->findChild<QLabel*>("status")->text().toStdString(); }
  bool is_said(const QString& text) {
    for (const auto* label : window->findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(text)) return true;
    }
    return false;
  }
  /// The picture as it is written.
  QImage exported(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 400x300"}), "");
    return QImage(QString::fromStdString(path(name)));
  }
  /// For a person to look at, where this is set: the folder.
  void keep_window(const char* name) {
    QTest::qWait(200);
    if (const char* to = std::getenv("ISOLUME_KEEP_PICTURES"))
      window->grab().save(QString("%1/%2.png").arg(to, name));
  }
  std::string path(const char* name) const { return folder.filePath(name).toStdString(); }
  /// How many pixels are more blue than red by a good part, and the other way round.
  std::pair<int, int> blue_and_red(const char* name) {
    EXPECT_EQ(run({"file.export-image " + path(name) + " 600x450"}), "");
    const QImage picture(QString::fromStdString(path(name)));
    std::pair<int, int> counts{0, 0};
    for (int y = 0; y < picture.height(); ++y) {
      for (int x = 0; x < picture.width(); ++x) {
        const QColor colour = picture.pixelColor(x, y);
        counts.first += colour.blue() > colour.red() + 60;
        counts.second += colour.red() > colour.blue() + 60;
      }
    }
    return counts;
  }

  QTemporaryDir folder;
  std::unique_ptr<workbench::MainWindow> window;
};

}  // namespace isolume::labs::electrostatics
