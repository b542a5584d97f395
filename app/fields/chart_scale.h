#pragma once

#include <QRectF>
#include <QStringList>
#include <utility>
#include <vector>

#include "app/fields/chart.h"

namespace isolume::fields {

/// Maps a chart's numbers to an area, y downwards.
struct ChartScale {
  QRectF area;
  double x_low, x_high, y_low, y_high;  ///< those of y are decimal logarithms if there is a ground
  double ground;

  double height(double value) const;
  double x(double value) const { return area.left() + area.width() * (value - x_low) / (x_high - x_low); }
  /// Value of x at a horizontal position, which may be outside the area.
  double x_at(double across) const {
    return x_low + (x_high - x_low) * (across - area.left()) / area.width();
  }
  double y(double value) const {
    return area.bottom() - area.height() * (height(value) - y_low) / (y_high - y_low);
  }
};
/// Scale for the values within `range` of x. On a logarithmic scale, y covers whole decades.
ChartScale chart_scale(const Chart::Data& data, const std::pair<double, double>& range, const QRectF& area);

/// Vertical position of a value of a curve.
double chart_x(const Chart::Data& data, std::size_t index);

/// Style of one of several curves.
struct CurveStroke {
  const char* colour;          ///< colour-blind safe, Okabe and Ito (2008): "#0072b2"
  std::vector<double> dashes;  ///< lengths of dashes and gaps in stroke widths; empty: solid
};
const CurveStroke& curve_stroke(std::size_t number);
/// Style of vertical marks, dashed.
inline constexpr const char* mark_colour = "#d55e00";
/// All curves, in order.
std::vector<const std::vector<double>*> curves_of(const Chart::Data& data);
/// Names of the curves for the legend; empty for a single curve.
QStringList legend_of(const Chart::Data& data);

/// Text of a number: integers in full, others with three digits.
QString number_text(double value);
/// Round numbers within the range, about `most` at most.
std::vector<double> round_ticks(double low, double high, int most);
/// Ticks of an axis. On a logarithmic one, given as decimal logarithms, whole decades; if there are fewer
/// than two, 1, 2 and 5 times a decade, or round numbers.
std::vector<double> axis_ticks(double low, double high, int most, bool logarithmic);
/// "Energy error (relative)"
QString named_with_unit(const QString& name, const QString& unit);

}  // namespace isolume::fields
