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
        .help("Coordinate of the probe, in the unit of the positions.")
        .only_when("probe", {"true"});
  };
  static const parameters::Schema<L> schema(
      {field("body", &L::body, "Chosen body")
           .range(-1, most_bodies)
           .usual(-1, 1000)
           .special(-1, "None")
           .group("Chosen body")
           .help("Number of the chosen body, which is ringed."),
       field("follow", &L::follow, "Camera follows",
             {{"nothing", "Nothing"}, {"body", "The chosen body"}, {"centre-of-mass", "Centre of mass"}})
           .group("Chosen body")
           .help("What the camera follows."),
       field("trails", &L::trails, "Trails",
             {{"none", "None"}, {"body", "Chosen body"}, {"all", "All bodies"}})
           .group("Chosen body")
           .help("Paths through the computed steps: of the chosen body, or of at most 2000 of all bodies."),
       field("trail-steps", &L::trail_steps, "Trail length")
           .unit("steps")
           .range(1, 500)
           .group("Chosen body")
           .help("Trail length, in steps.")
           .only_when("trails", {"body", "all"}),
       field("surface-density", &L::surface_density, "Surface density")
           .group("Picture")
           .help("Show the logarithm of the projected mass density instead of light; a higher exposure shows "
                 "fainter parts."),
       field("tree-levels", &L::tree_levels, "Octree levels")
           .range(0, 12)
           .special(0, "None")
           .group("Picture")
           .help("Show the cells of the octree down to this level."),
       field("probe", &L::probe, "Probe")
           .group("Probe")
           .help("Mark a point; the window's Body panel shows the acceleration and the potential there."),
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
           .help("Steps per second, energy error and force error in a corner of the view."),
       parameters::field("new-body-mass", &WindowLook::new_mass, "Mass of a new body")
           .range(1e-30, 1e30)
           .usual(1e-6, 1)
           .logarithmic()
           .group("Chosen body")
           .help("Mass of an added body, in the document's unit of mass, or with G = 1."),
       parameters::field("orbit-about", &WindowLook::orbit_about, "Orbit about",
                         {{"tightest", "Body that binds it most tightly"},
                          {"barycentre", "Barycentre of all other bodies"}})
           .group("Chosen body")
           .help("What the orbital elements in the Body panel refer to.")});
  return schema;
}

}  // namespace isolume::labs::nbody
