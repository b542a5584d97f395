#include "core/tomography/detector.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <numbers>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/base/philox.h"

namespace isolume::tomography {
namespace {

using ViewRange = tbb::blocked_range<int>;

/// The count that a normal number selects.
double poisson_quantile(double mean, double normal) {
  if (mean >= 25)
    return std::max(0.0, std::round(mean + std::sqrt(mean) * normal + (normal * normal - 1) / 6));
  const double probability = 0.5 * std::erfc(-normal / std::numbers::sqrt2);
  double term = std::exp(-mean), sum = term;
  int count = 0;
  while (sum < probability && count < 200) {
    ++count;
    term *= mean / count;
    sum += term;
  }
  return count;
}

}  // namespace

Remarks replace_not_finite(Projections& projections) {
  std::size_t replaced = 0;
  for (int i = 0; i < static_cast<int>(projections.geometry.views.size()); ++i) {
    for (int u = 0; u < projections.geometry.columns; ++u) {
      float* column = projections.column(i, u);
      for (int v = 0; v < projections.geometry.rows; ++v) {
        if (std::isfinite(column[v])) continue;
        column[v] = 0;
        ++replaced;
      }
    }
  }
  Remarks remarks;
  if (replaced > 0)
    remarks.corrected(fmt::format("{} values that are not finite were replaced by 0.", replaced), replaced);
  return remarks;
}

Remarks take_logarithm(Projections& projections, std::span<const float> flat, std::span<const float> dark) {
  const Geometry& geometry = projections.geometry;
  const std::size_t view_size = projections.column_index(1, 0);
  if (flat.size() != view_size || (!dark.empty() && dark.size() != view_size))
    throw Error("The flat and dark fields have other numbers of pixels than the projections.");
  std::size_t bad_pixels = 0, low = 0, not_finite = 0;
  float least = std::numeric_limits<float>::infinity();
  const auto dark_at = [&](std::size_t at) { return dark.empty() ? 0.F : dark[at]; };
  const auto each = [&](const auto& act) {
    for (int i = 0; i < static_cast<int>(geometry.views.size()); ++i) {
      for (int u = 0; u < geometry.columns; ++u) {
        const std::size_t begin = projections.column_index(0, u);
        float* column = projections.column(i, u);
        for (int v = 0; v < geometry.rows; ++v) {
          const std::size_t at = begin + static_cast<std::size_t>(v);
          act(i, column[v], flat[at] - dark_at(at), column[v] - dark_at(at));
        }
      }
    }
  };
  each([&](int view, float&, float open, float measured) {
    if (!(open > 0 && std::isfinite(open))) {
      bad_pixels += view == 0 ? 1 : 0;
    } else if (measured > 0 && std::isfinite(measured)) {
      least = std::min(least, measured / open);
    }
  });
  if (!std::isfinite(least))
    throw Error(
        "No pixel has an intensity above its dark field. Check that projections, flat and dark fields fit.");
  each([&](int, float& value, float open, float measured) {
    if (!(open > 0 && std::isfinite(open))) {
      value = 0;
    } else if (!std::isfinite(measured)) {
      value = 0;
      ++not_finite;
    } else {
      low += measured > 0 ? 0 : 1;
      value = -std::log(measured > 0 ? measured / open : least);
    }
  });
  Remarks remarks;
  if (bad_pixels > 0) {
    remarks.corrected(
        fmt::format("{} pixels of the flat field are not above the dark field; their line integrals are 0.",
                    bad_pixels),
        bad_pixels);
  }
  if (low > 0) {
    remarks.corrected(
        fmt::format("{} intensities of 0 or below were replaced by the least one above 0.", low), low);
  }
  if (not_finite > 0) {
    remarks.corrected(
        fmt::format("{} intensities that are not finite were replaced by line integrals of 0.", not_finite),
        not_finite);
  }
  return remarks;
}

Projections with_noise(const Projections& projections, double photons, std::uint64_t seed,
                       const jobs::Progress& progress) {
  if (!(photons > 0 && std::isfinite(photons))) throw Error("The number of photons has to be above 0.");
  Projections noisy = projections;
  const Geometry& geometry = noisy.geometry;
  handover::parallel_for(ViewRange(0, static_cast<int>(geometry.views.size())), [&](const ViewRange& part) {
    for (int i = part.begin(); i != part.end(); ++i) {
      if (progress.cancelled()) return;
      for (int u = 0; u < geometry.columns; ++u) {
        float* column = noisy.column(i, u);
        // Both numbers of a pair that Box and Muller's method gives are used.
        for (int v = 0; v < geometry.rows; v += 2) {
          Random random(seed, noisy.column_index(i, u) + static_cast<std::size_t>(v), 0x43540001);
          const double radius = std::sqrt(-2 * std::log(random.uniform())),
                       angle = 2 * std::numbers::pi * random.uniform();
          for (int k = 0; k < std::min(2, geometry.rows - v); ++k) {
            const double mean = photons * std::exp(std::min(-static_cast<double>(column[v + k]), 100.0));
            const double count =
                poisson_quantile(mean, radius * (k == 0 ? std::cos(angle) : std::sin(angle)));
            column[v + k] = static_cast<float>(std::log(photons / std::max(count, 0.5)));
          }
        }
      }
    }
  });
  progress.check();
  return noisy;
}

}  // namespace isolume::tomography
