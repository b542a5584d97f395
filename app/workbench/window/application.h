#pragma once

#include <QApplication>
#include <string>

namespace isolume::workbench {

/// The QApplication of all windows. It names the settings, reports uncaught exceptions, and, with
/// ISOLUME_LOG=debug, logs every event that occupies the GUI thread for longer than its budget of 8 ms, with
/// the computing time of that event.
class Application : public QApplication {
  Q_OBJECT
 public:
  Application(int& argc, char** argv);
  bool notify(QObject* receiver, QEvent* event) override;

 private:
  bool watches_;
  /// Time spent in nested events, which are logged separately.
  qint64 nested_nanoseconds_ = 0;
  double nested_computed_milliseconds_ = 0;  ///< computing time of nested events
};

/// Why no window can be opened (no display is set), as a line for users; empty if it may be tried.
std::string why_no_display();

/// Sends Qt's own messages to the log, and ends the program with a line for users where Qt would abort
/// because it cannot reach the display.
void take_qt_messages();

}  // namespace isolume::workbench
