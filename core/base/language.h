#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace isolume {

using Translate = std::function<std::string(const char* context, const char* text)>;

/// Called by a window at its start, before other threads ask for texts; without it everything is in English.
void set_language(Translate translate);

/// For texts of libraries without Qt that are shown in a window. Qt's lupdate finds the calls by their name:
/// both arguments must be literals.
std::string localised(const char* context, const char* text);

/// The text with its placeholders %1, %2 ... %9 replaced.
std::string filled(std::string_view text, const std::vector<std::string>& values);

}  // namespace isolume
