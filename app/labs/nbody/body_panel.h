#pragma once

#include <QWidget>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/nbody/runs/nbody_simulation.h"

class QLabel;
class QPushButton;
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
  /// Runs a command with these arguments; false: it was refused.
  using Run = std::function<bool(const char* command, const std::vector<std::string>& arguments)>;
  explicit BodyPanel(Run run, QWidget* parent = nullptr);
  QSize sizeHint() const override;
  /// Of the numbers that are shown from now on; nothing: G = 1.
  void set_units(const std::optional<isolume::nbody::Units>& units);
  /// Nothing: no body is chosen.
  void show_reading(const std::optional<nlohmann::json>& reading);
  /// On the chosen body (force_on, with "step" and "orbit"), and at the probe (force_at); null: there is none.
  void show_forces(const nlohmann::json& on_body, const nlohmann::json& at_probe);

 private:
  void take_mass(const QString& typed);

  Run run_;
  std::optional<nlohmann::json> reading_;
  std::optional<isolume::nbody::Units> units_;
  QLabel* hint_;
  QPushButton* delete_;
  QTreeWidget *table_, *probe_table_;
};

}  // namespace isolume::labs::nbody
