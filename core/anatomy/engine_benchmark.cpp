#include "core/anatomy/engine_benchmark.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/anatomy/atlas.h"
#include "core/anatomy/fluid.h"
#include "core/anatomy/fluid_calibration.h"
#include "core/anatomy/phantom.h"
#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/benchmark/repeats.h"

namespace isolume::anatomy {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers that an iteration reads and writes for each voxel: warp 1 + 3 and 1; force 2 and 3; transforms of three components,
/// of which each mode is read and written three times in both directions; modes 3 and 3; longest 3; composition 6 and 3.
constexpr double numbers_moved_by_devices = 5 + 5 + 36 + 6 + 3 + 9;

void bench(Json& row, const std::shared_ptr<const FluidEngines>& engines, const FluidEngine& engine, int side,
           int iterations, const jobs::Progress& progress) {
  constexpr benchmarks::RepeatOptions often{0.3, 5};
  const Counts counts{side, side, side};
  const Spacing spacing{1, 1, 1};
  const FieldValues fixed = phantom(side, 0.08), moving = phantom(side, 0);
  const FluidParameters parameters{.smoothness_mm = 6, .iterations = iterations};
  const FluidCompute compute{.engines = engines, .options = {.engine = std::string(engine.name())}};
  const auto time = [&](const std::function<void()>& iterate) {
    // The warp of an iteration is waited for in the next one.
    const auto timing = benchmarks::time_repeats(often, [&] {
      progress.check();
      const auto begin = std::chrono::steady_clock::now();
      iterate();
      return milliseconds_since(begin);
    });
    row["iteration"] = to_json(timing);
    const double bytes =
        numbers_moved_by_devices * sizeof(float) * static_cast<double>(volumes::point_count(counts));
    row["bytes_moved"] = bytes;
    row["bytes_per_second"] = 1e3 * bytes / timing.median_ms;
  };
  const auto report = run_phantoms(engine, compute.options, parameters, side, time, progress);
  row["device"] = report.who;
  const auto begin = std::chrono::steady_clock::now();
  const Registration whole =
      register_images(fixed, moving, counts, spacing, parameters, levels_of(counts, parameters), {}, {},
                      progress, {}, {}, compute);
  row["registration_seconds"] = seconds_since(begin);
  row["mismatch_ratio"] = whole.mismatch_after / whole.mismatch_before;
}

/// An iteration of an atlas of images in one process: on all devices of the engine, and on one.
void bench_atlas(Json& row, const std::shared_ptr<const FluidEngines>& engines, const FluidEngine& engine,
                 int side, const jobs::Progress& progress) {
  const Counts counts{side, side, side};
  const int images = side < 64 || side > 128 ? 4 : 16, iterations = side < 64 ? 2 : 20;
  std::vector<FieldValues> all;
  for (int i = 0; i < images; ++i) all.push_back(phantom(side, 0.1 * i / images));
  const std::vector<double> weights(all.size(), 1);
  const FluidParameters parameters;
  FluidCompute compute{.engines = engines, .options = {.engine = std::string(engine.name())}};
  FieldValues mean;
  Json& found = row["atlas"] = Json{{"images", images}};
  for (const bool is_shared : {true, false}) {
    const Atlas atlas = build_atlas(all, weights, counts, {1, 1, 1}, parameters, {{counts, iterations}}, {},
                                    progress, AtlasProcesses(), compute);
    const auto devices = std::ranges::count_if(
        atlas.report.shares, [](const dispatch::Report::Share& each) { return each.tiles > 0; });
    found[is_shared ? "all_devices" : "one_device"] = {
        {"devices", devices}, {"iteration_ms", 1e3 * atlas.report.seconds / iterations}};
    if (!is_shared) {
      found["same_bits"] = atlas.mean == mean;
    } else if (devices < 2) {
      return;
    } else {
      mean = atlas.mean;
      compute.options.devices = "1";
    }
  }
}

}  // namespace

Json benchmark_engines(const std::shared_ptr<const FluidEngines>& engines, std::string_view only,
                       const std::vector<int>& sides, const jobs::Progress& progress, int iterations) {
  if (!only.empty()) engines->find(only);
  Json rows = Json::array();
  for (const auto& engine : engines->engines()) {
    if (only.empty() ? engine->name() == "cpu" : engine->name() != only) continue;
    for (const int side : sides) {
      Json& row = rows.emplace_back(Json{{"side", side}, {"engine", engine->name()}});
      try {
        bench(row, engines, *engine, side, iterations, progress);
        bench_atlas(row, engines, *engine, side, progress);
      } catch (const Error& error) {
        row["unavailable"] = error.what();
      }
    }
  }
  return rows;
}

std::vector<std::string> lines_of_engines(const Json& rows) {
  std::vector<std::string> lines;
  for (const Json& row : rows) {
    const std::string cube =
        fmt::format("{0} x {0} x {0} by {1}", row.at("side").get<int>(), row.at("engine").get<std::string>());
    if (row.contains("unavailable")) {
      lines.push_back(fmt::format("{}: {}", cube, row.at("unavailable").get<std::string>()));
      continue;
    }
    lines.push_back(fmt::format(
        "{} ({}): {:.3f} ms an iteration ({:.0f} GB/s); registration {:.2f} s, {:.1f} % of the mismatch left",
        cube, row.at("device").get<std::string>(), row.at("iteration").at("median_ms").get<double>(),
        1e-9 * row.at("bytes_per_second").get<double>(), row.at("registration_seconds").get<double>(),
        100 * row.at("mismatch_ratio").get<double>()));
    const Json& atlas = row.at("atlas");
    const auto part = [&](const char* key) {
      return fmt::format("{:.3f} ms on {}", atlas.at(key).at("iteration_ms").get<double>(),
                         counted(atlas.at(key).at("devices").get<std::size_t>(), "device"));
    };
    std::string line = fmt::format("{}: an iteration of an atlas of {} images {}", cube,
                                   atlas.at("images").get<int>(), part("all_devices"));
    if (atlas.contains("one_device"))
      line += fmt::format(", {}, {} bits", part("one_device"),
                          atlas.at("same_bits").get<bool>() ? "the same" : "OTHER");
    lines.push_back(std::move(line));
  }
  return lines;
}

}  // namespace isolume::anatomy
