#include "app/workbench/commands/command_palette.h"

#include <QApplication>
#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

namespace isolume::workbench {
namespace {

enum Column { title, detail, name, column_count };

constexpr std::size_t most_rows = 100;

}  // namespace

CommandPalette::CommandPalette(const CommandRegistry& commands,
                               std::function<std::vector<HiddenLab>()> hidden_labs,
                               std::function<void(const std::string& line)> run, QWidget* parent)
    : QFrame(parent),
      commands_(commands),
      hidden_labs_(std::move(hidden_labs)),
      run_(std::move(run)),
      input_(new QLineEdit),
      list_(new QTreeWidget),
      description_(new QLabel) {
  setObjectName("command-palette");
  setAccessibleName(tr("Command palette"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Window);
  input_->setObjectName("command-palette.input");
  input_->setPlaceholderText(tr("Type what you want: dark, opacity, lumo, benzene, view.reset ..."));
  input_->setAccessibleName(tr("Command"));
  list_->setObjectName("command-palette.list");
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setAccessibleName(tr("Commands"));
  list_->setColumnCount(column_count);
  list_->setHeaderHidden(true);
  list_->header()->setStretchLastSection(true);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  description_->setWordWrap(true);
  description_->setTextFormat(Qt::PlainText);
  auto* column = new QVBoxLayout(this);
  column->addWidget(input_);
  column->addWidget(list_, 1);
  column->addWidget(description_);

  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::accept);
  connect(list_, &QTreeWidget::currentItemChanged, this, &CommandPalette::describe_selected);
  connect(list_, &QTreeWidget::itemClicked, this, &CommandPalette::accept);
  input_->installEventFilter(this);
  parent->installEventFilter(this);
  hide();
}

void CommandPalette::ask(const QString& text) {
  entries_ = palette_entries(commands_, hidden_labs_());
  input_->setText(text);
  filter(text);
  place();
  show();
  raise();
  input_->setFocus(Qt::ShortcutFocusReason);
  input_->setCursorPosition(static_cast<int>(text.size()));
}

void CommandPalette::close_palette() {
  hide();
  parentWidget()->setFocus();
}

void CommandPalette::place() {
  const QSize around = parentWidget()->size();
  const int width = std::min(around.width() - 20, 60 * fontMetrics().averageCharWidth() + around.width() / 3);
  const int height = std::min(around.height() - 60, 24 * fontMetrics().height());
  setGeometry((around.width() - width) / 2, 40, width, height);
  // Column widths are fixed, so that they do not jump during typing.
  list_->header()->resizeSection(title, width / 2);
  list_->header()->resizeSection(detail, width / 5);
}

void CommandPalette::filter(const QString& typed) {
  shown_ = search_palette(entries_, typed.toStdString());
  shown_.resize(std::min(shown_.size(), most_rows));
  list_->clear();
  for (const PaletteEntry& entry : shown_) add_row(entry);
  list_->setCurrentItem(list_->topLevelItem(0));
  describe_selected();
}

void CommandPalette::add_row(const PaletteEntry& entry) {
  QString line = QString::fromStdString(entry.line);
  if (!entry.offered) line += " " + QString::fromStdString(entry.command->usage());
  auto* item = new QTreeWidgetItem(
      list_, {QString::fromStdString(entry.title), QString::fromStdString(entry.detail), line});
  QFont small = list_->font();
  small.setPointSizeF(0.85 * small.pointSizeF());
  item->setFont(name, small);
  const QColor faint = palette().color(QPalette::PlaceholderText);
  item->setForeground(detail, faint);
  item->setForeground(name, faint);
  if (!entry.available || !entry.matters)
    item->setForeground(title, palette().color(QPalette::Disabled, QPalette::Text));
}

const PaletteEntry* CommandPalette::selected() const {
  const int row = list_->indexOfTopLevelItem(list_->currentItem());
  return row < 0 ? nullptr : &shown_[static_cast<std::size_t>(row)];
}

void CommandPalette::describe_selected() {
  const PaletteEntry* entry = selected();
  QString text = entry == nullptr ? tr("Nothing found.") : QString::fromStdString(entry->help);
  if (entry != nullptr && !entry->available) {
    text +=
        tr("\nNot available now: %1").arg(QString::fromStdString(commands_.why_unavailable(*entry->command)));
  }
  if (entry != nullptr && !entry->lab.empty()) {
    text += tr("\nEnter shows the %1 lab first.").arg(QString::fromStdString(entry->detail));
  }
  description_->setText(text);
}

void CommandPalette::accept() {
  const PaletteEntry* entry = selected();
  if (entry == nullptr) return;
  if (!entry->lab.empty()) {
    const std::string lab = entry->lab, line = entry->line + " ";
    run_("lab.show " + lab);
    return ask(QString::fromStdString(line));
  }
  if (entry->command->needs_arguments() && entry->line == entry->command->name) {
    input_->setText(QString::fromStdString(entry->line) + " ");
    return;
  }
  const std::string line = entry->line;
  close_palette();
  run_(line);
}

void CommandPalette::move_by(int rows, bool around) {
  const int count = list_->topLevelItemCount();
  if (count == 0) return;
  const int to = list_->indexOfTopLevelItem(list_->currentItem()) + rows;
  const int row = around ? (to + count) % count : std::clamp(to, 0, count - 1);
  list_->setCurrentItem(list_->topLevelItem(row));
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
  if (watched != input_) return false;
  if (event->type() == QEvent::FocusOut) {
    const QWidget* now = QApplication::focusWidget();
    if (now != nullptr && !isAncestorOf(now)) hide();
  }
  // The application's shortcuts must not take the keys for typing and moving here.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (plain) event->accept();
    return plain;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  constexpr int page = 10;
  switch (key) {
    case Qt::Key_Escape:
      close_palette();
      return true;
    case Qt::Key_Down:
      move_by(1, true);
      return true;
    case Qt::Key_Up:
      move_by(-1, true);
      return true;
    case Qt::Key_PageDown:
      move_by(page, false);
      return true;
    case Qt::Key_PageUp:
      move_by(-page, false);
      return true;
    case Qt::Key_Tab:
      if (const PaletteEntry* entry = selected()) input_->setText(QString::fromStdString(entry->line) + " ");
      return true;
    default:
      return false;
  }
}

}  // namespace isolume::workbench

#include "moc_command_palette.cpp"
