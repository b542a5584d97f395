#pragma once

#include <nlohmann/json.hpp>

#include "core/dispatch/dispatch.h"

namespace isolume::batch {

/// Shares of the devices in a job, and devices that were disabled.
nlohmann::ordered_json describe_shares(const dispatch::Report& report);

}  // namespace isolume::batch
