#pragma once

#include <string>

#include "core/anatomy/alignment.h"
#include "core/parameters/schema.h"

namespace isolume::labs::anatomy {

/// The filters of both images, as filters::parse_chain reads them; empty: none.
struct FilterTexts {
  std::string moving, fixed;
  bool operator==(const FilterTexts&) const = default;
};
const parameters::Schema<FilterTexts>& filter_schema();

/// Which surfaces are shown in space.
enum class SurfacesShown { both, fixed, warped, none };
struct SurfaceStyle {
  SurfacesShown shown = SurfacesShown::both;
  double level = 0.3;  ///< of the range of an image's values
  double opacity = 0.6;
  bool operator==(const SurfaceStyle&) const = default;
};
const parameters::Schema<SurfaceStyle>& surface_schema();

/// How both images are compared in the slices.
const parameters::Schema<isolume::anatomy::Comparison>& comparison_schema();

}  // namespace isolume::labs::anatomy
