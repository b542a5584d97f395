#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace isolume {

/// Maximum length of a message in bytes: users do not read longer ones.
inline constexpr std::size_t most_of_a_message = 500;

/// Shortens a text to at most `most` bytes. The middle is left out, since a message begins with the position
/// and ends with the remedy. UTF-8 characters stay whole.
std::string shortened(std::string_view text, std::size_t most = most_of_a_message);

/// The message for users of any exception: an Error unchanged, exceptions of the standard library and the
/// JSON library reworded, at most `most_of_a_message` bytes long.
std::string error_text(const std::exception& error);

}  // namespace isolume
