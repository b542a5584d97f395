#pragma once

#include <optional>
#include <string_view>

#include "core/images/document.h"

namespace isolume::images {

inline constexpr double inch_mm = 25.4;

/// Content of the resolution tags of a picture.
struct Resolution {
  double x = 0, y = 0;  ///< pixels per unit; 0 if not stated
  double unit_mm = 0;   ///< 0 if they only give a pixel's aspect ratio
};

/// Sets the in-plane spacing from resolution tags, which may be measurements or a program's default: reports this in
/// a remark, and keeps 1 mm if they are missing or a screen's (72 and 96 dpi).
void set_pixel_size(Document& document, const Resolution& resolution);

/// "um", "micron", "\u00b5m", "mm", "inch" and the like; nothing for anything but a unit of length.
std::optional<double> mm_of_unit(std::string_view name);

}  // namespace isolume::images
