#include "app/labs/electrostatics/batch/batch_places.h"

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/picture/first_choices.h"
#include "core/electrostatics/maps/map_file.h"
#include "core/electrostatics/maps/vtp.h"
#include "core/electrostatics/potential/points_csv.h"
#include "core/electrostatics/surfaces/chosen_places.h"

namespace isolume::batch {

namespace es = electrostatics;

namespace {

bool ends_with(const std::string& path, std::string_view suffix) {
  return path.size() > suffix.size() && path.ends_with(suffix);
}

/// What the output's name says must fit what is asked for.
void check_output(const PotentialArguments& options) {
  const bool is_table = ends_with(options.output, ".csv"), is_surface = ends_with(options.output, ".vtp");
  if (!is_table && !is_surface && !es::is_map_file(options.output)) {
    throw UsageError(
        fmt::format("{}: the suffix names no known format. Give a name that ends with .csv (with --points, "
                    "--plane or --on-surface), .vtp (with --on-surface), {}.",
                    options.output, es::map_endings));
  }
  if (is_surface && options.on_surface.empty())
    throw UsageError("A .vtp file holds a surface with the potential on it. Give --on-surface.");
  if (is_table && !asks_for_places(options)) {
    throw UsageError(
        "A .csv file holds the potential at points. Give --points, --plane or --on-surface, or an output "
        "that ends with .dx or .cube.");
  }
  if (!is_table && !is_surface && asks_for_places(options))
    throw UsageError("The potential at points is written as a table. Give an output that ends with .csv.");
}

}  // namespace

bool asks_for_places(const PotentialArguments& options) {
  return !options.points.empty() || !options.plane.empty() || !options.on_surface.empty();
}

void check_where(const PotentialArguments& options) {
  check_output(options);
  const auto is_given = [&](const char* key) { return given(*options.command, key); };
  const bool box = is_given("spacing") || is_given("margin"), like = !options.like.empty();
  const int places = static_cast<int>(!options.points.empty()) + static_cast<int>(!options.plane.empty()) +
                     static_cast<int>(!options.on_surface.empty());
  if (places > 1)
    throw UsageError("--points, --plane and --on-surface each choose the points. Give one of them.");
  if (is_given("above") && options.on_surface.empty())
    throw UsageError("--above is a distance from the surface of --on-surface. Give that, too.");
  // Places are looked up on the grid that the equation is solved on.
  if (places > 0 && es::is_poisson_boltzmann(options.how.method)) {
    if (like && box && options.plane.empty() && options.on_surface.empty())
      throw UsageError("--like, and --spacing with --margin, both define the grid. Give one or the other.");
    return;
  }
  if (!options.plane.empty() || !options.on_surface.empty()) {
    if (like || is_given("margin"))
      throw UsageError(
          "--like and --margin define a grid, which --plane and --on-surface do not use. Give --spacing "
          "alone.");
    return;
  }
  if (static_cast<int>(places > 0) + static_cast<int>(like) + static_cast<int>(box) > 1)
    throw UsageError(
        "--points, --like, and --spacing with --margin each choose the points. Give one of them.");
}

AskedPlaces asked_places(Context& context, const PotentialArguments& options,
                         const structures::Charges& charges, const jobs::Progress& progress) {
  if (!options.points.empty()) {
    Remarks remarks;
    auto places = es::read_places(options.points, remarks, progress);
    report(context, options.points, remarks);
    return {std::move(places), std::nullopt};
  }
  if (!options.plane.empty())
    return {es::places_on(es::plane_patch_of(options.plane), options.spacing, progress), std::nullopt};
  auto mesh = es::surface_mesh(charges, labs::electrostatics::surface_form(options.on_surface),
                               options.how.probe_angstrom, options.spacing, progress);
  auto places = es::places_above(mesh, options.above, progress);
  return {std::move(places), std::move(mesh)};
}

void write_at(const AskedPlaces& where, std::span<const double> potential, const PotentialArguments& options,
              const jobs::Progress& progress) {
  const auto unit = es::to_text(options.how.unit);
  if (ends_with(options.output, ".vtp"))
    return es::write_vtp(*where.surface, potential, fmt::format("Potential / {}", unit), options.output,
                         progress);
  es::write_potentials(where.places, potential, unit, options.output, progress);
}

void add_place_options(CLI::App& command, Context& context,
                       const std::shared_ptr<PotentialArguments>& options) {
  add_option(
      command, context, &options->points,
      commands::path("points",
                     "Compute the potential at these points: a table with the columns x,y,z in angstrom")
          .group("Where")
          .shown_as("CSV")
          .optional());
  add_option(command, context, &options->plane,
             commands::text("plane",
                            "Compute the potential on a plane, at points --spacing apart: x, y and z of a "
                            "corner and of the two edges from it, in angstrom, e.g. -10,-10,0,20,0,0,0,20,0")
                 .group("Where")
                 .shown_as("CORNER,U,V")
                 .optional());
  std::vector<std::string> forms;
  for (const auto& each : labs::electrostatics::surface_forms()) forms.push_back(each.key);
  add_option(command, context, &options->on_surface,
             commands::choice("on-surface",
                              "Compute the potential at the vertices of this molecular surface, triangulated "
                              "on a grid of --spacing",
                              forms)
                 .group("Where")
                 .optional());
  add_option(command, context, &options->above,
             commands::number("above", "Distance outside that surface at which the potential is computed")
                 .group("Where")
                 .unit("angstrom")
                 .range(0, 100)
                 .optional(options->above));
}

}  // namespace isolume::batch
