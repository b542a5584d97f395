#include "app/labs/livewire/panels/measures_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <array>
#include <cmath>

#include "app/labs/livewire/views/contour_overlay.h"
#include "app/labs/livewire/workspace/workspace.h"
#include "app/slices/number_text.h"
#include "app/workbench/contract/translated.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

constexpr int drawing_rest_ms = 300;
constexpr double mm3_per_ml = 1000;

/// Nothing where the image has no scale.
QString number(double value) {
  return std::isfinite(value) ? slices::shown_number(value) : QString();
}

/// What a narrow panel leaves out of the table, and says of the selected row below it.
constexpr std::array secondary{5, 6, 8, 9, 10};
constexpr int of_not_finite = 11;

/// Cells of the pixels inside; the last is empty unless some are not finite.
QStringList cells_of(const contours::Intensity& inside) {
  QStringList cells{{}, {}, {}, {}};
  if (inside.count > 0)
    cells = {number(inside.mean), number(inside.sd), number(inside.min), number(inside.max)};
  if (inside.not_finite > 0) cells << QString::number(inside.not_finite);
  return cells;
}

QStringList row_of(const contours::Contour& contour, const images::Volume& volume) {
  const auto found = contours::measure(contour, volume);
  QStringList row{QString::fromStdString(contour.name),
                  QString::number(contour.slice.index + 1),
                  number(found.length_mm),
                  found.area_mm2 ? number(*found.area_mm2) : QString(),
                  {},
                  number(found.feret_max_mm),
                  number(found.feret_min_mm)};
  if (found.intensity) row << cells_of(*found.intensity);
  return row;
}

QStringList row_of(const contours::Ruler& ruler, const images::Geometry& geometry) {
  const QString slice = QString::number(ruler.slice.index + 1);
  const double value = contours::measure(ruler, geometry);
  if (ruler.kind == contours::RulerKind::distance)
    return {QObject::tr("%1. Distance").arg(ruler.id), slice, number(value)};
  return {QObject::tr("%1. Angle: %2").arg(ruler.id).arg(ruler_text(ruler, geometry)), slice};
}

/// Why no label has one; empty where they have.
QString without_volumes(const images::Geometry& geometry) {
  if (!geometry.has_one_scale())
    return QObject::tr("No volumes: the ultrasound regions have different scales.");
  if (!geometry.has_thickness)
    return QObject::tr("No volumes: the image is one slice, and the file does not say how thick it is.");
  if (!geometry.regions.empty())
    return QObject::tr("Contours that leave the ultrasound region are not measured, nor is their volume.");
  return {};
}

QStringList row_of(const contours::LabelMeasures& label, const std::string& name) {
  QStringList row{QString::fromStdString(name),
                  QObject::tr("all"),
                  {},
                  {},
                  number(label.volume_mm3 / mm3_per_ml),
                  {},
                  {}};
  return row << cells_of(label.intensity);
}

}  // namespace

MeasuresPanel::MeasuresPanel(Workspace& workspace)
    : workspace_(workspace), table_(new QTableWidget), details_(new QLabel) {
  table_->setObjectName("measures");
  table_->setAccessibleName(tr("Measures"));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->verticalHeader()->hide();
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  details_->setObjectName("measures-details");
  details_->setWordWrap(true);
  details_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  auto* copy_button = new QPushButton(tr("Copy"));
  copy_button->setToolTip(tr("Copies the table with tab-separated columns, for spreadsheets"));
  auto* csv = new QPushButton(tr("Export CSV..."));
  csv->setToolTip(tr("Choose a name that ends in .measures.csv"));
  connect(copy_button, &QPushButton::clicked, this, &MeasuresPanel::copy);
  connect(csv, &QPushButton::clicked, this, [this] { workspace_.run("file.export"); });
  auto* buttons = new QHBoxLayout;
  buttons->addStretch();
  buttons->addWidget(copy_button);
  buttons->addWidget(csv);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(table_);
  column->addWidget(details_);
  column->addLayout(buttons);
  rest_.setSingleShot(true);
  rest_.setInterval(drawing_rest_ms);
  connect(&rest_, &QTimer::timeout, this, &MeasuresPanel::measure);
  connect(&workspace_.model(), &TracingModel::contours_changed, &rest_, qOverload<>(&QTimer::start));
  connect(&workspace_.model(), &TracingModel::selection_changed, this, &MeasuresPanel::follow_selection);
  connect(table_, &QTableWidget::currentCellChanged, this, &MeasuresPanel::show_details);
  show_details();
}

void MeasuresPanel::measure() {
  if (workspace_.model().image() == nullptr) return;
  workspace_.context().jobs.submit(
      workbench::said(QObject::tr("Measure")), "livewire.measures",
      [this, &workspace = workspace_, alive = QPointer(this), set = workspace_.model().contours(),
       image = workspace_.model().image()](const jobs::Progress& progress) {
        std::vector<Row> rows;
        auto by_slice = set.contours();
        std::ranges::stable_sort(by_slice, {},
                                 [](const auto& each) { return std::pair(each->label, each->slice); });
        for (const auto& each : by_slice) {
          progress.check();
          if (!each->suggestion) rows.push_back({each->id, row_of(*each, image->volume)});
        }
        for (const auto& each : set.rulers()) rows.push_back({0, row_of(each, image->volume.geometry)});
        for (const auto& each : contours::measure_labels(set, image->volume, progress)) {
          if (each.contours > 0) rows.push_back({0, row_of(each, set.label(each.label)->name)});
        }
        workspace.later([this, alive, rows, &workspace, image] {
          if (alive && image == workspace.model().image()) show_rows(rows);
        });
      });
}

void MeasuresPanel::show_rows(const std::vector<Row>& rows) {
  const std::string& unit = workspace_.image().volume.unit;
  const QString in = unit.empty() ? QString() : "\n/ " + QString::fromStdString(unit);
  QStringList headings{tr("Contour"),          tr("Slice"),        tr("Length\n/ mm"),
                       tr("Area\n/ mm²"),      tr("Volume\n/ ml"), tr("Feret max.\n/ mm"),
                       tr("Feret min.\n/ mm"), tr("Mean") + in,    tr("SD") + in,
                       tr("Min.") + in,        tr("Max.") + in};
  if (std::ranges::any_of(rows, [](const Row& row) { return row.cells.size() > of_not_finite; }))
    headings << tr("Not finite\n/ px");
  table_->setColumnCount(static_cast<int>(headings.size()));
  table_->setHorizontalHeaderLabels(headings);
  table_->setRowCount(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int k = 0; k < static_cast<int>(headings.size()); ++k) {
      auto* cell = new QTableWidgetItem(rows[i].cells.value(k));
      cell->setData(Qt::UserRole, QVariant::fromValue<qulonglong>(rows[i].contour));
      if (k > 0) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(static_cast<int>(i), k, cell);
    }
  }
  fit_columns();
  follow_selection();
}

void MeasuresPanel::fit_columns() {
  if (table_->columnCount() == 0) return;
  for (const int column : secondary) table_->setColumnHidden(column, false);
  table_->resizeColumnsToContents();
  const bool too_wide = table_->horizontalHeader()->length() > table_->viewport()->width();
  for (const int column : secondary) table_->setColumnHidden(column, too_wide);
  show_details();
}

void MeasuresPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

void MeasuresPanel::follow_selection() {
  const auto selected = workspace_.model().selected();
  for (int i = 0; selected && i < table_->rowCount(); ++i) {
    if (table_->item(i, 0)->data(Qt::UserRole).toULongLong() == *selected) return table_->selectRow(i);
  }
  table_->clearSelection();
  table_->setCurrentCell(-1, -1);
}

void MeasuresPanel::show_details() {
  QStringList parts;
  const int row = table_->currentRow();
  for (const int column : secondary) {
    if (row < 0 || !table_->isColumnHidden(column) || table_->item(row, column)->text().isEmpty()) continue;
    QString heading = table_->horizontalHeaderItem(column)->text();
    const QString unit = heading.section("\n/ ", 1);
    heading = heading.section("\n/ ", 0, 0);
    parts << (heading + QChar(0xa0) + table_->item(row, column)->text() + QChar(0xa0) + unit).trimmed();
  }
  QStringList lines;
  if (!parts.isEmpty()) lines << parts.join(", ");
  lines
      << (table_->rowCount() > 0
              ? without_volumes(workspace_.image().volume.geometry)
              : tr("Nothing has been measured. Trace a contour, or measure a distance (D) or an angle (A)."));
  lines.removeAll(QString());
  details_->setText(lines.join(QChar('\n')));
  details_->setVisible(!lines.isEmpty());
}

void MeasuresPanel::copy() const {
  QString text;
  for (int k = 0; k < table_->columnCount(); ++k)
    text += (k == 0 ? "" : "\t") + table_->horizontalHeaderItem(k)->text().replace('\n', ' ');
  for (int i = 0; i < table_->rowCount(); ++i) {
    text += "\n";
    for (int k = 0; k < table_->columnCount(); ++k) text += (k == 0 ? "" : "\t") + table_->item(i, k)->text();
  }
  text.replace(QChar(0x2212), '-');  // as spreadsheets read it
  QGuiApplication::clipboard()->setText(text);
}

}  // namespace isolume::labs::livewire

#include "moc_measures_panel.cpp"
