#include "core/nbody/files/gadget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/counted.h"
#include "core/base/error.h"
#include "core/dispatch/dispatch.h"
#include "core/nbody/files/snapshot.h"

namespace isolume::nbody {
namespace {

/// Programs of this family have up to seven particle types; none has more than ten.
constexpr std::size_t most_types = 10;
using Counts = std::array<std::uint64_t, most_types>;

using Unreadable = std::vector<std::string>;  ///< as SnapshotHeader has it

/// An attribute that is one finite number, or three times the same, as the sides of a box. Nothing where it is missing,
/// or is anything else, which is added to `unreadable`.
std::optional<double> number_in(const Hdf5Reader& file, const std::string& of, const char* name,
                                Unreadable& unreadable) {
  const auto found = file.attribute(of, name);
  if (!found) return std::nullopt;
  const double first = found->front();
  const bool fits = found->size() == 1 || found->size() == 3;
  if (fits && std::isfinite(first) && *found == std::vector<double>(found->size(), first)) return first;
  const auto text = file.text_attribute(of, name);
  std::string what = fmt::format("{} ({}) is {}", name, of,
                                 text                ? isolume::quoted(*text)
                                 : found->size() > 3 ? fmt::format("{} numbers", found->size())
                                                     : fmt::format("{}", fmt::join(*found, " × ")));
  if (std::ranges::find(unreadable, what) == unreadable.end()) unreadable.push_back(std::move(what));
  return std::nullopt;
}

/// The first parameter found among the groups in which programs store it.
std::optional<double> parameter_of(const Hdf5Reader& file, std::initializer_list<const char*> names,
                                   Unreadable& unreadable) {
  for (const char* name : names) {
    for (const char* group : {"Parameters", "Header", "Units", "Cosmology"}) {
      if (const auto found = number_in(file, group, name, unreadable)) return found;
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

/// Programs round constants to three digits or more.
bool are_about_the_same(double one, double other) {
  return std::abs(one / other - 1) < 2e-3;
}

/// A unit in cgs, by the attribute that states it.
class StatedUnit {
 public:
  explicit StatedUnit(const char* of) : of_(of) {}

  /// Only the first one is used. Others that contradict it are named. Nothing: what is there cannot be used.
  void add(std::optional<double> size, const std::string& by, Remarks& remarks) {
    if (!size || !(*size > 0) || !std::isfinite(*size)) {
      if (unusable_.empty()) unusable_ = by;
    } else if (!size_) {
      size_ = size;
      by_ = by;
    } else if (!are_about_the_same(*size, *size_)) {
      remarks.warn(
          fmt::format("The unit of {} is {:.6g} in cgs units by {}, but {:.6g} by {}. The first is used.",
                      of_, *size_, by_, *size, by));
    }
  }
  const std::optional<double>& size() const { return size_; }
  bool is_named() const { return size_ || !unusable_.empty(); }
  std::string in_words() const {
    if (size_) return fmt::format("{} is {:.6g} in cgs units by {}", of_, *size_, by_);
    return unusable_.empty() ? fmt::format("{} is missing", of_)
                             : fmt::format("{} is no positive number by {}", of_, unusable_);
  }

 private:
  const char* of_;
  std::optional<double> size_;
  std::string by_, unusable_;
};

/// What a dataset states of its numbers: value * a^a * h^h * cgs is physical.
struct DatasetScaling {
  std::string dataset;
  std::optional<double> cgs, a, h;

  bool states_anything() const { return cgs || a || h; }
};
/// Of positions, velocities and masses, by the first particle type that states them.
using DatasetScalings = std::array<DatasetScaling, 3>;

/// Names of AREPO and GADGET-4, of EAGLE, and of SWIFT.
DatasetScaling scaling_of(const Hdf5Reader& file, const std::string& dataset, Unreadable& unreadable) {
  const auto number = [&](std::initializer_list<const char*> names) -> std::optional<double> {
    for (const char* name : names) {
      if (const auto found = number_in(file, dataset, name, unreadable)) return found;
    }
    return std::nullopt;
  };
  DatasetScaling found{.dataset = dataset,
                       .cgs = number({"to_cgs", "CGSConversionFactor",
                                      "Conversion factor to CGS (not including cosmological corrections)"}),
                       .a = number({"a_scaling", "aexp-scale-exponent", "a-scale exponent"}),
                       .h = number({"h_scaling", "h-scale-exponent", "h-scale exponent"})};
  if (found.cgs && !(*found.cgs > 0)) found.cgs.reset();  // AREPO writes 0 for an unknown unit
  if (number({"Value stored as physical"}).value_or(0) == 1) found.a = 0;
  return found;
}

/// Throws InputError where types differ: their numbers are not comparable.
void add_scaling(const Hdf5Reader& file, const DatasetScaling& found, DatasetScaling& to) {
  if (!found.states_anything()) return;
  if (!to.states_anything()) {
    to = found;
    return;
  }
  const auto differ = [](const std::optional<double>& one, const std::optional<double>& other) {
    return one && other && std::abs(*one - *other) > 2e-3 * std::abs(*one);
  };
  if (differ(to.cgs, found.cgs) || differ(to.a, found.a) || differ(to.h, found.h))
    file.fail(fmt::format("{} and {} state different units", to.dataset, found.dataset));
}

/// Groups that may hold attributes with units: those in which programs store them, then the file and any other group.
std::vector<std::string> groups_with_units(const Hdf5Reader& file) {
  std::vector<std::string> groups{"Parameters", "Header", "Units", "Cosmology", "/"};
  for (const std::string& each : file.members("/")) {
    // SWIFT computes in InternalCodeUnits, and writes in the units of Units.
    if (!each.starts_with("PartType") && each != "InternalCodeUnits" &&
        std::ranges::find(groups, each) == groups.end())
      groups.push_back(each);
  }
  return groups;
}

void take_units_of(const Hdf5Reader& file, const DatasetScalings& datasets, SnapshotHeader& header,
                   Remarks& remarks) {
  StatedUnit length("length"), mass("mass"), speed("speed");
  for (const std::string& group : groups_with_units(file)) {
    // Adds `size_by` of what the attribute states. A missing one adds nothing.
    const auto add = [&](StatedUnit& unit, const char* name, const auto& size_by) {
      const std::size_t before = header.unreadable.size();
      const auto value = number_in(file, group, name, header.unreadable);
      if (value || header.unreadable.size() > before)
        unit.add(value ? size_by(*value) : value, fmt::format("{} ({})", name, group), remarks);
      return value;
    };
    const auto as_stated = [](double value) { return std::optional(value); };
    for (const UnitDialect& each : unit_dialects) {
      const auto length_here = add(length, each.length, as_stated);
      add(mass, each.mass, as_stated);
      if (each.speed != nullptr) add(speed, each.speed, as_stated);
      if (each.time != nullptr) {
        add(speed, each.time, [&](double time) {
          return length_here && time > 0 ? std::optional(*length_here / time) : std::nullopt;
        });
      }
    }
  }
  const std::array of_datasets{&length, &speed, &mass};
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    if (datasets[i].cgs) of_datasets[i]->add(datasets[i].cgs, datasets[i].dataset, remarks);
  }
  header.names_some_units |= length.is_named() || mass.is_named() || speed.is_named();
  const Units units = units_of(length.size().value_or(0), mass.size().value_or(0), speed.size().value_or(0));
  if (make_sense(units)) {
    header.units = units;
  } else if (header.names_some_units) {
    remarks.warn(fmt::format("The file has not all of its units: {}, {}, {}. They are not used.",
                             length.in_words(), mass.in_words(), speed.in_words()));
  }
  const auto powers = [](const DatasetScaling& of) { return StatedPowers{of.a, of.h}; };
  header.of_positions = powers(datasets[0]);
  header.of_velocities = powers(datasets[1]);
  header.of_masses = powers(datasets[2]);
}

/// `unreadable`: attributes of the datasets.
SnapshotHeader header_of(const Hdf5Reader& file, const DatasetScalings& datasets, Unreadable unreadable,
                         Remarks& remarks) {
  SnapshotHeader header;
  header.unreadable = std::move(unreadable);
  header.names_some_units = !header.unreadable.empty();
  const auto parameter = [&](std::initializer_list<const char*> names) {
    return parameter_of(file, names, header.unreadable);
  };
  header.redshift = parameter({"Redshift"});
  header.box_size = parameter({"BoxSize"});
  header.omega_matter = parameter({"Omega0", "Omega_Matter", "Omega_m"});
  header.omega_lambda = parameter({"OmegaLambda", "Omega_Lambda", "Omega_lambda"});
  header.hubble = parameter({"HubbleParam", "h"});
  header.scale_factor = parameter({"Scale-factor", "ExpansionFactor"});  // SWIFT, EAGLE
  if (const auto told = parameter({"ComovingIntegrationOn", "Cosmological run"}))
    header.comoving = *told != 0;
  take_units_of(file, datasets, header, remarks);
  const auto gravitation = parameter({"GravityConstantInternal", "Gravitational_Constant_In_Code_Inits"});
  if (gravitation.value_or(0) > 0) header.gravitation = gravitation;
  header.like_gadget = !parameter({"Unit length in cgs (U_L)"});
  if (!header.unreadable.empty()) {
    remarks.dropped(fmt::format("Attributes that cannot be read as numbers are not used: {}. Write them as "
                                "finite numbers, with a decimal point.",
                                first_names(header.unreadable)),
                    header.unreadable.size());
  }
  const std::size_t before = header.unreadable.size();
  header.time = number_in(file, "Header", "Time", header.unreadable).value_or(0);
  if (header.unreadable.size() > before) {
    remarks.assumed(
        fmt::format("{}, which cannot be read as a number: the time 0 is taken. Write it as a "
                    "finite number, with a decimal point.",
                    header.unreadable.back()));
  }
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

std::string velocity_dataset(const Hdf5Reader& file, std::size_t type) {
  return dataset_of(file, type, {"/Velocities", "/Velocity"}).value_or(group_of(type) + "/Velocities");
}

void add_scalings(const Hdf5Reader& file, std::size_t type, DatasetScalings& to, Unreadable& unreadable) {
  const auto add = [&](const std::string& dataset, DatasetScaling& scaling) {
    add_scaling(file, scaling_of(file, dataset, unreadable), scaling);
  };
  add(group_of(type) + "/Coordinates", to[0]);
  add(velocity_dataset(file, type), to[1]);
  if (const auto mass = mass_dataset(file, type)) add(*mass, to[2]);
}

/// A dataset is preferred to the table, because it is the more specific statement, unless it is empty of masses.
std::vector<double> masses_of(const Hdf5Reader& file, std::size_t type, std::uint64_t count,
                              Remarks& remarks) {
  const double same = mass_in_table(file, type);
  const auto dataset = mass_dataset(file, type);
  if (!dataset) return std::vector<double>(count, same);
  std::vector<double> masses = file.numbers(*dataset, {count});
  require_masses(file.path(), *dataset, masses);
  constexpr double rounding = 1e-6;  // of single precision
  const auto is_same = [&](double mass) { return std::abs(mass - same) <= rounding * same; };
  if (!(same > 0) || std::ranges::all_of(masses, is_same)) return masses;
  const bool all_zero = std::ranges::all_of(masses, [](double mass) { return mass == 0; });
  remarks.warn(fmt::format("{} has the mass {:.6g} in MassTable, but {} in {}. {} used.", group_of(type),
                           same, all_zero ? "only zeros" : "others", *dataset,
                           all_zero ? "The table is" : "Those of the dataset are"));
  return all_zero ? std::vector<double>(count, same) : masses;
}

/// Adds the names of datasets of this type that are not read.
void add_unused(const Hdf5Reader& file, std::size_t type, std::vector<std::string>& unused) {
  const std::array used{group_of(type) + "/Coordinates", velocity_dataset(file, type),
                        mass_dataset(file, type).value_or(""), group_of(type) + "/ParticleIDs"};
  for (const std::string& name : file.members(group_of(type))) {
    if (std::ranges::find(used, group_of(type) + "/" + name) == used.end() &&
        std::ranges::find(unused, name) == unused.end())
      unused.push_back(name);
  }
}

void add_type(const Hdf5Reader& file, std::size_t type, std::uint64_t count, InitialConditions& to) {
  Bodies& bodies = to.bodies;
  append(file.numbers(group_of(type) + "/Coordinates", {count, 3}), {&bodies.x, &bodies.y, &bodies.z});
  append(file.numbers(velocity_dataset(file, type), {count, 3}), {&bodies.vx, &bodies.vy, &bodies.vz});
  const auto mass = masses_of(file, type, count, to.remarks);
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
  remarks.dropped(fmt::format("{} of {} ({}) is left out: it has no {}.", group_of(type),
                              file.path().filename().string(), counted(count, "body", "bodies"), missing),
                  count);
}

/// Calls `use` for each file of the snapshot that `given` belongs to.
template <class Use>
auto in_file(const Hdf5Reader& given, const std::filesystem::path& path, const Use& use) {
  return path == given.path() ? use(given) : use(Hdf5Reader(path, given.stop_token()));
}

/// Reads all files, in their units. Each is opened twice, so that only one is open besides the given one.
InitialConditions bodies_of(const Hdf5Reader& given, DatasetScalings& scalings, Unreadable& unreadable) {
  InitialConditions found;
  found.origins.clear();
  const auto paths = all_files(given);
  found.files = paths;
  std::vector<Counts> counts;
  Counts sums = {};
  Counts without_places = {};
  std::array<bool, most_types> described = {};
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
        if (counted[type] > 0 && !std::exchange(described[type], true))
          add_scalings(file, type, scalings, unreadable);
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
  std::vector<std::string> unused;
  for (std::size_t type = 0; type < sums.size(); ++type) {
    const std::size_t before = found.bodies.size();
    for (std::size_t i = 0; i < paths.size(); ++i) {
      if (counts[i][type] == 0) continue;
      in_file(given, paths[i], [&](const Hdf5Reader& file) {
        add_type(file, type, counts[i][type], found);
        add_unused(file, type, unused);
      });
    }
    add_snapshot_origin(type, before, found);
  }
  if (!unused.empty()) {
    found.remarks.dropped(fmt::format("Datasets that are not used: {}.", first_names(unused, unused.size())),
                          unused.size());
  }
  drop_incomplete_ids("particle types", found);
  return found;
}

}  // namespace

InitialConditions read_gadget(const Hdf5Reader& file, UnitsChoice units) {
  if (!file.has("Header")) file.fail("there is no group Header, so this is not a GADGET snapshot");
  DatasetScalings scalings;
  Unreadable unreadable;
  InitialConditions found = bodies_of(file, scalings, unreadable);
  const SnapshotHeader header = header_of(file, scalings, std::move(unreadable), found.remarks);
  take_units(header, units, file.path(), found);
  return found;
}

}  // namespace isolume::nbody
