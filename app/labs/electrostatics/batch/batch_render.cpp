#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/scene_picture.h"
#include "app/batch/session_document.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "app/labs/electrostatics/batch/structure_input.h"
#include "app/labs/electrostatics/picture/map_scene.h"
#include "app/labs/electrostatics/picture/pair_engines.h"
#include "app/labs/electrostatics/picture/patch_choices.h"
#include "app/labs/electrostatics/picture/picture_numbers.h"
#include "app/labs/electrostatics/picture/picture_request.h"
#include "app/labs/electrostatics/picture/residue_outline.h"
#include "app/labs/electrostatics/picture/selected_atoms.h"
#include "app/labs/electrostatics/picture/structure_settings.h"
#include "app/labs/electrostatics/picture/surface_table.h"
#include "core/molecules/document.h"
#include "core/structures/selection.h"
#include "gpu/interop/make_surface_engine.h"

namespace isolume::batch {
namespace {

namespace lab = labs::electrostatics;
namespace es = electrostatics;

struct RenderVerb {
  std::string file, residue, lines_file, vertices_file, trajectory, map;
  StructureOptions structure;
  lab::PictureRequest request;
  parameters::StructParameters<es::PotentialOptions> how{es::potential_schema(), request.how};
  parameters::StructParameters<lab::MapView> view{lab::map_view_schema(), request.view};
  parameters::StructParameters<lab::MapGrid> where{lab::map_grid_schema(), request.where};
  parameters::StructParameters<lab::WavefunctionChoices> quantum{lab::wavefunction_schema(), request.quantum};
  parameters::StructParameters<lab::FrameChoices> moment{lab::frame_schema(), request.moment};
  parameters::StructParameters<lab::OtherMapChoices> other{lab::other_map_schema(), request.other_choices};
  parameters::CombinedParameters all{{&quantum, &moment, &how, &view, &where, &other}};
  ScenePicture picture;
};

/// Takes from a session of the window what the command line leaves open.
void take_session(Context& context, const CLI::App& command, RenderVerb& options) {
  const auto session = read_session_document(context, options.file, "electrostatics");
  const auto& [document, data, place] = session;
  const std::string session_file = options.file;
  Remarks remarks;
  if (!given(command, "camera") && !document.camera.empty()) options.picture.camera = document.camera;
  options.file = data.string();
  std::vector<std::string> notes;
  auto settings = lab::settings_of(document.state, data, notes);
  for (const auto& note : notes) remarks.warn(note);
  // Choices for a structure say nothing of a file with charges.
  if (structures::charge_format_of(data) != structures::ChargeFormat::structure) settings.choices = {};
  const parameters::StructParameters kept(structures::structure_schema(), settings.choices);
  for (const auto& each : kept.descriptions())
    if (!given(command, each.key)) options.structure.set.set(each.key, kept.get(each.key));
  if (options.structure.charges.empty()) options.structure.charges = settings.charges.string();
  if (options.structure.topology.empty()) options.structure.topology = settings.topology.string();
  lab::PickChoices pick;
  parameters::StructParameters pick_set(lab::pick_schema(), pick);
  lab::PatchChoices patches;
  parameters::StructParameters patch_set(lab::patch_schema(), patches);
  parameters::CombinedParameters of_window({&options.all, &options.structure.set, &pick_set, &patch_set});
  take_parameters(context, command, session_file, session, of_window);
  if (patches.outlined > 0) remarks.dropped("The outlined patch of the session is left out.");
  if (!document.state.value("measured_atoms", nlohmann::json()).empty())
    remarks.dropped("The session's measurement is left out: only the window shows it.");
  report(context, session_file, remarks);
  for (const auto& [name, file] :
       {std::pair{"trajectory", &options.trajectory}, std::pair{"map", &options.map}}) {
    if (file->empty()) *file = lab::found_beside(document.state.value(name, std::string()), data).string();
  }
}

/// Naming a value means to use it.
void use_what_is_named(const CLI::App& command, RenderVerb& options) {
  if (given(command, "isovalue") && !given(command, "shown")) options.view.set_text("shown", "potential");
  if (!options.lines_file.empty() && !given(command, "field-lines"))
    options.view.set_text("field-lines", "true");
  if (given(command, "colour-limit") && !given(command, "colour-range"))
    options.view.set_text("colour-range", "locked");
  if ((given(command, "colour-low") || given(command, "colour-high")) && !given(command, "colour-range"))
    options.view.set_text("colour-range", "free");
}

/// What the method is called in tables: of a wavefunction, what the potential is of.
std::string method_of(const RenderVerb& options) {
  if (!options.request.molecule->wavefunction) return parameters::to_text(options.how.get("method"));
  return parameters::to_text(options.quantum.get("potential-of"));
}

/// Of another program's map, and how far the potential is from it where that is shown.
nlohmann::ordered_json json_of_map(const lab::PictureRequest& request, const scene::FieldPicture& drawn) {
  const auto& choices = request.other_choices;
  nlohmann::ordered_json json{
      {"file", request.other->path.string()},
      {"unit", es::to_text(lab::unit_of(*request.other, choices))},
      {"unit_is_assumed", choices.unit == lab::MapUnit::stated && request.other->map.unit_is_assumed}};
  if (choices.shown == lab::MapShown::itself) return json;
  const auto found = lab::compared_with(*request.other, choices, request.how, *drawn.field, {});
  json.update({{"points", found.points},
               {"compared", found.compared},
               {"rms", found.rms},
               {"largest", found.largest},
               {"largest_at_angstrom", {found.place.x(), found.place.y(), found.place.z()}},
               {"correlation", std::isfinite(found.correlation) ? nlohmann::ordered_json(found.correlation)
                                                                : nlohmann::ordered_json()}});
  return json;
}

void tell(Context& context, const RenderVerb& options, const ChargesInput& input,
          const scene::FieldPicture& drawn) {
  const auto& picture = options.picture;
  if (!picture.json) {
    context.out << fmt::format("{}: {}\n", picture.output, scene::readings(drawn, options.request.view));
    return;
  }
  nlohmann::ordered_json json{
      {"file", options.file},
      {"output", picture.output},
      {"method", method_of(options)},
      {"unit", drawn.field->unit},
      {"atoms", options.request.molecule->charges.size()},
      {"charge", structures::total_charge(options.request.molecule->charges)},
      {"without_parameters", input.without_parameters()},
      {"atoms_without_parameters", input.atoms_without_parameters()},
      {"remarks", json_of(context.remarks)},
      {"shown", parameters::to_text(options.view.get("shown"))},
      {"form", parameters::to_text(options.view.get("form"))},
      {"triangles", drawn.lobes.positive.triangle_count() + drawn.lobes.negative.triangle_count()},
      {"seconds",
       {{"field", drawn.field_milliseconds / 1000}, {"surface", drawn.surface_milliseconds / 1000}}},
      {"width", picture.image.width},
      {"height", picture.image.height}};
  if (const auto surface = lab::read_surface(drawn)) {
    json["on_surface"] = {{"vertices", surface->vertices},
                          {"lowest", surface->lowest},
                          {"highest", surface->highest},
                          {"mean", surface->mean},
                          {"rms", surface->rms}};
  }
  if (const auto& request = options.request; lab::is_beside_map(request)) {
    json["map"] = json_of_map(request, drawn);
  } else if (lab::is_difference(request)) {
    json["difference"] = lab::to_json(lab::picture_difference(drawn));
  }
  if (const std::string& expression = options.request.view.selection; !expression.empty()) {
    const auto found = lab::select_atoms(*options.request.molecule, expression);
    const lab::SelectedAtoms selected = found ? *found : lab::SelectedAtoms();
    json["selection"] = {
        {"atoms", selected.atom_count}, {"residues", selected.residue_count}, {"charge", selected.charge}};
  }
  if (input.preparation) json["preparation"] = to_json(*input.preparation);
  print(context.out, json);
}

/// Throws UsageError for options that say nothing of this file.
void check_words(const CLI::App& command, const RenderVerb& options) {
  constexpr std::array<std::string_view, 13> of_structures{
      "ph",      "pka",     "states",     "assembly", "force-field", "charges",   "model",
      "unknown", "residue", "keep-water", "frame",    "average",     "trajectory"};
  const auto& molecule = *options.request.molecule;
  for (const auto& name : given_options(command)) {
    std::string why = lab::why_meaningless(molecule, name);
    if (molecule.wavefunction && std::ranges::find(of_structures, name) != of_structures.end())
      why = "This applies to structures and charges; the file holds a wavefunction.";
    if (!why.empty()) throw UsageError(fmt::format("{}: --{}: {} Leave it out.", options.file, name, why));
  }
}

/// What is usual for the molecule, where the command line says nothing.
void take_usual(const CLI::App& command, RenderVerb& options) {
  auto usual = lab::first_request(options.request.molecule);
  parameters::StructParameters how(es::potential_schema(), usual.how);
  parameters::StructParameters view(lab::map_view_schema(), usual.view);
  parameters::StructParameters where(lab::map_grid_schema(), usual.where);
  const parameters::CombinedParameters all({&how, &view, &where});
  for (const auto& each : all.descriptions())
    if (!given(command, each.key)) options.all.set(each.key, all.get(each.key));
}

/// The one frame that is asked for, or the only one.
ChargesInput read_moment(Context& context, const CLI::App& command, RenderVerb& options) {
  auto& request = options.request;
  const auto progress = context.progress.part(0, 0.1);
  const bool asked = given(command, "frame") || given(command, "average") || !options.trajectory.empty() ||
                     request.moment.frame > 1 || request.moment.average;
  ChargesInput input;
  if (asked) {
    auto opened = lab::open_molecule(options.file, options_for(options.file, options.structure),
                                     options.trajectory, progress);
    if (!opened.frames && (request.moment.frame > 1 || request.moment.average))
      throw UsageError(
          fmt::format("{}: this file has only one frame. Leave out --frame and --average.", options.file));
    request.frames = opened.frames;
    request.molecule =
        opened.frames ? opened.frames->at(request.moment.frame, progress) : std::move(opened.molecule);
    input = {{request.molecule->charges, request.molecule->preparation, {}}};
    add_inputs(context, input.charges.files);
    report(context, options.file, input.charges.remarks);
  } else {
    input = read_charges(context, options.file, options.structure, progress);
    request.molecule = lab::charged_molecule(options.file, input.charges, input.preparation, input.secondary);
  }
  check_words(command, options);
  return input;
}

/// The molecule of the request, and what its charges came from where the file holds no wavefunction.
ChargesInput read_input(Context& context, const CLI::App& command, RenderVerb& options) {
  if (!molecules::may_hold_orbitals(options.file)) return read_moment(context, command, options);
  auto document = molecules::read_document(options.file, context.progress.part(0, 0.05));
  report(context, options.file, document.remarks);
  options.request.molecule =
      lab::wavefunction_molecule(std::move(document), context.progress.part(0.05, 0.1));
  check_words(command, options);
  return {};
}

/// Another program's map, where one is named: naming it means to compare with it.
void open_map(Context& context, const CLI::App& command, RenderVerb& options) {
  auto& request = options.request;
  const bool of_wavefunction = request.molecule->wavefunction != nullptr;
  const std::string key = of_wavefunction ? "difference-to" : "compare";
  if (given(command, "map") && !given(command, key)) options.all.set_text(key, "map");
  if (parameters::to_text(options.all.get(key)) != "map") {
    if (given(command, "map"))
      throw UsageError(
          fmt::format("--map and --{} each choose what to compare with. Give one of them.", key));
    return;
  }
  if (options.map.empty()) throw UsageError(fmt::format("--{} map: there is no map. Give --map FILE.", key));
  request.other = lab::read_other_map(options.map, context.progress.part(0.1, 0.15));
  report(context, options.map, request.other->map.remarks);
}

/// What is chosen, on the molecular surface.
void outline(const RenderVerb& options, const lab::SelectedAtoms* selected, const scene::Lobes& lobes,
             lab::MapScene& scene) {
  const auto& molecule = *options.request.molecule;
  const auto residue =
      options.residue.empty() ? std::optional<std::size_t>() : lab::find_residue(molecule, options.residue);
  if (options.request.view.shown != lab::Shown::surface) return;
  if (selected != nullptr && options.request.view.isolate) {
    scene.field().set_lobes(lab::surface_of_atoms(lobes, molecule, selected->atoms));
  } else if (selected != nullptr) {
    scene.set_selection_outline(
        std::make_shared<const scene::LineSet>(lab::atoms_outline(lobes, molecule, selected->atoms)));
  }
  if (residue) {
    scene.set_outline(
        std::make_shared<const scene::LineSet>(lab::residue_outline(lobes, molecule, *residue)));
  }
}

void render(Context& context, const CLI::App& command, RenderVerb& options) {
  const bool of_session = is_session(options.file);
  if (of_session) take_session(context, command, options);
  std::vector<std::string> inputs = files_of(options.file, options.structure);
  if (!options.trajectory.empty()) inputs.push_back(options.trajectory);
  if (!options.map.empty()) inputs.push_back(options.map);
  std::vector<std::string> outputs{options.picture.output};
  if (!options.vertices_file.empty()) outputs.push_back(options.vertices_file);
  if (!options.lines_file.empty()) outputs.push_back(options.lines_file);
  check_outputs(context, outputs, inputs);
  const auto input = read_input(context, command, options);
  if (!of_session && options.request.molecule->wavefunction) take_usual(command, options);
  use_what_is_named(command, options);
  refuse_ignored(command, context);
  if (!options.residue.empty() && options.request.view.shown != lab::Shown::surface)
    throw UsageError("--residue applies to --shown surface only. Leave it out.");
  open_map(context, command, options);
  options.request.how.engines = engines_for(options.request.how);
  if (options.request.molecule->wavefunction)
    options.request.how.quantum_engines = quantum_engines_for(options.request.how);
  const auto surfaces =
      options.request.how.engine == "cpu" ? nullptr : gpu::make_surface_engine(gpu::make_device_pool());
  const auto drawn = lab::compute_picture(options.request, context.progress.part(0.1, 0.7), surfaces.get());
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
    if (!lines->left_out.empty()) complain(context.err, lines->left_out);
    if (!options.lines_file.empty()) lab::write_field_lines(*lines, drawn.field->unit, options.lines_file);
  }
  if (!options.vertices_file.empty()) {
    lab::write_surface_table(drawn, *options.request.molecule, view.sample_height, options.vertices_file,
                             context.progress.part(0.75, 0.8));
  }
  if (view.ions != lab::IonsShown::none)
    scene.set_ions(lab::placed_ions(options.request, context.progress.part(0.8, 0.9)));
  if (lab::wants_residue_potentials(view)) {
    scene.set_residue_potentials(
        lab::residue_potentials(options.request, *drawn.field, context.progress.part(0.8, 0.9)));
  }
  scene.set_view(view, options.picture.dark);
  const auto selected = lab::select_atoms(*options.request.molecule, view.selection);
  if (!selected && !view.selection.empty()) {
    complain(context.err, fmt::format("{}{}", structures::no_atom_matches(view.selection),
                                      view.isolate ? " All of the molecule is drawn." : ""));
  }
  scene.set_selection(selected);
  outline(options, selected.get(), drawn.lobes, scene);
  if (const std::string why = scene.field().missing_surface(); !why.empty()) complain(context.err, why);
  draw(context, *renderer, options.picture);
  tell(context, options, input, drawn);
}

}  // namespace

void add_electrostatics_render(CLI::App& lab, Context& context) {
  auto options = std::make_shared<RenderVerb>();
  auto& command = add_verb(lab, "render",
                           "Draw a molecular surface coloured by the potential, or isosurfaces or a slice of "
                           "the potential, as a PNG, with or without a display.");
  add_option(command, context, &options->file,
             commands::path("FILE", fmt::format("Charges: {}; a wavefunction, as the Orbitals lab reads it; "
                                                "plain or .gz; or a session (.isolume)",
                                                charge_files)));
  add_scene_picture_options(command, context, options->picture);
  add_option(command, context, &options->residue,
             commands::text("residue", "Outline the surface of this residue, e.g. LYS A 12").optional());
  add_option(command, context, &options->lines_file,
             commands::path("lines", "Write the field lines with the potential along them, .vtp").optional());
  add_option(command, context, &options->vertices_file,
             commands::path("vertices",
                            "Write the surface's vertices with the potential and the nearest residue, .csv")
                 .optional());
  add_option(command, context, &options->map,
             commands::path("map",
                            "Show the difference to this map of another program: OpenDX, CCP4 (.ccp4, .mrc, "
                            ".map), VTI or cube")
                 .shown_as("MAP")
                 .group("Grid")
                 .optional());
  add_option(command, context, &options->trajectory,
             commands::path("trajectory", "Trajectory of the charges, a DCD or XTC file")
                 .group("Frames")
                 .shown_as("DCD|XTC")
                 .optional());
  add_structure_options(command, context, options->structure);
  add_parameter_flags(command, options->all, context);
  on_call(
      command, context, [options, &command, &context] { render(context, command, *options); },
      Ignored::refused_by_action);
}

}  // namespace isolume::batch
