#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "core/flames/flame.h"

namespace isolume::flames {

/// A parameter of a variation; its attribute in `.flame` files is VARIATION_NAME: "julian_power".
struct VariationParameter {
  std::string_view name;   ///< "power"
  std::string_view label;  ///< "Power"
  double standard;         ///< where a file does not give it
  double low, high;        ///< for sliders and random flames
};

/// Name and parameters of a variation. Its formula is in variation_formulas-inl.h, under the number of its source.
struct VariationInfo {
  Variation variation;
  std::string_view name;  ///< "julian"
  std::span<const VariationParameter> parameters;
  /// V33 of the appendix of Draves and Reckase; the number is that of the enumeration.
  int number() const { return static_cast<int>(variation); }
};

/// All of them, in their order.
std::span<const VariationInfo> variations();
inline const VariationInfo& info(Variation variation) {
  return variations()[static_cast<std::size_t>(variation)];
}
/// Nothing if there is no variation of that name. Older names are known: "gaussian", "secant".
std::optional<Variation> find_variation(std::string_view name);
/// With the standard parameters.
Term term_of(Variation variation, double amount);

}  // namespace isolume::flames
