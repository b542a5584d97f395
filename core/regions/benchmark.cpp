#include <cmath>
#include <random>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/regions/regions.h"

namespace isolume::regions {
namespace {

using Json = nlohmann::ordered_json;

/// A ball with lobes, of value 1 in 0, under noise of 0.3.
FieldValues noisy_ball(const grid::Grid& grid) {
  FieldValues values(grid.point_count());
  std::mt19937 random(1);
  std::normal_distribution<float> noise(0, 0.3F);
  const auto& n = grid.dimensions;
  std::size_t i = 0;
  for (int z = 0; z < n[2]; ++z) {
    for (int y = 0; y < n[1]; ++y) {
      for (int x = 0; x < n[0]; ++x, ++i) {
        const Eigen::Vector3d p = 2 * grid.position(x, y, z) / n[0];
        const double lobes = std::sin(9 * p.x()) * std::sin(8 * p.y()) * std::sin(7 * p.z() + 1);
        const double inside = 0.6 + 0.15 * lobes - p.norm();
        values[i] = static_cast<float>(1 / (1 + std::exp(-0.5 * n[0] * inside))) + noise(random);
      }
    }
  }
  return values;
}

/// Seeds of a label in a disc of the middle slice.
void paint(std::vector<Label>& seeds, const grid::Grid& grid, const Eigen::Vector2d& centre, double radius,
           Label label) {
  const auto& n = grid.dimensions;
  std::size_t i =
      static_cast<std::size_t>(n[2] / 2) * static_cast<std::size_t>(n[0]) * static_cast<std::size_t>(n[1]);
  for (int y = 0; y < n[1]; ++y) {
    for (int x = 0; x < n[0]; ++x, ++i) {
      const Eigen::Vector2d p = 2 * grid.position(x, y, 0).head<2>() / n[0];
      if ((p - centre).norm() < radius) seeds[i] = label;
    }
  }
}

Json bench_cut(const std::array<int, 3>& counts, const jobs::Progress& progress) {
  const grid::Grid grid = grid::centred({0, 0, 0}, counts, 1, grid::LengthUnit::millimetre);
  const FieldValues values = noisy_ball(grid);
  std::vector<Label> seeds(values.size());
  paint(seeds, grid, {0, 0}, 0.08, 1);
  paint(seeds, grid, {0.85, 0.7}, 0.08, 2);
  progress.check();
  const auto timed = [](const auto& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return milliseconds_since(begin);
  };
  std::optional<GraphCut> cut;
  GraphCut::Result result;
  Json json{{"counts", counts}};
  json["links_ms"] = timed([&] { cut.emplace(grid, values, 1); });
  const double likelihood = RegionParameters().likelihood;
  json["cut_ms"] = timed([&] { result = cut->cut(seeds, likelihood, progress); });
  paint(seeds, grid, {-0.8, -0.6}, 0.05, 2);
  json["stroke_ms"] = timed([&] { result = cut->cut(seeds, likelihood, progress); });
  json["voxels"] = std::ranges::count(result.labels, 1);
  json["energy"] = result.energy;
  return json;
}

}  // namespace

Json benchmark(const std::vector<int>& sides, const jobs::Progress& progress) {
  Json json{{"slice", bench_cut({512, 512, 1}, progress)}, {"cubes", Json::array()}};
  for (const int side : sides) json["cubes"].push_back(bench_cut({side, side, side}, progress));
  return json;
}

std::vector<std::string> lines_of(const Json& benchmark) {
  std::vector<std::string> lines;
  const auto add = [&](const Json& each) {
    const auto counts = each.at("counts").get<std::array<int, 3>>();
    lines.push_back(fmt::format(
        "graph cut of {} x {} x {}: {:.1f} ms for links, {:.1f} ms for the first cut, {:.1f} ms after "
        "another stroke",
        counts[0], counts[1], counts[2], each.at("links_ms").get<double>(), each.at("cut_ms").get<double>(),
        each.at("stroke_ms").get<double>()));
  };
  add(benchmark.at("slice"));
  for (const Json& each : benchmark.at("cubes")) add(each);
  return lines;
}

}  // namespace isolume::regions
