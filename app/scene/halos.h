#pragma once

#include <memory>
#include <span>

#include <Eigen/Core>
#include <vtkSmartPointer.h>

class vtkPolyData;
class vtkRenderer;

namespace isolume::scene {

/// Where halos are: on any thread, as of many places it takes longer than a frame.
vtkSmartPointer<vtkPolyData> halos_at(std::span<const Eigen::Vector3f> places);

/// Translucent balls of one size about places of a renderer: what is chosen there.
class HaloProp {
 public:
  explicit HaloProp(vtkRenderer& renderer);
  ~HaloProp();
  HaloProp(const HaloProp&) = delete;
  HaloProp& operator=(const HaloProp&) = delete;

  /// As `halos_at` gives them, which no longer change; null: none.
  void set(vtkSmartPointer<vtkPolyData> places);
  void set_radius(double radius);
  void set_visible(bool visible);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
