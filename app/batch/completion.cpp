// Completion scripts of shells, generated from the command line's description.
#include <algorithm>
#include <map>
#include <memory>
#include <ostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/context.h"

namespace isolume::batch {
namespace {

/// Words that may follow, by the words before: "orbitals render" and its options, "orbitals" and its verbs.
struct Words {
  std::map<std::string, std::vector<std::string>> after;
  std::map<std::string, std::vector<std::string>> choices;  ///< of "orbitals render --colours"
};

void add_options(Words& words, const std::string& path, const CLI::App& app, const Context& context) {
  auto& here = words.after[path];
  for (const CLI::Option* option : app.get_options()) {
    if (option->get_positional()) continue;
    std::vector<std::string> names;
    for (const auto& each : option->get_lnames()) names.push_back("--" + each);
    for (const auto& each : option->get_snames()) names.push_back("-" + each);
    here.insert(here.end(), names.begin(), names.end());
    const auto found = context.described.find(option);
    if (found == context.described.end()) continue;
    for (const auto& choice : found->second.description.choices) {
      for (const std::string& name : names) words.choices[path + " " + name].push_back(choice.key);
    }
  }
}

Words words_of(const CLI::App& program, const Context& context) {
  Words words;
  for (const Verb& verb : verbs_of(program)) {
    add_options(words, verb.words, *verb.app, context);
    for (std::size_t at = 0; at != std::string::npos; at = verb.words.find(' ', at + 1)) {
      const std::string before = verb.words.substr(0, at);
      const std::size_t begin = at == 0 ? 0 : at + 1;
      const std::string next = verb.words.substr(begin, verb.words.find(' ', begin) - begin);
      auto& known = words.after[before];
      if (std::ranges::find(known, next) == known.end()) known.push_back(next);
    }
  }
  for (const auto& [form, full] : short_forms(context.labs)) {
    auto& here = words.after[form];
    here.insert(here.end(), words.after[full].begin(), words.after[full].end());
    if (form == full.substr(0, full.find(' '))) continue;  // labs have been added already
    words.after[""].push_back(form);
    for (const auto& [option, values] : Words(words).choices) {
      if (option.starts_with(full + " ")) words.choices[form + option.substr(full.size())] = values;
    }
  }
  for (const char* each : {"--help", "--version"}) words.after[""].emplace_back(each);
  return words;
}

std::string window_commands(const CLI::App& program, Context& context) {
  std::vector<std::string> names;
  const auto registry = make_registry(program, context);
  for (const commands::Command* command : registry->all()) {
    if (!command->run) names.push_back(command->name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

constexpr const char* window_options =
    "--command --script --screenshot --quit-after-commands --help --version";

/// Shell functions that list the next words; `path` is the verbs so far, `prev` the previous word.
void print_tables(std::ostream& out, const Words& words, const std::string& names) {
  out << "_isolume_choices() {\n  case \"$1\" in\n";
  for (const auto& [option, values] : words.choices)
    out << fmt::format("    \"{}\") echo \"{}\" ;;\n", option, fmt::join(values, " "));
  out << "  esac\n}\n\n_isolume_words() {\n  case \"$1\" in\n";
  for (const auto& [path, after] : words.after)
    out << fmt::format("    \"{}\") echo \"{}\" ;;\n", path, fmt::join(after, " "));
  out << fmt::format(
      "  esac\n}}\n\n_isolume_window_words() {{\n  case \"$1\" in\n    --command) echo \"{}\" ;;\n"
      "    *) echo \"{}\" ;;\n  esac\n}}\n",
      names, window_options);
  // Find the longest prefix of the words that is a verb.
  out << R"sh(
_isolume_path() {
  local path="" word
  for word in "$@"; do
    case " $(_isolume_words "$path") " in
      *" $word "*) path="${path:+$path }$word" ;;
      *) break ;;
    esac
    [ -n "$(_isolume_words "$path")" ] || { path="${path% *}"; break; }
  done
  echo "$path"
}
)sh";
}

void print_bash(std::ostream& out, const Words& words, const std::string& names) {
  out << "# Completion of isolume-batch and isolume for bash; written by isolume-batch completion bash.\n\n";
  print_tables(out, words, names);
  out << R"sh(
_isolume_complete() {
  local cur="${COMP_WORDS[COMP_CWORD]}" prev="${COMP_WORDS[COMP_CWORD-1]}" path words
  if [ "${1##*/}" = isolume ]; then
    words="$(_isolume_window_words "$prev")"
  else
    path="$(_isolume_path "${COMP_WORDS[@]:1:COMP_CWORD-1}")"
    words="$(_isolume_choices "$path $prev")"
    [ -n "$words" ] || words="$(_isolume_words "$path")"
  fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
  [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$cur"))
}
complete -o filenames -F _isolume_complete isolume-batch isolume
)sh";
}

void print_zsh(std::ostream& out, const Words& words, const std::string& names) {
  out << "#compdef isolume-batch isolume\n"
         "# Completion of isolume-batch and isolume for zsh; written by isolume-batch completion zsh.\n\n";
  print_tables(out, words, names);
  out << R"sh(
_isolume_complete() {
  local before="${words[CURRENT-1]}" verbs found
  if [[ "${service}" == isolume ]]; then
    found="$(_isolume_window_words "$before")"
  else
    verbs="$(_isolume_path "${(@)words[2,CURRENT-1]}")"
    found="$(_isolume_choices "$verbs $before")"
    [[ -n "$found" ]] || found="$(_isolume_words "$verbs")"
  fi
  compadd -- ${=found}
  _files
}
_isolume_complete "$@"
)sh";
}

}  // namespace

void add_completion(CLI::App& program, Context& context) {
  auto shell = std::make_shared<std::string>();
  auto& command = add_verb(program, "completion", "Print the completion script for a shell.");
  command.group("");  // hidden
  add_option(command, context, shell.get(), commands::choice("SHELL", "Which shell", {"bash", "zsh"}));
  on_call(command, context, [&program, shell, &context] {
    need_full_program(context);  // for the options of all verbs
    const Words words = words_of(program, context);
    const std::string names = window_commands(program, context);
    *shell == "bash" ? print_bash(context.out, words, names) : print_zsh(context.out, words, names);
  });
}

}  // namespace isolume::batch
