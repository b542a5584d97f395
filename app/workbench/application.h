#pragma once

#include <QApplication>
#include <string>

namespace isolume::workbench {

/// The QApplication of all windows: names settings, reports what was thrown and not caught, and, with
/// ISOLUME_LOG=debug, logs whatever keeps the GUI thread for longer than its budget of 8 ms, and how much of that it computed.
class Application : public QApplication {
  Q_OBJECT
 public:
  Application(int& argc, char** argv);
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  bool watches_;
  /// Time spent in events handled within the present one, which has its own account of it.
  qint64 nested_nanoseconds_ = 0;
  double nested_computed_milliseconds_ = 0;  ///< of it
};

/// Why no window can be opened (no display is set), as a line for people; empty when one may try.
std::string why_no_display();

/// Sends Qt's own messages to the log, and ends the program with a line for people where Qt would abort
/// because it cannot reach the display.
void take_qt_messages();

}  // namespace isolume::workbench
