#pragma once

#include <QDialog>
#include <filesystem>
#include <vector>

#include "app/workbench/manual/manual_search.h"

class QLineEdit;
class QListWidget;

namespace isolume::workbench {

class ManualBrowser;

/// The manual with its search: words find sections on all pages; Enter moves from one to the next.
class ManualWindow final : public QDialog {
  Q_OBJECT
 public:
  /// `folder` holds the pages, with `index.md` as the first; pages outside it are searched, too.
  explicit ManualWindow(const std::filesystem::path& folder,
                        const std::vector<std::filesystem::path>& of_elsewhere = {},
                        QWidget* parent = nullptr);
  /// Shows one of the pages.
  void show_page(const std::filesystem::path& page);
  /// Searches as if the words had been typed, followed by Enter.
  void look_up(const QString& words);

 private:
  QWidget* make_bar();
  void search(const QString& text);
  void go_to_next();
  void go_to(int row);

  std::vector<ManualSection> sections_;
  std::vector<ManualHit> hits_;
  ManualBrowser* browser_;
  QLineEdit* words_;
  QListWidget* list_;
};

}  // namespace isolume::workbench
