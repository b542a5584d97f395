#include "app/labs/anatomy/regions_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPixmap>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

namespace isolume::labs::anatomy {
namespace {

enum RegionColumn { column_label, column_voxels, column_volume, region_columns };

}  // namespace

RegionsPanel::RegionsPanel()
    : text_(new QLabel),
      table_(new QTableWidget(0, region_columns)),
      seeds_(new QPushButton(tr("Paint seeds"))),
      labels_(new QPushButton(tr("Correct"))),
      clear_(new QPushButton(tr("Clear"))),
      save_(new QPushButton(tr("Save..."))) {
  setObjectName("anatomy.regions");
  text_->setWordWrap(true);
  text_->setObjectName("anatomy.regions.text");
  table_->setObjectName("anatomy.regions.table");
  table_->setHorizontalHeaderLabels({tr("Label"), tr("Voxels"), tr("Volume / ml")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->verticalHeader()->hide();
  table_->setAccessibleName(tr("Regions"));
  table_->setTabKeyNavigation(false);
  seeds_->setToolTip(tr("Dragging paints seeds of the label of the brush (S)."));
  labels_->setToolTip(tr("Dragging changes labels that were found."));
  clear_->setToolTip(tr("Removes all strokes."));
  save_->setToolTip(tr("Writes the regions as a label map."));
  auto* buttons = new QHBoxLayout;
  for (QPushButton* each : {seeds_, labels_, clear_, save_}) buttons->addWidget(each);
  const auto choose = [this](QPushButton* button, const char* tool) {
    button->setCheckable(true);
    connect(button, &QPushButton::clicked, this,
            [this, tool](bool checked) { Q_EMIT tool_asked(checked ? tool : "none"); });
  };
  choose(seeds_, "seeds");
  choose(labels_, "labels");
  connect(clear_, &QPushButton::clicked, this, [this] { Q_EMIT asked("anatomy.regions.clear"); });
  connect(save_, &QPushButton::clicked, this, [this] { Q_EMIT asked("anatomy.regions.save"); });
  auto* column = new QVBoxLayout(this);
  column->addLayout(buttons);
  column->addWidget(text_);
  column->addWidget(table_, 1);
  show_regions(nullptr);
}

void RegionsPanel::show_tool(RegionTool tool) {
  seeds_->setChecked(tool == RegionTool::seeds);
  labels_->setChecked(tool == RegionTool::labels);
}

void RegionsPanel::show_regions(const std::shared_ptr<const PaintedRegions>& regions) {
  clear_->setEnabled(regions != nullptr);
  save_->setEnabled(regions != nullptr);
  text_->setText(regions == nullptr
                     ? tr("Paint a few voxels of each region of the fixed image, and with Shift some of "
                          "the background: labels spread from them.")
                     : QString::fromStdString(regions->text));
  table_->setRowCount(regions == nullptr ? 0 : static_cast<int>(regions->volumes.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const isolume::anatomy::LabelVolume& each = regions->volumes[static_cast<std::size_t>(row)];
    const QString texts[region_columns] = {QString::number(each.label),
                                           QLocale().toString(static_cast<qulonglong>(each.voxels)),
                                           QLocale().toString(each.millilitres, 'f', 2)};
    for (int column = 0; column < region_columns; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      if (column != column_label) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      table_->setItem(row, column, item);
    }
    constexpr int icon_px = 12;
    QPixmap square(icon_px, icon_px);
    square.fill(QColor::fromRgb(colour_of_label(static_cast<int>(each.label))));
    table_->item(row, column_label)->setIcon(square);
  }
}

}  // namespace isolume::labs::anatomy

#include "moc_regions_panel.cpp"
