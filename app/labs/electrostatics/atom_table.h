#pragma once

#include <QAbstractTableModel>
#include <QWidget>
#include <memory>
#include <vector>

#include "core/electrostatics/wavefunction_atoms.h"

class QLabel;
class QTableView;

namespace isolume::labs::electrostatics {

using AtomList = std::shared_ptr<const std::vector<isolume::electrostatics::WavefunctionAtom>>;

/// A wavefunction's atoms as rows, in the order of the file. `Qt::UserRole` gives what a column sorts by.
class AtomModel final : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { number, element, mulliken, loewdin, fitted, potential, column_count };

  using QAbstractTableModel::QAbstractTableModel;
  /// Null empties the model. `unit`: of the potential, for people.
  void set_atoms(AtomList atoms, const QString& unit);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role = Qt::DisplayRole) const override;

 private:
  AtomList atoms_;
  QString unit_;
};

/// The table, which can be sorted by each column; without atoms, a line that says when there are some.
class AtomTable final : public QWidget {
  Q_OBJECT
 public:
  explicit AtomTable(QWidget* parent = nullptr);
  /// Null: there is nothing to show.
  void set_atoms(const AtomList& atoms, const QString& unit);

 private:
  AtomModel* model_;
  QLabel* none_;
  QTableView* view_;
};

}  // namespace isolume::labs::electrostatics
