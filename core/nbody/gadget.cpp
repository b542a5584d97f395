#include "core/nbody/gadget.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/base/error.h"

namespace isolume::nbody {
namespace {

constexpr std::array<const char*, 6> gadget_types{"gas", "halo", "disc", "bulge", "stars", "black holes"};

/// Of the file's units; 1 where it does not name them.
double constant_of_gravitation(const Hdf5Reader& file) {
  const auto parameter = [&](const char* name) {
    const auto found = file.attribute("Parameters", name);
    return found && found->size() == 1 ? found->front() : 0;
  };
  if (parameter("ComovingIntegrationOn") != 0) {
    throw InputError(file.path(), 0, "its coordinates are comoving",
                     "Give a snapshot in physical coordinates.");
  }
  if (const double given = parameter("GravityConstantInternal"); given > 0) return given;
  const double length = parameter("UnitLength_in_cm"), mass = parameter("UnitMass_in_g"),
               speed = parameter("UnitVelocity_in_cm_per_s");
  constexpr double newton = 6.67430e-8;  // cm^3 g^-1 s^-2, CODATA 2018
  const double found = newton * mass / length / (speed * speed);
  return length > 0 && mass > 0 && speed > 0 && std::isfinite(found) && found > 0 ? found : 1;
}

void append(const std::vector<double>& rows, const std::array<std::vector<double>*, 3>& axes) {
  for (std::size_t i = 0; i < rows.size(); ++i) axes[i % 3]->push_back(rows[i]);
}

void add_type(const Hdf5Reader& file, std::size_t type, double table_mass, InitialConditions& to) {
  const std::string group = fmt::format("PartType{}/", type);
  const Shape shape = file.shape(group + "Coordinates");
  if (shape.size() != 2 || shape[1] != 3) file.fail(group + "Coordinates does not hold three numbers a body");
  Bodies& bodies = to.bodies;
  append(file.numbers(group + "Coordinates", shape), {&bodies.x, &bodies.y, &bodies.z});
  append(file.numbers(group + "Velocities", shape), {&bodies.vx, &bodies.vy, &bodies.vz});
  const std::vector<double> mass =
      table_mass > 0 ? std::vector<double>(shape[0], table_mass) : file.numbers(group + "Masses", {shape[0]});
  bodies.mass.insert(bodies.mass.end(), mass.begin(), mass.end());
  if (file.has(group + "ParticleIDs")) {
    const auto ids = file.integers(group + "ParticleIDs", shape[0]);
    to.id.insert(to.id.end(), ids.begin(), ids.end());
  }
  to.origin.insert(to.origin.end(), shape[0], static_cast<std::uint8_t>(to.origins.size()));
  to.origins.emplace_back(gadget_types[type]);
}

}  // namespace

InitialConditions read_gadget(const Hdf5Reader& file) {
  if (!file.has("Header")) file.fail("there is no group Header, so this is no GADGET snapshot");
  const auto table = file.attribute("Header", "MassTable").value_or(std::vector<double>(gadget_types.size()));
  if (file.attribute("Header", "NumFilesPerSnapshot").value_or(std::vector<double>{1}) !=
      std::vector<double>{1}) {
    throw InputError(file.path(), 0, "this is one of several files of a snapshot",
                     "Give a snapshot that is in one file.");
  }
  InitialConditions found;
  found.origins.clear();
  for (std::size_t type = 0; type < gadget_types.size(); ++type) {
    if (file.has(fmt::format("PartType{}/Coordinates", type))) {
      add_type(file, type, type < table.size() ? table[type] : 0, found);
    }
  }
  if (found.bodies.size() == 0) file.fail("there is no body in it");
  if (found.id.size() != found.bodies.size()) found.id.clear();
  const double gravitation = constant_of_gravitation(file);
  for (double& mass : found.bodies.mass) mass *= gravitation;
  found.time = file.attribute("Header", "Time").value_or(std::vector<double>{0}).front();
  return found;
}

void write_gadget(const InitialConditions& start, const std::filesystem::path& path) {
  const Bodies& bodies = start.bodies;
  const std::uint64_t count = bodies.size();
  Hdf5Writer file(path);
  file.add_group("Header");
  const std::vector<std::uint32_t> counts{0, static_cast<std::uint32_t>(count), 0, 0, 0, 0};
  const std::vector<std::uint32_t> high{0, static_cast<std::uint32_t>(count >> 32), 0, 0, 0, 0};
  file.set_attribute("Header", "NumPart_ThisFile", counts);
  file.set_attribute("Header", "NumPart_Total", counts);
  file.set_attribute("Header", "NumPart_Total_HighWord", high);
  file.set_attribute("Header", "MassTable", std::vector<double>(gadget_types.size()));
  for (const auto& [name, value] : {std::pair{"Time", start.time}, {"Redshift", 0.0}, {"BoxSize", 0.0}}) {
    file.set_attribute("Header", name, std::vector{value});
  }
  file.set_attribute("Header", "NumFilesPerSnapshot", std::vector<std::uint32_t>{1});
  file.add_group("Parameters");
  file.set_attribute("Parameters", "GravityConstantInternal", std::vector<double>{1});
  file.set_attribute("Parameters", "ComovingIntegrationOn", std::vector<std::uint32_t>{0});
  file.add_group("PartType1");
  const auto add = [&](const char* name, const std::array<const std::vector<double>*, 3>& axes) {
    std::vector<double> rows(3 * count);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!axes[i % 3]->empty()) rows[i] = (*axes[i % 3])[i / 3];
    }
    file.add(name, rows, {count, 3});
  };
  add("PartType1/Coordinates", {&bodies.x, &bodies.y, &bodies.z});
  add("PartType1/Velocities", {&bodies.vx, &bodies.vy, &bodies.vz});
  file.add("PartType1/Masses", bodies.mass, {count});
  std::vector<std::uint64_t> ids = start.id;
  if (ids.empty()) {
    ids.resize(count);
    std::iota(ids.begin(), ids.end(), 1);
  }
  file.add("PartType1/ParticleIDs", ids);
  file.finish();
}

}  // namespace isolume::nbody
