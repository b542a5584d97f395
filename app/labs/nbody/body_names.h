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
  double radius = 0;    ///< of the sphere that is drawn there; 0: a dot
  bool ringed = false;  ///< chosen
};

/// Draws the names of bodies next to them, in a renderer, as long as this object lives. A name keeps its side of the body
/// as long as there is room.
class BodyNames {
 public:
  explicit BodyNames(vtkRenderer& renderer);
  ~BodyNames();
  BodyNames(const BodyNames&) = delete;
  BodyNames& operator=(const BodyNames&) = delete;

  /// Chosen and larger ones come first where there is no room, else earlier ones.
  void set(std::vector<PlacedName> names);
  /// Begins with the same sides of the bodies as another picture has.
  void start_like(const BodyNames& other);
  /// Fits them to the camera, the picture's size and its other texts; before each frame, after these.
  void update(double pixel_scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::nbody
