#pragma once

#include <QFrame>
#include <functional>
#include <string>
#include <vector>

#include "app/workbench/commands/palette_search.h"

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace isolume::workbench {

/// Finds and runs commands by typing: words of the title or help, or a few letters of a name, filter the
/// list. The list includes the arguments that commands offer (parameters, samples, files, settings);
/// arguments follow the full name. Each entry has its title, keys or value, and name in columns, its help,
/// and the reason if it cannot run now. A command of a hidden lab shows that lab and is offered there again. It is a
/// child of the window, so that it needs no window manager.
class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  CommandPalette(const CommandRegistry& commands, std::function<std::vector<HiddenLab>()> hidden_labs,
                 std::function<void(const std::string& line)> run, QWidget* parent);

  /// Opens with `text` as input, e.g. "orbitals.select ".
  void ask(const QString& text = {});
  void close_palette();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void filter(const QString& typed);
  void add_row(const PaletteEntry& entry);
  void describe_selected();
  void accept();
  void place();
  void move_by(int rows, bool around);
  /// Null if nothing matches.
  const PaletteEntry* selected() const;

  const CommandRegistry& commands_;
  std::function<std::vector<HiddenLab>()> hidden_labs_;
  std::function<void(const std::string& line)> run_;
  QLineEdit* input_;
  QTreeWidget* list_;
  QLabel* description_;
  std::vector<PaletteEntry> entries_;  ///< as of the opening
  std::vector<PaletteEntry> shown_;
};

}  // namespace isolume::workbench
