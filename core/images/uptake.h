#pragma once

#include <string>

namespace isolume::images {

/// Uptake values by another measure of the body than its weight.
struct RelativeUptake {
  double factor = 0;    ///< relative to SUVbw; 0 if the file lacks required data
  std::string missing;  ///< the reason as a sentence; empty if the factor is known
};

/// Conversion of the values of a PET image to standardised uptake values by body weight (SUVbw, in g/ml), by lean body
/// mass (SUVlbm, in g/ml) and by body surface area (SUVbsa, in cm²/ml).
struct UptakeScale {
  double per_value = 0;  ///< SUVbw = per_value × value; 0 if the file lacks required data
  std::string missing;   ///< the reason as a sentence; empty if per_value is known
  RelativeUptake lean = {}, surface = {};
};

}  // namespace isolume::images
