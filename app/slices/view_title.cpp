#include "app/slices/view_title.h"

#include <QKeyEvent>
#include <QPainter>

namespace isolume::slices {

ViewTitle::ViewTitle(QWidget* parent) : QLabel(parent) {
  setMargin(2);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ViewTitle::set_help(const QString& help) {
  setToolTip(help);
  setFocusPolicy(Qt::TabFocus);
}

void ViewTitle::mouseDoubleClickEvent(QMouseEvent*) {
  Q_EMIT activated();
}

void ViewTitle::keyPressEvent(QKeyEvent* event) {
  const int key = event->key();
  if (key != Qt::Key_Return && key != Qt::Key_Enter) return QLabel::keyPressEvent(event);
  Q_EMIT activated();
}

void ViewTitle::paintEvent(QPaintEvent* event) {
  QLabel::paintEvent(event);
  if (!hasFocus()) return;
  QPainter painter(this);
  painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
  painter.drawRect(rect().adjusted(1, 1, -1, -1));
}

}  // namespace isolume::slices

#include "moc_view_title.cpp"
