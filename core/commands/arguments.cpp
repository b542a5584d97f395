#include "core/commands/arguments.h"

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::commands {
namespace {

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

std::vector<std::string> split(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  bool in_word = false;
  bool in_quotes = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool escapes =
        c == '\\' && i + 1 < line.size() && (!in_quotes || line[i + 1] == '"' || line[i + 1] == '\\');
    if (escapes) {
      word += line[++i];
      in_word = true;
    } else if (c == '"') {
      in_quotes = !in_quotes;
      in_word = true;
    } else if (is_space(c) && !in_quotes) {
      if (in_word) words.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_quotes)
    throw Error(
        fmt::format("A double quote is not closed in {}. Add the closing quote.", isolume::quoted(line, 80)));
  if (in_word) words.push_back(std::move(word));
  return words;
}

std::string quote(std::string_view word) {
  const bool plain =
      !word.empty() && word.front() != '#' &&
      std::none_of(word.begin(), word.end(), [](char c) { return is_space(c) || c == '"' || c == '\\'; });
  if (plain) return std::string(word);
  std::string result = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

std::string line_of(std::string_view name, std::span<const std::string> words) {
  std::string line(name);
  for (const std::string& word : words) line += " " + quote(word);
  return line;
}

Arguments::Arguments(const Declaration& declaration, std::span<const std::string> words) {
  std::string refusal;  // why the last skipped optional argument refused the word
  const auto taken = [&](const Argument& argument) {
    try {
      values_[argument.description.key].push_back(parameters::parse(argument.description, words.front()));
    } catch (const Error& error) {
      const std::string message = fmt::format("{}: {}", declaration.name, error.what());
      if (!argument.is_optional && values_[argument.description.key].empty()) throw Error(message);
      if (values_[argument.description.key].empty()) values_.erase(argument.description.key);
      refusal = message;
      return false;
    }
    words = words.subspan(1);
    return true;
  };
  const auto& declared = declaration.arguments;
  for (std::size_t i = 0; i < declared.size();) {
    if (!declared[i].is_optional) {
      if (words.empty()) {
        throw Error(fmt::format("{} needs arguments: {} {}", declaration.name, declaration.name,
                                declaration.usage()));
      }
      while (!words.empty() && taken(declared[i]) && declared[i].is_repeatable) {
      }
      ++i;
      continue;
    }
    const std::size_t first = i;
    while (i < declared.size() && declared[i].is_optional) ++i;
    const auto group = std::span(declared).subspan(first, i - first);
    const auto takes_it = [&](const Argument& each) {
      return (each.is_repeatable || !has(each.description.key)) && taken(each);
    };
    while (!words.empty() && std::ranges::any_of(group, takes_it)) {
    }
    for (const Argument& each : group) {
      if (each.fallback && !has(each.description.key)) values_[each.description.key] = {*each.fallback};
    }
  }
  if (words.empty()) return;
  if (!refusal.empty()) throw Error(refusal);
  throw Error(declaration.arguments.empty()
                  ? fmt::format("{} takes no arguments, but was given {}.", declaration.name,
                                isolume::quoted(words.front()))
                  : fmt::format("{} takes no more than {}, but was given {}, too.", declaration.name,
                                declaration.usage(), isolume::quoted(words.front())));
}

const parameters::Value& Arguments::value(std::string_view name) const {
  const auto found = values_.find(name);
  if (found == values_.end()) throw std::logic_error(fmt::format("No argument {} was given.", name));
  return found->second.front();
}

int Arguments::integer(std::string_view name) const {
  return static_cast<int>(large_integer(name));
}

std::int64_t Arguments::large_integer(std::string_view name) const {
  return std::get<std::int64_t>(value(name));
}

double Arguments::number(std::string_view name) const {
  return std::get<double>(value(name));
}

std::string Arguments::text(std::string_view name) const {
  (void)value(name);
  std::string joined;
  for (const std::string& each : texts(name)) joined += (joined.empty() ? "" : " ") + each;
  return joined;
}

std::vector<std::string> Arguments::texts(std::string_view name) const {
  std::vector<std::string> all;
  if (const auto found = values_.find(name); found != values_.end()) {
    for (const auto& each : found->second) all.push_back(std::get<std::string>(each));
  }
  return all;
}

std::vector<int> Arguments::integers(std::string_view name) const {
  std::vector<int> all;
  if (const auto found = values_.find(name); found != values_.end()) {
    for (const auto& each : found->second) all.push_back(static_cast<int>(std::get<std::int64_t>(each)));
  }
  return all;
}

}  // namespace isolume::commands
