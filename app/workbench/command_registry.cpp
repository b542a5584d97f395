#include "app/workbench/command_registry.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::workbench {
namespace {

/// Levenshtein distance: how many letters differ.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = std::exchange(row[0], i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, replaced}));
    }
  }
  return row.back();
}

/// " Did you mean a, b or c?", or empty when nothing is near.
std::string suggestion(std::string_view name, const std::map<std::string, Command, std::less<>>& commands) {
  std::vector<std::pair<std::size_t, std::string_view>> near;
  for (const auto& [known, command] : commands) {
    const bool contains = name.size() >= 3 && known.find(name) != std::string::npos;
    const std::size_t distance = contains ? 0 : edit_distance(name, known);
    if (distance <= std::max<std::size_t>(2, known.size() / 3)) near.emplace_back(distance, known);
  }
  std::stable_sort(near.begin(), near.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  if (near.empty()) return {};
  std::string text = " Did you mean ";
  const std::size_t shown = std::min<std::size_t>(near.size(), 3);
  for (std::size_t i = 0; i < shown; ++i) {
    text += fmt::format("{}{}", i == 0 ? "" : (i + 1 == shown ? " or " : ", "), near[i].second);
  }
  return text + '?';
}

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

}  // namespace

void CommandRegistry::add(Command command) {
  const std::string name = command.name;
  if (name.empty() || !command.run) throw std::logic_error("A command needs a name and something to run.");
  if (!commands_.emplace(name, std::move(command)).second) {
    throw std::logic_error(fmt::format("The command {} exists already.", name));
  }
}

void CommandRegistry::remove(std::string_view prefix) {
  std::erase_if(commands_, [prefix](const auto& each) { return each.first.starts_with(prefix); });
}

void CommandRegistry::restrict_to(std::string_view name, std::function<std::string()> unavailable) {
  auto& own = commands_.find(name)->second.unavailable;
  own = [first = std::move(unavailable), then = own] {
    std::string why = first();
    return why.empty() && then ? then() : why;
  };
}

const Command* CommandRegistry::find(std::string_view name) const {
  const auto found = commands_.find(name);
  return found == commands_.end() ? nullptr : &found->second;
}

std::vector<const Command*> CommandRegistry::all() const {
  std::vector<const Command*> result;
  result.reserve(commands_.size());
  for (const auto& [name, command] : commands_) result.push_back(&command);
  return result;
}

void CommandRegistry::run(std::string_view line) const {
  const std::vector<std::string> words = split(line);
  if (words.empty()) throw Error("The command line is empty. Type a command's name, e.g. help.shortcuts.");
  run(words.front(), std::span(words).subspan(1));
}

void CommandRegistry::run(std::string_view name, std::span<const std::string> arguments) const {
  const Command* command = find(name);
  if (command == nullptr) {
    throw Error(
        fmt::format("There is no command named {}.{}", isolume::quoted(name), suggestion(name, commands_)));
  }
  if (command->unavailable) {
    if (const std::string why = command->unavailable(); !why.empty()) {
      throw Error(fmt::format("{} is not available now: {}", command->name, why));
    }
  }
  if (command->arguments.empty() && !arguments.empty()) {
    throw Error(fmt::format("{} takes no arguments, but was given {}.", command->name,
                            isolume::quoted(arguments.front())));
  }
  if (command->needs_arguments() && arguments.empty()) {
    throw Error(fmt::format("{} needs arguments: {} {}", command->name, command->name, command->arguments));
  }
  // A copy: the command may close the lab that owns it, and so remove itself while it runs.
  const auto run_it = command->run;
  run_it(arguments);
}

std::vector<std::string> CommandRegistry::split(std::string_view line) {
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

std::string CommandRegistry::quote(std::string_view word) {
  const bool plain = !word.empty() && std::none_of(word.begin(), word.end(), [](char c) {
    return is_space(c) || c == '"' || c == '\\';
  });
  if (plain) return std::string(word);
  std::string result = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + '"';
}

}  // namespace isolume::workbench
