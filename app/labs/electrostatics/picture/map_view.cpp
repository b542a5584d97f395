#include "app/labs/electrostatics/picture/map_view.h"

#include <utility>
#include <variant>

#include <fmt/format.h>

#include "app/labs/electrostatics/picture/first_choices.h"
#include "core/base/text.h"
#include "core/structures/selection.h"

namespace isolume::labs::electrostatics {

namespace {

/// Of wavefunctions there is one more.
std::vector<parameters::Choice> map_forms() {
  auto forms = surface_forms();
  forms.push_back({"density", "Electron density"});
  return forms;
}

std::vector<parameters::Field<MapView>> ion_fields() {
  using V = MapView;
  using parameters::field;
  std::vector<parameters::Field<V>> all;
  all.push_back(
      field("ions", &V::ions, "Ions",
            {{"none", "None"},
             {"counter-ions", "Counter-ions"},
             {"counter-ions-and-salt", "Counter-ions and salt"},
             {"salt", "Salt"},
             {"count", "A number of ions"}})
          .group("Ions")
          .help("Place ions one after the other where the potential of the molecule and the ions before is "
                "most favourable, at least 5 Å from all atoms and ions. The map does not include them."));
  all.push_back(field("ion", &V::ion, "Kind",
                      {{"usual", "Na⁺ or Cl⁻, by the molecule's charge"},
                       {"na", "Na⁺"},
                       {"k", "K⁺"},
                       {"mg", "Mg²⁺"},
                       {"ca", "Ca²⁺"},
                       {"zn", "Zn²⁺"},
                       {"cl", "Cl⁻"}})
                    .group("Ions")
                    .only_when("ions", {"counter-ions", "counter-ions-and-salt", "count"})
                    .help("Element of the counter-ions, which neutralise the molecule, or of the counted "
                          "ions. Each ion has its common charge."));
  all.push_back(field("ion-count", &V::ion_count, "Number of ions")
                    .group("Ions")
                    .only_when("ions", {"count"})
                    .range(1, 100000)
                    .usual(1, 100)
                    .help("Number of ions to place."));
  all.push_back(field("ion-molar", &V::ion_molar, "Concentration")
                    .unit("mol/l")
                    .group("Ions")
                    .only_when("ions", {"counter-ions-and-salt", "salt"})
                    .range(0, 10)
                    .usual(0, 1)
                    .help("Adds salt ions after the counter-ions: concentration × box volume (molecule "
                          "included). Independent of the continuum salt in the solver."));
  all.push_back(
      field("salt-cation", &V::cation, "Cation", {{"na", "Na⁺"}, {"k", "K⁺"}, {"mg", "Mg²⁺"}, {"ca", "Ca²⁺"}})
          .group("Ions")
          .only_when("ions", {"counter-ions-and-salt", "salt"})
          .help("Cation of the placed salt. A divalent cation comes with two anions."));
  all.push_back(
      field("salt-anion", &V::anion, "Anion", {{"cl", "Cl⁻"}, {"br", "Br⁻"}, {"f", "F⁻"}, {"i", "I⁻"}})
          .group("Ions")
          .only_when("ions", {"counter-ions-and-salt", "salt"})
          .help("Anion of the placed salt."));
  return all;
}

}  // namespace

isolume::electrostatics::MolecularSurface molecular_surface_of(MapForm form) {
  return form == MapForm::density ? isolume::electrostatics::MolecularSurface::ses
                                  : static_cast<isolume::electrostatics::MolecularSurface>(form);
}

isolume::electrostatics::SampledSurface sampled_surface_of(const MapView& view) {
  return {molecular_surface_of(view.form), view.sample_height};
}

const parameters::Schema<MapView>& map_view_schema() {
  using V = MapView;
  using parameters::field;
  static const parameters::Schema<V> schema([] {
    std::vector<parameters::Field<V>> all;
    auto& shown = all.emplace_back(
        field("shown", &V::shown, "Show",
              {{"surface", "Molecular surface, coloured"},
               {"potential", "Isosurfaces of the potential"},
               {"nothing", "No surface"}})
            .group("Surface")
            .help("The molecular surface coloured by the potential on it, or isosurfaces of the potential."));
    shown.set = [set = shown.set](V& view, const parameters::Value& value) {
      set(view, value);
      view.surface = view.shown != Shown::nothing;
    };
    all.push_back(field("form", &V::form, "Molecular surface", map_forms())
                      .group("Surface")
                      .only_when("shown", {"surface"})
                      .help("Which molecular surface: Gaussian, solvent-excluded (SES), solvent-accessible "
                            "(SAS), van der Waals, or, for wavefunctions, an electron-density isosurface."));
    all.push_back(field("density-isovalue", &V::density_isovalue, "Density isovalue")
                      .unit("e/bohr^3")
                      .range(1e-6, 1)
                      .usual(1e-4, 0.05)
                      .logarithmic()
                      .group("Surface")
                      .only_when("form", {"density"})
                      .help("Electron density on the surface: 0.001 e/bohr³ is common; 0.002 lies close to "
                            "the van der Waals spheres."));
    all.push_back(field("sample-height", static_cast<double V::*>(&V::sample_height), "Sampling height")
                      .unit("angstrom")
                      .range(0, 20)
                      .usual(0, 5)
                      .special(0, "On the surface")
                      .group("Surface")
                      .only_when("shown", {"surface"})
                      .help("Distance above the surface at which the colouring potential is sampled."));
    // What colours the surface is the potential, always.
    parameters::Description chosen_by = all.front().description;
    chosen_by.choices = {{"nothing", ""}, {"surface", ""}};
    for (const auto& each : scene::field_view_schema().fields()) {
      const auto& key = each.description.key;
      if (key == "surface" || key == "enclosed" || key == "isovalue-mode") continue;
      if (key == "volume") {
        for (const auto& colour : scene::surface_colour_fields(chosen_by)) {
          auto& described =
              all.emplace_back(parameters::Field<V>{colour.description, colour.get, colour.set}).description;
          if (described.key == "colour-limit") {
            described.relevant_when = {"colour-range", {"usual", "locked"}};
            described.usual = parameters::Range{0.1, 100};  // kT/e or mV, as proteins have
          } else if (described.relevant_when.key == chosen_by.key) {
            described.relevant_when = {};
          }
        }
      }
      if (key == "slice") {
        all.push_back(field("atoms", &V::atoms, "Atoms and bonds")
                          .group("Molecule")
                          .help("Show the molecule as balls and sticks."));
        all.push_back(field("atom-scale", &V::atom_scale, "Atom size")
                          .group("Molecule")
                          .only_when("atoms", {"true"})
                          .range(0.05, 1)
                          .help("Radius of the balls as a fraction of the van der Waals radius."));
        all.push_back(field("labels", &V::labels, "Labels",
                            {{"none", "None"},
                             {"element", "Element and number"},
                             {"name", "Name of atom"},
                             {"residue", "Residue"},
                             {"charge", "Charge"},
                             {"radius", "Radius"}})
                          .group("Molecule")
                          .help(fmt::format("Write this at each selected atom or residue, or at all if "
                                            "nothing is selected. At most {} labels are written.",
                                            most_labels)));
        all.push_back(field("ribbon", &V::ribbon, "Ribbon",
                            {{"none", "None"},
                             {"chains", "Instead of the chains' atoms"},
                             {"with-atoms", "With all atoms"}})
                          .group("Molecule")
                          .help("Show the chains as ribbons: helices as bands, strands as arrows, loops and "
                                "nucleic acids as tubes."));
        all.push_back(
            field("ribbon-colour", &V::ribbon_colour, "Colour of ribbon",
                  {{"structure", "Secondary structure"},
                   {"chain", "Chain"},
                   {"potential", "Potential on the residue's surface"}})
                .group("Molecule")
                .only_when("ribbon", {"chains", "with-atoms"})
                .help("Colour by secondary structure (helices purple, strands yellow, nucleic acids green), "
                      "by chain, or by the mean potential on each residue's surface."));
        auto& selection = all.emplace_back(
            field("selection", &V::selection, "Selection")
                .group("Selection")
                .help(fmt::format("Atoms whose part of the molecular surface is outlined and whose charge is "
                                  "reported: {}. Distances are in ångström.",
                                  isolume::structures::selection_words)));
        selection.set = [set = selection.set](V& view, const parameters::Value& value) {
          const auto& expression = std::get<std::string>(value);
          if (!trimmed(expression).empty()) isolume::structures::check_selection(expression);
          set(view, value);
        };
        all.push_back(
            field("isolate", &V::isolate, "Isolate selection")
                .group("Selection")
                .help("Hide all other atoms and all other parts of the ribbon and the molecular surface."));
        for (auto& of_ions : ion_fields()) all.push_back(std::move(of_ions));
        all.push_back(field("field-lines", &V::field_lines, "Field lines")
                          .group("Field lines")
                          .help("Show lines of the electric field, from high to low potential, through "
                                "points spread over the molecular surface."));
        all.push_back(field("field-line-count", &V::field_line_count, "Number of lines")
                          .group("Field lines")
                          .only_when("field-lines", {"true"})
                          .range(1, 5000)
                          .usual(10, 1000)
                          .logarithmic()
                          .help("Number of surface points through which field lines are drawn."));
      }
      auto& added = all.emplace_back(parameters::Field<V>{each.description, each.get, each.set}).description;
      // Lobes are of orbitals.
      if (key == "positive-colour" || key == "negative-colour") {
        const bool positive = key == "positive-colour";
        added.label = positive ? "Positive surface" : "Negative surface";
        added.help = fmt::format("Colour where the potential is {}, as #rrggbb or a CSS colour name.",
                                 positive ? "positive" : "negative");
      }
      if (added.relevant_when.key == "surface") added.relevant_when = {"shown", {"surface", "potential"}};
      if (key == "isovalue") {
        added.high = 1e6;
        added.help =
            "Where isosurfaces of the potential lie: at +isovalue and -isovalue. The opacity of the volume "
            "follows it.";
      }
      if (key == "slice-axis") scene::name_plane_of_molecule(added);
    }
    return all;
  }());
  return schema;
}

}  // namespace isolume::labs::electrostatics
