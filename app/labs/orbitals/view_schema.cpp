#include "app/labs/orbitals/orbital_scene.h"

namespace isolume::labs::orbitals {

const parameters::Schema<ViewParameters>& view_schema() {
  using P = ViewParameters;
  using parameters::field;
  static const parameters::Schema<P> schema([] {
    std::vector<parameters::Field<P>> all;
    for (const auto& each : scene::field_view_schema().fields()) {
      if (each.description.key == "slice") {
        all.push_back(field("atoms", &P::atoms, "Atoms and bonds")
                          .group("Molecule")
                          .help("Show the molecule as balls and sticks."));
        all.push_back(field("atom-scale", &P::atom_scale, "Atom size")
                          .group("Molecule")
                          .only_when("atoms", {"true"})
                          .range(0.05, 1)
                          .help("Radius of the balls as a fraction of the van der Waals radius."));
        all.push_back(field("labels", &P::labels, "Labels")
                          .group("Molecule")
                          .help("Write element and number at each atom."));
      }
      auto& added = all.emplace_back(parameters::Field<P>{each.description, each.get, each.set}).description;
      if (added.key == "isovalue") added.unit = "bohr^-3/2 or e/bohr^3";
      if (added.key == "slice-axis") {
        added.choices.back().label = "Molecule's plane";
        added.help =
            "The direction across the plane; the molecule's plane is the one its atoms lie closest to.";
      }
    }
    return all;
  }());
  return schema;
}

}  // namespace isolume::labs::orbitals
