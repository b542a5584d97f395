#pragma once

#include <memory>

#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/surface_style.h"
#include "app/scene/surfaces/surface.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

/// Two lobes in one renderer, each in its colour. Translucent ones are drawn in the correct order from every
/// side: sorted if their meshes are on the host and nothing else is translucent, otherwise by the renderer's
/// depth peeling, together with a visible cloud. Depth peeling takes several times as long without a GPU.
class SurfaceProp {
 public:
  explicit SurfaceProp(vtkRenderer& renderer);
  ~SurfaceProp();

  void set_lobes(Lobes lobes);
  const Lobes& lobes() const;
  void set_style(SurfaceStyle style, double opacity, const Rgb& positive, const Rgb& negative);
  /// Colours the surfaces by a second field's values, if they have such, with a linear table; null: each lobe
  /// has its own colour. Surfaces are striped in grey where the values are unknown.
  void set_values_shown(vtkLookupTable* colours);
  /// Whether surfaces with a coarser mesh for drafts are drawn with that.
  void set_draft(bool draft);
  void set_visible(bool visible);
  bool visible() const;
  /// Scales widths in pixels so that they look the same on screens and pictures of different density: 1 at 72
  /// dots per inch.
  void set_pixel_scale(double scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
