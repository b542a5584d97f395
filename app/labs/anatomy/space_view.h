#pragma once

#include <QPointer>

#include "app/labs/anatomy/choices.h"
#include "app/scene/fields/surface_prop.h"
#include "app/scene/view/view_widget.h"
#include "core/anatomy/alignment.h"

namespace isolume::labs::anatomy {

/// An isosurface of an image, whose values are mapped to 0 to 1. One that is not finished is drawn of fewer voxels.
scene::Surface surface_of(const images::Volume& image, double level, bool is_finished,
                          const jobs::Progress& progress);

/// Surfaces of the fixed and the warped image in space.
class SpaceView {
 public:
  explicit SpaceView(scene::ViewWidget& view);

  /// A null surface: there is none.
  void set_surfaces(const scene::Surface* fixed, const scene::Surface* warped);
  void set_style(const SurfaceStyle& style);
  /// Looks at the next surfaces from the front and a little from above, as a whole.
  void face_patient_next() { is_new_ = true; }

 private:
  QPointer<scene::ViewWidget> view_;
  scene::SurfaceProp surfaces_;
  scene::Lobes all_;
  SurfaceStyle style_;
  bool is_new_ = true;

  void show();
};

}  // namespace isolume::labs::anatomy
