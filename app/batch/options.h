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

// The command line as verbs see it, without CLI11, whose headers take five seconds to compile in each source.

/// Adds a verb, or a group of verbs, below another one.
CLI::App& add_verb(CLI::App& parent, const std::string& name, const std::string& help);
/// Adds a verb that a lean program leaves to isolume-batch-full, with its --help, and that a build without its
/// libraries refuses: it accepts any arguments and throws Error with `why`.
void add_missing_verb(CLI::App& parent, Context& context, const std::string& name, const std::string& help,
                      const std::string& why);
/// When given parameters that do not matter are refused (refuse_ignored): before the action, or by the action,
/// once it knows values that do not come from the command line.
enum class Ignored { refused, refused_by_action };
/// Sets the action of the verb, called once its options are valid. The action may ask which options were
/// given().
void on_call(CLI::App& verb, Context& context, std::function<void()> action,
             Ignored ignored = Ignored::refused);
/// Adds the option --NAME, which takes no value and sets `value`.
void add_flag(CLI::App& verb, const std::string& name, bool& value, const std::string& help);

/// Destination of an option's value; its current value is the default. A function is called with the text.
using OptionValue = std::variant<int*, std::int64_t*, std::optional<int>*, std::optional<std::int64_t>*,
                                 double*, std::string*, std::vector<int>*, std::vector<std::uint32_t>*,
                                 std::vector<std::string>*, std::function<void(const std::string&)>>;

/// Adds the argument to a command line. Help, manual, completion and `commands --json` show its description,
/// and a value outside its range or choices is refused. A name in capitals ("FILE") is positional, any other
/// an option ("--runs"; "output" is "-o,--output"). Required unless it is optional, or an option with a
/// default; a repeatable option is given several times, numbers also in one word with commas ("512,1024").
CLI::Option& add_option(CLI::App& command, Context& context, OptionValue value, commands::Argument argument);

}  // namespace isolume::batch
