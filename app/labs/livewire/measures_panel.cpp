#include "app/labs/livewire/measures_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QPointer>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/labs/livewire/workspace.h"
#include "app/slices/number_text.h"
#include "core/contours/measures.h"

namespace isolume::labs::livewire {
namespace {

constexpr int rest_ms = 300;
constexpr double mm3_per_ml = 1000;

QString number(double value) {
  return slices::fixed_number(value, 2);
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
  if (const auto& inside = found.intensity; inside && inside->count > 0)
    row << number(inside->mean) << number(inside->sd) << number(inside->min) << number(inside->max);
  return row;
}

QStringList row_of(const contours::LabelMeasures& label, const std::string& name) {
  const auto& inside = label.intensity;
  QStringList row{QString::fromStdString(name),
                  QObject::tr("all"),
                  {},
                  {},
                  number(label.volume_mm3 / mm3_per_ml),
                  {},
                  {}};
  if (inside.count > 0)
    row << number(inside.mean) << number(inside.sd) << number(inside.min) << number(inside.max);
  return row;
}

}  // namespace

MeasuresPanel::MeasuresPanel(Workspace& workspace) : workspace_(workspace), table_(new QTableWidget) {
  table_->setObjectName("measures");
  table_->setAccessibleName(tr("Measures"));
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setAlternatingRowColors(true);
  table_->verticalHeader()->hide();
  auto* copy_button = new QPushButton(tr("Copy"));
  copy_button->setToolTip(tr("Copies the table, columns parted by tabs, as spreadsheets take it"));
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
  column->addLayout(buttons);
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &MeasuresPanel::measure);
  connect(&workspace_.model(), &TracingModel::contours_changed, &rest_, qOverload<>(&QTimer::start));
}

void MeasuresPanel::measure() {
  if (workspace_.model().image() == nullptr) return;
  workspace_.context().jobs.submit(
      "Measure", "livewire.measures",
      [this, &workspace = workspace_, alive = QPointer(this), set = workspace_.model().contours(),
       image = workspace_.model().image()](const jobs::Progress& progress) {
        std::vector<QStringList> rows;
        for (const auto& each : set.contours()) {
          progress.check();
          if (!each->suggestion) rows.push_back(row_of(*each, image->volume));
        }
        for (const auto& each : contours::measure_labels(set, image->volume, progress)) {
          if (each.contours > 0) rows.push_back(row_of(each, set.label(each.label)->name));
        }
        workspace.later([this, alive, rows, &workspace, image] {
          if (alive && image == workspace.model().image()) show_rows(rows);
        });
      });
}

void MeasuresPanel::show_rows(const std::vector<QStringList>& rows) {
  const std::string& unit = workspace_.image().volume.unit;
  const QString in = unit.empty() ? QString() : " / " + QString::fromStdString(unit);
  const QStringList headings{tr("Contour"),         tr("Slice"),       tr("Length / mm"),
                             tr("Area / mm²"),      tr("Volume / ml"), tr("Feret max. / mm"),
                             tr("Feret min. / mm"), tr("Mean") + in,   tr("SD") + in,
                             tr("Min.") + in,       tr("Max.") + in};
  table_->setColumnCount(static_cast<int>(headings.size()));
  table_->setHorizontalHeaderLabels(headings);
  table_->setRowCount(static_cast<int>(rows.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (int k = 0; k < static_cast<int>(headings.size()); ++k) {
      auto* cell = new QTableWidgetItem(rows[i].value(k));
      if (k > 0) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(static_cast<int>(i), k, cell);
    }
  }
  table_->resizeColumnsToContents();
}

void MeasuresPanel::copy() const {
  QString text;
  for (int k = 0; k < table_->columnCount(); ++k)
    text += (k == 0 ? "" : "\t") + table_->horizontalHeaderItem(k)->text();
  for (int i = 0; i < table_->rowCount(); ++i) {
    text += "\n";
    for (int k = 0; k < table_->columnCount(); ++k) text += (k == 0 ? "" : "\t") + table_->item(i, k)->text();
  }
  QGuiApplication::clipboard()->setText(text);
}

}  // namespace isolume::labs::livewire
