#pragma once

#include <string>

#include "core/anatomy/alignment.h"
#include "core/anatomy/term_parameters.h"
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

/// Which image is shown as a volume in space, and what is cut away at the crosshair.
enum class VolumeShown { none, fixed, moving, warped };
enum class VolumeCut { none, left, front, top, corner };
struct VolumeStyle {
  VolumeShown shown = VolumeShown::none;
  double opacity = 0.8;  ///< of a layer of a tenth of the box at the middle of the grey levels
  VolumeCut cut = VolumeCut::none;
  bool operator==(const VolumeStyle&) const = default;
};
const parameters::Schema<VolumeStyle>& volume_schema();

/// Which of the labels over the slices have surfaces in space.
enum class LabelsInSpace { none, all, at_crosshair };
struct LabelStyle {
  LabelsInSpace shown = LabelsInSpace::none;
  bool operator==(const LabelStyle&) const = default;
};
const parameters::Schema<LabelStyle>& label_schema();

/// How the window shows a registration while it runs, and where images are compared.
struct LiveStyle {
  bool continues = true;     ///< from what is shown, when something is changed
  double dimming = 0.5;      ///< of slices outside of masks
  bool uses_labels = false;  ///< surfaces of labels of both images are brought together
  bool operator==(const LiveStyle&) const = default;
};
const parameters::Schema<LiveStyle>& live_schema();

/// Classes and surfaces of the registration; what surfaces need is shown where labels are matched.
const parameters::Schema<isolume::anatomy::TermParameters>& matching_schema();

/// How both images are compared in the slices.
const parameters::Schema<isolume::anatomy::Comparison>& comparison_schema();

}  // namespace isolume::labs::anatomy
