#include "core/neurons/ribbon.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>

namespace isolume::neurons {
namespace {

constexpr int border = 2;  ///< pixels at the rim of a patch that no front enters

/// The band around a front in which it moves, and the steps of its pixels.
struct Band {
  std::vector<std::uint32_t> pixels;
  std::vector<float> steps;
};

bool is_inside(float distance) {
  return distance < 0;
}

/// Whether a pixel may change its side: the 4-connected inside around it is in one part, and stays so (S. Yokoi, J.
/// Toriwaki, T. Fukumura, Comput. Graph. Image Process. 4, 63 (1975)).
bool is_simple(const float* front, std::ptrdiff_t width) {
  const std::array<std::ptrdiff_t, 8> around{1,  1 - width,  -width, -1 - width,
                                             -1, -1 + width, width,  1 + width};
  int number = 0;
  for (std::size_t k = 0; k < 8; k += 2) {
    const bool here = is_inside(front[around[k]]), corner = is_inside(front[around[k + 1]]),
               next = is_inside(front[around[(k + 2) % 8]]);
    number += here && !(corner && next) ? 1 : 0;
  }
  return number == 1;
}

struct Slopes {
  float along_u, along_v, curvature, outward, inward;
};

/// Derivatives of a front at a pixel. `outward` and `inward` are the upwind lengths of the gradient where the front
/// grows and where it shrinks (S. Osher, J. Sethian, J. Comput. Phys. 79, 12 (1988)).
Slopes slopes_at(const float* f, std::ptrdiff_t w) {
  const float left = f[0] - f[-1], right = f[1] - f[0], above = f[0] - f[-w], below = f[w] - f[0];
  const auto square = [](float x) { return x * x; };
  Slopes s{};
  s.along_u = 0.5F * (left + right);
  s.along_v = 0.5F * (above + below);
  s.outward = std::sqrt(square(std::max(left, 0.F)) + square(std::min(right, 0.F)) +
                        square(std::max(above, 0.F)) + square(std::min(below, 0.F)));
  s.inward = std::sqrt(square(std::min(left, 0.F)) + square(std::max(right, 0.F)) +
                       square(std::min(above, 0.F)) + square(std::max(below, 0.F)));
  const float uu = right - left, vv = below - above,
              uv = 0.25F * (f[w + 1] - f[w - 1] - f[1 - w] + f[-w - 1]);
  const float length = square(s.along_u) + square(s.along_v);
  // Curvature times the length of the gradient; at most that of a pixel.
  s.curvature =
      std::clamp((uu * square(s.along_v) - 2 * uv * s.along_u * s.along_v + vv * square(s.along_u)) /
                     std::max(length, 1e-6F),
                 -1.F, 1.F);
  return s;
}

void find_band(const Patch& front, Band& band) {
  constexpr float half_width = 2.5;
  band.pixels.clear();
  for (int v = border; v < front.height - border; ++v) {
    for (int u = border; u < front.width - border; ++u) {
      const std::size_t at = front.at(u, v);
      if (std::abs(front.values[at]) < half_width) band.pixels.push_back(static_cast<std::uint32_t>(at));
    }
  }
}

void move(Patch& front, const Band& band) {
  constexpr float kept = 0.05F;
  for (std::size_t k = 0; k < band.pixels.size(); ++k) {
    float& value = front.values[band.pixels[k]];
    const float next = value + band.steps[k];
    const bool changes = is_inside(next) != is_inside(value);
    if (changes && !is_simple(&value, front.width)) {
      value = is_inside(value) ? -kept : kept;
    } else {
      value = next;
    }
  }
}

}  // namespace

const parameters::Schema<RibbonParameters>& ribbon_schema() {
  using parameters::field;
  using P = RibbonParameters;
  static const parameters::Schema<P> schema{std::vector<parameters::Field<P>>{
      field("membrane", &P::membrane, "Membrane", {{"dark", "Dark"}, {"bright", "Bright"}})
          .group("Neurons")
          .help("Whether membranes are darker or brighter than the inside of a neuron."),
      field("membrane-least", &P::least_width, "Least membrane")
          .unit("pixels")
          .range(0.5, 20)
          .usual(1, 5)
          .group("Neurons")
          .help("Least width of the membrane: the distance that its inner and outer border keep."),
      field("membrane-most", &P::most_width, "Largest membrane")
          .unit("pixels")
          .range(1, 20)
          .usual(2, 12)
          .group("Neurons")
          .help("Largest width of the membrane. Where cells meet, membranes seem wider than they are."),
      field("neuron-denoise", &P::denoise, "Denoise")
          .unit("pixels")
          .range(0, 10)
          .usual(0, 3)
          .group("Neurons")
          .help("Standard deviation of a Gaussian within each slice before membranes are searched."),
      field("neuron-image", &P::image, "Image")
          .range(0, 10)
          .usual(0, 3)
          .group("Neurons")
          .help("Weight of the image's values, which draw the outline to the membrane."),
      field("neuron-ribbon", &P::ribbon, "Membrane width")
          .range(0, 10)
          .usual(0, 3)
          .group("Neurons")
          .help("Weight of the limits of the membrane's width. It closes gaps of the membrane."),
      field("neuron-smoothness", &P::smoothness, "Smoothness")
          .range(0, 1)
          .usual(0, 1)
          .group("Neurons")
          .help("Weight of the curvature: large values give round outlines."),
      field("neuron-continuity", &P::continuity, "Continuity")
          .range(0, 10)
          .usual(0, 0.5)
          .group("Neurons")
          .help("Weight of the outline of the slice before, for each pixel of distance to it."),
      field("neuron-radius", &P::largest_radius, "Largest radius")
          .unit("pixels")
          .range(2, 2000)
          .usual(5, 200)
          .logarithmic()
          .group("Neurons")
          .help("Largest distance from a mark at which the membrane is searched."),
      field("neuron-move", &P::reach, "Largest move")
          .unit("pixels")
          .range(1, 100)
          .usual(2, 30)
          .group("Neurons")
          .help("Largest distance between a neuron's positions in neighbouring slices."),
  }};
  return schema;
}

float front_reach(const RibbonParameters& parameters) {
  return static_cast<float>(std::ceil(parameters.most_width)) + 3;
}

void make_distance(Patch& front, float reach) {
  const auto width = static_cast<std::ptrdiff_t>(front.width);
  std::vector<float> squares(front.values.size(), reach * reach);
  const int around = static_cast<int>(std::ceil(reach));
  for (int v = 1; v + 1 < front.height; ++v) {
    for (int u = 1; u + 1 < front.width; ++u) {
      const float* f = &front.values[front.at(u, v)];
      constexpr float near = 4;  // steeper functions than distances begin with, too
      if (std::abs(*f) > near) continue;
      const bool side = is_inside(*f);
      if (is_inside(f[-1]) == side && is_inside(f[1]) == side && is_inside(f[-width]) == side &&
          is_inside(f[width]) == side)
        continue;
      // The nearest point of the front: f / |grad f| along the gradient.
      const float along_u = 0.5F * (f[1] - f[-1]), along_v = 0.5F * (f[width] - f[-width]);
      const float length = std::max(along_u * along_u + along_v * along_v, 0.1F);
      const float du = std::clamp(-*f * along_u / length, -1.F, 1.F),
                  dv = std::clamp(-*f * along_v / length, -1.F, 1.F);
      const int top = std::max(v - around, 0), bottom = std::min(v + around, front.height - 1),
                first = std::max(u - around, 0), last = std::min(u + around, front.width - 1);
      for (int y = top; y <= bottom; ++y) {
        const float to_v = static_cast<float>(y - v) - dv;
        float* row = squares.data() + front.at(0, y);
        for (int x = first; x <= last; ++x) {
          const float to_u = static_cast<float>(x - u) - du;
          row[x] = std::min(row[x], to_u * to_u + to_v * to_v);
        }
      }
    }
  }
  constexpr float least = 1e-3F;  // a pixel keeps its side
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const float distance = std::max(std::sqrt(squares[i]), least);
    front.values[i] = is_inside(front.values[i]) ? -distance : distance;
  }
}

int settle(Ribbon& ribbon, const Patch& image, const Levels& levels, const RibbonParameters& parameters,
           const Patch* before) {
  constexpr int most_steps = 100, between = 4;
  constexpr float step = 0.5F, fastest = 1.5F;
  const auto middle = static_cast<float>(0.5 * (levels.inside + levels.membrane)),
             scale = static_cast<float>(2 / (levels.inside - levels.membrane));
  const auto of_image = static_cast<float>(parameters.image),
             of_width = static_cast<float>(parameters.ribbon),
             of_curvature = static_cast<float>(parameters.smoothness),
             of_before = static_cast<float>(parameters.continuity),
             least = static_cast<float>(parameters.least_width),
             most = static_cast<float>(parameters.most_width);
  Band inner, outer;
  const auto find_steps = [&](const Patch& front, const Patch& other, bool is_inner, Band& band) {
    band.steps.resize(band.pixels.size());
    for (std::size_t k = 0; k < band.pixels.size(); ++k) {
      const std::size_t at = band.pixels[k];
      const Slopes slopes = slopes_at(&front.values[at], front.width);
      const float value = std::clamp((image.values[at] - middle) * scale, -1.F, 1.F);
      // Inside of the outer front, the inner one has this distance to it; the other way round likewise.
      const float gap = is_inner ? -other.values[at] : other.values[at];
      const float wanted = std::max(gap - most, 0.F) - std::max(least - gap, 0.F);
      float speed = is_inner ? of_image * value + of_width * wanted : -of_image * value - of_width * wanted;
      if (is_inner && before != nullptr) speed += of_before * (front.values[at] - before->values[at]);
      speed = std::clamp(speed, -fastest, fastest);
      band.steps[k] =
          step * (of_curvature * slopes.curvature - speed * (speed > 0 ? slopes.outward : slopes.inward));
    }
  };
  double last_inner = 0, last_outer = 0;
  for (int i = 0; i < most_steps; ++i) {
    if (i % between == 0) {
      make_distance(ribbon.inner, ribbon.reach);
      make_distance(ribbon.outer, ribbon.reach);
      find_band(ribbon.inner, inner);
      find_band(ribbon.outer, outer);
      const double now_inner = area_of(ribbon.inner), now_outer = area_of(ribbon.outer);
      constexpr double rest = 2e-3;
      if (i > 0 && std::abs(now_inner - last_inner) <= rest * now_inner &&
          std::abs(now_outer - last_outer) <= rest * now_outer)
        return i;
      last_inner = now_inner;
      last_outer = now_outer;
    }
    find_steps(ribbon.inner, ribbon.outer, true, inner);
    find_steps(ribbon.outer, ribbon.inner, false, outer);
    move(ribbon.inner, inner);
    move(ribbon.outer, outer);
  }
  make_distance(ribbon.inner, ribbon.reach);
  make_distance(ribbon.outer, ribbon.reach);
  return most_steps;
}

double area_of(const Patch& front) {
  double area = 0;
  for (const float each : front.values) area += static_cast<double>(std::clamp(0.5F - each, 0.F, 1.F));
  return area;
}

}  // namespace isolume::neurons
