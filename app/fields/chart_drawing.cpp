#include "app/fields/chart_drawing.h"

#include <QLineF>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

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

std::vector<double> y_ticks(const ChartScale& at, int line) {
  return axis_ticks(at.y_low, at.y_high, static_cast<int>(at.area.height() / (1.5 * line)), at.ground > 0);
}

/// Value at a tick of y.
double y_of(const ChartScale& at, double tick) {
  return at.ground > 0 ? std::pow(10, tick) : tick;
}

/// The part of a line within the area (Liang and Barsky 1984); QSvgGenerator does not clip.
std::optional<QLineF> part_inside(const QPointF& from, const QPointF& to, const QRectF& area) {
  const QPointF step = to - from;
  double first = 0, last = 1;
  constexpr double rounding = 1e-6;                     // of lines along the border
  const auto cut = [&](double towards, double space) {  // keeps the parts t with towards * t <= room
    const double room = space + rounding;
    if (towards < 0) first = std::max(first, room / towards);
    if (towards > 0) last = std::min(last, room / towards);
    if (towards == 0 && room < 0) last = -1;
  };
  cut(-step.x(), from.x() - area.left());
  cut(step.x(), area.right() - from.x());
  cut(-step.y(), from.y() - area.top());
  cut(step.y(), area.bottom() - from.y());
  if (first > last) return std::nullopt;
  return QLineF(from + first * step, from + last * step);
}

}  // namespace

ChartDrawing::ChartDrawing(const Chart::Data& data, const std::pair<double, double>& range,
                           const QSizeF& size, const QFontMetrics& metrics)
    : data_(data), range_(range), size_(size), metrics_(metrics) {}

ChartScale ChartDrawing::scale() const {
  const int line = metrics_.height();
  const auto legend = legend_places();
  const double top = legend.empty() ? line : legend.back().bottom();
  ChartScale at =
      chart_scale(data_, range_, QRectF({}, size_).adjusted(0, top + line / 2.0, -2 * gap, -2 * line - gap));
  int widest =
      metrics_.horizontalAdvance(QStringLiteral("−0.0000"));  // so that charts below each other align
  for (const double tick : y_ticks(at, line))
    widest = std::max(widest, metrics_.horizontalAdvance(number_text(y_of(at, tick))));
  at.area.setLeft(widest + gap);
  return at;
}

/// Positions of the names with their strokes, below the name of y, wrapped to the available width.
std::vector<QRectF> ChartDrawing::legend_places() const {
  const double line = metrics_.height();
  std::vector<QRectF> places;
  double x = gap, y = line;
  for (const QString& name : legend_of(data_)) {
    const double needed = stroke_length + 3 * gap + metrics_.horizontalAdvance(name);
    if (x > gap && x + needed > size_.width()) {
      x = gap;
      y += line;
    }
    places.emplace_back(x, y, needed, line);
    x += needed;
  }
  return places;
}

std::vector<double> ChartDrawing::x_ticks(const ChartScale& at) const {
  return axis_ticks(at.x_low, at.x_high, static_cast<int>(at.area.width() / 70), data_.x_logarithmic);
}

std::vector<Chart::Label> ChartDrawing::x_labels() const {
  const ChartScale at = scale();
  std::vector<Chart::Label> labels;
  for (const double tick : x_ticks(at)) {
    const QString words = number_text(data_.x_logarithmic ? std::pow(10, tick) : tick);
    const double wide = metrics_.horizontalAdvance(words) + 2.0;
    const double start =
        std::clamp(at.x(tick) - wide / 2, 0.0,
                   std::max(0.0, size_.width() - wide));  // keeps the number inside the widget
    if (!labels.empty() && start < labels.back().place.right() + gap) continue;
    labels.push_back({words, {start, at.area.bottom(), wide, static_cast<double>(metrics_.height())}});
  }
  return labels;
}

void ChartDrawing::draw_legend(QPainter& painter, const QColor& text) const {
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

void ChartDrawing::draw_curve(QPainter& painter, const ChartScale& at, std::size_t number) const {
  const std::vector<double>& values = *curves_of(data_)[number];
  QPainterPath path;
  std::optional<QPointF> last;
  for (std::size_t i = 0; i < values.size(); ++i) {
    std::optional<QPointF> point;
    if (std::isfinite(values[i])) point.emplace(at.x(chart_x(data_, i)), at.y(values[i]));
    if (last && point) {
      if (const auto part = part_inside(*last, *point, at.area)) {
        if (path.currentPosition() != part->p1()) path.moveTo(part->p1());
        path.lineTo(part->p2());
      }
    }
    last = point;
  }
  painter.strokePath(path, pen_of(number));
}

void ChartDrawing::draw_bars(QPainter& painter, const ChartScale& at) const {
  const double step = (data_.high - data_.low) / static_cast<double>(data_.values.size());
  for (std::size_t i = 0; i < data_.values.size(); ++i) {
    if (!(data_.values[i] > 0)) continue;
    const double left = at.x(data_.low + step * static_cast<double>(i));
    const double right = at.x(data_.low + step * static_cast<double>(i + 1));
    const double top = at.y(data_.values[i]);
    const QRectF bar(left, top, std::max(1.0, right - left), at.area.bottom() - top);
    painter.fillRect(bar.intersected(at.area), QColor(curve_stroke(0).colour));
  }
}

void ChartDrawing::draw(QPainter& painter, const QColor& text, const QColor& faint) const {
  painter.setRenderHint(QPainter::Antialiasing);
  const ChartScale at = scale();
  const double line = metrics_.height(), width = size_.width() - 2.0 * gap;
  const auto label = [&](const QString& words, const QRectF& place, int flags) {
    painter.setPen(text);
    painter.drawText(place, flags, words);
  };
  for (const double tick : x_ticks(at)) {
    painter.setPen(faint);
    painter.drawLine(QPointF(at.x(tick), at.area.top()), QPointF(at.x(tick), at.area.bottom()));
  }
  for (const auto& [words, place] : x_labels()) label(words, place, Qt::AlignCenter);
  for (const double tick : y_ticks(at, metrics_.height())) {
    const double shown = y_of(at, tick);
    painter.setPen(faint);
    painter.drawLine(QPointF(at.area.left(), at.y(shown)), QPointF(at.area.right(), at.y(shown)));
    label(number_text(shown), {0, at.y(shown) - line / 2, at.area.left() - gap, line},
          Qt::AlignRight | Qt::AlignVCenter);
  }
  label(named_with_unit(data_.y_name, data_.y_unit), {gap, 0, width, line}, Qt::AlignLeft);
  label(data_.remark, {gap, 0, width, line}, Qt::AlignRight);
  label(named_with_unit(data_.x_name, data_.x_unit), {0, size_.height() - line, width, line}, Qt::AlignRight);
  draw_legend(painter, text);
  if (data_.shape == Chart::Shape::bars) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    draw_bars(painter, at);
  } else {
    for (std::size_t i = 0; i <= data_.others.size(); ++i) draw_curve(painter, at, i);
  }
  painter.setPen(QPen(QColor(mark_colour), 1.4, Qt::DashLine));
  for (const double mark : data_.marks) {
    if (mark >= at.x_low && mark <= at.x_high)
      painter.drawLine(QPointF(at.x(mark), at.area.top()), QPointF(at.x(mark), at.area.bottom()));
  }
}

}  // namespace isolume::fields
