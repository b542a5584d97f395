#pragma once

#include <array>
#include <functional>
#include <memory>
#include <utility>

#include <vtkProp.h>
#include <vtkSmartPointer.h>

#include "app/scene/props/points_drawing.h"

class vtkOpenGLRenderer;

namespace isolume::scene {

/// Bodies as light that adds up, drawn as the background: all other objects are in front of it. Uses VTK's
/// own context and camera.
class PointsProp : public vtkProp {
 public:
  static PointsProp* New();
  vtkTypeMacro(PointsProp, vtkProp);

  void set_points(std::shared_ptr<const LightPoints> points);
  const std::shared_ptr<const LightPoints>& points() const { return points_; }
  /// Called within a drawing if points could not be read from their device; they are then no longer shown.
  void set_on_lost(std::function<void()> on_lost) { on_lost_ = std::move(on_lost); }
  /// The box to which pictures and the camera are fitted: x from, to, y from, to, z from, to.
  void set_bounds(const std::array<double, 6>& bounds) { bounds_ = bounds; }

  double* GetBounds() override { return bounds_.data(); }
  int RenderOpaqueGeometry(vtkViewport* viewport) override;
  void ReleaseGraphicsResources(vtkWindow* window) override;

 protected:
  PointsProp();
  ~PointsProp() override;

 private:
  void draw(vtkOpenGLRenderer& renderer);

  std::array<double, 6> bounds_{-1, 1, -1, 1, -1, 1};
  std::shared_ptr<const LightPoints> points_, uploaded_;
  std::unique_ptr<PointsDrawing> drawing_;
  std::function<void()> on_lost_;
};

}  // namespace isolume::scene
