#include "app/slices/threshold_player.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QStyle>
#include <QToolButton>
#include <algorithm>
#include <cmath>

#include "app/slices/number_text.h"

namespace isolume::slices {
namespace {

constexpr int slider_steps = 1000;
constexpr int frame_ms = 16;

}  // namespace

ThresholdPlayer::ThresholdPlayer(QWidget* parent)
    : QWidget(parent), button_(new QToolButton), slider_(new QSlider(Qt::Horizontal)), label_(new QLabel) {
  slider_->setRange(0, slider_steps);
  slider_->setPageStep(slider_steps / 10);
  slider_->setAccessibleName(tr("How far the front has come"));
  label_->setMinimumWidth(label_->fontMetrics().horizontalAdvance(QStringLiteral("0000000000")));
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(button_);
  layout->addWidget(slider_, 1);
  layout->addWidget(label_);
  timer_.setInterval(frame_ms);
  timer_.setTimerType(Qt::PreciseTimer);
  connect(&timer_, &QTimer::timeout, this, &ThresholdPlayer::advance);
  connect(button_, &QToolButton::clicked, this, [this] { playing() ? pause() : play(); });
  connect(slider_, &QSlider::valueChanged, this,
          [this](int step) { scrub(low_ + (high_ - low_) * step / slider_steps); });
  const auto show_state = [this](bool playing) {
    button_->setIcon(style()->standardIcon(playing ? QStyle::SP_MediaPause : QStyle::SP_MediaPlay));
    button_->setToolTip(playing ? tr("Pause") : tr("Play"));
    button_->setAccessibleName(button_->toolTip());
  };
  connect(this, &ThresholdPlayer::playing_changed, this, show_state);
  show_state(false);
  move_to(1);
}

void ThresholdPlayer::set_range(double low, double high, const QString& unit) {
  pause();
  low_ = low;
  high_ = high;
  unit_ = unit;
  move_to(1);
}

double ThresholdPlayer::value() const {
  return low_ + (high_ - low_) * fraction_;
}

void ThresholdPlayer::scrub(double value) {
  pause();
  move_to(high_ > low_ ? (value - low_) / (high_ - low_) : 1);
}

void ThresholdPlayer::play() {
  if (playing()) return;
  if (fraction_ >= 1) move_to(0);
  start_fraction_ = fraction_;
  clock_.start();
  timer_.start();
  Q_EMIT playing_changed(true);
}

void ThresholdPlayer::pause() {
  if (!playing()) return;
  timer_.stop();
  Q_EMIT playing_changed(false);
}

void ThresholdPlayer::advance() {
  move_to(start_fraction_ + static_cast<double>(clock_.nsecsElapsed()) * 1e-9 / duration_seconds_);
  if (fraction_ >= 1) pause();
}

void ThresholdPlayer::move_to(double fraction) {
  fraction_ = std::clamp(fraction, 0.0, 1.0);
  const QSignalBlocker quiet(slider_);
  slider_->setValue(static_cast<int>(std::lround(fraction_ * slider_steps)));
  label_->setText(unit_.isEmpty() ? short_number(value())
                                  : QStringLiteral("%1 %2").arg(short_number(value()), unit_));
  Q_EMIT value_changed(value());
}

}  // namespace isolume::slices
