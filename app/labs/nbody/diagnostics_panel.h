#pragma once

#include <QWidget>
#include <filesystem>
#include <map>
#include <optional>

#include "core/nbody/nbody_simulation.h"

class QComboBox;
class QTreeWidget;

namespace isolume::fields {
class Chart;
}

namespace isolume::labs::nbody {

/// What the bodies' energies, momenta, radii and step times are at the moment that is shown, and how one of them has run
/// since the start.
class DiagnosticsPanel final : public QWidget {
  Q_OBJECT
 public:
  explicit DiagnosticsPanel(QWidget* parent = nullptr);

  /// Of a frame that has diagnostics, in any order.
  void add(const isolume::nbody::NBodyFrame& frame);
  /// The force error that 99 of 100 bodies stay below, relative; measured now and then.
  void set_force_error(double p99);
  /// Marks the moment.
  void show(std::int64_t step);
  /// Forgets what came after this step.
  void forget_after(std::int64_t step);
  void clear();
  /// A table of all moments, comma-separated. Throws Error.
  void write(const std::filesystem::path& path) const;
  /// The curve that is plotted, as a figure (SVG). Throws Error.
  void write_figure(const std::filesystem::path& path);
  bool empty() const { return rows_.empty(); }

 protected:
  void showEvent(QShowEvent*) override { refresh(); }

 private:
  struct Quantity;
  static const std::vector<Quantity>& quantities();
  void offer_what_is_of(const isolume::nbody::NBodyFrame& first);
  void refresh();
  void plot();

  /// Of each step, without the bodies.
  std::map<std::int64_t, isolume::nbody::NBodyFrame> rows_;
  std::int64_t shown_ = 0;
  std::optional<double> force_error_;
  QComboBox* choice_;
  fields::Chart* chart_;
  QTreeWidget* table_;
};

}  // namespace isolume::labs::nbody
