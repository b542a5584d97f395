#include "app/labs/anatomy/neurons_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPixmap>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "app/labs/anatomy/painted_regions.h"

namespace isolume::labs::anatomy {
namespace {

enum NeuronColumn {
  column_number,
  column_length,
  column_width,
  column_volume,
  column_slices,
  column_ends,
  neuron_columns
};

/// "0.0154 µm³" below a cubic millimetre; other units as they are.
QString volume_text(double volume, grid::LengthUnit unit) {
  if (unit == grid::LengthUnit::millimetre && volume < 1)
    return QStringLiteral("%1 µm³").arg(1e9 * volume, 0, 'g', 4);
  const auto name = grid::to_text(unit);
  return QStringLiteral("%1 %2")
      .arg(volume, 0, 'g', 4)
      .arg(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())) + QStringLiteral("³"));
}

}  // namespace

NeuronsPanel::NeuronsPanel()
    : text_(new QLabel),
      table_(new QTableWidget(0, neuron_columns)),
      mark_(new QPushButton(tr("Mark"))),
      correct_(new QPushButton(tr("Correct"))),
      remove_(new QPushButton(tr("Remove"))),
      save_(new QPushButton(tr("Save..."))) {
  setObjectName("anatomy.neurons");
  text_->setWordWrap(true);
  text_->setObjectName("anatomy.neurons.text");
  table_->setObjectName("anatomy.neurons.table");
  table_->setHorizontalHeaderLabels(
      {tr("Neuron"), tr("Length"), tr("Mean width"), tr("Volume"), tr("Slices"), tr("Ends")});
  table_->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  table_->horizontalHeader()->setStretchLastSection(true);
  table_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->verticalHeader()->hide();
  table_->setAccessibleName(tr("Neurons"));
  table_->setTabKeyNavigation(false);
  mark_->setToolTip(tr("A click in the large view begins a new neuron there."));
  correct_->setToolTip(tr("A click in the large view corrects the selected neuron from this slice on."));
  remove_->setToolTip(tr("Removes the selected neuron."));
  save_->setToolTip(tr("Writes centre lines (.swc), the table (.csv) or a label map."));
  auto* buttons = new QHBoxLayout;
  for (QPushButton* each : {mark_, correct_, remove_, save_}) buttons->addWidget(each);
  const auto choose = [this](QPushButton* button, const char* tool) {
    button->setCheckable(true);
    connect(button, &QPushButton::clicked, this,
            [this, tool](bool checked) { Q_EMIT tool_asked(checked ? tool : "none"); });
  };
  choose(mark_, "mark");
  choose(correct_, "correct");
  connect(remove_, &QPushButton::clicked, this, [this] { Q_EMIT removal_asked(selected()); });
  connect(save_, &QPushButton::clicked, this, [this] { Q_EMIT asked("anatomy.neurons.save"); });
  connect(table_, &QTableWidget::itemSelectionChanged, this, [this] { remove_->setEnabled(selected() > 0); });
  connect(table_, &QTableWidget::cellDoubleClicked, this, [this](int row, int) {
    const auto& sections = paths_->neurons.at(static_cast<std::size_t>(row)).sections;
    if (!sections.empty()) Q_EMIT place_chosen(sections[sections.size() / 2].centre);
  });
  auto* column = new QVBoxLayout(this);
  column->addLayout(buttons);
  column->addWidget(text_);
  column->addWidget(table_, 1);
  show_neurons(nullptr);
}

void NeuronsPanel::show_tool(NeuronTool tool) {
  mark_->setChecked(tool == NeuronTool::mark);
  correct_->setChecked(tool == NeuronTool::correct);
}

int NeuronsPanel::selected() const {
  const auto rows = table_->selectionModel()->selectedRows();
  return rows.isEmpty() ? 0 : rows.front().row() + 1;
}

void NeuronsPanel::select(int number) {
  table_->selectRow(number - 1);
}

void NeuronsPanel::show_neurons(const std::shared_ptr<const NeuronPaths>& paths) {
  const int before = selected();
  paths_ = paths;
  const bool has_any = paths != nullptr && !paths->neurons.empty();
  save_->setEnabled(has_any);
  correct_->setEnabled(has_any);
  text_->setText(
      !has_any ? tr("Choose Mark and click into a neuron of the fixed image: it is followed through "
                    "all slices.")
      : paths->remarks.empty() ? tr("Correct moves the selected neuron from the slice of the click "
                                    "on.")
                               : QString::fromStdString(paths->remarks.text()));
  table_->setRowCount(has_any ? static_cast<int>(paths->neurons.size()) : 0);
  for (int row = 0; row < table_->rowCount(); ++row) {
    const neurons::Neuron& each = paths->neurons[static_cast<std::size_t>(row)];
    QStringList ends;
    for (const std::string& end : each.ends) ends << QString::fromStdString(end);
    const auto length = [&](double value) {
      return QString::fromStdString(neurons::length_text(value, paths->unit));
    };
    const QString slices = each.sections.empty() ? QString()
                                                 : QStringLiteral("%1-%2")
                                                       .arg(each.sections.front().slice + 1)
                                                       .arg(each.sections.back().slice + 1);
    const QString texts[neuron_columns] = {QString::number(row + 1),
                                           length(each.length),
                                           length(each.mean_width),
                                           volume_text(each.volume, paths->unit),
                                           slices,
                                           ends.join("; ")};
    for (int column = 0; column < neuron_columns; ++column) {
      auto* item = new QTableWidgetItem(texts[column]);
      item->setToolTip(texts[column]);
      table_->setItem(row, column, item);
    }
    constexpr int icon_px = 12;
    QPixmap square(icon_px, icon_px);
    square.fill(QColor::fromRgb(colour_of_label(row + 1)));
    table_->item(row, column_number)->setIcon(square);
  }
  if (has_any) select(before > 0 && before <= table_->rowCount() ? before : table_->rowCount());
  remove_->setEnabled(selected() > 0);
}

}  // namespace isolume::labs::anatomy

#include "moc_neurons_panel.cpp"
