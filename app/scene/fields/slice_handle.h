#pragma once

#include <functional>
#include <memory>

#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/slice_prop.h"

class vtkRenderer;

namespace isolume::scene {

/// The frame around a slice and the ball on it, by which the mouse drags the slice along its normal.
/// Interactive if the renderer's window has an interactor; otherwise only the frame is drawn.
class SliceHandle {
 public:
  /// `moved` is called with the new position in [0, 1] while the mouse drags.
  SliceHandle(vtkRenderer& renderer, std::function<void(double position)> moved);
  ~SliceHandle();

  void set_rectangle(const SliceRectangle& rectangle, double position);
  void set_visible(bool visible);
  void set_colour(const Rgb& colour, const Rgb& active);
  void set_pixel_scale(double scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
