#include <algorithm>
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
  struct {
    std::string file, place;  ///< empty without a session
  } session = {};
  std::size_t geometry = 0;  ///< that the session shows
};

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, const CLI::App& command, Options& options) {
  const auto session = read_session_document(context, options.file, "orbitals");
  const auto& [lab, data, place] = session;
  Remarks remarks;
  take_parameters(context, command, options.file, session, options.both);
  try {
    options.request.file_field = lab.state.value("field", std::size_t{0});
    options.geometry = lab.state.value("frame", std::size_t{0});
    if (!lab.state.value("measured_atoms", nlohmann::json()).empty())
      remarks.dropped("The session's measurement is left out: only the window shows it.");
  } catch (const nlohmann::json::exception& error) {
    throw InputError(options.file, 0, fmt::format("the lab's state cannot be read: {}", error_text(error)));
  }
  if (!given(command, "camera") && !lab.camera.empty()) options.picture.camera = lab.camera;
  report(context, options.file, remarks);
  options.session = {options.file, place};
  options.file = data.string();
}

/// What the session says of the file's content must be there.
void check_state(Context& context, const Options& options, const molecules::Document& document) {
  const auto require = [&](const char* key, std::size_t number, std::size_t count, const char* what) {
    if (number < count) return;
    throw InputError(options.session.file, 0,
                     fmt::format("{}.state.{}: there is no {} {} in {}", options.session.place, key, what,
                                 number, options.file),
                     "Open the session with isolume, and save it again.");
  };
  require("frame", options.geometry, document.frames.size() + 1, "geometry");
  if (!document.wavefunction)
    require("field", options.request.file_field, std::max<std::size_t>(1, document.fields.size()), "field");
  if (options.geometry == 0) return;
  Remarks remarks;
  remarks.dropped("The session shows another geometry of the file; the first one is drawn.");
  report(context, options.session.file, remarks);
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
  check_outputs(context, std::array{options.picture.output}, std::array{options.file});
  options.request.document = std::make_shared<const molecules::Document>(read(context, options.file, 0.3));
  const auto& document = *options.request.document;
  check_state(context, options, document);
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
    told = scene::readings(picture, options.request.view);
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
    json["remarks"] = json_of(context.remarks);
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
  on_call(
      command, context,
      [options, &command, &context] {
        if (!given(command, "isovalue-mode") && given(command, "isovalue") && given(command, "enclosed"))
          throw UsageError("--isovalue and --enclosed both set the surface; give one of them.");
        if (is_session(options->file)) take_session(context, command, *options);
        use_what_is_named(command, *options);
        refuse_ignored(command, context);
        render(context, *options);
      },
      Ignored::refused_by_action);
}

}  // namespace isolume::batch
