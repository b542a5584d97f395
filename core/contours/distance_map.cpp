#include "core/contours/distance_map.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/contours/parallel.h"

namespace isolume::contours {
namespace {

constexpr float infinite = std::numeric_limits<float>::infinity();

/// The lower envelope of the parabolas s^2 (q - p)^2 + f(p), from left to right.
class LowerEnvelope {
 public:
  LowerEnvelope(std::size_t length, double spacing)
      : spacing_squared_(spacing * spacing), parabolas_(length) {}

  /// Replaces f(p) by the envelope's height at p.
  void apply(float* line, std::size_t length) {
    std::size_t count = 0;
    for (std::size_t p = 0; p < length; ++p) {
      if (line[p] < infinite) count = add({static_cast<double>(p), line[p], 0}, count);
    }
    if (count == 0) return;
    std::size_t lowest = 0;
    for (std::size_t q = 0; q < length; ++q) {
      const auto place = static_cast<double>(q);
      while (lowest + 1 < count && parabolas_[lowest + 1].from <= place) ++lowest;
      const double away = place - parabolas_[lowest].place;
      line[q] = static_cast<float>(spacing_squared_ * away * away + parabolas_[lowest].height);
    }
  }

 private:
  struct Parabola {
    double place, height;
    double from;  ///< where it begins to be the lowest
  };

  std::size_t add(Parabola next, std::size_t count) {
    for (; count > 0; --count) {
      const Parabola& last = parabolas_[count - 1];
      next.from = (next.place + last.place) / 2 +
                  (next.height - last.height) / (2 * spacing_squared_ * (next.place - last.place));
      if (count == 1 || next.from > last.from) break;
    }
    if (count == 0) next.from = -std::numeric_limits<double>::infinity();
    parabolas_[count] = next;
    return count + 1;
  }

  double spacing_squared_;
  std::vector<Parabola> parabolas_;
};

/// Lines in one direction: those of `x_count` neighbours along x start at first + outer * outer_stride.
struct Lines {
  std::size_t length, stride;
  std::size_t x_count, x_stride;
  std::size_t outer_count, outer_stride;
};

void apply_envelopes(FieldValues& values, const Lines& lines, double spacing,
                     const jobs::Progress& progress) {
  constexpr std::size_t together = 16;  // a cache line
  const std::size_t blocks = (lines.x_count + together - 1) / together;
  in_parallel(blocks * lines.outer_count, progress, "distances", [&](std::size_t task) {
    const std::size_t first = task % blocks * together;
    const std::size_t count = std::min(together, lines.x_count - first);
    float* block = values.data() + task / blocks * lines.outer_stride + first * lines.x_stride;
    std::vector<float> gathered(count * lines.length);
    for (std::size_t i = 0; i < lines.length; ++i) {
      for (std::size_t x = 0; x < count; ++x) {
        gathered[x * lines.length + i] = block[i * lines.stride + x * lines.x_stride];
      }
    }
    LowerEnvelope envelope(lines.length, spacing);
    for (std::size_t x = 0; x < count; ++x) envelope.apply(&gathered[x * lines.length], lines.length);
    for (std::size_t i = 0; i < lines.length; ++i) {
      for (std::size_t x = 0; x < count; ++x) {
        block[i * lines.stride + x * lines.x_stride] = gathered[x * lines.length + i];
      }
    }
  });
}

}  // namespace

FieldValues squared_distances_mm2(const std::vector<std::uint8_t>& mask, std::uint8_t bit,
                                  const std::array<int, 3>& size, const Eigen::Vector3d& spacing_mm,
                                  const jobs::Progress& progress) {
  FieldValues values(mask.size());
  std::ranges::transform(mask, values.begin(),
                         [&](std::uint8_t bits) { return (bits & bit) != 0 ? 0.0F : infinite; });
  const auto width = static_cast<std::size_t>(size[0]), height = static_cast<std::size_t>(size[1]),
             depth = static_cast<std::size_t>(size[2]);
  apply_envelopes(values, {width, 1, height, width, depth, width * height}, spacing_mm[0],
                  progress.part(0, 1.0 / 3));
  if (height > 1) {
    apply_envelopes(values, {height, width, width, 1, depth, width * height}, spacing_mm[1],
                    progress.part(1.0 / 3, 2.0 / 3));
  }
  if (depth > 1) {
    apply_envelopes(values, {depth, width * height, width, 1, height, width}, spacing_mm[2],
                    progress.part(2.0 / 3, 1));
  }
  return values;
}

}  // namespace isolume::contours
