#pragma once

#include <QDateTime>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QTimer>
#include <functional>

class QLabel;
class QPushButton;

namespace isolume::workbench {

class MainWindow;

/// For a program with one lab, whose window opens sooner: the status bar shows that the others are being
/// built and, when the program with all labs exists, offers to continue there with the shown document.
class LabsToCome : public QObject {
  Q_OBJECT
 public:
  /// `program` is the one with all labs; if an older version exists already, waits until it is replaced.
  /// `start` starts it with these arguments; false if that failed.
  using Start = std::function<bool(const QStringList& arguments)>;
  LabsToCome(MainWindow& window, QString program, Start start);

 private:
  void look();
  void restart();

  MainWindow& window_;
  QString program_;
  Start start_;
  QDateTime older_;  ///< time of the older version of the program
  QTimer timer_;
  QLabel* coming_;
  QPushButton* ready_;
};

}  // namespace isolume::workbench
