#pragma once

#include <QRectF>
#include <QStringList>
#include <utility>
#include <vector>

#include "app/fields/chart.h"

namespace isolume::fields {

/// Where a chart's numbers stand on an area, y downwards.
struct ChartScale {
  QRectF area;
  double x_low, x_high, y_low, y_high;  ///< of y decimal logarithms where there is a ground
  double ground;

  double height(double value) const;
  double x(double value) const { return area.left() + area.width() * (value - x_low) / (x_high - x_low); }
  /// Of a place across the area, which may be beside it.
  double x_at(double across) const {
    return x_low + (x_high - x_low) * (across - area.left()) / area.width();
  }
  double y(double value) const {
    return area.bottom() - area.height() * (height(value) - y_low) / (y_high - y_low);
  }
};
/// For the values between the ends of `range` of x. Curves on a logarithmic scale stand between whole decades.
ChartScale chart_scale(const Chart::Data& data, const std::pair<double, double>& range, const QRectF& area);

/// Of a value of a curve.
double chart_x(const Chart::Data& data, std::size_t index);

/// How one of several curves is drawn.
struct CurveStroke {
  const char* colour;          ///< Okabe and Ito (2008), apart for the colour-blind: "#0072b2"
  std::vector<double> dashes;  ///< drawn and left out in turn, in widths of the stroke; none: unbroken
};
const CurveStroke& curve_stroke(std::size_t number);
/// Of upright marks, dashed.
inline constexpr const char* mark_colour = "#d55e00";
/// All curves, the first one first.
std::vector<const std::vector<double>*> curves_of(const Chart::Data& data);
/// Their names, in that order; none where there is one curve.
QStringList legend_of(const Chart::Data& data);

/// Whole numbers as they are, others to three digits.
QString number_text(double value);
/// Round numbers within the range, at most about `most` of them.
std::vector<double> round_ticks(double low, double high, int most);
/// The same of an axis. On a logarithmic one, which is told in decimal logarithms, whole decades; where there are not two
/// of them, 1, 2 and 5 times one, or round numbers.
std::vector<double> axis_ticks(double low, double high, int most, bool logarithmic);
/// "Energy error (relative)"
QString named_with_unit(const QString& name, const QString& unit);

}  // namespace isolume::fields
