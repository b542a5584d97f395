#include "app/workbench/window/labs_to_come.h"

#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QStatusBar>
#include <utility>

#include "app/workbench/window/main_window.h"
#include "app/workbench/window/session_keeper.h"

namespace isolume::workbench {
namespace {

constexpr int look_every_ms = 1000;

}  // namespace

LabsToCome::LabsToCome(MainWindow& window, QString program, Start start)
    : QObject(&window),
      window_(window),
      program_(std::move(program)),
      start_(std::move(start)),
      older_(QFileInfo(program_).lastModified()),
      coming_(new QLabel(tr("The other labs are being built"))),
      ready_(new QPushButton(tr("Restart with all labs"))) {
  coming_->setObjectName("labs-to-come");
  coming_->setToolTip(tr("The terminal that started Isolume shows the progress."));
  ready_->setObjectName("restart-with-all-labs");
  ready_->setToolTip(tr("All labs have been built. Restarting reopens the current documents."));
  ready_->hide();
  window.statusBar()->addPermanentWidget(coming_);
  window.statusBar()->addPermanentWidget(ready_);
  connect(ready_, &QPushButton::clicked, this, &LabsToCome::restart);
  connect(&timer_, &QTimer::timeout, this, &LabsToCome::look);
  timer_.start(look_every_ms);
}

/// A linker makes its output executable when it is complete.
void LabsToCome::look() {
  const QFileInfo now(program_);
  if (!now.isExecutable() || now.lastModified() == older_) return;
  timer_.stop();
  coming_->hide();
  ready_->show();
}

void LabsToCome::restart() {
  ready_->setEnabled(false);
  window_.sessions().leave([this] {
    const bool open = window_.sessions().nothing_to_save().empty();
    if (start_(open ? QStringList{"--command", "session.restore"} : QStringList())) {
      window_.close();
      return;
    }
    ready_->setEnabled(true);
    window_.show_error(tr("%1 could not be started.").arg(program_));
  });
}

}  // namespace isolume::workbench

#include "moc_labs_to_come.cpp"
