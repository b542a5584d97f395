#pragma once

#include <string_view>

namespace isolume::dispatch {

/// Like require_memory of dispatch.h, for sizes that may exceed all integers: sizes that users enter are
/// multiplied before it is known whether the product fits, and the message gives the product.
void require_memory(std::string_view what_for, double wanted_bytes, std::string_view remedy);

}  // namespace isolume::dispatch
