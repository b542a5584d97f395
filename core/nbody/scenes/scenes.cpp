#include "core/nbody/scenes/scenes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <tbb/blocked_range.h>

#include "core/base/error.h"
#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/bodies/diagnostics.h"
#include "core/nbody/scenes/scene_parts.h"

namespace isolume::nbody {

using Eigen::Vector3d;

Vector3d random_direction(Random& random) {
  const double z = 2 * random.uniform() - 1, angle = 2 * std::numbers::pi * random.uniform();
  const double across = std::sqrt(1 - z * z);
  return {across * std::cos(angle), across * std::sin(angle), z};
}

double drawn_below(double high, double most, const std::function<double(double)>& density, Random& random) {
  for (;;) {
    const double value = high * random.uniform();
    if (most * random.uniform() < density(value)) return value;
  }
}

void add_body(double mass, const BodyState& body, Bodies& to) {
  to.mass.push_back(mass);
  to.x.push_back(body.place.x());
  to.y.push_back(body.place.y());
  to.z.push_back(body.place.z());
  to.vx.push_back(body.velocity.x());
  to.vy.push_back(body.velocity.y());
  to.vz.push_back(body.velocity.z());
}

namespace {

/// Adds the bodies from `first` to `end`.
void add_some(std::size_t first, std::size_t end, double mass_of_each, std::uint64_t seed,
              std::uint32_t purpose, const std::function<BodyState(Random&)>& make, Bodies& to) {
  const std::size_t before = to.size(), count = end - first;
  to.mass.resize(before + count, mass_of_each);
  for (auto* values : {&to.x, &to.y, &to.z, &to.vx, &to.vy, &to.vz}) values->resize(before + count);
  handover::parallel_for(tbb::blocked_range<std::size_t>(0, count, 256), [&](const auto& part) {
    for (std::size_t i = part.begin(); i != part.end(); ++i) {
      Random random(seed, first + i, purpose);
      const BodyState body = make(random);
      const std::size_t at = before + i;
      to.x[at] = body.place.x(), to.y[at] = body.place.y(), to.z[at] = body.place.z();
      to.vx[at] = body.velocity.x(), to.vy[at] = body.velocity.y(), to.vz[at] = body.velocity.z();
    }
  });
}

template <class Values>
auto columns_of(Values& bodies) {
  return std::array{&bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
}

}  // namespace

void add_bodies(std::size_t count, double mass, std::uint64_t seed, std::uint32_t purpose,
                const std::function<BodyState(Random&)>& make, Bodies& to) {
  add_some(0, count, mass / static_cast<double>(count), seed, purpose, make, to);
}

BlockSums block_sums(const Bodies& bodies) {
  BlockSums sums;
  for (std::size_t first = 0; first < bodies.size(); first += bodies_of_a_sum) {
    auto& sum = sums.emplace_back();
    const std::size_t end = std::min(bodies.size(), first + bodies_of_a_sum);
    for (std::size_t i = first; i < end; ++i) sum[0] += bodies.mass[i];
    const auto columns = columns_of(bodies);
    for (std::size_t k = 0; k < columns.size(); ++k) {
      for (std::size_t i = first; i < end; ++i) sum[k + 1] += bodies.mass[i] * (*columns[k])[i];
    }
  }
  return sums;
}

void centre(Bodies& some, const BlockSums& of_all) {
  std::array<double, 7> sums = {};
  for (const auto& block : of_all) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += block[k];
  }
  const auto columns = columns_of(some);
  for (std::size_t k = 0; k < columns.size(); ++k) {
    for (double& value : *columns[k]) value -= sums[k + 1] / sums[0];
  }
}

void centre(Bodies& bodies) {
  centre(bodies, block_sums(bodies));
}

double usual_softening(std::size_t bodies) {
  return 0.98 * std::pow(static_cast<double>(bodies), -0.26);
}

namespace {

/// How all bodies of a scene are made, and the name of their origin.
struct LikeBodies {
  std::function<BodyState(Random&)> make;
  const char* name;
};

InitialConditions sphere(const SceneOptions& options, const LikeBodies& bodies, std::size_t first,
                         std::size_t end) {
  InitialConditions start;
  const auto count = static_cast<std::size_t>(options.bodies);
  add_some(first, end, 1 / static_cast<double>(count), static_cast<std::uint64_t>(options.seed), 0,
           bodies.make, start.bodies);
  start.origins = {bodies.name};
  start.softening = count > 1 ? usual_softening(count) : 0;
  // A collapse from rest passes through a very dense phase.
  const bool is_cold = options.scene == SceneKind::collapse || options.scene == SceneKind::cube;
  start.time_step = is_cold ? 0.005 : 0.01;
  return start;
}

/// A uniform sphere of radius 1.
BodyState even_body(double virial, Random& random) {
  // 2 K / |W| with W = -3/5 M^2 / R: each component of the velocity has the variance virial / 5.
  const double radius = std::cbrt(random.uniform()), spread = std::sqrt(virial / 5);
  const Vector3d place = radius * random_direction(random);
  const double vx = random.normal(), vy = random.normal(), vz = random.normal();
  return {place, spread * Vector3d(vx, vy, vz)};
}

BodyState cube_body(Random& random) {
  const double x = random.uniform(), y = random.uniform(), z = random.uniform();
  return {Vector3d(x, y, z) - Vector3d::Constant(0.5), Vector3d::Zero()};
}

}  // namespace

const parameters::Schema<SceneOptions>& scene_schema() {
  using O = SceneOptions;
  using parameters::field;
  static const parameters::Schema<O> schema({
      field("scene", &O::scene, "Scene",
            {{"plummer", "Plummer sphere"},
             {"king", "King model"},
             {"hernquist", "Hernquist sphere"},
             {"collapse", "Cold collapse of a uniform sphere"},
             {"cube", "Random cube"},
             {"galaxy", "Disc galaxy"},
             {"encounter", "Two galaxies"},
             {"binary", "Two bodies"},
             {"figure-eight", "Figure eight"},
             {"butterfly", "Butterfly"},
             {"moth", "Moth"},
             {"yin-yang", "Yin-yang"},
             {"ring", "Bodies on a circle"},
             {"solar-system", "Solar system"},
             {"cosmological-box", "Cosmological box"}})
          .group("Scene")
          .help("Built-in initial condition."),
      field("bodies", &O::bodies, "Bodies")
          .range(1, 1e9)
          .usual(100, 1e6)
          .logarithmic()
          .group("Scene")
          .only_when("scene",
                     {"plummer", "king", "hernquist", "collapse", "cube", "galaxy", "encounter", "ring"})
          .help("Number of bodies."),
      field("seed", &O::seed, "Seed")
          .range(0, 9e15)
          .usual(0, 100)
          .group("Scene")
          .only_when("scene", {"plummer", "king", "hernquist", "collapse", "cube", "galaxy", "encounter",
                               "cosmological-box"})
          .help("Seed of the random numbers; the same seed gives the same bodies."),
      field("concentration", &O::concentration, "Concentration W0")
          .range(0.5, 12)
          .group("Scene")
          .only_when("scene", {"king"})
          .help("Depth of the central potential in units of the velocity dispersion squared (King's W0)."),
      field("virial", &O::virial, "Virial ratio")
          .range(0, 2)
          .group("Scene")
          .only_when("scene", {"collapse"})
          .help("Twice the kinetic energy divided by the potential energy at the start; 1 is near "
                "equilibrium."),
      field("toomre", &O::toomre, "Toomre's Q")
          .range(0.5, 5)
          .group("Scene")
          .only_when("scene", {"galaxy", "encounter"})
          .help(
              "Stability of the discs: below 1 they fragment into clumps, above 2 spiral arms hardly form."),
      field("pericentre", &O::pericentre, "Pericentre")
          .unit("scale lengths")
          .range(0.01, 100)
          .usual(0.1, 10)
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Closest approach of the galaxies on their parabolic orbit, in scale lengths of the first "
                "disc."),
      field("separation", &O::separation, "Separation")
          .unit("scale lengths")
          .range(1, 1000)
          .usual(10, 60)
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Distance between the galaxies at the start, in scale lengths of the first disc."),
      field("mass-ratio", &O::mass_ratio, "Mass ratio")
          .range(0.01, 1)
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Mass of the second galaxy divided by the first."),
      field("inclination-1", &O::inclination_1, "Inclination of the first disc")
          .range(-180, 180)
          .unit("degrees")
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Angle between disc and orbital plane; 180° is retrograde."),
      field("inclination-2", &O::inclination_2, "Inclination of the second disc")
          .range(-180, 180)
          .unit("degrees")
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Angle between disc and orbital plane; 180° is retrograde."),
      field("argument-1", &O::argument_1, "Argument of the first disc")
          .range(-180, 180)
          .unit("degrees")
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Angle about the orbit's axis from the direction of the pericentre."),
      field("argument-2", &O::argument_2, "Argument of the second disc")
          .range(-180, 180)
          .unit("degrees")
          .group("Scene")
          .only_when("scene", {"encounter"})
          .help("Angle about the orbit's axis from the direction of the pericentre."),
      field("eccentricity", &O::eccentricity, "Eccentricity")
          .range(0, 0.99)
          .group("Scene")
          .only_when("scene", {"binary"})
          .help("Eccentricity of the orbit of the two bodies."),
      field("box-size", &O::box_size, "Side of the box")
          .range(1, 10000)
          .usual(20, 500)
          .logarithmic()
          .unit("Mpc/h")
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Comoving side of the periodic box."),
      field("particles-per-side", &O::particles_per_side, "Bodies per side")
          .range(4, 512)
          .usual(16, 128)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("The box holds the cube of this number; give an even number without prime factors above 5."),
      field("start-redshift", &O::start_redshift, "Initial redshift")
          .range(1, 1000)
          .usual(10, 200)
          .logarithmic()
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Redshift at which the simulation starts, when perturbations are still small; 0 is today."),
      field("omega-matter", &O::omega_matter, "Matter, Omega_m")
          .range(0.01, 1)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Matter density today as a fraction of the critical density."),
      field("omega-lambda", &O::omega_lambda, "Cosmological constant, Omega_Lambda")
          .range(0, 1)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Density of the cosmological constant as a fraction of the critical density; curvature makes "
                "up the rest to 1."),
      field("omega-baryon", &O::omega_baryon, "Baryons, Omega_b")
          .range(0, 1)
          .usual(0, 0.1)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Baryon density as a fraction of the critical density; shapes the power spectrum."),
      field("hubble", &O::hubble, "Hubble constant h")
          .range(0.1, 2)
          .usual(0.5, 1)
          .unit("100 km/s/Mpc")
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Hubble constant, for the shape of the power spectrum; lengths and masses are in units with "
                "h."),
      field("sigma-8", &O::sigma_8, "sigma_8")
          .range(0.01, 10)
          .usual(0.5, 1.2)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Root mean square density contrast today in spheres of 8 Mpc/h, by linear theory."),
      field("spectral-index", &O::spectral_index, "Spectral index n_s")
          .range(0, 3)
          .usual(0.8, 1.2)
          .group("Scene")
          .only_when("scene", {"cosmological-box"})
          .help("Spectral index of the primordial power spectrum; 1 is scale-invariant."),
  });
  return schema;
}

std::string flags_of(SceneOptions scene) {
  const parameters::StructParameters<SceneOptions> set(scene_schema(), scene);
  std::string text;
  for (const auto& each : set.descriptions()) {
    if (!relevant(each, set)) continue;
    text +=
        fmt::format("{}--{} {}", text.empty() ? "" : " ", each.key, parameters::to_text(set.get(each.key)));
  }
  return text;
}

namespace {

/// For scenes that can be made in parts.
std::optional<LikeBodies> like_bodies(const SceneOptions& options) {
  switch (options.scene) {
    case SceneKind::plummer:
      return LikeBodies{plummer_body, "sphere"};
    case SceneKind::king:
      return LikeBodies{king_bodies(options.concentration), "sphere"};
    case SceneKind::hernquist:
      return LikeBodies{hernquist_body, "sphere"};
    case SceneKind::collapse:
      return LikeBodies{[virial = options.virial](Random& random) { return even_body(virial, random); },
                        "sphere"};
    case SceneKind::cube:
      return LikeBodies{cube_body, "cube"};
    default:
      return std::nullopt;
  }
}

/// Throws where an option is out of range, or where there is not enough memory for so many bodies.
void check(const SceneOptions& given, std::size_t bodies) {
  SceneOptions options = given;
  parameters::StructParameters<SceneOptions> set(scene_schema(), options);
  for (const auto& each : set.descriptions()) set.set(each.key, set.get(each.key));  // throws if out of range
  dispatch::require_memory(fmt::format("A scene of {} bodies", bodies), bodies * 100, "Take fewer bodies.");
}

}  // namespace

bool is_made_in_parts(SceneKind scene) {
  SceneOptions options;
  options.scene = scene;
  return like_bodies(options).has_value();
}

InitialConditions make_scene_part(const SceneOptions& options, std::size_t first, std::size_t end) {
  check(options, end - first);
  const auto bodies = like_bodies(options);
  if (!bodies) throw Error("This scene is not made in parts.");
  return sphere(options, *bodies, first, end);
}

InitialConditions make_scene(const SceneOptions& options) {
  const auto bodies = static_cast<std::size_t>(options.bodies);
  check(options, bodies);
  if (const auto like = like_bodies(options)) {
    InitialConditions start = sphere(options, *like, 0, bodies);
    if (bodies > 1) centre(start.bodies);
    return start;
  }
  const auto seed = static_cast<std::uint64_t>(options.seed);
  switch (options.scene) {
    case SceneKind::galaxy:
      return galaxy(bodies, seed, 0, options.toomre);
    case SceneKind::encounter:
      return encounter(options);
    case SceneKind::binary:
      return binary(options.eccentricity);
    case SceneKind::figure_eight:
    case SceneKind::butterfly:
    case SceneKind::moth:
    case SceneKind::yin_yang:
      return three_bodies(options.scene);
    case SceneKind::ring:
      return ring(bodies);
    case SceneKind::solar_system:
      return solar_system();
    case SceneKind::cosmological_box:
      return cosmological_box(options);
    default:
      break;
  }
  throw Error("There is no such scene.");
}

}  // namespace isolume::nbody
