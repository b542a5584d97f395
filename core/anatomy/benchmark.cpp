#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <tbb/task_arena.h>

#include "core/anatomy/bspline.h"
#include "core/anatomy/describe.h"
#include "core/anatomy/geodesic.h"
#include "core/anatomy/linear.h"
#include "core/anatomy/phantom.h"
#include "core/base/clock.h"
#include "core/benchmark/repeats.h"
#include "core/volumes/warp.h"

namespace isolume::anatomy {
namespace {

using Json = nlohmann::ordered_json;

constexpr benchmarks::RepeatOptions repeats{0.3, 5};

template <class Work>
benchmarks::Timing time(const jobs::Progress& progress, const Work& work) {
  return benchmarks::time_repeats(repeats, [&] {
    progress.check();
    const auto begin = std::chrono::steady_clock::now();
    work();
    return milliseconds_since(begin);
  });
}

/// Numbers that an iteration reads and writes for each voxel: warp 1 + 3 and 1; force 2 and 3; transforms, for each
/// component, 1 and 1, 1 and 1, 1 and 1; longest 3; composition 6 and 3.
constexpr double numbers_moved = 5 + 5 + 18 + 3 + 9;

/// An affine map between a head and one that is turned and scaled.
Json bench_affine(int side, const jobs::Progress& progress) {
  grid::Grid grid = grid::centred({0, 0, 0}, {side, side, side}, 240.0 / side, grid::LengthUnit::millimetre);
  const FieldValues fixed = head_phantom(side, 0), moving = head_phantom(side, 0.04);
  grid::Grid turned = grid;
  const Eigen::Matrix3d turn =
      Eigen::AngleAxisd(0.2, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix();
  turned.step = 1.05 * turn * grid.step;
  turned.origin = turn * grid.origin + Eigen::Vector3d(8, -5, 3);
  const auto begin = std::chrono::steady_clock::now();
  const auto found = register_linear({grid, fixed}, {turned, moving}, {}, nullptr, {}, progress);
  return {{"seconds", seconds_since(begin)},
          {"iterations", found.iterations},
          {"mutual_information", {{"before", found.similarity_before}, {"after", found.similarity_after}}}};
}

Json bench_side(int side, const jobs::Progress& progress) {
  const Counts counts{side, side, side};
  const Spacing spacing{1, 1, 1};
  const FieldValues fixed = phantom(side, 0.08), moving = phantom(side, 0);
  const FluidParameters parameters{.smoothness_mm = 6};
  FluidSteps steps(counts, spacing, parameters);
  steps.set_fixed(fixed);
  VectorField displacement = volumes::zero_field(counts);
  FieldValues warped(moving);
  double step_size = 0;
  Json parts;
  const auto iteration = time(progress, [&] {
    steps.measure(warped);
    steps.move(displacement, step_size);
    volumes::warp(moving, displacement, warped);
  });
  parts["warp"] = to_json(time(progress, [&] { volumes::warp(moving, displacement, warped); }));
  parts["force"] = to_json(time(progress, [&] { steps.measure(warped); }));
  parts["smoothing"] = to_json(time(progress, [&] { steps.smooth(); }));
  const VectorField velocity = displacement;
  VectorField composed(counts);
  parts["composition"] = to_json(time(progress, [&] {
    volumes::compose_step(displacement, velocity, {0.01, 0.01, 0.01}, composed);
  }));
  parts["jacobian"] = to_json(time(progress, [&] { volumes::jacobian_range(displacement); }));

  const DeformationParameters of_models;
  const SplineGrid grid = spline_grid(counts, spacing, 8, 1, 0);
  SplineFit fit(grid, counts, counts, spacing, of_models, 1, {});
  fit.set_images(fixed, moving);
  const SplineCoefficients coefficients(3 * grid.count(), 0.0);
  SplineCoefficients gradient(coefficients);
  const auto splines = time(progress, [&] { fit(coefficients, gradient); });
  Json of_flow;
  if (side <= 128) {
    Flow flow(counts, spacing, of_models, 1);
    flow.set_images(fixed, moving);
    flow.measure();
    const double longest_changes = flow.find_direction();
    of_flow = to_json(time(progress, [&] {
      flow.move(0.1 / longest_changes);
      flow.measure();
      flow.find_direction();
    }));
  }

  const double bytes = numbers_moved * sizeof(float) * static_cast<double>(volumes::point_count(counts));
  const auto begin = std::chrono::steady_clock::now();
  const Registration whole = register_images(fixed, moving, counts, spacing, parameters,
                                             levels_of(counts, parameters), {}, {}, progress);
  return {{"side", side},
          {"iteration", to_json(iteration)},
          {"bytes_moved", bytes},
          {"bytes_per_second", 1e3 * bytes / iteration.median_ms},
          {"parts", std::move(parts)},
          {"splines", to_json(splines)},
          {"flow", std::move(of_flow)},
          {"affine", bench_affine(side, progress)},
          {"registration",
           {{"levels", parameters.levels},
            {"iterations", parameters.iterations},
            {"seconds", seconds_since(begin)},
            {"mismatch_ratio", whole.mismatch_after / whole.mismatch_before},
            {"least_jacobian", whole.least_jacobian}}}};
}

}  // namespace

Json benchmark(const std::vector<int>& sides, int threads, const jobs::Progress& progress) {
  tbb::task_arena arena(threads > 0 ? threads : tbb::task_arena::automatic);
  Json json{{"threads", arena.max_concurrency()}, {"sizes", Json::array()}};
  arena.execute([&] {
    for (const int side : sides) json["sizes"].push_back(bench_side(side, progress));
  });
  return json;
}

std::vector<std::string> lines_of(const Json& benchmark) {
  std::vector<std::string> lines;
  for (const auto& size : benchmark.at("sizes")) {
    const int side = size.at("side").get<int>();
    std::string line = fmt::format("{0} x {0} x {0}: {1:.2f} ms an iteration ({2:.1f} GB/s)", side,
                                   size.at("iteration").at("median_ms").get<double>(),
                                   1e-9 * size.at("bytes_per_second").get<double>());
    for (const auto& [name, timing] : size.at("parts").items())
      line += fmt::format(", {} {:.2f}", name, timing.at("median_ms").get<double>());
    lines.push_back(line);
    std::string of_models =
        fmt::format("  evaluation of B-splines: {:.2f} ms", size.at("splines").at("median_ms").get<double>());
    if (!size.at("flow").is_null()) {
      of_models += fmt::format(", iteration of a flow of 5 steps: {:.2f} ms",
                               size.at("flow").at("median_ms").get<double>());
    }
    lines.push_back(std::move(of_models));
    const auto& affine = size.at("affine");
    lines.push_back(fmt::format("  affine map of two heads: {:.2f} s, {} iterations",
                                affine.at("seconds").get<double>(), affine.at("iterations").get<int>()));
    const auto& whole = size.at("registration");
    lines.push_back(fmt::format(
        "  registration of {} levels: {:.2f} s, {:.1f} % of the mismatch left, least Jacobian {:.3f}",
        whole.at("levels").get<int>(), whole.at("seconds").get<double>(),
        100 * whole.at("mismatch_ratio").get<double>(), whole.at("least_jacobian").get<double>()));
  }
  return lines;
}

}  // namespace isolume::anatomy
