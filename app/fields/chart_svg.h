#pragma once

#include <filesystem>

#include "app/fields/chart.h"

namespace isolume::fields {

/// The shown part of a chart's curves as a figure, 160 x 100 mm, dark on nothing; whole or not at all. Throws Error.
void write_svg(const Chart& chart, const std::filesystem::path& path);

}  // namespace isolume::fields
