#include <ostream>
#include <sstream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"

namespace isolume::batch {
namespace {

/// A cell of a Markdown table.
std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
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

void print_command(std::ostream& out, CLI::App& command, const std::string& prefix) {
  out << fmt::format("\n## {}{}\n\n{}\n", prefix, command.get_name(), command.get_description());
  const auto below = command.get_subcommands([](CLI::App*) { return true; });
  if (!below.empty()) {
    for (auto* each : below) print_command(out, *each, prefix + command.get_name() + " ");
    return;
  }
  out << "\n| option | values | default | meaning |\n|---|---|---|---|\n";
  for (const auto* option : command.get_options()) {
    if (option->get_name(false, true).find("--help") == std::string::npos) print_option(out, *option);
  }
}

}  // namespace

void add_manual(CLI::App& program, Context& context) {
  auto* command = program.add_subcommand("manual", "Print the reference page of the manual (Markdown).");
  command->group("");  // hidden
  command->callback([&program, command, &context] {
    context.action = [&program, command, &context] {
      context.out << "# isolume-batch: reference\n\n"
                     "Written by `isolume-batch manual` from the program's own descriptions; do not edit.\n"
                     "Lengths are in angstrom. Parameters have the same names as in the window's panel.\n";
      for (auto* each : program.get_subcommands([](CLI::App*) { return true; })) {
        if (each != command) print_command(context.out, *each, "");
      }
    };
  });
}

}  // namespace isolume::batch
