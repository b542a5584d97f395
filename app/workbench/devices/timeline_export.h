#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace isolume::workbench {

/// Writes a job's timeline, one entry per tile; `names` are those of the report's shares. Formats by suffix:
/// .csv (a table, times in ms from the start of the job) or .json (the trace event format of chrome://tracing
/// and Perfetto: a process per device, a thread per worker). Throws Error for any other suffix.
void write_timeline(const dispatch::Report& report, const std::vector<std::string>& names,
                    const std::filesystem::path& path);

}  // namespace isolume::workbench
