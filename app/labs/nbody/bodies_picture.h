#pragma once

#include <memory>
#include <optional>
#include <string>

#include "app/bodies/bodies_look.h"
#include "core/nbody/nbody_simulation.h"

class vtkRenderer;

namespace isolume::scene {
struct LightPoints;
}

namespace isolume::labs::nbody {

/// The bodies of a frame in a renderer.
class BodiesPicture {
 public:
  explicit BodiesPicture(vtkRenderer& renderer);
  ~BodiesPicture();

  /// Of the first frame after `fit_next`, the camera's box becomes that of nine of ten bodies. `quantity`: what the colours
  /// tell, for people.
  void show(const std::shared_ptr<const isolume::nbody::NBodyFrame>& frame, const bodies::BodiesLook& look,
            const std::string& quantity);
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

  /// What stands in a renderer as long as this lives.
  class Shown;

  std::unique_ptr<Shown> shown_;
  std::shared_ptr<const scene::LightPoints> points_;
  std::string quantity_;
  std::optional<Extent> extent_;
};

}  // namespace isolume::labs::nbody
