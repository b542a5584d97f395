#include "core/molecules/json_values.h"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

namespace isolume::molecules {

Json parse_json(const Source& source, const LineReader& reader) {
  source.progress.check();
  Json json = Json::parse(source.text, nullptr, false);
  if (json.is_discarded()) {
    reader.fail_at(0, "this is not well-formed JSON", "The file is truncated or damaged: export it again.");
  }
  return json;
}

const Json& at(const Json& json, std::string_view path) {
  static const Json none;
  const Json* place = &json;
  while (!path.empty()) {
    const std::string key(path.substr(0, path.find('/')));
    path.remove_prefix(std::min(path.size(), key.size() + 1));
    if (!place->is_object()) return none;
    const auto found = place->find(key);
    if (found == place->end()) return none;
    place = &*found;
  }
  return *place;
}

std::vector<double> reals(const Json& json, std::string_view path, const LineReader& reader) {
  const Json& array = at(json, path);
  if (!array.is_array()) reader.fail_at(0, fmt::format("expected a list of numbers at {}", path));
  std::vector<double> numbers;
  numbers.reserve(array.size());
  for (const Json& value : array) {
    if (!value.is_number() || !std::isfinite(value.get<double>()))
      reader.fail_at(0, fmt::format("expected only numbers at {}", path));
    numbers.push_back(value.get<double>());
  }
  return numbers;
}

std::vector<long> integers(const Json& json, std::string_view path, const LineReader& reader) {
  std::vector<long> numbers;
  for (const double value : reals(json, path, reader)) {
    if (value != std::floor(value) || std::abs(value) > 1e9)
      reader.fail_at(0, fmt::format("expected only whole numbers at {}", path));
    numbers.push_back(static_cast<long>(value));
  }
  return numbers;
}

std::optional<int> whole(const Json& value) {
  if (!value.is_number()) return std::nullopt;
  return static_cast<int>(std::lround(std::clamp(value.get<double>(), -1e6, 1e6)));
}

std::optional<int> whole(const Json& json, std::string_view path, Remarks& remarks) {
  const Json& value = at(json, path);
  if (value.is_null()) return std::nullopt;
  constexpr double most = 1e6;
  if (value.is_number()) {
    const double number = value.get<double>();
    if (number == std::round(number) && std::abs(number) <= most) return static_cast<int>(number);
  }
  constexpr std::size_t shown = 40;
  remarks.dropped(fmt::format("{} was left out, because {} is not a whole number.", path,
                              value.dump(-1, ' ', false, Json::error_handler_t::replace).substr(0, shown)));
  return std::nullopt;
}

std::string text_at(const Json& json, std::string_view path) {
  const Json& value = at(json, path);
  return value.is_string() ? value.get<std::string>() : std::string();
}

}  // namespace isolume::molecules
