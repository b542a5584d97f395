#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/labs/livewire/batch/batch_outputs.h"
#include "app/labs/livewire/batch/batch_slice.h"
#include "app/labs/livewire/batch/batch_verbs.h"
#include "app/labs/livewire/files/import_contours.h"
#include "core/contours/files.h"
#include "core/images/document.h"

namespace isolume::batch {
namespace {

using namespace labs::livewire;

struct ImportArguments {
  std::string file, contours, nested;
  VolumeOptions volume;
  SliceOptions where;
  bool json = false;
  std::vector<std::string> outputs;
};

std::optional<dicom::Nested> nested_of(const std::string& word) {
  if (word.empty()) return std::nullopt;
  return word == "holes" ? dicom::Nested::holes : dicom::Nested::filled;
}

void print_labels(Context& context, const ImportArguments& options, const nlohmann::ordered_json& measures) {
  for (const auto& label : measures["labels"]) {
    constexpr double mm3_per_ml = 1000;
    const int contours = label["contours"], slices = label["slices"];
    const double volume_mm3 = label["volume_mm3"];
    context.out << fmt::format(
        "{}: {}, {} contour{} on {} slice{}, {}\n", options.contours, label["label_name"].get<std::string>(),
        contours, contours == 1 ? "" : "s", slices, slices == 1 ? "" : "s",
        std::isfinite(volume_mm3) ? fmt::format("{:.4g} ml", volume_mm3 / mm3_per_ml) : "no volume");
  }
}

void import(Context& context, const ImportArguments& options) {
  for (const auto& path : options.outputs) format_of(context, path);
  check_outputs(context, options.outputs, std::array{options.file, options.contours});
  const auto image = open_image(context, options.file, options.volume, context.progress.part(0, 0.4));
  check_outputs_against(*image, options.file, options.outputs);
  auto read =
      import_contours(options.contours, *image, nested_of(options.nested), context.progress.part(0.4, 0.7));
  report(context, options.contours, read.remarks);
  if (read.nested > 0 && options.nested.empty()) {
    complain(context.err, "Give --nested filled or --nested holes for contours within others.");
  }
  nlohmann::ordered_json json{{"file", options.file}, {"contours_file", options.contours}};
  json.update(contours::measures_json(read.set, image->volume));
  const Drawing drawing{image, std::move(read.set),
                        slice_of(options.where, options.file, image->volume.geometry)};
  write_outputs(context, drawing, options.outputs, context.progress.part(0.7, 1));
  json["remarks"] = json_of(context.remarks);
  json["outputs"] = options.outputs;
  if (options.json) return print(context.out, json);
  print_labels(context, options, json);
}

}  // namespace

void add_livewire_import(CLI::App& lab, Context& context) {
  auto options = std::make_shared<ImportArguments>();
  auto& command =
      add_verb(lab, "import",
               "Read contours of an image from an RT structure set, a segmentation, a label map or a saved "
               "file, measure them and write them in other formats.");
  add_option(command, context, &options->file,
             commands::path("IMAGE", "DICOM folder or file, NIfTI, NRRD, MetaImage, PNG, TIFF or JPEG"));
  add_option(command, context, &options->contours,
             commands::path("CONTOURS", "RT structure set, segmentation, label map or saved contours"));
  add_option(command, context, &options->nested,
             commands::choice("nested",
                              "How structure sets treat contours within others of the same region; by "
                              "default filled, with a remark",
                              {"filled", "holes"})
                 .optional());
  add_slice_options(command, options->where, context);
  add_volume_options(command, options->volume, context);
  add_outputs(command, context, options->outputs);
  add_flag(command, "json", options->json, "Print the measurements as JSON");
  on_call(command, context, [options, &context] { import(context, *options); });
}

}  // namespace isolume::batch
