#pragma once

#include <QObject>
#include <QPointer>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/anatomy/carried_labels.h"
#include "app/labs/anatomy/label_surfaces.h"
#include "app/slices/label_layer.h"
#include "app/slices/linked_slices.h"
#include "app/slices/second_image.h"
#include "core/anatomy/alignment.h"

class QTimer;

namespace isolume::labs::anatomy {

/// What is drawn over the slices: the second image of a wipe or flicker, labels, the deformed grid, and marks. The line of a
/// wipe and marks are dragged in the large view.
class Overlays final : public QObject {
  Q_OBJECT
 public:
  explicit Overlays(slices::LinkedSlices& views);

  /// A landmark: positions in mm on the fixed image, of its point there and of where the moving image's point is shown.
  struct Mark {
    Eigen::Vector3d fixed, moving;
    std::string name;
  };
  void set_marks(std::vector<Mark> marks);
  /// Whether the left button drags marks and the line of a wipe; at first, it does.
  void set_draggable(bool is_draggable) { is_draggable_ = is_draggable; }
  bool is_draggable() const { return is_draggable_; }

  void set_comparison(const isolume::anatomy::Comparison& comparison);
  /// Null: there are none.
  void set_labels(std::shared_ptr<const CarriedLabels> labels);
  /// `second` is null unless both images are shown apart; `alignment` while there is none.
  void set_picture(std::shared_ptr<const images::Document> second,
                   std::shared_ptr<const isolume::anatomy::Alignment> alignment);

  /// The labels that are drawn; nothing where none are.
  std::optional<NumberedMap> drawn_labels() const;
  /// The label that is drawn at an index of the grid; empty: none.
  std::string label_at(const Eigen::Vector3d& index) const;
  /// The same over a picture of its own, as it is now.
  slices::SliceView::Overlay over_picture() const;

 Q_SIGNALS:
  /// The line of a wipe has been dragged to this fraction of the view's width.
  void wipe_dragged(double fraction);
  /// A mark has been dragged to this position in mm.
  void mark_dragged(std::size_t index, bool is_moving, const Eigen::Vector3d& position);

 private:
  struct Layers {
    slices::SecondImage second;
    slices::LabelLayer labels;
    std::shared_ptr<const isolume::anatomy::Alignment> deformed;  ///< null: no grid
    double grid_mm = 10;
    std::vector<Mark> marks;

    void paint(QPainter& painter, const slices::SliceView& view);
  };
  void update();
  void press(const Eigen::Vector2d& place);
  void drag(const Eigen::Vector2d& place);
  void release();
  struct Grip {
    std::size_t index = 0;
    bool is_moving = false;
  };
  std::optional<Grip> grip_at(const Eigen::Vector2d& place) const;

  QPointer<slices::LinkedSlices> views_;
  isolume::anatomy::Comparison comparison_;
  std::shared_ptr<const CarriedLabels> labels_;
  std::shared_ptr<const isolume::anatomy::Alignment> alignment_;
  Layers layers_;
  QTimer* flicker_;
  bool is_draggable_ = true;
  bool dragging_ = false;     ///< the line of a wipe
  std::optional<Grip> grip_;  ///< the dragged mark
};

}  // namespace isolume::labs::anatomy
