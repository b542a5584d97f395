#pragma once

#include <nlohmann/json.hpp>

#include "core/dispatch/dispatch.h"

namespace isolume::batch {

/// Who did how much of a job, and who was set aside.
nlohmann::ordered_json describe_shares(const dispatch::Report& report);

}  // namespace isolume::batch
