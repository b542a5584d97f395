#include "app/labs/anatomy/brush.h"

namespace isolume::labs::anatomy {

const parameters::Schema<Brush>& brush_schema() {
  using parameters::field;
  static const parameters::Schema<Brush> schema({
      field("brush", &Brush::tool, "Brush",
            {{"none", "Off"}, {"seeds", "Paint seeds"}, {"labels", "Correct labels"}})
          .group("Regions")
          .help("What the left button paints in the large view while it is dragged; with Shift, background. "
                "The key S turns the painting of seeds on and off."),
      field("brush-label", &Brush::label, "Label")
          .range(0, most_painted_labels)
          .only_when("brush", {"seeds", "labels"})
          .group("Regions")
          .help("Label that is painted (keys 1 to 9); 0 is the background."),
      field("brush-radius", &Brush::radius_mm, "Radius")
          .unit("mm")
          .range(0.01, 1000)
          .usual(0.5, 30)
          .logarithmic()
          .only_when("brush", {"seeds", "labels"})
          .group("Regions")
          .help("Radius of the brush."),
  });
  return schema;
}

}  // namespace isolume::labs::anatomy
