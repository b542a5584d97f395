#include "app/labs/livewire/panels/header_panel.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPointer>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "app/labs/livewire/workspace/workspace.h"
#include "app/workbench/contract/translated.h"

namespace isolume::labs::livewire {

HeaderPanel::HeaderPanel(Workspace& workspace)
    : workspace_(workspace),
      filter_(new QLineEdit),
      hide_(new QCheckBox(tr("Hide patient identity"))),
      table_(new QTreeWidget),
      chosen_(new QPlainTextEdit) {
  filter_->setObjectName("header.filter");
  filter_->setPlaceholderText(tr("Filter by tag, name or value"));
  filter_->setClearButtonEnabled(true);
  hide_->setObjectName("header.hide");
  hide_->setChecked(true);
  table_->setObjectName("header");
  table_->setAccessibleName(tr("DICOM header"));
  table_->setHeaderLabels({tr("Tag"), tr("Name"), tr("Value")});
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->setAlternatingRowColors(true);
  chosen_->setObjectName("header.chosen");
  chosen_->setAccessibleName(tr("Chosen attribute"));
  chosen_->setReadOnly(true);
  chosen_->setTabChangesFocus(true);
  chosen_->setWordWrapMode(QTextOption::WrapAtWordBoundaryOrAnywhere);  // a UID is one word
  constexpr int lines = 4;
  chosen_->setFixedHeight(lines * fontMetrics().lineSpacing());
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(filter_);
  column->addWidget(hide_);
  column->addWidget(table_, 1);
  column->addWidget(chosen_);
  connect(table_, &QTreeWidget::currentItemChanged, this, [this](const QTreeWidgetItem* row) {
    chosen_->setPlainText(row == nullptr ? QString() : row->toolTip(0));
  });
  connect(filter_, &QLineEdit::textChanged, this, &HeaderPanel::fill);
  connect(hide_, &QCheckBox::toggled, this, &HeaderPanel::fill);
  connect(&workspace_.model(), &TracingModel::image_changed, this, &HeaderPanel::read);
}

void HeaderPanel::read() {
  entries_.clear();
  fill();
  const auto image = workspace_.model().image();
  if (!image->dicom || image->dicom->slices.empty()) return;
  workspace_.context().jobs.submit(
      workbench::said(QObject::tr("Read the header")), "livewire.header",
      [this, &workspace = workspace_, alive = QPointer(this), image](const jobs::Progress&) {
        auto entries = dicom::read_header(image->dicom->slices.front().file);
        workspace.later([this, alive, &workspace, image, entries = std::move(entries)] {
          if (!alive || image != workspace.model().image()) return;
          entries_ = entries;
          fill();
        });
      });
}

void HeaderPanel::fill() {
  table_->clear();
  chosen_->clear();  // which may be hidden from now on
  QList<QTreeWidgetItem*> rows;
  for (const auto& each : entries_) {
    const QString value =
        each.identifying && hide_->isChecked() ? tr("(hidden)") : QString::fromStdString(each.value);
    const QString indent(2 * each.depth, ' ');
    const QStringList texts{indent + QString::fromStdString(each.tag),
                            indent + QString::fromStdString(each.name), value};
    if (!texts.join('\n').contains(filter_->text(), Qt::CaseInsensitive)) continue;
    auto* row = new QTreeWidgetItem(texts);
    for (int column = 0; column < texts.size(); ++column)
      row->setToolTip(column, QString("%1 %2: %3").arg(texts[0].trimmed(), texts[1].trimmed(), value));
    rows << row;
  }
  table_->addTopLevelItems(rows);
  const auto& image = workspace_.model().image();
  const bool has_header = image == nullptr || image->dicom;
  filter_->setEnabled(has_header);
  hide_->setEnabled(has_header);
  QString why_empty;
  if (!has_header) why_empty = tr("Only DICOM images have a header that is shown here.");
  if (rows.empty() && !entries_.empty()) why_empty = tr("No attribute matches the filter.");
  chosen_->setPlaceholderText(why_empty);
  fit_columns();
}

/// The value has room: in a narrow panel, tags are in tool tips alone, and long names are cut off.
void HeaderPanel::fit_columns() {
  constexpr double most_of_name = 0.62;
  const int width = table_->viewport()->width();
  table_->setColumnHidden(0, false);
  for (int i = 0; i < 2; ++i) table_->resizeColumnToContents(i);
  const int needed = table_->columnWidth(0) + table_->columnWidth(1);
  if (needed <= most_of_name * width) return;
  table_->setColumnHidden(0, true);
  table_->setColumnWidth(1, std::min(table_->columnWidth(1), static_cast<int>(most_of_name * width)));
}

void HeaderPanel::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

}  // namespace isolume::labs::livewire

#include "moc_header_panel.cpp"
