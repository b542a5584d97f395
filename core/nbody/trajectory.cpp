#include "core/nbody/trajectory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/base/error.h"

namespace isolume::nbody {
namespace {

constexpr std::string_view file_format = "isolume-nbody-trajectory";

std::vector<double> whole(const Hdf5Reader& file, const std::string& name) {
  return file.numbers(name, file.shape(name));
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

constexpr std::uint32_t alone = 1, in_a_box = 2;  // versions

void write_box(const ComovingBox& box, Hdf5Writer& file) {
  const Cosmology& cosmology = box.cosmology;
  for (const auto& [name, value] : {std::pair{"box_side", box.side},
                                    {"omega_matter", cosmology.omega_matter},
                                    {"omega_lambda", cosmology.omega_lambda},
                                    {"hubble", cosmology.hubble}}) {
    file.set_attribute("/", name, std::vector{value});
  }
}

ComovingBox read_box(const Hdf5Reader& file) {
  const auto value = [&](const char* name) {
    const auto found = file.attribute("/", name);
    if (!found || found->size() != 1)
      file.fail(fmt::format("it does not say what the attribute {} is", name));
    return found->front();
  };
  const ComovingBox box{value("box_side"), {value("omega_matter"), value("omega_lambda"), value("hubble")}};
  try {
    check(box);
  } catch (const Error& error) {
    throw InputError(file.path(), 0, error.what());
  }
  return box;
}

constexpr std::array unit_names{
    std::pair{"unit_length_cm", &Units::length}, std::pair{"unit_mass_g", &Units::mass},
    std::pair{"unit_speed_cm_s", &Units::speed}, std::pair{"gravitation", &Units::gravitation}};

void write_units(const Units& units, Hdf5Writer& file) {
  for (const auto& [name, value] : unit_names) file.set_attribute("/", name, units.*value);
}

std::optional<Units> read_units(const Hdf5Reader& file) {
  Units units;
  for (const auto& [name, value] : unit_names) {
    const auto found = file.attribute("/", name);
    if (found && found->size() == 1) units.*value = found->front();
  }
  return make_sense(units) ? std::optional(units) : std::nullopt;
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                                   const std::vector<double>& mass, const std::string& made_by)
    : TrajectoryWriter(path, labels, mass.size(), made_by) {
  add_labels(0, mass, labels.id, labels.origin);
}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                                   std::uint64_t bodies, const std::string& made_by)
    : file_(path), in_a_box_(labels.box.has_value()) {
  file_.set_attribute("/", "format", std::string(file_format));
  file_.set_attribute("/", "version", std::vector{labels.box ? in_a_box : alone});
  if (labels.box) write_box(*labels.box, file_);
  if (labels.units) write_units(*labels.units, file_);
  file_.set_attribute("/", "made_by", made_by);
  file_.set_attribute("/", "origins", fmt::format("{}", fmt::join(labels.origins, "\n")));
  file_.add_empty("id", {bodies}, Hdf5Numbers::counts);
  file_.add_empty("mass", {bodies}, Hdf5Numbers::doubles);
  file_.add_empty("origin", {bodies}, Hdf5Numbers::bytes);
  for (const char* each : {"step", "time", "time_step", "softening"}) file_.add_growing(each, {});
  if (in_a_box_) file_.add_growing("energy_lost", {});
  for (const char* each : {"position", "velocity"}) file_.add_growing(each, {bodies, 3});
}

void TrajectoryWriter::add_labels(std::uint64_t first, std::span<const double> mass,
                                  std::span<const std::uint64_t> id, std::span<const std::uint8_t> origin) {
  file_.write_rows("id", first, id);
  file_.write_rows("mass", first, mass);
  file_.write_rows("origin", first, origin);
}

void TrajectoryWriter::begin(const Moment& moment) {
  file_.append("step", std::array{static_cast<double>(moment.step)});
  file_.append("time", std::array{moment.time});
  file_.append("time_step", std::array{moment.options.dt});
  file_.append("softening", std::array{moment.options.softening});
  if (in_a_box_) file_.append("energy_lost", std::array{moment.energy_lost});
  for (const char* each : {"position", "velocity"}) file_.extend(each);
}

void TrajectoryWriter::add_part(std::uint64_t first, const Bodies& bodies, std::size_t from,
                                std::size_t count) {
  row_.resize(3 * count);
  const auto write = [&](const char* name, const std::array<const std::vector<double>*, 3>& axes) {
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = (*axes[i % 3])[from + i / 3];
    file_.write_in_last(name, first, row_);
  };
  write("position", {&bodies.x, &bodies.y, &bodies.z});
  write("velocity", {&bodies.vx, &bodies.vy, &bodies.vz});
}

void TrajectoryWriter::require_space(const std::filesystem::path& path, std::size_t bodies,
                                     std::uint64_t moments, const std::string& what_to_do) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t each = bytes_a_moment(bodies), bytes = moments > most / each ? most : moments * each;
  std::error_code failed;
  const auto space = std::filesystem::space(std::filesystem::absolute(path).parent_path(), failed);
  if (!failed && bytes > space.available)
    throw ResourceError(path.string(), bytes, space.available, what_to_do);
}

void TrajectoryWriter::add(const Bodies& bodies, const Moment& moment) {
  begin(moment);
  for (std::size_t first = 0; first < bodies.size(); first += bodies_a_part)
    add_part(first, bodies, first, std::min(bodies_a_part, bodies.size() - first));
}

bool is_trajectory(const Hdf5Reader& file) {
  return file.text_attribute("/", "format") == file_format;
}

bool is_trajectory(const std::filesystem::path& path) {
  return is_hdf5(path) && is_trajectory(Hdf5Reader(path));
}

/// Of each moment; none where there is no such dataset.
std::vector<double> Trajectory::rows(const std::string& name) const {
  if (!file_.has(name)) return {};
  std::vector<double> values = file_.numbers(name, {moments()});
  const auto wrong = std::ranges::find_if(values, [](double each) { return !(each >= 0 && each <= 1e100); });
  if (wrong != values.end()) file_.fail(fmt::format("{} is {} at one moment", name, *wrong));
  return values;
}

Trajectory::Trajectory(const std::filesystem::path& path) : file_(path) {
  if (!is_trajectory(file_)) file_.fail("this is no trajectory of bodies");
  const auto version = file_.attribute("/", "version");
  const bool boxed = version == std::vector<double>{in_a_box};
  if (!boxed && version != std::vector<double>{alone}) {
    throw InputError(path, 0, "a newer version of Isolume wrote this trajectory", "Open it with that one.");
  }
  if (boxed) box_ = read_box(file_);
  units_ = read_units(file_);
  time_ = whole(file_, "time");
  step_ = whole(file_, "step");
  mass_ = whole(file_, "mass");
  id_ = file_.integers("id", mass_.size());
  origins_ = lines_of(file_.text_attribute("/", "origins").value_or(""));
  for (const double each : whole(file_, "origin")) {
    if (!(each >= 0 && each < static_cast<double>(std::min<std::size_t>(origins_.size(), 256))))
      file_.fail(fmt::format("a body is of origin {}, but there are {} of them", each, origins_.size()));
    origin_.push_back(static_cast<std::uint8_t>(each));
  }
  if (origins_.empty()) file_.fail("it does not say where the bodies come from (origins)");
  made_by_ = file_.text_attribute("/", "made_by").value_or("");
  if (time_.empty() || step_.size() != time_.size()) file_.fail("there is no moment in it");
  time_step_ = rows("time_step");
  softening_ = rows("softening");
  if (box_) {
    energy_lost_.assign(moments(), std::numeric_limits<double>::quiet_NaN());
    if (file_.has("energy_lost")) energy_lost_ = file_.numbers("energy_lost", {moments()});
  }
}

InitialConditions Trajectory::moment(std::size_t number) const {
  if (number >= moments()) {
    throw InputError(file_.path(), 0, fmt::format("there is no moment {}", number),
                     fmt::format("Give one from 0 to {}.", moments() - 1));
  }
  InitialConditions found;
  found.bodies.mass = mass_;
  found.id = id_;
  found.origin = origin_;
  found.origins = origins_;
  found.time = time_[number];
  found.box = box_;
  found.units = units_;
  if (box_) found.softening = usual_softening(*box_, mass_.size());
  if (!softening_.empty()) found.softening = softening_[number];
  if (!time_step_.empty()) found.time_step = time_step_[number];
  const auto read = [&](const char* name, const std::array<std::vector<double>*, 3>& axes) {
    const std::vector<double> row = file_.row(name, number, {mass_.size(), 3});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      axes[axis]->resize(mass_.size());
      for (std::size_t i = 0; i < mass_.size(); ++i) (*axes[axis])[i] = row[3 * i + axis];
    }
  };
  Bodies& bodies = found.bodies;
  read("position", {&bodies.x, &bodies.y, &bodies.z});
  read("velocity", {&bodies.vx, &bodies.vy, &bodies.vz});
  try {
    check(found);
  } catch (const Error& error) {
    throw InputError(file_.path(), 0, fmt::format("moment {}: {}", number, error.what()),
                     "Write the file again with the program that made it.");
  }
  return found;
}

}  // namespace isolume::nbody
