#pragma once

#include <QObject>
#include <QTimer>
#include <string>
#include <vector>

namespace isolume::workbench {

class MainWindow;

/// Runs command lines one after the other, each when the work that the one before started has ended and what
/// they handed to the window has been taken. Stops at the first command or job that fails.
class CommandScript : public QObject {
  Q_OBJECT
 public:
  CommandScript(MainWindow& window, std::vector<std::string> lines, QObject* parent = nullptr);
  void start();

 Q_SIGNALS:
  /// `error` is empty when all went well.
  void finished(const QString& error);

 private:
  void look();
  void stop(const QString& error);

  MainWindow& window_;
  std::vector<std::string> lines_;
  std::size_t next_ = 0;
  int quiet_looks_ = 0;
  bool running_ = false;
  QTimer timer_;
};

}  // namespace isolume::workbench
