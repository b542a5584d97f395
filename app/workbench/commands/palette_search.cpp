#include "app/workbench/commands/palette_search.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>
#include <tuple>
#include <utility>

#include "app/workbench/commands/command_actions.h"
#include "app/workbench/contract/fuzzy_match.h"
#include "app/workbench/contract/translated.h"
#include "core/base/letter_case.h"

namespace isolume::workbench {
namespace {

std::vector<Offer> choices_of(const Command& command) {
  std::vector<Offer> offers;
  QString title = translated(command.title);
  if (title.endsWith("...")) title.chop(3);  // nothing is asked for
  if (command.arguments.empty()) return offers;
  for (const auto& choice : command.arguments.front().description.choices) {
    offers.push_back({choice.key, (title + ": " + capitalised(choice.key)).toStdString(), {}, {}});
  }
  return offers;
}

std::vector<Offer> offers_of(const CommandRegistry& commands, const Command& command) {
  const auto& offers = commands.part(command.name).offers;
  return offers ? offers() : choices_of(command);
}

std::string keys_of(const WindowPart& part) {
  return native_keys(part.shortcut.empty() ? part.key_in_view : part.shortcut).toStdString();
}

/// Lower case, in British spelling.
std::vector<std::string> words_of(std::string_view typed) {
  static constexpr std::array<std::pair<std::string_view, std::string_view>, 3> spellings{
      {{"color", "colour"}, {"gray", "grey"}, {"center", "centre"}}};
  std::istringstream stream(lower_case(typed));
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    for (const auto& [there, here] : spellings) {
      if (word.starts_with(there)) word.replace(0, there.size(), here);
    }
    words.push_back(std::move(word));
  }
  return words;
}

/// 2: as a word of the (lower-case) text, 1: as the beginning of one, 0: not at all.
int match(std::string_view text, std::string_view word) {
  const auto is_letter = [&text](std::size_t at) {
    return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at])) != 0;
  };
  int best = 0;
  for (auto at = text.find(word); at != text.npos && best < 2; at = text.find(word, at + 1)) {
    if (at > 0 && is_letter(at - 1)) continue;
    best = std::max(best, is_letter(at + word.size()) ? 1 : 2);
  }
  return best;
}

/// English words find it in every language.
std::string further_words(const Command& command) {
  const std::string here = translated(command.keywords).toStdString();
  return here == command.keywords ? here : here + " " + command.keywords + " " + command.title;
}

/// 2: it runs now, 1: when its lab is shown, 0: not now.
int reach_of(const PaletteEntry& entry) {
  if (!entry.available) return 0;
  return entry.lab.empty() ? 2 : 1;
}

/// Higher is better: whether it can run, where the words were found, its reach, whether they are whole words, whether
/// it matters now, whether the title begins with them, and how few other words it has.
using Rank = std::tuple<bool, int, int, bool, bool, bool, int>;

std::optional<Rank> rank(const PaletteEntry& entry, const std::vector<std::string>& words) {
  const std::string title = lower_case(entry.title);
  std::string text = title;
  const std::array<std::string, 3> further{
      {{}, lower_case(" " + entry.line + " " + further_words(*entry.command)), lower_case(" " + entry.help)}};
  for (std::size_t place = 0; place < further.size(); ++place) {
    text += further[place];
    int worst = 2;
    for (const std::string& word : words) worst = std::min(worst, match(text, word));
    if (worst == 0) continue;
    return Rank{entry.available,
                -static_cast<int>(place),
                reach_of(entry),
                worst == 2,
                entry.matters,
                title.starts_with(words.front()),
                -static_cast<int>(title.size())};
  }
  return std::nullopt;
}

/// The first of several entries with the same text, as commands of several labs have.
template <class Key>
std::vector<PaletteEntry> best_first(std::vector<std::pair<Key, const PaletteEntry*>> fitting) {
  std::stable_sort(fitting.begin(), fitting.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<PaletteEntry> result;
  result.reserve(fitting.size());
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const auto& each : fitting) {
    if (seen.emplace(each.second->title, each.second->detail).second) result.push_back(*each.second);
  }
  return result;
}

std::vector<PaletteEntry> by_letters(const std::vector<PaletteEntry>& entries, std::string_view typed) {
  std::vector<std::pair<std::pair<bool, int>, const PaletteEntry*>> fitting;
  for (const PaletteEntry& entry : entries) {
    const auto by_name = fuzzy_score(typed, entry.line);
    const auto by_title = fuzzy_score(typed, entry.title);
    if (!by_name && !by_title) continue;
    // Of equal scores, a match in the title ranks above one in the name.
    const int score = std::max(by_name.value_or(-1000), by_title.value_or(-1000) + 1);
    fitting.emplace_back(std::pair(entry.lab.empty(), score), &entry);
  }
  return best_first(std::move(fitting));
}

std::vector<PaletteEntry> by_words(const std::vector<PaletteEntry>& entries, std::string_view typed) {
  const auto words = words_of(typed);
  std::vector<std::pair<Rank, const PaletteEntry*>> fitting;
  for (const PaletteEntry& entry : entries) {
    if (const auto found = rank(entry, words)) fitting.emplace_back(*found, &entry);
  }
  return best_first(std::move(fitting));
}

std::vector<PaletteEntry> all_commands(const std::vector<PaletteEntry>& entries) {
  std::vector<std::pair<int, const PaletteEntry*>> commands;
  for (const PaletteEntry& entry : entries) {
    if (!entry.offered) commands.emplace_back(reach_of(entry), &entry);
  }
  return best_first(std::move(commands));
}

/// A command whose full name was typed: its offers for the rest, and the line itself.
std::vector<PaletteEntry> with_arguments(const std::vector<PaletteEntry>& entries, PaletteEntry as_typed,
                                         const std::string& rest) {
  const std::string line = lower_case(as_typed.command->name + " " + rest);
  std::vector<PaletteEntry> completed, others;
  for (const PaletteEntry& entry : entries) {
    if (!entry.offered || entry.command != as_typed.command) continue;
    const std::string offered = lower_case(entry.line);
    if (offered.starts_with(line)) {
      completed.insert(offered == line ? completed.begin() : completed.end(), entry);
    } else if (rank(entry, words_of(rest))) {
      others.push_back(entry);
    }
  }
  if (!rest.empty()) {
    as_typed.line = as_typed.command->name + " " + rest;
    as_typed.title += ": " + rest;
  }
  if (!rest.empty() || completed.empty()) completed.push_back(as_typed);
  completed.insert(completed.end(), others.begin(), others.end());
  return completed;
}

}  // namespace

std::vector<PaletteEntry> palette_entries(const CommandRegistry& commands,
                                          const std::vector<HiddenLab>& hidden) {
  std::vector<PaletteEntry> entries;
  std::set<std::string_view> of_hidden;
  for (const HiddenLab& lab : hidden) {
    for (const Command& command : lab.commands) of_hidden.insert(command.name);
  }
  for (const Command* command : commands.all()) {
    if (of_hidden.contains(command->name)) continue;
    const bool available = commands.why_unavailable(*command).empty();
    const std::string help = translated(command->help).toStdString();
    entries.push_back({command, command->name, translated(command->title).toStdString(),
                       keys_of(commands.part(command->name)), help, false, available});
    if (!available) continue;
    for (Offer& offer : offers_of(commands, *command)) {
      entries.push_back({command, command->name + " " + offer.arguments, std::move(offer.title),
                         std::move(offer.detail), offer.help.empty() ? help : std::move(offer.help), true,
                         true, offer.matters});
    }
  }
  for (const HiddenLab& lab : hidden) {
    for (const Command& command : lab.commands) {
      const std::string help = translated(command.help).toStdString();
      entries.push_back({&command, command.name, translated(command.title).toStdString(), lab.title, help,
                         false, true, true, lab.name});
      for (Offer& offer : choices_of(command)) {
        entries.push_back({&command, command.name + " " + offer.arguments, std::move(offer.title), lab.title,
                           help, true, true, true, lab.name});
      }
    }
  }
  return entries;
}

std::vector<PaletteEntry> search_palette(const std::vector<PaletteEntry>& entries, std::string_view typed) {
  const auto first = std::min(typed.find_first_not_of(' '), typed.size());
  typed.remove_prefix(first);
  if (typed.empty()) return all_commands(entries);
  if (const auto space = typed.find(' '); space != typed.npos) {
    const auto named = std::find_if(entries.begin(), entries.end(), [&](const PaletteEntry& entry) {
      return !entry.offered && entry.command->name == typed.substr(0, space);
    });
    std::string rest(typed.substr(std::min(typed.find_first_not_of(' ', space), typed.size())));
    rest.erase(rest.find_last_not_of(' ') + 1);
    if (named != entries.end()) return with_arguments(entries, *named, rest);
  }
  auto found = by_words(entries, typed);
  return found.empty() ? by_letters(entries, typed) : found;
}

}  // namespace isolume::workbench
