#include "core/nbody/files/snapshot.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {
namespace {

constexpr const char* how_to_choose = "Choose others with --units.";

bool has_time_of_redshift(const SnapshotHeader& header) {
  return header.redshift &&
         std::abs(header.scale_factor.value_or(header.time) * (1 + *header.redshift) - 1) < 1e-3;
}

/// Where no parameter tells: a time that is the scale factor at the redshift. At redshift 0 the time 1 may also be that of
/// an isolated run, unless there is a box.
bool is_comoving(const SnapshotHeader& header) {
  if (header.comoving) return *header.comoving;
  return header.redshift && header.omega_matter.value_or(0) > 0 &&
         (header.box_size.value_or(0) > 0 || *header.redshift > 1e-3) && has_time_of_redshift(header);
}

/// A box that is not used because the coordinates are taken as physical.
void remark_on_unused_box(const SnapshotHeader& header, Remarks& remarks) {
  if (!(header.box_size.value_or(0) > 0)) return;
  const bool may_be_comoving = !header.comoving && header.redshift && header.omega_matter.value_or(0) > 0 &&
                               header.hubble.value_or(0) > 0;
  const std::string why =
      may_be_comoving
          ? fmt::format(
                " because the time {:.6g} is not the scale factor at the redshift {:.6g} ({:.6g}). If they "
                "are comoving, correct Time or Redshift, or add ComovingIntegrationOn to the file",
                header.scale_factor.value_or(header.time), *header.redshift, 1 / (1 + *header.redshift))
          : "";
  remarks.dropped(
      fmt::format("BoxSize is {:.6g}, but is not used: the bodies are taken as isolated, in physical "
                  "coordinates,{}.",
                  *header.box_size, why.empty() ? " without a period" : why));
}

void scale(const std::array<std::vector<double>*, 3>& axes, double by) {
  for (auto* axis : axes) {
    for (double& value : *axis) value *= by;
  }
}

/// Multiplies masses by the gravitational constant.
void take_gravitation(const Units& units, InitialConditions& to) {
  for (double& mass : to.bodies.mass) mass *= units.gravitation;
  to.units = units;
}

void take_physical(const SnapshotHeader& header, UnitsChoice choice, InitialConditions& to) {
  to.time = header.time;
  const bool told = header.units || header.gravitation;
  if (told) warn_of_unused_choice(choice, to.remarks);
  if (header.units) {
    Units units = *header.units;
    if (header.hubble.value_or(0) > 0) {
      const auto by_h = [&](const StatedPowers& of) {
        return std::pow(*header.hubble, of.hubble.value_or(0));
      };
      units = units_of(units.length * by_h(header.of_positions), units.mass * by_h(header.of_masses),
                       units.speed * by_h(header.of_velocities));
    }
    if (header.gravitation && std::abs(*header.gravitation / units.gravitation - 1) > 0.01) {
      to.remarks.warn(fmt::format(
          "The file states the gravitational constant {:.6g}, but it is {:.6g} in the units of the "
          "file. The stated one is used.",
          *header.gravitation, units.gravitation));
    }
    // The value that the program computed with, which may be rounded.
    if (header.gravitation) units.gravitation = *header.gravitation;
    return take_gravitation(units, to);
  }
  if (header.gravitation) {
    for (double& mass : to.bodies.mass) mass *= *header.gravitation;
    return;
  }
  if (choice == UnitsChoice::natural) return;
  const Units units = units_by(choice).value_or(gadget_units());
  if (choice == UnitsChoice::file) {
    to.remarks.assumed(fmt::format("The file names {}: those of GADGET are taken, {}. {}",
                                   header.names_some_units ? "not all of its units" : "no units",
                                   in_words(units), how_to_choose));
  }
  take_gravitation(units, to);
}

/// Makes coordinates continuous where they wrap around.
void unwrap(double side, std::vector<double>& axis) {
  for (double& value : axis) value -= side * std::round((value - axis.front()) / side);
}

double extent(const std::vector<double>& axis) {
  const auto [low, high] = std::ranges::minmax(axis);
  return high - low;
}

/// In a whole box, bodies touch each other across its sides.
bool is_cut_out(double side, Bodies bodies) {
  for (auto* axis : {&bodies.x, &bodies.y, &bodies.z}) {
    unwrap(side, *axis);
    if (extent(*axis) > 0.9 * side) return false;
  }
  return true;
}

void take_cut_out(const SnapshotHeader& header, UnitsChoice choice, double a, double side,
                  InitialConditions& to) {
  Bodies& bodies = to.bodies;
  for (auto* axis : {&bodies.x, &bodies.y, &bodies.z}) unwrap(side, *axis);
  const double h = header.like_gadget ? *header.hubble : 1;
  scale({&bodies.x, &bodies.y, &bodies.z}, a / h);
  for (double& mass : bodies.mass) mass /= h;
  if (header.like_gadget) scale({&bodies.vx, &bodies.vy, &bodies.vz}, std::sqrt(a));
  SnapshotHeader physical = header;
  physical.time = 0;
  physical.of_positions = physical.of_velocities = physical.of_masses = {};  // they were applied
  take_physical(physical, choice, to);
  to.remarks.converted(
      fmt::format("These bodies are a part of a comoving box, at the scale factor {:.6g}: lengths, masses "
                  "and peculiar velocities are "
                  "shown in physical units, the bodies alone, and without the expansion of the universe.",
                  a));
}

/// Converts numbers that are stated with other powers of the scale factor and of h than the convention of the program,
/// with a remark. Returns the factor of lengths in the header, which have the same power of h as the positions.
double take_stated_powers(const SnapshotHeader& header, double scale_factor, double hubble,
                          InitialConditions& to) {
  Bodies& bodies = to.bodies;
  std::vector<std::string> converted;
  const auto of_hubble = [&](const StatedPowers& stated, double usual) {
    return std::pow(hubble, stated.hubble.value_or(usual) - usual);
  };
  const auto convert = [&](const char* name, const StatedPowers& stated, double usual_of_a, double usual_of_h,
                           std::initializer_list<std::vector<double>*> values) {
    const double by = std::pow(scale_factor, stated.scale_factor.value_or(usual_of_a) - usual_of_a) *
                      of_hubble(stated, usual_of_h);
    if (std::abs(by - 1) < 1e-9) return;
    for (auto* each : values) {
      for (double& value : *each) value *= by;
    }
    converted.push_back(fmt::format("{} by {:.6g}", name, by));
  };
  const double per_h = header.like_gadget ? -1 : 0;
  convert("positions", header.of_positions, 1, per_h, {&bodies.x, &bodies.y, &bodies.z});
  convert("velocities", header.of_velocities, header.like_gadget ? 0.5 : 0, 0,
          {&bodies.vx, &bodies.vy, &bodies.vz});
  convert("masses", header.of_masses, 0, per_h, {&bodies.mass});
  if (!converted.empty()) {
    to.remarks.converted(fmt::format(
        "The datasets state other powers of the scale factor and of h than is usual. Multiplied were {}.",
        fmt::join(converted, ", ")));
  }
  return of_hubble(header.of_positions, per_h);
}

/// Nothing where no units give the mean density stated in the header, or a higher one where it is lower.
std::optional<ToBox> units_to_box(const SnapshotHeader& header, double side, const Cosmology& cosmology,
                                  double mass, double& density, Remarks& remarks) {
  std::vector<Units> possible;
  if (header.units) {
    possible = {*header.units};
  } else {
    possible = {gadget_units(), gadget_units()};
    possible.back() = units_of(1000 * possible.back().length, possible.back().mass, possible.back().speed);
  }
  for (const Units& each : possible) {
    const ToBox to(each, header.like_gadget ? 1 : cosmology.hubble);
    const double all = ComovingBox{to.length * side, cosmology}.mass();
    density = cosmology.omega_matter * to.mass * mass / all;
    if (std::abs(density / cosmology.omega_matter - 1) >= 0.02) continue;
    if (!header.units) {
      remarks.assumed(
          fmt::format("The file names {}: {}, {} and {} are taken, with GADGET's factors of h, because "
                      "they give the mean density of its header.",
                      header.names_some_units ? "not all of its units" : "no units", length_name(each),
                      mass_name(each), speed_name(each)));
    }
    return to;
  }
  return std::nullopt;
}

void take_comoving(const SnapshotHeader& header, UnitsChoice choice, const std::filesystem::path& path,
                   InitialConditions& to) {
  const std::string unreadable =
      header.unreadable.empty() ? "" : fmt::format(" ({})", fmt::join(header.unreadable, ", "));
  const auto needed = [&](const std::optional<double>& value, const char* name) {
    if (!value)
      throw InputError(
          path, 0,
          fmt::format("its coordinates are comoving, but it does not say what {} is{}", name, unreadable),
          "Write the file again with the program that made it.");
    return *value;
  };
  const double a = header.scale_factor.value_or(header.time);
  double side = needed(header.box_size, "BoxSize");
  if (!(a > 0 && std::isfinite(a)))
    throw InputError(path, 0, fmt::format("its scale factor (Time) is {}{}", a, unreadable),
                     "Write the file again with the program that made it.");
  if (!(side > 0)) {
    throw InputError(path, 0, "its coordinates are comoving, but not in a periodic box",
                     "Give a snapshot of a box (BoxSize above 0), or one in physical coordinates.");
  }
  const Cosmology cosmology{needed(header.omega_matter, "Omega0"), needed(header.omega_lambda, "OmegaLambda"),
                            needed(header.hubble, "HubbleParam")};
  try {
    check(cosmology);
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
  if (header.redshift && !has_time_of_redshift(header)) {
    to.remarks.warn(fmt::format(
        "The scale factor is {:.6g}, but the redshift {:.6g} is that of {:.6g}. The scale factor is "
        "used.",
        a, *header.redshift, 1 / (1 + *header.redshift)));
  }
  side *= take_stated_powers(header, a, cosmology.hubble, to);
  Bodies& bodies = to.bodies;
  const double mass = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
  double density = 0;
  const auto units = units_to_box(header, side, cosmology, mass, density, to.remarks);
  if (!units) {
    if (density < cosmology.omega_matter && is_cut_out(side, bodies))
      return take_cut_out(header, choice, a, side, to);
    throw InputError(
        path, 0,
        fmt::format("its bodies have the mean density {:.3g}, but Omega0 is {}", density,
                    cosmology.omega_matter),
        header.units
            ? "Give a snapshot of a whole box, with the units that its numbers are in."
            : "Give a snapshot of a whole box that names its units: UnitLength_in_cm, UnitMass_in_g and "
              "UnitVelocity_in_cm_per_s in the group Parameters.");
  }
  warn_of_unused_choice(choice, to.remarks);
  to.box = ComovingBox{units->length * side, cosmology};
  to.time = std::log(a);
  to.softening = usual_softening(*to.box, bodies.size());
  scale({&bodies.x, &bodies.y, &bodies.z}, units->length);
  scale({&bodies.vx, &bodies.vy, &bodies.vz}, units->speed * (header.like_gadget ? std::sqrt(a) : 1));
  for (double& each : bodies.mass) each *= units->mass;
}

}  // namespace

Units gadget_units() {
  return *units_by(UnitsChoice::galactic);
}

ToBox::ToBox(const Units& units, double h)
    : length(units.length * h / (1e6 * parsec)),
      speed(units.speed / 1e7),
      mass(units.gravitation * length * speed * speed) {}

std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, double count) {
  if (count == 1) return {path};
  constexpr double most_files = 1e6;
  if (!(count >= 1 && count <= most_files && count == std::floor(count))) {
    throw InputError(path, 0, fmt::format("it is one of {} files of a snapshot", count),
                     "Write the file again with the program that made it.");
  }
  // NAME.NUMBER.hdf5, or without a suffix
  const auto is_number = [](const std::string& text) {
    return text.size() > 1 &&
           std::all_of(text.begin() + 1, text.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  const bool suffixed = !is_number(path.extension().string());
  const std::filesystem::path suffix = suffixed ? path.extension() : std::filesystem::path(),
                              numbered = suffixed ? path.stem() : path.filename();
  if (!is_number(numbered.extension().string())) {
    throw InputError(
        path, 0,
        fmt::format("it is one of {} files of a snapshot, whose names cannot be told from its", count),
        fmt::format("Give them the names that GADGET gives: NAME.0{}, NAME.1{} ...", suffix.string(),
                    suffix.string()));
  }
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    files.push_back(path.parent_path() /
                    fmt::format("{}.{}{}", numbered.stem().string(), i, suffix.string()));
    if (std::filesystem::exists(files.back())) continue;
    throw InputError(path, 0,
                     fmt::format("it is one of {} files of a snapshot, and {} is missing", count,
                                 files.back().filename().string()),
                     "Put all files of the snapshot into one folder.");
  }
  return files;
}

void make_room_for_snapshot(const std::filesystem::path& path, std::uint64_t bodies, InitialConditions& to) {
  if (bodies == 0) {
    std::string left_out = to.remarks.text();
    std::ranges::replace(left_out, '\n', ' ');
    throw InputError(path, 0,
                     left_out.empty() ? "there is no body in it"
                                      : fmt::format("there is no body in it that can be used: {}", left_out),
                     "Write the file again with the program that made it.");
  }
  Bodies& all = to.bodies;
  const std::array values{&all.mass, &all.x, &all.y, &all.z, &all.vx, &all.vy, &all.vz};
  dispatch::require_memory(fmt::format("A snapshot of {} bodies", bodies),
                           bodies * (values.size() * sizeof(double) + sizeof(std::uint64_t) + 1),
                           "Read it on a machine with more memory.");
  for (auto* each : values) each->reserve(bodies);
  to.id.reserve(bodies);
  to.origin.reserve(bodies);
}

void require_masses(const std::filesystem::path& path, std::string_view of, std::span<const double> masses) {
  const auto wrong =
      std::ranges::find_if(masses, [](double mass) { return !(mass >= 0 && std::isfinite(mass)); });
  if (wrong == masses.end()) return;
  throw InputError(path, 0,
                   fmt::format("{}: the mass of body {} is {}", of, wrong - masses.begin() + 1, *wrong),
                   "Give a finite mass of 0 or more.");
}

void warn_of_gas(std::uint64_t bodies, Remarks& remarks) {
  if (bodies > 0)
    remarks.warn(fmt::format("{} bodies are gas: they move by gravity alone, without pressure.", bodies));
}

void drop_incomplete_ids(std::string_view which, InitialConditions& from) {
  if (from.id.empty() || from.id.size() == from.bodies.size()) return;
  from.remarks.dropped(fmt::format("ParticleIDs are not used, because some {} have none.", which),
                       from.id.size());
  from.id.clear();
}

void add_snapshot_origin(std::size_t type, std::size_t first, InitialConditions& to) {
  if (to.bodies.size() == first) return;
  to.origin.resize(to.bodies.size(), static_cast<std::uint8_t>(to.origins.size()));
  to.origins.push_back(type < snapshot_types.size() ? snapshot_types[type] : fmt::format("type {}", type));
  if (type == 0) warn_of_gas(to.bodies.size() - first, to.remarks);
}

void take_units(const SnapshotHeader& header, UnitsChoice choice, const std::filesystem::path& path,
                InitialConditions& bodies) {
  if (is_comoving(header)) return take_comoving(header, choice, path, bodies);
  remark_on_unused_box(header, bodies.remarks);
  take_physical(header, choice, bodies);
}

void warn_of_unused_choice(UnitsChoice choice, Remarks& remarks) {
  if (choice != UnitsChoice::file)
    remarks.warn("The file has units of its own, so that the units that were chosen are not used.");
}

void take_chosen_units(UnitsChoice choice, InitialConditions& bodies) {
  if (bodies.units) {
    warn_of_unused_choice(choice, bodies.remarks);
    return;
  }
  if (const auto units = units_by(choice)) return take_gravitation(*units, bodies);
  if (choice == UnitsChoice::file) {
    bodies.remarks.assumed(fmt::format("The file names {}: the gravitational constant is taken as 1. {}",
                                       bodies.has_unused_units ? "units that are not used" : "no units",
                                       how_to_choose));
  }
}

}  // namespace isolume::nbody
