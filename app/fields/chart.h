#pragma once

#include <QString>
#include <QWidget>
#include <vector>

namespace isolume::fields {

/// Numbers over a range, as a curve or as bars, with ticks at round numbers and upright marks. The pointer
/// reads the values off. An empty chart says why.
class Chart final : public QWidget {
  Q_OBJECT
 public:
  enum class Shape { curve, bars };
  struct Data {
    Shape shape = Shape::curve;
    double low = 0, high = 1;    ///< of x
    std::vector<double> values;  ///< at equal steps of x, both ends included; of bars, which share the range
    bool x_logarithmic = false;  ///< `low`, `high` and `marks` are decimal logarithms
    /// Above 0: y is logarithmic, and values below it stand on the ground.
    double ground = 0;
    QString x_name, x_unit, y_name, y_unit;
    std::vector<double> marks;  ///< of x
  };

  explicit Chart(QWidget* parent = nullptr);

  void set_data(Data data);
  /// Nothing to be drawn, and why.
  void set_empty(const QString& why);
  const Data& data() const { return data_; }
  /// "x 1.20 Å, y 0.031 bohr⁻³ᐟ²" for a place of the widget; empty beside the chart.
  QString reading(const QPoint& place) const;
  QSize sizeHint() const override { return {260, 150}; }
  QSize minimumSizeHint() const override { return {160, 90}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Scale;
  Scale scale() const;

  Data data_;
  QString why_empty_;
};

}  // namespace isolume::fields
