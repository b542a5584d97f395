#include "app/labs/electrostatics/panels/row_table.h"

#include <QApplication>
#include <QClipboard>
#include <QItemSelectionModel>
#include <QKeyEvent>
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
#include <vector>

#include "app/labs/electrostatics/panels/table_numbers.h"
#include "app/workbench/look/table_look.h"

namespace isolume::labs::electrostatics {
namespace {

constexpr int most_sorted_rows = 20'000;

}  // namespace

void RowModel::set_rows(TableRows rows) {
  beginResetModel();
  rows_ = std::move(rows);
  endResetModel();
}

int RowModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : rows_.count;
}

int RowModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.columns.size());
}

QVariant RowModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const int row = index.row(), column = index.column(),
            decimals = rows_.columns[static_cast<std::size_t>(column)].decimals;
  const bool is_number = decimals >= 0;
  if (role == Qt::TextAlignmentRole)
    return QVariant((is_number ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) {
    if (!is_number) return rows_.words(row, column);
    return role == Qt::DisplayRole ? QVariant(number_text(rows_.number(row, column), decimals)) : QVariant();
  }
  if (role != Qt::UserRole) return {};
  if (!is_number)
    return rows_.order ? QVariant(rows_.order(row, column)) : QVariant(rows_.words(row, column));
  const double number = rows_.number(row, column);
  // NaN has no place in an order, and what is the same to people stays in the order of the rows.
  return std::isfinite(number) ? rounded(number, decimals) : std::numeric_limits<double>::lowest();
}

QVariant RowModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const auto& column = rows_.columns[static_cast<std::size_t>(section)];
  if (role == Qt::DisplayRole) return column.title;
  if (role == Qt::ToolTipRole) return column.tip;
  return {};
}

RowTable::RowTable(const QString& name, const QString& title, QWidget* parent)
    : QWidget(parent),
      model_(new RowModel(this)),
      sorted_(new QSortFilterProxyModel(this)),
      note_(new QLabel),
      view_(new QTableView) {
  setObjectName(name);
  setFocusProxy(view_);
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(Qt::UserRole);
  note_->setWordWrap(true);
  note_->hide();
  view_->setModel(sorted_);
  workbench::set_table_look(*view_);
  view_->sortByColumn(-1, Qt::AscendingOrder);
  view_->setAccessibleName(title);
  view_->installEventFilter(this);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(4, 4, 4, 4);
  layout->addWidget(note_);
  layout->addWidget(view_, 1);
  connect(sorted_, &QAbstractItemModel::layoutChanged, this, &RowTable::fit_rows);
  connect(view_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!following_ && current.isValid()) Q_EMIT row_chosen(sorted_->mapToSource(current).row());
          });
}

bool RowTable::eventFilter(QObject* watched, QEvent* event) {
  const bool is_key = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
  if (watched != view_ || !is_key || !static_cast<QKeyEvent*>(event)->matches(QKeySequence::Copy))
    return QWidget::eventFilter(watched, event);
  if (event->type() == QEvent::KeyPress) copy();
  event->accept();  // it is not another one's shortcut
  return true;
}

void RowTable::copy() const {
  QStringList lines;
  auto rows = view_->selectionModel()->selectedRows();
  std::ranges::sort(rows, {}, &QModelIndex::row);
  for (const auto& row : rows) {
    QStringList cells;
    for (int column = 0; column < model_->columnCount(); ++column)
      cells += row.siblingAtColumn(column).data().toString();
    lines += cells.join('\t');
  }
  if (!lines.empty()) QApplication::clipboard()->setText(lines.join('\n'));
}

QSize RowTable::sizeHint() const {
  constexpr int letters = 60;
  return {letters * fontMetrics().averageCharWidth(), QWidget::sizeHint().height()};
}

void RowTable::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

/// Numbers to their titles and to what may be in them, words to those of the first rows. Where there is no room for
/// all, the widest words share what there is, and their cells have several lines.
void RowTable::fit_columns() {
  constexpr int rows_looked_at = 200, padding = 14, spare = 4;
  const auto& rows = model_->rows();
  const auto width = [this](const QString& text) {
    int widest = 0;
    for (const auto& line : text.split('\n'))
      widest = std::max(widest, fontMetrics().horizontalAdvance(line));
    return widest;
  };
  int room = view_->width() - 2 * view_->frameWidth() -
             view_->style()->pixelMetric(QStyle::PM_ScrollBarExtent, nullptr, view_) - spare;
  std::vector<std::pair<int, int>> words;  // width and number of a column
  for (std::size_t i = 0; i < rows.columns.size(); ++i) {
    const auto& column = rows.columns[i];
    const int at = static_cast<int>(i);
    int cell = column.decimals < 0 ? 0 : width(column.widest);
    for (int row = 0; column.decimals < 0 && row < std::min(rows.count, rows_looked_at); ++row)
      cell = std::max(cell, width(rows.words(row, at)));
    const int wanted = std::max(width(column.title), cell) + padding;
    view_->setColumnWidth(at, wanted);
    if (column.decimals < 0) {
      words.emplace_back(wanted, at);
    } else {
      room -= wanted;
    }
  }
  std::ranges::sort(words);
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto [wanted, at] = words[i];
    const int share =
        std::max(room / static_cast<int>(words.size() - i), width(rows.columns[at].title) + padding);
    view_->setColumnWidth(at, std::min(wanted, share));
    room -= view_->columnWidth(at);
  }
  fit_rows();
}

/// Heights of many rows would take longer than a frame: their words are cut, and tool tips have them.
void RowTable::fit_rows() {
  constexpr int most_wrapped_rows = 300, most_lines = 6;
  const int rows = model_->rowCount({});
  view_->setWordWrap(rows <= most_wrapped_rows);
  if (!view_->wordWrap()) return;
  view_->resizeRowsToContents();
  constexpr int padding = 4;
  for (int row = 0; row < rows; ++row) {
    view_->setRowHeight(
        row, std::min(view_->rowHeight(row), most_lines * fontMetrics().lineSpacing() + 2) + padding);
  }
}

void RowTable::set_rows(TableRows rows, const QString& note) {
  following_ = true;
  const bool other_columns = rows.columns.size() != model_->rows().columns.size();
  model_->set_rows(std::move(rows));
  // Qt sorts at once and on this thread, which would take longer than a frame for more of them.
  const bool is_sortable = model_->rowCount({}) <= most_sorted_rows;
  view_->setSortingEnabled(is_sortable);
  if (other_columns || !is_sortable) view_->sortByColumn(-1, Qt::AscendingOrder);
  following_ = false;
  note_->setText(note);
  note_->setVisible(!note.isEmpty());
  fit_columns();
}

void RowTable::set_chosen(int row) {
  following_ = true;
  const auto index = sorted_->mapFromSource(model_->index(row, 0));
  if (row >= 0 && index.isValid()) {
    view_->selectionModel()->setCurrentIndex(index,
                                             QItemSelectionModel::ClearAndSelect | QItemSelectionModel::Rows);
    view_->scrollTo(index);
  } else {
    view_->selectionModel()->clear();
  }
  following_ = false;
}

int RowTable::chosen() const {
  const auto rows = view_->selectionModel()->selectedRows();
  return rows.empty() ? -1 : sorted_->mapToSource(rows.front()).row();
}

}  // namespace isolume::labs::electrostatics

#include "moc_row_table.cpp"
