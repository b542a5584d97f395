#pragma once

#include <QWidget>
#include <optional>

#include <nlohmann/json.hpp>

#include "core/nbody/nbody_simulation.h"

class QLabel;
class QTreeWidget;

namespace isolume::labs::nbody {

/// What is known of one body of a frame, in units that make G = 1; energies are of the body in the field of all others.
/// For scripts: "id", "origin", "mass", "position", "velocity", "speed", "potential", "kinetic_energy",
/// "potential_energy", "energy", "step", "time".
nlohmann::json reading_of(const isolume::nbody::NBodyFrame& frame, std::size_t number);

/// The same for people, of the chosen body at the moment that is shown.
class BodyPanel final : public QWidget {
  Q_OBJECT
 public:
  explicit BodyPanel(QWidget* parent = nullptr);
  QSize sizeHint() const override;
  /// Of the numbers that are shown from now on; nothing: G = 1.
  void set_units(const std::optional<isolume::nbody::Units>& units);
  /// Nothing: no body is chosen.
  void show_reading(const std::optional<nlohmann::json>& reading);
  /// On the chosen body (force_on, with "step" and "orbit"), and at the probe (force_at); null: there is none.
  void show_forces(const nlohmann::json& on_body, const nlohmann::json& at_probe);

 private:
  std::optional<isolume::nbody::Units> units_;
  QLabel* hint_;
  QTreeWidget *table_, *probe_table_;
};

}  // namespace isolume::labs::nbody
