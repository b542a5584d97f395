#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/orbitals/batch_document.h"
#include "app/labs/orbitals/batch_verbs.h"
#include "core/base/clock.h"
#include "core/base/error.h"
#include "core/base/suffix.h"
#include "core/base/units.h"
#include "core/base/version.h"
#include "core/molecules/writers.h"
#include "core/orbitals/parameters.h"
#include "gpu/machine.h"
#include "gpu/orbitals/engines.h"

namespace isolume::batch {
namespace {

struct ComputeArguments {
  std::string file;
  orbitals::FieldParameters parameters;
  parameters::StructParameters<orbitals::FieldParameters> set{orbitals::field_schema(), parameters};
  std::string like;  ///< a cube file whose grid is taken
  std::optional<std::array<int, 3>> dimensions;
  bool margin_given = false;
  std::string output;
  bool json = false;
};

/// "172,173,169"
std::array<int, 3> parse_dimensions(std::string_view text) {
  std::array<int, 3> dimensions{};
  const char* at = text.data();
  const char* const end = at + text.size();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [next, failed] = std::from_chars(at, end, dimensions[axis]);
    const bool separated = axis == 2 ? next == end : next != end && *next == ',';
    if (failed != std::errc() || dimensions[axis] < 2 || !separated) {
      throw Error(fmt::format(
          "--dimensions: expected the numbers of points NX,NY,NZ, each at least 2, found {}.", quoted(text)));
    }
    at = next + (axis == 2 ? 0 : 1);
  }
  return dimensions;
}

grid::Grid grid_of_file(Context& context, const std::string& file) {
  const auto reference = read(context, file, 0);
  if (reference.fields.empty()) {
    throw InputError(file, 0, fmt::format("this {} file has no grid", reference.format),
                     "--like takes a cube file.");
  }
  return reference.fields.front()->grid;
}

/// That of --like; or --dimensions and --spacing, centred on the box of the nuclei; or, with --margin, the
/// box of the nuclei and the margin on every side; else what holds the field down to a density of 1e-5
/// e/bohr^3.
grid::Grid choose_grid(Context& context, const molecules::Wavefunction& wavefunction,
                       const orbitals::FieldRequest& request, const ComputeArguments& options) {
  if (!options.like.empty()) return grid_of_file(context, options.like);
  const double spacing = options.parameters.spacing_angstrom * units::bohr_per_angstrom;
  const double margin = options.parameters.margin_angstrom * units::bohr_per_angstrom;
  const auto [low, high] = molecules::nuclei_box(wavefunction.molecule);
  if (options.dimensions) return grid::centred((low + high) / 2, *options.dimensions, spacing);
  if (options.margin_given) {
    const Eigen::Vector3d around = Eigen::Vector3d::Constant(margin);
    if (const double least = (high - low).minCoeff(); least + 2 * margin < 0) {
      throw Error(
          fmt::format("--margin {}: no box is left, as the box of the nuclei is only {:.3g} angstrom wide "
                      "along one axis. Give a larger margin.",
                      options.parameters.margin_angstrom, least / units::bohr_per_angstrom));
    }
    return grid::cover_box(low - around, high + around, spacing);
  }
  constexpr double density = 1e-5;
  const double isovalue = orbitals::is_amplitude(request.kind) ? std::sqrt(density) : density;
  return orbitals::enclosing_grid(wavefunction, request, {spacing, 0, isovalue});
}

/// The number that a person gives to the orbital, for fields of one orbital: its place in its own spin,
/// from 1.
std::optional<int> orbital_number(const molecules::Wavefunction& wavefunction,
                                  const orbitals::FieldRequest& request) {
  if (request.kind != orbitals::FieldKind::orbital && request.kind != orbitals::FieldKind::orbital_density)
    return {};
  const auto& set = wavefunction.sets.at(static_cast<std::size_t>(request.set));
  const auto of_spin = set.of_spin(set.orbitals.at(static_cast<std::size_t>(request.orbital)).spin);
  return static_cast<int>(std::find(of_spin.begin(), of_spin.end(), request.orbital) - of_spin.begin()) + 1;
}

void write(const molecules::Document& document, const grid::ScalarField& field, std::optional<int> orbital,
           const std::string& output, const jobs::Progress& progress) {
  const std::array<const grid::ScalarField*, 1> fields{&field};
  std::vector<int> numbers;
  if (orbital) numbers.push_back(*orbital);
  const std::string comment = fmt::format("{} of {} in {}, by Isolume {}", field.name,
                                          document.path.filename().string(), field.unit, version);
  molecules::write_cube(document.molecule, fields, numbers, comment, output, progress);
}

void compute(Context& context, const ComputeArguments& options) {
  if (has_suffix(options.output, ".gz")) {
    throw Error(
        fmt::format("{}: compressed files can be read but not written. Leave out .gz.", options.output));
  }
  check_outputs(context, std::array{options.output}, std::array{options.file, options.like});
  const auto document = read(context, options.file, 0.3);
  const auto& wavefunction = wavefunction_of(document);
  explain_spin(context, options.file, document, options.parameters);
  const auto request = orbitals::to_request(options.parameters, wavefunction);
  const auto grid = choose_grid(context, wavefunction, request, options);
  const auto engines = gpu::make_orbital_engines(gpu::make_device_pool());
  const auto& engine = engines.find(options.parameters.engine);

  const auto start = std::chrono::steady_clock::now();
  const auto [field, report] = orbitals::compute_field(wavefunction, request, grid, engine,
                                                       {options.parameters}, context.progress.part(0.3, 0.8));
  const double milliseconds = milliseconds_since(start);
  engines.record(report);
  const auto orbital = orbital_number(wavefunction, request);
  write(document, field, orbital, options.output, context.progress.part(0.8, 1));

  const auto range = grid::value_range(field);
  const auto& n = grid.dimensions;
  if (!options.json) {
    context.out << fmt::format("{}: {}, {} × {} × {} points, {:g} to {:g} {}, {:.1f} ms by {}\n",
                               options.output, field.name, n[0], n[1], n[2], range.low, range.high,
                               field.unit, milliseconds, report.by());
    return;
  }
  nlohmann::ordered_json json{{"file", options.file}, {"output", options.output}, {"field", field.name}};
  json["unit"] = field.unit;
  json["orbital"] = orbital ? nlohmann::ordered_json(*orbital) : nlohmann::ordered_json();
  json["dimensions"] = n;
  json["points"] = grid.point_count();
  json["lowest"] = range.low;
  json["highest"] = range.high;
  json["integral"] = grid::integral(field);
  json["engine"] = report.by();
  json["kernel"] = report.kernel;
  json["reason"] = report.reason;
  json["how"] = report.how();
  json["devices"] = describe_shares(report);
  json["milliseconds"] = milliseconds;
  json["remarks"] = json_of(context.remarks);
  print(context.out, json);
}

}  // namespace

void add_orbitals_compute(CLI::App& program, Context& context) {
  auto options = std::make_shared<ComputeArguments>();
  auto* command =
      program.add_subcommand("compute", "Compute a field of a wavefunction and write it as a cube file.");
  add_option(*command, context, &options->file, commands::path("FILE", "File with orbitals, plain or .gz"));
  add_option(*command, context, &options->output, commands::path("output", "The cube file to write"));
  command->add_flag("--json", options->json, "Print a summary as JSON");
  add_parameter_flags(*command, options->set, context);
  auto& like = add_option(
      *command, context, &options->like,
      commands::path("like", "Use the grid of this cube file").group("Grid").shown_as("CUBE").optional());
  like.excludes(command->get_option("--spacing"));
  auto& dimensions = add_option(
      *command, context, [options](const std::string& text) { options->dimensions = parse_dimensions(text); },
      commands::text("dimensions",
                     "Numbers of grid points, --spacing apart and centred on the box of the nuclei")
          .group("Grid")
          .shown_as("NX,NY,NZ")
          .optional());
  dimensions.excludes(&like);
  command->get_option("--margin")
      ->description(
          "Use the box of the nuclei with this margin on every side; by default the box holds the field")
      ->excludes(&like)
      ->excludes(&dimensions);
  on_call(*command, context, [options, command, &context] {
    options->margin_given = given(*command, "margin");
    compute(context, *options);
  });
}

}  // namespace isolume::batch
