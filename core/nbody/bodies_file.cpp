#include "core/nbody/bodies_file.h"

#include <fmt/format.h>

#include "core/base/error.h"
#include "core/nbody/csv.h"
#include "core/nbody/extended_xyz.h"
#include "core/nbody/gadget.h"
#include "core/nbody/hdf5_file.h"
#include "core/nbody/tipsy.h"
#include "core/nbody/trajectory.h"

namespace isolume::nbody {
namespace {

InitialConditions read_any(const std::filesystem::path& path, std::optional<std::size_t> moment,
                           const jobs::Progress& progress) {
  const auto only_one = [&](InitialConditions found) {
    if (!moment || *moment == 0) return found;
    throw InputError(path, 0, "there is one moment in it", "Give moment 0, or leave it out.");
  };
  if (is_hdf5(path)) {
    const Hdf5Reader file(path);
    if (!is_trajectory(file)) return only_one(read_gadget(file));
    const Trajectory trajectory(path);
    return trajectory.moment(moment.value_or(trajectory.moments() - 1));
  }
  if (path.extension() == ".xyz" || path.extension() == ".extxyz") return read_extended_xyz(path, moment);
  if (path.extension() == ".tipsy" || is_tipsy(path)) return only_one(read_tipsy(path));
  return only_one({.bodies = read_bodies_csv(path, progress)});
}

}  // namespace

InitialConditions read_bodies(const std::filesystem::path& path, std::optional<std::size_t> moment,
                              const jobs::Progress& progress) {
  InitialConditions found = read_any(path, moment, progress);
  try {
    check(found);
  } catch (const InputError&) {
    throw;
  } catch (const Error& error) {
    throw InputError(path, 0, error.what());
  }
  return found;
}

void write_bodies(const InitialConditions& bodies, const std::filesystem::path& path,
                  const jobs::Progress& progress) {
  check(bodies);
  const auto suffix = path.extension();
  if (bodies.box && suffix == ".tipsy") {
    throw Error(fmt::format(
        "{}: these bodies are in a comoving box, for which Tipsy files have no place. Give a name "
        "that ends with .hdf5, or with .csv or .xyz for places and velocities alone.",
        path.string()));
  }
  if (suffix == ".csv") {
    write_bodies_csv(bodies.bodies, path, progress);
  } else if (suffix == ".xyz" || suffix == ".extxyz") {
    write_extended_xyz(bodies, path);
  } else if (suffix == ".tipsy") {
    write_tipsy(bodies, path);
  } else if (suffix == ".hdf5" || suffix == ".h5") {
    write_gadget(bodies, path);
  } else {
    throw Error(fmt::format(
        "{}: bodies are not written as {}. Give a name that ends with .csv, .xyz, .tipsy or .hdf5.",
        path.string(), isolume::quoted(suffix.string())));
  }
}

}  // namespace isolume::nbody
