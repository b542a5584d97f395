#pragma once

#include <QColor>
#include <QTime>
#include <QWidget>
#include <deque>

#include "core/base/logging.h"

class QComboBox;
class QPlainTextEdit;

namespace isolume::workbench {

/// The program's log, newest line last. The level filters the stored lines.
class LogPanel : public QWidget {
  Q_OBJECT
 public:
  explicit LogPanel(QWidget* parent = nullptr);
  ~LogPanel() override;

  QString shown_text() const;
  void show_level(log::Level least);

 private:
  struct Line {
    QTime time;
    log::Entry entry;
  };
  void keep(Line line);
  void append(const Line& line);
  void fill();
  log::Level least_shown() const;

  std::deque<Line> lines_;
  QComboBox* level_;
  QPlainTextEdit* text_;
  int listener_;
};

}  // namespace isolume::workbench
