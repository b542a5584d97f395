#include "app/bodies/bodies_choices.h"

namespace isolume::bodies {

const parameters::Schema<BodiesLook>& bodies_look_schema() {
  using L = BodiesLook;
  using parameters::field;
  static const parameters::Schema<L> schema(
      {field("colour-by", &L::colour_by, "Colour by",
             {{"speed", "Speed"},
              {"density", "Density"},
              {"potential", "Potential"},
              {"origin", "Origin"},
              {"id", "Number"}})
           .group("Picture")
           .help("Quantity that colours the bodies."),
       field("brightness", &L::brightness, "Brightness")
           .range(0.01, 100)
           .usual(0.1, 10)
           .logarithmic()
           .group("Picture")
           .help("Total light of all bodies."),
       field("body-size", &L::size, "Size")
           .formerly("size")
           .range(0.05, 50)
           .usual(0.2, 10)
           .logarithmic()
           .group("Picture")
           .help("Size of each body. Total brightness is unchanged."),
       field("sizes", &L::sizes, "Sizes",
             {{"automatic", "Automatic"},
              {"light", "Light by mass"},
              {"compressed", "Compressed radii"},
              {"to-scale", "To scale"}})
           .group("Picture")
           .help("Compressed: spheres drawn with the cube root of their radius, so that planets are visible "
                 "next to a star. Automatic: compressed if radii are known, otherwise light."),
       field("exposure", &L::exposure, "Exposure")
           .range(0.01, 100)
           .usual(0.1, 10)
           .logarithmic()
           .group("Picture")
           .help("Exposure: higher values saturate to white sooner."),
       field("halo", &L::halo, "Dark matter")
           .range(0, 1)
           .group("Picture")
           .help("Brightness of dark matter relative to its mass; 0 hides it."),
       field("names", &L::names, "Names").group("Picture").help("Show the name of each body next to it."),
       field("orbits", &L::orbits, "Orbits")
           .group("Picture")
           .help("Show the osculating Kepler orbit of each named body about the body that binds it.")});
  return schema;
}

}  // namespace isolume::bodies
