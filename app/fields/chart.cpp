#include "app/fields/chart.h"

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "app/fields/chart_scale.h"

namespace isolume::fields {
namespace {

constexpr int gap = 4;
constexpr int stroke_length = 22;  ///< length of the strokes in the legend

QPen pen_of(std::size_t curve) {
  const CurveStroke& stroke = curve_stroke(curve);
  QPen pen(QColor(stroke.colour), 1.6);
  if (!stroke.dashes.empty()) pen.setDashPattern({stroke.dashes.begin(), stroke.dashes.end()});
  return pen;
}

QString with_unit(double value, const QString& unit) {
  return unit.isEmpty() ? number_text(value) : QStringLiteral("%1 %2").arg(number_text(value), unit);
}

std::vector<double> y_ticks(const ChartScale& at, int line) {
  return axis_ticks(at.y_low, at.y_high, static_cast<int>(at.area.height() / (1.5 * line)), at.ground > 0);
}

/// Value at a tick of y.
double y_of(const ChartScale& at, double tick) {
  return at.ground > 0 ? std::pow(10, tick) : tick;
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
  const auto legend = legend_places();
  const double top = legend.empty() ? line : legend.back().bottom();
  ChartScale at = chart_scale(data_, shown_range(),
                              QRectF(rect()).adjusted(0, top + line / 2.0, -2 * gap, -2 * line - gap));
  int widest =
      fontMetrics().horizontalAdvance(QStringLiteral("−0.0000"));  // so that charts below each other align
  for (const double tick : y_ticks(at, line))
    widest = std::max(widest, fontMetrics().horizontalAdvance(number_text(y_of(at, tick))));
  at.area.setLeft(widest + gap);
  return at;
}

/// Positions of the names with their strokes, below the name of y, wrapped to the available width.
std::vector<QRectF> Chart::legend_places() const {
  const double line = fontMetrics().height();
  std::vector<QRectF> places;
  double x = gap, y = line;
  for (const QString& name : legend_of(data_)) {
    const double needed = stroke_length + 3 * gap + fontMetrics().horizontalAdvance(name);
    if (x > gap && x + needed > width()) {
      x = gap;
      y += line;
    }
    places.emplace_back(x, y, needed, line);
    x += needed;
  }
  return places;
}

std::vector<double> Chart::x_ticks(const ChartScale& at) const {
  return axis_ticks(at.x_low, at.x_high, static_cast<int>(at.area.width() / 70), data_.x_logarithmic);
}

std::vector<Chart::Label> Chart::x_labels() const {
  const ChartScale at = scale();
  std::vector<Label> labels;
  for (const double tick : x_ticks(at)) {
    const QString words = number_text(data_.x_logarithmic ? std::pow(10, tick) : tick);
    const double wide = fontMetrics().horizontalAdvance(words) + 2.0;
    const double start = std::clamp(at.x(tick) - wide / 2, 0.0,
                                    std::max(0.0, width() - wide));  // keeps the number inside the widget
    if (!labels.empty() && start < labels.back().place.right() + gap) continue;
    labels.push_back({words, {start, at.area.bottom(), wide, static_cast<double>(fontMetrics().height())}});
  }
  return labels;
}

void Chart::draw_legend(QPainter& painter, const QColor& text) const {
  const auto places = legend_places();
  const QStringList names = legend_of(data_);
  for (std::size_t i = 0; i < places.size(); ++i) {
    const QRectF& place = places[i];
    painter.setPen(pen_of(i));
    painter.drawLine(QPointF(place.left(), place.center().y()),
                     QPointF(place.left() + stroke_length, place.center().y()));
    painter.setPen(text);
    painter.drawText(place.adjusted(stroke_length + gap, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     names[static_cast<qsizetype>(i)]);
  }
}

void Chart::draw_curve(QPainter& painter, const ChartScale& at, std::size_t number) const {
  const std::vector<double>& values = *curves_of(data_)[number];
  QPainterPath path;
  bool joined = false;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const bool is_there = std::isfinite(values[i]);
    if (is_there) {
      const QPointF point(at.x(chart_x(data_, i)), at.y(values[i]));
      joined ? path.lineTo(point) : path.moveTo(point);
    }
    joined = is_there;
  }
  painter.strokePath(path, pen_of(number));
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
  const auto label = [&](const QString& words, const QRectF& place, int flags) {
    painter.setPen(text);
    painter.drawText(place, flags, words);
  };
  for (const double tick : x_ticks(at)) {
    painter.setPen(faint);
    painter.drawLine(QPointF(at.x(tick), at.area.top()), QPointF(at.x(tick), at.area.bottom()));
  }
  for (const auto& [words, place] : x_labels()) label(words, place, Qt::AlignCenter);
  for (const double tick : y_ticks(at, line)) {
    const double shown = y_of(at, tick);
    painter.setPen(faint);
    painter.drawLine(QPointF(at.area.left(), at.y(shown)), QPointF(at.area.right(), at.y(shown)));
    label(number_text(shown), {0, at.y(shown) - line / 2.0, at.area.left() - gap, static_cast<double>(line)},
          Qt::AlignRight | Qt::AlignVCenter);
  }
  label(named_with_unit(data_.y_name, data_.y_unit), {gap, 0, width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignLeft);
  label(data_.remark, {gap, 0, width() - 2.0 * gap, static_cast<double>(line)}, Qt::AlignRight);
  label(named_with_unit(data_.x_name, data_.x_unit),
        {0, height() - static_cast<double>(line), width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignRight);
  draw_legend(painter, text);
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
      painter.fillRect(QRectF(left, top, std::max(1.0, right - left), at.area.bottom() - top),
                       QColor(curve_stroke(0).colour));
    }
  } else {
    for (std::size_t i = 0; i <= data_.others.size(); ++i) draw_curve(painter, at, i);
  }
  painter.setPen(QPen(QColor(mark_colour), 1.4, Qt::DashLine));
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
