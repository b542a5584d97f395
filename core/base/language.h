#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace isolume {

using Translate = std::function<std::string(const char* context, const char* text)>;

/// What a window sets at its start, before other threads ask; without it everything is in English.
void set_language(Translate translate);

/// For texts that rooms without Qt show in a window. Qt's lupdate finds the calls by their name: both arguments are
/// literals.
std::string localised(const char* context, const char* text);

/// The text with its places %1, %2 ... %9 filled.
std::string filled(std::string_view text, const std::vector<std::string>& values);

}  // namespace isolume
