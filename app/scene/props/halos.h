#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>
#include <vtkSmartPointer.h>

class vtkPolyData;
class vtkRenderer;

namespace isolume::scene {

/// The halos for these positions. Callable on any thread, since many positions take longer than a frame.
vtkSmartPointer<vtkPolyData> halos_at(std::span<const Eigen::Vector3f> places);

/// Translucent balls of one size that mark selected positions in a renderer.
class HaloProp {
 public:
  explicit HaloProp(vtkRenderer& renderer);
  ~HaloProp();
  HaloProp(const HaloProp&) = delete;
  HaloProp& operator=(const HaloProp&) = delete;

  /// The result of `halos_at`, which must not change any more; null: none.
  void set(vtkSmartPointer<vtkPolyData> places);
  void set_radius(double radius);
  void set_visible(bool visible);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
