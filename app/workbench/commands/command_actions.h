#pragma once

#include <QAction>
#include <QKeySequence>
#include <QObject>
#include <QWidget>
#include <functional>
#include <map>
#include <string>

#include "core/commands/registry.h"

namespace isolume::workbench {

class CommandRegistry;

/// Keys of the keyboard as users read them: "Ctrl+O".
QString native_keys(const std::string& keys);

/// The registry's commands as QActions for menus, tool bar and keys.
class CommandActions : public QObject {
  Q_OBJECT
 public:
  /// `start` runs a line on behalf of the user: shows errors, asks for missing arguments.
  CommandActions(const CommandRegistry& commands, std::function<void(const std::string& line)> start,
                 QWidget& window);

  /// The single action of a command line ("view.preset top"); `title` replaces the command's own, `checked`
  /// its check mark.
  QAction* action(const std::string& line, const QString& title = {},
                  std::function<bool()> checked = nullptr);
  /// Creates an action for every command, so that keys of commands outside the menus work, too.
  void add_all();
  /// Updates the enabled and checked states and the explanations of the actions.
  void refresh();

 private:
  struct Entry {
    QAction* action;
    const commands::Command* command;
    std::function<bool()> checked;
    // As its tool tip shows them:
    std::string why_unavailable = {};
    QKeySequence key = {};
  };
  void refresh(Entry& entry);
  void show_tool_tip(const Entry& entry);

  const CommandRegistry& commands_;
  std::function<void(const std::string& line)> start_;
  QWidget& window_;
  std::map<std::string, Entry> entries_;
};

}  // namespace isolume::workbench
