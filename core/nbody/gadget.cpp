#include "core/nbody/gadget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/snapshot.h"

namespace isolume::nbody {
namespace {

/// Programs of this family have up to seven particle types; none has more than ten.
constexpr std::size_t most_types = 10;
using Counts = std::array<std::uint64_t, most_types>;

/// The first parameter found among the groups in which programs store it.
std::optional<double> parameter_of(const Hdf5Reader& file, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    for (const char* group : {"Parameters", "Header", "Units", "Cosmology"}) {
      const auto found = file.attribute(group, name);
      if (found && (found->size() == 1 || found->size() == 3)) return found->front();  // 3: sides of a box
    }
  }
  return std::nullopt;
}

/// Names that programs give to their units, in cgs.
struct UnitDialect {
  const char *length, *mass;
  const char* speed;  ///< null if the program stores a time
  const char* time;
};
constexpr UnitDialect unit_dialects[]{
    // GADGET-2 (names of its parameter file) to GADGET-4, AREPO, EAGLE
    {"UnitLength_in_cm", "UnitMass_in_g", "UnitVelocity_in_cm_per_s", nullptr},
    {"UnitLength_In_CGS", "UnitMass_In_CGS", "UnitVelocity_In_CGS", nullptr},                   // GIZMO
    {"Unit length in cgs (U_L)", "Unit mass in cgs (U_M)", nullptr, "Unit time in cgs (U_t)"},  // SWIFT
};

std::optional<Units> units_in(const Hdf5Reader& file, Remarks& remarks) {
  for (const UnitDialect& each : unit_dialects) {
    const auto length = parameter_of(file, {each.length}), mass = parameter_of(file, {each.mass});
    auto speed = parameter_of(file, {each.speed != nullptr ? each.speed : each.time});
    if (!length && !mass && !speed) continue;
    if (each.speed == nullptr && length && speed) speed = *length / *speed;
    const Units units = units_of(length.value_or(0), mass.value_or(0), speed.value_or(0));
    if (make_sense(units)) return units;
    remarks.warn(
        fmt::format("The file has not all of its units: {} is {:.6g}, {} is {:.6g}. They are not used.",
                    each.length, length.value_or(0), each.mass, mass.value_or(0)));
  }
  return std::nullopt;
}

SnapshotHeader header_of(const Hdf5Reader& file, Remarks& remarks) {
  SnapshotHeader header;
  header.time = file.attribute("Header", "Time").value_or(std::vector<double>{0}).front();
  header.redshift = parameter_of(file, {"Redshift"});
  header.box_size = parameter_of(file, {"BoxSize"});
  header.omega_matter = parameter_of(file, {"Omega0", "Omega_Matter", "Omega_m"});
  header.omega_lambda = parameter_of(file, {"OmegaLambda", "Omega_Lambda", "Omega_lambda"});
  header.hubble = parameter_of(file, {"HubbleParam", "h"});
  header.scale_factor = parameter_of(file, {"Scale-factor", "ExpansionFactor"});  // SWIFT, EAGLE
  if (const auto told = parameter_of(file, {"ComovingIntegrationOn", "Cosmological run"}))
    header.comoving = *told != 0;
  header.units = units_in(file, remarks);
  const auto gravitation =
      parameter_of(file, {"GravityConstantInternal", "Gravitational_Constant_In_Code_Inits"});
  if (gravitation.value_or(0) > 0) header.gravitation = gravitation;
  header.like_gadget = !parameter_of(file, {"Unit length in cgs (U_L)"});
  return header;
}

/// Counts by type, as stated in the header, which may differ from the number of rows.
Counts counts_in_header(const Hdf5Reader& file, const char* name, const char* high_words) {
  const auto low = file.attribute("Header", name), high = file.attribute("Header", high_words);
  Counts counts = {};
  for (std::size_t type = 0; low && type < std::min(low->size(), counts.size()); ++type) {
    const double count = (*low)[type] + (high && type < high->size() ? 0x1p32 * (*high)[type] : 0);
    if (!(count >= 0 && count < 0x1p53)) file.fail(fmt::format("{} is {} in its header", name, count));
    counts[type] = static_cast<std::uint64_t>(count);
  }
  for (std::size_t type = counts.size(); low && type < low->size(); ++type) {
    if ((*low)[type] != 0)
      file.fail(fmt::format("{} counts bodies of type {}, and types above {} are not read", name, type,
                            counts.size() - 1));
  }
  return counts;
}

std::string group_of(std::size_t type) {
  return fmt::format("PartType{}", type);
}
/// True for tracers, for example.
bool has_no_places(const Hdf5Reader& file, std::size_t type) {
  return file.has(group_of(type)) && !file.has(group_of(type) + "/Coordinates");
}

/// Counts of all types up to the last one present: "0 + 2 + 0 + 0 + 0 + 0".
std::string in_words(const Counts& counts) {
  std::size_t end = counts.size();
  while (end > 6 && counts[end - 1] == 0) --end;
  return fmt::format("{}",
                     fmt::join(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(end), " + "));
}

/// Number of rows in the datasets; throws where the header disagrees.
Counts counts_of(const Hdf5Reader& file) {
  Counts counts = {};
  for (std::size_t type = 0; type < counts.size(); ++type) {
    const std::string places = group_of(type) + "/Coordinates";
    if (!file.has(places)) continue;
    const Shape shape = file.shape(places);
    if (shape.size() != 2 || shape[1] != 3)
      file.fail(fmt::format("{} does not hold three numbers a body", places));
    counts[type] = shape[0];
  }
  constexpr const char* name = "NumPart_ThisFile";
  if (!file.attribute("Header", name)) return counts;
  Counts told = counts_in_header(file, name, "");
  for (std::size_t type = 0; type < told.size(); ++type) {
    if (has_no_places(file, type)) told[type] = 0;
  }
  if (told != counts) {
    file.fail(fmt::format("its header says that there are {} bodies in it, but there are {}", in_words(told),
                          in_words(counts)));
  }
  return counts;
}

/// The files of a snapshot, of which `file` is one.
std::vector<std::filesystem::path> all_files(const Hdf5Reader& file) {
  const auto told = file.attribute("Header", "NumFilesPerSnapshot");
  return files_of_snapshot(file.path(), told ? told->front() : 1);
}

void append(const std::vector<double>& rows, const std::array<std::vector<double>*, 3>& axes) {
  for (std::size_t i = 0; i < rows.size(); ++i) axes[i % 3]->push_back(rows[i]);
}

/// The first of these that there is.
std::optional<std::string> dataset_of(const Hdf5Reader& file, std::size_t type,
                                      std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (file.has(group_of(type) + name)) return group_of(type) + name;
  }
  return std::nullopt;
}
/// SWIFT's black holes have two kinds of mass; the last name is EAGLE's.
std::optional<std::string> mass_dataset(const Hdf5Reader& file, std::size_t type) {
  return dataset_of(file, type, {"/Masses", "/DynamicalMasses", "/Mass"});
}

double mass_in_table(const Hdf5Reader& file, std::size_t type) {
  const auto table = file.attribute("Header", "MassTable").value_or(std::vector<double>());
  return type < table.size() ? table[type] : 0;
}

void add_type(const Hdf5Reader& file, std::size_t type, std::uint64_t count, InitialConditions& to) {
  Bodies& bodies = to.bodies;
  append(file.numbers(group_of(type) + "/Coordinates", {count, 3}), {&bodies.x, &bodies.y, &bodies.z});
  const auto velocities = dataset_of(file, type, {"/Velocities", "/Velocity"});
  append(file.numbers(velocities.value_or(group_of(type) + "/Velocities"), {count, 3}),
         {&bodies.vx, &bodies.vy, &bodies.vz});
  const double same = mass_in_table(file, type);
  const auto mass =
      same > 0 ? std::vector<double>(count, same) : file.numbers(*mass_dataset(file, type), {count});
  bodies.mass.insert(bodies.mass.end(), mass.begin(), mass.end());
  const std::string ids = group_of(type) + "/ParticleIDs";
  if (file.has(ids)) {
    const auto found = file.integers(ids, count);
    to.id.insert(to.id.end(), found.begin(), found.end());
  }
}

/// Adds a remark on particles of a type that lack a dataset and cannot be used.
void leave_out(const Hdf5Reader& file, std::size_t type, std::uint64_t count, const char* missing,
               Remarks& remarks) {
  remarks.dropped(fmt::format("{} of {} ({} bodies) is left out: it has no {}.", group_of(type),
                              file.path().filename().string(), count, missing),
                  count);
}

/// Calls `use` for each file of the snapshot that `given` belongs to.
template <class Use>
auto in_file(const Hdf5Reader& given, const std::filesystem::path& path, const Use& use) {
  return path == given.path() ? use(given) : use(Hdf5Reader(path, given.stop_token()));
}

/// Reads all files, in their units. Each is opened twice, so that only one is open besides the given one.
InitialConditions bodies_of(const Hdf5Reader& given) {
  InitialConditions found;
  found.origins.clear();
  const auto paths = all_files(given);
  found.files = paths;
  std::vector<Counts> counts;
  Counts sums = {};
  Counts without_places = {};
  for (const auto& path : paths) {
    in_file(given, path, [&](const Hdf5Reader& file) {
      counts.push_back(counts_of(file));
      for (std::size_t type = 0; type < sums.size(); ++type) {
        Counts& counted = counts.back();
        if (has_no_places(file, type)) {
          const std::uint64_t left_out = counts_in_header(file, "NumPart_ThisFile", "")[type];
          leave_out(file, type, left_out, "Coordinates", found.remarks);
          without_places[type] = 1;
        }
        sums[type] += counted[type];
        if (counted[type] > 0 && !(mass_in_table(file, type) > 0) && !mass_dataset(file, type)) {
          leave_out(file, type, counted[type], "Masses", found.remarks);
          counted[type] = 0;
        }
      }
    });
  }
  constexpr const char* header = "NumPart_Total";
  Counts told = counts_in_header(given, header, "NumPart_Total_HighWord");
  for (std::size_t type = 0; type < told.size(); ++type) {
    if (without_places[type] != 0) told[type] = 0;
  }
  if (given.attribute("Header", header) && told != sums) {
    given.fail(fmt::format("its header says that there are {} bodies in all, but there are {}",
                           in_words(told), in_words(sums)));
  }
  std::uint64_t all = 0;
  for (const Counts& each : counts) all = std::accumulate(each.begin(), each.end(), all);
  make_room_for_snapshot(given.path(), all, found);
  for (std::size_t type = 0; type < sums.size(); ++type) {
    const std::size_t before = found.bodies.size();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (counts[i][type] == 0) continue;
      in_file(given, paths[i], [&](const Hdf5Reader& file) { add_type(file, type, counts[i][type], found); });
    }
    add_snapshot_origin(type, before, found);
  }
  if (found.id.size() != found.bodies.size()) found.id.clear();
  return found;
}

}  // namespace

InitialConditions read_gadget(const Hdf5Reader& file, UnitsChoice units) {
  if (!file.has("Header")) file.fail("there is no group Header, so this is not a GADGET snapshot");
  InitialConditions found = bodies_of(file);
  const SnapshotHeader header = header_of(file, found.remarks);
  take_units(header, units, file.path(), found);
  return found;
}

}  // namespace isolume::nbody
