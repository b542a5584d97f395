#include "app/fields/chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/fields/chart_drawing.h"
#include "app/fields/chart_scale.h"

namespace isolume::fields {
namespace {

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

ChartDrawing Chart::drawing() const {
  return {data_, shown_range(), size(), fontMetrics()};
}

ChartScale Chart::scale() const {
  return drawing().scale();
}

std::vector<Chart::Label> Chart::x_labels() const {
  return drawing().x_labels();
}

void Chart::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  if (!data_.values.empty()) {
    const QColor text = palette().color(QPalette::Text);
    QColor faint = text;
    faint.setAlphaF(0.25F);
    return drawing().draw(painter, text, faint);
  }
  constexpr int gap = 4;
  painter.setPen(palette().color(QPalette::PlaceholderText));
  painter.drawText(rect().adjusted(gap, gap, -gap, -gap), Qt::AlignCenter | Qt::TextWordWrap, why_empty_);
}

QString Chart::reading(const QPoint& place) const {
  if (data_.values.empty()) return {};
  const ChartScale at = scale();
  if (!at.area.contains(place)) return {};
  const double whole = data_.high > data_.low ? data_.high - data_.low : 1;
  const double part = (at.x_at(place.x()) - data_.low) / whole;
  const auto last = static_cast<double>(data_.values.size() - 1);
  const bool bars = data_.shape == Shape::bars;
  const auto index = static_cast<std::size_t>(
      std::clamp(bars ? std::floor(part * (last + 1)) : std::round(part * last), 0.0, last));
  const double value = data_.values[index];
  if (!std::isfinite(value) && data_.others.empty()) return tr("Outside the box");
  const double x = data_.low + whole * (bars ? (static_cast<double>(index) + 0.5) / (last + 1)
                                             : static_cast<double>(index) / std::max(1.0, last));
  const QString x_text = with_unit(data_.x_logarithmic ? std::pow(10, x) : x, data_.x_unit);
  if (data_.others.empty())
    return tr("%1: %2\n%3: %4").arg(data_.x_name, x_text, data_.y_name, with_unit(value, data_.y_unit));
  QStringList lines{tr("%1: %2").arg(data_.x_name, x_text)};
  const QStringList names = legend_of(data_);
  const auto curves = curves_of(data_);
  for (std::size_t i = 0; i < curves.size(); ++i) {
    if (index < curves[i]->size() && std::isfinite((*curves[i])[index]))
      lines +=
          tr("%1: %2").arg(names[static_cast<qsizetype>(i)], with_unit((*curves[i])[index], data_.y_unit));
  }
  return lines.join('\n');
}

std::pair<double, double> Chart::shown_range() const {
  const double high = data_.high > data_.low ? data_.high : data_.low + 1;
  if (!shown_) return {data_.low, high};
  // The data may have changed.
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

/// Zooms; the position `about` stays fixed.
void Chart::zoom(double factor, double about) {
  const auto [low, high] = shown_range();
  constexpr double closest = 1e-6;  // fraction of the whole range
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
  zoom(std::pow(factor, event->angleDelta().y() / notch),
       std::clamp(at.x_at(event->position().x()), at.x_low, at.x_high));
}

void Chart::mousePressEvent(QMouseEvent* event) {
  dragged_from_ = scale().x_at(event->position().x());
}

void Chart::mouseMoveEvent(QMouseEvent* event) {
  if (!shown_ || !event->buttons().testFlag(Qt::LeftButton)) return;
  move(dragged_from_ - scale().x_at(event->position().x()));
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

#include "moc_chart.cpp"
