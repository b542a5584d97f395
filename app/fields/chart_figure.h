#pragma once

#include <filesystem>

#include "app/fields/chart.h"

namespace isolume::fields {

/// Writes the shown part of a chart as a figure of 160 x 100 mm without background, as SVG or PDF by the file's suffix;
/// its texts remain texts. On failure no file appears; throws Error.
void write_figure(const Chart& chart, const std::filesystem::path& path);

}  // namespace isolume::fields
