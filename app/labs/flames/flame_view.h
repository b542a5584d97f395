#pragma once

#include <QImage>
#include <QWidget>
#include <functional>
#include <optional>

#include "core/flames/triangles.h"

namespace isolume::labs::flames {

/// The picture of a flame with the triangles of its affine maps. Reports what the mouse does: dragging a triangle or
/// its corners, dragging the picture elsewhere, and the wheel.
class FlameView final : public QWidget {
 public:
  FlameView();

  std::function<void(int number)> on_choice;
  /// `finished`: the button was released.
  std::function<void(int number, const isolume::flames::Affine& map, bool finished)> on_map;
  std::function<void(const isolume::flames::View& view, bool finished)> on_view;
  std::function<void()> on_resize;

  /// `text`: the read-out in the corner.
  void show_picture(const QImage& picture, const QString& text);
  /// `chosen`: number of the function that is highlighted.
  void show_flame(const isolume::flames::Flame& flame, int chosen, bool triangles);
  /// The flame's view in pixels of this screen.
  isolume::flames::View view() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void resizeEvent(QResizeEvent*) override { on_resize(); }

 private:
  isolume::flames::Affine to_widget() const;
  isolume::flames::PlanePoint to_plane(const QPointF& point) const;
  void drag_to(const QPointF& point, bool finished);

  isolume::flames::Flame flame_;
  int chosen_ = 1;
  bool triangles_ = true;
  QImage picture_;
  QString text_;
  struct Drag {
    isolume::flames::PlanePoint from;
    std::optional<isolume::flames::Grip> grip;  ///< nothing: the picture is moved
    isolume::flames::Affine map;
    bool moved = false;
  };
  std::optional<Drag> drag_;
};

}  // namespace isolume::labs::flames
