#include "app/labs/anatomy/batch_neurons.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "app/batch/parameter_flags.h"
#include "app/labs/anatomy/batch_parts.h"
#include "core/anatomy/image.h"
#include "core/anatomy/labels.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/number_list.h"
#include "core/neurons/follow.h"
#include "core/neurons/neuron_phantom.h"
#include "core/neurons/swc.h"

namespace isolume::labs::anatomy {
namespace {

using Json = nlohmann::ordered_json;
using isolume::anatomy::Labels;

struct NeuronOptions {
  std::string stack, output, labels, table, axis = "third";
  std::vector<std::string> marks;
  int threads = 0;
  bool json = false, are_voxels = false;
  neurons::RibbonParameters parameters;
  parameters::StructParameters<neurons::RibbonParameters> set{neurons::ribbon_schema(), parameters};
};

/// "X,Y,Z", or several of them with ":" in between, for one neuron.
neurons::Marks marks_of(const std::string& text, const grid::Grid& grid, bool are_voxels) {
  neurons::Marks marks;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(':', begin), text.size());
    const std::vector<double> numbers = numbers_in(std::string_view(text).substr(begin, end - begin));
    if (numbers.size() != 3) {
      throw batch::UsageError(fmt::format(
          "--at {} is not a position. Give x, y and z, as in --at 10,20,5; several marks of one neuron are "
          "separated by colons.",
          text));
    }
    const Eigen::Vector3d at(numbers[0], numbers[1], numbers[2]);
    marks.push_back({.position = are_voxels ? grid.position(at) : at, .radius = 0});
    begin = end + 1;
  }
  return marks;
}

Labels labels_of(const neurons::Stack& stack, const std::vector<neurons::Neuron>& found) {
  Labels labels{.grid = stack.grid,
                .values = std::vector<std::int64_t>(found.size() + 1),
                .indices = neurons::numbers_of(stack, found),
                .type = found.size() < 256 ? images::PixelType::uint8 : images::PixelType::int32,
                .remarks = {}};
  std::iota(labels.values.begin(), labels.values.end(), std::int64_t{0});
  return labels;
}

void follow(batch::Context& context, const NeuronOptions& options) {
  check_outputs(context, {options.output, options.labels, options.table}, {options.stack});
  const auto image = read(context, options.stack);
  const neurons::Stack stack{image.grid(), image.values(),
                             options.axis == "first"    ? 0
                             : options.axis == "second" ? 1
                                                        : 2};
  std::vector<neurons::Marks> marks;
  for (const std::string& each : options.marks)
    marks.push_back(marks_of(each, image.grid(), options.are_voxels));
  const auto begin = std::chrono::steady_clock::now();
  neurons::Followed found;
  on_threads(options.threads,
             [&] { found = neurons::follow(stack, marks, options.parameters, context.progress); });
  const double seconds = seconds_since(begin);
  batch::report(context, options.stack, found.remarks);
  const grid::LengthUnit unit = image.grid().unit;
  neurons::write_swc(found.neurons, unit, options.output);
  Json json{{"stack", options.stack}, {"output", options.output}};
  if (!options.labels.empty()) {
    batch::report(context, options.labels,
                  isolume::anatomy::write_labels(labels_of(stack, found.neurons), options.labels));
    json["labels"] = options.labels;
  }
  if (!options.table.empty()) {
    neurons::write_table(found.neurons, unit, options.table);
    json["table"] = options.table;
  }
  json["neurons"] = Json::array();
  std::string lines;
  for (std::size_t n = 0; n < found.neurons.size(); ++n) {
    const neurons::Neuron& each = found.neurons[n];
    json["neurons"].push_back(neurons::json_of(each, unit));
    lines +=
        fmt::format("\n{}: {}, length {}, mean width {}", n + 1, counted(each.sections.size(), "slice"),
                    neurons::length_text(each.length, unit), neurons::length_text(each.mean_width, unit));
    for (const std::string& end : each.ends) lines += "; " + end;
  }
  json["seconds"] = seconds;
  print(context, options.json, std::move(json),
        fmt::format("{}: {}, {:.2f} s{}", options.output, counted(found.neurons.size(), "neuron"), seconds,
                    lines));
}

struct PhantomOptions {
  std::string output, truth;
  int side = 128, slices = 32, threads = 0;
  bool json = false;
};

void write_phantom(batch::Context& context, const PhantomOptions& options) {
  check_outputs(context, {options.output, options.truth}, {});
  neurons::NeuronPhantom phantom;
  on_threads(options.threads, [&] { phantom = neurons::neuron_phantom(options.side, options.slices); });
  // Grey levels of 8 bits, as microscopes write them.
  Labels image{.grid = phantom.grid,
               .values = std::vector<std::int64_t>(256),
               .indices = {},
               .type = images::PixelType::uint8,
               .remarks = {}};
  std::iota(image.values.begin(), image.values.end(), std::int64_t{0});
  for (const float each : phantom.values)
    image.indices.push_back(static_cast<std::uint32_t>(std::lround(255 * std::clamp(each, 0.F, 1.F))));
  batch::report(context, options.output, isolume::anatomy::write_labels(image, options.output));
  Json json{{"output", options.output}, {"side", options.side}, {"slices", options.slices}};
  Json axons = Json::array();
  std::vector<neurons::Neuron> truth;
  for (const neurons::PhantomAxon& axon : phantom.axons) {
    const std::size_t middle = axon.centres.size() / 2;
    axons.push_back({axon.centres[middle].x(), axon.centres[middle].y(), middle});
    neurons::Neuron& neuron = truth.emplace_back();
    for (std::size_t s = 0; s < axon.centres.size(); ++s) {
      neuron.sections.push_back(
          {.slice = static_cast<int>(s),
           .centre = phantom.grid.position(axon.centres[s].x(), axon.centres[s].y(), static_cast<double>(s)),
           .area = 0,
           .radius = axon.radii[s] * phantom.grid.spacing(0),
           .confidence = 1});
    }
  }
  if (!options.truth.empty()) {
    neurons::write_swc(truth, phantom.grid.unit, options.truth);
    json["truth"] = options.truth;
  }
  json["voxels_inside"] = std::move(axons);
  print(context, options.json, std::move(json),
        fmt::format("{}: {} in {}", options.output, counted(phantom.axons.size(), "neuron"),
                    counted(static_cast<std::size_t>(options.slices), "slice")));
}

}  // namespace

void add_neuron_verbs(CLI::App& lab, batch::Context& context) {
  using batch::add_option;
  using commands::path;
  auto [verb, options] = add_verb_with<NeuronOptions>(
      lab, context, "neuron",
      "Follow neurons, vessels or airways through a stack of slices from a mark in one of them.", follow);
  add_option(verb, context, &options.stack, path("STACK", image_file));
  add_option(verb, context, &options.marks,
             commands::text("at",
                            "A position within a neuron in mm (LPS): X,Y,Z; once for each neuron. Further "
                            "marks of one neuron, which correct it, follow after colons: X,Y,Z:X,Y,Z")
                 .repeatable());
  batch::add_flag(verb, "voxels", options.are_voxels, "Positions of --at are voxels, counted from 0");
  add_option(
      verb, context, &options.output,
      path("output", "The centre lines to write, with the radius of each slice: .swc, in micrometres"));
  add_option(verb, context, &options.labels,
             path("labels", "Write the inside of the neurons as a label map, numbered from 1").optional());
  add_option(verb, context, &options.table,
             path("table", "Write length, mean width and volume of each neuron: .csv").optional());
  add_option(verb, context, &options.axis,
             commands::choice("axis", "Axis of the image across the slices", {"first", "second", "third"}));
  batch::add_parameter_flags(verb, options.set, context);

  auto [phantom, made] = add_verb_with<PhantomOptions>(
      lab, context, "neuron-phantom",
      "Write a stack with known neurons that wind around each other, like electron microscopy.",
      write_phantom);
  add_option(phantom, context, &made.output,
             path("output", "The stack to write: .nii.gz, .nii, .nrrd or .mha"));
  add_option(phantom, context, &made.truth, path("truth", "Write the true centre lines: .swc").optional());
  add_option(phantom, context, &made.side,
             commands::integer("side", "Pixels along the sides of a slice").range(64, 2048));
  add_option(phantom, context, &made.slices, commands::integer("slices", "Number of slices").range(2, 2000));
}

}  // namespace isolume::labs::anatomy
