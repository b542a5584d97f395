#pragma once

#include <QFrame>
#include <functional>
#include <string>
#include <vector>

#include "app/workbench/palette_search.h"

class QLabel;
class QLineEdit;
class QTreeWidget;

namespace isolume::workbench {

/// Finds and runs commands by typing: words of what a person wants, or a few letters of a name, filter the
/// list, which holds what the commands offer, too (parameters, samples, files, settings); arguments follow
/// the full name. Shows each entry's title, keys or value, and name in columns, its help, and why it cannot
/// run now. Lies over its parent, so that it needs no window manager.
class CommandPalette : public QFrame {
  Q_OBJECT
 public:
  CommandPalette(const CommandRegistry& commands, std::function<void(const std::string& line)> run,
                 QWidget* parent);

  /// Opens with `text` typed already, e.g. "orbitals.select ".
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
  /// Null when nothing fits.
  const PaletteEntry* selected() const;

  const CommandRegistry& commands_;
  std::function<void(const std::string& line)> run_;
  QLineEdit* input_;
  QTreeWidget* list_;
  QLabel* description_;
  std::vector<PaletteEntry> entries_;  ///< as they were when it was opened
  std::vector<PaletteEntry> shown_;
};

}  // namespace isolume::workbench
