#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>

#include "app/scene/drawing/overlays.h"
#include "app/scene/drawing/text_style.h"

class vtkRenderer;

namespace isolume::scene {

/// A text at a place in the scene's unit.
struct Label {
  Eigen::Vector3d place;
  std::string text;
  /// To what the text must not reach, such as the next contour line; zero: nothing.
  Eigen::Vector3d room = Eigen::Vector3d::Zero();
};

/// Texts centred at places, in one renderer: upon the picture, on a background that makes them readable. None
/// covers another one, or a bar or caption of the picture: those without room are left out. Nearer labels, and
/// those of the same distance in their order, have the choice.
class LabelProp {
 public:
  explicit LabelProp(vtkRenderer& renderer, double points = 13, int layer = label_layer);
  ~LabelProp();

  void set(const std::vector<Label>& labels);
  /// Leaves out labels at hidden places, and all of them where a plane with this normal, in which they are, is
  /// seen almost edge-on. Null: no place is hidden.
  void set_plane(const Eigen::Vector3d& normal, std::function<bool(const Eigen::Vector3d& place)> hidden);
  void set_visible(bool visible);
  void set_text_colour(const Rgb& colour);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
