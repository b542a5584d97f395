#include "app/labs/anatomy/batch_regions.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/labs/anatomy/batch_neurons.h"
#include "app/labs/anatomy/batch_parts.h"
#include "app/labs/anatomy/batch_surfaces.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/regions/regions.h"

namespace isolume::labs::anatomy {
namespace {

using Json = nlohmann::ordered_json;
using isolume::anatomy::Labels;
using regions::Label;

struct CutOptions {
  std::string image, seeds, output, certainty, basins;
  int background = 0, threads = 0;
  bool json = false;
  regions::RegionParameters parameters;
  parameters::StructParameters<regions::RegionParameters> set{regions::region_schema(), parameters};
};

/// The labels of seeds but 0, ascending: label 1 of core/regions is the first of them.
std::vector<std::int64_t> names_of(const Labels& seeds, const std::string& file) {
  std::vector<std::int64_t> names = seeds.values;
  std::erase(names, 0);
  if (names.size() > regions::most_labels) {
    throw Error(fmt::format("{} has {}, and at most {} are possible. Join some of them.", file,
                            counted(names.size(), "label"), regions::most_labels));
  }
  return names;
}

std::vector<Label> seeds_of(const Labels& labels, const std::vector<std::int64_t>& names) {
  std::vector<Label> of_value;
  for (const std::int64_t each : labels.values) {
    const auto place = std::ranges::find(names, each) - names.begin();
    of_value.push_back(each == 0 ? Label{0} : static_cast<Label>(place + 1));
  }
  std::vector<Label> seeds;
  seeds.reserve(labels.indices.size());
  for (const std::uint32_t each : labels.indices) seeds.push_back(of_value[each]);
  return seeds;
}

/// Labels of the file: those of the seeds, and 0 for none and for the background.
Labels labels_of(const regions::Regions& found, const Labels& seeds, const std::vector<std::int64_t>& names,
                 int background) {
  Labels result{.grid = seeds.grid, .values = {}, .indices = {}, .type = seeds.type, .remarks = {}};
  std::vector<std::int64_t> value_of{0};
  for (const std::int64_t each : names) value_of.push_back(each == background ? 0 : each);
  result.values = value_of;
  std::ranges::sort(result.values);
  result.values.erase(std::ranges::unique(result.values).begin(), result.values.end());
  std::vector<std::uint32_t> index_of;
  for (const std::int64_t each : value_of) {
    index_of.push_back(
        static_cast<std::uint32_t>(std::ranges::find(result.values, each) - result.values.begin()));
  }
  for (const Label each : found.labels) result.indices.push_back(index_of[each]);
  return result;
}

void write_basins(batch::Context& context, const isolume::anatomy::Image& image, const CutOptions& options) {
  regions::Basins basins;
  on_threads(options.threads, [&] {
    basins = regions::find_basins(
        regions::relief_of(image.grid(), image.values(), options.parameters.basin_sigma_mm, context.progress),
        context.progress);
  });
  Labels labels{.grid = image.grid(),
                .values = std::vector<std::int64_t>(basins.count),
                .indices = std::move(basins.numbers),
                .type = images::PixelType::int32,
                .remarks = {}};
  std::iota(labels.values.begin(), labels.values.end(), std::int64_t{1});
  for (std::uint32_t& each : labels.indices) --each;
  batch::report(context, options.basins, isolume::anatomy::write_labels(labels, options.basins));
}

void cut(batch::Context& context, const CutOptions& options) {
  check_outputs(context, {options.output, options.certainty, options.basins}, {options.image, options.seeds});
  if (!options.certainty.empty() && options.parameters.method != regions::Method::random_walker) {
    throw batch::UsageError("--certainty is a result of the random walker. Add --method random-walker.");
  }
  if (!options.basins.empty() && options.parameters.method != regions::Method::watershed) {
    throw batch::UsageError("--basins is a result of the watershed. Add --method watershed.");
  }
  const auto image = read(context, options.image);
  const Labels labels = isolume::anatomy::read_labels(options.seeds, context.progress);
  batch::report(context, options.seeds, labels.remarks);
  if (!isolume::anatomy::same_positions(image.grid(), labels.grid)) {
    throw Error(
        fmt::format("{} lies on another grid than {}. Bring it to that of the image: isolume-batch "
                    "anatomy warp, --labels and --like.",
                    options.seeds, options.image));
  }
  const std::vector<std::int64_t> names = names_of(labels, options.seeds);
  if (options.background != 0 && std::ranges::find(names, options.background) == names.end()) {
    throw Error(fmt::format("{} has no seeds of the label {} of --background. Choose one that it has.",
                            options.seeds, options.background));
  }
  const std::vector<Label> seeds = seeds_of(labels, names);
  const auto begin = std::chrono::steady_clock::now();
  regions::Regions found;
  on_threads(options.threads, [&] {
    found = regions::find_regions({image.grid(), image.values(), seeds}, options.parameters, nullptr,
                                  context.progress);
  });
  const double seconds = seconds_since(begin);
  batch::report(context, options.image, found.remarks);
  const Labels result = labels_of(found, labels, names, options.background);
  batch::report(context, options.output, isolume::anatomy::write_labels(result, options.output));
  Json json{{"image", options.image}, {"seeds", options.seeds}, {"output", options.output}};
  if (!options.basins.empty()) {
    write_basins(context, image, options);
    json["basins_file"] = options.basins;
  }
  if (!options.certainty.empty()) {
    write(context, image.grid(), std::move(found.certainty), options.certainty);
    json["certainty"] = options.certainty;
  }
  json.update(regions::json_of(found));
  json["labels"] = Json::array();
  std::string sizes;
  for (const auto& each : isolume::anatomy::label_volumes(result)) {
    json["labels"].push_back(
        {{"label", each.label}, {"voxels", each.voxels}, {"millilitres", each.millilitres}});
    sizes += fmt::format("\n{}: {}, {:.3f} ml", each.label, counted(each.voxels, "voxel"), each.millilitres);
  }
  json["seconds"] = seconds;
  print(context, options.json, std::move(json),
        fmt::format("{}: {}, {:.2f} s{}", options.output, regions::text_of(found), seconds, sizes));
}

}  // namespace

void add_region_verbs(CLI::App& lab, batch::Context& context) {
  using batch::add_option;
  using commands::path;
  auto [verb, options] = add_verb_with<CutOptions>(
      lab, context, "cut", "Divide an image into regions, of which seeds give a few voxels each.", cut);
  add_option(verb, context, &options.image, path("IMAGE", image_file));
  add_option(
      verb, context, &options.seeds,
      path("seeds",
           "A label map on the grid of the image: a label for each region, and 0 where there are no seeds"));
  add_option(verb, context, &options.output,
             path("output", "The label map to write: .nii.gz, .nii, .nrrd or .mha"));
  add_option(verb, context, &options.background,
             commands::integer("background",
                               "The label of the background's seeds, which becomes 0; 0: there is none")
                 .range(-2147483647, 2147483647));
  add_option(
      verb, context, &options.certainty,
      path("certainty", "Write the probability of each voxel's label, of the random walker").optional());
  add_option(verb, context, &options.basins,
             path("basins", "Write the basins of the watershed as a label map, numbered from 1").optional());
  batch::add_parameter_flags(verb, options.set, context);

  auto [surfaces, chosen] = add_verb_with<SurfaceOptions>(
      lab, context, "surfaces",
      "Write smooth closed surfaces of labels, which have the volumes of the voxels.", run_surfaces);
  add_option(surfaces, context, &chosen.labels, path("LABELS", "A label map"));
  add_option(surfaces, context, &chosen.output,
             path("output", "The mesh to write, in mm (LPS): .stl, .ply or .vtp, which names the labels"));
  batch::add_flag(surfaces, "touching", chosen.touching,
                  "Surfaces of neighbours share their points; volumes change by a few percent");
  batch::add_flag(surfaces, "optimise-mesh", chosen.improved,
                  "Move points along each surface until its triangles are as equilateral as possible");
  add_option(surfaces, context, &chosen.only,
             commands::integer("label", "A label whose surface is written; by default all but 0")
                 .range(-2147483647, 2147483647)
                 .repeatable()
                 .optional());
  add_neuron_verbs(lab, context);
}

}  // namespace isolume::labs::anatomy
