#pragma once

#include <string>
#include <string_view>

namespace isolume {

/// A quoted cell of a table by RFC 4180; quotes in the text are doubled.
std::string quoted_csv_cell(std::string_view text);
/// The same, quoted only if the text has a comma, a quote or a line end.
std::string csv_cell(std::string_view text);

}  // namespace isolume
