#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/molecules/wavefunction.h"

namespace isolume::labs::orbitals {

/// Orbitals of one spin whose energies lie within `degeneracy_tolerance_hartree` of their neighbours.
struct Level {
  double energy_hartree = 0;  ///< mean
  std::vector<int> orbitals;  ///< positions in the set, by energy, then by position
};
inline constexpr double degeneracy_tolerance_hartree = 1e-4;

/// The levels of one spin from the lowest up; orbitals without an energy are left out.
std::vector<Level> group_levels(const molecules::OrbitalSet& set, molecules::Spin spin);

/// The energy-level diagram: bars at the orbitals' energies (filled: occupied), degenerate ones side by side,
/// a column for each spin of an unrestricted set. Click or arrow keys choose; wheel or +/- zoom, drag pans,
/// double click or 0 goes back to the frontier orbitals.
class LevelDiagram final : public QWidget {
  Q_OBJECT
 public:
  explicit LevelDiagram(QWidget* parent = nullptr);
  void set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction, std::size_t set);
  /// Marks the orbital shown, without `orbital_chosen`; moves it into view.
  void set_chosen(int orbital);
  /// Marks the orbitals of a superposition as the chosen one is; none for other fields.
  void set_members(std::vector<int> members);

  /// The bar of an orbital in widget coordinates; empty when the orbital has no energy.
  QRectF bar(int orbital) const;
  /// The orbital drawn nearest to a place, within a few pixels; -1 when there is none.
  int orbital_at(const QPointF& place) const;

  QSize sizeHint() const override { return {260, 420}; }
  QSize minimumSizeHint() const override { return {150, 120}; }

 Q_SIGNALS:
  void orbital_chosen(int orbital);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override;

 private:
  struct Column {
    molecules::Spin spin;
    std::vector<Level> levels;
  };
  struct Place {  ///< where an orbital stands: column, level, and place among the degenerate ones
    int column = -1;
    int level = 0;
    int slot = 0;
  };

  QRectF plot() const;
  QRectF column_area(int column) const;
  bool labels_left(int column) const { return columns_.size() > 1 && column == 0; }
  double to_y(double energy_hartree) const;
  double to_energy(double y) const;
  void show_frontier();
  void zoom(double factor, double fixed_energy);
  void step(int levels, int slots);
  QString describe(int orbital) const;
  bool is_marked(int orbital) const;
  void draw_axes(QPainter& painter) const;
  void draw_column(QPainter& painter, int column) const;
  void draw_bar(QPainter& painter, int orbital, const QRectF& bar) const;
  void draw_labels(QPainter& painter, int column) const;

  std::shared_ptr<const molecules::Wavefunction> wavefunction_;
  const molecules::OrbitalSet* set_ = nullptr;
  std::vector<Column> columns_;
  std::vector<Place> places_;  ///< one an orbital
  std::vector<std::string> frontier_labels_;
  std::vector<int> numbers_;
  int chosen_ = -1;
  std::vector<int> members_;
  double low_ = -1, high_ = 1;  ///< hartree, what the axis shows
  QPointF pressed_;
  double pressed_low_ = 0, pressed_high_ = 0;
  bool panning_ = false;
};

}  // namespace isolume::labs::orbitals
