#include "app/workbench/command_palette.h"

#include <QApplication>
#include <QEvent>
#include <QKeyEvent>
#include <QKeySequence>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/workbench/command_registry.h"
#include "app/workbench/fuzzy_match.h"

namespace isolume::workbench {
namespace {

std::string first_word(const QString& typed) {
  return typed.trimmed().section(' ', 0, 0).toStdString();
}

bool can_run(const Command& command) {
  return !command.unavailable || command.unavailable().empty();
}

}  // namespace

CommandPalette::CommandPalette(const CommandRegistry& commands,
                               std::function<void(const std::string& line)> run, QWidget* parent)
    : QFrame(parent),
      commands_(commands),
      run_(std::move(run)),
      input_(new QLineEdit),
      list_(new QListWidget),
      description_(new QLabel) {
  setObjectName("command-palette");
  setAccessibleName(tr("Command palette"));
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setBackgroundRole(QPalette::Window);
  input_->setObjectName("command-palette.input");
  input_->setPlaceholderText(tr("Type a command, e.g. view.reset"));
  input_->setAccessibleName(tr("Command"));
  list_->setObjectName("command-palette.list");
  list_->setFocusPolicy(Qt::NoFocus);
  list_->setAccessibleName(tr("Commands"));
  description_->setWordWrap(true);
  description_->setTextFormat(Qt::PlainText);
  auto* column = new QVBoxLayout(this);
  column->addWidget(input_);
  column->addWidget(list_, 1);
  column->addWidget(description_);

  connect(input_, &QLineEdit::textChanged, this, &CommandPalette::filter);
  connect(input_, &QLineEdit::returnPressed, this, &CommandPalette::accept);
  connect(list_, &QListWidget::currentRowChanged, this, &CommandPalette::describe_selected);
  connect(list_, &QListWidget::itemClicked, this, &CommandPalette::accept);
  input_->installEventFilter(this);
  parent->installEventFilter(this);
  hide();
}

void CommandPalette::ask(const QString& text) {
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
  const int width = std::min(around.width() - 20, 46 * fontMetrics().averageCharWidth() + around.width() / 3);
  const int height = std::min(around.height() - 60, 24 * fontMetrics().height());
  setGeometry((around.width() - width) / 2, 40, width, height);
}

void CommandPalette::filter(const QString& typed) {
  const std::string name = first_word(typed);
  const bool has_arguments = typed.trimmed().contains(' ') || (!name.empty() && typed.endsWith(' '));
  list_->clear();
  if (has_arguments && commands_.find(name) != nullptr) {
    add_entry(*commands_.find(name));
  } else {
    std::vector<std::pair<int, const Command*>> fitting;
    for (const Command* command : commands_.all()) {
      const auto by_name = fuzzy_score(typed.toStdString(), command->name);
      const auto by_title = fuzzy_score(typed.toStdString(), command->title);
      // Of equals, what a person reads first counts more than the name.
      if (by_name || by_title)
        fitting.emplace_back(std::max(by_name.value_or(-1000), by_title.value_or(-1000) + 1), command);
    }
    if (!typed.isEmpty()) {
      std::stable_sort(fitting.begin(), fitting.end(),
                       [](const auto& a, const auto& b) { return a.first > b.first; });
    }
    for (const auto& [score, command] : fitting) add_entry(*command);
  }
  list_->setCurrentRow(0);
  describe_selected();
}

void CommandPalette::add_entry(const Command& command) {
  QString text = QString::fromStdString(command.title) + "    " + QString::fromStdString(command.name);
  if (!command.arguments.empty()) text += " " + QString::fromStdString(command.arguments);
  if (!command.shortcut.empty()) {
    text +=
        "    " + QKeySequence(QString::fromStdString(command.shortcut)).toString(QKeySequence::NativeText);
  }
  auto* item = new QListWidgetItem(text, list_);
  item->setData(Qt::UserRole, QString::fromStdString(command.name));
  if (!can_run(command)) item->setForeground(palette().color(QPalette::Disabled, QPalette::Text));
}

const Command* CommandPalette::selected() const {
  const QListWidgetItem* item = list_->currentItem();
  return item == nullptr ? nullptr : commands_.find(item->data(Qt::UserRole).toString().toStdString());
}

void CommandPalette::describe_selected() {
  const Command* command = selected();
  QString text = command == nullptr ? tr("No command fits.") : QString::fromStdString(command->help);
  if (command != nullptr && !can_run(*command)) {
    text += tr("\nNot available now: %1").arg(QString::fromStdString(command->unavailable()));
  }
  description_->setText(text);
}

void CommandPalette::accept() {
  const Command* command = selected();
  const QString typed = input_->text().trimmed();
  if (command == nullptr) return;
  const bool spelt_out = first_word(typed) == command->name;
  const std::string line = spelt_out ? typed.toStdString() : command->name;
  if (command->needs_arguments() && line == command->name) {
    input_->setText(QString::fromStdString(command->name) + " ");
    return;
  }
  close_palette();
  run_(line);
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
  if (watched == parent() && event->type() == QEvent::Resize && isVisible()) place();
  if (watched != input_) return false;
  if (event->type() == QEvent::FocusOut) {
    const QWidget* now = QApplication::focusWidget();
    if (now != nullptr && !isAncestorOf(now)) hide();
  }
  // The application's shortcuts must not take the keys with which one types and moves here.
  if (event->type() == QEvent::ShortcutOverride) {
    const auto* key = static_cast<QKeyEvent*>(event);
    const bool plain = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
    if (plain) event->accept();
    return plain;
  }
  if (event->type() != QEvent::KeyPress) return false;
  const int key = static_cast<QKeyEvent*>(event)->key();
  const int last = list_->count() - 1;
  const int row = list_->currentRow();
  const int page = 10;
  switch (key) {
    case Qt::Key_Escape:
      close_palette();
      return true;
    case Qt::Key_Down:
      list_->setCurrentRow(row == last ? 0 : row + 1);
      return true;
    case Qt::Key_Up:
      list_->setCurrentRow(row <= 0 ? last : row - 1);
      return true;
    case Qt::Key_PageDown:
      list_->setCurrentRow(std::min(last, row + page));
      return true;
    case Qt::Key_PageUp:
      list_->setCurrentRow(std::max(0, row - page));
      return true;
    case Qt::Key_Tab:
      if (const Command* command = selected()) input_->setText(QString::fromStdString(command->name) + " ");
      return true;
    default:
      return false;
  }
}

}  // namespace isolume::workbench
