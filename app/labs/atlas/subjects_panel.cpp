#include "app/labs/atlas/subjects_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QSlider>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "app/fields/chart.h"

namespace isolume::labs::atlas {
namespace {

enum SubjectColumn { column_name, column_age, column_slider, column_weight, column_moved, subject_columns };

constexpr double greatest_dragged = 2;
constexpr int slider_steps = 100;
constexpr int thumbnail_side = 48;

int slider_position(double weight) {
  return static_cast<int>(std::lround(std::min(weight, greatest_dragged) / greatest_dragged * slider_steps));
}

QTableWidgetItem* text_item(Qt::ItemFlags more, Qt::Alignment alignment) {
  auto* item = new QTableWidgetItem;
  item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable | more);
  item->setTextAlignment(alignment | Qt::AlignVCenter);
  return item;
}

void set_text(QTableWidgetItem& item, const QString& text) {
  if (item.text() != text) item.setText(text);
}

}  // namespace

SubjectsPanel::SubjectsPanel()
    : table_(new QTableWidget(0, subject_columns)),
      remove_(new QPushButton(tr("Remove"))),
      text_(new QLabel),
      chart_(new fields::Chart) {
  setObjectName("atlas.subjects");
  table_->setObjectName("atlas.subjects.table");
  table_->setHorizontalHeaderLabels(
      {tr("Image"), tr("Age\n/ years"), tr("Weight"), QString(), tr("Moved\n/ mm")});
  table_->horizontalHeaderItem(column_age)
      ->setToolTip(tr("Age, and the weight of its difference from the age of the average."));
  table_->horizontalHeaderItem(column_moved)
      ->setToolTip(tr("Root mean square of the image's displacements."));
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(column_name, QHeaderView::Stretch);
  table_->setIconSize({thumbnail_side, thumbnail_side});
  table_->setTextElideMode(Qt::ElideMiddle);
  table_->setWordWrap(false);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAccessibleName(tr("Images that are averaged"));
  table_->setTabKeyNavigation(false);
  text_->setObjectName("atlas.subjects.text");
  text_->setWordWrap(true);

  auto* buttons = new QHBoxLayout;
  const auto add_button = [this, buttons](const QString& text, const char* command, const QString& tip) {
    auto* button = new QPushButton(text);
    button->setObjectName(QLatin1String(command) + QStringLiteral(".button"));
    button->setToolTip(tip);
    buttons->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, command] { Q_EMIT asked(command); });
  };
  add_button(tr("Open folder..."), "atlas.images.open", tr("Opens the images of a folder."));
  add_button(tr("Add..."), "atlas.images.add", tr("Adds an image."));
  remove_->setToolTip(tr("Removes the chosen image (Delete)."));
  buttons->addWidget(remove_);
  buttons->addStretch();

  auto* column = new QVBoxLayout(this);
  column->addLayout(buttons);
  column->addWidget(table_, 2);
  column->addWidget(text_);
  column->addWidget(chart_, 1);
  const auto remove = [this] {
    if (table_->currentRow() >= 0) Q_EMIT removal_asked(table_->currentRow());
  };
  connect(remove_, &QPushButton::clicked, this, remove);
  connect(new QShortcut(QKeySequence::Delete, table_, nullptr, nullptr, Qt::WidgetShortcut),
          &QShortcut::activated, this, remove);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    remove_->setEnabled(row >= 0);
    if (row >= 0) Q_EMIT chosen(row);
  });
  connect(table_, &QTableWidget::cellChanged, this, [this](int row, int at) {
    if (at != column_weight) return;
    bool is_number = false;
    const double weight = QLocale().toDouble(table_->item(row, at)->text(), &is_number);
    Q_EMIT weighted(row, is_number ? weight : -1);
  });
  show_subjects({});
}

void SubjectsPanel::add_row(int row) {
  table_->insertRow(row);
  table_->setItem(row, column_name, text_item(Qt::NoItemFlags, Qt::AlignLeft));
  table_->setItem(row, column_age, text_item(Qt::NoItemFlags, Qt::AlignRight));
  table_->setItem(row, column_weight, text_item(Qt::ItemIsEditable, Qt::AlignRight));
  table_->setItem(row, column_moved, text_item(Qt::NoItemFlags, Qt::AlignRight));
  auto* slider = new QSlider(Qt::Horizontal);
  slider->setRange(0, slider_steps);
  slider->setFixedWidth(thumbnail_side);
  slider->setObjectName(QStringLiteral("atlas.weight.%1").arg(row + 1));
  slider->setAccessibleName(tr("Weight of image %1").arg(row + 1));
  connect(slider, &QSlider::sliderPressed, this, [this] { Q_EMIT gesture_begun(); });
  connect(slider, &QSlider::sliderReleased, this, [this] { Q_EMIT gesture_ended(); });
  connect(slider, &QSlider::valueChanged, this,
          [this, row](int value) { Q_EMIT weighted(row, greatest_dragged * value / slider_steps); });
  table_->setCellWidget(row, column_slider, slider);
  table_->setRowHeight(row, thumbnail_side + 4);
}

void SubjectsPanel::show_subjects(const std::vector<SubjectRow>& rows) {
  const QSignalBlocker blocker(table_);
  const int count = static_cast<int>(rows.size());
  while (table_->rowCount() > count) table_->removeRow(table_->rowCount() - 1);
  while (table_->rowCount() < count) add_row(table_->rowCount());
  for (int row = 0; row < count; ++row) {
    const SubjectRow& from = rows[static_cast<std::size_t>(row)];
    QTableWidgetItem& name = *table_->item(row, column_name);
    set_text(name, from.name);
    name.setToolTip(from.file);
    name.setIcon(QIcon(QPixmap::fromImage(from.picture)));
    QString age = from.age ? QLocale().toString(*from.age, 'g', 3) : QString();
    if (from.age_weight) age += QStringLiteral("\n\u00d7 ") + QLocale().toString(*from.age_weight, 'f', 2);
    set_text(*table_->item(row, column_age), age);
    set_text(*table_->item(row, column_weight), QLocale().toString(from.weight, 'g', 4));
    set_text(*table_->item(row, column_moved),
             from.moved_mm ? QLocale().toString(*from.moved_mm, 'f', 1) : QString());
    auto* slider = qobject_cast<QSlider*>(table_->cellWidget(row, column_slider));
    if (slider->isSliderDown()) continue;
    const QSignalBlocker slider_blocker(slider);
    slider->setValue(slider_position(from.weight));
  }
  table_->setColumnHidden(
      column_age, std::ranges::none_of(rows, [](const SubjectRow& each) { return each.age.has_value(); }));
  remove_->setEnabled(table_->currentRow() >= 0);
}

void SubjectsPanel::show_course(const QString& text, const std::vector<double>& spreads) {
  text_->setText(text);
  if (spreads.size() < 2) return chart_->set_empty(tr("No average yet"));
  fields::Chart::Data curve;
  curve.low = 1;
  curve.high = static_cast<double>(spreads.size());
  curve.values = spreads;
  curve.x_name = tr("Iteration");
  curve.y_name = tr("Spread");
  chart_->set_data(std::move(curve));
}

}  // namespace isolume::labs::atlas

#include "moc_subjects_panel.cpp"
