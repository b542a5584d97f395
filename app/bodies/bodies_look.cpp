#include "app/bodies/bodies_look.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <Eigen/Core>
#include <fmt/format.h>

#include "app/bodies/densities.h"
#include "app/opengl/colours.h"

namespace isolume::bodies {
namespace {

/// Size of the sample from which the range of all values is estimated.
constexpr std::size_t most_sampled = 2000;
std::size_t stride_of_sample(std::size_t values) {
  return values / most_sampled + 1;
}

/// From the 2nd to the 98th percentile of a sample, rounded outwards; of few values, all.
std::array<float, 2> usual_range(std::vector<float> sample) {
  constexpr std::size_t few = 100;
  if (sample.empty()) return {0, 1};
  std::ranges::sort(sample);
  if (sample.size() < few) return {sample.front(), sample.back()};
  const auto last = static_cast<double>(sample.size() - 1);
  return {sample[static_cast<std::size_t>(std::floor(0.02 * last))],
          sample[static_cast<std::size_t>(std::ceil(0.98 * last))]};
}

/// For each origin, whether it is dark matter. If all bodies are dark matter, none counts as dark, so that
/// they are shown.
std::vector<bool> dark_origins(const nbody::BodyLabels& labels) {
  std::vector<bool> dark;
  for (const std::string& origin : labels.origins) dark.push_back(origin.ends_with("halo"));
  if (std::ranges::find(dark, false) == dark.end()) dark.assign(dark.size(), false);
  return dark;
}

Sizes resolved_sizes(const nbody::BodyLabels& labels, Sizes sizes) {
  if (sizes == Sizes::automatic) return labels.radius.empty() ? Sizes::light : Sizes::compressed;
  // True scale needs known radii.
  if (sizes == Sizes::to_scale && labels.radius.empty()) return Sizes::compressed;
  return sizes;
}

void set_volumes(SteadyBodies& steady) {
  if (steady.sizes == Sizes::light) return;
  const auto& labels = *steady.labels;
  const auto volume_of = [&](std::size_t i) -> double {
    if (labels.radius.empty()) return labels.mass[i];
    return std::pow(labels.radius[i], 3);
  };
  double largest = 0;
  for (const std::uint32_t i : steady.numbers) largest = std::max(largest, volume_of(i));
  for (const std::uint32_t i : steady.numbers) {
    const double volume = volume_of(i);
    const bool compressed = steady.sizes == Sizes::compressed;
    steady.volumes.push_back(
        static_cast<float>(compressed && largest > 0 ? std::cbrt(volume / largest) : volume));
  }
}

}  // namespace

std::shared_ptr<const SteadyBodies> steady_bodies(const std::shared_ptr<const nbody::BodyLabels>& labels,
                                                  const BodiesLook& look,
                                                  const std::shared_ptr<const SteadyBodies>& before) {
  const Sizes sizes = resolved_sizes(*labels, look.sizes);
  if (before && before->labels == labels && before->colour_by == look.colour_by &&
      before->halo == look.halo && before->sizes == sizes) {
    return before;
  }
  static const std::size_t colours = opengl::distinct_colours().size();
  const std::vector<bool> dark = dark_origins(*labels);
  auto steady = std::make_shared<SteadyBodies>();
  steady->labels = labels;
  steady->colour_by = look.colour_by;
  steady->halo = look.halo;
  steady->sizes = sizes;
  for (std::size_t i = 0; i < labels->mass.size(); ++i) {
    const bool is_dark = dark[labels->origin[i]];
    if (is_dark && look.halo == 0) continue;
    steady->masses.push_back(labels->mass[i] * (is_dark ? static_cast<float>(look.halo) : 1.0F));
    steady->numbers.push_back(static_cast<std::uint32_t>(i));
    if (look.colour_by == ColourBy::origin)
      steady->values.push_back(static_cast<float>(labels->origin[i] % colours));
    if (look.colour_by == ColourBy::id) steady->values.push_back(static_cast<float>(labels->id[i] % colours));
  }
  set_volumes(*steady);
  steady->named = nbody::named_bodies(*labels);
  return steady;
}

nbody::ShownUnit density_unit(const nbody::Units& units, int power) {
  const auto [mass, mass_name] = mass_unit(units);
  const auto [length, length_name] = length_unit(units);
  return {mass / units.gravitation / std::pow(length, power),
          fmt::format("{}/{}^{}", mass_name, length_name, power)};
}

nbody::ShownUnit colour_unit(const std::optional<nbody::Units>& units, ColourBy by) {
  if (!units) return {1, "G = 1"};
  if (by == ColourBy::density) return density_unit(*units, 3);
  nbody::ShownUnit speed = speed_unit(*units);
  if (by != ColourBy::potential) return speed;
  return {speed.size * speed.size, fmt::format("({})^2", speed.name)};
}

const dispatch::LazyValues* values_of(const nbody::NBodyFrame& frame, ColourBy by) {
  if (by == ColourBy::speed) return &frame.speeds;
  return by == ColourBy::potential ? &frame.potentials : nullptr;
}

std::array<float, 2> colour_range(const nbody::NBodyFrame& frame, const SteadyBodies& steady) {
  if (steady.distinct()) return {0, static_cast<float>(opengl::distinct_colours().size() - 1)};
  std::vector<std::uint32_t> sampled;
  const std::size_t stride = stride_of_sample(steady.numbers.size());
  for (std::size_t i = 0; i < steady.numbers.size(); i += stride) sampled.push_back(steady.numbers[i]);
  return usual_range(values_of(frame, steady.colour_by)->at(sampled));
}

FirstRegion first_region(std::span<const float> positions, std::span<const float> masses) {
  const auto count = static_cast<Eigen::Index>(positions.size() / 3);
  if (count == 0) return {};
  const Eigen::Map<const Eigen::Matrix3Xf> places(positions.data(), 3, count);
  const Eigen::Map<const Eigen::VectorXf> weights(masses.data(), count);
  const float mass = weights.sum();
  // Of dark matter that is not drawn, no light weighs anything.
  const Eigen::Vector3f centre =
      mass > 0 ? Eigen::Vector3f(places * weights / mass) : Eigen::Vector3f(places.rowwise().mean());
  Eigen::VectorXf distances = (places.colwise() - centre).colwise().norm();
  float* ninth = distances.data() + count * 9 / 10;
  std::nth_element(distances.data(), ninth, distances.data() + count);
  return {centre, *ninth};
}

double largest_sphere(std::span<const float> positions, double extent) {
  constexpr std::size_t most_compared = 2000;
  constexpr double part = 0.4;
  const auto count = static_cast<Eigen::Index>(positions.size() / 3);
  const Eigen::Map<const Eigen::Matrix3Xf> places(positions.data(), 3, count);
  const double mean = 2 * extent / std::cbrt(std::max<double>(1, static_cast<double>(count)));
  if (count < 2 || positions.size() / 3 > most_compared) return part * mean;
  float least = std::numeric_limits<float>::infinity();
  for (Eigen::Index i = 1; i < count; ++i)
    least =
        std::min(least, (places.leftCols(i).colwise() - places.col(i)).colwise().squaredNorm().minCoeff());
  return least > 0 ? part * std::sqrt(least) : part * mean;
}

double unit_of_spheres(const SteadyBodies& steady, const BodiesLook& look, double largest) {
  return look.size * (steady.sizes == Sizes::compressed ? largest : 1);
}

SphereLook sphere_look(const SteadyBodies& steady, const BodiesLook& look, double largest) {
  constexpr double light = 1.5;  // below white at exposure 1
  const double sum = std::accumulate(steady.volumes.begin(), steady.volumes.end(), 0.0);
  const double mean = sum / static_cast<double>(std::max<std::size_t>(1, steady.volumes.size()));
  // points.vert expects the radius of a point of mean volume.
  return {static_cast<float>(unit_of_spheres(steady, look, largest) * std::cbrt(mean)),
          static_cast<float>(light * look.brightness)};
}

DrawnBodies drawn_bodies(const nbody::NBodyFrame& frame, const SteadyBodies& steady) {
  DrawnBodies drawn;
  const std::vector<float>& positions = frame.positions.host();
  drawn.positions.reserve(3 * steady.numbers.size());
  for (const std::size_t i : steady.numbers)
    drawn.positions.insert(drawn.positions.end(), &positions[3 * i], &positions[3 * i] + 3);
  if (const auto* values = values_of(frame, steady.colour_by)) {
    drawn.values = values->at(steady.numbers);
    drawn.range = colour_range(frame, steady);
  } else if (steady.distinct()) {
    drawn.range = colour_range(frame, steady);
  } else {
    drawn.values = densities(drawn.positions, steady.masses);
    drawn.logarithmic = true;
    std::vector<float> sample;
    for (std::size_t i = 0; i < drawn.values.size(); i += stride_of_sample(drawn.values.size()))
      sample.push_back(drawn.values[i]);
    drawn.range = usual_range(std::move(sample));
  }
  return drawn;
}

}  // namespace isolume::bodies
