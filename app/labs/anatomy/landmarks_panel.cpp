#include "app/labs/anatomy/landmarks_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QShortcut>
#include <QSignalBlocker>
#include <QTableWidget>
#include <QVBoxLayout>
#include <utility>

#include "core/anatomy/landmarks.h"

namespace isolume::labs::anatomy {
namespace {

enum LandmarkColumn { column_name, column_before, column_now, landmark_columns };

double root_mean_square_of(const std::vector<LandmarkRow>& rows, double LandmarkRow::*distance) {
  std::vector<double> distances;
  for (const LandmarkRow& row : rows) distances.push_back(row.*distance);
  return isolume::anatomy::root_mean_square(distances);
}

QString millimetres(double value) {
  return QLocale().toString(value, 'f', 1);
}

}  // namespace

LandmarksPanel::LandmarksPanel()
    : text_(new QLabel),
      table_(new QTableWidget(0, landmark_columns)),
      remove_(new QPushButton(tr("Remove"))),
      save_(new QPushButton(tr("Save..."))) {
  setObjectName("anatomy.landmarks");
  text_->setWordWrap(true);
  text_->setObjectName("anatomy.landmarks.text");
  table_->setObjectName("anatomy.landmarks.table");
  table_->setHorizontalHeaderLabels({tr("Name"), tr("By headers / mm"), tr("Now / mm")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setSectionResizeMode(column_name, QHeaderView::Stretch);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setAccessibleName(tr("Landmarks"));
  table_->setTabKeyNavigation(false);

  auto* buttons = new QHBoxLayout;
  const auto add_button = [this, buttons](QPushButton* button, const char* command, const QString& tip) {
    button->setObjectName(QLatin1String(command) + QStringLiteral(".button"));
    button->setToolTip(tip);
    buttons->addWidget(button);
    connect(button, &QPushButton::clicked, this, [this, command] { Q_EMIT asked(command); });
  };
  add_button(new QPushButton(tr("Add")), "anatomy.landmark.add", tr("Adds a pair at the crosshair."));
  remove_->setToolTip(tr("Removes the chosen pair (Delete)."));
  remove_->setObjectName("anatomy.landmark.remove.button");
  buttons->addWidget(remove_);
  buttons->addStretch();
  add_button(new QPushButton(tr("Open...")), "anatomy.landmarks.open", tr("Opens pairs from a file."));
  add_button(save_, "anatomy.landmarks.save", tr("Writes the pairs to a file."));

  auto* column = new QVBoxLayout(this);
  column->addLayout(buttons);
  column->addWidget(text_);
  column->addWidget(table_, 1);
  const auto remove = [this] {
    if (table_->currentRow() >= 0) Q_EMIT removal_asked(table_->currentRow() + 1);
  };
  connect(remove_, &QPushButton::clicked, this, remove);
  connect(new QShortcut(QKeySequence::Delete, table_, nullptr, nullptr, Qt::WidgetShortcut),
          &QShortcut::activated, this, remove);
  connect(table_, &QTableWidget::currentCellChanged, this, [this](int row) {
    remove_->setEnabled(row >= 0);
    if (row >= 0) Q_EMIT chosen(row + 1);
  });
  connect(table_, &QTableWidget::cellChanged, this, [this](int row, int at) {
    if (at == column_name) Q_EMIT named(row + 1, table_->item(row, at)->text().toStdString());
  });
  show_landmarks({});
}

void LandmarksPanel::show_landmarks(std::vector<LandmarkRow> rows) {
  rows_ = std::move(rows);
  const QSignalBlocker blocker(table_);
  table_->setRowCount(static_cast<int>(rows_.size()));
  for (int row = 0; row < table_->rowCount(); ++row) {
    const LandmarkRow& from = rows_[static_cast<std::size_t>(row)];
    const QString texts[landmark_columns] = {QString::fromStdString(from.name), millimetres(from.before_mm),
                                             millimetres(from.now_mm)};
    for (int at = 0; at < landmark_columns; ++at) {
      QTableWidgetItem* item = table_->item(row, at);
      if (item == nullptr) {
        item = new QTableWidgetItem;
        item->setFlags(Qt::ItemIsEnabled | Qt::ItemIsSelectable |
                       (at == column_name ? Qt::ItemIsEditable : Qt::NoItemFlags));
        if (at != column_name) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
        table_->setItem(row, at, item);
      }
      if (item->text() != texts[at]) item->setText(texts[at]);
    }
  }
  remove_->setEnabled(table_->currentRow() >= 0);
  save_->setEnabled(!rows_.empty());
  text_->setText(
      rows_.empty()
          ? tr("Double-click a point in the large view to add a landmark. Then drag its magenta ring to the "
               "same point of the moving image: the registration brings both together.")
          : tr("Root mean square distance: %1 mm by the headers, %2 mm now")
                .arg(millimetres(root_mean_square_of(rows_, &LandmarkRow::before_mm)),
                     millimetres(root_mean_square_of(rows_, &LandmarkRow::now_mm))));
}

}  // namespace isolume::labs::anatomy

#include "moc_landmarks_panel.cpp"
