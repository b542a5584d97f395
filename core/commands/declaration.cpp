#include "core/commands/declaration.h"

#include <algorithm>
#include <cmath>

#include "core/base/letter_case.h"

namespace isolume::commands {
namespace {

using nlohmann::ordered_json;
using parameters::Description;
using parameters::Kind;

Argument of_kind(Kind kind, std::string name, std::string help) {
  Argument made;
  made.description.kind = kind;
  made.description.label = name;
  made.description.key = std::move(name);
  made.description.help = std::move(help);
  if (kind == Kind::text || kind == Kind::choice) made.description.default_value = std::string();
  return made;
}

std::string placeholder(const Argument& argument) {
  if (!argument.form.empty()) return argument.form;
  std::string words;
  for (const auto& each : argument.description.choices) words += (words.empty() ? "" : "|") + each.key;
  if (!words.empty()) return words;
  if (argument.description.colour) {
    const std::string other = parameters::to_text(argument.description.default_value);
    return other.empty() ? "#RRGGBB" : "#RRGGBB|" + other;
  }
  return upper_case(argument.description.key);
}

const char* type_name(const Description& description) {
  switch (description.kind) {
    case Kind::flag:
      return "flag";
    case Kind::integer:
      return "integer";
    case Kind::real:
      return "number";
    case Kind::choice:
      return "choice";
    case Kind::text:
      break;
  }
  return description.colour ? "colour" : "text";
}

ordered_json end_of_range(double value) {
  return std::isfinite(value) ? ordered_json(value) : ordered_json(nullptr);
}

ordered_json value_json(const parameters::Value& value) {
  return std::visit([](const auto& each) { return ordered_json(each); }, value);
}

}  // namespace

Argument number(std::string name, std::string help) {
  return of_kind(Kind::real, std::move(name), std::move(help));
}

Argument integer(std::string name, std::string help) {
  return of_kind(Kind::integer, std::move(name), std::move(help)).range(-most_whole, most_whole);
}

Argument counted(std::string name, std::string help) {
  return of_kind(Kind::integer, std::move(name), std::move(help)).range(1, most_whole);
}

Argument choice(std::string name, std::string help, std::vector<std::string> keys) {
  Argument made = of_kind(Kind::choice, std::move(name), std::move(help));
  for (std::string& key : keys) made.description.choices.push_back({key, key});
  return made;
}

Argument text(std::string name, std::string help) {
  return of_kind(Kind::text, std::move(name), std::move(help));
}

Argument path(std::string name, std::string help) {
  Argument made = text(std::move(name), std::move(help));
  made.is_path = true;
  return made;
}

Argument colour(std::string name, std::string help, std::string or_else) {
  Argument made = text(std::move(name), std::move(help));
  made.description.colour = true;
  made.description.default_value = std::move(or_else);
  return made;
}

std::string Declaration::usage() const {
  std::string words;
  for (const Argument& each : arguments) {
    std::string word = placeholder(each);
    if (each.is_repeatable && !word.ends_with("...")) word += "...";
    if (each.is_optional) word = "[" + word + "]";
    words += (words.empty() ? "" : " ") + word;
  }
  return words;
}

ordered_json to_json(const Argument& argument) {
  const Description& description = argument.description;
  ordered_json json{{"name", description.key}, {"type", argument.is_path ? "path" : type_name(description)}};
  if (!description.unit.empty()) json["unit"] = description.unit;
  const bool bounded = std::isfinite(description.low) || std::isfinite(description.high);
  if (bounded) json["range"] = {end_of_range(description.low), end_of_range(description.high)};
  for (const auto& each : description.choices) json["choices"].push_back(each.key);
  if (!argument.form.empty()) json["form"] = argument.form;
  json["help"] = description.help;
  json["optional"] = argument.is_optional;
  json["repeatable"] = argument.is_repeatable;
  if (argument.fallback) json["default"] = value_json(*argument.fallback);
  return json;
}

ordered_json to_json(const Declaration& declaration) {
  ordered_json json{{"name", declaration.name}, {"title", declaration.title}, {"help", declaration.help}};
  if (!declaration.result.empty()) json["result"] = declaration.result;
  json["arguments"] = ordered_json::array();
  for (const Argument& each : declaration.arguments) json["arguments"].push_back(to_json(each));
  return json;
}

}  // namespace isolume::commands
