#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"

namespace isolume::batch {
namespace {

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, 1, '\\');
  return text;
}

void print_option(std::ostream& out, const CLI::Option& option) {
  const bool positional = option.get_positional();
  std::string name = positional ? option.get_name(true) : option.get_name(false, true);
  if (const auto at = name.find("{false}"); at != std::string::npos)
    name.erase(at, 7);  // --slice,--no-slice{false}
  for (std::size_t at = 0; (at = name.find(',', at)) != std::string::npos; at += 2) name.insert(at + 1, " ");
  const std::string values = option.get_expected_max() == 0 || positional ? "" : option.get_type_name();
  const std::string fallback = option.get_default_str();
  out << fmt::format("| `{}` | {} | {} | {} |\n", name, cell(values),
                     fallback.empty() ? "" : fmt::format("`{}`", cell(fallback)),
                     cell(option.get_description()));
}

void print_verb(const Context& context, const Verb& verb) {
  std::ostream& out = context.out;
  out << fmt::format("\n## {}\n\n{}\n", verb.words, verb.app->get_description());
  for (const auto& [form, words] : short_forms(context.labs)) {
    if (words == verb.words) out << fmt::format("\nShort form: `isolume-batch {} ...`\n", form);
  }
  out << "\n| option | values | default | meaning |\n|---|---|---|---|\n";
  for (const auto* option : verb.app->get_options()) {
    if (option->get_name(false, true).find("--help") == std::string::npos) print_option(out, *option);
  }
}

void print_verbs(const CLI::App& program, Context& context) {
  context.out << "# isolume-batch: reference\n\n"
                 "Written by `isolume-batch manual` from the program's own descriptions; do not edit.\n"
                 "Lengths are in angstrom. Parameters have the same names as in the window's panel.\n";
  for (const Verb& verb : verbs_of(program)) print_verb(context, verb);
}

/// "number in mm, 0 to 1".
std::string allowed(const commands::Argument& argument) {
  const auto& description = argument.description;
  const bool is_text = description.kind == parameters::Kind::text;
  std::string text = argument.is_path                 ? "a path"
                     : is_text && !description.colour ? "text"
                                                      : allowed_values(description);
  if (argument.fallback) text += fmt::format("; {} unless given", parameters::to_text(*argument.fallback));
  return text;
}

void print_window_command(std::ostream& out, const commands::Command& command) {
  const std::string usage = command.usage();
  out << fmt::format("\n### {}\n\n{}\n", command.name, command.help);
  if (!command.result.empty()) out << fmt::format("\nAnswers: {}\n", command.result);
  if (usage.empty()) return;
  out << fmt::format("\n`{} {}`\n\n| argument | values | meaning |\n|---|---|---|\n", command.name, usage);
  for (const auto& each : command.arguments) {
    out << fmt::format("| {}{} | {} | {} |\n", each.description.key, each.is_repeatable ? " ..." : "",
                       cell(allowed(each)), cell(each.description.help));
  }
}

void print_window_commands(const CLI::App& program, Context& context) {
  context.out
      << "# Commands: reference\n\n"
         "Written by `isolume-batch manual commands` from the program's own descriptions; do not edit.\n"
         "Everything that can be done in the window has a name. Type it in the palette (Ctrl+Shift+P), pass "
         "it to\n"
         "`isolume --command`, or write it in a script, one command per line. Optional arguments are in\n"
         "brackets; put words with spaces in double quotes.\n";
  std::string group;
  const auto registry = make_registry(program, context);
  for (const commands::Command* command : registry->all()) {
    if (command->run) continue;  // a verb of isolume-batch
    const std::string its = command->name.substr(0, command->name.find('.'));
    if (std::exchange(group, its) != its) context.out << fmt::format("\n## {}\n", its);
    print_window_command(context.out, *command);
  }
}

void print_parameter(std::ostream& out, const parameters::Description& description) {
  std::string meaning = description.help.empty() ? description.label : description.help;
  if (const std::string when = parameters::relevance_text(description); !when.empty()) meaning += " " + when;
  const bool* const flag = std::get_if<bool>(&description.default_value);
  const std::string fallback =
      flag != nullptr ? (*flag ? "on" : "off") : parameters::to_text(description.default_value);
  out << fmt::format("| `{}` | {} | {} | {} | {} |\n", description.key, cell(description.label),
                     cell(allowed_values(description)),
                     fallback.empty() ? "" : fmt::format("`{}`", cell(fallback)), cell(meaning));
}

void print_window_parameters(Context& context) {
  context.out
      << "# Parameters: reference\n\n"
         "Written by `isolume-batch manual parameters` from the program's own descriptions; do not edit.\n"
         "These are the keys of `parameter.set KEY VALUE`, in the palette (Ctrl+Shift+P), `isolume "
         "--command` and\n"
         "scripts. Values are those of a new window; files bring others along.\n";
  for (const BatchLab& lab : context.labs) {
    if (!lab.description.parameters) continue;
    context.out << fmt::format("\n## {}\n", lab.description.title);
    std::optional<std::string> group;
    for (const auto& each : lab.description.parameters()) {
      if (std::exchange(group, each.group) != each.group) {
        context.out << fmt::format(
            "\n### {}\n\n| key | in the panel | values | default | meaning |\n|---|---|---|---|---|\n",
            *group);
      }
      print_parameter(context.out, each);
    }
  }
}

}  // namespace

void add_manual(CLI::App& program, Context& context) {
  auto page = std::make_shared<std::string>("batch");
  auto& command = add_verb(program, "manual", "Print a reference page of the manual (Markdown).");
  command.group("");  // hidden
  add_option(command, context, page.get(),
             commands::choice("PAGE", "Which page", {"batch", "commands", "parameters"}).optional());
  on_call(command, context, [&program, page, &context] {
    if (*page == "parameters") return print_window_parameters(context);
    need_full_program(context);  // for the options of all verbs
    *page == "batch" ? print_verbs(program, context) : print_window_commands(program, context);
  });
}

}  // namespace isolume::batch
