#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/parameter_flags.h"
#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/picture_request.h"
#include "app/scene/camera.h"
#include "app/scene/image.h"
#include "core/base/error.h"
#include "core/sessions/session.h"
#include "gpu/interop/make_surface_engine.h"
#include "gpu/machine.h"
#include "gpu/orbitals/engines.h"

namespace isolume::batch {
namespace {

struct Options {
  std::string file;
  labs::orbitals::PictureRequest request;
  parameters::StructParameters<orbitals::FieldParameters> field{orbitals::field_schema(), request.field};
  parameters::StructParameters<labs::orbitals::ViewParameters> view{labs::orbitals::view_schema(),
                                                                    request.view};
  parameters::CombinedParameters both{{&field, &view}};
  scene::ImageOptions image;
  std::string camera = "tilted";  // as the window starts
  bool dark = false;
  std::string output;
  bool json = false;
};

/// "1280x960"
void parse_size(std::string_view text, scene::ImageOptions& image) {
  const auto number = [&](std::string_view part) {
    int value = 0;
    const auto [end, failed] = std::from_chars(part.data(), part.data() + part.size(), value);
    if (failed != std::errc() || end != part.data() + part.size() || value < 16 || value > 16384) {
      throw Error(
          fmt::format("--size: expected WIDTHxHEIGHT in pixels, each 16 to 16384, found {}.", quoted(text)));
    }
    return value;
  };
  const std::size_t cross = std::min(text.find('x'), text.size());
  image.width = number(text.substr(0, cross));
  image.height = number(text.substr(std::min(cross + 1, text.size())));
}

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, const CLI::App& command, Options& options) {
  const std::filesystem::path path = options.file;
  const auto session = sessions::read_session(path);
  const auto lab = std::ranges::find_if(
      session.documents, [](const auto& each) { return each.lab == "orbitals" && each.front; });
  if (lab == session.documents.end() || !lab->data) {
    throw InputError(path, 0,
                     "nothing of the Orbitals lab is in it, the only one that is drawn without a window",
                     "Open it with isolume.");
  }
  const auto data = sessions::locate(*lab->data, path);
  if (data.found == sessions::Found::missing) {
    throw InputError(
        path, 0, fmt::format("refers to {}, which is not there", data.path.string()),
        "Put it beside the session as it was, or open the session with isolume and say where it is.");
  }
  if (data.found == sessions::Found::changed) {
    complain(context.err, fmt::format("{} has changed since the session was saved.", data.path.string()));
  }
  for (const auto& [key, text] : lab->parameters) {
    if (options.both.has(key) && given(command, key)) continue;
    try {
      options.both.set_text(key, text);
    } catch (const Error& error) {
      complain(context.err, error.what());
    }
  }
  try {
    options.request.file_field = lab->state.value("field", std::size_t{0});
    if (lab->state.value("frame", 0) != 0) {
      complain(context.err, "The session shows a later geometry of the file; the first one is drawn.");
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(path, 0, fmt::format("the lab's state cannot be read: {}", error.what()));
  }
  if (command.count("--camera") == 0 && !lab->camera.empty()) options.camera = lab->camera;
  options.file = data.path.string();
}

void render(Context& context, Options& options) {
  check_outputs(std::array{options.output}, std::array{options.file});
  options.request.document = std::make_shared<const molecules::Document>(read(context, options.file, 0.3));
  const auto& document = *options.request.document;
  explain_spin(context, options.file, document, options.request.field);
  vtkNew<vtkRenderer> renderer;
  labs::orbitals::OrbitalScene scene(*renderer);
  scene.set_molecule(document.molecule);
  nlohmann::ordered_json json{{"file", options.file}, {"output", options.output}};
  std::string told = document.path.filename().string();
  if (document.wavefunction || !document.fields.empty()) {
    const auto pool = gpu::make_device_pool();
    const auto surfaces = gpu::make_surface_engine(pool);
    const auto engines = std::make_shared<const orbitals::EngineRegistry>(gpu::make_orbital_engines(pool));
    const auto picture = labs::orbitals::compute_picture(options.request, engines,
                                                         context.progress.part(0.3, 0.8), surfaces.get());
    scene.field().show(picture);
    told = scene::readings(picture);
    json["field"] = picture.field->name;
    json["isovalue"] = picture.isovalue;
    json["enclosed"] = picture.enclosed;
    json["triangles"] = picture.lobes.positive.triangle_count() + picture.lobes.negative.triangle_count();
  }
  scene.set_view(options.request.view, options.dark);
  if (const std::string why = scene.field().missing_surface(); !why.empty()) complain(context.err, why);
  scene::set_camera(*renderer, options.camera);
  context.progress.check();
  context.progress.report(0.8, "drawing");
  const auto image = scene::render_offscreen(*renderer, options.image);
  context.progress.check();
  scene::write_png(*image, options.image.dpi, options.output);
  if (options.json) {
    json["width"] = options.image.width;
    json["height"] = options.image.height;
    print(context.out, json);
  } else {
    context.out << fmt::format("{}: {}\n", options.output, told);
  }
}

}  // namespace

void add_orbitals_render(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  auto* command = program.add_subcommand("render", "Draw a file into a PNG, with or without a display.");
  describe(
      context,
      command
          ->add_option("FILE", options->file,
                       "File with orbitals, fields or a structure, plain or .gz; or a session (.isolume)")
          ->required(),
      commands::path("FILE", ""));
  describe(context, command->add_option("-o,--output", options->output, "The PNG file to write")->required(),
           commands::path("output", ""));
  command
      ->add_option_function<std::string>(
          "--size", [options](const std::string& text) { parse_size(text, options->image); },
          "Width and height in pixels")
      ->type_name("WxH")
      ->default_str(fmt::format("{}x{}", options->image.width, options->image.height));
  command
      ->add_option("--camera", options->camera,
                   fmt::format("{}, or px,py,pz,fx,fy,fz,ux,uy,uz in angstrom",
                               fmt::join(scene::view_presets(), ", ")))
      ->capture_default_str();
  describe(context,
           command->add_option("--dpi", options->image.dpi, "Resolution written into the PNG")
               ->check(CLI::Range(1, 10000)),
           commands::integer("dpi", "").range(1, 10000));
  command->add_flag("--transparent", options->image.transparent, "No background");
  command->add_flag("--dark", options->dark, "Colours for a dark background");
  command->add_flag("--json", options->json, "Print what was drawn as JSON");
  add_parameter_flags(*command, options->both, context);
  command->callback([options, command, &context] {
    if (std::filesystem::path(options->file).extension() == sessions::suffix) {
      take_session(context, *command, *options);
    }
    // Naming a value means to use it.
    if (!given(*command, "isovalue-mode")) {
      if (given(*command, "isovalue") && given(*command, "enclosed")) {
        throw Error("--isovalue and --enclosed both say where the surface is; give one of them.");
      }
      if (given(*command, "isovalue")) options->view.set_text("isovalue-mode", "value");
      if (given(*command, "enclosed")) options->view.set_text("isovalue-mode", "enclosed");
    }
    if (given(*command, "colour-limit") && !given(*command, "colour-range"))
      options->view.set_text("colour-range", "locked");
    if (given(*command, "colour-orbital") && !given(*command, "colour-by"))
      options->view.set_text("colour-by", "orbital");
    context.action = [options, &context] { render(context, *options); };
  });
}

}  // namespace isolume::batch
