#include <cmath>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/options.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/electrostatics/batch/batch_verbs.h"
#include "core/electrostatics/maps/map_comparison.h"

namespace isolume::batch {
namespace {

namespace es = electrostatics;

const std::vector<std::string> unit_names{"kT/e", "mV", "kcal/mol/e", "Eh/e"};
constexpr const char* as_it_says = "stated";

struct DifferenceVerb {
  std::string map, other, output, unit = as_it_says, map_unit = as_it_says, other_unit = as_it_says;
  double temperature_kelvin = 298.15;
  bool json = false;
  const CLI::App* command = nullptr;
};

/// Units are known only once the maps are read.
void refuse_ignored_temperature(const DifferenceVerb& options, es::PotentialUnit map, es::PotentialUnit other,
                                es::PotentialUnit unit) {
  if (!given(*options.command, "temperature")) return;
  constexpr auto kt = es::PotentialUnit::kt_per_e;
  const bool matters =
      (map != unit && (map == kt || unit == kt)) || (other != unit && (other == kt || unit == kt));
  if (matters) return;
  throw UsageError(
      fmt::format("--temperature applies to conversions from or to kT/e only: the maps are in {} and {}, the "
                  "difference in {}. Leave it out, or give other units.",
                  es::to_text(map), es::to_text(other), es::to_text(unit)));
}

/// With the unit that the command line says.
es::PotentialMap read_as(Context& context, const std::string& path, const std::string& unit,
                         const jobs::Progress& progress) {
  auto map = es::read_map(path, progress);
  report(context, path, map.remarks);
  if (unit != as_it_says) {
    map.unit = *es::potential_unit_of(unit);
    map.unit_is_assumed = false;
  }
  return map;
}

void tell(Context& context, const DifferenceVerb& options, const std::string& unit, bool resampled,
          const es::MapComparison& found, const std::vector<std::string>& assumed) {
  const double share = static_cast<double>(found.compared) / static_cast<double>(found.points);
  if (options.json) {
    using Json = nlohmann::ordered_json;
    return print(context.out,
                 {{"map", options.map},
                  {"other", options.other},
                  {"output", options.output.empty() ? Json() : Json(options.output)},
                  {"unit", unit},
                  {"unit_is_assumed_of", assumed},
                  {"remarks", json_of(context.remarks)},
                  {"resampled", resampled},
                  {"points", found.points},
                  {"compared", found.compared},
                  {"share_compared", share},
                  {"rms", found.rms},
                  {"largest", found.largest},
                  {"largest_at_angstrom", {found.place.x(), found.place.y(), found.place.z()}},
                  {"correlation", std::isfinite(found.correlation) ? Json(found.correlation) : Json()}});
  }
  context.out << fmt::format(
      "root mean square {:.4g} {}, largest {:.4g} {} at ({:.2f}, {:.2f}, {:.2f}) angstrom", found.rms, unit,
      found.largest, unit, found.place.x(), found.place.y(), found.place.z());
  if (std::isfinite(found.correlation)) context.out << fmt::format(", correlation {:.6f}", found.correlation);
  context.out << fmt::format("\n{} of {} points compared{}\n", found.compared, found.points,
                             resampled ? ", between points of the other map" : "");
  for (const auto& each : assumed)
    complain(context.err, fmt::format("{}: the map names no unit; {} is assumed", each,
                                      each == options.map ? options.map_unit : options.other_unit));
}

void find_difference(Context& context, DifferenceVerb& options) {
  if (!options.output.empty())
    check_outputs(context, std::vector{options.output}, std::vector{options.map, options.other});
  if (!options.output.empty() && !es::is_map_file(options.output)) {
    throw UsageError(fmt::format("{}: the suffix names no known format. Give a name that ends with {}.",
                                 options.output, es::map_endings));
  }
  const auto map = read_as(context, options.map, options.map_unit, context.progress.part(0, 0.3));
  auto other = read_as(context, options.other, options.other_unit, context.progress.part(0.3, 0.6));
  const auto unit = options.unit == as_it_says ? map.unit : *es::potential_unit_of(options.unit);
  refuse_ignored_temperature(options, map.unit, other.unit, unit);
  const bool resampled = !es::have_same_points(map.field.grid, other.field.grid);
  const auto less = es::in_unit(es::resampled(other.field, map.field.grid, context.progress.part(0.6, 0.8)),
                                other.unit, unit, options.temperature_kelvin);
  auto difference =
      es::difference_of(es::in_unit(map.field, map.unit, unit, options.temperature_kelvin), less);
  const auto found = es::compare(difference, less);
  if (found.compared == 0) {
    throw Error(fmt::format("{}, {}: the two maps do not overlap. Give two maps of the same molecule.",
                            options.map, options.other));
  }
  if (!options.output.empty()) {
    difference.name = "difference";
    es::write_map(es::known_part(std::move(difference)), options.output, context.progress.part(0.8, 1));
  }
  std::vector<std::string> assumed;
  if (map.unit_is_assumed) assumed.push_back(options.map);
  if (other.unit_is_assumed) assumed.push_back(options.other);
  options.map_unit = es::to_text(map.unit);
  options.other_unit = es::to_text(other.unit);
  tell(context, options, std::string(es::to_text(unit)), resampled, found, assumed);
}

}  // namespace

void add_electrostatics_difference(CLI::App& lab, Context& context) {
  auto options = std::make_shared<DifferenceVerb>();
  auto& command =
      add_verb(lab, "difference",
               "Report the difference between two potential maps at the grid points of the first one.");
  options->command = &command;
  constexpr const char* formats = "OpenDX, CCP4 (.ccp4, .mrc, .map), VTI or cube";
  add_option(command, context, &options->map, commands::path("MAP", fmt::format("A map: {}", formats)));
  add_option(
      command, context, &options->other,
      commands::path("OTHER", "Map to subtract from it, by trilinear interpolation between its points"));
  add_option(
      command, context, &options->output,
      commands::path("output",
                     "Write the difference as a map, .dx, .dx.gz, .ccp4, .mrc, .map, .vti, .nrrd or .cube, "
                     "within the region common to both")
          .optional());
  std::vector<std::string> units = unit_names;
  units.insert(units.begin(), as_it_says);
  const auto add_unit = [&](const char* name, std::string& value, const char* help) {
    add_option(command, context, &value,
               commands::choice(name, help, units).group("Units").optional(std::string(as_it_says)));
  };
  add_unit("unit", options->unit, "Unit of the difference; stated: that of the first map");
  add_unit("map-unit", options->map_unit,
           "Unit of the first map; stated: as named in the file, otherwise kT/e, or Eh/e for a cube file");
  add_unit("other-unit", options->other_unit, "Unit of the other map, likewise");
  add_option(
      command, context, &options->temperature_kelvin,
      commands::number("temperature", "Temperature for kT. Only where a unit is kT/e and another one is not.")
          .unit("K")
          .range(1, 10000)
          .group("Units")
          .optional(298.15));
  add_flag(command, "json", options->json, "Print the statistics as JSON");
  on_call(command, context, [options, &context] { find_difference(context, *options); });
}

}  // namespace isolume::batch
