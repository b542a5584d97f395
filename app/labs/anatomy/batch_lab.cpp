#include "app/batch/batch_lab.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "app/batch/shares.h"
#include "app/labs/anatomy/batch_atlas.h"
#include "app/labs/anatomy/batch_filter.h"
#include "app/labs/anatomy/batch_parts.h"
#include "app/labs/anatomy/batch_regions.h"
#include "app/labs/anatomy/batch_transforms.h"
#include "app/labs/anatomy/description.h"
#include "core/anatomy/deformation.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/engine_benchmark.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/landmark_files.h"
#include "core/anatomy/landmarks.h"
#include "core/anatomy/linear.h"
#include "core/anatomy/mask.h"
#include "core/anatomy/surface_term.h"
#include "core/anatomy/term_parameters.h"
#include "core/anatomy/transform.h"
#include "core/anatomy/transform_files.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/regions/regions.h"
#include "gpu/anatomy/engines.h"
#include "gpu/machine.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using batch::add_flag;
using batch::add_option;
using commands::integer;
using commands::path;
using Json = nlohmann::ordered_json;

struct Options {
  std::string first, second, output, field, initial, map, flow, fixed_mask, moving_mask;
  std::string engine, devices = "all";
  std::string fixed_labels, moving_labels;
  std::vector<int> surface_labels;
  std::vector<std::string> landmarks, fixed_classes, moving_classes;
  std::vector<int> sides{32, 64, 128};
  int threads = 0;
  bool json = false, affine_only = false;
  DeformationParameters deformation;
  LinearParameters linear;
  TermParameters terms;
  parameters::StructParameters<TermParameters> terms_set{term_schema(), terms};
  parameters::StructParameters<DeformationParameters> deformation_set{deformation_schema(), deformation};
  parameters::StructParameters<LinearParameters> linear_set{linear_schema(), linear};
};

/// The image's values on the grid of the first one, with remarks.
FieldValues on_first(batch::Context& context, const Image& image, const std::string& file,
                     const grid::Grid& grid, const std::string& first,
                     const Eigen::Affine3d& map = Eigen::Affine3d::Identity()) {
  Resampled values = resampled(image, file, grid, first, map);
  batch::report(context, values.remarks);
  return std::move(values.values);
}

/// Pairs of a table, or of two lists of points.
LandmarkPairs read_landmark_pairs(batch::Context& context, const std::vector<std::string>& files) {
  if (files.empty()) return {};
  const LandmarkFile found =
      files.size() == 1 ? read_landmarks(files[0]) : read_landmarks(files[0], files[1]);
  files.size() == 1 ? batch::report(context, files[0], found.remarks) : batch::report(context, found.remarks);
  return found.pairs;
}

/// Null: there is none.
std::shared_ptr<const Mask> read_mask_of(batch::Context& context, const std::string& file) {
  if (file.empty()) return nullptr;
  auto mask = std::make_shared<const Mask>(read_mask(file, context.progress));
  batch::report(context, file, mask->remarks);
  return mask;
}

/// Throws UsageError where flags of surfaces and classes do not fit each other.
void check_terms(const Options& options) {
  const bool has_surfaces = !options.fixed_labels.empty(), has_files = !options.fixed_classes.empty();
  if (has_surfaces == options.moving_labels.empty())
    throw batch::UsageError(
        "Surfaces need label maps of both images: give --fixed-labels and --moving-labels.");
  if (options.fixed_classes.size() != options.moving_classes.size()) {
    throw batch::UsageError(
        "Each class needs its probability in both images: give as many --fixed-class as --moving-class.");
  }
  if (has_files && options.terms.classes > 0)
    throw batch::UsageError("--classes and --fixed-class exclude each other. Leave out one of them.");
  const TermParameters usual;
  if (!has_surfaces &&
      (!options.surface_labels.empty() || options.terms.surface_weight != usual.surface_weight ||
       options.terms.kernel_width_mm != usual.kernel_width_mm)) {
    throw batch::UsageError(
        "--surface-labels, --surface-weight and --kernel-width need surfaces: give --fixed-labels and "
        "--moving-labels.");
  }
  if (options.affine_only && (has_surfaces || has_files || options.terms != usual)) {
    throw batch::UsageError(
        "--affine-only leaves out the deformation, and flags of it are given. Leave out one or the other.");
  }
  if (has_surfaces && !follows_surfaces(options.deformation.model))
    throw batch::UsageError("Surfaces need --model fluid or lddmm. Choose one of them.");
  if (has_files && options.deformation.model != DeformationModel::fluid)
    throw batch::UsageError("--fixed-class and --moving-class need --model fluid.");
}

/// What the flags ask for, the moving image's part as a linear map places it.
FurtherTerms read_terms(batch::Context& context, const Options& options, const grid::Grid& grid,
                        const Eigen::Affine3d& map) {
  FurtherTerms terms{.surfaces = {}, .classes = options.terms.classes, .probabilities = {}, .remarks = {}};
  const auto probability_of = [&](const std::string& file) {
    Image image = read(context, file);
    const auto [least, greatest] = std::ranges::minmax(image.values());
    constexpr float rounding = 1e-3F;
    if (least < -rounding || greatest > 1 + rounding) {
      throw InputError(
          file, 0,
          fmt::format("its values go from {:.4g} to {:.4g}, and those of probabilities from 0 to 1", least,
                      greatest),
          "Divide them by the value that stands for certainty, such as 255.");
    }
    return image;
  };
  for (std::size_t i = 0; i < options.fixed_classes.size(); ++i) {
    const std::string &fixed = options.fixed_classes[i], &moving = options.moving_classes[i];
    terms.probabilities.fixed.push_back(on_first(context, probability_of(fixed), fixed, grid, options.first));
    terms.probabilities.moving.push_back(
        on_first(context, probability_of(moving), moving, grid, options.first, map));
  }
  if (options.fixed_labels.empty()) return terms;
  const auto labels_of = [&](const std::string& file) {
    Labels labels = read_labels(file, context.progress);
    batch::report(context, file, labels.remarks);
    return labels;
  };
  const std::vector<std::int64_t> only(options.surface_labels.begin(), options.surface_labels.end());
  auto pairs = surface_pairs(labels_of(options.fixed_labels), labels_of(options.moving_labels), only,
                             terms.remarks, context.progress);
  batch::report(context, terms.remarks);
  terms.surfaces = placed_on(std::move(pairs), grid, map, options.terms);
  return terms;
}

std::shared_ptr<const FluidEngines> make_engines() {
  return std::make_shared<const FluidEngines>(gpu::make_fluid_engines(gpu::make_device_pool()));
}

/// What the deformation does not do with the pairs.
void report_left_out(batch::Context& context, const LandmarkPairs& pairs, const grid::Grid& grid,
                     DeformationModel model) {
  Remarks remarks;
  const std::size_t outside = pairs.size() - on_grid(pairs, grid, Eigen::Affine3d::Identity()).size();
  if (!pairs.empty() && !follows_landmarks(model)) {
    remarks.dropped("This model of deformation does not follow landmarks: the linear map alone uses them.",
                    pairs.size());
  } else if (outside > 0) {
    remarks.dropped(
        fmt::format("{} outside of the fixed image: the deformation leaves {} out.",
                    counted(outside, "landmark lies", "landmarks lie"), outside == 1 ? "it" : "them"),
        outside);
  }
  batch::report(context, remarks);
}

/// "flow.nii.gz" at the time of a step: "flow-2.nii.gz".
std::string at_step(const std::string& file, int step) {
  const std::size_t name = file.find_last_of('/') + 1;
  const std::size_t suffix = file.ends_with(".gz") ? file.rfind('.', file.size() - 4) : file.rfind('.');
  if (suffix == std::string::npos || suffix <= name) return fmt::format("{}-{}", file, step);
  return fmt::format("{}-{}{}", file.substr(0, suffix), step, file.substr(suffix));
}

/// The moving image at each time of a flow, from the linear map alone to the whole map.
void write_flow(batch::Context& context, const Image& moving, const grid::Grid& grid,
                const Registration& result, const Eigen::Affine3d& map, const std::string& file) {
  for (std::size_t step = 0; step <= result.path.size(); ++step) {
    Transform whole;
    if (step > 0) {
      whole.append(Transform(std::make_shared<const DisplacementImage>(
          DisplacementImage{.grid = grid, .field = result.path[step - 1], .remarks = {}})));
    }
    whole.append(Transform(map));
    const DisplacementImage by = displacements_of(whole, grid, context.progress);
    write(context, grid, moved(moving, by, false), at_step(file, static_cast<int>(step)));
  }
}

void register_pair(batch::Context& context, const Options& options) {
  std::vector<std::string> inputs{options.first,        options.second,      options.initial,
                                  options.fixed_mask,   options.moving_mask, options.fixed_labels,
                                  options.moving_labels};
  inputs.insert(inputs.end(), options.fixed_classes.begin(), options.fixed_classes.end());
  inputs.insert(inputs.end(), options.moving_classes.begin(), options.moving_classes.end());
  inputs.insert(inputs.end(), options.landmarks.begin(), options.landmarks.end());
  std::vector<std::string> outputs{options.output, options.field, options.map};
  if (!options.flow.empty()) {
    if (options.deformation.model != DeformationModel::lddmm || options.affine_only)
      throw batch::UsageError("--flow needs a flow: choose --model lddmm.");
    for (int step = 0; step <= options.deformation.time_steps; ++step)
      outputs.push_back(at_step(options.flow, step));
  }
  check_outputs(context, outputs, inputs);
  if (options.landmarks.size() > 2) {
    throw batch::UsageError(
        "--landmarks is one table of pairs, or two lists of points: fixed, then moving. Leave out the "
        "others.");
  }
  if (!options.map.empty() && !is_linear_file(options.map)) {
    throw batch::UsageError(fmt::format(
        "{}: linear maps are written as .tfm, .txt, .mat or .h5. Choose one of these.", options.map));
  }
  if (options.affine_only && options.deformation != DeformationParameters{}) {
    throw batch::UsageError(
        "--affine-only leaves out the deformation, and flags of it are given. Leave out one or the other.");
  }
  check_terms(options);
  std::optional<Eigen::Affine3d> initial;
  if (!options.initial.empty()) initial = read_linear(options.initial);
  if (options.landmarks.empty() &&
      options.deformation.landmark_weight != DeformationParameters().landmark_weight)
    throw batch::UsageError("--landmark-weight needs pairs: give --landmarks.");
  const LandmarkPairs landmarks = read_landmark_pairs(context, options.landmarks);
  const Image fixed = read(context, options.first), moving = read(context, options.second);
  const grid::Grid& grid = fixed.grid();
  require_registrable(grid, options.first);
  require_same_kind(moving.grid(), options.second, grid, options.first);
  const MaskPair masks{.fixed = read_mask_of(context, options.fixed_mask),
                       .moving = read_mask_of(context, options.moving_mask)};
  const FieldValues of_fixed =
      masks.fixed != nullptr ? inside_image(*masks.fixed, grid, options.first) : FieldValues();
  const FieldValues of_moving =
      masks.moving != nullptr ? inside_image(*masks.moving, moving.grid(), options.second) : FieldValues();
  if (!options.affine_only) report_left_out(context, landmarks, grid, options.deformation.model);
  const auto begin = std::chrono::steady_clock::now();
  LinearRegistration linear;
  on_threads(options.threads, [&] {
    linear = register_linear({grid, fixed.values(), of_fixed}, {moving.grid(), moving.values(), of_moving},
                             options.linear, initial ? &*initial : nullptr, {}, context.progress.part(0, 0.3),
                             landmarks);
  });
  const FieldValues placed = on_first(context, moving, options.second, grid, options.first, linear.map);
  DeformationParameters deformation = options.deformation;
  if (options.affine_only) deformation.iterations = 0;
  const PlacedMasks on_fixed = placed_on(masks, grid, options.first, linear.map);
  FluidCompute compute{.engines = nullptr, .options = {.devices = options.devices}};
  if (!options.affine_only && deformation.model == DeformationModel::fluid) compute.engines = make_engines();
  Registration result;
  on_threads(options.threads, [&] {
    const FurtherTerms further = read_terms(context, options, grid, linear.map);
    result = deform(fixed.values(), placed, grid.dimensions, spacing_of(grid), deformation,
                    levels_of(grid.dimensions, deformation), {}, context.progress.part(0.3, 1),
                    {.pairs = on_grid(landmarks, grid, linear.map), .weight = deformation.landmark_weight},
                    on_fixed.view(), compute, further);
  });
  const double seconds = seconds_since(begin);
  report_folding(context, result.folded, deformation.model);
  batch::report(context, remarks_of(result.report));
  Transform whole(std::make_shared<const DisplacementImage>(
      DisplacementImage{.grid = grid, .field = result.displacement, .remarks = {}}));
  whole.append(Transform(linear.map));
  const DisplacementImage by = displacements_of(whole, grid, context.progress);
  write(context, grid, moved(moving, by, false), options.output);
  if (!options.field.empty()) write_displacements(grid, by.field, options.field);
  if (!options.map.empty()) write_linear(linear.map, options.map);
  if (!options.flow.empty()) write_flow(context, moving, grid, result, linear.map, options.flow);
  Json json{{"fixed", options.first}, {"moving", options.second}, {"output", options.output}};
  if (!options.field.empty()) json["field"] = options.field;
  if (!options.map.empty()) json["linear_map"] = options.map;
  if (masks.fixed != nullptr) json["fixed_mask"] = options.fixed_mask;
  if (masks.moving != nullptr) json["moving_mask"] = options.moving_mask;
  if (options.terms.classes > 0) json["classes"] = options.terms.classes;
  json["linear"] = json_of(linear, options.linear);
  if (!options.affine_only) json["model"] = std::get<std::string>(options.deformation_set.get("model"));
  json.update(json_of(result, grid));
  if (compute.engines != nullptr) {
    json["engine"] = result.report.by();
    json["reason"] = result.report.reason;
    json["devices"] = batch::describe_shares(result.report);
  }
  std::string of_landmarks;
  if (!landmarks.empty()) {
    const LandmarkErrors errors{.before = errors_of(landmarks, Transform()),
                                .linear = errors_of(landmarks, Transform(linear.map)),
                                .after = errors_of(landmarks, whole)};
    json["landmarks"] = json_of(landmarks, errors);
    of_landmarks = text_of(errors) + ", ";
  }
  json["seconds"] = seconds;
  print(context, options.json, json,
        fmt::format("{}: {}; {}, {}{:.2f} s", options.output, text_of(linear, options.linear),
                    text_of(result, grid), of_landmarks, seconds));
}

void bench(batch::Context& context, const Options& options) {
  Json json;
  std::vector<std::string> all;
  if (options.engine.empty()) {
    json = benchmark(options.sides, options.threads, context.progress);
    all = lines_of(json);
    on_threads(options.threads, [&] { json["cuts"] = regions::benchmark(options.sides, context.progress); });
    for (std::string& line : regions::lines_of(json.at("cuts"))) all.push_back(std::move(line));
  }
  json["engines"] = benchmark_engines(make_engines(), options.engine, options.sides, context.progress);
  for (std::string& line : lines_of_engines(json.at("engines"))) all.push_back(std::move(line));
  std::string lines;
  for (const auto& line : all) lines += (lines.empty() ? "" : "\n") + line;
  print(context, options.json, json, lines);
}

/// A verb with --json and --threads, and its options.
std::pair<CLI::App&, Options&> add(CLI::App& parent, batch::Context& context, const char* name,
                                   const char* help, void (*act)(batch::Context&, const Options&)) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(parent, name, help);
  add_flag(verb, "json", options->json, "Print JSON");
  add_option(verb, context, &options->threads,
             integer("threads", "CPU threads; 0 uses all of them. Results are the same").range(0, 4096));
  batch::on_call(verb, context, [options, act, &context] { act(context, *options); });
  return {verb, *options};
}

void add_verbs(CLI::App& lab, batch::Context& context) {
  auto [registration, pair] =
      add(lab, context, "register",
          "Bring an image onto another one: by a linear map, then by a deformation.", register_pair);
  add_option(registration, context, &pair.first, path("FIXED", image_file));
  add_option(registration, context, &pair.second,
             path("MOVING", "The image that is deformed, of the same kinds"));
  add_option(registration, context, &pair.output, path("output", output_file));
  add_option(registration, context, &pair.field,
             path("field",
                  "Write the displacements of the whole map in mm (LPS), as ITK and ANTs read them: .nii.gz, "
                  ".nii, .nrrd or .mha")
                 .optional());
  add_option(registration, context, &pair.initial,
             path("initial", "A linear map to begin with, as ITK or ANTs write it: .tfm, .txt, .mat or .h5")
                 .optional());
  add_option(
      registration, context, &pair.map,
      path("linear-map", "Write the linear map as ITK and ANTs read it: .tfm, .txt, .mat or .h5").optional());
  add_option(registration, context, &pair.flow,
             path("flow",
                  "Write the image at each time of a geodesic flow: flow.nii.gz makes flow-0.nii.gz, "
                  "flow-1.nii.gz ... Needs --model lddmm")
                 .optional());
  add_option(
      registration, context, &pair.landmarks,
      path("landmarks",
           "Pairs of landmarks that are brought together: a table (.csv), or two lists of points of 3D "
           "Slicer (.mrk.json, .fcsv), fixed and then moving")
          .repeatable()
          .optional());
  add_option(registration, context, &pair.fixed_mask,
             path("fixed-mask",
                  "A label map: the images are compared where it is not 0 on the fixed image. The map is "
                  "still smooth everywhere")
                 .optional());
  add_option(registration, context, &pair.moving_mask,
             path("moving-mask", "A label map: the images are compared where it is not 0 on the moving image")
                 .optional());
  add_option(registration, context, &pair.fixed_labels,
             path("fixed-labels",
                  "A label map of the fixed image: surfaces of labels that both images have are brought "
                  "together. Needs --moving-labels and --model fluid or lddmm")
                 .optional());
  add_option(registration, context, &pair.moving_labels,
             path("moving-labels", "A label map of the moving image").optional());
  add_option(registration, context, &pair.surface_labels,
             integer("surface-labels", "Labels whose surfaces are used, as in 1,2; all if omitted")
                 .range(std::numeric_limits<int>::min(), std::numeric_limits<int>::max())
                 .repeatable()
                 .optional());
  add_option(registration, context, &pair.fixed_classes,
             path("fixed-class",
                  "Probability of a class of tissue on the fixed image, 0 to 1; one file for each class. The "
                  "probabilities are compared in place of the values. Needs --model fluid")
                 .repeatable()
                 .optional());
  add_option(registration, context, &pair.moving_classes,
             path("moving-class", "Probability of the same classes on the moving image, in the same order")
                 .repeatable()
                 .optional());
  add_flag(registration, "affine-only", pair.affine_only, "Find the linear map alone, without a deformation");
  batch::add_parameter_flags(registration, pair.linear_set, context);
  batch::add_parameter_flags(registration, pair.deformation_set, context);
  batch::add_parameter_flags(registration, pair.terms_set, context);
  add_option(registration, context, &pair.devices,
             commands::text("devices",
                            "GPUs that may compute, by number, as in 1,2; the first one is used. all takes "
                            "the first that is in use")
                 .optional());

  add_atlas_verb(lab, context);
  add_transform_verbs(lab, context);
  add_filter_verbs(lab, context);
  add_region_verbs(lab, context);
}

void add_bench(CLI::App& parent, batch::Context& context) {
  auto [verb, options] =
      add(parent, context, "anatomy", "Time of an iteration of fluid registration and its parts.", bench);
  add_option(verb, context, &options.sides,
             integer("sizes", "Voxels along the sides of cubes").range(16, 1024).repeatable());
  add_option(verb, context, &options.engine,
             commands::text("engine", "Time iterations by this engine alone, such as cuda").optional());
}

}  // namespace

/// `isolume-batch anatomy`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Volumes that are deformed onto each other.",
          .add_verbs = add_verbs,
          .add_bench = add_bench};
}

}  // namespace isolume::labs::anatomy
