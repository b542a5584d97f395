#include "app/labs/anatomy/batch_atlas.h"

#include <algorithm>
#include <numeric>
#include <sstream>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/anatomy/batch_parts.h"
#include "core/anatomy/ages.h"
#include "core/anatomy/atlas_devices.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/subjects.h"
#include "core/anatomy/transform.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/number.h"
#include "core/parameters/narrowed.h"
#include "gpu/anatomy/engines.h"
#include "gpu/machine.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using batch::add_option;
using commands::path;
using Json = nlohmann::ordered_json;

struct AtlasOptions {
  std::string output, variance, ages, age;
  std::vector<std::string> images, fields, weights;
  double kernel_years = 5;
  int threads = 0;
  bool json = false, plan = false;
  AtlasParameters deformation;
  LinearParameters linear;
  parameters::StructParameters<AtlasParameters> set{atlas_schema(), deformation};
  parameters::StructParameters<LinearParameters> linear_set{linear_schema(), linear};
  /// Of images without landmarks.
  parameters::NarrowedParameters linear_of_images{
      linear_set, {}, [](parameters::Description& each) {
        std::erase_if(each.choices,
                      [](const parameters::Choice& choice) { return choice.key == "landmarks"; });
      }};
};

void check_usage(const AtlasOptions& options) {
  const std::size_t images = options.images.size();
  const auto check_count = [images](std::size_t given, const char* what) {
    if (given == 0 || given == images) return;
    throw batch::UsageError(fmt::format("There are {} and {}: give one {} for each image.",
                                        counted(images, "image"), counted(given, what), what));
  };
  check_count(options.weights.size(), "weight");
  check_count(options.fields.size(), "field");
  if (options.ages.empty() != options.age.empty())
    throw batch::UsageError("--ages and --age belong together: give both, or none.");
  if (options.plan && options.deformation.model != AtlasModel::fluid)
    throw batch::UsageError("--plan is for fluid steps: the CPU alone computes flows.");
  if (options.ages.empty() && options.kernel_years != AtlasOptions().kernel_years)
    throw batch::UsageError("--kernel-years needs ages: give --ages and --age.");
}

/// The weights times those of a kernel about an age, and what is reported of it.
struct AgeWeights {
  std::vector<double> weights;
  Json json;
  std::string text;
  Remarks remarks;
};

AgeWeights weights_at_age(const AtlasOptions& options) {
  AgeWeights result{
      .weights = std::vector<double>(options.images.size(), 1), .json = {}, .text = {}, .remarks = {}};
  for (std::size_t i = 0; i < options.weights.size(); ++i)
    result.weights[i] = parse_finite(options.weights[i]).value();
  if (options.ages.empty()) return result;
  const double age = parse_finite(options.age).value();
  const std::vector<double> ages = ages_of(read_ages(options.ages), options.images);
  const std::vector<double> kernel = kernel_weights(ages, age, options.kernel_years);
  for (std::size_t i = 0; i < kernel.size(); ++i) result.weights[i] *= kernel[i];
  const auto left_out = static_cast<std::size_t>(std::ranges::count(result.weights, 0.0));
  if (left_out + 2 > kernel.size()) {
    throw Error(fmt::format(
        "Fewer than two images have a weight at the age of {:g}. Raise --kernel-years or choose another age.",
        age));
  }
  if (left_out > 0) {
    result.remarks.dropped(
        fmt::format("{} too far from the age of {:g}: the average leaves {} out.",
                    counted(left_out, "image is", "images are"), age, left_out == 1 ? "it" : "them"),
        left_out);
  }
  const double mean = mean_age(ages, result.weights), effective = effective_count(result.weights);
  result.json = {{"age", age},
                 {"kernel_years", options.kernel_years},
                 {"mean_age", mean},
                 {"effective_images", effective},
                 {"weights", result.weights}};
  result.text =
      fmt::format("at the age of {:g} (mean {:.3g}, {:.2g} effective images), ", age, mean, effective);
  return result;
}

std::shared_ptr<const FluidEngines> atlas_engines() {
  return std::make_shared<const FluidEngines>(gpu::make_fluid_engines(gpu::make_device_pool()));
}

/// Prints which device would get which images. Images with a weight of 0 are left out.
void print_plan(batch::Context& context, const AtlasOptions& options) {
  const AgeWeights at_age = weights_at_age(options);
  const auto images = static_cast<std::size_t>(
      std::ranges::count_if(at_age.weights, [](double weight) { return weight > 0; }));
  if (images < 2) throw Error("An average needs at least two images with a weight above 0. Raise a weight.");
  const Image first = read(context, options.images.front());
  const Counts& counts = first.grid().dimensions;
  FluidCompute compute = compute_of(options.deformation, atlas_engines());
  if (is_streamed(counts, images, options.deformation)) compute = of_streamed(compute);
  std::vector<LevelPlan> plan;
  on_threads(options.threads, [&] {
    plan = plan_atlas(compute, images, counts, spacing_of(first.grid()), options.deformation);
  });
  print(context, options.json, isolume::anatomy::json_of(plan), isolume::anatomy::text_of(plan));
}

/// Remarks as lines of JSON, which ranks hand to the first one.
std::string json_lines(const std::string& file, const Remarks& remarks) {
  std::string lines;
  for (const Remark& each : remarks) {
    const Json line{file, static_cast<int>(each.kind), each.text, each.count};
    lines += line.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
  }
  return lines;
}

void report_lines(batch::Context& context, const std::string& lines) {
  std::istringstream all(lines);
  for (std::string line; std::getline(all, line);) {
    const Json each = Json::parse(line);
    Remarks remark;
    remark.add(static_cast<RemarkKind>(each[1].get<int>()), each[2], each[3]);
    const std::string file = each[0];
    file.empty() ? batch::report(context, remark) : batch::report(context, file, remark);
  }
}

void write_outputs(batch::Context& context, const AtlasOptions& options, const PlacedSubjects& placed,
                   Atlas& atlas, std::span<const std::size_t> own, bool is_first) {
  if (is_first) {
    write(context, placed.grid, atlas.mean, options.output);
    if (!options.variance.empty()) write(context, placed.grid, atlas.variance, options.variance);
  }
  for (std::size_t i = 0; i < own.size() && !options.fields.empty(); ++i) {
    context.progress.check();
    write_displacements(placed.grid, displacement_then(placed.grid, atlas.images->field(i), placed.maps[i]),
                        options.fields[own[i]]);
  }
}

/// What all ranks do, each with its part of the images.
void average_on(batch::Context& context, const AtlasOptions& options, const AtlasRanks& ranks) {
  const bool is_first = ranks.rank() == 0;
  AgeWeights at_age;
  ranks.together([&] {
    if (options.plan)
      throw Error("--plan is for one process. Start the program without mpirun, or leave out --plan.");
    at_age = weights_at_age(options);
    if (!is_first) return;
    std::vector<std::string> outputs{options.output, options.variance};
    outputs.insert(outputs.end(), options.fields.begin(), options.fields.end());
    std::vector<std::string> inputs = options.images;
    inputs.push_back(options.ages);
    check_outputs(context, outputs, inputs);
    batch::report(context, at_age.remarks);
  });
  std::vector<std::size_t> averaged;
  for (std::size_t i = 0; i < at_age.weights.size(); ++i) {
    if (at_age.weights[i] > 0) averaged.push_back(i);
  }
  const auto begin_of = [&](int rank) {
    return averaged.size() * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks.count());
  };
  const std::span<const std::size_t> own = std::span(averaged).subspan(
      begin_of(ranks.rank()), begin_of(ranks.rank() + 1) - begin_of(ranks.rank()));

  auto subjects = std::make_shared<Subjects>();
  Subject first;
  std::vector<double> weights;
  std::string remarks;
  ranks.together([&] {
    bool reads_all = true;
    const auto read_one = [&](std::size_t index) {
      const std::string& file = options.images[index];
      Subject subject{.path = file, .name = file, .image = nullptr};
      if (reads_all) subject.image = std::make_shared<const Image>(read_image(file, context.progress));
      return subject;
    };
    first = read_one(0);
    reads_all = !is_streamed(first.image->grid().dimensions, own.size(), options.deformation);
    if (is_first) remarks += json_lines(first.name, first.image->remarks);
    for (const std::size_t index : own) {
      subjects->push_back(index == 0 ? first : read_one(index));
      weights.push_back(at_age.weights[index]);
      if (index > 0 && reads_all)
        remarks += json_lines(subjects->back().name, subjects->back().image->remarks);
    }
  });
  remarks = ranks.joined(remarks);
  if (is_first) report_lines(context, remarks);

  const auto begin = std::chrono::steady_clock::now();
  std::shared_ptr<const PlacedSubjects> placed;
  Atlas atlas;
  std::shared_ptr<const FluidEngines> engines;
  // Of several ranks "auto" is the CPU.
  const bool may_take_gpus = ranks.count() == 1 || options.deformation.engine != "auto";
  if (options.deformation.model == AtlasModel::fluid && may_take_gpus) engines = atlas_engines();
  on_threads(options.threads > 0 ? options.threads : ranks.threads(), [&] {
    placed = place_subjects(subjects, options.linear, context.progress.part(0, 0.3), &first, ranks);
    std::vector<std::size_t> all(subjects->size());
    std::iota(all.begin(), all.end(), 0U);
    atlas = atlas_of(*placed, all, weights, options.deformation, {}, context.progress.part(0.3, 1), ranks,
                     engines);
  });
  const double seconds = seconds_since(begin);
  remarks = ranks.joined(json_lines({}, placed->remarks) + json_lines({}, remarks_of(atlas.report)));
  if (is_first) {
    report_lines(context, remarks);
    report_folding(context, atlas.folded);
  }
  ranks.together([&] { write_outputs(context, options, *placed, atlas, own, is_first); });
  if (!is_first) return;
  Json json{{"output", options.output}};
  if (!at_age.json.is_null()) json["ages"] = at_age.json;
  json.update(json_of(atlas));
  if (engines != nullptr) {
    json["engine"] = atlas.report.by();
    json["reason"] = atlas.report.reason;
    json["devices"] = batch::describe_shares(atlas.report);
  }
  if (ranks.count() > 1) json["ranks"] = ranks.count();
  json["seconds"] = seconds;
  print(context, options.json, json,
        fmt::format("{}: {}{}, {:.2f} s", options.output, at_age.text, text_of(atlas), seconds));
}

/// With the images of a folder in its place.
std::vector<std::string> images_of(const std::vector<std::string>& images) {
  std::error_code failed;
  if (images.size() != 1 || !std::filesystem::is_directory(images[0], failed)) return images;
  std::vector<std::string> files;
  for (const auto& each : images_in(images[0])) files.push_back(each.string());
  return files;
}

void average_images(batch::Context& context, const AtlasOptions& given) {
  AtlasOptions options = given;
  options.images = images_of(given.images);
  check_usage(options);
  if (on_atlas_ranks(context, [&](const AtlasRanks& ranks) { average_on(context, options, ranks); })) return;
  if (options.plan) return print_plan(context, options);
  average_on(context, options, AtlasRanks());
}

}  // namespace

void add_atlas_verb(CLI::App& lab, batch::Context& context) {
  auto [verb, options] = add_verb_with<AtlasOptions>(
      lab, context, "atlas", "Average images that are deformed onto their common mean.", average_images);
  add_option(
      verb, context, &options.images,
      path("IMAGES", "Two or more images, or a folder of them; the first one's grid is that of the mean")
          .repeatable());
  add_option(verb, context, &options.output, path("output", output_file));
  add_option(verb, context, &options.variance,
             path("variance", "Write the variance of the aligned images about the mean").optional());
  add_option(
      verb, context, &options.fields,
      path("field", "Write the displacements of each image's whole map; give one for each, in their order")
          .repeatable()
          .optional());
  add_option(
      verb, context, &options.weights,
      commands::number("weight", "Weight of an image, 0 leaves it out; give one for each, in their order")
          .range(0, 1e6)
          .repeatable()
          .optional());
  add_option(
      verb, context, &options.ages,
      path("ages",
           "A table (.csv) with the columns image and age: images near --age have the greatest weights")
          .optional());
  add_option(verb, context, &options.age,
             commands::number("age", "The age of the average").unit("years").range(0, 200).optional());
  add_option(verb, context, &options.kernel_years,
             commands::number("kernel-years",
                              "Standard deviation of the Gaussian that weighs the differences of ages (5)")
                 .unit("years")
                 .range(0.01, 100)
                 .optional());
  batch::add_flag(verb, "plan", options.plan,
                  "Print which device would get which images, its memory and the time, and compute nothing");
  batch::add_parameter_flags(verb, options.linear_of_images, context);
  batch::add_parameter_flags(verb, options.set, context);
}

}  // namespace isolume::labs::anatomy
