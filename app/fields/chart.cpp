#include "app/fields/chart.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "core/base/round_numbers.h"

namespace isolume::fields {
namespace {

constexpr int gap = 4;

/// Whole numbers as they are, others to three digits.
QString number(double value) {
  const int digits = value == std::round(value) && std::abs(value) < 1e6 ? 6 : 3;
  return QString::number(value, 'g', digits).replace(QLatin1Char('-'), QChar(0x2212));
}

QString with_unit(double value, const QString& unit) {
  return unit.isEmpty() ? number(value) : QStringLiteral("%1 %2").arg(number(value), unit);
}

/// Round numbers within the range, at most about `most` of them.
std::vector<double> ticks(double low, double high, int most) {
  std::vector<double> found;
  if (!(high > low) || most < 1) return found;
  const double step = rounded_up((high - low) / most);
  for (double tick = std::ceil(low / step) * step; tick <= high + 1e-9 * step; tick += step)
    found.push_back(std::abs(tick) < 1e-9 * step ? 0 : tick);
  return found;
}

}  // namespace

/// Where numbers stand on the widget.
struct Chart::Scale {
  QRectF area;
  double x_low, x_high, y_low, y_high;
  double ground;

  double height(double value) const { return ground > 0 ? std::log10(std::max(value, ground)) : value; }
  double x(double value) const { return area.left() + area.width() * (value - x_low) / (x_high - x_low); }
  double y(double value) const {
    return area.bottom() - area.height() * (height(value) - y_low) / (y_high - y_low);
  }
};

Chart::Chart(QWidget* parent) : QWidget(parent) {}

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

Chart::Scale Chart::scale() const {
  const int line = fontMetrics().height();
  const int left = fontMetrics().horizontalAdvance(QStringLiteral("−0.0000")) + gap;
  Scale result{QRectF(rect()).adjusted(left, line + gap, -2 * gap, -2 * line - gap),
               data_.low,
               data_.high > data_.low ? data_.high : data_.low + 1,
               std::numeric_limits<double>::infinity(),
               -std::numeric_limits<double>::infinity(),
               data_.ground};
  for (const double value : data_.values) {
    if (!std::isfinite(value)) continue;
    result.y_low = std::min(result.y_low, result.height(value));
    result.y_high = std::max(result.y_high, result.height(value));
  }
  if (data_.shape == Shape::bars) result.y_low = result.height(0);
  if (!(result.y_high > result.y_low)) {
    if (!std::isfinite(result.y_low)) result.y_low = 0;
    result.y_high = result.y_low + 1;
  }
  return result;
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
  const Scale at = scale();
  const int line = fontMetrics().height();
  const auto x_text = [&](double x) { return number(data_.x_logarithmic ? std::pow(10, x) : x); };
  const auto label = [&](const QString& words, const QRectF& place, int flags) {
    painter.setPen(text);
    painter.drawText(place, flags, words);
  };
  for (const double tick : ticks(at.x_low, at.x_high, static_cast<int>(at.area.width() / 70))) {
    painter.setPen(faint);
    painter.drawLine(QPointF(at.x(tick), at.area.top()), QPointF(at.x(tick), at.area.bottom()));
    if (data_.x_logarithmic && tick != std::round(tick)) continue;
    label(x_text(tick), {at.x(tick) - 40, at.area.bottom(), 80, static_cast<double>(line)}, Qt::AlignCenter);
  }
  for (const double tick : ticks(at.y_low, at.y_high, static_cast<int>(at.area.height() / (1.5 * line)))) {
    if (at.ground > 0 && tick != std::round(tick)) continue;
    const double shown = at.ground > 0 ? std::pow(10, tick) : tick;
    painter.setPen(faint);
    painter.drawLine(QPointF(at.area.left(), at.y(shown)), QPointF(at.area.right(), at.y(shown)));
    label(number(shown), {0, at.y(shown) - line / 2.0, at.area.left() - gap, static_cast<double>(line)},
          Qt::AlignRight | Qt::AlignVCenter);
  }
  const auto named = [](const QString& name, const QString& unit) {
    return unit.isEmpty() ? name : QStringLiteral("%1 (%2)").arg(name, unit);
  };
  label(named(data_.y_name, data_.y_unit), {gap, 0, width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignLeft);
  label(named(data_.x_name, data_.x_unit),
        {0, height() - static_cast<double>(line), width() - 2.0 * gap, static_cast<double>(line)},
        Qt::AlignRight);
  const QColor colour("#0072b2");
  const auto count = static_cast<double>(data_.values.size());
  if (data_.shape == Shape::bars) {
    painter.setRenderHint(QPainter::Antialiasing, false);
    for (std::size_t i = 0; i < data_.values.size(); ++i) {
      if (!(data_.values[i] > 0)) continue;
      const double left = at.area.left() + at.area.width() * static_cast<double>(i) / count;
      const double top = at.y(data_.values[i]);
      painter.fillRect(QRectF(left, top, std::max(1.0, at.area.width() / count), at.area.bottom() - top),
                       colour);
    }
  } else {
    painter.setPen(QPen(colour, 1.6));
    std::optional<QPointF> before;
    for (std::size_t i = 0; i < data_.values.size(); ++i) {
      const double value = data_.values[i];
      std::optional<QPointF> point;
      if (std::isfinite(value))
        point = QPointF(at.area.left() + at.area.width() * static_cast<double>(i) / std::max(1.0, count - 1),
                        at.y(value));
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
  const Scale at = scale();
  if (!at.area.contains(place)) return {};
  const double part = (place.x() - at.area.left()) / at.area.width();
  const auto last = static_cast<double>(data_.values.size() - 1);
  const bool bars = data_.shape == Shape::bars;
  const auto index = static_cast<std::size_t>(
      std::clamp(bars ? std::floor(part * (last + 1)) : std::round(part * last), 0.0, last));
  const double value = data_.values[index];
  if (!std::isfinite(value)) return tr("Outside the box");
  const double x =
      at.x_low + (at.x_high - at.x_low) * (bars ? (static_cast<double>(index) + 0.5) / (last + 1)
                                                : static_cast<double>(index) / std::max(1.0, last));
  return tr("%1: %2\n%3: %4")
      .arg(data_.x_name, with_unit(data_.x_logarithmic ? std::pow(10, x) : x, data_.x_unit), data_.y_name,
           with_unit(value, data_.y_unit));
}

bool Chart::event(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QWidget::event(event);
  const auto* help = static_cast<QHelpEvent*>(event);
  const QString text = reading(help->pos());
  text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
  return true;
}

}  // namespace isolume::fields
