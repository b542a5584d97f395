#include "core/flames/tone_map.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <tbb/parallel_for.h>

#include "core/dispatch/dispatch.h"

namespace isolume::flames {
namespace {

/// Log-scaled density and colours times that.
struct Light {
  float alpha = 0, red = 0, green = 0, blue = 0;
};
using Lights = std::vector<Light>;

/// Calls `row(y)` for all rows on all threads.
template <class Row>
void for_each_row(int rows, const jobs::Progress& progress, const Row& row) {
  tbb::parallel_for(tbb::blocked_range<int>(0, rows, 16), [&](const tbb::blocked_range<int>& range) {
    if (progress.cancelled()) return;
    for (int y = range.begin(); y < range.end(); ++y) row(y);
  });
  progress.check();
}

class LogDensity {
 public:
  LogDensity(const Tally& tally, const Tone& tone, const View& view)
      : brightness_(1.046875 * tone.brightness) {
    const double pixels_per_unit = view.scale * std::exp2(view.zoom);
    if (tally.points > 0) per_hit_ = pixels_per_unit * pixels_per_unit / static_cast<double>(tally.points);
  }
  Light of(const Bin& bin) const {
    if (bin.count == 0) return {};
    const auto count = static_cast<float>(bin.count);
    const auto alpha =
        static_cast<float>(brightness_ * std::log1p(static_cast<double>(bin.count) * per_hit_));
    const float factor = alpha / (255 * count);
    return {alpha, factor * static_cast<float>(bin.red), factor * static_cast<float>(bin.green),
            factor * static_cast<float>(bin.blue)};
  }

 private:
  double brightness_;
  double per_hit_ = 0;
};

/// Spreads the light of each pixel over its kernel. Every row gathers from the rows around, so that no two threads
/// write to one pixel and the sum has one order.
Lights spread(const Tally& tally, const Lights& lights, const Tone& tone, const jobs::Progress& progress) {
  const int width = tally.width, height = tally.height;
  constexpr double largest_radius = 50;
  const double most = std::min(tone.estimator_radius, largest_radius);
  const int reach = static_cast<int>(std::ceil(most));
  // Radius and weight of every pixel's kernel.
  struct Kernel {
    float inverse_squared_radius = 0;  // 0: the pixel alone
    float weight = 1;
  };
  std::vector<Kernel> kernels(tally.bins.size());
  for_each_row(height, progress, [&](int y) {
    for (int x = 0; x < width; ++x) {
      const std::size_t i =
          static_cast<std::size_t>(y) * static_cast<std::size_t>(width) + static_cast<std::size_t>(x);
      if (tally.bins[i].count == 0) continue;
      const double radius =
          std::max(tone.estimator_minimum,
                   most / std::pow(static_cast<double>(tally.bins[i].count), tone.estimator_curve));
      if (radius <= 1) continue;
      double sum = 0;
      const int within = static_cast<int>(radius);
      for (int v = -within; v <= within; ++v) {
        for (int u = -within; u <= within; ++u) sum += std::max(0.0, 1 - (u * u + v * v) / (radius * radius));
      }
      kernels[i] = {static_cast<float>(1 / (radius * radius)), static_cast<float>(1 / sum)};
    }
  });
  Lights result(lights.size());
  for_each_row(height, progress, [&](int y) {
    for (int v = std::max(0, y - reach); v <= std::min(height - 1, y + reach); ++v) {
      for (int u = 0; u < width; ++u) {
        const std::size_t from =
            static_cast<std::size_t>(v) * static_cast<std::size_t>(width) + static_cast<std::size_t>(u);
        const Light& light = lights[from];
        if (light.alpha == 0) continue;
        const Kernel& kernel = kernels[from];
        const auto add = [&](int x, float weight) {
          Light& to = result[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                             static_cast<std::size_t>(x)];
          to.alpha += weight * light.alpha;
          to.red += weight * light.red;
          to.green += weight * light.green;
          to.blue += weight * light.blue;
        };
        if (kernel.inverse_squared_radius == 0) {
          if (v == y) add(u, 1);
          continue;
        }
        const float across = 1 - static_cast<float>((v - y) * (v - y)) * kernel.inverse_squared_radius;
        if (across <= 0) continue;
        const int half = static_cast<int>(std::sqrt(across / kernel.inverse_squared_radius));
        for (int x = std::max(0, u - half); x <= std::min(width - 1, u + half); ++x) {
          const float rest = across - static_cast<float>((x - u) * (x - u)) * kernel.inverse_squared_radius;
          if (rest > 0) add(x, rest * kernel.weight);
        }
      }
    }
  });
  return result;
}

class GammaCurve {
 public:
  explicit GammaCurve(const Tone& tone)
      : exponent_(static_cast<float>(1 / tone.gamma)), threshold_(static_cast<float>(tone.gamma_threshold)) {
    slope_ = threshold_ > 0 ? std::pow(threshold_, exponent_) / threshold_ : 0;
  }
  float operator()(float value) const {
    if (value <= 0) return 0;
    const float curved = std::pow(value, exponent_);
    if (value >= threshold_) return curved;
    const float part = value / threshold_;
    return (1 - part) * value * slope_ + part * curved;
  }

 private:
  float exponent_, threshold_, slope_;
};

}  // namespace

Picture tone_map(const Tally& tally, const Tone& tone, const View& view, Background background,
                 const jobs::Progress& progress) {
  const std::size_t pixels = tally.bins.size(), width = static_cast<std::size_t>(tally.width);
  dispatch::require_memory("The picture of the flame", pixels * (2 * sizeof(Light) + 12),
                           "Choose a smaller picture.");
  Picture picture{tally.width, tally.height, std::vector<std::uint8_t>(4 * pixels)};
  const LogDensity density(tally, tone, view);
  const GammaCurve curve(tone);
  const auto vibrancy = static_cast<float>(tone.vibrancy);
  const bool drawn = background == Background::drawn;
  const auto byte = [](float value) {
    return static_cast<std::uint8_t>(std::lround(255 * std::clamp(value, 0.0F, 1.0F)));
  };
  std::array<std::uint8_t, 4> empty{};
  if (drawn) {
    for (std::size_t k = 0; k < 3; ++k) empty[k] = byte(static_cast<float>(tone.background[k]));
    empty[3] = 255;
  }
  const auto draw = [&](const Light& light, std::uint8_t* to) {
    if (light.alpha <= 0) return std::ranges::copy(empty, to), void();
    const float alpha = std::min(curve(light.alpha), 1.0F);
    const std::array channels{light.red, light.green, light.blue};
    for (std::size_t k = 0; k < 3; ++k) {
      float value = vibrancy * channels[k] / light.alpha * alpha;
      if (vibrancy < 1) value += (1 - vibrancy) * curve(channels[k]);
      if (drawn) {
        to[k] = byte(value + (1 - alpha) * static_cast<float>(tone.background[k]));
      } else {
        to[k] = byte(value / std::max(alpha, 1e-6F));
      }
    }
    to[3] = drawn ? 255 : byte(alpha);
  };
  if (tone.estimator_radius > 1) {
    Lights lights(pixels);
    for_each_row(tally.height, progress, [&](int y) {
      for (std::size_t i = static_cast<std::size_t>(y) * width; i < (static_cast<std::size_t>(y) + 1) * width;
           ++i)
        lights[i] = density.of(tally.bins[i]);
    });
    lights = spread(tally, lights, tone, progress);
    for_each_row(tally.height, progress, [&](int y) {
      for (std::size_t i = static_cast<std::size_t>(y) * width; i < (static_cast<std::size_t>(y) + 1) * width;
           ++i)
        draw(lights[i], &picture.rgba[4 * i]);
    });
    return picture;
  }
  for_each_row(tally.height, progress, [&](int y) {
    for (std::size_t i = static_cast<std::size_t>(y) * width; i < (static_cast<std::size_t>(y) + 1) * width;
         ++i)
      draw(density.of(tally.bins[i]), &picture.rgba[4 * i]);
  });
  return picture;
}

}  // namespace isolume::flames
