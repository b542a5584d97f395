#pragma once

#include <array>
#include <memory>
#include <optional>

#include <vtkSmartPointer.h>

#include "app/bodies/bodies_look.h"
#include "core/nbody/nbody_simulation.h"

class vtkRenderer;

namespace isolume::scene {
class PointsProp;
struct LightPoints;
}  // namespace isolume::scene

namespace isolume::labs::nbody {

/// The bodies of a frame in a renderer.
class BodiesPicture {
 public:
  explicit BodiesPicture(vtkRenderer& renderer);
  ~BodiesPicture();

  /// Of the first frame after `fit_next`, the camera's box becomes that of nine of ten bodies.
  void show(const std::shared_ptr<const isolume::nbody::NBodyFrame>& frame, const bodies::BodiesLook& look);
  void fit_next() { extent_.reset(); }
  bool empty() const { return points_ == nullptr; }
  /// The same bodies in another renderer, as long as it lives.
  std::shared_ptr<const void> copy_into(vtkRenderer& renderer) const;

 private:
  /// What is seen of the scene at first; its middle is the origin of the renderer's coordinates, so that single precision
  /// is enough wherever the bodies are.
  struct Extent {
    Eigen::Vector3d middle;
    double radius;
  };
  Extent extent_of(const isolume::nbody::NBodyFrame& frame, const bodies::DrawnBodies& drawn) const;

  vtkRenderer& renderer_;
  vtkSmartPointer<scene::PointsProp> prop_;
  std::shared_ptr<const scene::LightPoints> points_;
  std::optional<Extent> extent_;
};

}  // namespace isolume::labs::nbody
