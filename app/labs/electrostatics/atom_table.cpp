#include "app/labs/electrostatics/atom_table.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QVBoxLayout>
#include <utility>

#include "app/labs/electrostatics/table_numbers.h"
#include "core/molecules/element.h"

namespace isolume::labs::electrostatics {
namespace {

double number_in(const isolume::electrostatics::WavefunctionAtom& atom, AtomModel::Column column) {
  switch (column) {
    case AtomModel::mulliken:
      return atom.mulliken;
    case AtomModel::loewdin:
      return atom.loewdin;
    case AtomModel::fitted:
      return atom.fitted;
    default:
      return atom.potential;
  }
}

int decimals_in(AtomModel::Column column) {
  return column == AtomModel::potential ? 4 : 3;
}

}  // namespace

void AtomModel::set_atoms(AtomList atoms, const QString& unit) {
  beginResetModel();
  atoms_ = std::move(atoms);
  unit_ = unit;
  endResetModel();
}

int AtomModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !atoms_ ? 0 : static_cast<int>(atoms_->size());
}

int AtomModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant AtomModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<Column>(index.column());
  const auto& atom = (*atoms_)[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant((column == element ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::UserRole) {
    if (column == number) return index.row();
    if (column == element) return atom.atomic_number;
    return rounded(number_in(atom, column), decimals_in(column));
  }
  if (role != Qt::DisplayRole) return {};
  if (column == number) return index.row() + 1;
  if (column == element) {
    const auto symbol = molecules::element(atom.atomic_number).symbol;
    return QString::fromUtf8(symbol.data(), static_cast<int>(symbol.size()));
  }
  return number_text(number_in(atom, column), decimals_in(column));
}

QVariant AtomModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const QString titles[] = {tr("Atom"),         tr("Element"),
                            tr("Mulliken / e"), tr("Löwdin / e"),
                            tr("Fitted / e"),   unit_.isEmpty() ? tr("V") : tr("V / %1").arg(unit_)};
  const QString tips[] = {tr("Its number in the file"),
                          tr("Element"),
                          tr("Charge by Mulliken"),
                          tr("Charge by Löwdin"),
                          tr("Charge fitted to the exact potential around the molecule"),
                          tr("Exact potential at the nucleus, of all charge but that nucleus")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

AtomTable::AtomTable(QWidget* parent)
    : QWidget(parent),
      model_(new AtomModel(this)),
      none_(new QLabel(tr("Atoms of a wavefunction are listed here, with their charges."))),
      view_(new QTableView) {
  setObjectName(QStringLiteral("atom-table"));
  setFocusProxy(view_);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(model_);
  sorted->setSortRole(Qt::UserRole);
  none_->setWordWrap(true);
  view_->setModel(sorted);
  view_->setSelectionBehavior(QAbstractItemView::SelectRows);
  view_->setSortingEnabled(true);
  view_->sortByColumn(AtomModel::number, Qt::AscendingOrder);
  view_->setAlternatingRowColors(true);
  view_->setShowGrid(false);
  view_->setTabKeyNavigation(false);
  view_->verticalHeader()->hide();
  view_->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  view_->horizontalHeader()->setHighlightSections(false);
  view_->setAccessibleName(tr("Atoms"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(none_);
  layout->addWidget(view_, 1);
  set_atoms(nullptr, {});
}

void AtomTable::set_atoms(const AtomList& atoms, const QString& unit) {
  model_->set_atoms(atoms, unit);
  none_->setVisible(!atoms);
  for (int column = 0; column < AtomModel::column_count; ++column) {
    const int title = fontMetrics().horizontalAdvance(model_->headerData(column, Qt::Horizontal).toString());
    view_->setColumnWidth(column, title + 14);
  }
}

}  // namespace isolume::labs::electrostatics
