#include "app/labs/anatomy/batch_transforms.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "app/labs/anatomy/batch_parts.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/labels.h"
#include "core/anatomy/transform.h"
#include "core/anatomy/transform_files.h"
#include "core/base/atomic_file.h"
#include "core/base/counted.h"
#include "core/images/file_format.h"
#include "core/volumes/warp.h"

namespace isolume::labs::anatomy {
namespace {

using namespace isolume::anatomy;
using batch::add_flag;
using batch::add_option;
using commands::path;
using Json = nlohmann::ordered_json;

struct TransformOptions {
  std::string image, output, like, fsl_fixed, fsl_moving, names, csv;
  std::vector<std::string> transforms, label_maps;
  int threads = 0;
  bool nearest = false, labels = false, inverse = false, distances = false, json = false;

  std::vector<std::string> inputs() const {
    std::vector<std::string> all = transforms;
    all.insert(all.end(), label_maps.begin(), label_maps.end());
    for (const std::string& each : {image, like, fsl_fixed, fsl_moving, names}) {
      if (!each.empty()) all.push_back(each);
    }
    return all;
  }
};

/// All transforms of the command line, one after the other.
Transform read_transforms(batch::Context& context, const TransformOptions& options) {
  Transform all;
  std::optional<grid::Grid> fixed, moving;
  for (const std::string& file : options.transforms) {
    if (!options.fsl_fixed.empty() && is_fsl_matrix(file)) {
      if (!fixed) {
        fixed = read(context, options.fsl_fixed).grid();
        moving = read(context, options.fsl_moving).grid();
      }
      all.append(Transform(read_fsl(file, *fixed, *moving)));
      continue;
    }
    const TransformFile found = read_transform(file, context.progress);
    batch::report(context, file, found.remarks);
    all.append(found.transform);
  }
  return all;
}

/// The grid of --like, or else that of the first step.
grid::Grid output_grid(batch::Context& context, const TransformOptions& options, const Transform& transform) {
  if (!options.like.empty()) {
    grid::Grid grid = read(context, options.like).grid();
    require_registrable(grid, options.like);
    return grid;
  }
  if (const grid::Grid* first = transform.first_grid()) return *first;
  throw batch::UsageError(
      "The map begins with a linear transform, which has no grid. Give an image with the grid of the output: "
      "--like.");
}

/// Replaces the transform by its inverse; reports what is left of fields.
void invert(batch::Context& context, Transform& transform, Json& json) {
  InverseTransform inverse = inverse_of(transform, context.progress);
  if (!transform.linear()) json["inverse_residual_voxels"] = inverse.largest_residual;
  if (inverse.unsolved > 0) {
    Remarks remarks;
    remarks.add(RemarkKind::warning,
                fmt::format("The map has no inverse in {}: up to {:.3g} voxels are left.",
                            counted(inverse.unsolved, "voxel"), inverse.largest_residual),
                inverse.unsolved);
    batch::report(context, remarks);
  }
  transform = std::move(inverse.transform);
}

void warp(batch::Context& context, const TransformOptions& options) {
  if (options.nearest && options.labels)
    throw batch::UsageError("--nearest and --labels exclude each other. Give one of them.");
  check_outputs(context, {options.output}, options.inputs());
  Transform transform = read_transforms(context, options);
  Json json{{"output", options.output}};
  std::string line;
  on_threads(options.threads, [&] {
    if (options.inverse) invert(context, transform, json);
    const DisplacementImage by =
        displacements_of(transform, output_grid(context, options, transform), context.progress);
    if (options.labels) {
      const Labels labels = read_labels(options.image, context.progress);
      batch::report(context, options.image, labels.remarks);
      batch::report(context, options.output,
                    write_labels(moved(labels, by, context.progress), options.output));
    } else {
      const Image image = read(context, options.image);
      write(context, by.grid, moved(image, by, options.nearest), options.output);
    }
    const double largest_mm = largest_displacement_mm(by.field, by.grid);
    json["largest_displacement_mm"] = largest_mm;
    line = fmt::format("{}: displacements up to {:.2f} mm", options.output, largest_mm);
  });
  print(context, options.json, std::move(json), line);
}

/// Writes a linear map as such where the suffix is that of one, and otherwise displacements.
void write_transform(batch::Context& context, const TransformOptions& options, const Transform& transform,
                     Json json) {
  std::string line;
  if (is_linear_file(options.output)) {
    const std::optional<Eigen::Affine3d> map = transform.linear();
    if (!map) {
      throw batch::UsageError(fmt::format(
          "{}: the map is not linear. Write displacements: .nii.gz, .nii, .nrrd or .mha.", options.output));
    }
    write_linear(*map, options.output);
    Json rows = Json::array();
    for (int row = 0; row < 3; ++row)
      rows.push_back(
          {map->matrix()(row, 0), map->matrix()(row, 1), map->matrix()(row, 2), map->matrix()(row, 3)});
    json["matrix"] = std::move(rows);
    json["determinant"] = map->linear().determinant();
    line = fmt::format("{}: linear, determinant {:.4g}", options.output, map->linear().determinant());
  } else {
    const DisplacementImage field =
        displacements_of(transform, output_grid(context, options, transform), context.progress);
    write_displacements(field.grid, field.field, options.output);
    const double largest_mm = largest_displacement_mm(field.field, field.grid);
    json["largest_displacement_mm"] = largest_mm;
    line = fmt::format("{}: displacements up to {:.2f} mm", options.output, largest_mm);
  }
  if (json.contains("inverse_residual_voxels")) {
    line +=
        fmt::format(", {:.2g} voxels left of the inverse", json.at("inverse_residual_voxels").get<double>());
  }
  print(context, options.json, std::move(json), line);
}

/// The suffix is checked before anything is read.
void check_transform_output(batch::Context& context, const TransformOptions& options) {
  constexpr std::array suffixes{".nii.gz", ".nii", ".nrrd", ".mha"};
  const bool is_field = std::ranges::any_of(
      suffixes, [&](const char* each) { return images::ends_with_suffix(options.output, each); });
  if (!is_field && !is_linear_file(options.output)) {
    throw batch::UsageError(
        fmt::format("{}: linear maps are written as .tfm, .txt, .mat or .h5, displacement fields as .nii.gz, "
                    ".nii, .nrrd or .mha. Choose one of these.",
                    options.output));
  }
  check_outputs(context, {options.output}, options.inputs());
}

void compose(batch::Context& context, const TransformOptions& options) {
  if (options.fsl_fixed.empty() != options.fsl_moving.empty())
    throw batch::UsageError("A matrix of FSL needs both images: --fsl-fixed and --fsl-moving.");
  check_transform_output(context, options);
  const Transform transform = read_transforms(context, options);
  on_threads(options.threads, [&] {
    write_transform(context, options, transform, Json{{"output", options.output}});
  });
}

void invert_file(batch::Context& context, const TransformOptions& options) {
  check_transform_output(context, options);
  Transform transform = read_transforms(context, options);
  on_threads(options.threads, [&] {
    Json json{{"output", options.output}};
    invert(context, transform, json);
    write_transform(context, options, transform, std::move(json));
  });
}

void jacobian(batch::Context& context, const TransformOptions& options) {
  check_outputs(context, {options.output}, options.inputs());
  const Transform transform = read_transforms(context, options);
  grid::Grid grid;
  FieldValues determinants;
  on_threads(options.threads, [&] {
    const DisplacementImage by =
        displacements_of(transform, output_grid(context, options, transform), context.progress);
    grid = by.grid;
    determinants = volumes::jacobian_determinants(by.field);
  });
  Json json{{"output", options.output}};
  json.update(json_of_determinants(determinants));
  const std::string line = options.output + ": " + text_of_determinants(determinants);
  write(context, grid, std::move(determinants), options.output);
  print(context, options.json, std::move(json), line);
}

/// A row of the report on label maps.
struct LabelRow {
  std::int64_t label = 0;
  std::string name;
  std::optional<LabelVolume> first, second;
  std::optional<LabelOverlap> overlap;
  std::optional<SurfaceDistances> distances;
};

Json json_of(const LabelVolume& volume) {
  const Eigen::Vector3d& centre = volume.centroid_mm;
  return {{"voxels", volume.voxels},
          {"millilitres", volume.millilitres},
          {"centroid_mm", {centre[0], centre[1], centre[2]}}};
}

Json json_of(const LabelRow& row) {
  Json json{{"label", row.label}};
  if (!row.name.empty()) json["name"] = row.name;
  if (row.first) json.update(json_of(*row.first));
  if (!row.overlap) return json;
  if (row.second) json["other"] = json_of(*row.second);
  json["dice"] = row.overlap->dice();
  json["jaccard"] = row.overlap->jaccard();
  if (row.distances) {
    json["surface_distance_mm"] = {{"mean", row.distances->mean},
                                   {"percentile_95", row.distances->percentile_95},
                                   {"largest", row.distances->largest}};
  }
  return json;
}

std::string line_of(const LabelRow& row) {
  std::string line = std::to_string(row.label) + (row.name.empty() ? "" : " " + row.name) + ":";
  const auto add = [&](const LabelVolume& volume) {
    // As they are printed, without the sign of a 0.
    const Eigen::Vector3d centre = (10 * volume.centroid_mm).array().round() / 10 + 0.0;
    line += fmt::format(" {:.3f} ml, {}, centre ({:.1f}, {:.1f}, {:.1f}) mm", volume.millilitres,
                        counted(volume.voxels, "voxel"), centre[0], centre[1], centre[2]);
  };
  if (row.first)
    add(*row.first);
  else
    line += " not in the first map";
  if (!row.overlap) return line;
  if (row.second)
    line += fmt::format("; second map {:.3f} ml; Dice {:.4f}, Jaccard {:.4f}", row.second->millilitres,
                        row.overlap->dice(), row.overlap->jaccard());
  else
    line += "; not in the second map";
  if (row.distances) {
    line += fmt::format("; surfaces {:.2f} mm apart (95 % {:.2f}, largest {:.2f})", row.distances->mean,
                        row.distances->percentile_95, row.distances->largest);
  }
  return line;
}

/// A cell of CSV, in quotes where it needs them (RFC 4180).
std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string cell = "\"";
  for (const char each : text) cell += each == '"' ? std::string("\"\"") : std::string(1, each);
  return cell + "\"";
}

void write_csv(const std::vector<LabelRow>& rows, const TransformOptions& options) {
  const bool is_pair = options.label_maps.size() > 1;
  AtomicFile file(options.csv);
  std::ostream& out = file.stream();
  out << "label,name,voxels,ml,x_mm,y_mm,z_mm";
  if (is_pair) out << ",other_voxels,other_ml,other_x_mm,other_y_mm,other_z_mm,dice,jaccard";
  if (options.distances) out << ",mean_distance_mm,percentile_95_mm,largest_distance_mm";
  out << '\n';
  const auto put = [&](const std::optional<LabelVolume>& volume) {
    if (volume) {
      const Eigen::Vector3d& centre = volume->centroid_mm;
      out << fmt::format(",{},{},{},{},{}", volume->voxels, volume->millilitres, centre[0], centre[1],
                         centre[2]);
    } else {
      out << ",0,0,,,";
    }
  };
  for (const LabelRow& row : rows) {
    out << row.label << ',' << csv_cell(row.name);
    put(row.first);
    if (is_pair) {
      put(row.second);
      out << fmt::format(",{},{}", row.overlap->dice(), row.overlap->jaccard());
    }
    if (options.distances) {
      out << (row.distances ? fmt::format(",{},{},{}", row.distances->mean, row.distances->percentile_95,
                                          row.distances->largest)
                            : ",,,");
    }
    out << '\n';
  }
  file.commit();
}

void report_labels(batch::Context& context, const TransformOptions& options) {
  if (options.label_maps.size() > 2)
    throw batch::UsageError("At most two label maps are compared. Give one or two.");
  if (options.distances && options.label_maps.size() < 2)
    throw batch::UsageError("Distances between surfaces need two label maps. Give another one.");
  check_outputs(context, {options.csv}, options.inputs());
  std::map<std::int64_t, std::string> names;
  if (!options.names.empty()) names = read_label_names(options.names);
  std::vector<Labels> maps;
  for (const std::string& file : options.label_maps) {
    maps.push_back(read_labels(file, context.progress));
    batch::report(context, file, maps.back().remarks);
  }
  std::map<std::int64_t, LabelRow> found;
  for (const LabelVolume& each : label_volumes(maps[0])) found[each.label].first = each;
  if (maps.size() == 2) {
    for (const LabelVolume& each : label_volumes(maps[1])) found[each.label].second = each;
    const std::vector<LabelOverlap> overlaps = label_overlaps(maps[0], maps[1]);
    std::vector<std::optional<SurfaceDistances>> distances(overlaps.size());
    if (options.distances) {
      on_threads(options.threads,
                 [&] { distances = surface_distances(maps[0], maps[1], overlaps, context.progress); });
    }
    for (std::size_t i = 0; i < overlaps.size(); ++i) {
      LabelRow& row = found[overlaps[i].label];
      row.overlap = overlaps[i];
      row.distances = distances[i];
    }
  }
  double dice = 0;
  std::vector<LabelRow> rows;
  Json json_rows = Json::array();
  std::string lines;
  for (auto& [label, row] : found) {
    row.label = label;
    if (const auto name = names.find(label); name != names.end()) row.name = name->second;
    rows.push_back(row);
    if (row.overlap) dice += row.overlap->dice();
    json_rows.push_back(json_of(row));
    lines += (lines.empty() ? "" : "\n") + line_of(row);
  }
  if (rows.empty()) lines = "No voxel has a label other than 0.";
  if (!options.csv.empty()) write_csv(rows, options);
  Json json{{"labels", std::move(json_rows)}};
  if (maps.size() == 2 && !rows.empty()) {
    dice /= static_cast<double>(rows.size());
    json["mean_dice"] = dice;
    lines += fmt::format("\nMean Dice of {}: {:.4f}", counted(rows.size(), "label"), dice);
  }
  if (!options.csv.empty()) json["csv"] = options.csv;
  print(context, options.json, std::move(json), lines);
}

constexpr const char* transform_files =
    "Transforms of ITK or ANTs (.tfm, .txt, .mat, .h5) or displacement fields (.nii.gz, .nii, .nrrd, .mha). "
    "The first one is applied first to points of the output, as by antsApplyTransforms";
constexpr const char* like_file =
    "An image with the grid of the output; by default, that of the first transform, if it is a field";
constexpr const char* transform_output =
    "The transform to write: .tfm, .txt, .mat or .h5 for a linear map, .nii.gz, .nii, .nrrd or .mha for a "
    "field";

}  // namespace

void add_transform_verbs(CLI::App& lab, batch::Context& context) {
  auto [warping, warped] = add_verb_with<TransformOptions>(
      lab, context, "warp", "Deform an image or a label map by one or several transforms.", warp);
  add_option(warping, context, &warped.image, path("IMAGE", image_file));
  add_option(warping, context, &warped.transforms, path("TRANSFORMS", transform_files).repeatable());
  add_option(warping, context, &warped.output, path("output", output_file));
  add_option(warping, context, &warped.like, path("like", like_file).optional());
  add_flag(warping, "nearest", warped.nearest, "Take the nearest voxel's value");
  add_flag(warping, "labels", warped.labels,
           "Take the label with the greatest trilinear weight; labels stay exact");
  add_flag(warping, "inverse", warped.inverse,
           "Deform by the inverse map, from the fixed image to the moving one");

  auto [composing, composed] = add_verb_with<TransformOptions>(
      lab, context, "compose", "Join transforms to one, or convert one to another format.", compose);
  add_option(composing, context, &composed.transforms, path("TRANSFORMS", transform_files).repeatable());
  add_option(composing, context, &composed.output, path("output", transform_output));
  add_option(composing, context, &composed.like, path("like", like_file).optional());
  add_option(composing, context, &composed.fsl_fixed,
             path("fsl-fixed", "The reference image of matrices that FSL's FLIRT has written").optional());
  add_option(composing, context, &composed.fsl_moving,
             path("fsl-moving", "The input image of matrices that FSL's FLIRT has written").optional());

  auto [inverting, inverted] = add_verb_with<TransformOptions>(
      lab, context, "invert", "Write the inverse of a transform and report its error.", invert_file);
  add_option(inverting, context, &inverted.transforms, path("TRANSFORMS", transform_files).repeatable());
  add_option(inverting, context, &inverted.output, path("output", transform_output));
  add_option(inverting, context, &inverted.like, path("like", like_file).optional());

  auto [determinants, deformation] = add_verb_with<TransformOptions>(
      lab, context, "jacobian", "Write the Jacobian determinant of one or several transforms.", jacobian);
  add_option(determinants, context, &deformation.transforms,
             path("TRANSFORMS", transform_files).repeatable());
  add_option(determinants, context, &deformation.output, path("output", output_file));
  add_option(determinants, context, &deformation.like, path("like", like_file).optional());

  auto [reporting, reported] = add_verb_with<TransformOptions>(
      lab, context, "labels", "Report the volume of each label, or the overlap of two label maps.",
      report_labels);
  add_option(reporting, context, &reported.label_maps,
             path("LABELS", "One label map, or two on the same grid").repeatable());
  add_option(reporting, context, &reported.names,
             path("names", "Names of the labels: a number and a name in each line").optional());
  add_option(reporting, context, &reported.csv, path("csv", "Write the table as CSV").optional());
  add_flag(reporting, "distances", reported.distances,
           "Also report the distances between the surfaces of each label in mm");
}

}  // namespace isolume::labs::anatomy
