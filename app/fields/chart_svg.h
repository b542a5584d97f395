#pragma once

#include <filesystem>

#include "app/fields/chart.h"

namespace isolume::fields {

/// Writes the shown part of a chart as a figure of 160 x 100 mm with transparent background. On failure no
/// file appears; throws Error.
void write_svg(const Chart& chart, const std::filesystem::path& path);

}  // namespace isolume::fields
