#pragma once

#include <filesystem>

#include "app/fields/chart.h"

namespace isolume::fields {

/// Writes a chart's curves as a comma-separated table: x and a column for each curve, with empty cells for
/// missing values. Throws Error.
void write_csv(const Chart& chart, const std::filesystem::path& path);

}  // namespace isolume::fields
