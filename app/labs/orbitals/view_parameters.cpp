#include "app/labs/orbitals/view_parameters.h"

namespace isolume::labs::orbitals {

const parameters::Schema<ViewParameters>& view_schema() {
  using P = ViewParameters;
  using parameters::field;
  static const parameters::Schema<P> schema([] {
    std::vector<parameters::Field<P>> all;
    const auto add_colours = [&all] {
      all.push_back(
          field("colour-by", &P::colour_by, "Colour by",
                {{"sign", "Sign of the field"},
                 {"orbital", "Orbital"},
                 {"density", "Electron density"},
                 {"spin-density", "Spin density"},
                 {"potential", "Electrostatic potential"}})
              .group("Surface")
              .only_when("surface", {"true"})
              .help("Quantity that colours the surface: the sign of its own field, the values of another "
                    "field, or the electrostatic potential of nuclei and electrons in vacuum."));
      const auto chosen_by = all.back().description;
      all.push_back(field("colour-orbital", &P::colour_orbital, "Colouring orbital")
                        .group("Surface")
                        .only_when("colour-by", {"orbital"})
                        .help("Orbital of the chosen spin that colours the surface: homo, lumo, homo-1, "
                              "lumo+2, or a number from 1."));
      all.push_back(
          field("potential-unit", &P::potential_unit, "Unit of potential",
                {{"kT/e", "kT/e"}, {"mV", "mV"}, {"kcal/mol/e", "kcal/mol/e"}, {"Eh/e", "Eh/e"}})
              .group("Surface")
              .only_when("colour-by", {"potential"})
              .help("Unit of the electrostatic potential that colours the surface; kT is that of 298.15 K."));
      for (const auto& each : scene::surface_colour_fields(chosen_by))
        all.push_back({each.description, each.get, each.set});
    };
    for (const auto& each : scene::field_view_schema().fields()) {
      if (each.description.key == "volume") add_colours();
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
                          .help("Write the element and number of each atom."));
      }
      auto& added = all.emplace_back(parameters::Field<P>{each.description, each.get, each.set}).description;
      if (added.key == "isovalue") added.unit = "bohr^-3/2 or e/bohr^3";
      if (added.key == "slice-axis") scene::name_plane_of_molecule(added);
    }
    return all;
  }());
  return schema;
}

}  // namespace isolume::labs::orbitals
