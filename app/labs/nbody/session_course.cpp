#include "app/labs/nbody/session_course.h"

#include <limits>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/dispatch/compute_options.h"
#include "core/nbody/engines/run_options.h"

namespace isolume::labs::nbody {
namespace {

using nlohmann::json;
using simulation::Change;
using simulation::Course;
using simulation::ParameterValues;

constexpr int course_version = 1;
constexpr std::int64_t farthest_step = 9'000'000'000'000'000;  // that double precision counts
constexpr std::size_t most_changes = 1'000'000;

json to_json(const ParameterValues& values) {
  json object = json::object();
  for (const auto& [key, value] : values) object[key] = parameters::to_text(value);
  return object;
}

json to_json(const std::vector<Change>& changes) {
  json list = json::array();
  for (const auto& [step, values] : changes) list.push_back({{"step", step}, {"values", to_json(values)}});
  return list;
}

[[noreturn]] void refuse(const std::string& what) {
  throw Error(
      fmt::format("The parameter changes recorded in the session were ignored: {}. Save the session again "
                  "with the program that wrote it.",
                  what));
}

std::int64_t step_in(const json& value) {
  const bool is_large = value.is_number_unsigned() && value.get<std::uint64_t>() > farthest_step;
  if (!value.is_number_integer() || is_large || value.get<std::int64_t>() < -farthest_step)
    refuse(fmt::format("{} is not a step", value.dump()));
  return value.get<std::int64_t>();
}

ParameterValues values_in(const json& object) {
  ParameterValues values;
  for (const auto& [key, text] : object.items()) {
    const auto& description = isolume::nbody::run_schema().at(key).description;
    values.emplace(
        key, parameters::validated(description, parameters::parse(description, text.get<std::string>())));
  }
  return values;
}

std::vector<Change> changes_in(const json& list) {
  if (!list.is_array() || list.size() > most_changes)
    refuse(fmt::format("the list is invalid or too long ({} entries)", list.size()));
  std::vector<Change> changes;
  for (const json& each : list) changes.push_back({step_in(each.at("step")), values_in(each.at("values"))});
  return changes;
}

void require_order(const Course& course) {
  std::int64_t after = course.origin, before = course.origin;
  for (const Change& change : course.changes) {
    const bool is_after = change.step > course.origin;
    const bool in_order = is_after ? change.step >= after : change.step <= before;
    if (change.step == course.origin || !in_order)
      refuse(fmt::format("the one at step {} is out of order", change.step));
    (is_after ? after : before) = change.step;
  }
}

/// Who computes is this machine's choice: another one may have no such engine or device.
void forget_computation(ParameterValues& values) {
  for (const auto& field : dispatch::compute_schema().fields()) values.erase(field.description.key);
}

void forget_computation(std::vector<Change>& changes) {
  std::erase_if(changes, [](Change& change) {
    const bool was_a_turn = change.values.empty();
    forget_computation(change.values);
    return change.values.empty() && !was_a_turn;
  });
}

}  // namespace

json to_json(const Course& course) {
  return {{"version", course_version}, {"start", to_json(course.start)},
          {"begin", course.begin},     {"way", to_json(course.way)},
          {"origin", course.origin},   {"changes", to_json(course.changes)}};
}

std::optional<Course> course_of_session(const json& state) {
  const auto found = state.find("course");
  if (found == state.end()) return std::nullopt;
  isolume::nbody::RunOptions usual;
  if (found->at("version") != course_version) refuse("a newer version of Isolume wrote them");
  Course course{.start = values_in(found->at("start")),
                .begin = step_in(found->at("begin")),
                .way = changes_in(found->at("way")),
                .origin = step_in(found->at("origin")),
                .changes = changes_in(found->at("changes"))};
  require_order(course);
  forget_computation(course.start);
  forget_computation(course.way);
  forget_computation(course.changes);
  auto expected = simulation::values_of(parameters::StructParameters(isolume::nbody::run_schema(), usual));
  forget_computation(expected);
  for (const auto& [key, value] : expected) {
    if (!course.start.contains(key)) refuse(fmt::format("{} is missing at the start", key));
  }
  return course;
}

std::optional<std::size_t> moment_of_session(const json& state) {
  if (state.contains("recorded")) return std::nullopt;
  const auto moment = state.find("moment");
  const bool is_told = moment != state.end() && moment->is_number_unsigned();
  return is_told ? moment->get<std::size_t>() : std::numeric_limits<std::size_t>::max();
}

}  // namespace isolume::labs::nbody
