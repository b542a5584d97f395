#include "app/labs/nbody/read_out.h"

#include <QObject>
#include <QStringList>
#include <utility>

#include "app/labs/nbody/unit_words.h"

namespace isolume::labs::nbody {

std::optional<ReadOut::Found> ReadOut::take(const std::shared_ptr<const isolume::nbody::NBodyFrame>& frame,
                                            const Engines& engines) {
  const double seconds = since_.isValid() ? static_cast<double>(since_.elapsed()) * 1e-3 : 0;
  since_.start();
  if (frame->labels != std::exchange(system_, frame->labels)) last_.reset();
  auto found = probe_.advance(seconds, frame, engines);
  if (found) last_ = found;
  return found;
}

namespace {

/// The energy error is the last line, which stays at its place when others come and go.
QStringList lines_of(const std::optional<DiagnosticsPanel::EnergyError>& energy_error,
                     const std::optional<isolume::nbody::SampledErrors>& force_error) {
  QStringList lines;
  if (force_error && force_error->are_exact()) {
    lines += QObject::tr("Forces summed in double precision");
  } else if (force_error) {
    lines += QObject::tr("99 % of force errors below %1").arg(shown_text(force_error->p99, 2));
  }
  if (energy_error && energy_error->since) {
    lines += QObject::tr("Energy error %1 since the change of softening or bodies at step %2")
                 .arg(shown_text(energy_error->value, 2))
                 .arg(*energy_error->since);
  } else if (energy_error) {
    lines += QObject::tr("Energy error %1").arg(shown_text(energy_error->value, 2));
  }
  return lines;
}

}  // namespace

QString ReadOut::text(const isolume::nbody::NBodyFrame& frame, double rate,
                      const std::optional<DiagnosticsPanel::EnergyError>& energy_error) const {
  QStringList lines;
  if (rate > 0) lines += QObject::tr("Up to %1 steps/s").arg(shown_text(rate, 3));
  lines += lines_of(energy_error, is_of(frame) ? std::optional(last_->errors) : std::nullopt);
  return lines.join('\n');
}

bool ReadOut::is_of(const isolume::nbody::NBodyFrame& frame) const {
  return last_ && isolume::nbody::differing_keys(last_->options, frame.options).empty();
}

std::optional<isolume::nbody::SampledErrors> ReadOut::measured_at(
    const isolume::nbody::NBodyFrame& frame) const {
  return is_of(frame) && last_->step == frame.step ? std::optional(last_->errors) : std::nullopt;
}

QString ReadOut::text_in_pictures(const std::optional<DiagnosticsPanel::EnergyError>& energy_error,
                                  const std::optional<isolume::nbody::SampledErrors>& force_error) {
  return lines_of(energy_error, force_error).join('\n');
}

}  // namespace isolume::labs::nbody
