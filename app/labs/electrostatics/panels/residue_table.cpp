#include "app/labs/electrostatics/panels/residue_table.h"

#include <QFont>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStringList>
#include <QStyle>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/workbench/look/table_look.h"

namespace isolume::labs::electrostatics {
namespace {

double number_of(const isolume::electrostatics::ResidueValues& values, ResidueModel::Column column) {
  switch (column) {
    case ResidueModel::charge:
      return values.charge;
    case ResidueModel::mean:
      return values.mean;
    case ResidueModel::lowest:
      return values.lowest;
    case ResidueModel::highest:
      return values.highest;
    case ResidueModel::energy:
      return values.energy_kj_per_mol;
    default:
      return values.area;
  }
}

int decimals_of(ResidueModel::Column column) {
  return column == ResidueModel::energy || column == ResidueModel::area ? 1 : 2;
}

}  // namespace

void ResidueModel::set_values(ResidueList values, const QString& unit) {
  beginResetModel();
  values_ = std::move(values);
  unit_ = unit;
  endResetModel();
}

void ResidueModel::set_selected(std::vector<bool> residues) {
  selected_ = std::move(residues);
  if (rowCount() > 0)
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1), {Qt::FontRole});
}

int ResidueModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !values_ ? 0 : static_cast<int>(values_->size());
}

int ResidueModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : column_count;
}

QVariant ResidueModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const auto column = static_cast<Column>(index.column());
  const auto& values = (*values_)[static_cast<std::size_t>(index.row())];
  if (role == Qt::TextAlignmentRole)
    return QVariant((column == name ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole && !values.has_parameters) return tr("No charge assigned");
  const bool selected = is_selected(static_cast<std::size_t>(index.row()));
  if (role == Qt::FontRole && (selected || !values.has_parameters)) {
    QFont font;
    font.setBold(selected);
    font.setItalic(!values.has_parameters);
    return font;
  }
  if (role == Qt::UserRole) {
    if (column == name) return index.row();
    const double number = number_of(values, column);
    // NaN has no place in an order, and what is the same to people stays in the order of the file.
    return std::isfinite(number) ? rounded(number, decimals_of(column))
                                 : std::numeric_limits<double>::lowest();
  }
  if (role != Qt::DisplayRole) return {};
  if (column == name) return QString::fromStdString(values.name);
  return number_text(number_of(values, column), decimals_of(column));
}

QVariant ResidueModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  // Units have lines of their own: all columns fit into a dock.
  const QString per_unit = unit_.isEmpty() ? QString() : '\n' + unit_;
  const QString titles[] = {
      tr("Residue"),           tr("q\ne"), tr("Mean V") + per_unit, tr("E\nkJ/mol"), tr("Min. V") + per_unit,
      tr("Max. V") + per_unit, tr("A\nÅ²")};
  const QString on_surface = tr("Potential on the residue's part of the molecular surface, in %1").arg(unit_);
  const QString tips[] = {tr("Name, chain and number"),
                          tr("Charge"),
                          on_surface + tr(": area-weighted mean"),
                          tr("Interaction energy: each charge times the potential of all other charges, "
                             "including the solvent reaction field"),
                          on_surface + tr(": minimum"),
                          on_surface + tr(": maximum"),
                          tr("Area of the residue's part of the molecular surface")};
  if (role == Qt::DisplayRole) return titles[section];
  if (role == Qt::ToolTipRole) return tips[section];
  return {};
}

ResidueTable::ResidueTable(QWidget* parent)
    : QWidget(parent),
      model_(new ResidueModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      missing_(new QLabel),
      sums_(new QLabel),
      view_(new QTableView) {
  setObjectName(QStringLiteral("residue-table"));
  setFocusProxy(view_);
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(Qt::UserRole);
  missing_->setWordWrap(true);
  missing_->setObjectName(QStringLiteral("residues-without-charge"));
  missing_->hide();
  sums_->setWordWrap(true);
  sums_->setObjectName(QStringLiteral("residues-selected"));
  sums_->hide();
  view_->setModel(sorted_);
  workbench::set_table_look(*view_);
  view_->setSelectionMode(QAbstractItemView::SingleSelection);
  view_->sortByColumn(ResidueModel::name, Qt::AscendingOrder);
  view_->setWordWrap(false);
  view_->horizontalHeader()->setMinimumSectionSize(0);
  fit_columns();
  view_->setAccessibleName(tr("Residues"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(missing_);
  layout->addWidget(sums_);
  layout->addWidget(view_, 1);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (following_ || !current.isValid()) return;
            chosen_ = sorted_->mapToSource(current).row();
            Q_EMIT residue_chosen(chosen_);
          });
}

QSize ResidueTable::sizeHint() const {
  const int spare = 3 * fontMetrics().height();  // the tabs at the side of a dock are within its width
  const int bar = view_->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, view_) + spare;
  const auto margins = layout()->contentsMargins();
  return {
      view_->horizontalHeader()->length() + bar + 2 * view_->frameWidth() + margins.left() + margins.right(),
      QWidget::sizeHint().height()};
}

/// To their titles, which have the unit, and to what may be in them.
void ResidueTable::fit_columns() {
  constexpr int padding = 10, arrow = 14;  // that shows what the table is sorted by
  const char* const widest[] = {"HIS A 999", "−9.99", "−99.99", "−999.9", "−99.99", "−99.99", "999.9"};
  for (int column = 0; column < ResidueModel::column_count; ++column) {
    int cell = fontMetrics().horizontalAdvance(QString::fromUtf8(widest[column]));
    for (const auto& line : model_->headerData(column, Qt::Horizontal).toString().split('\n'))
      cell =
          std::max(cell, fontMetrics().horizontalAdvance(line) + (column == ResidueModel::name ? arrow : 0));
    view_->setColumnWidth(column, cell + padding);
  }
}

void ResidueTable::set_values(ResidueList values, const QString& unit) {
  constexpr int most_named = 6;
  QStringList names;
  int count = 0;
  if (values) {
    for (const auto& each : *values) {
      if (!each.has_parameters && ++count <= most_named) names += QString::fromStdString(each.name);
    }
  }
  if (count > most_named) names += QStringLiteral("...");
  missing_->setText(tr("%n residue(s) without charge: %1", "", count).arg(names.join(QStringLiteral(", "))));
  missing_->setVisible(count > 0);
  following_ = true;
  model_->set_values(std::move(values), unit);
  following_ = false;
  fit_columns();
  show_sums();
  set_chosen(chosen_);
}

void ResidueTable::set_empty(const QString& why) {
  set_values(nullptr, {});
  missing_->setText(why);
  missing_->setVisible(!why.isEmpty());
}

void ResidueTable::set_selected(std::vector<bool> residues) {
  model_->set_selected(std::move(residues));
  show_sums();
}

/// Of the rows of residues that have a selected atom, as they are in the table.
void ResidueTable::show_sums() {
  const auto& selected = model_->selected();
  const auto& all = model_->values();
  sums_->setVisible(!selected.empty() && all);
  if (!sums_->isVisibleTo(this)) return;
  int count = 0;
  double charge = 0, energy = 0, area = 0;
  for (std::size_t i = 0; i < std::min(selected.size(), all->size()); ++i) {
    if (!selected[i]) continue;
    const auto& values = (*all)[i];
    ++count;
    charge += values.charge;
    energy += values.energy_kj_per_mol;
    area += values.area;
  }
  sums_->setText(tr("%n residue(s) selected: %1 e, %2 kJ/mol, %3 Å²", "", count)
                     .arg(number_text(charge, 2), number_text(energy, 1), number_text(area, 1)));
}

void ResidueTable::set_chosen(int residue) {
  chosen_ = residue;
  following_ = true;
  const auto index = sorted_->mapFromSource(model_->index(residue, 0));
  if (index.isValid()) {
    view_->selectionModel()->setCurrentIndex(index,
                                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(index);
  } else {
    view_->selectionModel()->clear();
  }
  following_ = false;
}

}  // namespace isolume::labs::electrostatics

#include "moc_residue_table.cpp"
