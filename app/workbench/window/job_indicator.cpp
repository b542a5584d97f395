#include "app/workbench/window/job_indicator.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QProgressBar>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "app/workbench/contract/translated.h"
#include "app/workbench/look/icons.h"

namespace isolume::workbench {
namespace {

constexpr int milliseconds_before_shown = 150;
constexpr int bar_steps = 1000;

QString describe_time(double seconds) {
  if (seconds < 60) return QObject::tr("about %1 s left").arg(std::max(1L, std::lround(seconds)));
  if (seconds < 3600) return QObject::tr("about %1 min left").arg(std::lround(seconds / 60));
  return QObject::tr("about %1 h left").arg(seconds / 3600, 0, 'f', 1);
}

}  // namespace

JobIndicator::JobIndicator(QWidget* parent)
    : QWidget(parent), text_(new QLabel), bar_(new QProgressBar), cancel_(new QToolButton) {
  setObjectName("job-indicator");
  text_->setTextFormat(Qt::PlainText);
  bar_->setMaximumWidth(160);
  bar_->setAccessibleName(tr("Progress of the current work"));
  cancel_->setIcon(icon("stop"));
  cancel_->setText(tr("Cancel"));
  cancel_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  cancel_->setToolTip(tr("Cancel the current work (Esc)"));
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->addWidget(text_);
  row->addWidget(bar_);
  row->addWidget(cancel_);
  connect(cancel_, &QToolButton::clicked, this, &JobIndicator::cancel_requested);
  patience_.setSingleShot(true);
  patience_.setInterval(milliseconds_before_shown);
  connect(&patience_, &QTimer::timeout, this, [this] {
    refresh();
    setVisible(!active_.empty());
  });
  hide();
}

QString JobIndicator::describe(const jobs::JobStatus& status, std::size_t others) {
  QString text = QString::fromStdString(status.name);
  QStringList parts;
  if (status.state == jobs::JobState::waiting) parts << tr("waiting");
  const QString stage = status.stage.empty() ? QString() : translated(status.stage);
  if (!stage.isEmpty() && stage.compare(text, Qt::CaseInsensitive) != 0) parts << stage;
  if (status.remaining_seconds >= 0.5) parts << describe_time(status.remaining_seconds);
  if (!parts.isEmpty()) text += ": " + parts.join(", ");
  if (others > 0) text += tr(" (%n more)", "", static_cast<int>(others));
  return text;
}

void JobIndicator::take(const jobs::JobStatus& status) {
  if (status.waited == jobs::Waited::by_nobody) return;
  const bool lives = status.state == jobs::JobState::waiting || status.state == jobs::JobState::running;
  if (lives) {
    active_[status.id] = status;
  } else {
    active_.erase(status.id);
  }
  if (active_.empty()) {
    patience_.stop();
    hide();
  } else if (isVisible()) {
    refresh();
  } else if (!patience_.isActive()) {
    patience_.start();
  }
}

void JobIndicator::refresh() {
  if (active_.empty()) return;
  const auto running = std::find_if(active_.begin(), active_.end(), [](const auto& each) {
    return each.second.state == jobs::JobState::running;
  });
  const jobs::JobStatus& shown = (running == active_.end() ? active_.begin() : running)->second;
  text_->setText(describe(shown, active_.size() - 1));
  // Before the first report the progress is unknown: the bar only shows activity.
  bar_->setRange(0, shown.fraction > 0 ? bar_steps : 0);
  if (shown.fraction > 0) bar_->setValue(static_cast<int>(std::lround(shown.fraction * bar_steps)));
}

}  // namespace isolume::workbench

#include "moc_job_indicator.cpp"
