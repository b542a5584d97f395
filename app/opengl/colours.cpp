#include "app/opengl/colours.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/viridis.h"

namespace isolume::opengl {
namespace {

constexpr std::size_t entries = 256;

float linear(double srgb) {
  return static_cast<float>(srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4));
}

std::array<double, 3> parts(std::uint32_t srgb) {
  return {(srgb >> 16) / 255.0, (srgb >> 8 & 0xffU) / 255.0, (srgb & 0xffU) / 255.0};
}

}  // namespace

Vector3 light_of(std::uint32_t srgb) {
  const auto from = parts(srgb);
  return {linear(from[0]), linear(from[1]), linear(from[2])};
}

std::vector<Vector3> sequential_colours() {
  std::vector<Vector3> colours(entries);
  for (std::size_t i = 0; i < entries; ++i) {
    const double place = static_cast<double>(i * (viridis.size() - 1)) / (entries - 1);
    const auto first = std::min(static_cast<std::size_t>(place), viridis.size() - 2);
    const auto low = parts(viridis[first]), high = parts(viridis[first + 1]);
    for (std::size_t c = 0; c < 3; ++c)
      colours[i][c] = linear(std::lerp(low[c], high[c], place - static_cast<double>(first)));
  }
  return colours;
}

std::vector<Vector3> distinct_colours() {
  std::vector<Vector3> colours;
  for (const std::uint32_t each : {0x56b4e9U, 0xe69f00U, 0xcc79a7U, 0xf0e442U, 0x009e73U, 0xd55e00U})
    colours.push_back(light_of(each));
  return colours;
}

}  // namespace isolume::opengl
