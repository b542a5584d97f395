#pragma once

#include <QRectF>
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
  double y(double value) const {
    return area.bottom() - area.height() * (height(value) - y_low) / (y_high - y_low);
  }
};
/// For the values between the ends of `range` of x.
ChartScale chart_scale(const Chart::Data& data, const std::pair<double, double>& range, const QRectF& area);

/// Of a value of a curve.
double chart_x(const Chart::Data& data, std::size_t index);

/// Whole numbers as they are, others to three digits.
QString number_text(double value);
/// Round numbers within the range, at most about `most` of them.
std::vector<double> round_ticks(double low, double high, int most);
/// "Energy error (relative)"
QString named_with_unit(const QString& name, const QString& unit);

}  // namespace isolume::fields
