#pragma once

#include <string>
#include <vector>

#include "core/commands/declaration.h"
#include "core/dispatch/dispatch.h"

namespace isolume::batch {

/// Positions in the pool of the GPUs in use that `devices` names: "all" or positions, "1,2". Throws Error for
/// invalid positions, and if no GPU is in use.
std::vector<int> gpu_positions(const dispatch::DevicePool& pool, const std::string& devices);
/// The option --devices with such a value.
commands::Argument devices_argument();
/// Whether one of them is emulated. Benchmarks give emulated GPUs less work, since their times are
/// meaningless.
bool any_emulated(const dispatch::DevicePool& pool, const std::vector<int>& positions);

}  // namespace isolume::batch
