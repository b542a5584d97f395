#include "app/labs/orbitals/playback_bar.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "app/workbench/icons.h"

namespace isolume::labs::orbitals {

PlaybackBar::PlaybackBar(QWidget* parent) : QWidget(parent), button_(new QToolButton), time_(new QLabel) {
  setObjectName(QStringLiteral("playback"));
  button_->setObjectName(QStringLiteral("playback.button"));
  button_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  button_->setFocusPolicy(Qt::StrongFocus);
  time_->setAccessibleName(tr("Time"));
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(6, 3, 6, 3);
  line->addWidget(button_);
  line->addWidget(time_, 1);
  connect(button_, &QToolButton::clicked, this, [this] { Q_EMIT asked(!playing_); });
  show_playing(false);
}

void PlaybackBar::show_playing(bool playing) {
  playing_ = playing;
  button_->setIcon(workbench::icon(playing ? "stop" : "play"));
  button_->setText(playing ? tr("Stop") : tr("Play"));
  button_->setToolTip(playing ? tr("Stop (Space or Esc)") : tr("Let time run"));
}

void PlaybackBar::show_time(double femtoseconds, double loop_femtoseconds) {
  time_->setText(tr("%1 of %2 fs").arg(femtoseconds, 0, 'f', 2).arg(loop_femtoseconds, 0, 'f', 2));
}

}  // namespace isolume::labs::orbitals
