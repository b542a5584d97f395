#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/fourier/mesh_transform.h"
#include "core/nbody/scenes/power_spectrum.h"
#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {
namespace {

using fourier::MeshTransform;
using Complex = MeshTransform::Complex;
using Wave = std::array<int, 3>;

/// Independent of the lattice: each component has 21 bits.
std::uint64_t number_of(const Wave& wave) {
  std::uint64_t number = 0;
  for (const int each : wave) number = number << 21 | static_cast<std::uint64_t>(each + (1 << 20));
  return number;
}

/// Drawn from the normal distribution with variance 1; the opposite wave has the complex conjugate.
Complex random_amplitude(std::uint64_t seed, const Wave& wave) {
  const auto [x, y, z] = wave;
  const bool first = z > 0 || (z == 0 && (y > 0 || (y == 0 && x > 0)));
  Random random(seed, number_of(first ? wave : Wave{-x, -y, -z}));
  const double real = random.normal() * std::numbers::sqrt2 / 2,
               imaginary = random.normal() * std::numbers::sqrt2 / 2;
  return {real, first ? imaginary : -imaginary};
}

/// Linear-theory displacements at the lattice points, today, one axis after the other.
class Displacements {
 public:
  Displacements(const SceneOptions& options, const PowerSpectrum& spectrum)
      : transform_(fourier::cube(static_cast<std::size_t>(options.particles_per_side))),
        side_(options.box_size),
        contrast_(transform_.modes()) {
    const double volume = side_ * side_ * side_;
    for_each_mode([&](const Wave& wave, std::size_t at) {
      const double amplitude = std::sqrt(spectrum(wave_number(wave)) / volume);
      contrast_[at] = amplitude * random_amplitude(static_cast<std::uint64_t>(options.seed), wave);
    });
  }

  /// In Mpc/h. Their divergence is minus the density contrast.
  std::vector<double> along(std::size_t axis) const {
    std::vector<Complex> modes(contrast_.size());
    const double unit = 2 * std::numbers::pi / side_;
    for_each_mode([&](const Wave& wave, std::size_t at) {
      const double k = wave_number(wave);
      modes[at] = Complex(0, unit * wave[axis] / (k * k)) * contrast_[at];
    });
    std::vector<double> values(transform_.values());
    transform_.inverse(modes, values);
    return values;
  }

 private:
  double wave_number(const Wave& wave) const {
    const auto [x, y, z] = wave;
    return 2 * std::numbers::pi / side_ * std::sqrt(x * x + y * y + z * z);
  }
  /// Skips the mean and the Nyquist waves, whose direction the lattice cannot resolve.
  template <class Act>
  void for_each_mode(const Act& act) const {
    const std::size_t n = transform_.sides()[0], deep = transform_.depth();
    handover::parallel_for(tbb::blocked_range<std::size_t>(0, n), [&](const auto& part) {
      for (std::size_t x = part.begin(); x != part.end(); ++x) {
        for (std::size_t y = 0; y < n; ++y) {
          for (std::size_t z = 0; z < deep; ++z) {
            if (x + y + z == 0 || 2 * x == n || 2 * y == n || 2 * z == n) continue;
            act({transform_.wave_number(x, 0), transform_.wave_number(y, 1), static_cast<int>(z)},
                (x * n + y) * deep + z);
          }
        }
      }
    });
  }

  MeshTransform transform_;
  double side_;
  std::vector<Complex> contrast_;
};

}  // namespace

InitialConditions cosmological_box(const SceneOptions& options) {
  const auto n = static_cast<std::size_t>(options.particles_per_side);
  if (!fourier::suits_transform(n)) {
    throw Error(
        fmt::format("A box cannot have {} bodies to a side, as its waves are made by Fourier transforms. "
                    "Give an even number without prime factors above 5: {} is the next.",
                    n, fourier::next_transform_side(n)));
  }
  constexpr std::size_t bytes_a_body = 100;
  dispatch::require_memory(fmt::format("A box of {0} × {0} × {0} bodies", n), n * n * n * bytes_a_body,
                           "Take fewer bodies to a side.");
  const Cosmology cosmology{options.omega_matter, options.omega_lambda, options.hubble};
  const PowerSpectrum spectrum({cosmology, options.omega_baryon, options.sigma_8, options.spectral_index});
  const Displacements displacements(options, spectrum);
  InitialConditions start;
  start.box = ComovingBox{options.box_size, cosmology};
  start.origins = {"matter"};
  const double a = 1 / (1 + options.start_redshift), spacing = options.box_size / static_cast<double>(n);
  start.time = std::log(a);
  // Two hundred steps of equal length in ln a lead to today.
  start.time_step = -start.time / 200;
  start.softening = usual_softening(*start.box, n * n * n);
  const double grown = cosmology.growth(a) / cosmology.growth(1);
  const double speed = a * cosmology.expansion_rate(a) * cosmology.growth_rate(a);
  Bodies& bodies = start.bodies;
  bodies.mass.assign(n * n * n, start.box->mass() / static_cast<double>(n * n * n));
  const std::array places{&bodies.x, &bodies.y, &bodies.z};
  const std::array velocities{&bodies.vx, &bodies.vy, &bodies.vz};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::vector<double> moved = displacements.along(axis);
    places[axis]->resize(moved.size());
    velocities[axis]->resize(moved.size());
    for (std::size_t i = 0; i < moved.size(); ++i) {
      const std::size_t index = std::array{i / (n * n), i / n % n, i % n}[axis];
      const double by = grown * moved[i];
      (*places[axis])[i] = wrapped(static_cast<double>(index) * spacing + by, options.box_size);
      (*velocities[axis])[i] = speed * by;
    }
  }
  return start;
}

}  // namespace isolume::nbody
