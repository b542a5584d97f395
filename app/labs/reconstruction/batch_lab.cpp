#include "app/batch/batch_lab.h"

#include <chrono>
#include <ostream>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/reconstruction/description.h"
#include "core/images/document.h"
#include "core/tomography/analytic.h"
#include "core/tomography/benchmark.h"
#include "core/tomography/corrections.h"
#include "core/tomography/parameters.h"
#include "core/tomography/scan_files.h"

namespace isolume::labs::reconstruction {
namespace {

using namespace tomography;
using batch::add_option;
using commands::integer;
using commands::number;
using commands::path;
using Json = nlohmann::ordered_json;

struct Common {
  int threads = 0;
  bool json = false;
};

struct CtOptions : Common {
  std::string projections, output, geometry, flat, dark;
  bool are_intensities = false, finds_axis = false;
  int size = 128;
  double spacing_mm = 0;
  ScanParameters scan;
  MethodParameters method;
  parameters::StructParameters<ScanParameters> scan_set{scan_schema(), scan};
  parameters::StructParameters<MethodParameters> method_set{method_schema(), method};
};

struct SimulateOptions : Common {
  std::string output, phantom, geometry;
  int columns = 192, rows = 192, views = 180, size = 128;
  double pixel_mm = 1.9, to_axis_mm = 600, to_detector_mm = 1000, arc_deg = 360, offset_mm = 0;
  bool parallel = false;
  ScanParameters scan;
  parameters::StructParameters<ScanParameters> scan_set{scan_schema(), scan};
};

struct BenchOptions : Common {
  int size = 128, views = 180;
};

template <class Work>
void run_on_threads(int threads, const Work& work) {
  tbb::task_arena(threads > 0 ? threads : tbb::task_arena::automatic).execute(work);
}

void print_result(batch::Context& context, bool is_json, Json json, const std::string& text) {
  if (!is_json) return void(context.out << text << '\n');
  json["remarks"] = isolume::json_of(context.remarks);
  batch::print(context.out, json);
}

void check_files(batch::Context& context, std::vector<std::string> outputs, std::vector<std::string> inputs) {
  std::erase(outputs, "");
  std::erase(inputs, "");
  batch::check_outputs(context, outputs, inputs);
}

Remarks write_field(const grid::Grid& grid, FieldValues values, const std::string& file) {
  return images::write_volume(images::volume_of(std::make_shared<const grid::ScalarField>(grid::ScalarField{
                                  .grid = grid, .values = std::move(values), .name = {}, .unit = "1/mm"})),
                              file);
}

void reconstruct_ct(batch::Context& context, const CtOptions& options) {
  check_files(context, {options.output}, {options.projections, options.geometry, options.flat, options.dark});
  Scan scan = read_scan({.projections = options.projections,
                         .geometry = options.geometry,
                         .flat = options.flat,
                         .dark = options.dark,
                         .are_intensities = options.are_intensities},
                        context.progress);
  batch::report(context, options.projections, scan.remarks);
  const auto begin = std::chrono::steady_clock::now();
  Reconstruction found;
  grid::Grid grid;
  Json iterations = Json::array();
  int views = 0;
  double axis_shift = 0;
  run_on_threads(options.threads, [&] {
    ScanParameters parameters = options.scan;
    if (options.finds_axis) parameters.axis_shift = find_axis_shift(scan.projections, context.progress);
    axis_shift = parameters.axis_shift;
    const Projections used = prepared(scan.projections, parameters, context.progress);
    views = static_cast<int>(used.geometry.views.size());
    grid = seen_grid(used.geometry, options.size);
    if (options.spacing_mm > 0) {
      const double reach = options.spacing_mm * options.size / 2;
      for (const View& view : used.geometry.views) {
        const double to_axis = view.source.head<2>().norm();
        if (used.geometry.beam == Beam::cone && reach >= to_axis) {
          throw Error(fmt::format(
              "The volume reaches {:.4g} mm from the axis, and the source turns at {:.4g} mm. Choose a smaller "
              "--spacing or --size.",
              reach, to_axis));
        }
      }
      const Eigen::Vector3d centre = grid.position(
          (grid.dimensions[0] - 1) / 2.0, (grid.dimensions[1] - 1) / 2.0, (grid.dimensions[2] - 1) / 2.0);
      grid = grid::centred(centre, grid.dimensions, options.spacing_mm, grid::LengthUnit::millimetre);
    }
    found = reconstruct(
        used, grid, options.method, [&](const Iterate& iterate) { iterations.push_back(iterate.residual); },
        context.progress);
  });
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  batch::report(context, options.projections, found.remarks);
  const auto [least, greatest] = std::ranges::minmax(found.values);
  Json json{{"projections", options.projections},
            {"output", options.output},
            {"views", views},
            {"axis_shift_px", axis_shift},
            {"counts", grid.dimensions},
            {"spacing_mm", grid.spacing(0)},
            {"least", least},
            {"greatest", greatest}};
  if (!iterations.empty()) json["residuals"] = iterations;
  json["seconds"] = seconds;
  const std::string text =
      fmt::format("{}: {} x {} x {} voxels of {:.4g} mm from {} views, {:.4g} to {:.4g} per mm, {:.2f} s",
                  options.output, grid.dimensions[0], grid.dimensions[1], grid.dimensions[2], grid.spacing(0),
                  views, least, greatest, seconds);
  batch::report(context, options.output, write_field(grid, std::move(found.values), options.output));
  print_result(context, options.json, std::move(json), text);
}

void simulate(batch::Context& context, const SimulateOptions& options) {
  const std::string geometry_file =
      options.geometry.empty() ? std::filesystem::path(options.output).replace_extension().string() + ".json"
                               : options.geometry;
  check_files(context, {options.output, geometry_file, options.phantom}, {});
  Projections used;
  run_on_threads(options.threads, [&] {
    const Geometry geometry = circular({.beam = options.parallel ? Beam::parallel : Beam::cone,
                                        .columns = options.columns,
                                        .rows = options.rows,
                                        .views = options.views,
                                        .column_mm = options.pixel_mm,
                                        .row_mm = options.pixel_mm,
                                        .source_to_axis_mm = options.to_axis_mm,
                                        .source_to_detector_mm = options.to_detector_mm,
                                        .arc_deg = options.arc_deg,
                                        .offset_mm = options.offset_mm});
    // The scan's axis is farther along the rows than the geometry that is written.
    ScanParameters scan = options.scan;
    const double shift = std::exchange(scan.axis_shift, 0);
    used = prepared(project(shepp_logan(), with_axis_shifted(geometry, shift), context.progress), scan,
                    context.progress);
    used.geometry = with_axis_shifted(std::move(used.geometry), -shift);
    if (options.phantom.empty()) return;
    const auto grid = seen_grid(used.geometry, options.size);
    batch::report(context, options.phantom,
                  write_field(grid, voxelised(shepp_logan(), grid, 3, context.progress), options.phantom));
  });
  batch::report(context, options.output, write_projections(used, options.output));
  write_geometry(used.geometry, geometry_file);
  const auto views = used.geometry.views.size();
  Json json{{"output", options.output},
            {"geometry", geometry_file},
            {"views", views},
            {"columns", options.columns},
            {"rows", options.rows}};
  if (!options.phantom.empty()) json["phantom"] = options.phantom;
  print_result(context, options.json, std::move(json),
               fmt::format("{}: {} views of {} x {} pixels; geometry in {}", options.output, views,
                           options.columns, options.rows, geometry_file));
}

void bench(batch::Context& context, const BenchOptions& options) {
  Json json;
  run_on_threads(options.threads, [&] { json = benchmark(options.size, options.views, context.progress); });
  std::string text;
  for (const auto& line : benchmark_lines(json)) text += (text.empty() ? "" : "\n") + line;
  print_result(context, options.json, std::move(json), text);
}

template <class Options>
std::pair<CLI::App&, Options&> add_with(CLI::App& parent, batch::Context& context, const char* name,
                                        const char* help, void (*act)(batch::Context&, const Options&)) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(parent, name, help);
  batch::add_flag(verb, "json", options->json, "Print JSON");
  add_option(verb, context, &options->threads,
             integer("threads", "CPU threads; 0 uses all of them. Results are the same").range(0, 4096));
  batch::on_call(verb, context, [options, act, &context] { act(context, *options); });
  return {verb, *options};
}

void add_verbs(CLI::App& lab, batch::Context& context) {
  auto [ct, ct_options] = add_with<CtOptions>(
      lab, context, "ct", "Reconstruct a volume from the projections of a CT.", reconstruct_ct);
  add_option(ct, context, &ct_options.projections,
             path("PROJECTIONS", "A stack of projections: MetaImage, NIfTI, NRRD, TIFF or NumPy"));
  add_option(ct, context, &ct_options.output,
             path("output", "The volume to write: .nii.gz, .nii, .nrrd or .mha"));
  add_option(
      ct, context, &ct_options.geometry,
      path("geometry", "Positions of the views: JSON, or RTK's XML. Default: the file of the same name")
          .optional());
  add_option(ct, context, &ct_options.flat,
             path("flat", "Picture without an object: projections are intensities").optional());
  add_option(ct, context, &ct_options.dark, path("dark", "Picture without radiation").optional());
  batch::add_flag(ct, "intensities", ct_options.are_intensities,
                  "Treat projections as intensities, which need a flat field");
  batch::add_flag(ct, "find-axis", ct_options.finds_axis,
                  "Find the axis of rotation from rays that are measured twice, in place of --axis-shift");
  add_option(ct, context, &ct_options.size,
             integer("size", "Voxels along x and y; they cover what all views see").range(2, 4096));
  add_option(ct, context, &ct_options.spacing_mm,
             number("spacing", "Edge of a voxel; 0 covers what all views see").unit("mm").range(0, 1000));
  batch::add_parameter_flags(ct, ct_options.scan_set, context);
  batch::add_parameter_flags(ct, ct_options.method_set, context);

  auto [simulation, simulated] = add_with<SimulateOptions>(
      lab, context, "simulate", "Write exact projections of the head phantom.", simulate);
  add_option(simulation, context, &simulated.output,
             path("output", "The stack to write: .mha, .nrrd, .nii or .nii.gz"));
  add_option(simulation, context, &simulated.geometry,
             path("geometry", "The geometry to write. Default: the name of the stack with .json").optional());
  add_option(
      simulation, context, &simulated.phantom,
      path("phantom", "Write the phantom as a volume, too, on the grid of its reconstruction").optional());
  add_option(simulation, context, &simulated.size,
             integer("size", "Voxels of that volume along x and y").range(2, 4096));
  add_option(simulation, context, &simulated.columns,
             integer("columns", "Pixels of a row of the detector").range(1, 8192));
  add_option(simulation, context, &simulated.rows, integer("rows", "Rows of the detector").range(1, 8192));
  add_option(simulation, context, &simulated.views,
             integer("all-views", "Views of the whole scan").range(1, 100'000));
  add_option(simulation, context, &simulated.pixel_mm,
             number("pixel", "Pitch of the detector").unit("mm").range(1e-3, 100));
  add_option(simulation, context, &simulated.to_axis_mm,
             number("source-to-axis", "Distance of source and axis").unit("mm").range(1, 1e5));
  add_option(simulation, context, &simulated.to_detector_mm,
             number("source-to-detector", "Distance of source and detector").unit("mm").range(1, 1e5));
  add_option(simulation, context, &simulated.arc_deg,
             number("rotation", "Angle that the source turns").unit("°").range(-3600, 3600));
  add_option(simulation, context, &simulated.offset_mm,
             number("offset", "Displacement of the detector along its rows").unit("mm").range(-1e4, 1e4));
  batch::add_flag(simulation, "parallel", simulated.parallel, "Parallel rays instead of a cone");
  batch::add_parameter_flags(simulation, simulated.scan_set, context);
}

void add_bench(CLI::App& parent, batch::Context& context) {
  auto [verb, options] = add_with<BenchOptions>(
      parent, context, "reconstruction", "Times of filter, slices, volume and projectors of CT.", bench);
  add_option(verb, context, &options.size, integer("size", "Voxels along each axis").range(8, 1024));
  add_option(verb, context, &options.views, integer("views", "Views of the scan").range(10, 10'000));
}

}  // namespace

/// `isolume-batch reconstruction`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Volumes from projections.",
          .add_verbs = add_verbs,
          .add_bench = add_bench,
          .alias = "reconstruct"};
}

}  // namespace isolume::labs::reconstruction
