#include "app/slices/heat_layer.h"

#include <QFontMetricsF>
#include <QPainter>
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "app/slices/number_text.h"
#include "app/slices/outlined_text.h"
#include "core/base/round_numbers.h"
#include "core/base/viridis.h"

namespace isolume::slices {
namespace {

constexpr std::size_t colour_count = 256;

/// Viridis, interpolated linearly in sRGB, which is accurate enough between these close colours.
const std::array<std::uint32_t, colour_count>& colours() {
  static const auto table = [] {
    std::array<std::uint32_t, colour_count> made{};
    for (std::size_t i = 0; i < made.size(); ++i) {
      const double place = static_cast<double>(i) / (colour_count - 1) * (viridis.size() - 1);
      const auto from = std::min(static_cast<std::size_t>(place), viridis.size() - 2);
      const double weight = place - static_cast<double>(from);
      made[i] = 0xff000000U;
      for (const int shift : {16, 8, 0}) {
        const double a = viridis[from] >> shift & 0xffU, b = viridis[from + 1] >> shift & 0xffU;
        made[i] |= static_cast<std::uint32_t>(std::lround(a + (b - a) * weight)) << shift;
      }
    }
    return made;
  }();
  return table;
}

}  // namespace

HeatMap make_heat_map(images::SliceId slice, int width, int height, FieldValues values, QString title,
                      QString unit) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float value : values) {
    if (!std::isfinite(value)) continue;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  if (low > high) low = high = 0;
  return {slice,          width,
          height,         std::make_shared<const FieldValues>(std::move(values)),
          {low, high},    std::move(title),
          std::move(unit)};
}

void HeatLayer::set_map(HeatMap map) {
  if (map.values == nullptr && empty()) return;
  map_ = std::move(map);
  stale_ = true;
  Q_EMIT changed();
}

void HeatLayer::set_opacity(double opacity) {
  if (opacity == opacity_) return;
  opacity_ = opacity;
  stale_ = true;
  Q_EMIT changed();
}

void HeatLayer::set_levels_shown(bool shown) {
  if (shown == levels_shown_) return;
  levels_shown_ = shown;
  stale_ = true;
  Q_EMIT changed();
}

void HeatLayer::set_shown_up_to(double value) {
  if (value == shown_up_to_) return;
  shown_up_to_ = value;
  stale_ = true;
  Q_EMIT changed();
}

double HeatLayer::level_step() const {
  const double range = map_.range.high - map_.range.low;
  return range > 0 ? rounded_down(range / 8) : 0;
}

void HeatLayer::paint(QPainter& painter, const SliceView& view) {
  if (empty() || view.slice() != map_.slice) return;
  const auto map = view.picture_map();
  if (stale_ || !(map == pictured_)) {
    if (picture_.width() != map.width || picture_.height() != map.height) {
      picture_ = QImage(map.width, map.height, QImage::Format_ARGB32_Premultiplied);
    }
    const images::LayerStyle style{.low = map_.range.low,
                                   .high = map_.range.high,
                                   .opacity = opacity_,
                                   .shown_up_to = shown_up_to_,
                                   .front_px = 2 * view.devicePixelRatioF(),
                                   .level_step = levels_shown_ ? level_step() : 0,
                                   .line_px = view.devicePixelRatioF()};
    images::render_layer(map_.values->data(), map_.width, map_.height, map, view.interpolation(), style,
                         colours(),
                         {reinterpret_cast<std::uint32_t*>(picture_.bits()), picture_.bytesPerLine() / 4});
    pictured_ = map;
    stale_ = false;
  }
  picture_.setDevicePixelRatio(view.devicePixelRatioF());
  painter.drawImage(QPointF(0, 0), picture_);
  draw_legend(painter, view);
}

void HeatLayer::draw_legend(QPainter& painter, const SliceView& view) const {
  painter.setFont(view.font());
  const QFontMetricsF metrics(view.font());
  const double line = metrics.height();
  const QRectF bar(3 * line, 4 * line, line * 0.8, std::min(16 * line, view.height() - 9 * line));
  if (bar.height() < 4 * line) return;  // no room for it
  QLinearGradient gradient(bar.bottomLeft(), bar.topLeft());
  for (std::size_t i = 0; i < viridis.size(); ++i) {
    gradient.setColorAt(static_cast<double>(i) / (viridis.size() - 1), QColor::fromRgb(viridis[i]));
  }
  painter.setPen(QPen(Qt::black, 3));
  painter.drawRect(bar);
  painter.setPen(QPen(Qt::white, 1));
  painter.setBrush(gradient);
  painter.drawRect(bar);
  const QString title =
      map_.unit.isEmpty() ? map_.title : QStringLiteral("%1, %2").arg(map_.title, map_.unit);
  draw_outlined(painter, bar.topLeft() - QPointF(0, line / 2), Qt::AlignLeft | Qt::AlignBottom, title);
  const auto& [low, high] = map_.range;
  const double step = level_step();
  if (step <= 0) {
    draw_outlined(painter, {bar.right() + line / 2, bar.center().y()}, Qt::AlignLeft | Qt::AlignVCenter,
                  shown_number(low));
    return;
  }
  for (double level = std::ceil(low / step) * step; level <= high + step * 1e-9; level += step) {
    const double y = bar.bottom() - (level - low) / (high - low) * bar.height();
    painter.setPen(QPen(Qt::white, 1));
    painter.drawLine(QPointF(bar.left(), y), QPointF(bar.right() + 4, y));
    const double rounded = std::round(level / step) * step;
    draw_outlined(painter, {bar.right() + line / 2, y}, Qt::AlignLeft | Qt::AlignVCenter,
                  shown_number(rounded));
  }
}

}  // namespace isolume::slices

#include "moc_heat_layer.cpp"
