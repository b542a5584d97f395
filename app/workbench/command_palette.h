#pragma once

#include <QFrame>
#include <functional>
#include <string>

class QLabel;
class QLineEdit;
class QListWidget;

namespace isolume::workbench {

class CommandRegistry;
struct Command;

/// Finds and runs commands by typing: a few letters of the name or title filter the list, arguments follow
/// the full name. Shows each command's key, help, and why it cannot run now. Lies over its parent, so that it
/// needs no window manager.
class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  CommandPalette(const CommandRegistry& commands, std::function<void(const std::string& line)> run,
                 QWidget* parent);

  /// Opens with `text` typed already, e.g. "orbital.select ".
  void ask(const QString& text = {});
  void close_palette();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& typed);
  void add_entry(const Command& command);
  void describe_selected();
  void accept();
  void place();
  const Command* selected() const;

  const CommandRegistry& commands_;
  std::function<void(const std::string& line)> run_;
  QLineEdit* input_;
  QListWidget* list_;
  QLabel* description_;
};

}  // namespace isolume::workbench
