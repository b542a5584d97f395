#include "app/workbench/document_tabs.h"

#include <QMouseEvent>
#include <QSignalBlocker>
#include <algorithm>

namespace isolume::workbench {

DocumentTabs::DocumentTabs(QWidget* parent) : QTabBar(parent) {
  setObjectName("document-tabs");
  setAccessibleName(tr("Open documents"));
  setDocumentMode(true);
  setExpanding(false);
  setTabsClosable(true);
  setElideMode(Qt::ElideMiddle);
  setUsesScrollButtons(true);
  hide();
  connect(this, &QTabBar::currentChanged, this, [this](int index) { Q_EMIT chosen(index + 1); });
  connect(this, &QTabBar::tabCloseRequested, this, [this](int index) { Q_EMIT close_wanted(index + 1); });
}

void DocumentTabs::show_tabs(const std::vector<Tab>& tabs, int shown) {
  const QSignalBlocker quiet(this);
  while (count() > static_cast<int>(tabs.size())) removeTab(count() - 1);
  while (count() < static_cast<int>(tabs.size())) addTab(QString());
  for (int i = 0; i < count(); ++i) {
    const Tab& tab = tabs[static_cast<std::size_t>(i)];
    setTabText(i, QString(tab.caption).replace('&', "&&"));
    setTabToolTip(i, tab.tip);
    for (const auto side : {LeftSide, RightSide}) {  // the style decides which side has the button
      if (QWidget* button = tabButton(i, side)) button->setToolTip(tr("Close tab"));
    }
  }
  setCurrentIndex(shown);
  setVisible(count() > 1);
}

QSize DocumentTabs::minimumTabSizeHint(int index) const {
  constexpr int letters = 16, room_for_button = 5;
  QSize size = tabSizeHint(index);
  size.setWidth(std::min(size.width(), (letters + room_for_button) * fontMetrics().averageCharWidth()));
  return size;
}

void DocumentTabs::mouseReleaseEvent(QMouseEvent* event) {
  QTabBar::mouseReleaseEvent(event);
  if (event->button() != Qt::MiddleButton) return;
  if (const int index = tabAt(event->position().toPoint()); index >= 0) Q_EMIT close_wanted(index + 1);
}

}  // namespace isolume::workbench

#include "moc_document_tabs.cpp"
