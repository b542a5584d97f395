#include "core/anatomy/term_parameters.h"

#include <vector>

namespace isolume::anatomy {

const parameters::Schema<TermParameters>& term_schema() {
  using parameters::field;
  using P = TermParameters;
  static const parameters::Schema<P> schema{std::vector<parameters::Field<P>>{
      field("classes", &P::classes, "Tissue classes")
          .range(0, 6)
          .special(0, "Off")
          .only_when("model", {"fluid"})
          .group("Registration")
          .help(
              "Number of classes that the values of each image are divided into. The probabilities of the "
              "classes are compared in place of the values, so that the contrast does not matter. Choose as many "
              "as there are tissues, with the background."),
      field("surface-weight", &P::surface_weight, "Surface weight")
          .range(0, 1000)
          .usual(0, 10)
          .only_when("model", {"fluid", "lddmm"})
          .group("Registration")
          .help("Weight of the surfaces' distances in the deformation. At 1, surfaces a kernel width apart "
                "count as much as a difference of 0.6 of the range of values."),
      field("kernel-width", &P::kernel_width_mm, "Kernel width")
          .unit("mm")
          .range(0.1, 100)
          .usual(1, 20)
          .logarithmic()
          .only_when("model", {"fluid", "lddmm"})
          .group("Registration")
          .help("Standard deviation of the Gaussian that compares surfaces at the finest level. Coarser "
                "levels have wider ones. Finer details of surfaces do not matter.")}};
  return schema;
}

}  // namespace isolume::anatomy
