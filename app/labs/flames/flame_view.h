#pragma once

#include <QImage>
#include <QMouseEvent>
#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/flames/editing.h"
#include "core/flames/triangles.h"

namespace isolume::labs::flames {

/// The picture of a flame with the triangles of its affine maps. Dragging a triangle or its corners, dragging the
/// picture elsewhere and the wheel are reported as commands.
class FlameView final : public QWidget {
 public:
  FlameView();

  /// `finished`: false while a button is down.
  std::function<void(const char* command, const std::vector<std::string>& words, bool finished)> on_command;
  std::function<void()> on_resize;

  /// `text`: the read-out in the corner.
  void show_picture(const QImage& picture, const QString& text);
  void show_flame(const isolume::flames::Flame& flame, int chosen, bool triangles);
  /// The flame's view in pixels of this screen.
  isolume::flames::View view() const;

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override { drag_to(event, false); }
  void mouseReleaseEvent(QMouseEvent* event) override { drag_to(event, true); }
  void wheelEvent(QWheelEvent* event) override;
  void resizeEvent(QResizeEvent*) override { on_resize(); }

 private:
  isolume::flames::Affine to_widget() const;
  isolume::flames::PlanePoint to_plane(const QPointF& point) const;
  void drag_to(const QMouseEvent* event, bool finished);
  void set_view(const isolume::flames::View& view, bool finished) const;

  isolume::flames::Flame flame_;
  int chosen_ = 1;
  bool triangles_ = true;
  QImage picture_;
  QString text_;
  struct Drag {
    isolume::flames::PlanePoint from;
    std::optional<isolume::flames::Grip> grip = {};  ///< nothing: the picture is moved
    isolume::flames::Affine map = {};
    bool moved = false;
  };
  std::optional<Drag> drag_;
};

}  // namespace isolume::labs::flames
