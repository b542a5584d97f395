#pragma once

#include <QString>
#include <QTabBar>
#include <vector>

namespace isolume::workbench {

/// The documents of the shown lab; hidden if there is at most one. Numbers start at 1.
class DocumentTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit DocumentTabs(QWidget* parent = nullptr);

  struct Tab {
    QString caption;
    QString tip;  ///< path of the document
  };
  void show_tabs(const std::vector<Tab>& tabs, int shown);

 Q_SIGNALS:
  // Emitted when the user chooses a tab:
  void chosen(int number);
  void close_wanted(int number);

 protected:
  /// Names are shortened only as far as they remain distinct; then tabs scroll.
  QSize minimumTabSizeHint(int index) const override;
  void mouseReleaseEvent(QMouseEvent* event) override;
};

}  // namespace isolume::workbench
