#pragma once

#include <QTimer>
#include <QWidget>
#include <cstdint>
#include <map>

#include "core/jobs/job_runner.h"

class QLabel;
class QProgressBar;
class QToolButton;

namespace isolume::workbench {

/// The status bar's display of running work: name, stage, progress, remaining time, and a button that cancels
/// it. Very short jobs are not shown.
class JobIndicator : public QWidget {
  Q_OBJECT
 public:
  explicit JobIndicator(QWidget* parent = nullptr);

  void take(const jobs::JobStatus& status);
  /// "Orbital 21 of benzene: refining, about 3 s left (2 more)".
  static QString describe(const jobs::JobStatus& status, std::size_t others);

 Q_SIGNALS:
  void cancel_requested();

 private:
  void refresh();

  std::map<std::uint64_t, jobs::JobStatus> active_;  ///< by id, so that the oldest comes first
  QTimer patience_;
  QLabel* text_;
  QProgressBar* bar_;
  QToolButton* cancel_;
};

}  // namespace isolume::workbench
