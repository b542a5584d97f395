#include "app/batch/batch_lab.h"

#include <array>
#include <ostream>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/picture_options.h"
#include "app/batch/shares.h"
#include "app/labs/flames/description.h"
#include "app/pictures/png_file.h"
#include "core/flames/describe.h"
#include "core/flames/edit_commands.h"
#include "core/flames/evolve.h"
#include "core/flames/flame_file.h"
#include "gpu/flames/engines.h"
#include "gpu/machine.h"

namespace isolume::labs::flames {
namespace {

using namespace isolume::flames;
using batch::add_option;
using commands::integer;
using commands::path;
using Json = nlohmann::ordered_json;

struct Options {
  std::string file, output;
  std::vector<std::string> edits;
  int width = 0, height = 0, dpi = 300;
  double quality = 0;
  std::int64_t clouds = 20;
  bool transparent = false, json = false;
  dispatch::ComputeOptions compute;
  parameters::StructParameters<dispatch::ComputeOptions> set{dispatch::compute_schema(), compute};
};

std::vector<Flame> read(batch::Context& context, const std::string& file) {
  auto all = read_flames(file);
  batch::report(context, file, all.remarks);
  return std::move(all.flames);
}

/// JSON with what has been remarked, or text.
void print(batch::Context& context, const Options& options, Json json, const std::string& text) {
  if (!options.json) return void(context.out << text);
  json["remarks"] = isolume::json_of(context.remarks);
  batch::print(context.out, json);
}

void describe(batch::Context& context, const Options& options) {
  Json all = Json::array();
  std::string text;
  for (const Flame& flame : read(context, options.file)) {
    all.push_back(json_of(flame));
    text += text_of(flame);
  }
  print(context, options, {{"flames", all}}, text);
}

void edit(batch::Context& context, const Options& options) {
  batch::check_outputs(context, std::array{options.output}, std::array{options.file});
  Editing editing;
  if (!options.file.empty()) set_flame(editing, read(context, options.file).front());
  for (const std::string& line : options.edits) batch::report(context, edit(editing, line));
  write_flames({&editing.flame, 1}, options.output);
  print(context, options, {{"output", options.output}, {"flame", json_of(editing.flame)}},
        options.output + ": " + text_of(editing.flame));
}

void render(batch::Context& context, const Options& options) {
  batch::check_outputs(context, std::array{options.output}, std::array{options.file});
  const Flame flame = read(context, options.file).front();
  const auto drawn = isolume::flames::render(
      gpu::make_flame_engines(gpu::make_device_pool()),
      {.flame = flame,
       .view = options.width > 0 ? resized(flame.view, options.width, options.height) : flame.view,
       .quality = options.quality > 0 ? options.quality : flame.quality,
       .background = options.transparent ? Background::transparent : Background::drawn,
       .compute = options.compute},
      context.progress);
  using enum pictures::FourthByte;
  pictures::write_png({.bytes = drawn.picture.rgba,
                       .width = drawn.picture.width,
                       .height = drawn.picture.height,
                       .fourth = options.transparent ? opacity : unused},
                      options.output, options.dpi);
  Json json{{"output", options.output}};
  json.update(json_of(drawn));
  json["devices"] = batch::describe_shares(drawn.report);
  print(context, options, json, options.output + ": " + text_of(drawn) + "\n");
}

void bench(batch::Context& context, const Options& options) {
  const auto engines = gpu::make_flame_engines(gpu::make_device_pool());
  std::vector<const Engine*> timed;
  for (const auto& engine : engines.engines()) timed.push_back(engine.get());
  const Json json =
      benchmark(timed, options.file.empty() ? random_flame(4) : read(context, options.file).front(),
                options.clouds, options.compute, context.progress);
  std::string text;
  for (const auto& line : lines_of(json)) text += line + "\n";
  print(context, options, json, text);
}

/// A verb with --json, and its options.
std::pair<CLI::App&, Options&> add(CLI::App& parent, batch::Context& context, const char* name,
                                   const char* help, void (*act)(batch::Context&, const Options&)) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(parent, name, help);
  batch::add_flag(verb, "json", options->json, "Print JSON");
  batch::on_call(verb, context, [options, act, &context] { act(context, *options); });
  return {verb, *options};
}

void add_verbs(CLI::App& lab, batch::Context& context) {
  auto [description, described] =
      add(lab, context, "describe", "Functions, variations and view of the flames of a file.", describe);
  add_option(description, context, &described.file, path("FILE", "A .flame file"));

  auto [editing, edited] = add(lab, context, "edit", "Change a flame by commands, and write it.", edit);
  add_option(
      editing, context, &edited.file,
      path("FILE", "A .flame file, of which the first flame is changed; without one, the Sierpinski gasket")
          .optional());
  add_option(
      editing, context, &edited.edits,
      commands::text("run",
                     "A command of the window that changes a flame (\"flames.flame.mutate 0.2 7\"), or "
                     "parameter.set KEY VALUE or flames.seek TIME; several are run in their order")
          .repeatable());
  add_option(editing, context, &edited.output, path("output", "The .flame file to write"));

  auto [drawing, drawn] = add(lab, context, "render", "Draw a flame as a PNG.", render);
  add_option(drawing, context, &drawn.file, path("FILE", "A .flame file; its first flame is drawn"));
  add_option(drawing, context, &drawn.output, path("output", "The PNG file to write"));
  batch::add_picture_options(drawing, drawn.width, drawn.height, drawn.dpi, context);
  batch::add_flag(drawing, "transparent", drawn.transparent, "No background");
  add_option(drawing, context, &drawn.quality,
             commands::number("quality", "Points per pixel; 0 is the quality of the file").range(0, 1e5));
  batch::add_parameter_flags(drawing, drawn.set, context);
}

void add_bench(CLI::App& parent, batch::Context& context) {
  auto [verb, options] =
      add(parent, context, "flames", "Points per second of the engines and of a serial chaos game.", bench);
  add_option(verb, context, &options.file,
             path("FILE", "A .flame file; without one, a random flame").optional());
  add_option(verb, context, &options.clouds,
             integer("clouds", "Clouds of 245,760 points each").range(8, 1e6));
  add_option(verb, context, &options.compute.threads,
             integer("threads", "CPU threads; 0 uses all of them").range(0, 4096));
}

}  // namespace

/// `isolume-batch flames`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Fractal flames.",
          .add_verbs = add_verbs,
          .add_bench = add_bench};
}

}  // namespace isolume::labs::flames
