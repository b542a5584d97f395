#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "core/base/text.h"
#include "core/nbody/files/gadget.h"
#include "core/nbody/files/snapshot.h"

namespace isolume::nbody {

namespace {

constexpr std::size_t gadget_type_count = 6;

/// GADGET's particle type for an origin; 1 if the name matches none.
std::size_t type_of(const std::string& origin) {
  for (std::size_t type = 0; type < gadget_type_count; ++type) {
    if (contains(origin, snapshot_types[type])) return type;
  }
  return 1;
}

/// Indices of the bodies of each type, in their order.
std::array<std::vector<std::size_t>, gadget_type_count> by_type(const InitialConditions& start) {
  std::vector<std::size_t> types;
  for (const std::string& origin : start.origins) types.push_back(type_of(origin));
  std::array<std::vector<std::size_t>, gadget_type_count> numbers;
  for (std::size_t i = 0; i < start.bodies.size(); ++i)
    numbers[types[start.origin.empty() ? 0 : start.origin[i]]].push_back(i);
  return numbers;
}

/// Units of a dataset, by GADGET-4's attributes: powers of a, of h, and of the units.
struct GadgetScaling {
  double a, h, length, mass, velocity;
};

class GadgetWriter {
 public:
  GadgetWriter(const InitialConditions& start, const std::filesystem::path& path)
      : start_(start), to_file_(to_file(start)), file_(write_hdf5(path)) {}

  void write() {
    const auto numbers = by_type(start_);
    write_header(numbers);
    write_parameters();
    for (std::size_t type = 0; type < numbers.size(); ++type) {
      if (!numbers[type].empty()) write_type(fmt::format("PartType{}", type), numbers[type]);
    }
    file_->finish();
  }

 private:
  struct Factors {
    double length = 1, speed = 1, mass = 1;
  };
  static Factors to_file(const InitialConditions& start) {
    if (!start.box) return {.mass = start.units ? 1 / start.units->gravitation : 1};
    const ToBox box(gadget_units());
    return {1 / box.length, std::exp(-start.time / 2) / box.speed, 1 / box.mass};
  }

  void write_header(const std::array<std::vector<std::size_t>, gadget_type_count>& numbers) {
    std::vector<std::uint32_t> counts, high;
    for (const auto& each : numbers) {
      counts.push_back(static_cast<std::uint32_t>(each.size()));
      high.push_back(static_cast<std::uint32_t>(std::uint64_t{each.size()} >> 32));
    }
    const double a = start_.box ? std::exp(start_.time) : 1;
    file_->add_group("Header");
    file_->set_attribute("Header", "NumPart_ThisFile", counts);
    file_->set_attribute("Header", "NumPart_Total", counts);
    file_->set_attribute("Header", "NumPart_Total_HighWord", high);
    file_->set_attribute("Header", "MassTable", std::vector<double>(gadget_type_count));
    file_->set_attribute("Header", "Time", start_.box ? a : start_.time);
    file_->set_attribute("Header", "Redshift", 1 / a - 1);
    file_->set_attribute("Header", "BoxSize", start_.box ? start_.box->side * to_file_.length : 0);
    file_->set_attribute("Header", "NumFilesPerSnapshot", std::vector<std::uint32_t>{1});
    if (start_.box) write_cosmology("Header");  // where GADGET-2 has it
  }
  void write_cosmology(const char* group) {
    const Cosmology& cosmology = start_.box->cosmology;
    file_->set_attribute(group, "Omega0", cosmology.omega_matter);
    file_->set_attribute(group, "OmegaLambda", cosmology.omega_lambda);
    file_->set_attribute(group, "HubbleParam", cosmology.hubble);
  }
  void write_parameters() {
    file_->add_group("Parameters");
    file_->set_attribute("Parameters", "ComovingIntegrationOn",
                         std::vector<std::uint32_t>{start_.box ? 1u : 0u});
    if (!start_.box) {
      file_->set_attribute("Parameters", "GravityConstantInternal",
                           start_.units ? start_.units->gravitation : 1.0);
      if (start_.units) write_units(*start_.units);
      return;
    }
    write_cosmology("Parameters");
    file_->set_attribute("Parameters", "BoxSize", start_.box->side * to_file_.length);
    write_units(gadget_units());
  }

  void write_units(const Units& units) {
    file_->set_attribute("Parameters", "UnitLength_in_cm", units.length);
    file_->set_attribute("Parameters", "UnitMass_in_g", units.mass);
    file_->set_attribute("Parameters", "UnitVelocity_in_cm_per_s", units.speed);
  }

  void write_type(const std::string& group, const std::vector<std::size_t>& numbers) {
    const Bodies& bodies = start_.bodies;
    file_->add_group(group);
    write_vectors(group + "/Coordinates", numbers, {&bodies.x, &bodies.y, &bodies.z}, to_file_.length);
    describe(group + "/Coordinates", {1, -1, 1, 0, 0});
    write_vectors(group + "/Velocities", numbers, {&bodies.vx, &bodies.vy, &bodies.vz}, to_file_.speed);
    describe(group + "/Velocities", {0.5, 0, 0, 0, 1});
    std::vector<double> mass;
    for (const std::size_t i : numbers) mass.push_back(bodies.mass[i] * to_file_.mass);
    file_->add(group + "/Masses", mass, {mass.size()});
    describe(group + "/Masses", {0, -1, 0, 1, 0});
    std::vector<std::uint64_t> ids;
    for (const std::size_t i : numbers) ids.push_back(start_.id.empty() ? i + 1 : start_.id[i]);
    file_->add(group + "/ParticleIDs", ids);
  }
  void write_vectors(const std::string& name, const std::vector<std::size_t>& numbers,
                     const std::array<const std::vector<double>*, 3>& axes, double by) {
    std::vector<double> rows(3 * numbers.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (!axes[i % 3]->empty()) rows[i] = (*axes[i % 3])[numbers[i / 3]] * by;
    }
    file_->add(name, rows, {numbers.size(), 3});
  }
  /// Only if the bodies have units.
  void describe(const std::string& dataset, const GadgetScaling& of) {
    if (!start_.box) return;
    const Units units = gadget_units();
    const double to_cgs = std::pow(units.length, of.length) * std::pow(units.mass, of.mass) *
                          std::pow(units.speed, of.velocity);
    for (const auto& [name, value] : {std::pair{"a_scaling", of.a},
                                      {"h_scaling", of.h},
                                      {"length_scaling", of.length},
                                      {"mass_scaling", of.mass},
                                      {"velocity_scaling", of.velocity},
                                      {"to_cgs", to_cgs}}) {
      file_->set_attribute(dataset, name, value);
    }
  }

  const InitialConditions& start_;
  Factors to_file_;
  std::unique_ptr<Hdf5Writer> file_;
};

}  // namespace

void write_gadget(const InitialConditions& start, const std::filesystem::path& path) {
  GadgetWriter(start, path).write();
}

}  // namespace isolume::nbody
