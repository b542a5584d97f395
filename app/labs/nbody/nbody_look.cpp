#include "app/labs/nbody/nbody_look.h"

namespace isolume::labs::nbody {

const parameters::Schema<NBodyLook>& nbody_look_schema() {
  using L = NBodyLook;
  using parameters::field;
  constexpr double most_bodies = 9e15;  // that double precision counts
  const auto place = [](const char* key, double L::*coordinate, const char* label) {
    constexpr double farthest = 1e12, usual = 20;
    return field(key, coordinate, label)
        .unit("length")
        .range(-farthest, farthest)
        .usual(-usual, usual)
        .group("Probe")
        .help("In the unit of the bodies' places.")
        .only_when("probe", {"true"});
  };
  static const parameters::Schema<L> schema(
      {field("body", &L::body, "Chosen body")
           .range(-1, most_bodies)
           .usual(-1, 1000)
           .group("Chosen body")
           .help("Its number; -1: none. A click on a body chooses it."),
       field("follow", &L::follow, "Camera follows",
             {{"nothing", "Nothing"}, {"body", "The chosen body"}, {"centre-of-mass", "Centre of mass"}})
           .group("Chosen body")
           .help("What stays in its place in the picture."),
       field("trails", &L::trails, "Trails",
             {{"none", "None"}, {"body", "Of the chosen body"}, {"all", "Of all"}})
           .group("Chosen body")
           .help("Paths through the steps that have been computed; of all bodies, evenly chosen ones up to "
                 "2000."),
       field("trail-steps", &L::trail_steps, "Length of trails")
           .unit("steps")
           .range(1, 500)
           .group("Chosen body")
           .help("How far back they reach.")
           .only_when("trails", {"body", "all"}),
       field("surface-density", &L::surface_density, "Surface density")
           .group("Picture")
           .help("Shows the mass on each square of the picture, by its logarithm, instead of light; a higher "
                 "exposure shows fainter parts."),
       field("tree-levels", &L::tree_levels, "Levels of the octree")
           .range(0, 12)
           .group("Picture")
           .help("Boxes around the bodies of each cell, down to this level; 0: none."),
       field("probe", &L::probe, "Probe")
           .group("Probe")
           .help("Marks a place; the window's Body panel shows the acceleration and the potential there."),
       place("probe-x", &L::probe_x, "Probe x"), place("probe-y", &L::probe_y, "Probe y"),
       place("probe-z", &L::probe_z, "Probe z")},
      bodies::bodies_look_schema());
  return schema;
}

const parameters::Schema<WindowLook>& window_look_schema() {
  static const parameters::Schema<WindowLook> schema(
      {parameters::field(
           "read-out", &WindowLook::read_out, "Read-out",
           {{"off", "Off"}, {"window", "In the window"}, {"pictures", "In exported pictures, too"}})
           .group("Picture")
           .help("Steps a second, the energy error and the force error in a corner of the view, while they "
                 "are known.")});
  return schema;
}

}  // namespace isolume::labs::nbody
