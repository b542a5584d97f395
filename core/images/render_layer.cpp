#include "core/images/resample.h"

namespace isolume::images {
namespace {

std::uint32_t premultiplied(std::uint32_t colour, float alpha) {
  const auto part = [&](int shift) {
    return static_cast<std::uint32_t>(static_cast<float>((colour >> shift) & 0xffU) * alpha + 0.5F) << shift;
  };
  return (static_cast<std::uint32_t>(255 * alpha + 0.5F) << 24) | part(16) | part(8) | part(0);
}

/// Black on light colours, white on dark ones (Rec. 709 weights on the encoded values are accurate enough here).
std::uint32_t contrasting(std::uint32_t colour) {
  const auto part = [&](int shift) { return static_cast<float>((colour >> shift) & 0xffU); };
  return 0.2126F * part(16) + 0.7152F * part(8) + 0.0722F * part(0) > 115 ? 0xff000000U : 0xffffffffU;
}

std::uint32_t mixed(std::uint32_t a, std::uint32_t b, float weight) {
  std::uint32_t result = 0xff000000U;
  for (const int shift : {16, 8, 0}) {
    const auto from = static_cast<float>((a >> shift) & 0xffU), to = static_cast<float>((b >> shift) & 0xffU);
    result |= static_cast<std::uint32_t>(from + (to - from) * weight + 0.5F) << shift;
  }
  return result;
}

/// How much a value changes a pixel; NaN where a neighbour is missing.
float steepness(float value, float right, float below) {
  const float dx = right - value, dy = below - value;
  return std::sqrt(dx * dx + dy * dy);
}

/// Iso-contours at the multiples of a step.
struct Levels {
  float step, per_step, reach_px, line_px;

  Levels(double level_step, double width_px)
      : step(static_cast<float>(level_step)),
        per_step(1 / step),
        reach_px(static_cast<float>(width_px / 2 + 0.5)),
        line_px(static_cast<float>(width_px)) {}

  /// Fraction of a pixel covered by a line: its distance in pixels is the difference of the values over the length of
  /// their gradient.
  float coverage(float value, float right, float below) const {
    const float dx = right - value, dy = below - value, slope_squared = dx * dx + dy * dy;
    const float steps = std::clamp(value * per_step, -1e9F, 1e9F);
    const auto nearest = static_cast<float>(static_cast<int>(steps + std::copysign(0.5F, steps)));
    const float off = std::abs(steps - nearest) * step;
    // Also returns if a neighbour is missing: NaN compares as false.
    if (!(off * off < reach_px * reach_px * slope_squared)) return 0;
    const float slope = std::sqrt(slope_squared);
    const float covered = std::min(reach_px - off / slope, 1.0F);
    // Lines that are too close to be distinguished fade out.
    const float apart_px = step / slope;
    return covered * std::clamp((apart_px - 2 * line_px) / (3 * line_px), 0.0F, 1.0F);
  }
};

}  // namespace

void render_layer(const float* values, int width, int height, const PictureMap& map,
                  Interpolation interpolation, const LayerStyle& style,
                  std::span<const std::uint32_t> colours, Canvas picture) {
  const auto row = static_cast<std::size_t>(width);
  const resampling::Source<float> source = map.transposed
                                               ? resampling::Source<float>{values, height, width, row, 1}
                                               : resampling::Source<float>{values, width, height, 1, row};
  PictureMap with_neighbours = map;
  ++with_neighbours.width;
  const auto alpha = static_cast<float>(std::clamp(style.opacity, 0.0, 1.0));
  const auto low = static_cast<float>(style.low), highest = static_cast<float>(style.shown_up_to);
  const bool lines = style.level_step > 0;
  const Levels levels(lines ? style.level_step : 1, style.line_px);
  const auto to_colour =
      static_cast<float>(static_cast<double>(colours.size() - 1) / std::max(style.high - style.low, 1e-300));
  const auto last = static_cast<float>(colours.size() - 1);
  const auto front_px = static_cast<float>(style.front_px);
  const bool front = front_px > 0 && std::isfinite(highest);
  std::vector<std::uint32_t> premade;
  for (const auto colour : colours) premade.push_back(premultiplied(colour, alpha));

  const auto draw_row = [&](const float* at, const float* below, std::uint32_t* out) {
    for (int x = 0; x < map.width; ++x) {
      const float value = at[x];
      if (!std::isfinite(value) || value > highest) {
        out[x] = 0;
        continue;
      }
      const auto index = static_cast<std::size_t>(std::clamp((value - low) * to_colour, 0.0F, last) + 0.5F);
      if (front && highest - value < front_px * steepness(value, at[x + 1], below[x])) {
        out[x] = 0xffffffffU;
        continue;
      }
      const float line = lines ? levels.coverage(value, at[x + 1], below[x]) : 0;
      out[x] = line == 0 ? premade[index]
                         : premultiplied(mixed(colours[index], contrasting(colours[index]), line), alpha);
    }
  };
  resampling::resample(
      source, with_neighbours, interpolation, 1, 0, 1, [&](int first, int count, const float* band) {
        for (int i = 0; i < count; ++i) {
          const float* at = band + static_cast<std::ptrdiff_t>(i) * with_neighbours.width;
          draw_row(at, at + with_neighbours.width, picture.pixels + (first + i) * picture.stride);
        }
      });
}

}  // namespace isolume::images
