#pragma once

#include <QPointer>
#include <memory>

#include <vtkCallbackCommand.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkSmartPointer.h>

#include "app/labs/anatomy/choices.h"
#include "app/scene/fields/surface_prop.h"
#include "app/scene/props/mesh_prop.h"
#include "app/scene/props/volume_prop.h"
#include "app/scene/view/view_widget.h"
#include "core/anatomy/alignment.h"

namespace isolume::labs::anatomy {

/// The values of an image, of fewer voxels than it has where they are too many to be drawn soon.
grid::ScalarField thinned_field(const images::Volume& image, bool is_finished);

/// An isosurface of an image, whose values are mapped to 0 to 1. One that is not finished is drawn of fewer voxels.
scene::Surface surface_of(const images::Volume& image, double level, bool is_finished,
                          const jobs::Progress& progress);

/// Surfaces of the fixed and the warped image and of labels in space, and the volume of one image.
class SpaceView {
 public:
  explicit SpaceView(scene::ViewWidget& view);
  ~SpaceView();
  SpaceView(const SpaceView&) = delete;
  SpaceView& operator=(const SpaceView&) = delete;

  /// A null surface: there is none.
  void set_surfaces(const scene::Surface* fixed, const scene::Surface* warped);
  void set_style(const SurfaceStyle& style);
  /// A null volume: there is none. `cursor_mm`: where it is cut, if it is.
  void set_volume(std::shared_ptr<const scene::FieldVolume> volume, const VolumeStyle& style,
                  const Eigen::Vector3d& cursor_mm);
  /// Triangles with colours; null: there are none.
  void set_labels(vtkSmartPointer<vtkPolyData> coloured);
  /// Looks at the next surfaces from the front and a little from above, as a whole.
  void face_patient_next() { is_new_ = true; }

 private:
  QPointer<scene::ViewWidget> view_;
  scene::SurfaceProp surfaces_;
  scene::Lobes all_;
  scene::MeshProp labels_;
  vtkSmartPointer<vtkPolyData> shown_labels_;
  scene::VolumeProp volume_;
  std::shared_ptr<const scene::FieldVolume> shown_volume_;
  vtkNew<vtkCallbackCommand> start_of_frame_;
  unsigned long observer_ = 0;
  SurfaceStyle style_;
  bool is_new_ = true;

  void show();
  void face_patient();
};

}  // namespace isolume::labs::anatomy
