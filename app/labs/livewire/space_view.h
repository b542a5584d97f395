#pragma once

#include <QObject>
#include <QTimer>
#include <string>

#include "app/labs/livewire/views/contour_scene.h"

namespace isolume::labs::livewire {

class Workspace;

/// The 3D view's account of the model: contours at once, surfaces by a job when the hand rests.
class SpaceView : public QObject {
  Q_OBJECT
 public:
  explicit SpaceView(Workspace& workspace);
  /// Whether it waits for the hand to rest.
  bool waits() const { return surface_rest_.isActive() || slice_rest_.isActive(); }

 private:
  void follow_image();
  void follow_contours();
  void face_patient();
  void follow_slice();
  void make_surfaces();

  Workspace& workspace_;
  ContourScene scene_;
  QTimer surface_rest_, slice_rest_;
  void fit_unless_turned();
  std::string own_view_;  ///< the camera as it was put last, not by hand
};

}  // namespace isolume::labs::livewire
