#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/remarks.h"
#include "core/images/pixel_size.h"

namespace isolume::images {

/// What ImageJ or OME say of a TIFF's pages in its description.
struct TiffDescription {
  std::size_t images = 0;      ///< that there should be, where ImageJ says so
  Resolution resolution;       ///< of ImageJ, which gives the tags a unit of its own
  bool is_calibrated = false;  ///< whether `spacing_mm` is told
  Eigen::Vector3d spacing_mm = Eigen::Vector3d::Ones();
  std::vector<std::size_t> pages;  ///< those that are slices, from 0, where not all are
  Remarks remarks;
};

/// `text` is the image description, `tags` the resolution of the first of the `pages`; `samples` are those of
/// a pixel. Of several channels the first is chosen, of several points in time the first, or, without a third
/// dimension, all.
TiffDescription describe_tiff(std::string_view text, const Resolution& tags, std::size_t pages,
                              std::size_t samples);

}  // namespace isolume::images
