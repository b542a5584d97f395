#include "app/labs/anatomy/labels_panel.h"

#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QTableWidget>
#include <QVBoxLayout>

namespace isolume::labs::anatomy {
namespace {

enum Column { label, name, volume, dice, columns };

QTableWidgetItem* item(const QString& text, bool is_number) {
  auto* made = new QTableWidgetItem(text);
  made->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable);
  if (is_number) made->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  return made;
}

QPixmap square(std::uint32_t colour) {
  QPixmap picture(12, 12);
  picture.fill(QColor::fromRgb(colour));
  return picture;
}

}  // namespace

LabelsPanel::LabelsPanel() : text_(new QLabel), table_(new QTableWidget(0, columns)) {
  text_->setWordWrap(true);
  text_->setObjectName("anatomy.overlap");
  table_->setObjectName("anatomy.labels");
  table_->setHorizontalHeaderLabels({tr("Label"), tr("Name"), tr("Volume / ml"), tr("Dice")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(name, QHeaderView::Stretch);
  table_->verticalHeader()->hide();
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAccessibleName(tr("Labels"));
  table_->setTabKeyNavigation(false);
  auto* layout = new QVBoxLayout(this);
  layout->addWidget(text_);
  layout->addWidget(table_, 1);
  const auto choose = [this](int row) {
    if (row >= 0 && static_cast<std::size_t>(row) < rows_.size())
      Q_EMIT place_chosen(rows_[static_cast<std::size_t>(row)].volume.centroid_mm);
  };
  connect(table_, &QTableWidget::cellClicked, this, [choose](int row, int) { choose(row); });
  connect(table_, &QTableWidget::cellActivated, this, [choose](int row, int) { choose(row); });
  show_labels(nullptr);
}

void LabelsPanel::show_labels(const std::shared_ptr<const CarriedLabels>& labels) {
  rows_ = labels == nullptr ? std::vector<LabelRow>() : labels->rows;
  if (rows_.empty()) {
    text_->setText(tr("Open the labels of an image: Anatomy > Labels."));
  } else if (labels->mean_dice) {
    text_->setText(tr("Mean Dice overlap of both images' labels: %1")
                       .arg(QLocale().toString(*labels->mean_dice, 'f', 3)));
  } else {
    text_->setText(tr("Open the labels of both images for their overlap."));
  }
  table_->setRowCount(static_cast<int>(rows_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const LabelRow& from = rows_[static_cast<std::size_t>(row)];
    const QString texts[columns] = {QString::number(from.label), QString::fromStdString(from.name),
                                    QLocale().toString(from.volume.millilitres, 'f', 2),
                                    from.dice ? QLocale().toString(*from.dice, 'f', 3) : QString()};
    for (int column = 0; column < columns; ++column) {
      if (table_->item(row, column) == nullptr)
        table_->setItem(row, column, item(texts[column], column != name));
      if (table_->item(row, column)->text() != texts[column])
        table_->item(row, column)->setText(texts[column]);
    }
    table_->item(row, label)->setIcon(square(from.colour));
  }
}

}  // namespace isolume::labs::anatomy

#include "moc_labels_panel.cpp"
