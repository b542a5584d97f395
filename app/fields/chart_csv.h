#pragma once

#include <filesystem>

#include "app/fields/chart.h"

namespace isolume::fields {

/// All numbers of a chart's curves as a table, comma-separated: x, and a column for each curve, empty where it has no
/// value. Throws Error.
void write_csv(const Chart& chart, const std::filesystem::path& path);

}  // namespace isolume::fields
