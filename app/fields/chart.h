#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

namespace isolume::fields {

class ChartDrawing;
struct ChartScale;

/// Plots numbers over a range, as curves or bars, with ticks at round numbers and vertical marks. Several
/// curves have a legend and differ by colour and stroke. The values at the pointer are shown; the wheel zooms
/// along x, dragging pans, and a double click shows everything (keys: plus, minus, left, right, Home). An
/// empty chart shows the reason.
class Chart final : public QWidget {
  Q_OBJECT
 public:
  enum class Shape { curve, bars };
  struct Curve {
    QString name;                ///< for the legend
    std::vector<double> values;  ///< at the same x as the first curve
  };
  struct Data {
    Shape shape = Shape::curve;
    double low = 0, high = 1;    ///< of x
    std::vector<double> values;  ///< at equal steps of x, including both ends; bars divide the range
    bool x_logarithmic = false;  ///< `low`, `high` and `marks` are decimal logarithms
    /// If positive, y is logarithmic from this value on, and smaller values are drawn there.
    double ground = 0;
    QString x_name, x_unit, y_name, y_unit;
    QString remark;             ///< at the top right, about values that are not drawn
    QString name;               ///< of the first curve, if there are others
    std::vector<Curve> others;  ///< further curves
    std::vector<double> marks;  ///< of x
  };

  explicit Chart(QWidget* parent = nullptr);

  void set_data(Data data);
  /// Shows this reason in place of a chart.
  void set_empty(const QString& why);
  const Data& data() const { return data_; }
  /// Shown part of x; all of it unless zoomed.
  std::pair<double, double> shown_range() const;
  /// Shows this part of x, limited to the range of the data.
  void show_range(double low, double high);
  /// Values at a position of the widget: "x 1.20 Å, y 0.031 bohr⁻³ᐟ²"; empty outside the chart.
  QString reading(const QPoint& place) const;
  struct Label {
    QString text;
    QRectF place;
  };
  /// Numbers below the x axis; a tick whose number would touch the one before has none.
  std::vector<Label> x_labels() const;
  QSize sizeHint() const override { return {260, 150}; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent*) override { shown_.reset(), update(); }
  void keyPressEvent(QKeyEvent* event) override;

 private:
  ChartDrawing drawing() const;
  ChartScale scale() const;
  void zoom(double factor, double about);
  void move(double by);

  Data data_;
  QString why_empty_;
  std::optional<std::pair<double, double>> shown_;  ///< part of x; empty: all
  double dragged_from_ = 0;                         ///< of x
};

}  // namespace isolume::fields
