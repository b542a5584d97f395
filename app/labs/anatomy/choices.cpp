#include "app/labs/anatomy/choices.h"

namespace isolume::labs::anatomy {

const parameters::Schema<FilterTexts>& filter_schema() {
  using parameters::field;
  using F = FilterTexts;
  static const parameters::Schema<F> schema({
      field("moving-filters", &F::moving, "Moving image")
          .group("Filters")
          .help(
              "Filters of the moving image, as in \"bias; gaussian sigma=1.5\". It is shown, registered and "
              "exported with them."),
      field("fixed-filters", &F::fixed, "Fixed image")
          .group("Filters")
          .help(
              "Filters of the fixed image, as in \"median radius=2\". It is shown and registered with them."),
  });
  return schema;
}

const parameters::Schema<SurfaceStyle>& surface_schema() {
  using parameters::field;
  using S = SurfaceStyle;
  static const parameters::Schema<S> schema({
      field("surfaces", &S::shown, "Surfaces",
            {{"both", "Both images"}, {"fixed", "Fixed image"}, {"warped", "Warped image"}, {"none", "None"}})
          .group("Surfaces")
          .only_when("volume", {"none"})
          .help("Isosurfaces in the 3D view: the fixed image's in green, the warped one's in magenta."),
      field("surface-level", &S::level, "Level")
          .group("Surfaces")
          .range(0.01, 0.99)
          .only_when("surfaces", {"both", "fixed", "warped"})
          .help("Value of the surfaces, between an image's least value (0) and its greatest (1)."),
      field("surface-opacity", &S::opacity, "Opacity")
          .group("Surfaces")
          .range(0, 1)
          .only_when("surfaces", {"both", "fixed", "warped"})
          .help("Opacity of the surfaces."),
  });
  return schema;
}

const parameters::Schema<VolumeStyle>& volume_schema() {
  using parameters::field;
  using S = VolumeStyle;
  static const parameters::Schema<S> schema({
      field("volume", &S::shown, "Volume",
            {{"none", "None"},
             {"fixed", "Fixed image"},
             {"moving", "Moving image"},
             {"warped", "Warped image"}})
          .group("Volume")
          .help(
              "An image as a volume in the 3D view, in place of surfaces. It has the grey levels of the slices: "
              "black is transparent."),
      field("volume-opacity", &S::opacity, "Opacity")
          .group("Volume")
          .range(0.01, 0.99)
          .only_when("volume", {"fixed", "moving", "warped"})
          .help("Opacity of grey tissue as thick as a tenth of the image's diagonal. White tissue is more "
                "opaque."),
      field("volume-cut", &S::cut, "Cut at the crosshair",
            {{"none", "Nothing"},
             {"left", "Patient's left"},
             {"front", "Front"},
             {"top", "Top"},
             {"corner", "Corner of all three"}})
          .group("Volume")
          .only_when("volume", {"fixed", "moving", "warped"})
          .help("The part of the volume that is cut away at the planes of the crosshair."),
  });
  return schema;
}

const parameters::Schema<LabelStyle>& label_schema() {
  using parameters::field;
  using S = LabelStyle;
  static const parameters::Schema<S> schema({
      field("label-surfaces", &S::shown, "Surfaces of labels",
            {{"none", "None"}, {"all", "All labels"}, {"crosshair", "Label at the crosshair"}})
          .group("Surfaces")
          .help("Surfaces in the 3D view of the labels and regions that are drawn over the slices, in their "
                "colours. They are smooth, and each has the volume of its voxels."),
  });
  return schema;
}

const parameters::Schema<LiveStyle>& live_schema() {
  using parameters::field;
  using S = LiveStyle;
  static const parameters::Schema<S> schema({
      field("continue", &S::continues, "Continue from what is shown")
          .group("Registration")
          .help("A change shows the present deformation, and moves it on, until the new one is found. Off: "
                "the new one is shown from its beginning. The result is the same: it is found from nothing."),
      field("mask-dimming", &S::dimming, "Dimming outside masks")
          .group("View")
          .range(0, 1)
          .help("How dark slices are where the masks leave the images out."),
      field("match-labels", &S::uses_labels, "Match surfaces of labels")
          .only_when("model", {"fluid", "lddmm"})
          .group("Registration")
          .help(
              "The surfaces of labels that both images have are brought together, where the values alone do "
              "not show the way. Needs labels of both images."),
  });
  return schema;
}

const parameters::Schema<isolume::anatomy::TermParameters>& matching_schema() {
  using T = isolume::anatomy::TermParameters;
  static const parameters::Schema<T> schema = [] {
    std::vector<parameters::Field<T>> fields;
    for (const auto& each : isolume::anatomy::term_schema().fields()) {
      fields.push_back({each.description, each.get, each.set});
      if (each.description.key != "classes")
        fields.back().description.relevant_when = {"match-labels", {"true"}};
    }
    return parameters::Schema<T>(std::move(fields));
  }();
  return schema;
}

const parameters::Schema<isolume::anatomy::Comparison>& comparison_schema() {
  using C = isolume::anatomy::Comparison;
  using parameters::field;
  static const parameters::Schema<C> schema({
      field("show", &C::shown, "Show",
            {{"overlay", "Overlay"},
             {"warped", "Warped image"},
             {"fixed", "Fixed image"},
             {"moving", "Moving image"},
             {"checkerboard", "Checkerboard"},
             {"wipe", "Wipe"},
             {"flicker", "Flicker"},
             {"difference", "Difference"},
             {"jacobian", "Jacobian determinant"}})
          .group("View")
          .help("Overlay: the fixed image in green, the warped one in magenta. Wipe: fixed to the left of a "
                "line, warped to its right; drag it in the large view. Flicker: both in turns. Difference: "
                "fixed minus warped, grey where they agree. Jacobian determinant: grey is 1, darker where "
                "the map contracts, black where it folds."),
      field("squares", &C::squares, "Squares")
          .group("View")
          .range(2, 64)
          .only_when("show", {"checkerboard"})
          .help("Squares of the checkerboard along the longest axis."),
      field("wipe", &C::wipe, "Wipe position")
          .group("View")
          .range(0, 1)
          .only_when("show", {"wipe"})
          .help("Where the warped image begins, in widths of the view."),
      field("morph", &C::morph, "Morph")
          .group("View")
          .range(0, 1)
          .help("How much of the map is applied: 0 shows the moving image as its header places it, 1 as the "
                "map places it. A geodesic flow (LDDMM) is shown at this time of its way."),
      field("grid", &C::grid, "Deformed grid")
          .group("View")
          .help("Lines of a grid on the fixed image, each point where the deformation takes it."),
      field("grid-spacing", &C::grid_mm, "Grid spacing")
          .unit("mm")
          .group("View")
          .range(1, 100)
          .usual(2, 30)
          .only_when("grid", {"true"})
          .help("Distance of the grid's lines."),
      field("labels", &C::labels, "Labels",
            {{"none", "None"}, {"moving", "Moving image, carried"}, {"fixed", "Fixed image"}})
          .group("View")
          .help("Labels that are drawn over the picture. Those of the moving image follow the registration."),
      field("label-opacity", &C::label_opacity, "Label opacity")
          .group("View")
          .range(0, 1)
          .only_when("labels", {"moving", "fixed"})
          .help("Opacity of the labels over the picture."),
  });
  return schema;
}

}  // namespace isolume::labs::anatomy
