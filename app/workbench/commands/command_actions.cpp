#include "app/workbench/commands/command_actions.h"

#include <QKeySequence>
#include <utility>

#include "app/workbench/contract/command_registry.h"
#include "app/workbench/contract/translated.h"
#include "core/base/error.h"

namespace isolume::workbench {

QString native_keys(const std::string& keys) {
  return QKeySequence(QString::fromStdString(keys)).toString(QKeySequence::NativeText);
}

CommandActions::CommandActions(const CommandRegistry& commands,
                               std::function<void(const std::string& line)> start, QWidget& window)
    : QObject(&window), commands_(commands), start_(std::move(start)), window_(window) {}

QAction* CommandActions::action(const std::string& line, const QString& title,
                                std::function<bool()> checked) {
  if (const auto known = entries_.find(line); known != entries_.end()) return known->second.action;
  const std::string name = commands::split(line).at(0);
  const Command* command = commands_.find(name);
  if (command == nullptr)
    throw std::logic_error("A menu names the command " + name + ", which does not exist.");

  QString text = title.isEmpty() ? translated(command->title) : title;
  if (line == name && command->needs_arguments() && !text.endsWith("...")) text += "...";
  auto* made = new QAction(text, &window_);
  made->setObjectName(QString::fromStdString(line));
  const WindowPart& part = commands_.part(name);
  if (line == name) made->setShortcut(QKeySequence(QString::fromStdString(part.shortcut)));
  if (line == name && !part.key_in_view.empty())  // a menu shows what follows a tab as the key
    made->setText(made->text() + "\t" + native_keys(part.key_in_view));
  if (!checked) checked = part.checked;
  made->setCheckable(static_cast<bool>(checked));
  connect(made, &QAction::triggered, this, [this, line, name] {
    // The command may have become unavailable since the menu was drawn: a key pressed a moment too late is
    // not an error.
    const Command* now = commands_.find(name);
    if (now != nullptr && !commands_.why_unavailable(*now).empty()) return refresh();
    const WindowPart& chosen = commands_.part(name);
    const bool ticked = line == name && chosen.checked && chosen.checked();
    start_(ticked && !chosen.unticked_by.empty() ? chosen.unticked_by : line);
  });
  window_.addAction(made);
  Entry& entry = entries_.emplace(line, Entry{made, name, std::move(checked)}).first->second;
  refresh(entry);
  return made;
}

void CommandActions::add_all() {
  for (const Command* command : commands_.all()) action(command->name);
}

void CommandActions::refresh() {
  for (auto& [line, entry] : entries_) refresh(entry);
}

void CommandActions::refresh(Entry& entry) {
  const Command* command = commands_.find(entry.name);
  const std::string why = command == nullptr ? tr("The lab it belongs to is closed.").toStdString()
                                             : commands_.why_unavailable(*command);
  entry.action->setEnabled(why.empty());
  if (const WindowPart& part = commands_.part(entry.name); part.takes_key) {
    const QKeySequence key =
        part.takes_key() ? QKeySequence(QString::fromStdString(part.shortcut)) : QKeySequence();
    if (entry.action->shortcut() != key) entry.action->setShortcut(key);
  }
  if (entry.checked) entry.action->setChecked(entry.checked());
  QString tip = command == nullptr ? QString() : translated(command->help);
  if (!entry.action->shortcut().isEmpty()) {
    tip += " (" + entry.action->shortcut().toString(QKeySequence::NativeText) + ")";
  }
  if (!why.empty()) tip += "\n" + tr("Not available now: %1").arg(QString::fromStdString(why));
  entry.action->setToolTip(tip);  // a status tip would hide the document's status
}

}  // namespace isolume::workbench

#include "moc_command_actions.cpp"
