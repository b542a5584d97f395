#include <array>
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/scene_picture.h"
#include "app/batch/session_document.h"
#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "app/labs/orbitals/orbital_scene.h"
#include "app/labs/orbitals/picture_request.h"
#include "core/base/error.h"
#include "core/base/error_text.h"
#include "gpu/electrostatics/engines.h"
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
  ScenePicture picture;
};

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, const CLI::App& command, Options& options) {
  const auto [lab, data] = read_session_document(context, options.file, "orbitals");
  take_parameters(context, command, lab, options.both);
  try {
    options.request.file_field = lab.state.value("field", std::size_t{0});
    if (lab.state.value("frame", 0) != 0) {
      complain(context.err, "The session shows another geometry of the file; the first one is drawn.");
    }
  } catch (const nlohmann::json::exception& error) {
    throw InputError(options.file, 0, fmt::format("the lab's state cannot be read: {}", error_text(error)));
  }
  if (!given(command, "camera") && !lab.camera.empty()) options.picture.camera = lab.camera;
  options.file = data.string();
}

/// Naming a value means to use it.
void use_what_is_named(const CLI::App& command, Options& options) {
  const auto imply = [&](const char* value, const char* mode, const char* text) {
    if (given(command, value) && !given(command, mode)) options.view.set_text(mode, text);
  };
  imply("isovalue", "isovalue-mode", "value");
  imply("enclosed", "isovalue-mode", "enclosed");
  imply("colour-limit", "colour-range", "locked");
  imply("colour-low", "colour-range", "free");
  imply("colour-high", "colour-range", "free");
  imply("colour-orbital", "colour-by", "orbital");
  imply("potential-unit", "colour-by", "potential");
}

void render(Context& context, Options& options) {
  check_outputs(std::array{options.picture.output}, std::array{options.file});
  options.request.document = std::make_shared<const molecules::Document>(read(context, options.file, 0.3));
  const auto& document = *options.request.document;
  explain_spin(context, options.file, document, options.request.field);
  vtkNew<vtkRenderer> renderer;
  labs::orbitals::OrbitalScene scene(*renderer);
  scene.set_molecule(document.molecule);
  nlohmann::ordered_json json{{"file", options.file}, {"output", options.picture.output}};
  std::string told = document.path.filename().string();
  if (document.wavefunction || !document.fields.empty()) {
    const auto pool = gpu::make_device_pool();
    const auto surfaces = gpu::make_surface_engine(pool);
    const auto engines = std::make_shared<const orbitals::EngineRegistry>(gpu::make_orbital_engines(pool));
    if (document.wavefunction && options.request.view.colour_by == labs::orbitals::ColourBy::potential) {
      options.request.potential = std::make_shared<const labs::orbitals::SurfacePotential>(
          options.request.document,
          std::make_shared<const electrostatics::QuantumEngineRegistry>(gpu::make_quantum_engines(pool)));
    }
    const auto picture = labs::orbitals::compute_picture(options.request, engines,
                                                         context.progress.part(0.3, 0.8), surfaces.get());
    scene.field().show(picture);
    told = scene::readings(picture);
    json["field"] = picture.field->name;
    json["isovalue"] = picture.isovalue;
    json["enclosed"] = picture.enclosed;
    if (picture.colouring) {
      json["colours"] = {{"field", picture.colouring->field->name},
                         {"unit", picture.colouring->field->unit},
                         {"limit", picture.colouring->usual_limit}};
    }
    json["triangles"] = picture.lobes.positive.triangle_count() + picture.lobes.negative.triangle_count();
  }
  scene.set_view(options.request.view, options.picture.dark);
  if (const std::string why = scene.field().missing_surface(); !why.empty()) complain(context.err, why);
  draw(context, *renderer, options.picture);
  if (options.picture.json) {
    json["width"] = options.picture.image.width;
    json["height"] = options.picture.image.height;
    print(context.out, json);
  } else {
    context.out << fmt::format("{}: {}\n", options.picture.output, told);
  }
}

}  // namespace

void add_orbitals_render(CLI::App& program, Context& context) {
  auto options = std::make_shared<Options>();
  auto& command = add_verb(program, "render", "Draw a file as a PNG, with or without a display.");
  add_option(command, context, &options->file,
             commands::path(
                 "FILE", "File with orbitals, fields or a structure, plain or .gz; or a session (.isolume)"));
  add_scene_picture_options(command, context, options->picture);
  add_parameter_flags(command, options->both, context);
  on_call(command, context, [options, &command, &context] {
    if (!given(command, "isovalue-mode") && given(command, "isovalue") && given(command, "enclosed"))
      throw UsageError("--isovalue and --enclosed both set the surface; give one of them.");
    if (is_session(options->file)) take_session(context, command, *options);
    use_what_is_named(command, *options);
    render(context, *options);
  });
}

}  // namespace isolume::batch
