#pragma once

#include <QRectF>
#include <QString>
#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

class QPainter;

namespace isolume::fields {

struct ChartScale;

/// Numbers over a range, as curves or as bars, with ticks at round numbers and upright marks; several curves have a
/// legend, and are told apart by colour and by stroke. The pointer reads the values off; the wheel zooms along x about it, dragging moves what is zoomed, a double click shows all again
/// (keys: plus, minus, left, right, Home). An empty chart says why.
class Chart final : public QWidget {
  Q_OBJECT
 public:
  enum class Shape { curve, bars };
  struct Curve {
    QString name;                ///< for the legend
    std::vector<double> values;  ///< of the same x as the first curve's, and as many
  };
  struct Data {
    Shape shape = Shape::curve;
    double low = 0, high = 1;    ///< of x
    std::vector<double> values;  ///< at equal steps of x, both ends included; of bars, which share the range
    bool x_logarithmic = false;  ///< `low`, `high` and `marks` are decimal logarithms
    /// Above 0: y is logarithmic, and values below it stand on the ground.
    double ground = 0;
    QString x_name, x_unit, y_name, y_unit;
    QString name;               ///< of the curve, where there are others
    std::vector<Curve> others;  ///< drawn with it
    std::vector<double> marks;  ///< of x
  };

  explicit Chart(QWidget* parent = nullptr);

  void set_data(Data data);
  /// Nothing to be drawn, and why.
  void set_empty(const QString& why);
  const Data& data() const { return data_; }
  /// The part of x that is shown; all of it unless a person has zoomed.
  std::pair<double, double> shown_range() const;
  /// As far as the data reach.
  void show_range(double low, double high);
  /// "x 1.20 Å, y 0.031 bohr⁻³ᐟ²" for a place of the widget; empty beside the chart.
  QString reading(const QPoint& place) const;
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
  ChartScale scale() const;
  std::vector<QRectF> legend_places() const;
  void draw_legend(QPainter& painter, const QColor& text) const;
  void draw_curve(QPainter& painter, const ChartScale& at, std::size_t number) const;
  void zoom(double factor, double about);
  void move(double by);

  Data data_;
  QString why_empty_;
  std::optional<std::pair<double, double>> shown_;  ///< part of x; nothing: all
  double dragged_from_ = 0;                         ///< of x
};

}  // namespace isolume::fields
