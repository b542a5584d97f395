#pragma once

#include <QAbstractTableModel>
#include <QSortFilterProxyModel>
#include <QWidget>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/molecules/wavefunction.h"

class QComboBox;
class QLineEdit;
class QTableView;

namespace isolume::labs::orbitals {

/// More electrons are in an orbital that is said to be occupied.
inline constexpr double least_occupation = 1e-6;

/// The orbitals of one set as rows, in the order of the file. `Qt::UserRole` gives what a column sorts by.
class OrbitalModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { number, spin, symmetry, energy_hartree, energy_ev, occupation, frontier, column_count };

  using QAbstractTableModel::QAbstractTableModel;
  /// Null empties the model.
  void set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction, std::size_t set);
  /// Positions of orbitals that the shown field is made of, set apart as the chosen row is.
  void set_members(std::vector<int> members);
  const molecules::Orbital& orbital(int row) const;
  bool unrestricted() const { return unrestricted_; }
  /// Counts from 1 within the orbital's spin.
  int number_of(int row) const { return numbers_[static_cast<std::size_t>(row)]; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  QString text(int row, Column column) const;
  QVariant sort_key(int row, Column column) const;

  std::shared_ptr<const molecules::Wavefunction> wavefunction_;
  const molecules::OrbitalSet* set_ = nullptr;
  std::vector<int> numbers_;
  std::vector<std::string> frontier_labels_;
  std::vector<int> members_;
  bool unrestricted_ = false;
};

/// Hides the rows that a person does not want to see, and sorts numbers as numbers.
class OrbitalFilter final : public QSortFilterProxyModel {
  Q_OBJECT
 public:
  enum class Occupied { any, yes, no };

  explicit OrbitalFilter(QObject* parent = nullptr);
  /// Rows with a cell that contains the text, whatever its case; for a number, rows of just that number, too.
  void set_text(const QString& text);
  void set_occupied(Occupied occupied);
  /// Nothing: both.
  void set_spin(std::optional<molecules::Spin> spin);

 protected:
  bool filterAcceptsRow(int row, const QModelIndex& parent) const override;

 private:
  QString text_;
  Occupied occupied_ = Occupied::any;
  std::optional<molecules::Spin> spin_;
};

/// The table with its filters and, where the file has several orbital sets, a chooser.
class OrbitalTable final : public QWidget {
  Q_OBJECT
 public:
  explicit OrbitalTable(QWidget* parent = nullptr);
  void set_orbitals(std::shared_ptr<const molecules::Wavefunction> wavefunction, std::size_t set);
  /// Marks the orbital shown, without `orbital_chosen`.
  void set_chosen(int orbital);
  /// Sets apart the orbitals of a superposition; none for other fields.
  void set_members(std::vector<int> members) { model_->set_members(std::move(members)); }

  QTableView* view() const { return view_; }
  /// Wide enough for all columns. In less room a scroll bar reaches the last ones.
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  /// The person stepped or clicked to another row: position in the set. Never by filtering.
  void orbital_chosen(int orbital);
  void set_chosen_by_person(int set);

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  /// Whether there is anything to say in a column for these orbitals.
  bool applies(OrbitalModel::Column column) const;
  /// Of the columns that apply, up to this one.
  int width_of_columns(OrbitalModel::Column last) const;
  void choose_columns();
  void size_columns();
  void change_filter(const std::function<void()>& change);
  void fill_set_chooser(const molecules::Wavefunction* wavefunction, std::size_t set);

  OrbitalModel* model_;
  OrbitalFilter* filter_;
  QComboBox* sets_;
  QLineEdit* text_;
  QComboBox* occupied_;
  QComboBox* spin_;
  QTableView* view_;
  int chosen_ = -1;
  std::array<int, OrbitalModel::column_count> widths_{};
  bool any_symmetry_ = false;
  bool following_ = false;  ///< the selection is being set from elsewhere
};

}  // namespace isolume::labs::orbitals
