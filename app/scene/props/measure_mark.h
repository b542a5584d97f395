#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Rings around chosen positions, lines between them, and the measured value: drawn on top of the picture, so
/// that no surface hides them.
class MeasureMark {
 public:
  explicit MeasureMark(vtkRenderer& renderer);
  ~MeasureMark();

  /// Positions in the scene's unit; empty: nothing is drawn.
  void set(std::vector<Eigen::Vector3d> places, std::string_view text);
  void set_colour(const Rgb& text);
  /// Draws rings and lines below all texts that are in the renderer by now.
  void lower();
  /// Adapts it to the camera and the picture's size; call before each frame.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
