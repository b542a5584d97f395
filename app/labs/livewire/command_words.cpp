#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "app/labs/livewire/commands.h"
#include "core/base/error.h"
#include "core/contours/contour.h"

namespace isolume::labs::livewire {

const std::string& word(Arguments arguments, std::size_t index, const char* what) {
  if (index >= arguments.size()) throw Error(fmt::format("Expected {}.", what));
  return arguments[index];
}

double real(Arguments arguments, std::size_t index, const char* what) {
  const std::string& text = word(arguments, index, what);
  double value = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failed != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    throw Error(fmt::format("Expected {}, found {}.", what, isolume::quoted(text)));
  }
  return value;
}

int counted(Arguments arguments, std::size_t index, const char* what) {
  const double value = real(arguments, index, what);
  if (value < 1 || value > 1e9 || value != std::floor(value)) {
    throw Error(fmt::format("Expected {}, a whole number from 1, found {}.", what,
                            isolume::quoted(arguments[index])));
  }
  return static_cast<int>(value);
}

std::string colour_argument(Arguments arguments, std::size_t index) {
  const std::string& text = word(arguments, index, "a colour");
  if (!contours::is_colour(text))
    throw Error(fmt::format("Expected a colour like #e69f00, found {}.", isolume::quoted(text)));
  return text;
}

std::string rest(Arguments arguments, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < arguments.size(); ++i) text += (text.empty() ? "" : " ") + arguments[i];
  return text;
}

}  // namespace isolume::labs::livewire
