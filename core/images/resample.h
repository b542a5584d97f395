#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <type_traits>
#include <vector>

#include <oneapi/tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/images/render_slice.h"

/// Common part of render_slice and render_layer: values of a slice at the pixels of a picture.
namespace isolume::images::resampling {

/// A slice in memory, with axes named by their direction in the picture.
template <class Pixel>
struct Source {
  const Pixel* first;
  int columns, rows;
  std::size_t column_stride, row_stride;
};

/// The two source pixels that a picture pixel lies between. Nearest: only `a`.
struct Tap {
  std::size_t a = 0, b = 0;  ///< offsets in memory
  float weight = 0;          ///< of b
};

/// Picture pixels [begin, end) lie on the slice; taps are for these.
struct Taps {
  int begin = 0, end = 0;
  std::vector<Tap> taps;
};

inline Taps make_taps(int count, double first, double step, int size, std::size_t stride,
                      Interpolation interpolation) {
  Taps result;
  for (int i = 0; i < count; ++i) {
    const double place = first + i * step;
    // A pixel extends half a pixel around its centre.
    if (!(place >= -0.5 && place < size - 0.5)) {
      if (result.taps.empty()) continue;
      break;
    }
    if (result.taps.empty()) result.begin = i;
    Tap tap;
    if (interpolation == Interpolation::nearest) {
      tap.a = tap.b = static_cast<std::size_t>(std::clamp(std::floor(place + 0.5), 0.0, size - 1.0)) * stride;
    } else {
      const double inside = std::clamp(place, 0.0, size - 1.0);
      const double whole = std::min(std::floor(inside), std::max(0.0, size - 2.0));
      tap.a = static_cast<std::size_t>(whole) * stride;
      tap.b = size > 1 ? tap.a + stride : tap.a;
      tap.weight = static_cast<float>(inside - whole);
    }
    result.taps.push_back(tap);
  }
  result.end = result.begin + static_cast<int>(result.taps.size());
  return result;
}

/// One source row, scaled, at all columns of the picture; NaN outside the slice.
template <class Pixel>
void sample_row(const Pixel* row, const Taps& columns, int width, double scale, double offset, float* out) {
  // float is not precise enough for a small window far from zero in wide integers.
  using Number = std::conditional_t<(sizeof(Pixel) < 4) || std::is_same_v<Pixel, float>, float, double>;
  const auto factor = static_cast<Number>(scale), shift = static_cast<Number>(offset);
  constexpr float nothing = std::numeric_limits<float>::quiet_NaN();
  std::fill(out, out + columns.begin, nothing);
  float* at = out + columns.begin;
  for (const Tap& tap : columns.taps) {
    const auto a = static_cast<float>(static_cast<Number>(row[tap.a]) * factor + shift);
    const auto b = static_cast<float>(static_cast<Number>(row[tap.b]) * factor + shift);
    *at++ = tap.weight == 0 ? a : a + (b - a) * tap.weight;
  }
  std::fill(out + columns.end, out + width, nothing);
}

/// Calls finish(first_row, row_count, values) for bands of the picture, in any order, from several threads. `values`
/// are scale * stored + offset, NaN outside the slice, `map.width` per row. `beyond` additional rows after row_count
/// are available for callers that use neighbours.
template <class Pixel, class Finish>
void resample(const Source<Pixel>& source, const PictureMap& map, Interpolation interpolation, double scale,
              double offset, int beyond, const Finish& finish) {
  const Taps columns = make_taps(map.width, map.first_column, map.column_step, source.columns,
                                 source.column_stride, interpolation);
  const Taps rows = make_taps(map.height + beyond, map.first_row, map.row_step, source.rows,
                              source.row_stride, interpolation);
  const auto width = static_cast<std::size_t>(map.width);
  const auto band = [&](const tbb::blocked_range<int>& range) {
    const int count = range.end() - range.begin();
    std::vector<float> values(static_cast<std::size_t>(count + beyond) * width);
    // With magnification, many rows of the picture lie between the same two rows of the slice.
    struct Kept {
      std::vector<float> values;
      std::size_t row = std::numeric_limits<std::size_t>::max();
    } kept[2];
    kept[0].values.resize(width);
    kept[1].values.resize(width);
    const auto sampled = [&](std::size_t row, std::size_t other) -> const float* {
      Kept& place = kept[0].row == row || (kept[1].row != row && kept[1].row == other) ? kept[0] : kept[1];
      if (place.row != row) {
        sample_row(source.first + row, columns, map.width, scale, offset, place.values.data());
        place.row = row;
      }
      return place.values.data();
    };
    for (int i = 0; i < count + beyond; ++i) {
      float* out = values.data() + static_cast<std::size_t>(i) * width;
      const int row = range.begin() + i;
      if (row < rows.begin || row >= rows.end) {
        std::fill(out, out + width, std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      const Tap& tap = rows.taps[static_cast<std::size_t>(row - rows.begin)];
      const float* a = sampled(tap.a, tap.b);
      if (tap.weight == 0) {
        std::copy(a, a + width, out);
        continue;
      }
      const float* b = sampled(tap.b, tap.a);
      for (std::size_t x = 0; x < width; ++x) out[x] = a[x] + (b[x] - a[x]) * tap.weight;
    }
    finish(range.begin(), count, values.data());
  };
  constexpr int rows_a_band = 32;
  handover::parallel_for(tbb::blocked_range<int>(0, map.height, rows_a_band), band);
}

}  // namespace isolume::images::resampling
