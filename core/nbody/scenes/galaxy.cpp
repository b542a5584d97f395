#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numbers>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {

using Eigen::Vector3d;
using std::numbers::pi;

namespace {

// In units of the disc's mass and scale length.
constexpr double bulge_mass = 0.25, bulge_length = 0.2;
constexpr double halo_mass = 8, halo_length = 4;
constexpr double halo_end = 60;  ///< halo and bulge are truncated here
constexpr double disc_height = 0.1;
constexpr double disc_end = 10;

/// Truncated Hernquist spheres.
double hernquist_mass(double mass, double length, double radius) {
  const double part = std::min(radius, halo_end) / (std::min(radius, halo_end) + length);
  return mass * part * part;
}
double disc_mass(double radius) {
  return 1 - (1 + radius) * std::exp(-radius);
}
double mass_within(double radius) {
  return hernquist_mass(bulge_mass, bulge_length, radius) + hernquist_mass(halo_mass, halo_length, radius) +
         disc_mass(radius);
}

/// One-dimensional velocity dispersion of a sphere in equilibrium in the potential of all mass, with the disc treated
/// as a sphere, too; from the Jeans equation, tabulated (Hernquist, ApJS 86, 389 (1993)).
class Dispersion {
 public:
  explicit Dispersion(double length) {
    const auto density = [length](double r) { return 1 / (r * std::pow(r + length, 3)); };
    double pressure = 0, before = halo_end;
    squares_.resize(count);
    for (std::size_t i = count; i-- > 0;) {
      const double r = radius(static_cast<double>(i));
      constexpr int parts = 8;
      for (int k = 0; k < parts; ++k) {  // in equal logarithmic steps
        const double ratio = std::pow(before / r, 1.0 / parts), at = r * std::pow(ratio, k + 0.5);
        pressure += density(at) * mass_within(at) / (at * at) * at * std::log(ratio);
      }
      before = r;
      squares_[i] = pressure / density(r);
    }
  }
  double square(double r) const {
    const double at = std::clamp(std::log(r / first) / std::log(halo_end / first), 0.0, 1.0) * (count - 1);
    const auto i = std::min(static_cast<std::size_t>(at), count - 2);
    return std::lerp(squares_[i], squares_[i + 1], at - static_cast<double>(i));
  }

 private:
  static constexpr std::size_t count = 400;
  static constexpr double first = 1e-3;
  static double radius(double i) { return first * std::pow(halo_end / first, i / (count - 1)); }

  std::vector<double> squares_;
};

/// Escape speed: from the potential of all mass as a sphere.
double escape_speed(double radius) {
  // Integral of M(r) / r^2; the disc's mass beyond the radius is treated as shells.
  const auto hernquist = [&](double mass, double length) {
    return mass * (1 / (radius + length) - 1 / (halo_end + length)) +
           hernquist_mass(mass, length, halo_end) / halo_end;
  };
  const double disc = (1 - std::exp(-radius)) / radius;
  return std::sqrt(2 * (hernquist(bulge_mass, bulge_length) + hernquist(halo_mass, halo_length) + disc));
}

/// Dispersion of normal velocities before truncation at `limit`, such that the truncated distribution has this
/// variance in each direction. Without it, halos lose a tenth of their kinetic energy.
double spread_below(double limit, double variance) {
  double spread = std::sqrt(variance);
  for (int i = 0; i < 30; ++i) {
    const double x = limit / spread, tail = std::sqrt(2 / pi) * x * std::exp(-x * x / 2);
    const double within = std::erf(x / std::numbers::sqrt2) - tail;  // with three degrees of freedom
    spread = std::sqrt(variance * within / (within - tail * x * x / 3));
  }
  return std::min(spread, limit);
}

BodyState sphere_body(double length, const Dispersion& dispersion, Random& random) {
  const double most = std::sqrt(hernquist_mass(1, length, halo_end));
  const double root = most * std::sqrt(random.uniform()), radius = length * root / (1 - root);
  const Vector3d place = radius * random_direction(random);
  const double limit = 0.95 * escape_speed(radius), spread = spread_below(limit, dispersion.square(radius));
  for (;;) {
    const double vx = random.normal(), vy = random.normal(), vz = random.normal();
    const Vector3d velocity = spread * Vector3d(vx, vy, vz);
    if (velocity.norm() < limit) return {place, velocity};
  }
}

/// Circular speed squared. For the disc: Freeman, ApJ 160, 811 (1970).
double circular_speed_squared(double radius) {
  const double y = radius / 2;
  const double disc =
      2 * y * y *
      (std::cyl_bessel_i(0, y) * std::cyl_bessel_k(0, y) - std::cyl_bessel_i(1, y) * std::cyl_bessel_k(1, y));
  return disc + (mass_within(radius) - disc_mass(radius)) / radius;
}
/// Epicycle frequency squared, in radians per unit of time.
double epicycle_frequency_squared(double radius) {
  const double h = 1e-4 * radius;
  const auto turns = [](double r) { return circular_speed_squared(r) / (r * r); };
  return radius * (turns(radius + h) - turns(radius - h)) / (2 * h) + 4 * turns(radius);
}
double surface_density(double radius) {
  return std::exp(-radius) / (2 * pi);
}

/// Velocity dispersions in the epicycle approximation (Binney, Tremaine, Galactic Dynamics, 4.4.3): the radial one
/// gives the requested Q at 2.5 scale lengths and scales with the root of the surface density elsewhere.
class Disc {
 public:
  explicit Disc(double toomre) {
    constexpr double where = 2.5;
    const double spread =
        toomre * 3.36 * surface_density(where) / std::sqrt(epicycle_frequency_squared(where));
    radial_squared_ = spread * spread / std::exp(-where);
  }
  BodyState body(Random& random) const {
    const double radius = radius_of(random.uniform() * disc_mass(disc_end));
    const double angle = 2 * pi * random.uniform();
    const double height = disc_height * std::atanh(2 * random.uniform() - 1);
    const double circular = circular_speed_squared(radius), around = circular / (radius * radius);
    const double swing = epicycle_frequency_squared(radius);
    // The epicycle approximation fails near the centre: dispersions are limited to the circular speed.
    const double radial = std::min(radial_squared_ * std::exp(-radius), 0.5 * circular);
    const double drift = radial * (1 - swing / (4 * around) - 2 * radius);
    const double mean = std::sqrt(std::max(0.0, circular + drift));
    const double u = random.normal(), v = random.normal(), w = random.normal();
    const double out = std::sqrt(radial) * u, along = mean + std::sqrt(radial * swing / (4 * around)) * v;
    const double up = std::sqrt(pi * surface_density(radius) * disc_height) * w;
    const double c = std::cos(angle), s = std::sin(angle);
    return {{radius * c, radius * s, height}, {out * c - along * s, out * s + along * c, up}};
  }

 private:
  static double radius_of(double mass) {
    double low = 0, high = disc_end;
    for (int i = 0; i < 50; ++i) {
      const double middle = 0.5 * (low + high);
      (disc_mass(middle) < mass ? low : high) = middle;
    }
    return std::max(0.5 * (low + high), 1e-4);
  }
  double radial_squared_ = 0;
};

}  // namespace

double galaxy_mass() {
  return disc_mass(disc_end) + hernquist_mass(bulge_mass, bulge_length, halo_end) +
         hernquist_mass(halo_mass, halo_length, halo_end);
}

InitialConditions galaxy(std::size_t bodies, std::uint64_t seed, std::uint32_t purpose, double toomre) {
  if (bodies < 10) {
    throw Error(
        fmt::format("A galaxy of {} bodies has no disc, bulge and halo. Give 10 bodies or more.", bodies));
  }
  InitialConditions start;
  const std::size_t disc = bodies / 2, bulge = bodies / 10, halo = bodies - disc - bulge;
  const Disc flat(toomre);
  const Dispersion in_bulge(bulge_length), in_halo(halo_length);
  add_bodies(
      disc, disc_mass(disc_end), seed, purpose, [&](Random& random) { return flat.body(random); },
      start.bodies);
  add_bodies(
      bulge, hernquist_mass(bulge_mass, bulge_length, halo_end), seed, purpose + 1,
      [&](Random& random) { return sphere_body(bulge_length, in_bulge, random); }, start.bodies);
  add_bodies(
      halo, hernquist_mass(halo_mass, halo_length, halo_end), seed, purpose + 2,
      [&](Random& random) { return sphere_body(halo_length, in_halo, random); }, start.bodies);
  centre(start.bodies);
  start.origins = {"disc", "bulge", "halo"};
  start.origin.assign(disc, 0);
  start.origin.insert(start.origin.end(), bulge, 1);
  start.origin.insert(start.origin.end(), halo, 2);
  // With few bodies, masses are large and encounters fast: with less softening, the energy drifts noticeably within
  // minutes.
  constexpr double many = 5000;
  start.softening = 0.05 * std::max(1.0, std::sqrt(many / static_cast<double>(bodies)));
  start.time_step = 0.02;
  start.units = disc_units();
  return start;
}

namespace {

/// Scales the mass by this factor, keeping the disc's surface density.
void scale_galaxy(Bodies& bodies, double mass) {
  const double length = std::sqrt(mass), speed = std::sqrt(mass / length);
  for (double& value : bodies.mass) value *= mass;
  for (auto* values : {&bodies.x, &bodies.y, &bodies.z}) {
    for (double& value : *values) value *= length;
  }
  for (auto* values : {&bodies.vx, &bodies.vy, &bodies.vz}) {
    for (double& value : *values) value *= speed;
  }
}

void put_galaxy(const Bodies& galaxy, const Eigen::Matrix3d& turn, const BodyState& at, Bodies& to) {
  for (std::size_t i = 0; i < galaxy.size(); ++i) {
    const Vector3d place(galaxy.x[i], galaxy.y[i], galaxy.z[i]),
        velocity(galaxy.vx[i], galaxy.vy[i], galaxy.vz[i]);
    add_body(galaxy.mass[i], {turn * place + at.place, turn * velocity + at.velocity}, to);
  }
}

Eigen::Matrix3d turned(double inclination, double argument) {
  return (Eigen::AngleAxisd(argument * pi / 180, Vector3d::UnitZ()) *
          Eigen::AngleAxisd(inclination * pi / 180, Vector3d::UnitX()))
      .toRotationMatrix();
}

/// State before the pericentre, which is on the x axis, of a parabolic orbit of two point masses.
BodyState on_parabola(double mass, double pericentre, double distance) {
  const double cosine = 2 * pericentre / distance - 1, sine = -std::sqrt(1 - cosine * cosine);
  const double speed_squared = 2 * mass / distance, turn = std::sqrt(2 * mass * pericentre) / distance;
  const double inwards = -std::sqrt(std::max(0.0, speed_squared - turn * turn));
  const Vector3d out(cosine, sine, 0), along(-sine, cosine, 0);
  return {distance * out, inwards * out + turn * along};
}

}  // namespace

InitialConditions encounter(const SceneOptions& options) {
  if (options.separation <= options.pericentre) {
    throw Error(
        fmt::format("Galaxies that start at {} from each other do not come to a pericentre of {}. Give a "
                    "larger separation.",
                    options.separation, options.pericentre));
  }
  const auto seed = static_cast<std::uint64_t>(options.seed);
  const double ratio = options.mass_ratio;
  const auto second_count =
      static_cast<std::size_t>(std::lround(static_cast<double>(options.bodies) * ratio / (1 + ratio)));
  const InitialConditions first =
      galaxy(static_cast<std::size_t>(options.bodies) - second_count, seed, 0, options.toomre);
  InitialConditions second = galaxy(second_count, seed, 3, options.toomre);
  scale_galaxy(second.bodies, ratio);
  const BodyState orbit = on_parabola((1 + ratio) * galaxy_mass(), options.pericentre, options.separation);
  const double part = ratio / (1 + ratio);
  InitialConditions start;
  put_galaxy(first.bodies, turned(options.inclination_1, options.argument_1),
             {-part * orbit.place, -part * orbit.velocity}, start.bodies);
  put_galaxy(second.bodies, turned(options.inclination_2, options.argument_2),
             {(1 - part) * orbit.place, (1 - part) * orbit.velocity}, start.bodies);
  centre(start.bodies);
  start.origins = {"first disc", "first bulge", "first halo", "second disc", "second bulge", "second halo"};
  start.origin = first.origin;
  for (const std::uint8_t origin : second.origin)
    start.origin.push_back(static_cast<std::uint8_t>(origin + 3));
  start.softening = first.softening;
  start.time_step = first.time_step;
  start.units = first.units;
  return start;
}

}  // namespace isolume::nbody
