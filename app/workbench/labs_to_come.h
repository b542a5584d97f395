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

/// For a program that has one lab, so that its window opens sooner: says in the status bar that the others are being built
/// and, when there is a program with all of them, offers to go on there with what is shown.
class LabsToCome : public QObject {
  Q_OBJECT
 public:
  /// `program` is the one with all labs: where an older one is there already, another in its place is waited for.
  /// `start` starts it with these arguments; false where it could not.
  using Start = std::function<bool(const QStringList& arguments)>;
  LabsToCome(MainWindow& window, QString program, Start start);

 private:
  void look();
  void restart();

  MainWindow& window_;
  QString program_;
  Start start_;
  QDateTime older_;  ///< when the program was made that was there already
  QTimer timer_;
  QLabel* coming_;
  QPushButton* ready_;
};

}  // namespace isolume::workbench
