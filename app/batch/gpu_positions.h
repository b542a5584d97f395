#pragma once

#include <string>
#include <vector>

#include "core/commands/declaration.h"
#include "core/dispatch/dispatch.h"

namespace isolume::batch {

/// Positions in the pool of the GPUs in use that `devices` names: "all" or positions, "1,2". Throws Error for
/// numbers that are none, and where there is no GPU in use.
std::vector<int> gpu_positions(const dispatch::DevicePool& pool, const std::string& devices);
/// --devices, which takes that.
commands::Argument devices_argument();
/// Emulated GPUs are given less to do: their times say nothing in any case.
bool any_emulated(const dispatch::DevicePool& pool, const std::vector<int>& positions);

}  // namespace isolume::batch
