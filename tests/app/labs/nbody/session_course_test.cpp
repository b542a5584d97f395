#include "app/labs/nbody/session_course.h"

#include <functional>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/dispatch/compute_options.h"
#include "core/nbody/engines/run_options.h"

namespace isolume::labs::nbody {
namespace {

using nlohmann::json;

simulation::Course course() {
  simulation::Course made;
  isolume::nbody::RunOptions options;
  options.dt = 0.1 / 3;
  made.start = simulation::values_of(parameters::StructParameters(isolume::nbody::run_schema(), options));
  for (const auto& field : dispatch::compute_schema().fields()) made.start.erase(field.description.key);
  made.begin = 3;
  made.way = {{0, {}}, {-4, {{"opening-angle", 1.1}, {"error", 1e-3}}}};
  made.origin = -7;
  made.changes = {{-9, {{"dt", 0.2}}}, {2, {{"solver", std::string("direct")}}}, {2, {{"dt", 0.3}}}};
  return made;
}

TEST(SessionCourse, ComesBackAsItWas) {
  const json state{{"course", json::parse(to_json(course()).dump())}};
  EXPECT_EQ(course_of_session(state), course());
  EXPECT_EQ(course_of_session(json{{"step", 3}}), std::nullopt);
}

/// Another machine may not have the engine of the one that the session was saved on.
TEST(SessionCourse, WhoComputedIsLeftToThisMachine) {
  auto of_another = course();
  of_another.start.emplace("engine", std::string("cuda"));
  of_another.start.emplace("threads", 64);
  of_another.way.push_back({-5, {{"engine", std::string("cuda")}}});
  of_another.changes.push_back({3, {{"engine", std::string("cpu")}, {"dt", 0.4}}});
  auto expected = course();
  expected.changes.push_back({3, {{"dt", 0.4}}});
  EXPECT_EQ(course_of_session(json{{"course", to_json(of_another)}}), expected);
}

TEST(SessionCourse, WhatMakesNoSenseIsRefused) {
  const std::vector<std::function<void(json&)>> spoilt{
      [](auto& course) { course["version"] = 2; },
      [](auto& course) { course.erase("version"); },
      [](auto& course) { course["start"].erase("dt"); },
      [](auto& course) { course["start"]["dt"] = "-1"; },
      [](auto& course) { course["start"]["dt"] = 0.1; },
      [](auto& course) { course["start"]["nonsense"] = "1"; },
      [](auto& course) { course["changes"][1]["step"] = -7; },
      [](auto& course) { course["changes"][1]["step"] = 1.5; },
      [](auto& course) { course["changes"][1]["step"] = std::numeric_limits<std::uint64_t>::max(); },
      [](auto& course) { course["changes"][1]["step"] = std::numeric_limits<std::int64_t>::min(); },
      [](auto& course) {
        course["changes"].push_back({{"step", 1}, {"values", {{"dt", "0.1"}}}});
      },
      [](auto& course) {
        course["changes"].push_back({{"step", -8}, {"values", {{"dt", "0.1"}}}});
      },
      [](auto& course) { course["changes"][0].erase("values"); },
      [](auto& course) { course["changes"][0]["values"] = "dt"; },
      [](auto& course) { course["origin"] = "here"; },
      [](auto& course) { course["way"] = 7; },
      [](auto& course) { course = json::array(); },
      [](auto& course) { course = nullptr; }};
  for (std::size_t i = 0; i < spoilt.size(); ++i) {
    json state{{"course", to_json(course())}};
    spoilt[i](state["course"]);
    bool refused = false;
    try {
      course_of_session(state);
    } catch (const Error&) {
      refused = true;
    } catch (const json::exception&) {
      refused = true;
    }
    EXPECT_TRUE(refused) << i << ": " << state.dump();
  }
}

TEST(SessionCourse, TellsFromWhichMomentItGoesOn) {
  EXPECT_EQ(moment_of_session({{"moment", 7U}}), 7U);
  EXPECT_EQ(moment_of_session({{"recorded", {{"dt_chosen", false}}}}), std::nullopt);
  constexpr auto last = std::numeric_limits<std::size_t>::max();
  EXPECT_EQ(moment_of_session(json::object()), last) << "as sessions of before";
  EXPECT_EQ(moment_of_session({{"moment", -7}}), last);
  EXPECT_EQ(moment_of_session({{"moment", "first"}}), last);
}

}  // namespace
}  // namespace isolume::labs::nbody
