#pragma once

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "core/parameters/schema.h"

namespace isolume::anatomy {

/// The parameters of geodesic flows, which registrations and atlases share. `difference`: what the mismatch is that of, as in "the
/// images".
template <class P>
std::vector<parameters::Field<P>> flow_fields(std::string_view difference) {
  using parameters::field;
  return {
      field("time-steps", &P::time_steps, "Time steps")
          .range(1, 50)
          .usual(3, 20)
          .only_when("model", {"lddmm"})
          .group("Registration")
          .help("Steps of the flow, each with a velocity of its own."),
      field("regularity", &P::regularity, "Regularity")
          .unit("mm^-2")
          .range(1e-9, 1000)
          .usual(1e-5, 0.1)
          .logarithmic()
          .only_when("model", {"lddmm"})
          .group("Registration")
          .help(fmt::format("Weight of the kinetic energy relative to the squared difference of {}. Large "
                            "values make short flows, small ones match more closely.",
                            difference))};
}

}  // namespace isolume::anatomy
