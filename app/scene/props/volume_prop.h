#pragma once

#include <array>
#include <memory>

#include <Eigen/Core>
#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkSmartPointer.h>

#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// A field's values in the form in which VTK draws volumes: with orthogonal axes, finite, clamped to the range
/// of colours and opacity, and stored as asinh(value / isovalue). `placement` maps the image to the scene.
struct FieldVolume {
  vtkSmartPointer<vtkImageData> image;
  vtkSmartPointer<vtkMatrix4x4> placement;
  double isovalue = 1;
  double thickness = 1;  ///< a tenth of the box's diagonal, in the unit that scenes show
};

/// Opacity grows with the square of the value up to twice the isovalue. On a sheared or left-handed grid
/// the values are interpolated on another one. `reach`: that of the colours. Callable from any thread. Throws
/// Cancelled, ResourceError.
FieldVolume volume_of(const grid::ScalarField& field, double isovalue, double reach,
                      const jobs::Progress& progress = {});

/// A field as a cloud: each point emits light in the colour of its value and absorbs light from behind, both
/// in proportion to the extinction s0 min((value/isovalue)^2, 4), where s0 = -ln(1 - opacity)/thickness.
/// Opaque objects occlude it and are occluded; SurfaceProp draws translucent lobes at their depth in it.
class VolumeProp {
 public:
  explicit VolumeProp(vtkRenderer& renderer);
  ~VolumeProp();

  /// Without an image: nothing is shown.
  void set_volume(FieldVolume volume);
  /// `opacity` in (0, 1): of a layer of the volume's thickness at the isovalue.
  void set_look(vtkLookupTable& colours, double opacity);
  /// Cuts away what lies beyond a place of the scene on all of these sides: along each of the scene's axes, -1 or 1 for the
  /// side below or above, and 0 where that does not matter; nothing where all are 0. The cuts follow the volume's own axes,
  /// the nearest ones to the scene's.
  void set_cut(const Eigen::Vector3d& place, const std::array<int, 3>& sides);
  /// Uses fewer rays and steps, for frames in quick succession.
  void set_draft(bool draft);
  void set_visible(bool visible);
  bool visible() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
