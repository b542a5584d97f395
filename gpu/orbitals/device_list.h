#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "core/dispatch/dispatch.h"

namespace isolume::gpu {

/// The devices of a pool that EngineOptions::devices names ("1,2"), each once; none for "all". Throws Error
/// that lists the devices there are for numbers that are none, and names the reason where one is set aside.
std::optional<std::vector<dispatch::Device*>> parse_devices(std::string_view text,
                                                            const dispatch::DevicePool& pool);

}  // namespace isolume::gpu
