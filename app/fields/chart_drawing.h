#pragma once

#include <QColor>
#include <QFontMetrics>
#include <QSizeF>
#include <utility>
#include <vector>

#include "app/fields/chart.h"
#include "app/fields/chart_scale.h"

namespace isolume::fields {

/// Where the parts of a chart of this size lie, and how they are drawn: on the screen and in figures. Lengths are
/// pixels.
class ChartDrawing {
 public:
  /// `range`: the shown part of x. The data must outlive the drawing; `metrics` are those of the painter's font.
  ChartDrawing(const Chart::Data& data, const std::pair<double, double>& range, const QSizeF& size,
               const QFontMetrics& metrics);

  ChartScale scale() const;
  /// See Chart::x_labels().
  std::vector<Chart::Label> x_labels() const;
  /// Leaves out the background. `faint`: of the grid.
  void draw(QPainter& painter, const QColor& text, const QColor& faint) const;

 private:
  std::vector<double> x_ticks(const ChartScale& at) const;
  std::vector<QRectF> legend_places() const;
  void draw_legend(QPainter& painter, const QColor& text) const;
  void draw_curve(QPainter& painter, const ChartScale& at, std::size_t number) const;
  void draw_bars(QPainter& painter, const ChartScale& at) const;

  const Chart::Data& data_;
  std::pair<double, double> range_;
  QSizeF size_;
  QFontMetrics metrics_;
};

}  // namespace isolume::fields
