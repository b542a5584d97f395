#include "app/labs/livewire/contour_panel.h"

#include <QHeaderView>
#include <QPixmap>
#include <QScopedValueRollback>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "app/labs/livewire/workspace.h"

namespace isolume::labs::livewire {
namespace {

enum Column { name, slice, shown, locked };
constexpr int id_role = Qt::UserRole;  // of a contour; 0 for labels
constexpr int label_role = Qt::UserRole + 1;
constexpr int rest_ms = 50;

QTreeWidgetItem* make_row(const std::string& text, bool is_shown, bool is_locked) {
  auto* row = new QTreeWidgetItem;
  row->setFlags(row->flags() | Qt::ItemIsEditable | Qt::ItemIsUserCheckable);
  row->setText(name, QString::fromStdString(text));
  row->setCheckState(shown, is_shown ? Qt::Checked : Qt::Unchecked);
  row->setCheckState(locked, is_locked ? Qt::Checked : Qt::Unchecked);
  return row;
}

QIcon swatch(const std::string& colour) {
  QPixmap picture(12, 12);
  picture.fill(QColor(QString::fromStdString(colour)));
  return QIcon(picture);
}

}  // namespace

ContourPanel::ContourPanel(Workspace& workspace) : workspace_(workspace), tree_(new QTreeWidget) {
  tree_->setObjectName("contours");
  tree_->setAccessibleName(tr("Contours"));
  tree_->setHeaderLabels({tr("Name"), tr("Slice"), tr("Shown"), tr("Locked")});
  tree_->header()->setSectionResizeMode(name, QHeaderView::Stretch);
  tree_->header()->setStretchLastSection(false);
  for (const int column : {slice, shown, locked})
    tree_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  tree_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(tree_);
  rest_.setSingleShot(true);
  rest_.setInterval(rest_ms);
  connect(&rest_, &QTimer::timeout, this, &ContourPanel::rebuild);
  TracingModel& model = workspace_.model();
  connect(&model, &TracingModel::contours_changed, &rest_, qOverload<>(&QTimer::start));
  connect(&model, &TracingModel::current_label_changed, &rest_, qOverload<>(&QTimer::start));
  connect(&model, &TracingModel::selection_changed, this, &ContourPanel::follow_selection);
  connect(tree_, &QTreeWidget::itemChanged, this, &ContourPanel::take_change);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &ContourPanel::take_choice);
}

void ContourPanel::rebuild() {
  const QScopedValueRollback following(following_, true);
  tree_->clear();
  const auto& set = workspace_.model().contours();
  for (const auto& label : set.labels()) {
    auto* group = make_row(label.name, label.visible, label.locked);
    group->setIcon(name, swatch(label.colour));
    group->setData(name, label_role, label.value);
    QFont font = group->font(name);
    font.setBold(label.value == workspace_.model().current_label());
    group->setFont(name, font);
    tree_->addTopLevelItem(group);
    for (const auto& each : set.contours()) {
      if (each->label != label.value) continue;
      auto* row = make_row(each->name, each->visible, each->locked);
      row->setText(slice, QString::number(each->slice.index + 1));
      row->setData(name, id_role, QVariant::fromValue<qulonglong>(each->id));
      row->setData(name, label_role, label.value);
      if (each->suggestion) row->setToolTip(name, tr("A suggestion, not accepted yet"));
      group->addChild(row);
    }
    group->setExpanded(true);
  }
  follow_selection();
}

void ContourPanel::follow_selection() {
  const QScopedValueRollback following(following_, true);
  const auto selected = workspace_.model().selected();
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    for (int k = 0; k < tree_->topLevelItem(i)->childCount(); ++k) {
      QTreeWidgetItem* row = tree_->topLevelItem(i)->child(k);
      if (selected && row->data(name, id_role).toULongLong() == *selected) return tree_->setCurrentItem(row);
    }
  }
  tree_->setCurrentItem(nullptr);
}

void ContourPanel::take_choice() {
  const QTreeWidgetItem* row = tree_->currentItem();
  if (following_ || row == nullptr) return;
  const auto id = row->data(name, id_role).toULongLong();
  if (id != 0) {
    workspace_.run("contour.select", {std::to_string(id)});
  } else {
    workspace_.run("label.select", {std::to_string(row->data(name, label_role).toInt())});
  }
}

void ContourPanel::take_change(QTreeWidgetItem* item, int column) {
  if (following_) return;
  const auto id = item->data(name, id_role).toULongLong();
  const std::string kind = id != 0 ? "contour" : "label";
  const std::string number =
      id != 0 ? std::to_string(id) : std::to_string(item->data(name, label_role).toInt());
  const std::string text = item->text(name).toStdString();
  workspace_.run(kind + ".select", {number});
  if (column == name) workspace_.run(kind + ".rename", {text});
  if (column == shown) workspace_.run(kind + ".hide");
  if (column == locked) workspace_.run(kind + ".lock");
}

}  // namespace isolume::labs::livewire
