#include "core/anatomy/atlas_devices.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/anatomy/fluid.h"
#include "core/base/counted.h"
#include "core/base/error.h"

namespace isolume::anatomy {
namespace {

using Json = nlohmann::ordered_json;

/// 0: one is not known.
double seconds_of(const std::vector<LevelPlan>& plan) {
  double sum = 0;
  for (const LevelPlan& level : plan) {
    if (level.iterations > 0 && level.seconds() == 0) return 0;
    sum += level.seconds();
  }
  return sum;
}

std::string text_of_seconds(double seconds) {
  return seconds > 0 ? fmt::format("{:.2g} s", seconds) : "time not known";
}

}  // namespace

double LevelPlan::seconds() const {
  double longest = 0;
  for (const Part& each : parts) {
    if (each.images > 0 && each.seconds == 0) return 0;
    longest = std::max(longest, each.seconds);
  }
  return iterations * longest;
}

std::vector<std::size_t> deal_images(std::size_t images, std::span<const double> seconds_an_image,
                                     std::span<const std::size_t> capacity) {
  std::vector<std::size_t> dealt(seconds_an_image.size());
  for (std::size_t image = 0; image < images; ++image) {
    std::size_t best = dealt.size();
    const auto end_with_it = [&](std::size_t i) {
      return static_cast<double>(dealt[i] + 1) * seconds_an_image[i];
    };
    for (std::size_t i = 0; i < dealt.size(); ++i) {
      if (dealt[i] < capacity[i] && (best == dealt.size() || end_with_it(i) < end_with_it(best))) best = i;
    }
    if (best == dealt.size()) break;
    ++dealt[best];
  }
  return dealt;
}

FluidCompute compute_of(const AtlasParameters& parameters,
                        const std::shared_ptr<const FluidEngines>& engines) {
  return {.engines = engines, .options = {.engine = parameters.engine, .devices = parameters.devices}};
}

FluidCompute of_streamed(const FluidCompute& compute) {
  const std::string& engine = compute.options.engine;
  if (engine != "auto" && engine != "cpu") {
    throw Error(fmt::format(
        "The images do not fit the memory, and {} cannot average images that are kept in files. Give it more "
        "memory, or choose the CPU.",
        engine));
  }
  return {.engines = compute.engines, .options = {.engine = "cpu"}};
}

std::vector<LevelPlan> plan_atlas(const FluidCompute& compute, std::size_t images, const Counts& counts,
                                  const Spacing& spacing_mm, const FluidParameters& parameters) {
  std::vector<LevelPlan> plan;
  for (const Level& level : levels_of(counts, parameters)) {
    plan.push_back(plan_level(compute, {.counts = level.counts,
                                        .spacing_mm = level_spacing(counts, spacing_mm, level.counts),
                                        .parameters = parameters,
                                        .images = images}));
    plan.back().iterations = level.iterations;
  }
  return plan;
}

Json json_of(const std::vector<LevelPlan>& plan) {
  const auto add_seconds = [](Json& json, double seconds) {
    if (seconds > 0) json["seconds"] = seconds;
  };
  Json json{{"levels", Json::array()}};
  for (const LevelPlan& level : plan) {
    Json devices = Json::array();
    for (const LevelPlan::Part& part : level.parts) {
      Json& device = devices.emplace_back(Json{{"number", part.number},
                                               {"device", part.device},
                                               {"images", {part.first + 1, part.first + part.images}}});
      if (part.bytes > 0) device["bytes"] = part.bytes;
      add_seconds(device, level.iterations * part.seconds);
    }
    Json& row = json["levels"].emplace_back(
        Json{{"counts", level.counts}, {"iterations", level.iterations}, {"engine", level.engine}});
    if (!level.reason.empty()) row["reason"] = level.reason;
    row["devices"] = std::move(devices);
    add_seconds(row, level.seconds());
  }
  add_seconds(json, seconds_of(plan));
  return json;
}

std::string text_of(const std::vector<LevelPlan>& plan) {
  std::string text;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const LevelPlan& level = plan[i];
    text += fmt::format("level {} of {}, {} x {} x {} voxels, {}: {}{}{}\n", i + 1, plan.size(),
                        level.counts[0], level.counts[1], level.counts[2],
                        counted(static_cast<std::size_t>(level.iterations), "iteration"),
                        text_of_seconds(level.seconds()), level.reason.empty() ? "" : "; ", level.reason);
    for (const LevelPlan::Part& part : level.parts) {
      const std::string memory = part.bytes > 0 ? format_bytes(part.bytes) + ", " : "";
      text += fmt::format("  {} {}: {}, {}{}\n", part.number, part.device, counted(part.images, "image"),
                          memory, text_of_seconds(level.iterations * part.seconds));
    }
  }
  return text + "all levels: " + text_of_seconds(seconds_of(plan));
}

}  // namespace isolume::anatomy
