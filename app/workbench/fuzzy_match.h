#pragma once

#include <optional>
#include <string_view>

namespace isolume::workbench {

/// How well `pattern` fits `text` when its letters appear there in order, upper and lower case alike; nothing
/// when they do not. Higher is better: letters in a row and at the start of words count more, and short texts
/// beat long ones.
std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

}  // namespace isolume::workbench
