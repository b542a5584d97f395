#include "app/bodies/bodies_look.h"

#include <algorithm>
#include <array>

#include "app/bodies/densities.h"
#include "app/opengl/colours.h"

namespace isolume::bodies {
namespace {

/// Between which nearly all of them lie: 2 and 98 % of a sample.
std::array<float, 2> usual_range(std::span<const float> values) {
  constexpr std::size_t most = 2000;
  std::vector<float> sample;
  for (std::size_t i = 0; i < values.size(); i += values.size() / most + 1) sample.push_back(values[i]);
  if (sample.empty()) return {0, 1};
  const auto part = [&](double fraction) {
    const auto place =
        sample.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(sample.size() - 1));
    std::nth_element(sample.begin(), place, sample.end());
    return *place;
  };
  return {part(0.02), part(0.98)};
}

/// For each origin, whether it is dark matter. Where there is nothing else, as in a snapshot of dark matter, it is what is
/// shown.
std::vector<bool> dark_origins(const nbody::BodyLabels& labels) {
  std::vector<bool> dark;
  for (const std::string& origin : labels.origins) dark.push_back(origin.ends_with("halo"));
  if (std::ranges::find(dark, false) == dark.end()) dark.assign(dark.size(), false);
  return dark;
}

/// What colours go by, of one body.
float value_of(const nbody::NBodyFrame& frame, ColourBy by, std::size_t body, std::size_t colours) {
  switch (by) {
    case ColourBy::speed:
      return frame.speeds[body];
    case ColourBy::density:
      break;  // of all bodies at once
    case ColourBy::potential:
      return frame.potentials[body];
    case ColourBy::origin:
      return static_cast<float>(frame.labels->origin[body] % colours);
    case ColourBy::id:
      return static_cast<float>(frame.labels->id[body] % colours);
  }
  return 0;
}

}  // namespace

const parameters::Schema<BodiesLook>& bodies_look_schema() {
  using L = BodiesLook;
  using parameters::field;
  static const parameters::Schema<L> schema(
      {field("colour-by", &L::colour_by, "Colour by",
             {{"speed", "Speed"},
              {"density", "Density"},
              {"potential", "Potential"},
              {"origin", "Origin"},
              {"id", "Number"}})
           .group("Picture")
           .help("What the colours of the bodies tell."),
       field("brightness", &L::brightness, "Brightness")
           .range(0.01, 100)
           .usual(0.1, 10)
           .logarithmic()
           .group("Picture")
           .help("Light of all bodies together."),
       field("body-size", &L::size, "Size")
           .formerly("size")
           .range(0.05, 50)
           .usual(0.2, 10)
           .logarithmic()
           .group("Picture")
           .help("Of a body; its light stays the same."),
       field("exposure", &L::exposure, "Exposure")
           .range(0.01, 100)
           .usual(0.1, 10)
           .logarithmic()
           .group("Picture")
           .help("How soon light is white."),
       field("halo", &L::halo, "Dark matter")
           .range(0, 1)
           .group("Picture")
           .help("Light that dark matter is given for its mass; 0: it is not shown.")});
  return schema;
}

DrawnBodies drawn_bodies(const nbody::NBodyFrame& frame, const BodiesLook& look) {
  static const std::size_t colours = opengl::distinct_colours().size();
  const std::vector<bool> dark = dark_origins(*frame.labels);
  DrawnBodies drawn;
  drawn.distinct = look.colour_by == ColourBy::origin || look.colour_by == ColourBy::id;
  for (std::size_t i = 0; i < frame.size(); ++i) {
    const bool is_dark = dark[frame.labels->origin[i]];
    if (is_dark && look.halo == 0) continue;
    drawn.positions.insert(drawn.positions.end(), &frame.positions[3 * i], &frame.positions[3 * i] + 3);
    drawn.masses.push_back(frame.labels->mass[i] * (is_dark ? static_cast<float>(look.halo) : 1.0F));
    drawn.values.push_back(value_of(frame, look.colour_by, i, colours));
    drawn.numbers.push_back(static_cast<std::uint32_t>(i));
  }
  if (look.colour_by == ColourBy::density) {
    drawn.values = densities(drawn.positions, drawn.masses);
    drawn.logarithmic = true;
  }
  drawn.range =
      drawn.distinct ? std::array{0.0F, static_cast<float>(colours - 1)} : usual_range(drawn.values);
  return drawn;
}

}  // namespace isolume::bodies
