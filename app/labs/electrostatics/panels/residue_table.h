#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/electrostatics/surfaces/residue_values.h"

class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace isolume::labs::electrostatics {

using ResidueList = std::shared_ptr<const std::vector<isolume::electrostatics::ResidueValues>>;

/// Residues as rows, in the order of the file. `Qt::UserRole` gives what a column sorts by.
class ResidueModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { name, charge, mean, energy, lowest, highest, area, column_count };

  using QAbstractTableModel::QAbstractTableModel;
  /// Null empties the model. `unit`: of the potential, for people.
  void set_values(ResidueList values, const QString& unit);
  const ResidueList& values() const { return values_; }
  /// By their places in the file: those in bold; empty: none.
  void set_selected(std::vector<bool> residues);
  const std::vector<bool>& selected() const { return selected_; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  bool is_selected(std::size_t residue) const { return residue < selected_.size() && selected_[residue]; }

  ResidueList values_;
  std::vector<bool> selected_;
  QString unit_;
};

/// The table, which can be sorted by each column, with lines on residues without charge and on those selected above it.
class ResidueTable final : public QWidget {
  Q_OBJECT
 public:
  explicit ResidueTable(QWidget* parent = nullptr);
  /// Null: there is nothing to show yet. The chosen residue stays.
  void set_values(ResidueList values, const QString& unit);
  /// Empties the table and says why there is nothing in it.
  void set_empty(const QString& why);
  const ResidueList& values() const { return model_->values(); }
  /// By its place in the file, without `residue_chosen`; -1: none.
  void set_chosen(int residue);
  int chosen() const { return chosen_; }
  /// By their places in the file: they are bold, and a line above the table has their sums. Empty: none.
  void set_selected(std::vector<bool> residues);
  QTableView* view() const { return view_; }
  /// Room for all columns.
  QSize sizeHint() const override;

 Q_SIGNALS:
  /// The person stepped or clicked to another row.
  void residue_chosen(int residue);

 private:
  void fit_columns();
  void show_sums();

  ResidueModel* model_;
  QSortFilterProxyModel* sorted_;
  QLabel *missing_, *sums_;
  QTableView* view_;
  int chosen_ = -1;
  bool following_ = false;  ///< the selection is being set from elsewhere
};

}  // namespace isolume::labs::electrostatics
