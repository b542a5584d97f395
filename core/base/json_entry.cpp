#include "core/base/json_entry.h"

#include <algorithm>

#include "core/base/error_text.h"

namespace isolume {

using Json = nlohmann::json;

namespace {

/// `byte` as nlohmann::json counts it: the position of the last character read, from 1.
[[noreturn]] void refuse_json(std::string_view text, std::size_t byte, const std::filesystem::path& path,
                              std::string_view remedy) {
  const std::size_t at = std::min(byte == 0 ? 0 : byte - 1, text.size());
  const std::string_view before = text.substr(0, at);
  const auto line = static_cast<std::size_t>(std::ranges::count(before, '\n')) + 1;
  if (at == text.size())
    throw InputError(path, line, "its JSON ends too early: the file was cut off, or is no JSON", remedy);
  const std::size_t line_begin = before.rfind('\n') + 1;  // npos + 1 is 0
  throw InputError(
      path, line,
      fmt::format("is not JSON from column {} on, near {}", at - line_begin + 1,
                  isolume::quoted(text.substr(line_begin, at + 1 - line_begin)
                                      .substr(at + 1 - line_begin > 30 ? at + 1 - line_begin - 30 : 0))),
      remedy);
}

}  // namespace

Json parse_json(std::string_view text, const std::filesystem::path& path, int most_depth,
                std::string_view remedy) {
  const auto refuse_depth = [&](int depth, Json::parse_event_t, Json&) {
    if (depth > most_depth) throw InputError(path, 0, "its entries are nested too deeply", remedy);
    return true;
  };
  try {
    return Json::parse(text, refuse_depth);
  } catch (const Json::parse_error& error) {
    refuse_json(text, error.byte, path, remedy);
  } catch (const Json::exception& error) {  // a number that is too large
    throw InputError(path, 0, error_text(error), remedy);
  }
}

JsonEntry JsonEntry::at(std::string_view key) const {
  if (!json_.is_object()) fail_to_be("an object");
  const auto found = json_.find(key);
  if (found == json_.end()) fail(fmt::format("\"{}\" is missing", key));
  return {*found, *this, key, 0};
}

std::size_t JsonEntry::size() const {
  if (!json_.is_array()) fail_to_be("a list");
  return json_.size();
}

std::vector<std::string> JsonEntry::keys() const {
  if (!json_.is_object()) fail_to_be("an object");
  std::vector<std::string> keys;
  for (const auto& [key, value] : json_.items()) keys.push_back(key);
  return keys;
}

void JsonEntry::add_unknown_keys(std::span<const std::string_view> known,
                                 std::vector<std::string>& paths) const {
  for (const std::string& key : keys())
    if (std::ranges::find(known, key) == known.end()) paths.push_back(at(key).way());
}

std::string JsonEntry::text() const {
  if (!json_.is_string()) fail_to_be("text");
  return json_.get<std::string>();
}

bool JsonEntry::boolean() const {
  if (!json_.is_boolean()) fail_to_be("true or false");
  return json_.get<bool>();
}

double JsonEntry::number(double low, double high) const {
  const double value = json_.is_number() ? json_.get<double>() : std::nan("");
  if (!(value >= low && value <= high)) fail_to_be(fmt::format("a number from {} to {}", low, high));
  return value;
}

int JsonEntry::integer(int low, int high) const {
  const double value = json_.is_number_integer() ? json_.get<double>() : std::nan("");
  if (!(value >= low && value <= high)) fail_to_be(fmt::format("a whole number from {} to {}", low, high));
  return json_.get<int>();
}

void JsonEntry::fail(std::string_view problem) const {
  const std::string way = this->way();
  throw InputError(file_, 0, way.empty() ? std::string(problem) : fmt::format("{}: {}", way, problem),
                   remedy_);
}

void JsonEntry::fail_to_be(std::string_view expected) const {
  const std::string found = json_.is_string()   ? isolume::quoted(json_.get_ref<const std::string&>())
                            : json_.is_number() ? isolume::quoted(json_.dump())
                                                : json_.type_name();
  fail(fmt::format("expected {}, found {}", expected, found));
}

std::string JsonEntry::way() const {
  if (parent_ == nullptr) return {};
  const std::string before = parent_->way();
  if (key_.empty()) return fmt::format("{}[{}]", before, index_);
  return before.empty() ? std::string(key_) : fmt::format("{}.{}", before, key_);
}

}  // namespace isolume
