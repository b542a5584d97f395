#pragma once

#include <QString>
#include <QTabBar>
#include <vector>

namespace isolume::workbench {

/// The documents of the shown lab; not there while there is one at most. Numbers are from 1.
class DocumentTabs : public QTabBar {
  Q_OBJECT
 public:
  explicit DocumentTabs(QWidget* parent = nullptr);

  struct Tab {
    QString caption;
    QString tip;  ///< where it comes from
  };
  void show_tabs(const std::vector<Tab>& tabs, int shown);

 Q_SIGNALS:
  // By a person:
  void chosen(int number);
  void close_wanted(int number);

 protected:
  /// Names are shortened only so far that they can be told apart; then tabs are scrolled.
  QSize minimumTabSizeHint(int index) const override;
  void mouseReleaseEvent(QMouseEvent* event) override;
};

}  // namespace isolume::workbench
