#pragma once

#include <memory>

#include "app/scene/surface.h"
#include "app/scene/text_style.h"

class vtkLookupTable;
class vtkRenderer;

namespace isolume::scene {

enum class SurfaceStyle { smooth, mesh, points };

/// Two lobes in one renderer, each in its colour. Translucent ones are drawn in the right order from every
/// side: sorted where their meshes are on the host and nothing else is translucent, else by the renderer's
/// depth peeling, together with a cloud where one is seen, which takes several times as long where there is no GPU.
class SurfaceProp {
 public:
  explicit SurfaceProp(vtkRenderer& renderer);
  ~SurfaceProp();

  void set_lobes(Lobes lobes);
  const Lobes& lobes() const;
  void set_style(SurfaceStyle style, double opacity, const Rgb& positive, const Rgb& negative);
  /// By a second field's values, where the surfaces have such, in the colours of a linear table; null: each lobe in
  /// its own colour. Where the values are not known surfaces are striped in grey.
  void set_values_shown(vtkLookupTable* colours);
  /// Whether surfaces that have a coarser mesh for drafts are drawn by it.
  void set_draft(bool draft);
  void set_visible(bool visible);
  bool visible() const;
  /// Widths in pixels that look the same on screens and pictures of different density: 1 at 72 dots per inch.
  void set_pixel_scale(double scale);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace isolume::scene
