#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace isolume {

/// Parses "1.5GiB", "500 MiB", "64KiB", "1048576"; empty for any other text.
std::optional<std::size_t> parse_bytes(std::string_view text);

}  // namespace isolume
