#include "core/nbody/files/trajectory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <sstream>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/base/text.h"
#include "core/parameters/schema.h"

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

constexpr std::uint32_t alone = 1, in_a_box = 2, merging = 3;  // versions
constexpr const char* kinetic_lost_dataset = "kinetic_energy_lost";
constexpr std::uint8_t no_rung = 255;  // steps follow from the forces

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

/// Units of the file, which are used for reading, and of each dataset, for people and other programs.
void write_units(const Units& units, Hdf5Writer& file) {
  for (const auto& [name, value] : {std::pair{"unit_length_cm", units.length},
                                    {"unit_mass_g", units.mass},
                                    {"unit_speed_cm_s", units.speed},
                                    {"gravitation", units.gravitation}})
    file.set_attribute("/", name, value);
}

void write_units_of_datasets(const Units& units, bool may_merge, bool has_radii, Hdf5Writer& file) {
  const std::string length = length_name(units), speed = speed_name(units);
  const std::string time = fmt::format("{}/({})", length, speed);
  // Datasets of masses hold gravitational parameters, GM.
  const std::string mass = fmt::format("{} ({})^2, gravitational parameter GM", length, speed);
  std::vector<std::pair<const char*, std::string>> all{{"position", length},  {"velocity", speed},
                                                       {"softening", length}, {"time", time},
                                                       {"time_step", time},   {"mass", mass}};
  if (may_merge) {
    const std::string energy = mass + fmt::format(" times ({})^2", speed);
    all.insert(all.end(), {{"body_mass", mass}, {"energy_lost", energy}, {kinetic_lost_dataset, energy}});
  }
  if (has_radii) all.emplace_back("radius", length);
  if (has_radii && may_merge) all.emplace_back("body_radius", length);
  for (const auto& [dataset, unit] : all) file.set_attribute(dataset, "units", unit);
}

std::optional<Units> read_units(const Hdf5Reader& file, Remarks& remarks) {
  const auto number = [&file](std::string_view name) -> std::optional<std::string> {
    const auto found = file.attribute("/", std::string(name));
    if (!found) return std::nullopt;
    const auto text = file.text_attribute("/", std::string(name));
    return text ? std::string(trimmed(*text)) : fmt::format("{}", fmt::join(*found, " "));
  };
  return units_from(number, remarks);
}

}  // namespace

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                                   const std::vector<double>& mass, const std::string& made_by,
                                   bool may_merge)
    : TrajectoryWriter(path, labels, mass.size(), made_by, std::nullopt, may_merge) {
  add_labels(0, mass, labels.id, labels.origin);
}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const BodyLabels& labels,
                                   std::uint64_t bodies, const std::string& made_by,
                                   const std::optional<RunPlan>& plan, bool may_merge)
    : file_(plan ? write_hdf5(path, PartialFile::Start::fresh) : write_hdf5(path)),
      in_a_box_(labels.box.has_value()),
      may_merge_(may_merge || (plan && plan->options.collisions != Collisions::none)),
      has_kinetic_lost_(may_merge_),
      bodies_(bodies),
      plan_(plan) {
  file_->set_attribute("/", "format", std::string(file_format));
  file_->set_attribute("/", "version", std::vector{labels.box ? in_a_box : may_merge_ ? merging : alone});
  if (labels.box) write_box(*labels.box, *file_);
  if (labels.units) write_units(*labels.units, *file_);
  file_->set_attribute("/", "made_by", made_by);
  file_->set_attribute("/", "origins", fmt::format("{}", fmt::join(labels.origins, "\n")));
  if (plan_) {
    parameters::StructParameters<RunOptions> options(run_schema(), plan_->options);
    file_->set_attribute("/", "run_options", parameters::to_json(options).dump());
    file_->set_attribute("/", "run_steps", static_cast<double>(plan_->steps));
    file_->set_attribute("/", "run_every", static_cast<double>(plan_->every));
  }
  file_->add_empty("id", {bodies}, Hdf5Numbers::counts);
  file_->add_empty("mass", {bodies}, Hdf5Numbers::doubles);
  file_->add_empty("origin", {bodies}, Hdf5Numbers::bytes);
  if (!labels.radius.empty()) {
    file_->add_empty("radius", {bodies}, Hdf5Numbers::doubles);
    file_->write_rows("radius", 0, labels.radius);
  }
  const std::uint64_t ahead = rows_ahead();
  for (const char* each : {"step", "time", "time_step", "softening"}) file_->add_growing(each, {}, ahead);
  if (plan_) file_->add_growing("checkpoint", {}, ahead);
  if (in_a_box_ || may_merge_) file_->add_growing("energy_lost", {}, ahead);
  if (may_merge_) {
    ids_ = labels.id;
    file_->add_growing(kinetic_lost_dataset, {}, ahead);
    file_->add_growing("collisions", {}, ahead);
    file_->add_growing("body_mass", {bodies}, ahead);
    if (!labels.radius.empty()) file_->add_growing("body_radius", {bodies}, ahead);
  }
  for (const char* each : {"position", "velocity"}) file_->add_growing(each, {bodies, 3}, ahead);
  if (plan_ && plan_->options.time_steps == TimeSteps::block)
    file_->add_growing("rung", {bodies}, ahead, Hdf5Numbers::bytes);
  if (labels.units) write_units_of_datasets(*labels.units, may_merge_, !labels.radius.empty(), *file_);
}

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& path, const Trajectory& continued,
                                   const RunPlan& plan)
    : file_(write_hdf5(path, PartialFile::Start::continued)),
      in_a_box_(continued.box().has_value()),
      may_merge_(continued.may_merge()),
      has_kinetic_lost_(may_merge_ && !std::isnan(continued.kinetic_lost(0))),
      ids_(may_merge_ ? continued.moment(0).id : std::vector<std::uint64_t>()),
      bodies_(continued.bodies()),
      plan_(plan),
      moments_(continued.moments()),
      last_step_(continued.last_step()),
      kept_(continued.last_row() == moments_ ? 1 : 0) {
  if (plan.steps != continued.plan()->steps || plan.every != continued.plan()->every) {
    file_->replace_attribute("/", "run_steps", static_cast<double>(plan.steps));
    file_->replace_attribute("/", "run_every", static_cast<double>(plan.every));
    file_->flush();
  }
}

/// Limited if there are very many frames: each costs some bytes of the file's index.
std::uint64_t TrajectoryWriter::rows_ahead() const {
  constexpr std::uint64_t most = 1000;
  return plan_ ? std::min(plan_->moments(), most) : 0;
}

void TrajectoryWriter::add_labels(std::uint64_t first, std::span<const double> mass,
                                  std::span<const std::uint64_t> id, std::span<const std::uint8_t> origin) {
  file_->write_rows("id", first, id);
  file_->write_rows("mass", first, mass);
  file_->write_rows("origin", first, origin);
}

void TrajectoryWriter::begin(const Moment& moment) {
  time_ = moment.time;
  step_ = moment.step;
  written_ = 0;
  write_state(moments_, moment);
}

void TrajectoryWriter::write_state(std::uint64_t row, const Moment& moment) {
  if (plan_) file_->append("checkpoint", row, std::array{std::numeric_limits<double>::quiet_NaN()});
  file_->append("step", row, std::array{static_cast<double>(moment.step)});
  file_->append("time_step", row, std::array{moment.options.dt});
  file_->append("softening", row, std::array{moment.options.softening});
  if (in_a_box_ || may_merge_) file_->append("energy_lost", row, std::array{moment.energy_lost});
  if (has_kinetic_lost_) file_->append(kinetic_lost_dataset, row, std::array{moment.kinetic_lost});
  if (may_merge_) file_->append("collisions", row, std::array{static_cast<double>(moment.collisions)});
  for (const char* each : {"position", "velocity"}) file_->require_rows(each, row + 1);
  if (!plan_ || plan_->options.time_steps != TimeSteps::block) return;
  // There are no rungs yet at the first frame.
  const bool known = moment.rungs != nullptr && !moment.rungs->empty();
  file_->require_rows("rung", row + 1);
  Rungs rungs(bodies_, no_rung);
  if (known && moment.labels && may_merge_) {
    for (std::size_t i = 0, all = 0; i < moment.rungs->size(); ++i, ++all) {
      while (ids_[all] != moment.labels->id[i]) ++all;
      rungs[all] = (*moment.rungs)[i];
    }
  } else if (known) {
    rungs = *moment.rungs;
  }
  file_->write_in_row("rung", row, 0, rungs);
}

namespace {

/// Calls act(index among all bodies, index among those that are left); the latter are in the order of all.
template <class Act>
void for_each_left(const std::vector<std::uint64_t>& all, const std::vector<std::uint64_t>& left,
                   const Act& act) {
  std::size_t i = 0;
  for (std::size_t row = 0; row < all.size() && i < left.size(); ++row) {
    if (all[row] == left[i]) act(row, i++);
  }
}

}  // namespace

Bodies TrajectoryWriter::all_of(const Bodies& left, const BodyLabels& labels) const {
  Bodies all;
  for (const auto& [to, from] :
       {std::pair{&all.mass, &left.mass}, std::pair{&all.x, &left.x}, std::pair{&all.y, &left.y},
        std::pair{&all.z, &left.z}, std::pair{&all.vx, &left.vx}, std::pair{&all.vy, &left.vy},
        std::pair{&all.vz, &left.vz}}) {
    to->resize(bodies_);
    for_each_left(ids_, labels.id, [&](std::size_t row, std::size_t i) { (*to)[row] = (*from)[i]; });
  }
  return all;
}

void TrajectoryWriter::write_masses(std::uint64_t row, const Bodies& left, const BodyLabels& labels) {
  std::vector<double> mass(bodies_, -1), radius(bodies_, 0);
  for_each_left(ids_, labels.id, [&](std::size_t all, std::size_t i) {
    mass[all] = left.mass[i];
    if (!labels.radius.empty()) radius[all] = labels.radius[i];
  });
  file_->append("body_mass", row, mass);
  if (!labels.radius.empty()) file_->append("body_radius", row, radius);
}

void TrajectoryWriter::write_bodies_in(std::uint64_t row, std::uint64_t first, const Bodies& bodies,
                                       std::size_t from, std::size_t count) {
  row_.resize(3 * count);
  const auto write = [&](const char* name, const std::array<const std::vector<double>*, 3>& axes) {
    for (std::size_t i = 0; i < row_.size(); ++i) row_[i] = (*axes[i % 3])[from + i / 3];
    file_->write_in_row(name, row, first, row_);
  };
  write("position", {&bodies.x, &bodies.y, &bodies.z});
  write("velocity", {&bodies.vx, &bodies.vy, &bodies.vz});
}

void TrajectoryWriter::add_part(std::uint64_t first, const Bodies& bodies, std::size_t from,
                                std::size_t count) {
  write_bodies_in(moments_, first, bodies, from, count);
  written_ += count;
  if (written_ == bodies_) end();
}

/// From here on the frame is visible to readers of the file.
void TrajectoryWriter::end() {
  file_->append("time", moments_, std::array{time_});
  ++moments_;
  last_step_ = step_;
  if (plan_) file_->flush();
}

void TrajectoryWriter::keep(const NBodySimulation& simulation) {
  // Alternates between two rows, so that one of them is complete while the other is written; one row if there is only
  // one.
  const std::uint64_t last = std::max(moments_, std::min(plan_->moments(), rows_ahead()) - 1);
  const std::uint64_t row = std::min(moments_ + kept_++ % 2, last);
  write_state(row, moment_of(simulation));
  if (may_merge_) write_masses(row, simulation.bodies(), *simulation.labels());
  const Bodies bodies = may_merge_ ? all_of(simulation.bodies(), *simulation.labels()) : simulation.bodies();
  for (std::size_t first = 0; first < bodies.size(); first += bodies_a_part)
    write_bodies_in(row, first, bodies, first, std::min(bodies_a_part, bodies.size() - first));
  last_step_ = simulation.step();
  file_->append("checkpoint", row, std::array{static_cast<double>(last_step_)});
  file_->flush();
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

void TrajectoryWriter::add(const Bodies& left, const Moment& moment) {
  const auto is_known = [&](std::uint64_t id) { return std::ranges::find(ids_, id) != ids_.end(); };
  const bool others =
      may_merge_ && moment.labels && moment.labels->id.size() > 0 && !is_known(moment.labels->id.back());
  if ((left.size() != bodies_ && !may_merge_) || others) {
    throw Error(
        "Bodies have merged or were added since the first recorded moment, which did not say so. Record from "
        "the step on at which they do.");
  }
  begin(moment);
  const bool expand = may_merge_ && moment.labels != nullptr;
  if (expand) write_masses(moments_, left, *moment.labels);
  const Bodies& bodies = expand ? all_of(left, *moment.labels) : left;
  for (std::size_t first = 0; first < bodies.size(); first += bodies_a_part)
    add_part(first, bodies, first, std::min(bodies_a_part, bodies.size() - first));
}

bool is_trajectory(const Hdf5Reader& file) {
  return file.text_attribute("/", "format") == file_format;
}

bool is_trajectory(const std::filesystem::path& path) {
  return is_hdf5(path) && is_trajectory(Hdf5Reader(path));
}

namespace {

/// The first `moments` rows; throws if there are fewer.
std::vector<double> first_rows(const Hdf5Reader& file, const std::string& name, std::size_t count) {
  std::vector<double> values = whole(file, name);
  if (values.size() < count)
    file.fail(fmt::format("{} has {} moments, where there are {}", name, values.size(), count));
  values.resize(count);
  return values;
}

}  // namespace

/// One value for each frame; none where there is no such dataset.
std::vector<double> Trajectory::rows(const std::string& name) const {
  if (!file_->has(name)) return {};
  std::vector<double> values = first_rows(*file_, name, moments());
  const auto wrong = std::ranges::find_if(values, [](double each) { return !(each >= 0 && each <= 1e100); });
  if (wrong != values.end()) file_->fail(fmt::format("{} is {} at one moment", name, *wrong));
  return values;
}

Trajectory::Trajectory(std::shared_ptr<const Hdf5Reader> file) : file_(std::move(file)) {
  if (!is_trajectory(*file_)) file_->fail("this is not a trajectory of bodies");
  const auto version = file_->attribute("/", "version");
  const bool boxed = version == std::vector<double>{in_a_box};
  may_merge_ = version == std::vector<double>{merging};
  if (!boxed && !may_merge_ && version != std::vector<double>{alone}) refuse_version(version);
  if (boxed) box_ = read_box(*file_);
  units_ = read_units(*file_, remarks_);
  time_ = whole(*file_, "time");
  read_plan();
  step_ = first_rows(*file_, "step", moments());
  check_steps();
  mass_ = whole(*file_, "mass");
  id_ = file_->integers("id", mass_.size());
  origins_ = lines_of(file_->text_attribute("/", "origins").value_or(""));
  for (const double each : whole(*file_, "origin")) {
    if (!(each >= 0 && each < static_cast<double>(std::min<std::size_t>(origins_.size(), 256))))
      file_->fail(fmt::format("a body is of origin {}, but there are {} of them", each, origins_.size()));
    origin_.push_back(static_cast<std::uint8_t>(each));
  }
  if (origins_.empty()) file_->fail("it does not say where the bodies come from (origins)");
  made_by_ = file_->text_attribute("/", "made_by").value_or("");
  if (file_->has("radius")) radius_ = whole(*file_, "radius");
  time_step_ = rows("time_step");
  softening_ = rows("softening");
  if (box_) {
    energy_lost_.assign(moments(), std::numeric_limits<double>::quiet_NaN());
    if (file_->has("energy_lost")) energy_lost_ = first_rows(*file_, "energy_lost", moments());
  }
  if (may_merge_) {
    energy_lost_ = first_rows(*file_, "energy_lost", moments());
    kinetic_lost_ = kinetic_lost_up_to(moments());
    collisions_ = first_rows(*file_, "collisions", moments());
  }
  if (plan_) find_last_step();
}

void Trajectory::refuse_version(const std::optional<std::vector<double>>& version) const {
  if (!version) file_->fail("the attribute version, which every trajectory has, is missing");
  if (version->size() == 1 && version->front() > merging) {
    throw InputError(file_->path(), 0, "a newer version of Isolume wrote this trajectory",
                     "Open it with that one.");
  }
  file_->fail(fmt::format("the attribute version is {}, which no version of Isolume writes",
                          fmt::join(*version, " ")));
}

/// A run has steps of one size: there the times follow from the steps.
void Trajectory::check_steps() const {
  const auto refuse = [this](std::string_view name, std::size_t row, double value, std::string_view why) {
    file_->fail(fmt::format("row {} of {} (counted from 0) is {}, {}", row, name, value, why));
  };
  for (std::size_t row = 0; row < moments(); ++row) {
    const double step = step_[row], time = time_[row];
    if (!(std::abs(step) < 0x1p53 && step == std::floor(step)))
      refuse("step", row, step, "not a whole number");
    if (!std::isfinite(time)) refuse("time", row, time, "not a finite number");
    if (row == 0) continue;
    if (!(step > step_[row - 1]))
      refuse("step", row, step, fmt::format("but must be above {}, the row before", step_[row - 1]));
    if (!(time >= time_[row - 1]))
      refuse("time", row, time, fmt::format("but must not be below {}, the row before", time_[row - 1]));
    if (!plan_) continue;
    const double expected = time_[0] + (step - step_[0]) * plan_->options.dt;
    if (!(std::abs(time - expected) <= 1e-9 * (std::abs(time_[0]) + std::abs(expected))))
      refuse("time", row, time,
             fmt::format("but step {} of the run, with time steps of {}, is at {}", step, plan_->options.dt,
                         expected));
  }
}

/// Those that a continued run appends to: an append that fails would leave the file half-written.
void Trajectory::require_growing_datasets() const {
  const auto require = [this](const char* name, const Shape& row) {
    const auto refuse = [this](const std::string& problem) {
      throw InputError(file_->path(), 0, problem + ", and the run cannot be continued",
                       fmt::format("Start a new run from its last snapshot: isolume-batch nbody run {}",
                                   file_->path().string()));
    };
    if (!file_->has(name)) refuse(fmt::format("the dataset {} is missing", name));
    const Shape found = file_->shape(name);
    if (found.size() != row.size() + 1 || found[0] <= last_row_ ||
        !std::equal(row.begin(), row.end(), found.begin() + 1)) {
      refuse(fmt::format("the dataset {} holds {} numbers instead of {} or more rows{}", name,
                         fmt::join(found, " × "), last_row_ + 1,
                         row.empty() ? "" : fmt::format(" of {}", fmt::join(row, " × "))));
    }
  };
  for (const char* each : {"time", "step", "time_step", "softening", "checkpoint"}) require(each, {});
  for (const char* each : {"position", "velocity"}) require(each, {bodies(), 3});
  if (box_ || may_merge_) require("energy_lost", {});
  if (may_merge_) {
    require("collisions", {});
    require("body_mass", {bodies()});
    if (!radius_.empty()) require("body_radius", {bodies()});
  }
  if (plan_->options.time_steps == TimeSteps::block) require("rung", {bodies()});
}

void Trajectory::find_last_step() {
  last_row_ = moments() - 1;
  last_step_ = step_.back();
  const std::vector<double> kept = whole(*file_, "checkpoint");
  for (std::size_t row = moments(); row < std::min(kept.size(), moments() + 2); ++row) {
    if (!(kept[row] > last_step_ && kept[row] < static_cast<double>(plan_->steps))) continue;
    last_row_ = row;
    last_step_ = kept[row];
  }
  if (last_step_ < static_cast<double>(plan_->steps)) {
    remarks_.warn(fmt::format(
        "The run was ended at step {} of {}; its last recorded moment is that of step {}. Continue it with: "
        "isolume-batch nbody run --resume -o {}",
        last_step_, plan_->steps, step_.back(), finished_name(file_->path()).string()));
  }
}

/// For a run, also the number of complete frames, which other datasets do not tell.
void Trajectory::read_plan() {
  const auto options = file_->text_attribute("/", "run_options");
  if (options) {
    const auto count = [&](const char* name) {
      const auto found = file_->attribute("/", name);
      constexpr double most = 0x1p53;
      if (!found || found->size() != 1 || !(found->front() >= 0 && found->front() < most))
        file_->fail(fmt::format("it does not say what the attribute {} is", name));
      return static_cast<std::int64_t>(found->front());
    };
    RunPlan plan;
    plan.steps = count("run_steps");
    plan.every = std::max<std::int64_t>(1, count("run_every"));
    if (box_) plan.options.period = box_->side;
    parameters::StructParameters<RunOptions> set(run_schema(), plan.options);
    try {
      const auto json = nlohmann::json::parse(*options, nullptr, false);
      if (json.is_discarded()) throw Error(fmt::format("{} is not JSON.", isolume::quoted(*options)));
      parameters::from_json(json, set);
      plan.options.added.clear();  // they are among the bodies of each frame
      nbody::check(plan.options);
    } catch (const std::exception& error) {
      std::string_view why = error.what();
      if (why.ends_with('.')) why.remove_suffix(1);
      file_->fail(fmt::format("its options (attribute run_options) make no sense: {}", why));
    }
    plan_ = std::move(plan);
    computed_by_ = file_->text_attribute("/", "computed_by").value_or("");
    const auto unwritten = std::ranges::find_if(time_, [](double time) { return std::isnan(time); });
    time_.erase(unwritten, time_.end());
  }
  if (time_.empty()) file_->fail("there is no moment in it");
}

Rungs Trajectory::rungs_of(std::size_t row) const {
  if (!plan_ || plan_->options.time_steps != TimeSteps::block) return {};
  Rungs found;
  const std::vector<double> mass = may_merge_ ? file_->row("body_mass", row, {bodies()}) : mass_;
  const std::vector<double> rungs = file_->row("rung", row, {bodies()});
  for (std::size_t i = 0; i < rungs.size(); ++i) {
    if (mass[i] < 0) continue;
    const double each = rungs[i];
    if (each == no_rung) return {};
    if (!(each >= 0 && each <= deepest_rung)) file_->fail(fmt::format("rung is {} at moment {}", each, row));
    found.push_back(static_cast<std::uint8_t>(each));
  }
  return found;
}

/// The first rows of the dataset; NaN for each where the file is of an earlier version.
std::vector<double> Trajectory::kinetic_lost_up_to(std::size_t rows) const {
  return file_->has(kinetic_lost_dataset) ? first_rows(*file_, kinetic_lost_dataset, rows)
                                          : std::vector(rows, std::numeric_limits<double>::quiet_NaN());
}

Bodies Trajectory::bodies_of(std::size_t row) const {
  Bodies bodies;
  bodies.mass = may_merge_ ? file_->row("body_mass", row, {mass_.size()}) : mass_;
  const auto read = [&](const char* name, const std::array<std::vector<double>*, 3>& axes) {
    const std::vector<double> numbers = file_->row(name, row, {mass_.size(), 3});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      axes[axis]->resize(mass_.size());
      for (std::size_t i = 0; i < mass_.size(); ++i) (*axes[axis])[i] = numbers[3 * i + axis];
    }
  };
  read("position", {&bodies.x, &bodies.y, &bodies.z});
  read("velocity", {&bodies.vx, &bodies.vy, &bodies.vz});
  return bodies;
}

/// The bodies that are left at a row.
InitialConditions Trajectory::start_at(std::size_t row) const {
  InitialConditions found;
  found.bodies = bodies_of(row);
  found.id = id_;
  found.origin = origin_;
  found.origins = origins_;
  found.radius = radius_;
  found.box = box_;
  found.units = units_;
  if (!may_merge_) return found;
  if (!radius_.empty()) found.radius = file_->row("body_radius", row, {mass_.size()});
  std::vector<std::size_t> left;
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    if (found.bodies.mass[i] >= 0) left.push_back(i);
  }
  const auto keep = [&left](auto& values) {
    if (values.empty()) return;
    for (std::size_t i = 0; i < left.size(); ++i) values[i] = values[left[i]];
    values.resize(left.size());
  };
  Bodies& bodies = found.bodies;
  for (auto* each :
       {&bodies.mass, &bodies.x, &bodies.y, &bodies.z, &bodies.vx, &bodies.vy, &bodies.vz, &found.radius})
    keep(*each);
  keep(found.id);
  keep(found.origin);
  return found;
}

Trajectory::Checkpoint Trajectory::checkpoint() const {
  require_growing_datasets();
  const auto at_last = [this](const char* name) {
    return first_rows(*file_, name, last_row_ + 1)[last_row_];
  };
  InitialConditions last = start_at(last_row_);
  Checkpoint found{last.bodies,
                   {.step = last_step(),
                    .time_then = time_.front(),
                    .step_then = static_cast<std::int64_t>(step_.front()),
                    .rungs = rungs_of(last_row_),
                    .energy_lost = box_ || may_merge_ ? at_last("energy_lost") : 0,
                    .kinetic_lost = may_merge_ ? kinetic_lost_up_to(last_row_ + 1)[last_row_] : 0,
                    .collisions = may_merge_ ? static_cast<std::int64_t>(at_last("collisions")) : 0}};
  if (may_merge_) found.labels = std::make_shared<const BodyLabels>(labels_of(last));
  try {
    check(found.bodies);
  } catch (const Error& error) {
    file_->fail(fmt::format("step {}: {}", found.moment.step, error.what()));
  }
  return found;
}

InitialConditions Trajectory::moment(std::size_t number) const {
  if (number >= moments()) {
    throw InputError(file_->path(), 0, fmt::format("there is no moment {}", number),
                     fmt::format("Give one from 0 to {}.", moments() - 1));
  }
  InitialConditions found = start_at(number);
  found.time = time_[number];
  found.remarks = remarks_;
  if (box_) found.softening = usual_softening(*box_, mass_.size());
  if (!softening_.empty()) {
    found.softening = softening_[number];
    found.recorded_softening = {found.softening,
                                plan_ ? std::optional(plan_->options.softening_kind) : std::nullopt};
  }
  if (!time_step_.empty()) found.time_step = time_step_[number];
  try {
    check(found);
  } catch (const Error& error) {
    throw InputError(file_->path(), 0, fmt::format("moment {}: {}", number, error.what()),
                     "Write the file again with the program that made it.");
  }
  return found;
}

}  // namespace isolume::nbody
