#pragma once

#include <functional>

#include "app/workbench/look/picture_view.h"
#include "core/flames/hand.h"
#include "core/flames/renderer.h"

namespace isolume::labs::flames {

/// The picture of a flame with the triangles of its affine maps, which a hand drags.
class FlameView {
 public:
  /// `act`: what a hand does; `finished` is false while a button is down. `resized`: pictures of another size are wanted.
  FlameView(std::function<void(const isolume::flames::Act& act, bool finished)> act,
            std::function<void()> resized);

  workbench::PictureView* widget() { return view_; }
  void show_flame(const isolume::flames::Flame& flame, int chosen, bool triangles);
  /// The flame's view in pixels of this screen.
  isolume::flames::View view() const;

 private:
  isolume::flames::Affine to_widget() const;
  isolume::flames::PlanePoint to_plane(const QPointF& point) const;
  void draw_triangles(QPainter& painter) const;

  isolume::flames::Flame flame_;
  int chosen_ = 1;
  bool triangles_ = true;
  isolume::flames::Hand hand_;
  workbench::PictureView* view_ = new workbench::PictureView("flames.view");  ///< owned by the window
};

}  // namespace isolume::labs::flames
