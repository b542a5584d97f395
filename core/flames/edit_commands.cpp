#include "core/flames/edit_commands.h"

#include "core/flames/evolve.h"

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

void randomise(Editing& editing, const Arguments& arguments) {
  set_flame(editing,
            random_flame(seed(editing, arguments), editing.flame.view.width, editing.flame.view.height));
}
void mutate(Editing& editing, const Arguments& arguments) {
  editing.flame = mutated(editing.flame, arguments.number("strength"), seed(editing, arguments));
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

}  // namespace

const std::vector<EditCommand>& edit_commands() {
  static const std::vector<EditCommand> all{
      {{.name = "flames.flame.randomise",
        .title = "Random flame",
        .help = "Replace the flame by a random one.",
        .arguments = {seed_argument()},
        .keywords = "new generate"},
       randomise},
      {{.name = "flames.flame.mutate",
        .title = "Mutate",
        .help = "Change all functions of the flame at random.",
        .arguments = {number("strength", "Size of the changes.").range(0, 1).optional(0.3), seed_argument()},
        .keywords = "vary evolve"},
       mutate},
      {{.name = "flames.function.add",
        .title = "Add function",
        .help = "Add a copy of the chosen function, moved a little, and choose it.",
        .keywords = "transform xform"},
       [](Editing& editing, const Arguments&) { add_function(editing); }},
      {{.name = "flames.function.delete",
        .title = "Delete function",
        .help = "Delete the chosen function.",
        .keywords = "remove xform"},
       [](Editing& editing, const Arguments&) { delete_chosen(editing); }},
      {{.name = "flames.function.final",
        .title = "Add or remove final transform",
        .help = "Add a final transform, which changes what is plotted, or remove it.",
        .keywords = "finalxform lens"},
       [](Editing& editing, const Arguments&) { toggle_final_transform(editing); }},
      {{.name = "flames.map.set",
        .title = "Set affine map...",
        .help = "Set the affine map of a function, as dragging its triangle does.",
        .arguments = map_arguments(),
        .keywords = "triangle coefficients"},
       set_map_as_given},
      {{.name = "flames.view.set",
        .title = "Set view...",
        .help = "Set centre and scale of the picture, as dragging and the wheel do.",
        .arguments = {number("x", "Centre of the picture.").range(-1e6, 1e6),
                      number("y", "Centre of the picture.").range(-1e6, 1e6),
                      number("scale", "Pixels per unit.").range(1e-6, 1e9)},
        .keywords = "pan zoom"},
       set_view},
      {{.name = "flames.view.fit",
        .title = "Fit flame",
        .help = "Show 96 % of the points of the flame.",
        .keywords = "zoom reset"},
       [](Editing& editing, const Arguments&) { editing.flame.view = fitted_view(editing.flame); }},
  };
  return all;
}

}  // namespace isolume::flames
