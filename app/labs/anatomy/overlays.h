#pragma once

#include <QObject>
#include <QPointer>
#include <memory>

#include "app/labs/anatomy/carried_labels.h"
#include "app/slices/label_layer.h"
#include "app/slices/linked_slices.h"
#include "app/slices/second_image.h"
#include "core/anatomy/alignment.h"

class QTimer;

namespace isolume::labs::anatomy {

/// What is drawn over the slices: the second image of a wipe or flicker, labels, and the deformed grid. The line of a wipe
/// is dragged in the large view.
class Overlays final : public QObject {
  Q_OBJECT
 public:
  explicit Overlays(slices::LinkedSlices& views);

  void set_comparison(const isolume::anatomy::Comparison& comparison);
  /// Null: there are none.
  void set_labels(std::shared_ptr<const CarriedLabels> labels);
  /// `second` is null unless both images are shown apart; `alignment` while there is none.
  void set_picture(std::shared_ptr<const images::Document> second,
                   std::shared_ptr<const isolume::anatomy::Alignment> alignment);

  /// The label that is drawn at an index of the grid; empty: none.
  std::string label_at(const Eigen::Vector3d& index) const;
  /// The same over a picture of its own, as it is now.
  slices::SliceView::Overlay over_picture() const;

 Q_SIGNALS:
  /// The line of a wipe has been dragged to this fraction of the view's width.
  void wipe_dragged(double fraction);

 private:
  struct Layers {
    slices::SecondImage second;
    slices::LabelLayer labels;
    std::shared_ptr<const isolume::anatomy::Alignment> deformed;  ///< null: no grid
    double grid_mm = 10;

    void paint(QPainter& painter, const slices::SliceView& view);
  };
  void update();
  void drag(const Eigen::Vector2d& place);

  QPointer<slices::LinkedSlices> views_;
  isolume::anatomy::Comparison comparison_;
  std::shared_ptr<const CarriedLabels> labels_;
  std::shared_ptr<const isolume::anatomy::Alignment> alignment_;
  Layers layers_;
  QTimer* flicker_;
  bool dragging_ = false;
};

}  // namespace isolume::labs::anatomy
