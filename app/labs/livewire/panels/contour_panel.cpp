#include "app/labs/livewire/panels/contour_panel.h"

#include <QAbstractItemDelegate>
#include <QAction>
#include <QColorDialog>
#include <QGridLayout>
#include <QHeaderView>
#include <QInputDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPixmap>
#include <QScopedValueRollback>
#include <QScrollBar>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <set>
#include <tuple>

#include "app/labs/livewire/workspace/workspace.h"

namespace isolume::labs::livewire {
namespace {

enum Column { name, slice, shown, locked };
constexpr int id_role = Qt::UserRole;  // of a contour; 0 for labels
constexpr int label_role = Qt::UserRole + 1;
constexpr int typing_rest_ms = 50;

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

int label_of(const QTreeWidgetItem& row) {
  return row.data(name, label_role).toInt();
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
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(tree_);
  add_actions();
  rest_.setSingleShot(true);
  rest_.setInterval(typing_rest_ms);
  connect(&rest_, &QTimer::timeout, this, &ContourPanel::rebuild);
  TracingModel& model = workspace_.model();
  connect(&model, &TracingModel::contours_changed, &rest_, qOverload<>(&QTimer::start));
  connect(&model, &TracingModel::current_label_changed, this, &ContourPanel::follow_label);
  connect(&model, &TracingModel::selection_changed, this, &ContourPanel::follow_selection);
  connect(tree_, &QTreeWidget::itemChanged, this, &ContourPanel::take_change);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &ContourPanel::take_choice);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &ContourPanel::follow_row);
  connect(tree_->itemDelegate(), &QAbstractItemDelegate::closeEditor, &rest_, [this] { rest_.start(); });
  connect(tree_, &QTreeWidget::customContextMenuRequested, this, &ContourPanel::show_menu);
  follow_row();
}

void ContourPanel::add_actions() {
  auto* buttons = new QGridLayout;
  constexpr int in_a_row = 3;  // they fit a narrow dock, with large letters, too
  const auto add = [&](const char* object, const QString& text, const QString& help, auto action) {
    auto* made = new QAction(text, this);
    made->setObjectName(QLatin1String(object));
    made->setToolTip(help);
    connect(made, &QAction::triggered, this, action);
    auto* button = new QToolButton;
    button->setDefaultAction(made);
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    buttons->addWidget(button, buttons->count() / in_a_row, buttons->count() % in_a_row);
    return made;
  };
  const auto on_row = [this](const std::string& verb) {
    return [this, verb] { run(*tree_->currentItem(), verb); };
  };
  tree_->addAction(add("new-label", tr("New label\u2026"), tr("A label for another organ or structure"),
                       [this] { add_label(); }));
  row_actions_ = {add("rename", tr("Rename"), tr("Renames the contour or label (F2)"),
                      [this] { tree_->editItem(tree_->currentItem(), name); }),
                  add("colour", tr("Colour\u2026"), tr("Changes the colour of the contour or label"),
                      [this] { choose_colour(); }),
                  add("lock", tr("Lock"), tr("Locks the contour, or the label's contours, against changes"),
                      on_row("lock")),
                  add("hide", tr("Hide"), tr("Hides the contour, or the label's contours"), on_row("hide")),
                  add("delete", tr("Delete"), tr("Deletes the contour, or the label and all its contours"),
                      [this] { remove(); })};
  label_colour_ = new QAction(tr("Colour of its label"), this);
  connect(label_colour_, &QAction::triggered, this,
          [this] { run(*tree_->currentItem(), "colour", {"label"}); });
  static_cast<QVBoxLayout*>(layout())->addLayout(buttons);
}

void ContourPanel::follow_row() {
  const QTreeWidgetItem* row = tree_->currentItem();
  for (auto* action : row_actions_) action->setEnabled(row != nullptr);
  for (auto* action : row_actions_) {
    const bool is_lock = action->objectName() == QLatin1String("lock");
    if (!is_lock && action->objectName() != QLatin1String("hide")) continue;
    const bool done = row != nullptr && (is_lock ? row->checkState(locked) == Qt::Checked
                                                 : row->checkState(shown) == Qt::Unchecked);
    action->setText(is_lock ? (done ? tr("Unlock") : tr("Lock")) : (done ? tr("Show") : tr("Hide")));
  }
}

void ContourPanel::run(const QTreeWidgetItem& row, const std::string& verb,
                       const std::vector<std::string>& arguments) {
  const auto id = row.data(name, id_role).toULongLong();
  const std::string kind = id != 0 ? "contour" : "label";
  workspace_.run("livewire." + kind + ".select",
                 {id != 0 ? std::to_string(id) : std::to_string(label_of(row))});
  workspace_.run("livewire." + kind + "." + verb, arguments);
}

void ContourPanel::add_label() {
  auto* dialog = new QInputDialog(this);
  dialog->setObjectName("new-label-dialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(tr("New label"));
  dialog->setLabelText(tr("Name of the structure, e.g. Liver:"));
  connect(dialog, &QInputDialog::textValueSelected, this, [this](const QString& text) {
    if (!text.trimmed().isEmpty()) workspace_.run("livewire.label.add", {text.trimmed().toStdString()});
  });
  dialog->open();
}

void ContourPanel::choose_colour() {
  const QTreeWidgetItem& row = *tree_->currentItem();
  const auto id = row.data(name, id_role).toULongLong();
  const int label = label_of(row);
  const auto& set = workspace_.model().contours();
  const contours::Contour* contour = set.find(id);
  const contours::Label* of = set.label(label);
  if (id != 0 ? contour == nullptr : of == nullptr) return;  // gone meanwhile
  const std::string now = contour != nullptr ? set.colour_of(*contour) : of->colour;
  auto* dialog = new QColorDialog(QColor(QString::fromStdString(now)), this);
  dialog->setObjectName("colour-dialog");
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setOption(QColorDialog::DontUseNativeDialog);
  connect(dialog, &QColorDialog::colorSelected, this, [this, id, label](const QColor& colour) {
    const std::string kind = id != 0 ? "contour" : "label";
    workspace_.run("livewire." + kind + ".select", {id != 0 ? std::to_string(id) : std::to_string(label)});
    workspace_.run("livewire." + kind + ".colour", {colour.name().toStdString()});
  });
  dialog->open();
}

void ContourPanel::remove() {
  const QTreeWidgetItem& row = *tree_->currentItem();
  if (row.data(name, id_role).toULongLong() != 0) {
    run(row, "delete");
  } else {
    workspace_.run("livewire.label.remove", {std::to_string(label_of(row))});
  }
}

void ContourPanel::show_menu(const QPoint& place) {
  QTreeWidgetItem* row = tree_->itemAt(place);
  if (row != nullptr) tree_->setCurrentItem(row);
  auto* menu = new QMenu(this);
  menu->setObjectName("contours-menu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  if (row != nullptr) {
    menu->addActions(row_actions_);
    if (row->data(name, id_role).toULongLong() != 0) {
      menu->insertAction(row_actions_[2], label_colour_);
    }
    menu->addSeparator();
  }
  menu->addActions(tree_->actions());
  menu->popup(tree_->viewport()->mapToGlobal(place));
}

void ContourPanel::rebuild() {
  if (tree_->viewport()->findChild<QLineEdit*>() != nullptr) return;  // a name is edited: afterwards
  const QScopedValueRollback following(following_, true);
  std::set<int> collapsed;
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    const QTreeWidgetItem* group = tree_->topLevelItem(i);
    if (group->childCount() > 0 && !group->isExpanded()) collapsed.insert(label_of(*group));
  }
  const int scrolled = tree_->verticalScrollBar()->value();
  tree_->clear();
  const auto& set = workspace_.model().contours();
  for (const auto& label : set.labels()) {
    auto* group = make_row(label.name, label.visible, label.locked);
    group->setIcon(name, swatch(label.colour));
    group->setData(name, label_role, label.value);
    tree_->addTopLevelItem(group);
    std::vector<std::shared_ptr<const contours::Contour>> of_label;
    std::ranges::copy_if(set.contours(), std::back_inserter(of_label),
                         [&](const auto& each) { return each->label == label.value; });
    std::ranges::sort(of_label, {}, [](const auto& each) { return std::tuple(each->slice, each->id); });
    for (const auto& each : of_label) {
      auto* row = make_row(each->name, each->visible, each->locked);
      row->setText(slice, QString::number(each->slice.index + 1));
      row->setData(name, id_role, QVariant::fromValue<qulonglong>(each->id));
      row->setData(name, label_role, label.value);
      if (!each->colour.empty()) row->setIcon(name, swatch(each->colour));
      if (each->suggestion) {
        QFont slanted = row->font(name);
        slanted.setItalic(true);
        row->setFont(name, slanted);
        row->setToolTip(name, tr("A suggestion, not accepted yet"));
      }
      group->addChild(row);
    }
    group->setExpanded(!collapsed.contains(label.value));
  }
  tree_->verticalScrollBar()->setValue(scrolled);
  follow_label();
  follow_selection();
}

/// Keeps the rows: the click that chose the label may be the first of two.
void ContourPanel::follow_label() {
  const QScopedValueRollback following(following_, true);
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* group = tree_->topLevelItem(i);
    QFont font = group->font(name);
    font.setBold(label_of(*group) == workspace_.model().current_label());
    group->setFont(name, font);
  }
}

void ContourPanel::follow_selection() {
  const QScopedValueRollback following(following_, true);
  const auto selected = workspace_.model().selected();
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    for (int k = 0; k < tree_->topLevelItem(i)->childCount(); ++k) {
      QTreeWidgetItem* row = tree_->topLevelItem(i)->child(k);
      if (selected && row->data(name, id_role).toULongLong() == *selected) return tree_->setCurrentItem(row);
    }
    QTreeWidgetItem* group = tree_->topLevelItem(i);
    if (!selected && label_of(*group) == chosen_label_) return tree_->setCurrentItem(group);
  }
  tree_->setCurrentItem(nullptr);
}

void ContourPanel::take_choice() {
  const QTreeWidgetItem* row = tree_->currentItem();
  if (following_ || row == nullptr) return;
  const auto id = row->data(name, id_role).toULongLong();
  chosen_label_ = id != 0 ? 0 : label_of(*row);
  if (id != 0) {
    workspace_.run("livewire.contour.select", {std::to_string(id)});
  } else {
    workspace_.model().select(std::nullopt);
    workspace_.run("livewire.label.select", {std::to_string(label_of(*row))});
  }
}

void ContourPanel::take_change(QTreeWidgetItem* item, int column) {
  if (following_) return;
  if (column == name) run(*item, "rename", {item->text(name).toStdString()});
  if (column == shown) run(*item, "hide");
  if (column == locked) run(*item, "lock");
}

}  // namespace isolume::labs::livewire

#include "moc_contour_panel.cpp"
