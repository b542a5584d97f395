// Google Benchmark program: pictures of slices and layers as a window of 1600 x 1000 pixels asks for them,
// over images of growing size: the time must not grow with them.
#include <cmath>
#include <cstdint>
#include <vector>

#include <benchmark/benchmark.h>

#include "core/images/render_slice.h"
#include "tests/core/images/made_volume.h"

namespace isolume::images {
namespace {

constexpr int width = 1600, height = 1000;

Volume square_volume(int side, int depth) {
  Geometry geometry;
  geometry.dimensions = {side, side, depth};
  return made_volume<std::int16_t>(geometry, [](int i, int j, int k) { return (i * 7 + j * 13 + k) % 2000; });
}

/// The slice of this many columns and rows fitted into the picture, magnified by `zoom` about its middle.
PictureMap fitted(int columns, int rows, double zoom, bool transposed = false) {
  if (transposed) std::swap(columns, rows);
  const double step =
      std::max(columns / static_cast<double>(width), rows / static_cast<double>(height)) / zoom;
  return {.width = width,
          .height = height,
          .transposed = transposed,
          .first_column = columns / 2.0 - step * width / 2,
          .column_step = step,
          .first_row = rows / 2.0 + step * height / 2,
          .row_step = -step};
}

void time_slice(benchmark::State& state, int axis, Interpolation interpolation, double zoom,
                bool transposed) {
  const int side = static_cast<int>(state.range(0));
  const auto volume = square_volume(side, axis == 2 ? 3 : 128);
  const auto plane = slice_plane(volume.geometry, {axis, 1});
  const auto map = fitted(plane.columns, plane.rows, zoom, transposed);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * height);
  int index = 0;
  for (auto _ : state) {
    render_slice(volume, {axis, index++ % 3}, map, {1000, 1500, {}}, interpolation, {pixels.data(), width});
    benchmark::DoNotOptimize(pixels.data());
  }
}

void time_layer(benchmark::State& state, double level_step) {
  const int side = static_cast<int>(state.range(0));
  FieldValues values(static_cast<std::size_t>(side) * static_cast<std::size_t>(side));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      values[static_cast<std::size_t>(y) * static_cast<std::size_t>(side) + static_cast<std::size_t>(x)] =
          std::hypot(static_cast<float>(x - side / 2), static_cast<float>(y - side / 3));
    }
  }
  std::vector<std::uint32_t> colours(256);
  for (std::uint32_t i = 0; i < 256; ++i) colours[i] = 0xff000000U | (i << 16) | (255 - i);
  const LayerStyle style{.high = side / 1.5, .level_step = side * level_step};
  const auto map = fitted(side, side, 2);
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(width) * height);
  for (auto _ : state) {
    render_layer(values.data(), side, side, map, Interpolation::linear, style, colours,
                 {pixels.data(), width});
    benchmark::DoNotOptimize(pixels.data());
  }
}

void sizes(benchmark::internal::Benchmark* each) {
  each->ArgName("side")->Arg(256)->Arg(1024)->Arg(4096)->Arg(8192)->UseRealTime()->Unit(
      benchmark::kMillisecond);
}

BENCHMARK_CAPTURE(time_slice, linear_fitted, 2, Interpolation::linear, 1, false)->Apply(sizes);
BENCHMARK_CAPTURE(time_slice, linear_filling, 2, Interpolation::linear, 2, false)->Apply(sizes);
BENCHMARK_CAPTURE(time_slice, linear_magnified, 2, Interpolation::linear, 16, false)->Apply(sizes);
BENCHMARK_CAPTURE(time_slice, nearest_filling, 2, Interpolation::nearest, 2, false)->Apply(sizes);
BENCHMARK_CAPTURE(time_slice, linear_transposed, 2, Interpolation::linear, 2, true)->Apply(sizes);
BENCHMARK_CAPTURE(time_slice, linear_sagittal, 0, Interpolation::linear, 1, false)
    ->ArgName("side")
    ->Arg(512)
    ->Arg(2048)
    ->UseRealTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(time_layer, colours, 0)->Apply(sizes);
BENCHMARK_CAPTURE(time_layer, with_iso_contours, 0.02)->Apply(sizes);

}  // namespace
}  // namespace isolume::images

BENCHMARK_MAIN();
