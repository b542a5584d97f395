#include "core/parameters/description.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include <fmt/format.h>

#include "core/base/colour.h"
#include "core/base/error.h"
#include "core/base/number.h"
#include "core/base/shown_number.h"
#include "core/parameters/css_colours.h"
#include "core/parameters/relevance.h"
#include "core/parameters/schema.h"

namespace isolume::parameters {
namespace {

std::string range_text(const Description& description) {
  const std::string unit = description.unit.empty() ? "" : " " + description.unit;
  const bool low = std::isfinite(description.low), high = std::isfinite(description.high);
  if (low && high)
    return fmt::format(" from {} to {}{}", shown_setting(description.low), shown_setting(description.high),
                       unit);
  if (low) return fmt::format(" of at least {}{}", shown_setting(description.low), unit);
  if (high) return fmt::format(" of at most {}{}", shown_setting(description.high), unit);
  return description.unit.empty() ? "" : " in " + description.unit;
}

std::string choices_text(const Description& description) {
  std::string text;
  for (const auto& choice : description.choices) text += (text.empty() ? "" : ", ") + choice.key;
  return text;
}

[[noreturn]] void refuse(const Description& description, std::string_view given) {
  std::string expected;
  switch (description.kind) {
    case Kind::flag:
      expected = "true or false";
      break;
    case Kind::integer:
      expected = "a whole number" + range_text(description);
      break;
    case Kind::real:
      expected = "a number" + range_text(description);
      break;
    case Kind::text:
      expected = description.colour ? "a colour like #0072b2 or steelblue" : "text";
      break;
    case Kind::choice:
      expected = "one of " + choices_text(description);
      break;
  }
  throw Error(fmt::format("{}: {} is not possible. Give {}.", description.key, quoted(given), expected));
}

}  // namespace

std::string to_text(const Value& value) {
  struct Visitor {
    std::string operator()(bool flag) const { return flag ? "true" : "false"; }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return text; }
  };
  return std::visit(Visitor{}, value);
}

std::string special_label(const Description& description, const Value& value) {
  const auto* whole = std::get_if<std::int64_t>(&value);
  const auto* real = std::get_if<double>(&value);
  for (const auto& each : description.special_values) {
    if ((whole != nullptr && static_cast<double>(*whole) == each.value) ||
        (real != nullptr && *real == each.value))
      return each.label;
  }
  return {};
}

Value parse(const Description& description, std::string_view text) {
  switch (description.kind) {
    case Kind::flag:
      if (text == "true" || text == "on" || text == "yes" || text == "1") return true;
      if (text == "false" || text == "off" || text == "no" || text == "0") return false;
      break;
    case Kind::integer:
      if (const auto number = parse_number<std::int64_t>(text)) return validated(description, *number);
      break;
    case Kind::real:
      if (const auto number = parse_number<double>(text)) return validated(description, *number);
      break;
    case Kind::text:
    case Kind::choice:
      return validated(description, std::string(text));
  }
  refuse(description, text);
}

namespace {
thread_local std::uint64_t validated_so_far = 0;
}  // namespace

std::uint64_t validations() {
  return validated_so_far;
}

Value validated(const Description& description, const Value& value) {
  ++validated_so_far;
  const auto in_range = [&](double number) {
    return std::isfinite(number) && number >= description.low && number <= description.high;
  };
  switch (description.kind) {
    case Kind::flag:
      if (std::holds_alternative<bool>(value)) return value;
      break;
    case Kind::integer:
      if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        if (in_range(static_cast<double>(*whole))) return value;
      } else if (const auto* real = std::get_if<double>(&value)) {
        if (in_range(*real) && std::abs(*real) < 9e15 && *real == std::round(*real)) {
          return static_cast<std::int64_t>(*real);
        }
      }
      break;
    case Kind::real:
      if (const auto* real = std::get_if<double>(&value)) {
        if (in_range(*real)) return value;
      } else if (const auto* whole = std::get_if<std::int64_t>(&value)) {
        if (in_range(static_cast<double>(*whole))) return static_cast<double>(*whole);
      }
      break;
    case Kind::text:
      if (const auto* text = std::get_if<std::string>(&value)) {
        const bool is_default =
            *text == to_text(description.default_value);  // a colour may default to a word
        if (!description.colour || is_default || rgb_of(*text)) return value;
        if (const auto named = css_colour(*text)) return *named;
      }
      break;
    case Kind::choice:
      if (const auto* key = std::get_if<std::string>(&value)) {
        const auto same = [&](const Choice& choice) { return choice.key == *key; };
        if (std::any_of(description.choices.begin(), description.choices.end(), same)) return value;
      }
      break;
  }
  refuse(description, to_text(value));
}

namespace {

/// "orbital, density or superposition"
std::string alternatives(const std::vector<std::string>& values) {
  std::string text;
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += (i == 0 ? "" : i + 1 == values.size() ? " or " : ", ") + values[i];
  }
  return text;
}

bool is_flag(const Relevance& condition) {
  return condition.values == std::vector<std::string>{"true"};
}

}  // namespace

std::string relevance_text(const Description& description) {
  const Relevance& when = description.relevant_when;
  if (when.key.empty()) return {};
  return is_flag(when) ? fmt::format("Only with {}.", when.key)
                       : fmt::format("Only when {} is {}.", when.key, alternatives(when.values));
}

std::string flags_of(const Relevance& condition) {
  return is_flag(condition) ? fmt::format("--{}", condition.key)
                            : fmt::format("--{} {}", condition.key, alternatives(condition.values));
}

namespace {

/// Whether `to_text` gives this text, which need not be made for a flag or a choice.
bool is_written(const Value& value, const std::string& text) {
  if (const auto* flag = std::get_if<bool>(&value)) return text == (*flag ? "true" : "false");
  if (const auto* key = std::get_if<std::string>(&value)) return *key == text;
  return to_text(value) == text;
}

/// A parameter that does not matter itself does not make others matter.
std::optional<Relevance> unmet_among(const Description& description, const ParameterSet& set,
                                     const std::vector<Description>& all) {
  const auto& [key, values] = description.relevant_when;
  const auto other = std::ranges::find(all, key, &Description::key);
  if (key.empty() || other == all.end()) return std::nullopt;
  if (key != description.key) {
    if (auto unmet = unmet_among(*other, set, all)) return unmet;
  }
  const Value now = set.get(key);
  const bool is_met =
      std::ranges::any_of(values, [&](const std::string& each) { return is_written(now, each); });
  return is_met ? std::nullopt : std::optional(description.relevant_when);
}

}  // namespace

std::optional<Relevance> unmet_condition(const Description& description, const ParameterSet& set) {
  if (description.relevant_when.key.empty()) return std::nullopt;
  return unmet_among(description, set, set.descriptions());
}

bool relevant(const Description& description, const ParameterSet& set) {
  return !unmet_condition(description, set);
}

std::set<std::string, std::less<>> relevant_keys(const ParameterSet& set) {
  return relevant_keys(set, set.descriptions());
}

std::set<std::string, std::less<>> relevant_keys(const ParameterSet& set,
                                                 const std::vector<Description>& all) {
  std::set<std::string, std::less<>> keys;
  for (const auto& each : all) {
    if (!unmet_among(each, set, all)) keys.insert(each.key);
  }
  return keys;
}

nlohmann::json to_json(const ParameterSet& set) {
  auto json = nlohmann::json::object();
  for (const auto& each : set.descriptions()) {
    std::visit([&](const auto& value) { json[each.key] = value; }, set.get(each.key));
  }
  return json;
}

namespace {

Value value_from(const nlohmann::json& json, const Description& description) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  refuse(description, json.dump());
}

}  // namespace

void from_json(const nlohmann::json& json, ParameterSet& set) {
  if (!json.is_object()) throw Error("Parameters must be a JSON object of names and values.");
  std::vector<std::pair<std::string, Value>> checked;  // all are checked before the first is set
  for (const auto& [key, value] : json.items()) {
    const Description description = set.description(key);
    checked.emplace_back(key, validated(description, value_from(value, description)));
  }
  for (const auto& [key, value] : checked) set.set(key, value);
}

}  // namespace isolume::parameters
