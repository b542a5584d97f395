#include "core/flames/edit_commands.h"

#include "core/base/error.h"
#include "core/base/number.h"
#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"

namespace isolume::flames {
namespace {

using commands::Argument;
using commands::Arguments;
using commands::number;

Argument seed_argument() {
  return commands::integer("seed", "Seed of the random numbers; if omitted, the next one.")
      .range(0, commands::most_whole)
      .optional();
}

std::uint64_t seed(Editing& editing, const Arguments& arguments) {
  editing.last_seed = arguments.has("seed") ? arguments.integer("seed") : editing.last_seed + 1;
  return static_cast<std::uint64_t>(editing.last_seed);
}

std::vector<Argument> map_arguments() {
  std::vector<Argument> all{commands::counted("function", "Number of the function.")};
  for (const char* name : {"a", "b", "c", "d", "e", "f"})
    all.push_back(number(name, "Coefficient of x' = a x + b y + c, y' = d x + e y + f.").range(-1e6, 1e6));
  return all;
}

/// An edit that reads no file.
template <class Edit>
auto without_remarks(Edit edit) {
  return [edit](Editing& editing, const Arguments& arguments) {
    edit(editing, arguments);
    return Remarks();
  };
}

void randomise(Editing& editing, const Arguments& arguments) {
  const View& view = editing.flame.view;
  set_flame(editing, random_flame(seed(editing, arguments), view.width, view.height));
}
void mutate(Editing& editing, const Arguments& arguments) {
  editing.flame = mutated(editing.flame, arguments.number("strength"), seed(editing, arguments));
}
void interpolate(Editing& editing, const Arguments&) {
  set_flame(editing, shown_flame(editing));
  editing.time = 0;
}
void set_map_as_given(Editing& editing, const Arguments& arguments) {
  const auto at = [&](const char* name) { return arguments.number(name); };
  set_map(editing, arguments.integer("function"), {at("a"), at("b"), at("c"), at("d"), at("e"), at("f")});
}
void set_view(Editing& editing, const Arguments& arguments) {
  editing.flame.view.x = arguments.number("x");
  editing.flame.view.y = arguments.number("y");
  editing.flame.view.scale = arguments.number("scale");
}
Remarks open_second(Editing& editing, const Arguments& arguments) {
  auto file = read_flames(arguments.text("file"));
  editing.second = std::move(file.flames.front());
  return file.remarks;
}

}  // namespace

const std::vector<EditCommand>& edit_commands() {
  static const std::vector<EditCommand> all{
      {{.name = "flames.flame.randomise",
        .title = "Random flame",
        .help = "Replace the flame by a random one.",
        .arguments = {seed_argument()},
        .keywords = "new generate"},
       without_remarks(randomise)},
      {{.name = "flames.flame.mutate",
        .title = "Mutate",
        .help = "Change all functions of the flame at random.",
        .arguments = {number("strength", "Size of the changes.").range(0, 1).optional(0.3), seed_argument()},
        .keywords = "vary evolve"},
       without_remarks(mutate)},
      {{.name = "flames.flame.interpolate",
        .title = "Keep interpolated flame",
        .help = "Replace the flame by the one that is shown at this time.",
        .keywords = "freeze morph"},
       without_remarks(interpolate)},
      {{.name = "flames.function.add",
        .title = "Add function",
        .help = "Add a copy of the chosen function, moved a little, and choose it.",
        .keywords = "transform xform"},
       without_remarks([](Editing& editing, const Arguments&) { add_function(editing); })},
      {{.name = "flames.function.delete",
        .title = "Delete function",
        .help = "Delete the chosen function.",
        .keywords = "remove xform"},
       without_remarks([](Editing& editing, const Arguments&) { delete_chosen(editing); })},
      {{.name = "flames.function.final",
        .title = "Add or remove final transform",
        .help = "Add a final transform, which changes what is plotted, or remove it.",
        .keywords = "finalxform lens"},
       without_remarks([](Editing& editing, const Arguments&) { toggle_final_transform(editing); })},
      {{.name = "flames.map.set",
        .title = "Set affine map...",
        .help = "Set the affine map of a function, as dragging its triangle does.",
        .arguments = map_arguments(),
        .keywords = "triangle coefficients"},
       without_remarks(set_map_as_given)},
      {{.name = "flames.view.set",
        .title = "Set view...",
        .help = "Set centre and scale of the picture, as dragging and the wheel do.",
        .arguments = {number("x", "Centre of the picture.").range(-1e6, 1e6),
                      number("y", "Centre of the picture.").range(-1e6, 1e6),
                      number("scale", "Pixels per unit.").range(1e-6, 1e9)},
        .keywords = "pan zoom"},
       without_remarks(set_view)},
      {{.name = "flames.view.fit",
        .title = "Fit flame",
        .help = "Show 96 % of the points of the flame.",
        .keywords = "zoom reset"},
       without_remarks([](Editing& editing, const Arguments&) {
         editing.flame.view = fitted_view(shown_flame(editing));
       })},
      {{.name = "flames.target.open",
        .title = "Open second flame...",
        .help = "Open a flame to which playing interpolates, and back.",
        .arguments = {commands::path("file", "A .flame file.").asked_for()},
        .keywords = "morph blend animate"},
       open_second},
      {{.name = "flames.target.clear",
        .title = "Remove second flame",
        .help = "Remove the second flame; playing turns the functions again."},
       without_remarks([](Editing& editing, const Arguments&) {
         if (!editing.second) throw Error("There is no second flame. Open one: flames.target.open.");
         editing.second.reset();
       })},
  };
  return all;
}

Remarks edit(Editing& editing, std::string_view command, std::span<const std::string> words) {
  std::string names;
  for (const auto& each : edit_commands()) {
    names += each.declaration.name + ", ";
    if (each.declaration.name != command) continue;
    Editing after = editing;
    Remarks remarks = each.edit(after, Arguments(each.declaration, words));
    require_valid(after.flame);
    editing = std::move(after);
    return remarks;
  }
  throw Error("There is no command " + quoted(command) + " that changes a flame. There are " + names +
              "flames.seek and parameter.set.");
}

Remarks edit(Editing& editing, std::string_view line) {
  std::vector<std::string> words = commands::split(line);
  if (words.empty()) throw Error("The command is empty. Expected one such as \"flames.flame.mutate 0.3\".");
  const std::string command = words.front();
  words.erase(words.begin());
  if (command == "flames.seek") {
    const auto time = words.size() == 1 ? parse_finite(words.front()) : std::nullopt;
    if (!time || *time < 0 || *time > 1)
      throw Error(quoted(line) + ": expected flames.seek TIME, from 0 to 1.");
    editing.time = *time;
    return {};
  }
  if (command != "parameter.set") return edit(editing, command, words);
  if (words.size() != 2) throw Error(quoted(line) + ": expected parameter.set KEY VALUE.");
  Editing after = editing;
  parameters::StructParameters<Editing>(editing_schema(), after).set_text(words[0], words[1]);
  require_valid(after.flame);
  editing = std::move(after);
  return {};
}

}  // namespace isolume::flames
