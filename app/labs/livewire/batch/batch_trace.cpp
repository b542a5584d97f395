#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <ranges>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/livewire/batch/batch_outputs.h"
#include "app/labs/livewire/batch/batch_slice.h"
#include "app/labs/livewire/batch/batch_verbs.h"
#include "core/base/clock.h"
#include "core/base/number.h"
#include "core/base/remarks.h"
#include "core/base/text.h"
#include "core/contours/files.h"
#include "core/contours/measures.h"
#include "core/images/document.h"
#include "core/livewire/trace.h"
#include "gpu/livewire/engines.h"
#include "gpu/machine.h"

namespace isolume::batch {
namespace {

/// Delta-stepping alone uses threads.
const parameters::Schema<dispatch::ComputeOptions>& compute_schema() {
  static const auto schema = [] {
    auto fields = dispatch::compute_schema().fields();
    const auto threads =
        std::ranges::find(fields, "threads", [](const auto& each) { return each.description.key; });
    threads->description.help =
        "CPU threads of the engine cpu-delta; 0 uses all of them. With two threads it takes as long as the "
        "engine cpu, which uses one.";
    return parameters::Schema<dispatch::ComputeOptions>(std::move(fields));
  }();
  return schema;
}

struct TraceArguments {
  std::string file, seeds, label = "Label 1";
  VolumeOptions volume;
  SliceOptions where;
  livewire::SearchOptions search;
  double snap_radius_px = 0;
  bool close = false, json = false;
  const CLI::App* command = nullptr;
  std::vector<std::string> outputs;
  livewire::CostParameters costs;
  parameters::StructParameters<livewire::CostParameters> set{livewire::cost_schema(), costs};
  parameters::StructParameters<dispatch::ComputeOptions> computing{compute_schema(), search};
};

double number(std::string_view text, std::string_view what) {
  text = trimmed(text);
  const auto value = parse_finite(text);
  if (!value) {
    throw Error(fmt::format("{}: {} is not a number.", what, quoted(text)));
  }
  return *value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != text.npos; text.remove_prefix(std::min(text.size(), end + 1))) {
    end = text.find(separator);
    parts.push_back(text.substr(0, end));
  }
  return parts;
}

std::vector<Eigen::Vector2d> parse_seeds(std::string_view text) {
  std::vector<Eigen::Vector2d> seeds;
  for (const auto part : split(text, ';')) {
    const auto numbers = split(part, ',');
    if (numbers.size() != 2)
      throw Error(fmt::format("--seeds: expected \"x,y;x,y;...\" in pixels, found {}.", quoted(part)));
    seeds.emplace_back(number(numbers[0], "--seeds"), number(numbers[1], "--seeds"));
  }
  return seeds;
}

livewire::Rectangle parse_region(std::string_view text) {
  std::vector<int> numbers;
  for (const auto part : split(text, ','))
    numbers.push_back(static_cast<int>(std::clamp(number(part, "--region"), -1e6, 1e6)));
  if (numbers.size() != 4 || numbers[2] < 1 || numbers[3] < 1)
    throw Error(fmt::format("--region: expected \"x,y,width,height\" in pixels, found {}.", quoted(text)));
  return {numbers[0], numbers[1], numbers[2], numbers[3]};
}

/// "gradient=0.43,zero-crossing=0.43": the parameters whose keys end in "-weight".
void set_weights(std::string_view text, parameters::ParameterSet& set) {
  constexpr std::string_view suffix = "-weight";
  std::set<std::string> keys;
  for (const auto part : split(text, ',')) {
    const auto sides = split(part, '=');
    const std::string key = std::string(sides.front()) + std::string(suffix);
    if (sides.size() != 2 || !set.has(key)) {
      std::vector<std::string> names;
      for (const auto& each : set.descriptions()) {
        if (each.key.ends_with(suffix)) names.push_back(each.key.substr(0, each.key.size() - suffix.size()));
      }
      throw Error(fmt::format("--weights: expected \"name=number,...\", found {}. Names: {}.", quoted(part),
                              fmt::join(names, ", ")));
    }
    if (!keys.insert(key).second)
      throw Error(fmt::format("--weights: {} is given twice. Give each weight once.", quoted(sides[0])));
    set.set_text(key, sides[1]);
  }
}

contours::ContourSet set_of(const contours::Contour& contour, const std::string& label) {
  contours::ContourSet set;
  set.put_label({.value = contour.label, .name = label});
  set.add(contour);
  return set;
}

nlohmann::ordered_json described(const TraceArguments& options, const labs::livewire::Drawing& traced,
                                 const livewire::Trace& trace) {
  nlohmann::ordered_json json{{"file", options.file}};
  const auto measures = contours::measures_json(traced.set, traced.image->volume);
  json.update(measures["contours"][0]);
  if (options.close) json["volume_mm3"] = measures["labels"][0]["volume_mm3"];
  auto& seeds = json["seeds_px"] = nlohmann::ordered_json::array();
  for (const auto& seed : trace.contour.seeds) seeds.push_back({seed.x(), seed.y()});
  json["points"] = trace.contour.outline().size();
  json["path_cost"] = trace.cost;
  return json;
}

void trace(Context& context, const TraceArguments& options) {
  const auto seeds = parse_seeds(options.seeds);
  if (given(*options.command, "weights") && options.costs.model != livewire::CostModel::features)
    throw UsageError("--weights applies to --cost features only. Leave it out.");
  for (const auto& path : options.outputs) {
    if (format_of(context, path).areas_alone && !options.close)
      throw Error(fmt::format("{}: an open contour has no area to write. Add --close.", path));
  }
  check_outputs(context, options.outputs, std::array{options.file});
  labs::livewire::Drawing traced;
  traced.image = open_image(context, options.file, options.volume, context.progress.part(0, 0.4));
  const auto& image = *traced.image;
  check_outputs_against(image, options.file, options.outputs);
  traced.slice = slice_of(options.where, options.file, image.volume.geometry);
  const auto engines = gpu::make_livewire_engines(gpu::make_device_pool());
  const auto& engine = engines.find(options.search.engine);

  const auto start = std::chrono::steady_clock::now();
  const livewire::Trace made =
      livewire::trace(images::extract_slice(image.volume, traced.slice),
                      {traced.slice, seeds, options.close, options.snap_radius_px, options.costs}, engine,
                      options.search, context.progress.part(0.4, 0.8));
  const double milliseconds = milliseconds_since(start);
  if (!contours::measure(made.contour, image.volume.geometry).has_scale()) {
    throw InputError(
        options.file, 0,
        "the contour lies in several ultrasound regions, in none, or in one whose axes are not lengths",
        "Place its seeds within one region.");
  }
  traced.set = set_of(made.contour, options.label);
  Remarks of_contour;
  if (const std::string warning = livewire::warning_about(made.contour); !warning.empty())
    of_contour.warn(warning);
  report(context, options.file, of_contour);
  auto json = described(options, traced, made);
  json["engine"] = engine.name();
  json["milliseconds"] = milliseconds;
  write_outputs(context, traced, options.outputs, context.progress.part(0.8, 1));
  json["remarks"] = json_of(context.remarks);
  json["outputs"] = options.outputs;
  if (options.json) return print(context.out, json);
  context.out << fmt::format("{}: slice {}, {} seeds, {:.4g} mm", options.file, traced.slice.index,
                             made.contour.seeds.size(), json["length_mm"].get<double>());
  if (options.close) context.out << fmt::format(", {:.4g} mm2", json["area_mm2"].get<double>());
  context.out << fmt::format(", {:.1f} ms by {}\n", milliseconds, engine.name());
}

}  // namespace

void add_livewire_trace(CLI::App& program, Context& context) {
  auto options = std::make_shared<TraceArguments>();
  auto& command =
      add_verb(program, "trace",
               "Trace a contour along the edges of an image through seeds, measure it and write it.");
  options->command = &command;
  add_option(command, context, &options->file,
             commands::path("IMAGE", "DICOM folder or file, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG"));
  add_option(command, context, &options->seeds,
             commands::text("seeds", "Points on the boundary, in pixels of the slice, in order around it")
                 .shown_as("X,Y;X,Y;..."));
  add_flag(command, "close", options->close, "Close the contour: lead the wire back to the first seed");
  add_slice_options(command, options->where, context);
  add_option(command, context, &options->snap_radius_px,
             commands::number("snap", "Move the seeds to the strongest edge within this radius")
                 .unit("px")
                 .range(0, 1000));
  add_option(
      command, context, [options](const std::string& text) { options->search.region = parse_region(text); },
      commands::text("region",
                     "Rectangle of the slice to which the wire is restricted; by default the whole slice")
          .shown_as("X,Y,WIDTH,HEIGHT")
          .optional());
  add_volume_options(command, options->volume, context);
  add_option(command, context, &options->label,
             commands::text("label", "Name of the contour").shown_as("NAME"));
  add_outputs(command, context, options->outputs);
  add_flag(command, "json", options->json, "Print the measurements as JSON");
  add_parameter_flags(command, options->set, context);
  add_parameter_flags(command, options->computing, context);
  add_option(
      command, context, [options](const std::string& text) { set_weights(text, options->set); },
      commands::text("weights",
                     "Several weights at once: \"gradient=0.43,zero-crossing=0.43,direction=0.14\"")
          .shown_as("NAME=NUMBER,...")
          .group("Weights")
          .optional());
  on_call(command, context, [options, &context] { trace(context, *options); });
}

}  // namespace isolume::batch
