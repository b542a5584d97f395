#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/images/pixel_size.h"

namespace isolume::images {

/// Description of a TIFF's pages by ImageJ or OME.
struct TiffDescription {
  std::size_t images = 0;      ///< expected number, if ImageJ states it
  Resolution resolution;       ///< from ImageJ, which defines its own unit for the tags
  bool is_calibrated = false;  ///< whether `spacing_mm` is stated
  Eigen::Vector3d spacing_mm = Eigen::Vector3d::Ones();
  double slope = 1, intercept = 0;  ///< of grey values, by ImageJ
  std::string unit;                 ///< of grey values; may be empty
  std::vector<std::size_t> pages;   ///< those that are slices, from 0, if not all are
  Remarks remarks;
};

/// `text` is the image description, `tags` the resolution of the first of the `pages`; `samples` is the number per
/// pixel. Of several channels the first is chosen, of several time points the first, or, without a third dimension,
/// all.
TiffDescription describe_tiff(std::string_view text, const Resolution& tags, std::size_t pages,
                              std::size_t samples);

}  // namespace isolume::images
