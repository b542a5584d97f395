#include "core/nbody/gadget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/dispatch/dispatch.h"

namespace isolume::nbody {
namespace {

constexpr std::array<const char*, 6> gadget_types{"gas", "halo", "disc", "bulge", "stars", "black holes"};
using Counts = std::array<std::uint64_t, gadget_types.size()>;

constexpr double newton = 6.67430e-8;                                      // cm^3 g^-1 s^-2, CODATA 2018
constexpr double parsec = 3.0856775814913673e18, solar_mass = 1.98841e33;  // cm, g

/// In cm, g and cm/s; of comoving files without the h.
struct GadgetUnits {
  double length = 0, mass = 0, speed = 0;

  /// The constant of gravitation in them.
  double gravitation() const { return newton * mass / length / (speed * speed); }
};
/// That boxes are written in, and that programs take for granted where a file names none.
constexpr GadgetUnits box_units{1e3 * parsec, 1e10 * solar_mass, 1e5};

/// The first that there is, of the groups that programs keep it in.
std::optional<double> parameter_of(const Hdf5Reader& file, const char* name) {
  for (const char* group : {"Parameters", "Header", "Units"}) {
    const auto found = file.attribute(group, name);
    if (found && (found->size() == 1 || found->size() == 3)) return found->front();  // 3: sides of a box
  }
  return std::nullopt;
}

std::optional<GadgetUnits> units_of(const Hdf5Reader& file) {
  const GadgetUnits units{parameter_of(file, "UnitLength_in_cm").value_or(0),
                          parameter_of(file, "UnitMass_in_g").value_or(0),
                          parameter_of(file, "UnitVelocity_in_cm_per_s").value_or(0)};
  const double g = units.gravitation();
  if (units.length > 0 && units.mass > 0 && units.speed > 0 && std::isfinite(g) && g > 0) return units;
  return std::nullopt;
}

double time_of(const Hdf5Reader& file) {
  return file.attribute("Header", "Time").value_or(std::vector<double>{0}).front();
}

bool is_comoving(const Hdf5Reader& file) {
  if (const auto told = parameter_of(file, "ComovingIntegrationOn")) return *told != 0;
  const auto redshift = parameter_of(file, "Redshift"), matter = parameter_of(file, "Omega0");
  return redshift && matter && *matter > 0 && std::abs(time_of(file) * (1 + *redshift) - 1) < 1e-3;
}

/// Counts by type, which are numbers of the header, not of the bodies.
Counts counts_in_header(const Hdf5Reader& file, const char* name, const char* high_words) {
  const auto low = file.attribute("Header", name), high = file.attribute("Header", high_words);
  Counts counts = {};
  for (std::size_t type = 0; low && type < std::min(low->size(), counts.size()); ++type) {
    const double count = (*low)[type] + (high && type < high->size() ? 0x1p32 * (*high)[type] : 0);
    if (!(count >= 0 && count < 0x1p53)) file.fail(fmt::format("{} is {} in its header", name, count));
    counts[type] = static_cast<std::uint64_t>(count);
  }
  return counts;
}

/// Rows that the file really holds; throws where the header says otherwise.
Counts counts_of(const Hdf5Reader& file) {
  Counts counts = {};
  for (std::size_t type = 0; type < counts.size(); ++type) {
    const std::string places = fmt::format("PartType{}/Coordinates", type);
    if (!file.has(places)) continue;
    const Shape shape = file.shape(places);
    if (shape.size() != 2 || shape[1] != 3)
      file.fail(fmt::format("{} does not hold three numbers a body", places));
    counts[type] = shape[0];
  }
  constexpr const char* header = "NumPart_ThisFile";
  if (file.attribute("Header", header) && counts_in_header(file, header, "") != counts) {
    file.fail(fmt::format("its header says that there are {} bodies in it, but there are {}",
                          fmt::join(counts_in_header(file, header, ""), " + "), fmt::join(counts, " + ")));
  }
  return counts;
}

/// The files of a snapshot, of which `file` is one.
std::vector<std::filesystem::path> all_files(const Hdf5Reader& file) {
  const auto told = file.attribute("Header", "NumFilesPerSnapshot");
  const double count = told ? told->front() : 1;
  if (count == 1) return {file.path()};
  constexpr double most_files = 1e6;
  if (!(count >= 1 && count <= most_files && count == std::floor(count)))
    file.fail(fmt::format("it is one of {} files of a snapshot", count));
  // NAME.NUMBER.hdf5
  const std::filesystem::path suffix = file.path().extension(), numbered = file.path().stem();
  const std::string number = numbered.extension().string();
  const bool named = number.size() > 1 && std::all_of(number.begin() + 1, number.end(),
                                                      [](char c) { return c >= '0' && c <= '9'; });
  if (!named) {
    throw InputError(
        file.path(), 0,
        fmt::format("it is one of {} files of a snapshot, whose names cannot be told from its", count),
        fmt::format("Give them the names that GADGET gives: NAME.0{}, NAME.1{} ...", suffix.string(),
                    suffix.string()));
  }
  std::vector<std::filesystem::path> files;
  for (int i = 0; i < static_cast<int>(count); ++i) {
    files.push_back(file.path().parent_path() /
                    fmt::format("{}.{}{}", numbered.stem().string(), i, suffix.string()));
    if (!std::filesystem::exists(files.back())) {
      throw InputError(file.path(), 0,
                       fmt::format("it is one of {} files of a snapshot, and {} is missing", count,
                                   files.back().filename().string()),
                       "Put all files of the snapshot into one folder.");
    }
  }
  return files;
}

void append(const std::vector<double>& rows, const std::array<std::vector<double>*, 3>& axes) {
  for (std::size_t i = 0; i < rows.size(); ++i) axes[i % 3]->push_back(rows[i]);
}

void add_type(const Hdf5Reader& file, std::size_t type, std::uint64_t count, InitialConditions& to) {
  const std::string group = fmt::format("PartType{}/", type);
  Bodies& bodies = to.bodies;
  append(file.numbers(group + "Coordinates", {count, 3}), {&bodies.x, &bodies.y, &bodies.z});
  append(file.numbers(group + "Velocities", {count, 3}), {&bodies.vx, &bodies.vy, &bodies.vz});
  const auto table = file.attribute("Header", "MassTable").value_or(std::vector<double>());
  const double same = type < table.size() ? table[type] : 0;
  const auto mass = same > 0 ? std::vector<double>(count, same) : file.numbers(group + "Masses", {count});
  bodies.mass.insert(bodies.mass.end(), mass.begin(), mass.end());
  if (file.has(group + "ParticleIDs")) {
    const auto ids = file.integers(group + "ParticleIDs", count);
    to.id.insert(to.id.end(), ids.begin(), ids.end());
  }
}

void make_room(const Hdf5Reader& file, std::uint64_t count, InitialConditions& to) {
  if (count == 0) file.fail("there is no body in it");
  Bodies& bodies = to.bodies;
  const std::array values{&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz};
  dispatch::require_memory(fmt::format("A snapshot of {} bodies", count),
                           count * (values.size() * sizeof(double) + sizeof(std::uint64_t) + 1),
                           "Read it on a machine with more memory.");
  for (auto* each : values) each->reserve(count);
  to.id.reserve(count);
  to.origin.reserve(count);
}

/// Of all files, in their units. Each is opened twice, so that none but one is open.
InitialConditions bodies_of(const Hdf5Reader& given) {
  const auto paths = all_files(given);
  std::vector<Counts> counts;
  Counts sums = {};
  for (const auto& path : paths) {
    counts.push_back(counts_of(Hdf5Reader(path)));
    for (std::size_t type = 0; type < sums.size(); ++type) sums[type] += counts.back()[type];
  }
  constexpr const char* header = "NumPart_Total";
  const Counts told = counts_in_header(given, header, "NumPart_Total_HighWord");
  if (given.attribute("Header", header) && told != sums) {
    given.fail(fmt::format("its header says that there are {} bodies in all, but there are {}",
                           fmt::join(told, " + "), fmt::join(sums, " + ")));
  }
  InitialConditions found;
  found.origins.clear();
  make_room(given, std::accumulate(sums.begin(), sums.end(), std::uint64_t{0}), found);
  for (std::size_t type = 0; type < sums.size(); ++type) {
    if (sums[type] == 0) continue;
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (counts[i][type] > 0) add_type(Hdf5Reader(paths[i]), type, counts[i][type], found);
    }
    found.origin.resize(found.bodies.size(), static_cast<std::uint8_t>(found.origins.size()));
    found.origins.emplace_back(gadget_types[type]);
  }
  if (found.id.size() != found.bodies.size()) found.id.clear();
  return found;
}

void scale(const std::array<std::vector<double>*, 3>& axes, double by) {
  for (auto* axis : axes) {
    for (double& value : *axis) value *= by;
  }
}

/// Of those of a file to those of a ComovingBox: Mpc/h, 100 km/s, and masses that make G = 1.
struct ToBox {
  double length, speed, mass;

  explicit ToBox(const GadgetUnits& units)
      : length(units.length / (1e6 * parsec)),
        speed(units.speed / 1e7),
        mass(units.gravitation() * length * speed * speed) {}
};

/// Throws where no units make the mean density Omega0.
ToBox units_to_box(const Hdf5Reader& file, double side, const Cosmology& cosmology, double mass) {
  std::vector<GadgetUnits> possible;
  const auto named = units_of(file);
  if (named) {
    possible = {*named};
  } else {
    possible = {box_units, box_units};
    possible.back().length *= 1000;
  }
  double density = 0;
  for (const GadgetUnits& each : possible) {
    const ToBox to(each);
    const double all = ComovingBox{to.length * side, cosmology}.mass();
    density = cosmology.omega_matter * to.mass * mass / all;
    if (std::abs(density / cosmology.omega_matter - 1) < 0.02) return to;
  }
  throw InputError(
      file.path(), 0,
      fmt::format("its bodies have the mean density {:.3g}, but Omega0 is {}", density,
                  cosmology.omega_matter),
      named ? "Give a snapshot of a whole box, with the units that its numbers are in."
            : "Give a snapshot of a whole box that names its units: UnitLength_in_cm, UnitMass_in_g and "
              "UnitVelocity_in_cm_per_s in the group Parameters.");
}

void take_comoving(const Hdf5Reader& file, InitialConditions& to) {
  const auto parameter = [&](const char* name) {
    const auto found = parameter_of(file, name);
    if (!found) file.fail(fmt::format("its coordinates are comoving, but it does not say what {} is", name));
    return *found;
  };
  const double a = time_of(file), side = parameter("BoxSize");
  if (!(a > 0 && std::isfinite(a))) file.fail(fmt::format("its scale factor (Time) is {}", a));
  if (!(side > 0)) {
    throw InputError(file.path(), 0, "its coordinates are comoving, but not in a periodic box",
                     "Give a snapshot of a box (BoxSize above 0), or one in physical coordinates.");
  }
  const Cosmology cosmology{parameter("Omega0"), parameter("OmegaLambda"), parameter("HubbleParam")};
  try {
    check(cosmology);
  } catch (const Error& error) {
    throw InputError(file.path(), 0, error.what());
  }
  Bodies& bodies = to.bodies;
  const double mass = std::accumulate(bodies.mass.begin(), bodies.mass.end(), 0.0);
  const ToBox units = units_to_box(file, side, cosmology, mass);
  to.box = ComovingBox{units.length * side, cosmology};
  to.time = std::log(a);
  to.softening = usual_softening(*to.box, bodies.size());
  scale({&bodies.x, &bodies.y, &bodies.z}, units.length);
  scale({&bodies.vx, &bodies.vy, &bodies.vz}, units.speed * std::sqrt(a));
  for (double& each : bodies.mass) each *= units.mass;
}

}  // namespace

InitialConditions read_gadget(const Hdf5Reader& file) {
  if (!file.has("Header")) file.fail("there is no group Header, so this is no GADGET snapshot");
  InitialConditions found = bodies_of(file);
  if (is_comoving(file)) {
    take_comoving(file, found);
    return found;
  }
  found.time = time_of(file);
  double gravitation = parameter_of(file, "GravityConstantInternal").value_or(0);
  if (!(gravitation > 0)) {
    const auto units = units_of(file);
    gravitation = units ? units->gravitation() : 1;
  }
  for (double& mass : found.bodies.mass) mass *= gravitation;
  return found;
}

namespace {

/// Of GADGET, 1 where its name tells none.
std::size_t type_of(const std::string& origin) {
  for (std::size_t type = 0; type < gadget_types.size(); ++type) {
    if (contains(origin, gadget_types[type])) return type;
  }
  return 1;
}

/// Numbers of bodies, by type, in their order.
std::array<std::vector<std::size_t>, gadget_types.size()> by_type(const InitialConditions& start) {
  std::vector<std::size_t> types;
  for (const std::string& origin : start.origins) types.push_back(type_of(origin));
  std::array<std::vector<std::size_t>, gadget_types.size()> numbers;
  for (std::size_t i = 0; i < start.bodies.size(); ++i)
    numbers[types[start.origin.empty() ? 0 : start.origin[i]]].push_back(i);
  return numbers;
}

/// What a dataset's numbers are in, by GADGET-4's attributes: powers of a and of h, and of the units.
struct GadgetScaling {
  double a, h, length, mass, velocity;
};

class GadgetWriter {
 public:
  GadgetWriter(const InitialConditions& start, const std::filesystem::path& path)
      : start_(start), to_file_(to_file(start)), file_(path) {}

  void write() {
    const auto numbers = by_type(start_);
    write_header(numbers);
    write_parameters();
    for (std::size_t type = 0; type < numbers.size(); ++type) {
      if (!numbers[type].empty()) write_type(fmt::format("PartType{}", type), numbers[type]);
    }
    file_.finish();
  }

 private:
  struct Factors {
    double length = 1, speed = 1, mass = 1;
  };
  static Factors to_file(const InitialConditions& start) {
    if (!start.box) return {};
    const ToBox box(box_units);
    return {1 / box.length, std::exp(-start.time / 2) / box.speed, 1 / box.mass};
  }

  void write_header(const std::array<std::vector<std::size_t>, gadget_types.size()>& numbers) {
    std::vector<std::uint32_t> counts, high;
    for (const auto& each : numbers) {
      counts.push_back(static_cast<std::uint32_t>(each.size()));
      high.push_back(static_cast<std::uint32_t>(std::uint64_t{each.size()} >> 32));
    }
    const double a = start_.box ? std::exp(start_.time) : 1;
    file_.add_group("Header");
    file_.set_attribute("Header", "NumPart_ThisFile", counts);
    file_.set_attribute("Header", "NumPart_Total", counts);
    file_.set_attribute("Header", "NumPart_Total_HighWord", high);
    file_.set_attribute("Header", "MassTable", std::vector<double>(gadget_types.size()));
    file_.set_attribute("Header", "Time", start_.box ? a : start_.time);
    file_.set_attribute("Header", "Redshift", 1 / a - 1);
    file_.set_attribute("Header", "BoxSize", start_.box ? start_.box->side * to_file_.length : 0);
    file_.set_attribute("Header", "NumFilesPerSnapshot", std::vector<std::uint32_t>{1});
    if (start_.box) write_cosmology("Header");  // where GADGET-2 has it
  }
  void write_cosmology(const char* group) {
    const Cosmology& cosmology = start_.box->cosmology;
    file_.set_attribute(group, "Omega0", cosmology.omega_matter);
    file_.set_attribute(group, "OmegaLambda", cosmology.omega_lambda);
    file_.set_attribute(group, "HubbleParam", cosmology.hubble);
  }
  void write_parameters() {
    file_.add_group("Parameters");
    file_.set_attribute("Parameters", "ComovingIntegrationOn",
                        std::vector<std::uint32_t>{start_.box ? 1u : 0u});
    if (!start_.box) {
      file_.set_attribute("Parameters", "GravityConstantInternal", 1.0);
      return;
    }
    write_cosmology("Parameters");
    file_.set_attribute("Parameters", "BoxSize", start_.box->side * to_file_.length);
    file_.set_attribute("Parameters", "UnitLength_in_cm", box_units.length);
    file_.set_attribute("Parameters", "UnitMass_in_g", box_units.mass);
    file_.set_attribute("Parameters", "UnitVelocity_in_cm_per_s", box_units.speed);
  }

  void write_type(const std::string& group, const std::vector<std::size_t>& numbers) {
    const Bodies& bodies = start_.bodies;
    file_.add_group(group);
    write_vectors(group + "/Coordinates", numbers, {&bodies.x, &bodies.y, &bodies.z}, to_file_.length);
    describe(group + "/Coordinates", {1, -1, 1, 0, 0});
    write_vectors(group + "/Velocities", numbers, {&bodies.vx, &bodies.vy, &bodies.vz}, to_file_.speed);
    describe(group + "/Velocities", {0.5, 0, 0, 0, 1});
    std::vector<double> mass;
    for (const std::size_t i : numbers) mass.push_back(bodies.mass[i] * to_file_.mass);
    file_.add(group + "/Masses", mass, {mass.size()});
    describe(group + "/Masses", {0, -1, 0, 1, 0});
    std::vector<std::uint64_t> ids;
    for (const std::size_t i : numbers) ids.push_back(start_.id.empty() ? i + 1 : start_.id[i]);
    file_.add(group + "/ParticleIDs", ids);
  }
  void write_vectors(const std::string& name, const std::vector<std::size_t>& numbers,
                     const std::array<const std::vector<double>*, 3>& axes, double by) {
    std::vector<double> rows(3 * numbers.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!axes[i % 3]->empty()) rows[i] = (*axes[i % 3])[numbers[i / 3]] * by;
    }
    file_.add(name, rows, {numbers.size(), 3});
  }
  /// Only where there are units.
  void describe(const std::string& dataset, const GadgetScaling& of) {
    if (!start_.box) return;
    const double to_cgs = std::pow(box_units.length, of.length) * std::pow(box_units.mass, of.mass) *
                          std::pow(box_units.speed, of.velocity);
    for (const auto& [name, value] : {std::pair{"a_scaling", of.a},
                                      {"h_scaling", of.h},
                                      {"length_scaling", of.length},
                                      {"mass_scaling", of.mass},
                                      {"velocity_scaling", of.velocity},
                                      {"to_cgs", to_cgs}}) {
      file_.set_attribute(dataset, name, value);
    }
  }

  const InitialConditions& start_;
  Factors to_file_;
  Hdf5Writer file_;
};

}  // namespace

void write_gadget(const InitialConditions& start, const std::filesystem::path& path) {
  GadgetWriter(start, path).write();
}

}  // namespace isolume::nbody
