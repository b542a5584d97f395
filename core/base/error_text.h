#pragma once

#include <cstddef>
#include <exception>
#include <string>
#include <string_view>

namespace isolume {

/// The most characters (bytes) of a message: longer ones are not read.
inline constexpr std::size_t most_of_a_message = 500;

/// At most `most` bytes: where there are more, the middle is left out, since a message begins with the place and ends with
/// the remedy. Letters of UTF-8 stay whole.
std::string shortened(std::string_view text, std::size_t most = most_of_a_message);

/// What people are told of anything that was thrown: an Error as it is, what the standard library and the JSON library throw
/// in words, nothing longer than `most_of_a_message`.
std::string error_text(const std::exception& error);

}  // namespace isolume
