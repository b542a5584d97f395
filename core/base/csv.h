#pragma once

#include <string>
#include <string_view>

namespace isolume {

/// A cell of a table by RFC 4180, in quotes; those within it are doubled.
std::string quoted_csv_cell(std::string_view text);
/// The same, with quotes only where the text has a comma, a quote or a line's end.
std::string csv_cell(std::string_view text);

}  // namespace isolume
