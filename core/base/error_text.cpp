#include "core/base/error_text.h"

#include <filesystem>
#include <new>
#include <stdexcept>
#include <system_error>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"

namespace isolume {
namespace {

bool continues_letter(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// The text without "[json.exception.type_error.302] ".
std::string_view without_name_of_exception(std::string_view text) {
  const std::size_t end = text.starts_with('[') ? text.find("] ") : text.npos;
  return end == text.npos ? text : text.substr(end + 2);
}

std::string whole_text_of(const std::exception& error) {
  if (dynamic_cast<const Error*>(&error) != nullptr || dynamic_cast<const Cancelled*>(&error) != nullptr)
    return error.what();
  const bool too_large = dynamic_cast<const std::bad_alloc*>(&error) != nullptr ||
                         dynamic_cast<const std::length_error*>(&error) != nullptr;
  if (too_large) return "There is not enough memory for this. Close other programs or ask for less.";
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("{}: {}.", file->path1().string(), file->code().message());
  if (const auto* system = dynamic_cast<const std::system_error*>(&error))
    return fmt::format("The system refuses this: {}.", system->code().message());
  if (dynamic_cast<const nlohmann::json::exception*>(&error) != nullptr)
    return std::string(without_name_of_exception(error.what()));
  return error.what();
}

}  // namespace

std::string shortened(std::string_view text, std::size_t most) {
  if (text.size() <= most) return std::string(text);
  constexpr std::string_view gap = " ... ";
  const std::size_t kept = most - gap.size();
  std::size_t head = kept / 2, tail = text.size() - (kept - head);
  while (head > 0 && continues_letter(text[head])) --head;
  while (tail < text.size() && continues_letter(text[tail])) ++tail;
  return std::string(text.substr(0, head)).append(gap).append(text.substr(tail));
}

std::string error_text(const std::exception& error) {
  return shortened(whole_text_of(error));
}

}  // namespace isolume
