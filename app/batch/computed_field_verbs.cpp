#include "app/batch/computed_field_verbs.h"

#include <array>
#include <optional>
#include <ostream>

#include <fmt/format.h>

#include "app/batch/context.h"
#include "app/batch/parameter_flags.h"
#include "core/benchmark/repeats.h"
#include "core/fields/numbers.h"

namespace isolume::batch {
namespace {

struct Options {
  explicit Options(const fields::ComputedField& field) : model(field.make()) {}
  std::unique_ptr<fields::FieldModel> model;
  std::array<double, 3> place{};
  bool json = false;
};

/// A verb with the flags of the field's parameters.
CLI::App& add_field_verb(CLI::App& parent, Context& context, const std::string& name, const std::string& help,
                         Options& options) {
  auto& verb = add_verb(parent, name, help);
  add_flag(verb, "json", options.json, "Print JSON");
  add_parameter_flags(verb, options.model->parameters(), context);
  return verb;
}

void print_value(Context& context, const fields::ComputedField& field, const Options& options) {
  const auto source = options.model->source();
  const auto& [x, y, z] = options.place;
  const grid::Grid grid = source->grid();
  const std::optional<double> value =
      source->takes_lines() ? fields::computed_at(*source, {x, y, z}, grid.unit, context.progress)
                            : fields::value_at(*source->compute(grid, context.progress).field, {x, y, z});
  if (!value) throw Error("The point lies outside the field's box.");
  if (options.json)
    return print(context.out, nlohmann::ordered_json{{"value", *value}, {"unit", field.unit}});
  context.out << fmt::format("{:.6g} {} at ({:g}, {:g}, {:g}) {}\n", *value, field.unit, x, y, z,
                             field.length_unit);
}

void print_times(Context& context, const Options& options) {
  const auto source = options.model->source();
  const grid::Grid grid = source->grid();
  const auto timing = benchmarks::time_repeats(
      {0.1, 3}, [&] { return source->compute(grid, context.progress).milliseconds; });
  if (options.json) return print(context.out, benchmarks::to_json(timing));
  context.out << fmt::format("{} points, {:.2f} ms\n", grid.point_count(), timing.median_ms);
}

}  // namespace

BatchLab lab_of(const fields::ComputedField& field) {
  const auto add_value = [field](CLI::App& lab, Context& context) {
    auto options = std::make_shared<Options>(field);
    auto& verb = add_field_verb(lab, context, "value", "Print the field's value at a point.", *options);
    for (std::size_t axis = 0; axis < 3; ++axis) {
      add_option(
          verb, context, &options->place[axis],
          commands::number(std::string(1, "XYZ"[axis]), "Coordinate of the point").unit(field.length_unit));
    }
    on_call(verb, context, [options, field, &context] { print_value(context, field, *options); });
  };
  const auto add_bench = [field](CLI::App& bench, Context& context) {
    auto options = std::make_shared<Options>(field);
    auto& verb = add_field_verb(bench, context, field.name, "Time the field on its grid.", *options);
    on_call(verb, context, [options, &context] { print_times(context, *options); });
  };
  return {.description = fields::describe(field),
          .help = field.summary,
          .add_verbs = add_value,
          .add_bench = add_bench};
}

}  // namespace isolume::batch
