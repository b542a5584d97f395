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

QString ReadOut::text(const isolume::nbody::NBodyFrame& frame, double rate,
                      const std::optional<DiagnosticsPanel::EnergyError>& energy_error) const {
  QStringList lines;
  if (rate > 0) lines += QObject::tr("%1 steps/s").arg(shown_text(rate, 3));
  if (energy_error && energy_error->since) {
    lines += QObject::tr("Energy error %1 since the change of softening or bodies at step %2")
                 .arg(shown_text(energy_error->value, 2))
                 .arg(*energy_error->since);
  } else if (energy_error) {
    lines += QObject::tr("Energy error %1").arg(shown_text(energy_error->value, 2));
  }
  if (last_ && isolume::nbody::differing_keys(last_->options, frame.options).empty())
    lines += QObject::tr("99 % of force errors below %1").arg(shown_text(last_->errors.p99, 2));
  return lines.join('\n');
}

}  // namespace isolume::labs::nbody
