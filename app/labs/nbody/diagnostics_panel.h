#pragma once

#include <QWidget>
#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "app/fields/chart.h"
#include "core/nbody/engines/crossover.h"
#include "core/nbody/runs/nbody_simulation.h"

class QComboBox;
class QLabel;
class QPushButton;
class QTreeWidget;

namespace isolume::labs::nbody {

/// What the bodies' energies, momenta, radii and step times are at the moment that is shown, how one of them has run since
/// the start, in a branch, too, where the time of a step goes, how exact forces are, and how fast the solvers.
class DiagnosticsPanel final : public QWidget {
  Q_OBJECT
 public:
  explicit DiagnosticsPanel(QWidget* parent = nullptr);
  QSize sizeHint() const override;

  /// Of a frame that has diagnostics, in any order.
  void add(const isolume::nbody::NBodyFrame& frame);
  /// How long its picture took.
  void add_drawing(std::int64_t step, double seconds);
  /// Measured now and then.
  void add_force_error(std::int64_t step, const isolume::nbody::SampledErrors& errors);
  /// Nothing where it was not measured at this step.
  std::optional<isolume::nbody::SampledErrors> force_error(std::int64_t step) const;
  /// Of a second run that left the first one.
  void add_of_branch(const isolume::nbody::NBodyFrame& frame);
  /// There is none, or it begins anew.
  void clear_branch();
  /// What is said of both; empty where there is one.
  void set_names(const QString& first, const QString& branch);
  /// The first run was that one from there on.
  void keep_branch();
  /// Of the numbers that are shown; nothing: G = 1.
  void set_units(const std::optional<isolume::nbody::Units>& units);
  /// What is counted: steps, or the moments of a recording.
  void set_counted(const QString& what);
  void set_crossover(const isolume::nbody::Crossover& crossover);
  /// Marks the moment.
  void show(std::int64_t step);
  /// One of plot_names.
  void choose(std::string_view plot);
  /// Forgets what came after this step, or before it.
  void forget_after(std::int64_t step);
  void forget_before(std::int64_t step);
  /// Forgets what is no longer in the run's record: steps before an origin whose options have changed do not lead there.
  void keep(std::int64_t first, std::int64_t last);
  void clear();
  /// The run begins at this step: energies are compared with those there, also of steps before it.
  void begin_at(std::int64_t step) { begin_ = step; }
  /// The run goes back to this step, which is where it begins if it is earlier.
  void begin_at_or_before(std::int64_t step) { begin_ = std::min(begin_, step); }
  /// Plots and lists what it holds, where it is in sight.
  void refresh();
  /// A table of all moments, comma-separated. Throws Error.
  void write(const std::filesystem::path& path) const;
  /// What is plotted, as a figure (SVG or PDF) or as a table, comma-separated. Throws Error.
  void write_figure(const std::filesystem::path& path);
  void write_plot(const std::filesystem::path& path);
  bool empty() const { return rows_.empty(); }
  /// Relative, since the run's start or the first moment known after it, or `since` another one: after a change of softening another energy is
  /// conserved, and the comparison begins anew.
  struct EnergyError {
    double value = 0;
    std::optional<std::int64_t> since;
  };
  /// Nothing where it is not known.
  std::optional<EnergyError> energy_error(const isolume::nbody::NBodyFrame& frame) const;

 Q_SIGNALS:
  void crossover_wanted();

 private:
  struct Quantity;
  class References;
  using Rows = std::map<std::int64_t, isolume::nbody::NBodyFrame>;
  static const std::vector<Quantity>& quantities();
  static void add_row(const isolume::nbody::NBodyFrame& frame, Rows& rows);
  std::vector<double> on_steps(const std::map<std::int64_t, double>& values) const;
  std::map<std::int64_t, double> of_branch(const Quantity& quantity) const;
  void offer_what_is_of(const isolume::nbody::NBodyFrame& first);
  std::int64_t start() const;
  const isolume::nbody::NBodyFrame* reference_of(const isolume::nbody::NBodyFrame& frame) const;
  double shown_value(const Quantity& quantity, const isolume::nbody::NBodyFrame& frame,
                     const isolume::nbody::NBodyFrame& reference) const;
  void plot();
  fields::Chart::Data against_steps() const;
  void plot_quantity(const Quantity& quantity);
  void plot_phases();
  void plot_force_errors();
  void plot_crossover();
  QString crossover_words() const;

  Rows rows_, branch_rows_;  ///< of each step, without the bodies
  std::map<std::int64_t, double> drawing_seconds_;
  std::map<std::int64_t, isolume::nbody::SampledErrors> force_errors_;
  std::optional<isolume::nbody::Crossover> crossover_;
  std::int64_t shown_ = 0, begin_ = 0;
  std::optional<isolume::nbody::Units> units_;
  QString first_name_, branch_name_, counted_;
  QComboBox* choice_;
  fields::Chart* chart_;
  QLabel* words_;
  QPushButton* measure_;
  QTreeWidget* table_;
};

}  // namespace isolume::labs::nbody
