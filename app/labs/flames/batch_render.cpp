#include "app/labs/flames/batch_render.h"

#include <array>
#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/pictures/png_file.h"
#include "core/flames/flame_file.h"
#include "core/flames/renderer.h"
#include "gpu/flames/engines.h"
#include "gpu/machine.h"

namespace isolume::batch {
namespace {

struct Options {
  std::string file, output;
  int width = 0, height = 0, dpi = 300;
  double quality = 0;
  dispatch::ComputeOptions compute;
  parameters::StructParameters<dispatch::ComputeOptions> set{dispatch::compute_schema(), compute};
  bool transparent = false, json = false;
};

void render(Context& context, const Options& options) {
  check_outputs(context, std::array{options.output}, std::array{options.file});
  auto read = flames::read_flames(options.file);
  report(context, options.file, read.remarks);
  const flames::Flame& flame = read.flames.front();
  flames::RenderRequest request{
      .flame = flame, .view = flame.view, .quality = flame.quality, .compute = options.compute};
  const int width = options.width > 0 ? options.width : flame.view.width;
  request.view = flames::resized(flame.view, width, options.height > 0 ? options.height : flame.view.height);
  if (options.quality > 0) request.quality = options.quality;
  if (options.transparent) request.background = flames::Background::transparent;
  const auto drawn =
      flames::render(gpu::make_flame_engines(gpu::make_device_pool()), request, context.progress);
  using enum pictures::FourthByte;
  pictures::write_png({.bytes = drawn.picture.rgba,
                       .width = drawn.picture.width,
                       .height = drawn.picture.height,
                       .fourth = options.transparent ? opacity : unused},
                      options.output, options.dpi);
  if (!options.json) {
    context.out << fmt::format("{}: {:.3g} million points, {:.3g} million/s, {}\n", options.output,
                               1e-6 * static_cast<double>(drawn.points), 1e-6 * drawn.points_per_second,
                               drawn.report.by());
    return;
  }
  print(context.out, {{"output", options.output},
                      {"width", drawn.picture.width},
                      {"height", drawn.picture.height},
                      {"points", drawn.points},
                      {"points_per_pixel", drawn.points_per_pixel},
                      {"in_view", drawn.in_view},
                      {"points_per_second", drawn.points_per_second},
                      {"engine", drawn.report.by()},
                      {"devices", describe_shares(drawn.report)},
                      {"remarks", json_of(context.remarks)}});
}

}  // namespace

void add_flames_render(CLI::App& lab, Context& context) {
  auto options = std::make_shared<Options>();
  auto& verb = add_verb(lab, "render", "Draw a flame as a PNG.");
  const auto side = [&](const char* name, const char* help, int* to) {
    add_option(verb, context, to, commands::integer(name, help).unit("px").range(0, 16384));
  };
  add_option(verb, context, &options->file,
             commands::path("FILE", "A .flame file; its first flame is drawn"));
  add_option(verb, context, &options->output, commands::path("output", "The PNG file to write"));
  side("width", "Width of the picture; 0 takes that of the file", &options->width);
  side("height", "Height of the picture; 0 takes that of the file", &options->height);
  add_option(verb, context, &options->dpi,
             commands::integer("dpi", "Resolution stored in the PNG, in dots per inch").range(1, 10000));
  add_flag(verb, "transparent", options->transparent, "No background");
  add_option(verb, context, &options->quality,
             commands::number("quality", "Points per pixel; 0 is the quality of the file").range(0, 1e5));
  add_flag(verb, "json", options->json, "Print JSON");
  add_parameter_flags(verb, options->set, context);
  on_call(verb, context, [options, &context] { render(context, *options); });
}

}  // namespace isolume::batch
