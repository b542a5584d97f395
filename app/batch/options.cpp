#include "app/batch/options.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string_view>
#include <type_traits>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/base/error.h"
#include "core/base/number.h"

namespace isolume::batch {
namespace {

using parameters::Kind;

bool is_word(const std::string& name) {
  return std::isupper(static_cast<unsigned char>(name.front())) != 0;
}

std::string names_of(const std::string& name) {
  if (is_word(name)) return name;
  return name == "output" ? "-o,--output" : "--" + name;
}

/// Placeholder of the value in the help: "[0.3 to 10 px]".
std::string value_name(const commands::Argument& argument) {
  if (!argument.form.empty()) return argument.form;
  if (argument.is_path) return "FILE";
  if (argument.description.kind == Kind::text && !argument.description.colour) return "TEXT";
  return fmt::format("[{}]", allowed_values(argument.description));
}

/// Why the text is not a valid value, or empty.
std::string fault_of(const parameters::Description& description, const std::string& text) {
  if (description.kind == Kind::choice) {
    const bool known =
        std::ranges::find(description.choices, text, &parameters::Choice::key) != description.choices.end();
    return known ? ""
                 : fmt::format("expected one of {}, found {}", allowed_values(description),
                               isolume::quoted(text));
  }
  if (description.kind != Kind::integer && description.kind != Kind::real) return "";
  const auto value = parse_number<double>(text);
  const bool is_whole = value && *value == std::trunc(*value);
  const bool fits = value && *value >= description.low && *value <= description.high &&
                    (is_whole || description.kind == Kind::real);
  return fits ? ""
              : fmt::format("expected {}{}, found {}",
                            description.kind == Kind::integer ? "a whole number, " : "",
                            allowed_values(description), isolume::quoted(text));
}

template <class Value>
std::string default_text(const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    return value;
  } else if constexpr (std::is_arithmetic_v<Value>) {
    return fmt::format("{}", value);
  } else if constexpr (std::is_same_v<Value, std::optional<int>> ||
                       std::is_same_v<Value, std::optional<std::int64_t>>) {
    return value ? fmt::format("{}", *value) : "";
  } else {
    return fmt::format("{}", fmt::join(value, ","));
  }
}

}  // namespace

CLI::App& add_verb(CLI::App& parent, const std::string& name, const std::string& help) {
  return *parent.add_subcommand(name, help);
}

void add_missing_verb(CLI::App& parent, Context& context, const std::string& name, const std::string& help,
                      const std::string& why) {
  auto& verb = add_verb(parent, name, help);
  verb.allow_extras();
  if (context.full_program) verb.set_help_flag();
  on_call(verb, context, [why, &context] {
    need_full_program(context);
    throw Error(why);
  });
}

void on_call(CLI::App& verb, Context& context, std::function<void()> action, Ignored ignored) {
  verb.callback([&verb, &context, ignored, action = std::move(action)] {
    context.action = [&verb, &context, ignored, action] {
      if (ignored == Ignored::refused) refuse_ignored(verb, context);
      action();
    };
  });
}

void add_flag(CLI::App& verb, const std::string& name, bool& value, const std::string& help) {
  verb.add_flag("--" + name, value, help);
}

CLI::Option& add_option(CLI::App& command, Context& context, OptionValue value, commands::Argument argument) {
  const auto description = argument.description;
  const std::string names = names_of(description.key);
  CLI::Option* option = std::visit(
      [&](auto to) -> CLI::Option* {
        using To = decltype(to);
        if constexpr (std::is_same_v<To, std::function<void(const std::string&)>>) {
          CLI::Option* added = command.add_option_function<std::string>(names, to, description.help);
          if (argument.fallback) added->default_str(parameters::to_text(*argument.fallback));
          return added;
        } else {
          CLI::Option* added = command.add_option(names, *to, description.help);
          added->default_str(default_text(*to));
          if constexpr (std::is_same_v<To, int*> || std::is_same_v<To, std::int64_t*>)
            argument.fallback = std::int64_t{*to};
          if constexpr (std::is_same_v<To, double*>) argument.fallback = *to;
          if constexpr (std::is_same_v<To, std::string*>) {
            if (!to->empty()) argument.fallback = *to;
          }
          return added;
        }
      },
      value);
  if (!is_word(description.key) && !option->get_default_str().empty()) argument.is_optional = true;
  option->type_name(value_name(argument));
  option->check([description](const std::string& text) { return fault_of(description, text); }, "");
  if (!description.group.empty()) option->group(description.group);
  option->required(!argument.is_optional);
  if (argument.is_repeatable && !is_word(description.key)) {
    option->allow_extra_args(false);
    if (description.kind != Kind::text) option->delimiter(',');
  }
  describe(context, option, std::move(argument));
  return *option;
}

}  // namespace isolume::batch
