#include "core/base/error.h"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "core/base/error_text.h"

namespace isolume {
namespace {

std::string describe_place(const std::filesystem::path& file, std::size_t line, std::string_view problem,
                           std::string_view remedy) {
  std::string text = file.string();
  if (line > 0) text += fmt::format(":{}", line);
  text += fmt::format(": {}", problem);
  if (!text.ends_with('.')) text += '.';
  if (!remedy.empty()) text += fmt::format(" {}", remedy);
  return shortened(text);
}

}  // namespace

InputError::InputError(std::filesystem::path file, std::size_t line, std::string_view problem,
                       std::string_view remedy)
    : Error(describe_place(file, line, problem, remedy)), file_(std::move(file)), line_(line) {}

ResourceError::ResourceError(std::string_view what_for, std::size_t wanted_bytes, std::size_t available_bytes,
                             std::string_view remedy)
    : Error(fmt::format("{} needs {}, but only {} may be used. {}", what_for, format_bytes(wanted_bytes),
                        format_bytes(available_bytes), remedy)) {}

std::string format_bytes(std::size_t bytes) {
  static constexpr std::array units{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) return fmt::format("{} B", bytes);
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{:.3g} {}", value, units[unit]);
}

std::string quoted(std::string_view text, std::size_t limit) {
  constexpr std::size_t most_strange = 4;
  const std::string_view shown = text.substr(0, limit);
  const auto is_printable = [](char c) { return c >= ' ' && c < 0x7f; };
  const auto strange = static_cast<std::size_t>(std::ranges::count_if(shown, std::not_fn(is_printable)));
  // A file of another kind: rows of question marks are of no use.
  if (strange > most_strange && 4 * strange > shown.size()) return "binary data";
  std::string result = "\"";
  for (const char c : shown) result += is_printable(c) ? c : '?';
  if (text.size() > limit) result += "...";
  return result + '"';
}

}  // namespace isolume
