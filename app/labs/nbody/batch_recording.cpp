#include "app/labs/nbody/batch_recording.h"

#include <algorithm>

#include <fmt/format.h>

#include "core/base/clock.h"
#include "core/base/partial_file.h"
#include "core/nbody/files/bodies_file.h"

namespace isolume::batch {

std::vector<std::string> RecordingOptions::files() const {
  std::vector<std::string> files;
  for (const auto& each : {output, diagnostics}) {
    if (!each.empty()) files.push_back(each);
  }
  if (files.empty()) throw UsageError("run: no output was named. Give -o, --diagnostics, or both.");
  const std::filesystem::path finished = finished_name(output);
  if (finished.has_extension() && !nbody::is_written_as_hdf5(finished)) {
    throw UsageError(
        fmt::format("{}: a run is recorded as a trajectory in HDF5. Give a name that ends with .h5; "
                    "`nbody convert` writes its bodies in other formats.",
                    output));
  }
  return files;
}

std::int64_t RecordingOptions::interval() const {
  constexpr std::int64_t usual_moments = 100;
  return every > 0 ? every : std::max<std::int64_t>(1, *steps / usual_moments);
}

void RecordingOptions::require_space(std::size_t bodies) const {
  if (output.empty()) return;
  const auto moments = static_cast<std::uint64_t>(*steps / interval() + 2);
  nbody::TrajectoryWriter::require_space(output, bodies, moments,
                                         "Record fewer snapshots with --every, or choose another folder.");
}

namespace {

nbody::RunPlan plan_of(const RecordingOptions& options, const nbody::RunOptions& run) {
  return {.options = run, .steps = *options.steps, .every = options.interval()};
}

}  // namespace

Recording::Recording(const RecordingOptions& options, const nbody::BodyLabels& labels,
                     const std::vector<double>& mass, const std::string& made_by,
                     const nbody::RunOptions& run)
    : Recording(options, labels, mass.size(), made_by, run) {
  if (trajectory_) trajectory_->add_labels(0, mass, labels.id, labels.origin);
}

Recording::Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, std::uint64_t bodies,
                     const std::string& made_by, const nbody::RunOptions& run)
    : Recording(options, std::nullopt) {
  if (!options.output.empty())
    trajectory_.emplace(options.output, labels, bodies, made_by, plan_of(options, run));
  if (options.diagnostics.empty()) return;
  if (trajectory_) {
    table_.emplace(options.diagnostics, PartialFile::Start::fresh);
  } else {
    table_.emplace(options.diagnostics);
  }
  table_->set_units(labels.units);
}

Recording::Recording(const RecordingOptions& options, const nbody::Trajectory& continued,
                     const nbody::RunPlan& plan, const std::optional<nbody::Units>& units,
                     const nbody::Diagnostics& first, const nbody::Diagnostics& now)
    : Recording(options, first) {
  last_ = now;
  const auto last = static_cast<std::int64_t>(continued.step().back());
  if (!options.diagnostics.empty()) table_.emplace(options.diagnostics, last, first, plan.options, units);
  trajectory_.emplace(options.output, continued, plan);
  last_step_ = last;
}

void Recording::set_computed_by(const std::string& who) {
  if (trajectory_ && trajectory_->moments() == 0) trajectory_->set_computed_by(who);
}

void Recording::add(const nbody::Bodies& bodies, const nbody::TrajectoryWriter::Moment& moment,
                    const nbody::Diagnostics& now, const std::optional<nbody::SampledErrors>& force_error) {
  note(moment, now, force_error);
  if (trajectory_) trajectory_->add(bodies, moment);
  written_ = std::chrono::steady_clock::now();
}

void Recording::begin(const nbody::TrajectoryWriter::Moment& moment, const nbody::Diagnostics& now,
                      const std::optional<nbody::SampledErrors>& force_error) {
  note(moment, now, force_error);
  if (trajectory_) trajectory_->begin(moment);
}

void Recording::note(const nbody::TrajectoryWriter::Moment& moment, const nbody::Diagnostics& now,
                     const std::optional<nbody::SampledErrors>& force_error) {
  last_ = now;
  if (force_error) force_error_ = *force_error;
  if (!first_) first_ = last_;
  last_step_ = moment.step;
  if (table_) table_->add(moment.step, moment.time, moment.options, now, force_error);
}

void Recording::finish() {
  if (table_) table_->finish();
  if (trajectory_) trajectory_->finish();
}

void Recording::keep(const nbody::NBodySimulation& simulation) {
  // No more than a fiftieth of the time.
  if (!trajectory_ || seconds_since(written_) < std::max(5.0, 50 * writing_)) return;
  const auto start = std::chrono::steady_clock::now();
  trajectory_->keep(simulation);
  writing_ = seconds_since(start);
  written_ = std::chrono::steady_clock::now();
}

std::string Recording::end_early(const nbody::NBodySimulation* simulation) {
  const std::int64_t steps = *options_.steps;
  if (!trajectory_) {
    if (last_step_ == 0) return {};
    table_->finish();
    return fmt::format("{} holds the lines up to step {} of {}.", options_.diagnostics, last_step_, steps);
  }
  // A failure here repeats the one that ended the run, whose exception already reports it.
  std::string holds = options_.output;
  try {
    if (simulation != nullptr && simulation->step() > trajectory_->last_step())
      trajectory_->keep(*simulation);
    if (trajectory_->last_step() <= 0) {  // the run can as well be started again
      if (!options_.resume) {
        trajectory_->discard();
        if (table_) table_->discard();
      }
      return {};
    }
    finish();
  } catch (const Error&) {
    holds = partial_name(options_.output).string();
  }
  const std::string table = table_ ? fmt::format(" --diagnostics {}", options_.diagnostics) : "";
  return fmt::format(
      "{} holds the run up to step {} of {}. Continue it with: isolume-batch nbody run --resume -o {}{}",
      holds, trajectory_->last_step(), steps, options_.output, table);
}

}  // namespace isolume::batch
