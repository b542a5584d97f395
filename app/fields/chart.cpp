#include "app/fields/chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <optional>

#include "app/fields/chart_scale.h"

namespace isolume::fields {
namespace {

constexpr int gap = 4;

QString with_unit(double value, const QString& unit) {
  return unit.isEmpty() ? number_text(value) : QStringLiteral("%1 %2").arg(number_text(value), unit);
}

}  // namespace

Chart::Chart(QWidget* parent) : QWidget(parent) {
  setFocusPolicy(Qt::StrongFocus);
}

void Chart::set_data(Data data) {
  data_ = std::move(data);
  why_empty_.clear();
  update();
}

void Chart::set_empty(const QString& why) {
  data_ = {};
  why_empty_ = why;
  update();
}

ChartScale Chart::scale() const {
  const int line = fontMetrics().height();
  const int left = fontMetrics().horizontalAdvance(QStringLiteral("−0.0000")) + gap;
  return chart_scale(data_, shown_range(),
                     QRectF(rect()).adjusted(left, line + gap, -2 * gap, -2 * line - gap));
}

void Chart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const QColor text = palette().color(QPalette::Text);
  QColor faint = text;
  faint.setAlphaF(0.25F);
  if (data_.values.empty()) {
    painter.setPen(palette().color(QPalette::PlaceholderText));
    painter.drawText(rect().adjusted(gap, gap, -gap, -gap), Qt::AlignCenter | Qt::TextWordWrap, why_empty_);
    return;
  }
  const ChartScale at = scale();
  const int line = fontMetrics().height();
  const auto x_text = [&](double x) { return number_text(data_.x_logarithmic ? std::pow(10, x) : x); };
  const auto label = [&](const QString& words, const QRectF& place, int flags) {
    painter.setPen(text);
    painter.drawText(place, flags, words);
  };
  for (const double tick : round_ticks(at.x_low, at.x_high, static_cast<int>(at.area.width() / 70))) {
    painter.setPen(faint);
    painter.drawLine(QPointF(at.x(tick), at.area.top()), QPointF(at.x(tick), at.area.bottom()));
    if (data_.x_logarithmic && tick != std::round(tick)) continue;
    label(x_text(tick), {at.x(tick) - 40, at.area.bottom(), 80, static_cast<double>(line)}, Qt::AlignCenter);
  }
  for (const double tick :
       round_ticks(at.y_low, at.y_high, static_cast<int>(at.area.height() / (1.5 * line)))) {
    if (at.ground > 0 && tick != std::round(tick)) continue;
    const double shown = at.ground > 0 ? std::pow(10, tick) : tick;
    painter.setPen(faint);
    painter.drawLine(QPointF(at.area.left(), at.y(shown)), QPointF(at.area.right(), at.y(shown)));
    label(number_text(shown), {0, at.y(shown) - line / 2.0, at.area.left() - gap, static_cast<double>(line)},
          Qt::AlignRight | Qt::AlignVCenter);
  }
  label(named_with_unit(data_.y_name, data_.y_unit), {gap, 0, width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignLeft);
  label(named_with_unit(data_.x_name, data_.x_unit),
        {0, height() - static_cast<double>(line), width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignRight);
  const QColor colour("#0072b2");
  const auto count = static_cast<double>(data_.values.size());
  painter.setClipRect(at.area.adjusted(-1, -1, 1, 1));
  if (data_.shape == Shape::bars) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < data_.values.size(); ++i) {
      if (!(data_.values[i] > 0)) continue;
      const double step = (data_.high - data_.low) / count;
      const double left = at.x(data_.low + step * static_cast<double>(i));
      const double right = at.x(data_.low + step * static_cast<double>(i + 1));
      const double top = at.y(data_.values[i]);
      painter.fillRect(QRectF(left, top, std::max(1.0, right - left), at.area.bottom() - top), colour);
    }
  } else {
    painter.setPen(QPen(colour, 1.6));
    std::optional<QPointF> before;
    for (std::size_t i = 0; i < data_.values.size(); ++i) {
      const double value = data_.values[i];
      std::optional<QPointF> point;
      if (std::isfinite(value)) point = QPointF(at.x(chart_x(data_, i)), at.y(value));
      if (before && point) painter.drawLine(*before, *point);
      before = point;
    }
  }
  painter.setPen(QPen(QColor("#d55e00"), 1.4, Qt::DashLine));
  for (const double mark : data_.marks) {
    if (mark >= at.x_low && mark <= at.x_high)
      painter.drawLine(QPointF(at.x(mark), at.area.top()), QPointF(at.x(mark), at.area.bottom()));
  }
}

QString Chart::reading(const QPoint& place) const {
  if (data_.values.empty()) return {};
  const ChartScale at = scale();
  if (!at.area.contains(place)) return {};
  const double whole = data_.high > data_.low ? data_.high - data_.low : 1;
  const double there = at.x_low + (at.x_high - at.x_low) * (place.x() - at.area.left()) / at.area.width();
  const double part = (there - data_.low) / whole;
  const auto last = static_cast<double>(data_.values.size() - 1);
  const bool bars = data_.shape == Shape::bars;
  const auto index = static_cast<std::size_t>(
      std::clamp(bars ? std::floor(part * (last + 1)) : std::round(part * last), 0.0, last));
  const double value = data_.values[index];
  if (!std::isfinite(value)) return tr("Outside the box");
  const double x = data_.low + whole * (bars ? (static_cast<double>(index) + 0.5) / (last + 1)
                                             : static_cast<double>(index) / std::max(1.0, last));
  return tr("%1: %2\n%3: %4")
      .arg(data_.x_name, with_unit(data_.x_logarithmic ? std::pow(10, x) : x, data_.x_unit), data_.y_name,
           with_unit(value, data_.y_unit));
}

std::pair<double, double> Chart::shown_range() const {
  const double high = data_.high > data_.low ? data_.high : data_.low + 1;
  if (!shown_) return {data_.low, high};
  // The data may have become others.
  const double low = std::max(shown_->first, data_.low), end = std::min(shown_->second, high);
  return end > low ? std::pair{low, end} : std::pair{data_.low, high};
}

void Chart::show_range(double low, double high) {
  const double end = data_.high > data_.low ? data_.high : data_.low + 1;
  shown_.emplace(std::max(low, data_.low), std::min(high, end));
  if (!(shown_->second > shown_->first) || (shown_->first <= data_.low && shown_->second >= end))
    shown_.reset();
  update();
}

/// `about` stays in its place.
void Chart::zoom(double factor, double about) {
  const auto [low, high] = shown_range();
  constexpr double closest = 1e-6;  // part of the whole
  if (factor > 1 && high - low < closest * (data_.high - data_.low)) return;
  show_range(about - (about - low) / factor, about + (high - about) / factor);
}

void Chart::move(double by) {
  const auto [low, high] = shown_range();
  const double end = data_.high > data_.low ? data_.high : data_.low + 1;
  const double allowed = std::clamp(by, data_.low - low, end - high);
  show_range(low + allowed, high + allowed);
}

void Chart::wheelEvent(QWheelEvent* event) {
  if (data_.values.empty()) return event->ignore();
  const ChartScale at = scale();
  constexpr double notch = 120, factor = 1.25;
  const double part = std::clamp((event->position().x() - at.area.left()) / at.area.width(), 0.0, 1.0);
  zoom(std::pow(factor, event->angleDelta().y() / notch), at.x_low + (at.x_high - at.x_low) * part);
}

void Chart::mousePressEvent(QMouseEvent* event) {
  const ChartScale at = scale();
  dragged_from_ =
      at.x_low + (at.x_high - at.x_low) * (event->position().x() - at.area.left()) / at.area.width();
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  if (!shown_ || !event->buttons().testFlag(Qt::LeftButton)) return;
  const ChartScale at = scale();
  const double now =
      at.x_low + (at.x_high - at.x_low) * (event->position().x() - at.area.left()) / at.area.width();
  move(dragged_from_ - now);
}

void Chart::keyPressEvent(QKeyEvent* event) {
  const auto [low, high] = shown_range();
  constexpr double factor = 1.25, part = 0.1;
  switch (event->key()) {
    case Qt::Key_Plus:
      return zoom(factor, (low + high) / 2);
    case Qt::Key_Minus:
      return zoom(1 / factor, (low + high) / 2);
    case Qt::Key_Left:
      return move(-part * (high - low));
    case Qt::Key_Right:
      return move(part * (high - low));
    case Qt::Key_Home:
      shown_.reset();
      return update();
    default:
      QWidget::keyPressEvent(event);
  }
}

bool Chart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = reading(help->pos());
  text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace isolume::fields
