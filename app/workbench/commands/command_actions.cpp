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
  connect(made, &QAction::triggered, this, [this, line, name, command] {
    // The command may have become unavailable since the menu was drawn: a key pressed a moment too late is
    // not an error.
    if (!commands_.why_unavailable(*command).empty()) return refresh();
    const WindowPart& chosen = commands_.part(name);
    const bool ticked = line == name && chosen.checked && chosen.checked();
    start_(ticked && !chosen.unticked_by.empty() ? chosen.unticked_by : line);
  });
  window_.addAction(made);
  Entry& entry =
      entries_.emplace(line, Entry{made, command, std::move(checked), {}, made->shortcut()}).first->second;
  show_tool_tip(entry);
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
  std::string why = commands_.why_unavailable(*entry.command);
  entry.action->setEnabled(why.empty());
  if (const WindowPart& part = commands_.part(entry.command->name); part.takes_key) {
    const QKeySequence key =
        part.takes_key() ? QKeySequence(QString::fromStdString(part.shortcut)) : QKeySequence();
    if (entry.action->shortcut() != key) entry.action->setShortcut(key);
  }
  if (entry.checked) entry.action->setChecked(entry.checked());
  if (why == entry.why_unavailable && entry.action->shortcut() == entry.key) return;
  entry.why_unavailable = std::move(why);
  entry.key = entry.action->shortcut();
  show_tool_tip(entry);
}

void CommandActions::show_tool_tip(const Entry& entry) {
  QString tip = translated(entry.command->help);
  if (!entry.key.isEmpty()) tip += " (" + entry.key.toString(QKeySequence::NativeText) + ")";
  if (!entry.why_unavailable.empty())
    tip += "\n" + tr("Not available now: %1").arg(QString::fromStdString(entry.why_unavailable));
  entry.action->setToolTip(tip);  // a status tip would hide the document's status
}

}  // namespace isolume::workbench

#include "moc_command_actions.cpp"
