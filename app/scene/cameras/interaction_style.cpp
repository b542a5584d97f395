#include "app/scene/cameras/interaction_style.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vtkCamera.h>
#include <vtkMath.h>
#include <vtkObjectFactory.h>
#include <vtkRenderWindow.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"

namespace isolume::scene {

vtkStandardNewMacro(InteractionStyle);

namespace {

using Eigen::Vector3d;

/// The position of a display point at a depth in [0, 1].
Vector3d unproject(vtkRenderer& renderer, double x, double y, double depth) {
  renderer.SetDisplayPoint(x, y, depth);
  renderer.DisplayToWorld();
  const double* world = renderer.GetWorldPoint();
  return vector_of(world) / world[3];
}

/// The position of a display point on the focal plane.
Vector3d on_focal_plane(vtkRenderer& renderer, double x, double y) {
  const double* focal = renderer.GetActiveCamera()->GetFocalPoint();
  renderer.SetWorldPoint(focal[0], focal[1], focal[2], 1);
  renderer.WorldToDisplay();
  return unproject(renderer, x, y, renderer.GetDisplayPoint()[2]);
}

void move(vtkCamera& camera, const Vector3d& shift) {
  const Vector3d position = vector_of(camera.GetPosition()) + shift;
  const Vector3d focal = vector_of(camera.GetFocalPoint()) + shift;
  camera.SetPosition(position.data());
  camera.SetFocalPoint(focal.data());
}

}  // namespace

void InteractionStyle::Rotate() {
  if (!turntable_) {
    vtkInteractorStyleTrackballCamera::Rotate();
    return;
  }
  if (this->CurrentRenderer == nullptr) return;
  auto* iren = this->Interactor;
  const int* size = this->CurrentRenderer->GetRenderWindow()->GetSize();
  const int dx = iren->GetEventPosition()[0] - iren->GetLastEventPosition()[0];
  const int dy = iren->GetEventPosition()[1] - iren->GetLastEventPosition()[1];
  constexpr double degrees_across = 200;  // as in VTK's trackball
  orbit_upright(*this->CurrentRenderer, degrees_across * dx / size[0], degrees_across * dy / size[1]);
  this->CurrentRenderer->UpdateLightsGeometryToFollowCamera();
  this->Interactor->Render();
}

void InteractionStyle::OnMouseWheelForward() {
  zoom_about_pointer(1.15);
}
void InteractionStyle::OnMouseWheelBackward() {
  zoom_about_pointer(1 / 1.15);
}

void InteractionStyle::zoom_about_pointer(double factor) {
  const int* pointer = this->Interactor->GetEventPosition();
  this->FindPokedRenderer(pointer[0], pointer[1]);
  if (this->CurrentRenderer == nullptr) return;
  auto& renderer = *this->CurrentRenderer;
  auto& camera = *renderer.GetActiveCamera();
  const Vector3d kept = on_focal_plane(renderer, pointer[0], pointer[1]);
  const Vector3d focal = vector_of(camera.GetFocalPoint());
  scene::zoom(renderer, factor);
  move(camera, (kept - focal) * (1 - 1 / factor));
  renderer.ResetCameraClippingRange();
  this->Interactor->Render();
}

void InteractionStyle::OnLeftButtonDoubleClick() {
  const int* pointer = this->Interactor->GetEventPosition();
  this->FindPokedRenderer(pointer[0], pointer[1]);
  if (this->CurrentRenderer == nullptr) return;
  auto& renderer = *this->CurrentRenderer;
  renderer.GetRenderWindow()->MakeCurrent();
  const double depth = renderer.GetZ(pointer[0], pointer[1]);
  const Vector3d target = depth > 0 && depth < 1 ? unproject(renderer, pointer[0], pointer[1], depth)
                                                 : on_focal_plane(renderer, pointer[0], pointer[1]);
  auto& camera = *renderer.GetActiveCamera();
  move(camera, target - vector_of(camera.GetFocalPoint()));
  renderer.ResetCameraClippingRange();
  this->Interactor->Render();
}

}  // namespace isolume::scene
