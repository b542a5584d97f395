#pragma once

#include <optional>
#include <string_view>

#include "core/images/document.h"

namespace isolume::images {

inline constexpr double inch_mm = 25.4;

/// What the resolution tags of a picture say.
struct Resolution {
  double x = 0, y = 0;  ///< pixels per unit; 0 where nothing is said
  double unit_mm = 0;   ///< 0 where they tell a pixel's shape alone
};

/// Sets the spacing within the plane from resolution tags, which are measures at times and at times what a
/// program writes into all of its files: says so in a remark, and leaves 1 mm where they tell nothing or are
/// a screen's (72 and 96 dpi).
void set_pixel_size(Document& document, const Resolution& resolution);

/// "um", "micron", "\u00b5m", "mm", "inch" and the like; nothing for what is no unit of length.
std::optional<double> mm_of_unit(std::string_view name);

}  // namespace isolume::images
