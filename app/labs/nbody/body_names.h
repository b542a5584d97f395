#pragma once

#include <memory>
#include <string>
#include <vector>

#include <Eigen/Core>

class vtkRenderer;

namespace isolume::labs::nbody {

/// A name in the picture, in the renderer's coordinates.
struct PlacedName {
  Eigen::Vector3d place;
  std::string name;
  double radius =
      0;  ///< of the sphere that is drawn there; 0: a dot. Larger ones come first where there is no room
  bool ringed = false;
};

/// Where a name stands, in pixels from the lower left corner; nothing that is shown overlaps.
struct NameBox {
  std::size_t number = 0;  ///< of the name
  double left = 0, bottom = 0, width = 0, height = 0;
};

/// The dot or disc of a body on the picture, in pixels, and how large its name is.
struct SpotOnPicture {
  double x = 0, y = 0, radius = 0;
  double width = 0, height = 0;  ///< of the name
  bool visible = false;          ///< in front of the camera
};
/// Names next to their spots: to the right, left, above or below, where they cover neither another name nor another spot. Earlier
/// ones have the choice; those without room are left out.
std::vector<NameBox> arranged_names(const std::vector<SpotOnPicture>& spots);

/// Draws the names of bodies next to them, in a renderer, as long as this object lives.
class BodyNames {
 public:
  explicit BodyNames(vtkRenderer& renderer);
  ~BodyNames();
  BodyNames(const BodyNames&) = delete;
  BodyNames& operator=(const BodyNames&) = delete;

  void set(std::vector<PlacedName> names);
  /// Fits them to the camera and the picture's size; before each frame.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::nbody
