#pragma once

#include <QElapsedTimer>
#include <QString>
#include <memory>
#include <optional>

#include "app/bodies/force_error_probe.h"
#include "app/labs/nbody/diagnostics_panel.h"
#include "core/nbody/runs/nbody_simulation.h"

namespace isolume::labs::nbody {

/// How fast and how exact a run is, in words for a corner of its picture. Measures errors of forces while it is shown.
class ReadOut {
 public:
  using Engines = bodies::ForceErrorProbe::Engines;
  using Found = bodies::ForceErrorProbe::Found;

  /// A moment is shown: errors that have been measured by now, if any. Never waits.
  std::optional<Found> take(const std::shared_ptr<const isolume::nbody::NBodyFrame>& frame,
                            const Engines& engines);
  /// In lines; what is not known is left out. `rate`: steps a second. Errors of forces are those of the parameters that
  /// the frame has.
  QString text(const isolume::nbody::NBodyFrame& frame, double rate,
               const std::optional<DiagnosticsPanel::EnergyError>& energy_error) const;
  /// The last errors of forces, if they were measured at this step.
  std::optional<isolume::nbody::SampledErrors> measured_at(const isolume::nbody::NBodyFrame& frame) const;
  /// In pictures that are written: without the speed, which is that of another moment, and with errors of forces only
  /// where they were measured at the frame's step.
  static QString text_in_pictures(const std::optional<DiagnosticsPanel::EnergyError>& energy_error,
                                  const std::optional<isolume::nbody::SampledErrors>& force_error);

 private:
  /// Whether the last errors are those of the parameters that the frame has.
  bool is_of(const isolume::nbody::NBodyFrame& frame) const;

  bodies::ForceErrorProbe probe_;
  QElapsedTimer since_;
  std::shared_ptr<const isolume::nbody::BodyLabels> system_;
  std::optional<Found> last_;  ///< of that system
};

}  // namespace isolume::labs::nbody
