#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "app/scene/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// A text at a place in the scene's unit.
struct Label {
  Eigen::Vector3d place;
  std::string text;
};

/// Texts centred at places, in one renderer: upon the picture, on a background that makes them readable. None covers another
/// one, or a bar or caption of the picture: those without room are left out.
class LabelProp {
 public:
  explicit LabelProp(vtkRenderer& renderer);
  ~LabelProp();

  void set(const std::vector<Label>& labels);
  void set_visible(bool visible);
  void set_text_colour(const Rgb& colour);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
