#include "core/commands/registry.h"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/base/error_text.h"

namespace isolume::commands {
namespace {

using jobs::Activity;

/// Levenshtein distance: the number of letters to change.
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

/// " Did you mean a, b or c?", or empty if no name is similar.
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

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words = split(line);
  if (words.empty()) throw Error("The command line is empty. Type a command's name, e.g. help.shortcuts.");
  return words;
}

}  // namespace

Registry::Registry(std::function<void(std::function<void()>)> later)
    : later_(std::move(later)), self_(std::make_shared<Registry*>(this)) {
  if (!later_) later_ = [](const std::function<void()>& call) { call(); };
}

void Registry::declare(std::vector<Declaration> declarations) {
  for (Declaration& each : declarations) {
    std::string name = each.name;
    if (name.empty()) throw std::logic_error("A command needs a name.");
    if (!commands_.emplace(name, Command{std::move(each)}).second) {
      throw std::logic_error(fmt::format("The command {} exists already.", name));
    }
  }
}

void Registry::bind(std::string_view name, Action run, std::function<std::string()> unavailable) {
  const auto found = commands_.find(name);
  if (found == commands_.end() || found->second.run || !run) {
    throw std::logic_error(
        fmt::format("The command {} is not declared, does something already, or nothing.", name));
  }
  found->second.run = std::move(run);
  found->second.unavailable = std::move(unavailable);
}

void Registry::add(Command command) {
  const std::string name = command.name;
  Action run = std::move(command.run);
  std::function<std::string()> unavailable = std::move(command.unavailable);
  declare({std::move(command)});
  bind(name, std::move(run), std::move(unavailable));
}

const Command* Registry::find(std::string_view name) const {
  const auto found = commands_.find(name);
  return found == commands_.end() ? nullptr : &found->second;
}

std::vector<const Command*> Registry::all() const {
  std::vector<const Command*> result;
  result.reserve(commands_.size());
  for (const auto& [name, command] : commands_) result.push_back(&command);
  return result;
}

const Command& Registry::runnable(std::string_view name) const {
  const Command* command = find(name);
  if (command == nullptr) {
    throw Error(
        fmt::format("There is no command named {}.{}", isolume::quoted(name), suggestion(name, commands_)));
  }
  if (!command->run) throw Error(fmt::format("{} cannot run here: {}", command->name, unbound_));
  if (const std::string why = command->why_unavailable(); !why.empty()) {
    throw Error(fmt::format("{} is not available now: {}", command->name, why));
  }
  return *command;
}

nlohmann::json Registry::run_within(std::uint64_t id, std::string_view name,
                                    std::span<const std::string> words) {
  const Command& command = runnable(name);
  const Arguments arguments(command, words);
  nlohmann::json result = command.run(arguments);
  const bool only_asked = std::ranges::any_of(command.arguments, [&](const Argument& each) {
    return each.is_asked_for && !arguments.has(each.description.key);
  });
  if (id != 0 && !only_asked && observer_.started) observer_.started({id, command, words, false});
  return result;
}

jobs::Activity::Pointer Registry::begin(std::uint64_t id, std::string_view name, Then then) {
  const Command* command = find(name);
  const bool told =
      Activity::current() ? Activity::current()->told() : command == nullptr || command->recorded;
  const auto ended = [self = std::weak_ptr(self_), later = later_, then = std::move(then),
                      id](const Outcome& outcome) {
    if (self.expired()) return;
    if (!then && outcome.error.empty()) return;
    later([self, then, id, outcome] {
      const auto alive = self.lock();
      if (!alive) return;
      if (const Observer& observer = (*alive)->observer_; !outcome.error.empty() && observer.failed)
        observer.failed(id);
      if (then) then(outcome);
    });
  };
  return std::make_shared<Activity>(ended, told);
}

nlohmann::json Registry::run(std::string_view line) {
  const std::vector<std::string> words = words_of(line);
  return run(words.front(), std::span(words).subspan(1));
}

nlohmann::json Registry::run(std::string_view name, std::span<const std::string> words) {
  if (Activity::current()) return run_within(0, name, words);
  const std::uint64_t id = ++last_id_;
  const Activity::Scope scope(begin(id, name, nullptr));
  return run_within(id, name, words);
}

void Registry::start(std::string_view line, Then then) {
  // A run within another command, like a line of a script that a command started, is part of that command.
  const std::uint64_t id = Activity::current() ? 0 : ++last_id_;
  const std::string_view name = line.substr(0, line.find_first_of(" \t"));
  const Activity::Scope scope(
      begin(id, name, [parent = Activity::current(), then = std::move(then)](const auto& outcome) {
        const Activity::Scope within(parent);
        then(outcome);
      }));
  const Activity::Pointer& activity = Activity::current();
  try {
    const std::vector<std::string> words = words_of(line);
    nlohmann::json result = run_within(id, words.front(), std::span(words).subspan(1));
    if (!result.is_null()) activity->set_result(std::move(result));
  } catch (const std::exception& error) {
    activity->fail(error_text(error));
  }
}

void Registry::note(std::string_view name, std::span<const std::string> words, bool continues) {
  if (!observer_.started || (Activity::current() && Activity::current()->told())) return;
  const Command* command = find(name);
  if (command == nullptr) throw Error(fmt::format("There is no command named {}.", isolume::quoted(name)));
  const Arguments checked(*command, words);
  observer_.started({++last_id_, *command, words, continues});
}

void report(nlohmann::json result) {
  if (const auto& activity = Activity::current()) activity->set_result(std::move(result));
}

}  // namespace isolume::commands
