// The verbs script and commands.
#include "core/commands/script.h"

#include <algorithm>
#include <memory>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/workbench/commands/declared_commands.h"

namespace isolume::batch {
namespace {

std::string dotted(std::string words) {
  std::ranges::replace(words, ' ', '.');
  return words;
}

void run_script(const CLI::App& program, Context& context, const std::string& file) {
  need_full_program(context);
  const auto running = context.scripts.begin(file);
  auto lines = commands::read_script(file);
  const auto registry = make_registry(program, context);
  registry->explain_unbound(fmt::format("it needs a window. Run the script with isolume --script {}.", file));
  std::string failure;
  commands::run_script(
      std::move(lines),
      [&](const std::string& line, auto then) {
        context.progress.check();
        registry->start(line, std::move(then));
      },
      [&failure](const std::string& error) { failure = error; });
  context.progress.check();  // a cancelled line fails; report the cancellation instead
  if (!failure.empty()) throw Error(failure);
}

/// In the format of `to_json` of a declaration.
nlohmann::ordered_json argument_json(const CLI::Option& option, const Context& context) {
  const auto found = context.described.find(&option);
  const bool is_flag = option.get_expected_max() == 0;
  nlohmann::ordered_json json{{"name", option.get_single_name()}};
  if (found != context.described.end()) {
    json.update(commands::to_json(found->second));
    json["name"] = option.get_single_name();
  } else {
    const std::string type = option.get_type_name().substr(0, option.get_type_name().find_first_of(": "));
    json["type"] = is_flag                           ? "flag"
                   : type == "INT" || type == "UINT" ? "integer"
                   : type == "FLOAT"                 ? "number"
                                                     : "text";
    if (!option.get_default_str().empty()) json["default"] = option.get_default_str();
  }
  json["help"] = option.get_description();
  json["optional"] = !option.get_required();
  json["repeatable"] = option.get_expected_max() > 1 || option.get_items_expected_max() > 1;
  if (!option.get_positional()) json["flag"] = option.get_name(false, true);
  return json;
}

nlohmann::ordered_json verb_json(const Verb& verb, const Context& context) {
  nlohmann::ordered_json json{{"name", dotted(verb.words)},
                              {"title", "isolume-batch " + verb.words},
                              {"help", verb.app->get_description()}};
  json["arguments"] = nlohmann::ordered_json::array();
  for (const CLI::Option* option : verb.app->get_options()) {
    if (option->get_name(false, true).find("--help") == std::string::npos)
      json["arguments"].push_back(argument_json(*option, context));
  }
  return json;
}

void list_commands(const CLI::App& program, Context& context, const std::string& lab, bool as_json) {
  need_full_program(context);  // for the options of all verbs
  const auto verbs = verbs_of(program);
  auto all = nlohmann::ordered_json::array();
  const auto registry = make_registry(program, context);
  for (const commands::Command* command : registry->all()) {
    if (!lab.empty() && !command->name.starts_with(lab + ".")) continue;
    const auto verb =
        std::ranges::find(verbs, command->name, [](const Verb& each) { return dotted(each.words); });
    auto json = verb == verbs.end() ? commands::to_json(*command) : verb_json(*verb, context);
    json["needs_window"] = verb == verbs.end();
    all.push_back(std::move(json));
    if (!as_json) {
      const std::string usage = verb == verbs.end() ? command->usage() : "--help for its options";
      context.out << fmt::format("{}{}{}\n    {}\n", command->name, usage.empty() ? "" : " ", usage,
                                 command->help);
    }
  }
  if (all.empty())
    throw Error(fmt::format("No command begins with {}. The labs are {}.", isolume::quoted(lab),
                            lab_names(context.labs)));
  if (as_json) print(context.out, all);
}

}  // namespace

std::unique_ptr<commands::Registry> make_registry(const CLI::App& program, Context& context) {
  auto registry = std::make_unique<commands::Registry>();
  registry->declare(workbench::declared_commands());
  for (const BatchLab& lab : context.labs) registry->declare(lab.description.commands);
  registry->explain_unbound("it needs a window.");
  for (const Verb& verb : verbs_of(program)) {
    commands::Command command;
    command.name = dotted(verb.words);
    command.title = "isolume-batch " + verb.words;
    command.help = verb.app->get_description();
    command.arguments = {commands::text("words", "Arguments as on the command line of isolume-batch.")
                             .repeatable()
                             .optional()};
    command.run = [&context, words = commands::split(verb.words)](const commands::Arguments& arguments) {
      std::vector<std::string> line = words;
      for (std::string& word : arguments.texts("words")) line.push_back(std::move(word));
      Context inner{context.labs, context.out, context.err, context.progress};
      inner.scripts = context.scripts;
      execute(std::move(line), inner);
    };
    registry->add(std::move(command));
  }
  return registry;
}

void add_script(CLI::App& program, Context& context) {
  auto file = std::make_shared<std::string>();
  auto& command = add_verb(
      program, "script",
      "Run a file of commands, one per line (orbitals.render FILE -o OUT.png), and stop at the first error.");
  add_option(command, context, file.get(), commands::path("FILE", "Script to run"));
  on_call(command, context, [&program, file, &context] { run_script(program, context, *file); });
}

void add_commands(CLI::App& program, Context& context) {
  struct Options {
    std::string lab;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  auto& command = add_verb(program, "commands", "List all commands of the window and of this program.");
  add_option(command, context, &options->lab,
             commands::text("lab", fmt::format("List only commands that begin with this: {}, file, view ...",
                                               lab_names(context.labs)))
                 .optional());
  add_flag(command, "json", options->json, "Print JSON: names and arguments with type, unit, range and help");
  on_call(command, context,
          [&program, options, &context] { list_commands(program, context, options->lab, options->json); });
}

}  // namespace isolume::batch
