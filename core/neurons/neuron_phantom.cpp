#include "core/neurons/neuron_phantom.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include <tbb/blocked_range.h>

#include "core/base/handover.h"
#include "core/base/philox.h"

namespace isolume::neurons {

NeuronPhantom neuron_phantom(int side, int slices, std::uint64_t seed) {
  constexpr double membrane = 3, cell = 32, noise = 0.05;
  NeuronPhantom phantom;
  phantom.grid.dimensions = {side, side, slices};
  phantom.grid.unit = grid::LengthUnit::millimetre;
  phantom.grid.frame = grid::Frame::patient;
  phantom.grid.step = Eigen::Vector3d(1e-5, 1e-5, 3e-5).asDiagonal();
  Random random(seed, 0);
  // Drift of each slice: a random walk that the position of the first slice holds back.
  std::vector<Eigen::Vector2d> drift{Eigen::Vector2d::Zero()};
  std::vector<double> brightness{0};
  for (int s = 1; s < slices; ++s) {
    drift.push_back(0.9 * drift.back() +
                    2 * Eigen::Vector2d(2 * random.uniform() - 1, 2 * random.uniform() - 1));
    brightness.push_back(0.05 * (2 * random.uniform() - 1));
  }
  // Pairs of fibres in cells of a coarse grid: those of a pair wind around each other by half a turn.
  const int pairs = std::max(side / static_cast<int>(2 * cell), 1);
  const double pitch = static_cast<double>(side) / pairs;
  for (int row = 0; row < pairs; ++row) {
    for (int column = 0; column < pairs; ++column) {
      const Eigen::Vector2d middle((column + 0.5) * pitch, (row + 0.5) * pitch);
      const double angle = 2 * std::numbers::pi * random.uniform(),
                   turn = (row + column) % 2 == 0 ? std::numbers::pi : 0.6;
      const std::array<double, 2> sizes{7 + 4 * random.uniform(), 7 + 4 * random.uniform()};
      const std::array<double, 2> waves{random.uniform(), random.uniform()};
      for (std::size_t k = 0; k < 2; ++k) {
        PhantomAxon axon;
        const double away = 0.5 * (sizes[0] + sizes[1] + membrane + 1) * (k == 0 ? 1 : -1);
        for (int s = 0; s < slices; ++s) {
          const double along = slices > 1 ? static_cast<double>(s) / (slices - 1) : 0;
          const double now = angle + turn * along;
          axon.centres.push_back(middle + away * Eigen::Vector2d(std::cos(now), std::sin(now)) +
                                 drift[static_cast<std::size_t>(s)]);
          axon.radii.push_back(sizes[k] *
                               (0.92 + 0.08 * std::sin(2 * std::numbers::pi * (along + waves[k]))));
        }
        phantom.axons.push_back(std::move(axon));
      }
    }
  }
  struct Body {
    std::size_t axon;
    double from, to, radius;
    Eigen::Vector2d offset;
  };
  std::vector<Body> mitochondria;
  for (std::size_t a = 0; a < phantom.axons.size(); a += 2) {
    const double from = slices * (0.1 + 0.6 * random.uniform()),
                 angle = 2 * std::numbers::pi * random.uniform();
    mitochondria.push_back(
        {a, from, from + 0.2 * slices, 2.5, 2.5 * Eigen::Vector2d(std::cos(angle), std::sin(angle))});
  }
  phantom.values.resize(phantom.grid.point_count());
  handover::parallel_for(tbb::blocked_range<int>(0, slices), [&](const auto& range) {
    for (int s = range.begin(); s != range.end(); ++s) {
      const auto slice = static_cast<std::size_t>(s);
      // Part of a pixel that a border at a distance covers.
      const auto cover = [](double distance) { return std::clamp(0.5 - distance, 0.0, 1.0); };
      for (int y = 0; y < side; ++y) {
        Random noise_of(seed, slice * static_cast<std::size_t>(side) + static_cast<std::size_t>(y) + 1, 1);
        for (int x = 0; x < side; ++x) {
          const Eigen::Vector2d at(x, y);
          double value = 0.6, nearest = 1e9;
          for (const PhantomAxon& axon : phantom.axons) {
            const double distance = (at - axon.centres[slice]).norm() - axon.radii[slice];
            nearest = std::min(nearest, distance);
          }
          constexpr double inside = 0.8, dark = 0.2;
          const double in_membrane = cover(nearest - membrane), in_axon = cover(nearest);
          value += (dark - value) * in_membrane;
          value += (inside - value) * in_axon;
          for (const Body& each : mitochondria) {
            if (s < each.from || s > each.to) continue;
            const double distance =
                (at - phantom.axons[each.axon].centres[slice] - each.offset).norm() - each.radius;
            value += (0.55 - value) * cover(distance);
          }
          value += brightness[slice] + noise * noise_of.normal();
          phantom.values[(slice * static_cast<std::size_t>(side) + static_cast<std::size_t>(y)) *
                             static_cast<std::size_t>(side) +
                         static_cast<std::size_t>(x)] = static_cast<float>(value);
        }
      }
    }
  });
  return phantom;
}

}  // namespace isolume::neurons
