#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/labs/anatomy/batch_filter.h"
#include "app/labs/anatomy/batch_parts.h"
#include "core/anatomy/image.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/error_text.h"
#include "core/filters/chain.h"
#include "core/images/file_format.h"

namespace isolume::labs::anatomy {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

void print_list(batch::Context& context, bool as_json) {
  const auto& kinds = filters::filter_kinds();
  if (as_json) return batch::print(context.out, filters::json_of(kinds));
  for (const filters::FilterKind& kind : kinds) {
    context.out << fmt::format("{}: {}\n", kind.name, kind.help);
    for (const auto& each : kind.parameters) {
      const std::string value = parameters::to_text(each.default_value);
      context.out << fmt::format("  {}={} [{}] {}\n", each.key, value, batch::allowed_values(each),
                                 each.help);
    }
  }
}

filters::Chain chain_of(batch::Context& context, const FilterOptions& options) {
  filters::Chain chain;
  if (!options.chain.empty()) {
    batch::add_input(context, options.chain);
    chain.add(filters::read_chain(options.chain));
  }
  for (const std::string& each : options.filters) {
    try {
      chain.add(filters::parse_filter(each));
    } catch (const Error& error) {
      throw batch::UsageError(
          fmt::format("--apply: {} `anatomy filter --list` shows all filters.", error.what()));
    }
  }
  if (chain.empty() && options.chain.empty())
    throw batch::UsageError(
        "There is no filter to apply. Give --apply \"gaussian sigma=1.5\", or --chain FILE.");
  return chain;
}

/// Applies the chain to one image; returns {"image", "output", "filters", "seconds"}.
Json filter_image(batch::Context& context, const filters::Chain& chain, const std::string& image_file,
                  const std::string& output, const jobs::Progress& progress) {
  const auto begin = std::chrono::steady_clock::now();
  const isolume::anatomy::Image image = isolume::anatomy::read_image(image_file, progress.part(0, 0.1));
  batch::report(context, image_file, image.remarks);
  filters::Filtered result = filters::apply(chain, image.field, progress.part(0.1, 0.9));
  batch::report(context, image_file, result.remarks);
  batch::report(
      context, output,
      isolume::anatomy::write_image(result.image.grid, std::move(result.image.values.host()), output));
  return {{"image", image_file},
          {"output", output},
          {"filters", std::move(result.report)},
          {"seconds", seconds_since(begin)}};
}

/// "components: 2 components" and other numbers of a filter.
std::string report_text(const Json& report) {
  std::string text = report.at("filter").get<std::string>();
  std::string numbers;
  for (const auto& [key, value] : report.items()) {
    if (key == "filter" || key == "parameters" || key == "seconds") continue;
    numbers += fmt::format("{}{} {}", numbers.empty() ? " (" : ", ", key, value.dump());
  }
  return text + (numbers.empty() ? "" : numbers + ")");
}

std::string text_of(const Json& result) {
  std::string filters;
  for (const Json& each : result.at("filters")) filters += (filters.empty() ? "" : ", ") + report_text(each);
  return fmt::format("{}: {}, {:.2f} s", result.at("output").get<std::string>(), filters,
                     result.at("seconds").get<double>());
}

/// Whether an image can be written under this name.
bool is_image_name(const fs::path& path) {
  return std::ranges::any_of(std::array{".nii.gz", ".nii", ".nrrd", ".mha"},
                             [&](const char* suffix) { return images::ends_with_suffix(path, suffix); });
}

/// The name of the output in another folder: that of the image, with a suffix that can be written.
std::string output_name(const fs::path& image) {
  const std::string name = image.filename().string();
  if (is_image_name(image)) return name;
  return (image.has_extension() ? image.stem().string() : name) + ".nii.gz";
}

/// The images of a folder, in the order of their names: files of one image, and folders, each of which is a DICOM series.
std::vector<fs::path> images_of(batch::Context& context, const fs::path& folder) {
  std::vector<fs::path> images;
  std::vector<std::string> slices, others;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (entry.is_directory()) {
      images.push_back(path);
      continue;
    }
    const images::ImageFormat format = images::format_of(path);
    if (format == images::ImageFormat::dicom) {
      slices.push_back(path.filename().string());
    } else if (format == images::ImageFormat::none) {
      others.push_back(path.filename().string());
    } else {
      images.push_back(path);
    }
  }
  std::ranges::sort(images);
  std::ranges::sort(slices);
  std::ranges::sort(others);
  Remarks remarks;
  if (!slices.empty()) {
    remarks.dropped(
        fmt::format(
            "{} from a folder of images: {}. Give a folder of one series and a file as -o, or move each "
            "series to a folder of its own.",
            counted(slices.size(), "DICOM file was left out", "DICOM files were left out"),
            first_names(slices)),
        slices.size());
  }
  if (!others.empty()) {
    remarks.dropped(fmt::format("{}: {}.",
                                counted(others.size(), "file is no image and was left out",
                                        "files are no images and were left out"),
                                first_names(others)),
                    others.size());
  }
  batch::report(context, folder.string(), remarks);
  return images;
}

/// The image and the output of each image of a folder; outputs of the same name get an Error.
std::vector<std::pair<std::string, std::string>> pairs_of(batch::Context& context,
                                                          const FilterOptions& options) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const fs::path& image : images_of(context, options.image)) {
    const std::string output = (fs::path(options.output) / output_name(image)).string();
    const auto same = std::ranges::find(pairs, output, &std::pair<std::string, std::string>::second);
    if (same != pairs.end()) {
      throw Error(fmt::format("{} and {} would both become {}. Rename one of them.", same->first,
                              image.string(), output));
    }
    pairs.emplace_back(image.string(), output);
  }
  if (pairs.empty())
    throw Error(options.image + ": there is no image in this folder. Choose another folder.");
  return pairs;
}

void filter_folder(batch::Context& context, const FilterOptions& options, const filters::Chain& chain) {
  const auto pairs = pairs_of(context, options);
  std::error_code failed;
  fs::create_directories(options.output, failed);
  std::vector<std::string> inputs, outputs, failures;
  for (const auto& [image, output] : pairs) {
    inputs.push_back(image);
    outputs.push_back(output);
  }
  outputs.push_back(options.save_chain);
  check_outputs(context, outputs, inputs);
  Json results = Json::array();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& [image, output] = pairs[i];
    const auto share = [&](std::size_t n) {
      return static_cast<double>(n) / static_cast<double>(pairs.size());
    };
    Json result;
    try {
      result = filter_image(context, chain, image, output, context.progress.part(share(i), share(i + 1)));
      if (!options.json) context.out << text_of(result) << '\n';
    } catch (const Error& error) {
      const std::string text = error_text(error);
      batch::complain(context.err, text.starts_with(image) ? text : image + ": " + text);
      failures.push_back(fs::path(image).filename().string());
      result = {{"image", image}, {"error", text}};
    }
    results.push_back(std::move(result));
  }
  if (options.json) {
    batch::print(context.out,
                 {{"images", std::move(results)}, {"remarks", isolume::json_of(context.remarks)}});
  }
  if (!failures.empty()) {
    throw Error(
        fmt::format("{} of {} failed: {}. The errors above name the reasons; the other images were written.",
                    failures.size(), counted(pairs.size(), "image"), first_names(failures)));
  }
}

void filter_file(batch::Context& context, const FilterOptions& options, const filters::Chain& chain) {
  check_outputs(context, {options.output, options.save_chain}, {options.image});
  const Json result = filter_image(context, chain, options.image, options.output, context.progress);
  print(context, options.json, result, text_of(result));
}

}  // namespace

void run_filter(batch::Context& context, const FilterOptions& options) {
  if (options.list) return print_list(context, options.json);
  if (options.image.empty()) throw batch::UsageError("There is no IMAGE. Give a file or a folder of images.");
  if (options.output.empty())
    throw batch::UsageError("There is no output. Give -o FILE, or -o FOLDER for a folder of images.");
  const filters::Chain chain = chain_of(context, options);
  std::error_code failed;
  // A folder of DICOM files is one image: what it becomes is a file.
  const bool is_folder = fs::is_directory(options.image, failed) && !is_image_name(options.output);
  on_threads(options.threads, [&] {
    is_folder ? filter_folder(context, options, chain) : filter_file(context, options, chain);
  });
  if (!options.save_chain.empty()) filters::write_chain(chain, options.save_chain);
}

}  // namespace isolume::labs::anatomy
