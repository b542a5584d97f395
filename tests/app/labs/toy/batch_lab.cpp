#include "app/batch/batch_lab.h"

#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/benchmark/repeats.h"
#include "tests/app/labs/toy/description.h"
#include "tests/app/labs/toy/toy_field.h"

namespace isolume::labs::toy {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::array<double, 3> place{};
  ToyParameters toy;
  parameters::StructParameters<ToyParameters> set{toy_schema(), toy};
  bool json = false;
};

void tell_value(batch::Context& context, const Options& options) {
  const auto& [x, y, z] = options.place;
  const double value = toy_value(options.toy, {x, y, z});
  if (options.json) return batch::print(context.out, Json{{"value_mv", value}});
  context.out << fmt::format("{:.6g} mV at ({:g}, {:g}, {:g}) mm\n", value, x, y, z);
}

void add_value(CLI::App& lab, batch::Context& context) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(lab, "value", "The field's value at a place.");
  for (int axis = 0; axis < 3; ++axis) {
    batch::add_option(verb, context, &options->place[axis],
                      commands::number(std::string(1, "XYZ"[axis]), "Of the place").unit("mm"));
  }
  batch::add_flag(verb, "json", options->json, "Print JSON");
  batch::add_parameter_flags(verb, options->set, context);
  batch::on_call(verb, context, [options, &context] { tell_value(context, *options); });
}

void add_bench(CLI::App& bench, batch::Context& context) {
  auto options = std::make_shared<Options>();
  auto& verb = batch::add_verb(bench, "toy", "Time the field on its grid.");
  batch::add_flag(verb, "json", options->json, "Print JSON");
  batch::add_parameter_flags(verb, options->set, context);
  batch::on_call(verb, context, [options, &context] {
    const auto source = toy_source(options->toy);
    const auto timing = benchmarks::time_repeats(
        {0.1, 3}, [&] { return source->compute(source->grid(), context.progress).milliseconds; });
    if (options->json) return batch::print(context.out, benchmarks::to_json(timing));
    context.out << fmt::format("{} points, {:.2f} ms\n", source->grid().point_count(), timing.median_ms);
  });
}

}  // namespace

/// `isolume-batch toy`.
batch::BatchLab batch_lab() {
  return {.description = description(),
          .help = "Two pulses that circle each other.",
          .add_verbs = add_value,
          .add_bench = add_bench};
}

}  // namespace isolume::labs::toy
