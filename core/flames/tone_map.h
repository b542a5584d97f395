#pragma once

#include <cstdint>
#include <vector>

#include "core/flames/flame.h"
#include "core/flames/tally.h"
#include "core/jobs/progress.h"

namespace isolume::flames {

/// Red, green, blue and alpha of each pixel, row by row from the top; not premultiplied.
struct Picture {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;
};

enum class Background { drawn, transparent };

/// The picture of a histogram by the log-density display of Draves and Reckase (2008), sections 4 and 5, with the
/// constants of established programs, so that `.flame` files look as they do there. For a pixel with n hits of mean
/// colour m (0 to 1), of N points in all, where a pixel covers the area A of the plane:
///
///   l     = 268/256 * brightness * ln(1 + n / (N A))
///   alpha = l^(1/gamma), below the threshold t blended towards the line through (t, t^(1/gamma))
///   rgb   = vibrancy * m * alpha + (1 - vibrancy) * (m l)^(1/gamma) + (1 - alpha) * background
///
/// With a density estimator, l and m l of a pixel are first spread over a kernel (1 - d²/r²) whose radius decreases
/// with the number of hits: r = max(minimum, radius / n^curve) pixels. `view` is that of the histogram. Throws
/// Cancelled.
Picture tone_map(const Tally& tally, const Tone& tone, const View& view,
                 Background background = Background::drawn, const jobs::Progress& progress = {});

}  // namespace isolume::flames
