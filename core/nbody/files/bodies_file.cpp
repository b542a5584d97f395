#include "core/nbody/files/bodies_file.h"

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"
#include "core/base/suffix.h"
#include "core/base/text.h"
#include "core/base/text_file.h"
#include "core/nbody/files/csv.h"
#include "core/nbody/files/extended_xyz.h"
#include "core/nbody/files/gadget.h"
#include "core/nbody/files/hdf5_file.h"
#include "core/nbody/files/snapshot.h"
#include "core/nbody/files/tipsy.h"
#include "core/nbody/files/trajectory.h"

namespace isolume::nbody {
namespace {

/// The first line of extended XYZ holds only the count.
bool is_extended_xyz(std::string_view start) {
  const std::string_view text = trimmed(start);
  const std::string_view line = trimmed(text.substr(0, text.find('\n')));
  return line.size() < text.size() && line.find_first_not_of("0123456789") == std::string_view::npos;
}

InitialConditions read_any(const std::filesystem::path& path, std::optional<std::size_t> moment,
                           const jobs::Progress& progress, UnitsChoice units) {
  const auto only_one = [&](InitialConditions found) {
    if (!moment || *moment == 0) return found;
    throw InputError(path, 0, "there is one moment in it", "Give moment 0, or leave it out.");
  };
  if (is_hdf5(path)) {
    const auto file = std::make_shared<const Hdf5Reader>(path, progress.stop_token());
    if (!is_trajectory(*file)) return only_one(read_gadget(*file, units));
    const Trajectory trajectory(file);
    InitialConditions found = trajectory.moment(moment.value_or(trajectory.moments() - 1));
    if (!moment) remark_on_last_moment(trajectory.moments(), found);
    return found;
  }
  const auto in_chosen_units = [&](InitialConditions found) {
    take_chosen_units(units, found);
    return found;
  };
  if (suffix_of(path) == ".tipsy" || is_tipsy(path)) return only_one(read_tipsy(path, units));
  if (is_gadget_binary(path)) return only_one(read_gadget_binary(path, units));
  constexpr std::size_t enough = 256;
  const std::string start = read_text_start(path, enough);
  if (suffix_of(path) == ".xyz" || suffix_of(path) == ".extxyz" || is_extended_xyz(start))
    return in_chosen_units(read_extended_xyz(path, moment));
  if (start.find('\0') != std::string::npos) {
    throw InputError(path, 0, "this is not text, and no HDF5, GADGET or Tipsy file as it stands",
                     "Unpack it if it is gzipped, or export it as a table.");
  }
  return only_one(in_chosen_units(read_bodies_table(path, progress)));
}

}  // namespace

const parameters::Schema<FileOptions>& file_schema() {
  using parameters::field;
  static const parameters::Schema<FileOptions> schema(
      {field("units", &FileOptions::units, "Units of files",
             {{"file", "As the file names them, or usual"},
              {"kpc", "kpc, 10^10 solar masses, km/s"},
              {"pc", "pc, solar masses, km/s"},
              {"au", "au, solar masses, years"},
              {"si", "m, kg, s"},
              {"g1", "G = 1"}})
           .help("Units of a file that names none; a file that names its units keeps them.")});
  return schema;
}

const FileFormats& body_formats() {
  static const FileFormats formats{
      "Bodies",
      {{.title = "Table of bodies", .suffixes = {".csv"}},
       {.title = "Snapshot or trajectory of bodies", .suffixes = {".hdf5", ".h5"}, .is_text = false},
       {.title = "Tipsy snapshot",
        .suffixes = {".tipsy"},
        .mime_type = "application/x-tipsy",
        .is_text = false},
       {.title = "Extended XYZ", .suffixes = {".xyz"}}}};
  return formats;
}

InitialConditions read_bodies(const std::filesystem::path& path, std::optional<std::size_t> moment,
                              const jobs::Progress& progress, UnitsChoice units) {
  InitialConditions found = read_any(path, moment, progress, units);
  if (found.files.empty()) found.files = {path};
  try {
    check(found);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
  return found;
}

namespace {

/// What a format has room for, besides masses, positions and velocities.
struct Room {
  bool id = false, origin = false, radius = false, units = false, box = false;
};

/// Whether the bodies do not have the numbers that they have without any.
bool have_ids(const InitialConditions& bodies) {
  for (std::size_t i = 0; i < bodies.id.size(); ++i) {
    if (bodies.id[i] != i + 1) return true;
  }
  return false;
}

Remarks without_room(const InitialConditions& bodies, const Room& room) {
  std::vector<std::string> lost;
  if (have_ids(bodies) && !room.id) lost.emplace_back("the numbers (ids) of the bodies");
  if (bodies.origins.size() > 1 && !room.origin)
    lost.push_back(fmt::format("the components that bodies belong to ({})", first_names(bodies.origins)));
  if (!bodies.radius.empty() && !room.radius) lost.emplace_back("radii");
  if (bodies.units && !room.units)
    lost.push_back(fmt::format("units ({}; the masses are multiplied by it)", in_words(*bodies.units)));
  if (bodies.box && !room.box) lost.emplace_back("the comoving box with its scale factor");
  Remarks remarks;
  if (!lost.empty()) {
    remarks.dropped(fmt::format("A file of this format does not hold: {}.", fmt::join(lost, ", ")),
                    lost.size());
  }
  return remarks;
}

/// The types of a GADGET snapshot are fewer than the names that bodies may have here.
void remark_on_types(const InitialConditions& bodies, Remarks& remarks) {
  const bool all = std::ranges::all_of(bodies.origins, [](const std::string& origin) {
    return std::ranges::find(snapshot_types, origin) < snapshot_types.begin() + 6;  // as many as are written
  });
  if (bodies.origins.size() < 2 || all) return;
  remarks.converted(fmt::format("Components of the bodies are written as particle types of GADGET: {}.",
                                first_names(bodies.origins)),
                    bodies.origins.size());
}

}  // namespace

bool is_written_as_hdf5(const std::filesystem::path& path) {
  return suffix_of(path) == ".hdf5" || suffix_of(path) == ".h5";
}

Remarks write_bodies(const InitialConditions& bodies, const std::filesystem::path& path,
                     const jobs::Progress& progress) {
  check(bodies);
  const std::string suffix = suffix_of(path);
  if (bodies.box && suffix == ".tipsy") {
    throw Error(
        fmt::format("{}: these bodies are in a comoving box, which Tipsy files cannot store. Give a name "
                    "that ends with .hdf5, or with .csv or .xyz for positions and velocities only.",
                    path.string()));
  }
  if (suffix == ".csv") {
    write_bodies_csv(bodies, path, progress);
    return without_room(bodies, {.origin = true, .radius = true, .units = true});
  }
  if (suffix == ".xyz" || suffix == ".extxyz") {
    write_extended_xyz(bodies, path);
    Remarks remarks = without_room(bodies, {.origin = true, .radius = true, .units = true});
    const bool spaced = std::ranges::any_of(bodies.origins, [](const std::string& origin) {
      return origin.find_first_of(" \t\"") != std::string::npos;
    });
    if (spaced) remarks.converted("Spaces in the names of components are written as underscores.");
    return remarks;
  }
  if (suffix == ".tipsy") {
    write_tipsy(bodies, path);
    return without_room(bodies, {});
  }
  if (is_written_as_hdf5(path)) {
    write_gadget(bodies, path);
    Remarks remarks = without_room(bodies, {.id = true, .origin = true, .units = true, .box = true});
    remark_on_types(bodies, remarks);
    return remarks;
  }
  throw Error(
      fmt::format("{}: bodies are not written as {}. Give a name that ends with .csv, .xyz, .tipsy or .hdf5.",
                  path.string(), isolume::quoted(suffix)));
}

}  // namespace isolume::nbody
