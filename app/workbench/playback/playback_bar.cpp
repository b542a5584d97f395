#include "app/workbench/playback/playback_bar.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/workbench/look/icons.h"
#include "app/workbench/playback/playback.h"
#include "core/base/shown_number.h"

namespace isolume::workbench {
namespace {

constexpr int slider_steps = 1000;
constexpr std::array speeds{0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 10.0};

QString number(double value) {
  return QString::number(value, 'g', 15);
}

/// With as many decimals as distinguish two frames of the range.
QString time_text(const Playback& playback, double time) {
  const QString& unit = playback.unit();
  const auto range = playback.shown_range();
  const double length = range ? range->high - range->low : 0;
  int decimals = length > 0 ? std::clamp(2 - static_cast<int>(std::floor(std::log10(length))), 0, 9) : 2;
  if (playback.counts_frames()) decimals = 0;
  const auto with_decimals = [&](double value) {
    return QString::fromStdString(typeset(QString::number(value, 'f', decimals).toStdString()));
  };
  QString text = with_decimals(time);
  if (range && range->low < 0) {
    text = PlaybackBar::tr("%1 of %2 to %3").arg(text, with_decimals(range->low), with_decimals(range->high));
  } else if (range) {
    text = PlaybackBar::tr("%1 of %2").arg(text, with_decimals(range->high));
  }
  return unit.isEmpty() ? text : QStringLiteral("%1 %2").arg(text, unit);
}

/// Room for every time of the range: a text that grows while it plays would be cut off until the next layout, and would
/// move the slider.
int width_of_times(const Playback& playback, const QFontMetrics& metrics) {
  const auto range = playback.shown_range();
  if (!range) return 0;
  return std::max(metrics.horizontalAdvance(time_text(playback, range->low)),
                  metrics.horizontalAdvance(time_text(playback, range->high)));
}

}  // namespace

PlaybackBar::PlaybackBar(Playback& playback, QWidget* parent)
    : QWidget(parent),
      playback_(playback),
      slider_(new QSlider(Qt::Horizontal)),
      speed_(new QComboBox),
      time_(new QLabel) {
  setObjectName(QStringLiteral("playback"));
  auto* line = new QHBoxLayout(this);
  line->setContentsMargins(6, 3, 6, 3);
  play_ = add_button("button", "play", {});
  play_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  auto* back = add_button("back", "step-back", tr("Previous frame"));
  auto* on = add_button("on", "step-on", tr("Next frame"));
  reverse_ = add_button("reverse", "reverse", tr("Backwards"));
  loop_ = add_button("loop", "loop", tr("Loop"));
  for (auto* each : {reverse_, loop_}) each->setCheckable(true);
  slider_->setObjectName(QStringLiteral("playback.slider"));
  slider_->setRange(0, slider_steps);
  slider_->setPageStep(slider_steps / 10);
  slider_->setAccessibleName(tr("Time"));
  speed_->setObjectName(QStringLiteral("playback.speed"));
  speed_->setAccessibleName(tr("Speed"));
  speed_->setToolTip(tr("Speed"));
  for (const double each : speeds) speed_->addItem(tr("%1 ×").arg(each), each);
  time_->setObjectName(QStringLiteral("playback.time"));
  line->addWidget(slider_, 1);
  line->addWidget(time_);
  line->addWidget(speed_);
  const auto ask = [this](const char* verb, const QStringList& arguments = {}) {
    Q_EMIT asked(QLatin1String(verb), arguments);
  };
  connect(play_, &QToolButton::clicked, this, [=, this] { ask(playback_.playing() ? "stop" : "play"); });
  connect(back, &QToolButton::clicked, this, [=] { ask("step", {QStringLiteral("-1")}); });
  connect(on, &QToolButton::clicked, this, [=] { ask("step", {QStringLiteral("1")}); });
  connect(reverse_, &QToolButton::clicked, this, [=] { ask("reverse"); });
  connect(loop_, &QToolButton::clicked, this, [=] { ask("loop"); });
  connect(slider_, &QSlider::valueChanged, this, [=, this](int step) {
    const auto range = playback_.shown_range();
    if (!range) return;
    const double time = range->low + (range->high - range->low) * step / slider_steps;
    ask("seek", {number(playback_.counts_frames() ? std::round(time) : time)});
  });
  connect(speed_, &QComboBox::activated, this,
          [=, this](int row) { ask("speed", {number(speed_->itemData(row).toDouble())}); });
  connect(&playback_, &Playback::changed, this, &PlaybackBar::follow);
  follow();
}

QToolButton* PlaybackBar::add_button(const char* name, const char* icon_name, const QString& tip) {
  auto* button = new QToolButton;
  button->setObjectName(QStringLiteral("playback.") + QLatin1String(name));
  button->setIcon(icon(icon_name));
  button->setToolTip(tip);
  button->setAccessibleName(tip);
  button->setFocusPolicy(Qt::StrongFocus);
  layout()->addWidget(button);
  return button;
}

void PlaybackBar::follow() {
  const auto& clock = playback_.clock();
  const QString text = clock.playing() ? tr("Pause") : tr("Play");
  if (play_->text() != text) {
    play_->setText(text);
    play_->setAccessibleName(text);
    play_->setIcon(icon(clock.playing() ? "pause" : "play"));
    play_->setToolTip(clock.playing() ? tr("Pause (Esc)") : tr("Play"));
  }
  reverse_->setChecked(clock.reversed());
  loop_->setChecked(clock.at_end() == simulation::Clock::AtEnd::loop);
  loop_->setEnabled(clock.range().has_value());
  const QSignalBlocker quiet(slider_);
  const auto range = playback_.shown_range();
  const double length = range ? range->high - range->low : 0;
  slider_->setEnabled(range.has_value());
  const double fraction = length > 0 ? (playback_.shown_time() - range->low) / length : 0;
  slider_->setValue(static_cast<int>(std::lround(fraction * slider_steps)));
  const int row = speed_->findData(clock.speed());
  speed_->setCurrentIndex(row);
  speed_->setPlaceholderText(row < 0 ? tr("%1 ×").arg(clock.speed()) : QString());
  time_->setMinimumWidth(width_of_times(playback_, time_->fontMetrics()));
  time_->setText(time_text(playback_, playback_.shown_time()));
}

}  // namespace isolume::workbench

#include "moc_playback_bar.cpp"
