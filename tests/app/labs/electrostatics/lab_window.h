#pragma once

#include <QImage>
#include <QLabel>
#include <QTest>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/app/lab_window_test.h"

namespace isolume::labs::electrostatics {

workbench::LabEntry lab_entry();

/// The lab alone in a window.
class ElectrostaticsLabTest : public LabWindowTest {
 protected:
  ElectrostaticsLabTest() : LabWindowTest({lab_entry()}) {}

  /// As LabWindowTest has it, but for a file's first map where the next line sets a parameter: its grid is fine, and it is
  /// superseded rather than waited for, as when a person drags a slider at once.
  std::string run(const std::vector<std::string>& lines) {
    const std::string open = "file.open ", set = "parameter.set ";
    if (lines.size() < 2 || !lines[0].starts_with(open) || !lines[1].starts_with(set))
      return LabWindowTest::run(lines);
    const std::filesystem::path file = lines[0].substr(open.size());
    window->run(open + commands::quote(file.string()));
    const QString name = QString::fromStdString(file.filename().string());
    EXPECT_TRUE(QTest::qWaitFor([&] { return window->windowTitle().startsWith(name); }, patience_ms))
        << window->error_text().toStdString();
    return LabWindowTest::run({lines.begin() + 1, lines.end()});
  }

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
    const char* to = std::getenv("ISOLUME_KEEP_PICTURES");
    if (to == nullptr) return;
    QTest::qWait(200);
    window->grab().save(QString("%1/%2.png").arg(to, name));
  }
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
};

}  // namespace isolume::labs::electrostatics
