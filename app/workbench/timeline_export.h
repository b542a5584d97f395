#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace isolume::workbench {

/// Writes a job's timeline, one entry a tile; `names` are those of the report's shares. By the suffix: .csv
/// (a table, times in ms from the start of the job) or .json (the trace event format that chrome://tracing
/// and Perfetto read: a process a device, a thread a worker). Throws Error for any other.
void write_timeline(const dispatch::Report& report, const std::vector<std::string>& names,
                    const std::filesystem::path& path);

}  // namespace isolume::workbench
