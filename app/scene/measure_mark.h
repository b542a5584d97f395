#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include <Eigen/Core>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// Rings about chosen places, lines from one to the next, and what they measure: upon the picture, so that no
/// surface hides them.
class MeasureMark {
 public:
  explicit MeasureMark(vtkRenderer& renderer);
  ~MeasureMark();

  /// In the scene's unit; none: nothing is drawn.
  void set(std::vector<Eigen::Vector3d> places, std::string_view text);
  void set_colour(const Rgb& text);
  /// Fits it to the camera and the picture's size; before each frame.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
