#include <memory>
#include <optional>
#include <ostream>
#include <vector>

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/scene_picture.h"
#include "app/batch/session_document.h"
#include "app/labs/electrostatics/batch_verbs.h"
#include "app/labs/electrostatics/map_scene.h"
#include "app/labs/electrostatics/picture_request.h"
#include "app/labs/electrostatics/residue_outline.h"
#include "app/labs/electrostatics/selected_atoms.h"
#include "app/labs/electrostatics/structure_input.h"

namespace isolume::batch {
namespace {

namespace lab = labs::electrostatics;
namespace es = electrostatics;

struct RenderVerb {
  std::string file, residue, lines_file;
  StructureOptions structure;
  lab::PictureRequest request;
  parameters::StructParameters<es::PotentialOptions> how{es::potential_schema(), request.how};
  parameters::StructParameters<lab::MapView> view{lab::map_view_schema(), request.view};
  parameters::StructParameters<lab::MapLattice> where{lab::map_lattice_schema(), request.where};
  parameters::CombinedParameters all{{&how, &view, &where}};
  ScenePicture picture;
};

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, const CLI::App& command, RenderVerb& options) {
  const auto [document, data] = read_session_document(context, options.file, "electrostatics");
  take_parameters(context, command, document, options.all);
  if (!given(command, "camera") && !document.camera.empty()) options.picture.camera = document.camera;
  options.file = data.string();
}

/// Naming a value means to use it.
void use_what_is_named(const CLI::App& command, RenderVerb& options) {
  if (given(command, "isovalue") && !given(command, "shown")) options.view.set_text("shown", "potential");
  if (!options.lines_file.empty() && !given(command, "field-lines"))
    options.view.set_text("field-lines", "true");
  if (given(command, "colour-limit") && !given(command, "colour-range"))
    options.view.set_text("colour-range", "locked");
}

void tell(Context& context, const RenderVerb& options, const ChargesInput& input,
          const scene::FieldPicture& drawn) {
  const auto& picture = options.picture;
  if (!picture.json) {
    context.out << fmt::format("{}: {}\n", picture.output, scene::readings(drawn));
    return warn(context, input);
  }
  nlohmann::ordered_json json{
      {"file", options.file},
      {"output", picture.output},
      {"method", parameters::to_text(options.how.get("method"))},
      {"unit", drawn.field->unit},
      {"atoms", input.charges.size()},
      {"charge", structures::total_charge(input.charges)},
      {"without_parameters", input.without_parameters()},
      {"shown", parameters::to_text(options.view.get("shown"))},
      {"form", parameters::to_text(options.view.get("form"))},
      {"triangles", drawn.lobes.positive.triangle_count() + drawn.lobes.negative.triangle_count()},
      {"seconds",
       {{"field", drawn.field_milliseconds / 1000}, {"surface", drawn.surface_milliseconds / 1000}}},
      {"width", picture.image.width},
      {"height", picture.image.height}};
  if (const auto selected = lab::select_atoms(*options.request.molecule, options.request.view.selection)) {
    json["selection"] = {
        {"atoms", selected->atom_count}, {"residues", selected->residue_count}, {"charge", selected->charge}};
  }
  if (input.preparation) json["preparation"] = to_json(*input.preparation);
  print(context.out, json);
}

/// What is chosen, on the molecular surface.
void outline(const RenderVerb& options, const lab::SelectedAtoms* selected, const scene::Lobes& lobes,
             lab::MapScene& scene) {
  const auto& molecule = *options.request.molecule;
  const auto residue =
      options.residue.empty() ? std::optional<std::size_t>() : lab::find_residue(molecule, options.residue);
  if (options.request.view.shown != lab::Shown::surface) return;
  if (selected != nullptr) {
    scene.set_selection_outline(
        std::make_shared<const scene::LineSet>(lab::atoms_outline(lobes, molecule, selected->atoms)));
  }
  if (residue) {
    scene.set_outline(
        std::make_shared<const scene::LineSet>(lab::residue_outline(lobes, molecule, *residue)));
  }
}

void render(Context& context, RenderVerb& options) {
  std::vector<std::string> inputs{options.file};
  if (!options.structure.charges.empty()) inputs.push_back(options.structure.charges);
  std::vector<std::string> outputs{options.picture.output};
  if (!options.lines_file.empty()) outputs.push_back(options.lines_file);
  check_outputs(outputs, inputs);
  const auto input = read_charges(options.file, options.structure, context.progress.part(0, 0.1));
  options.request.molecule =
      lab::charged_molecule(options.file, input.charges, input.preparation, input.secondary);
  const auto drawn = lab::compute_picture(options.request, context.progress.part(0.1, 0.7));
  auto& view = options.request.view;
  if (view.colour_range == scene::ColourRange::usual && drawn.colouring)
    view.colour_limit = drawn.colouring->usual_limit;
  vtkNew<vtkRenderer> renderer;
  lab::MapScene scene(*renderer);
  scene.set_molecule(options.request.molecule);
  scene.field().show(drawn);
  if (view.field_lines) {
    const auto lines = lab::lines_along_field(options.request, *drawn.field, context.progress.part(0.7, 0.8));
    scene.set_field_lines(lines);
    if (!options.lines_file.empty()) lab::write_field_lines(*lines, drawn.field->unit, options.lines_file);
  }
  if (view.ions != lab::IonsShown::none)
    scene.set_ions(lab::place_counter_ions(options.request, context.progress.part(0.8, 0.9)));
  if (lab::wants_residue_potentials(view)) {
    scene.set_residue_potentials(
        lab::residue_potentials(options.request, *drawn.field, context.progress.part(0.8, 0.9)));
  }
  scene.set_view(view, options.picture.dark);
  const auto selected = lab::select_atoms(*options.request.molecule, view.selection);
  scene.set_selection(selected);
  outline(options, selected.get(), drawn.lobes, scene);
  if (const std::string why = scene.field().missing_surface(); !why.empty()) complain(context.err, why);
  draw(context, *renderer, options.picture);
  tell(context, options, input, drawn);
}

}  // namespace

void add_electrostatics_render(CLI::App& lab, Context& context) {
  auto options = std::make_shared<RenderVerb>();
  auto& command =
      add_verb(lab, "render",
               "Draw a molecule in the colours of its potential, isosurfaces or a slice of it as a "
               "PNG, with or without a display.");
  add_option(command, context, &options->file,
             commands::path("FILE",
                            fmt::format("Charges: {}; plain or .gz; or a session (.isolume)", charge_files)));
  add_scene_picture_options(command, context, options->picture);
  add_option(command, context, &options->residue,
             commands::text("residue", "Outline this residue's part of the surface, as LYS A 12").optional());
  add_option(command, context, &options->lines_file,
             commands::path("lines", "Write the field lines with the potential on them, .vtp").optional());
  add_structure_options(command, context, options->structure);
  add_parameter_flags(command, options->all, context);
  on_call(command, context, [options, &command, &context] {
    if (is_session(options->file)) take_session(context, command, *options);
    use_what_is_named(command, *options);
    render(context, *options);
  });
}

}  // namespace isolume::batch
