#include "app/labs/nbody/batch_recording.h"

#include <algorithm>

#include "app/batch/context.h"

namespace isolume::batch {

std::vector<std::string> RecordingOptions::files() const {
  std::vector<std::string> files;
  for (const auto& each : {output, diagnostics}) {
    if (!each.empty()) files.push_back(each);
  }
  if (files.empty()) throw UsageError("run: nothing would be written. Give -o, --diagnostics, or both.");
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
                                         "Record fewer moments with --every, or choose another folder.");
}

namespace {

nbody::TrajectoryWriter::Moment moment_of(std::int64_t step, double time, const nbody::RunOptions& options,
                                          const nbody::Diagnostics& now) {
  return {step, time, options, now.expansion ? now.expansion->energy_lost : 0};
}

}  // namespace

Recording::Recording(const RecordingOptions& options, const nbody::BodyLabels& labels,
                     const std::vector<double>& mass, const std::string& made_by) {
  if (!options.output.empty()) trajectory_.emplace(options.output, labels, mass, made_by);
  if (!options.diagnostics.empty()) table_.emplace(options.diagnostics);
}

Recording::Recording(const RecordingOptions& options, const nbody::BodyLabels& labels, std::uint64_t bodies,
                     const std::string& made_by) {
  if (!options.output.empty()) trajectory_.emplace(options.output, labels, bodies, made_by);
  if (!options.diagnostics.empty()) table_.emplace(options.diagnostics);
}

void Recording::add(const nbody::Bodies& bodies, std::int64_t step, double time,
                    const nbody::RunOptions& options, const nbody::Diagnostics& now,
                    const std::optional<nbody::SampledErrors>& force_error) {
  note(step, time, options, now, force_error);
  if (trajectory_) trajectory_->add(bodies, moment_of(step, time, options, now));
}

void Recording::begin(std::int64_t step, double time, const nbody::RunOptions& options,
                      const nbody::Diagnostics& now, const std::optional<nbody::SampledErrors>& force_error) {
  note(step, time, options, now, force_error);
  if (trajectory_) trajectory_->begin(moment_of(step, time, options, now));
}

void Recording::note(std::int64_t step, double time, const nbody::RunOptions& options,
                     const nbody::Diagnostics& now, const std::optional<nbody::SampledErrors>& force_error) {
  last_ = now;
  if (force_error) force_error_ = *force_error;
  if (!first_) first_ = last_;
  if (table_) table_->add(step, time, options, now, force_error);
}

void Recording::finish() {
  if (trajectory_) trajectory_->finish();
  if (table_) table_->finish();
}

}  // namespace isolume::batch
