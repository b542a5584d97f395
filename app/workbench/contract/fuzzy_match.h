#pragma once

#include <optional>
#include <string_view>

namespace isolume::workbench {

/// How well `pattern` matches `text` if its letters appear there in order, case-insensitive; empty if they do
/// not. Higher is better: consecutive letters and letters at the start of words count more, and short texts
/// rank above long ones.
std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

}  // namespace isolume::workbench
