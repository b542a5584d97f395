#pragma once

#include <vtkInteractorStyleTrackballCamera.h>

namespace isolume::scene {

/// Mouse control of the camera: left rotates (freely, or as a turntable that keeps z upright), middle or
/// shift + left pans, right and the wheel zoom (the wheel about the pointer), a double click moves the centre
/// of rotation. Keys have no effect here: they are the workbench's shortcuts.
class InteractionStyle : public vtkInteractorStyleTrackballCamera {
 public:
  static InteractionStyle* New();
  vtkTypeMacro(InteractionStyle, vtkInteractorStyleTrackballCamera)

      void set_turntable(bool turntable) {
    turntable_ = turntable;
  }

  void Rotate() override;
  void OnMouseWheelForward() override;
  void OnMouseWheelBackward() override;
  void OnLeftButtonDoubleClick() override;
  void OnChar() override {}

 private:
  void zoom_about_pointer(double factor);

  bool turntable_ = false;
};

}  // namespace isolume::scene
