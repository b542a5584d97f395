#pragma once

#include <string_view>

namespace isolume::dispatch {

/// As require_memory of dispatch.h, for sizes that may be beyond all integers: people's numbers are multiplied before
/// anybody knows whether the product fits, and the message says how much it would be.
void require_memory(std::string_view what_for, double wanted_bytes, std::string_view remedy);

}  // namespace isolume::dispatch
