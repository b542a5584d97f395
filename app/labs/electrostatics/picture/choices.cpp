#include "app/labs/electrostatics/picture/choices.h"

namespace isolume::labs::electrostatics {

const parameters::Schema<WavefunctionChoices>& wavefunction_schema() {
  using C = WavefunctionChoices;
  using parameters::field;
  static const parameters::Schema<C> schema({
      field("potential-of", &C::of, "Potential of",
            {{"wavefunction", "Wavefunction"},
             {"esp", "Fitted charges"},
             {"mulliken", "Mulliken charges"},
             {"loewdin", "Löwdin charges"}})
          .group("Wavefunction")
          .help("The exact potential of nuclei and electrons in vacuum, or that of point charges at the "
                "nuclei: fitted to it on shells around the molecule, Mulliken or Löwdin."),
      field("difference-to", &C::difference_to, "Compare with",
            {{"nothing", "Nothing"},
             {"wavefunction", "Wavefunction"},
             {"esp", "Fitted charges"},
             {"mulliken", "Mulliken charges"},
             {"loewdin", "Löwdin charges"},
             {"map", "Another program's map"}})
          .group("Wavefunction")
          .help("Show the difference to another of these potentials, or to a map file, instead of the "
                "potential."),
      field("set", &C::set, "Orbital set")
          .range(1, 1000)
          .group("Wavefunction")
          .help("Orbital set of the file, such as canonical or natural orbitals."),
  });
  return schema;
}

const parameters::Schema<FrameChoices>& frame_schema() {
  using F = FrameChoices;
  using parameters::field;
  static const parameters::Schema<F> schema({
      field("frame", &F::frame, "Frame")
          .range(1, 1e9)
          .group("Frames")
          .help("Model of the file, or frame of the trajectory, counted from 1."),
      field("average", &F::average, "Mean over all frames")
          .group("Frames")
          .help("Show the mean potential of all frames instead of one frame's, on the surface of the chosen "
                "frame."),
  });
  return schema;
}

const parameters::Schema<MapGrid>& map_grid_schema() {
  using L = MapGrid;
  using parameters::field;
  static const parameters::Schema<L> schema({
      field("spacing", &L::spacing_angstrom, "Spacing")
          .unit("angstrom")
          .range(0.1, 5)
          .usual(0.2, 2)
          .logarithmic()
          .group("Grid")
          .help("Distance between neighbouring grid points."),
      field("margin", &L::margin_angstrom, "Margin")
          .unit("angstrom")
          .range(2, 100)
          .usual(2, 40)
          .group("Grid")
          .help("Distance from the outermost atoms to the edge of the grid."),
      field("compare", &L::compare, "Compare with",
            {{"nothing", "Nothing"},
             {"half-spacing", "Half the spacing"},
             {"direct", "Direct sum"},
             {"debye-hueckel", "Debye-Hückel sum"},
             {"pb-linear", "Linear Poisson-Boltzmann"},
             {"pb-nonlinear", "Non-linear Poisson-Boltzmann"},
             {"map", "Another program's map"}})
          .group("Grid")
          .help("Show the difference to another potential instead of the potential: at half the spacing (an "
                "error estimate), by another method, or from a map file."),
  });
  return schema;
}

const parameters::Schema<PickChoices>& pick_schema() {
  static const parameters::Schema<PickChoices> schema({
      parameters::field("pick", &PickChoices::what, "A click selects",
                        {{"residue", "The residue"}, {"atom", "The atom"}, {"measured", "Atoms to measure"}})
          .group("Selection")
          .help("What a click selects. Shift+click or Ctrl+click adds or removes; click the background to "
                "clear. Atoms to measure give distances, angles and dihedral angles."),
  });
  return schema;
}

const parameters::Schema<OtherMapChoices>& other_map_schema() {
  using C = OtherMapChoices;
  using parameters::field;
  static const parameters::Schema<C> schema({
      field("map-shown", &C::shown, "Map shown as",
            {{"difference", "Difference to the map"}, {"itself", "Map alone"}})
          .only_when("compare", {"map"})
          .group("Grid")
          .help("Show the difference between the potential and the map, or the map itself in the same "
                "colours."),
      field("map-unit", &C::unit, "Unit of the map",
            {{"stated", "As stated in the file"},
             {"kT/e", "kT/e"},
             {"mV", "mV"},
             {"kcal/mol/e", "kcal/mol/e"},
             {"Eh/e", "Eh/e"}})
          .only_when("compare", {"map"})
          .group("Grid")
          .help("Unit of the map's values. Where the file names none: kT/e, or Eh/e for a cube file."),
  });
  return schema;
}

}  // namespace isolume::labs::electrostatics
