#pragma once

#include <QString>
#include <QTabBar>
#include <filesystem>
#include <vector>

namespace isolume::workbench {

/// The documents of the shown lab; hidden if there is at most one. Numbers start at 1.
class DocumentTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit DocumentTabs(QWidget* parent = nullptr);

  struct Tab {
    QString caption;
    std::filesystem::path path;  ///< of the document; empty if it has none
  };
  void show_tabs(const std::vector<Tab>& tabs, int shown);

 Q_SIGNALS:
  // Emitted when the user chooses a tab:
  void chosen(int number);
  void close_wanted(int number);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  /// Shortens the names if the tabs do not fit otherwise; those that do not fit then are scrolled to.
  void fit_names();

  std::vector<QString> names_;
};

/// Names of tabs that differ: equal captions are followed by as many of their last folders as distinguish them,
/// "run.hdf5 (first)", and by a number where that does not suffice.
std::vector<QString> distinct_names(const std::vector<DocumentTabs::Tab>& tabs);

/// Names of at most `most_letters`. Longer ones lose their middle or, where others would look the same then, all but
/// the part from which on they differ.
std::vector<QString> shortened(const std::vector<QString>& names, qsizetype most_letters);

}  // namespace isolume::workbench
