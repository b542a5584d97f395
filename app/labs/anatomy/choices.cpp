#include "app/labs/anatomy/choices.h"

namespace isolume::labs::anatomy {

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
             {"difference", "Difference"},
             {"jacobian", "Jacobian determinant"}})
          .group("View")
          .help("Overlay: the fixed image in green, the warped one in magenta. Difference: fixed minus "
                "warped, grey "
                "where they agree. Jacobian determinant: grey is 1, darker where the map contracts, black "
                "where it "
                "folds."),
      field("squares", &C::squares, "Squares")
          .group("View")
          .range(2, 64)
          .only_when("show", {"checkerboard"})
          .help("Squares of the checkerboard along the longest axis."),
      field("labels", &C::labels, "Labels",
            {{"none", "None"}, {"moving", "Of the moving image, carried"}, {"fixed", "Of the fixed image"}})
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
