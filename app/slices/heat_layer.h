#pragma once

#include <QImage>
#include <QObject>
#include <QString>
#include <memory>

#include "app/slices/slice_view.h"
#include "core/base/field_values.h"

namespace isolume::slices {

/// Numbers on one slice, to be shown as colours. To be made in a job, since finding the range takes time.
struct HeatMap {
  images::SliceId slice;
  int width = 0, height = 0;
  std::shared_ptr<const FieldValues> values;  ///< x fastest; NaN: no value, transparent
  images::ValueRange range;                   ///< of the finite values
  QString title;                              ///< "Gradient"
  QString unit;                               ///< "HU/px"; may be empty
};
HeatMap make_heat_map(images::SliceId slice, int width, int height, FieldValues values, QString title,
                      QString unit);

/// A heat map over a slice view, in viridis, with iso-contours at equal round steps and a legend:
///
///   auto* layer = new HeatLayer(this);
///   view->add_overlay([layer](QPainter& painter, const SliceView& shown) { layer->paint(painter, shown); },
///                     SliceView::Drawn::kept);
///   connect(layer, &HeatLayer::changed, view, &SliceView::refresh);
///   layer->set_map(map);       // shows nothing in views of other slices
///
/// The picture is resampled for every pixel of the screen, and cached until map, style or view change.
class HeatLayer : public QObject {
  Q_OBJECT
 public:
  explicit HeatLayer(QObject* parent = nullptr) : QObject(parent) {}

  void set_map(HeatMap map);
  void clear() { set_map({}); }
  bool empty() const { return map_.values == nullptr; }
  const HeatMap& map() const { return map_; }

  void set_opacity(double opacity);  ///< 0 to 1; 0.6 at first
  double opacity() const { return opacity_; }
  void set_levels_shown(bool shown);
  /// Only values up to this are shown, with a white line along the front; infinity: all.
  void set_shown_up_to(double value);
  double shown_up_to() const { return shown_up_to_; }
  /// Step between iso-contours and legend marks: 1, 2 or 5 times a power of ten, with 8 to 20 steps in the
  /// range.
  double level_step() const;

  void paint(QPainter& painter, const SliceView& view);

 Q_SIGNALS:
  void changed();

 private:
  void draw_legend(QPainter& painter, const SliceView& view) const;

  HeatMap map_;
  double opacity_ = 0.6;
  bool levels_shown_ = true;
  double shown_up_to_ = std::numeric_limits<double>::infinity();
  QImage picture_;
  images::PictureMap pictured_;
  bool stale_ = true;
};

}  // namespace isolume::slices
