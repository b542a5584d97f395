#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/commands/declaration.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace isolume::batch {

struct Context;

// What verbs need of a command line, without CLI11: its headers cost each source that includes them five seconds of
// compiling.

/// Adds a verb, or a group of verbs, below another one.
CLI::App& add_verb(CLI::App& parent, const std::string& name, const std::string& help);
/// A verb of other builds: whatever it is given, it throws Error with `why`.
void add_missing_verb(CLI::App& parent, Context& context, const std::string& name, const std::string& help,
                      const std::string& why);
/// What the verb does when it was called and its options make sense. It may still ask which were given().
void on_call(CLI::App& verb, Context& context, std::function<void()> action);
/// Adds the option --NAME, which takes no value and sets `value`.
void add_flag(CLI::App& verb, const std::string& name, bool& value, const std::string& help);

/// Where an option's value goes; what is there already is its default. A function is called with the text.
using OptionValue = std::variant<int*, std::int64_t*, std::optional<int>*, std::optional<std::int64_t>*,
                                 double*, std::string*, std::vector<int>*, std::vector<std::uint32_t>*,
                                 std::vector<std::string>*, std::function<void(const std::string&)>>;

/// Adds what `argument` describes to a command line; help, manual, completion and `commands --json` tell it as it is
/// described, and a value out of its range or choices is refused. A name in capitals ("FILE") is a place among the
/// words, another one an option ("--runs"; "output" is "-o,--output"). Required unless it is optional, or an
/// option with a default; a repeatable option is given several times, numbers also in one word with commas ("512,1024").
CLI::Option& add_option(CLI::App& command, Context& context, OptionValue value, commands::Argument argument);

}  // namespace isolume::batch
