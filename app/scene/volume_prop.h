#pragma once

#include <memory>

#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkSmartPointer.h>

#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// A field's values as VTK draws volumes: at right angles, finite, and no larger than what colours and opacity tell
/// apart. `placement` takes the image into the scene.
struct FieldVolume {
  vtkSmartPointer<vtkImageData> image;
  vtkSmartPointer<vtkMatrix4x4> placement;
  double isovalue = 1;
  double thickness = 1;  ///< a tenth of the box's diagonal, in the unit that scenes show
};

/// Opacity grows with the square of the value as far as twice the isovalue. Of a lattice that is sheared or left-handed
/// the values are interpolated on another one. `reach`: that of the colours. Callable from any thread. Throws Cancelled,
/// ResourceError.
FieldVolume volume_of(const lattice::ScalarField& field, double isovalue, double reach,
                      const jobs::Progress& progress = {});

/// A field as a cloud: each place shines in its value's colour and takes away light from behind, both in proportion to
/// the extinction s0 min((value/isovalue)^2, 4), where s0 = -ln(1 - opacity)/thickness. What is opaque hides and is
/// hidden; translucent lobes are seen in it where they are, by SurfaceProp.
class VolumeProp {
 public:
  explicit VolumeProp(vtkRenderer& renderer);
  ~VolumeProp();

  /// Without an image: nothing.
  void set_volume(FieldVolume volume);
  /// `opacity` in (0, 1): of a layer of the volume's thickness at the isovalue.
  void set_look(vtkLookupTable& colours, double opacity);
  /// Fewer rays and steps, for frames in quick succession.
  void set_draft(bool draft);
  void set_visible(bool visible);
  bool visible() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
