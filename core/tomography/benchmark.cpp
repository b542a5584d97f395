#include "core/tomography/benchmark.h"

#include <chrono>
#include <numeric>

#include <fmt/format.h>

#include "core/benchmark/repeats.h"
#include "core/tomography/analytic.h"
#include "core/tomography/fdk.h"
#include "core/tomography/iterative.h"
#include "core/tomography/projector.h"

namespace isolume::tomography {
namespace {

using Json = nlohmann::ordered_json;

Json timed(const std::function<void()>& run) {
  return benchmarks::to_json(benchmarks::time_repeats({0.5, 5}, [&] {
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
  }));
}

}  // namespace

Json benchmark(int size, int views, const jobs::Progress& progress) {
  const int pixels = size + size / 2;
  CircularScan scan{.columns = pixels, .rows = pixels, .views = views};
  scan.column_mm = scan.row_mm = 365.0 / pixels;
  const auto grid =
      grid::centred(Eigen::Vector3d::Zero(), {size, size, size}, 204.8 / size, grid::LengthUnit::millimetre);
  const Projections projections = project(shepp_logan(), circular(scan), progress);
  Json json{{"voxels", size}, {"views", views}, {"pixels", pixels}};
  Filtered filtered;
  json["filter"] = timed([&] { filtered = filter(projections, {}, progress); });
  FieldValues slice(static_cast<std::size_t>(size) * static_cast<std::size_t>(size));
  json["three_slices"] = timed([&] {
    for (int axis = 0; axis < 3; ++axis)
      back_project(filtered, grid, Region::slice(grid, axis, size / 2), slice, progress);
  });
  FieldValues volume(grid.point_count());
  json["volume"] = timed([&] { back_project(filtered, grid, Region::whole(grid), volume, progress); });
  const Projector projector(projections.geometry, grid);
  std::vector<int> all(static_cast<std::size_t>(views));
  std::iota(all.begin(), all.end(), 0);
  ColumnVolume columns(volume, projector.counts()), step(projector.counts());
  Projections image(projections.geometry);
  json["forward"] = timed([&] { projector.forward(columns, all, image, progress); });
  json["adjoint"] = timed([&] { projector.adjoint(image, all, step, progress); });
  // The second pass: the first one also computes sums of columns.
  json["pass"] = timed([&] {
    for (const auto& subset : ordered_subsets(views, 10)) {
      projector.forward(columns, subset, image, progress);
      projector.adjoint(image, subset, step, progress);
    }
  });
  return json;
}

std::vector<std::string> benchmark_lines(const Json& benchmark) {
  std::vector<std::string> lines{fmt::format("{0}^3 voxels from {1} views of {2} x {2} pixels",
                                             benchmark["voxels"].get<int>(), benchmark["views"].get<int>(),
                                             benchmark["pixels"].get<int>())};
  for (const auto& [key, label] : {std::pair{"filter", "Filter"},
                                   {"three_slices", "Three slices"},
                                   {"volume", "Volume"},
                                   {"forward", "Forward projection"},
                                   {"adjoint", "Adjoint"},
                                   {"pass", "Pass of 10 subsets"}})
    lines.push_back(fmt::format("{:<20}{:>10.2f} ms", label, benchmark[key]["median_ms"].get<double>()));
  return lines;
}

}  // namespace isolume::tomography
