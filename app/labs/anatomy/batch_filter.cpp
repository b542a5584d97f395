#include "app/labs/anatomy/batch_filter.h"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/anatomy/batch_parts.h"
#include "core/anatomy/image.h"
#include "core/base/atomic_file.h"
#include "core/filters/label_statistics.h"

namespace isolume::labs::anatomy {
namespace {

using Json = nlohmann::ordered_json;

struct StatisticsOptions {
  std::string image, labels, csv;
  int threads = 0;
  bool json = false;
};

Json json_of(const filters::LabelStatistics& each) {
  return {{"label", each.label},
          {"voxels", each.voxels},
          {"volume_mm3", each.volume_mm3},
          {"mean", each.mean},
          {"standard_deviation", each.standard_deviation},
          {"least", each.least},
          {"greatest", each.greatest}};
}

void write_csv(const std::vector<filters::LabelStatistics>& all, const std::string& path) {
  AtomicFile file(path);
  file.stream() << "label,voxels,volume_mm3,mean,standard_deviation,least,greatest\n";
  for (const auto& each : all) {
    file.stream() << fmt::format("{},{},{},{},{},{},{}\n", each.label, each.voxels, each.volume_mm3,
                                 each.mean, each.standard_deviation, each.least, each.greatest);
  }
  file.commit();
}

void statistics(batch::Context& context, const StatisticsOptions& options) {
  check_outputs(context, {options.csv}, {options.image, options.labels});
  const auto image = read(context, options.image), labels = read(context, options.labels);
  std::vector<filters::LabelStatistics> all;
  try {
    all = filters::label_statistics(image.field, labels.field, context.progress);
  } catch (const Error& error) {
    throw Error(options.labels + ": " + error.what());
  }
  if (!options.csv.empty()) write_csv(all, options.csv);
  Json rows = Json::array();
  std::string lines = fmt::format("{:>8} {:>12} {:>14} {:>12} {:>12} {:>12} {:>12}", "label", "voxels",
                                  "volume / ml", "mean", "deviation", "least", "greatest");
  for (const auto& each : all) {
    rows.push_back(json_of(each));
    lines += fmt::format("\n{:>8} {:>12} {:>14.6g} {:>12.6g} {:>12.6g} {:>12.6g} {:>12.6g}", each.label,
                         each.voxels, each.volume_mm3 / 1000, each.mean, each.standard_deviation, each.least,
                         each.greatest);
  }
  print(context, options.json,
        {{"image", options.image}, {"labels", options.labels}, {"statistics", std::move(rows)}}, lines);
}

}  // namespace

void add_filter_verbs(CLI::App& lab, batch::Context& context) {
  using batch::add_flag;
  using batch::add_option;
  using commands::path;
  auto [verb, options] = add_verb_with<FilterOptions>(
      lab, context, "filter", "Apply filters to an image, or to all images of a folder.", run_filter);
  add_option(verb, context, &options.image,
             path("IMAGE",
                  "An image (NIfTI, DICOM folder, NRRD, MetaImage, TIFF, PNG or JPEG), or a folder of images")
                 .optional());
  add_option(
      verb, context, &options.output,
      path("output", "The image to write: .nii.gz, .nii, .nrrd or .mha; or a folder, for a folder of images")
          .optional());
  add_option(
      verb, context, &options.filters,
      commands::text("apply",
                     "A filter and its parameters, as in \"gaussian sigma=1.5\"; the next one is applied "
                     "to its result")
          .repeatable()
          .optional());
  add_option(
      verb, context, &options.chain,
      path("chain", "Apply the filters of a file that --save-chain has written, before those of --apply")
          .optional());
  add_option(verb, context, &options.save_chain,
             path("save-chain", "Write all filters with all parameters as JSON").optional());
  add_flag(verb, "list", options.list, "List all filters with their parameters, defaults and units");

  auto [table, values] = add_verb_with<StatisticsOptions>(
      lab, context, "statistics", "Report mean, deviation and range of an image within each label.",
      statistics);
  add_option(table, context, &values.image, path("IMAGE", image_file));
  add_option(table, context, &values.labels, path("LABELS", "A label map on the grid of the image"));
  add_option(table, context, &values.csv, path("csv", "Write the table as CSV").optional());
}

}  // namespace isolume::labs::anatomy
