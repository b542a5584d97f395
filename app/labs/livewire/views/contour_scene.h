#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "app/labs/livewire/views/label_surface.h"
#include "core/contours/contour.h"
#include "core/images/document.h"
#include "core/images/volume.h"

class vtkRenderer;

namespace isolume::labs::livewire {

/// What the 3D picture shows.
struct ContourView {
  bool contours = true;
  bool surfaces = true;
  double surface_opacity = 1;
  bool slice = true;
  bool box = true;          ///< the edges of the volume
  bool annotations = true;  ///< directions (L, P, H) and a scale bar in mm
};

/// Contours, their labels' surfaces and a slice of the image, in mm among the patient's coordinates. Knows no
/// Qt; used by the window and offscreen alike. To be called on the thread that renders; surfaces are made
/// before, elsewhere (`surfaces_of`).
class ContourScene {
 public:
  explicit ContourScene(vtkRenderer& renderer);
  ~ContourScene();

  void clear();
  /// Another image: removes contours, surfaces and slice.
  void set_image(const images::Geometry& geometry);
  /// Visible contours of visible labels; suggestions paler.
  void set_contours(const contours::ContourSet& set);
  /// Those of visible labels are shown.
  void set_surfaces(std::vector<LabelSurface> surfaces);
  const std::vector<LabelSurface>& surfaces() const;
  /// A slice of the image, from its volume or from a copy of the slice (images::copy_slice). Throws Error
  /// where the slice lies outside the volume.
  void set_slice(const images::Volume& volume, images::SliceId slice, const images::Window& window);
  void set_view(const ContourView& view, bool dark);
  /// From the front and a little from above, head up: all contours, or the whole image where there are none.
  void face_patient();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::labs::livewire
