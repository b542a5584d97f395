#include "app/workbench/window/banner.h"

#include <QEvent>
#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QShowEvent>
#include <QToolButton>

#include "app/workbench/look/icons.h"
#include "app/workbench/look/theme.h"

namespace isolume::workbench {

Banner::Banner(Kind kind, QWidget* parent)
    : QFrame(parent), kind_(kind), icon_(new QLabel), label_(new QLabel), offer_(new QPushButton) {
  const bool error = kind == Kind::error;
  setObjectName(error ? "error-banner" : "warning-banner");
  setFrameShape(QFrame::StyledPanel);
  setAutoFillBackground(true);
  setAccessibleName(error ? tr("Error") : tr("Warning"));

  label_->setTextFormat(Qt::PlainText);
  label_->setWordWrap(true);
  label_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  offer_->setObjectName("banner-offer");
  connect(offer_, &QPushButton::clicked, this, &Banner::offer_taken);
  auto* close = new QToolButton;
  close->setIcon(icon("close"));
  close->setAutoRaise(true);
  close->setToolTip(tr("Close"));
  close->setAccessibleName(tr("Close this message"));
  connect(close, &QToolButton::clicked, this, [this] { set_text({}); });

  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(8, 4, 4, 4);
  row->addWidget(icon_, 0, Qt::AlignTop);
  row->addWidget(label_, 1);
  row->addWidget(offer_, 0, Qt::AlignTop);
  row->addWidget(close, 0, Qt::AlignTop);
  set_offer({});
  colour();
  hide();
}

void Banner::set_text(const QString& text) {
  if (text == label_->text() && isHidden() == text.isEmpty()) return;
  label_->setText(text);
  colour();
  setVisible(!text.isEmpty());
}

void Banner::set_offer(const QString& title) {
  offer_->setText(title);
  offer_->setVisible(!title.isEmpty());
}

QString Banner::text() const {
  return label_->text();
}

void Banner::showEvent(QShowEvent* event) {
  // Only windows are notified of another theme: a widget with a style sheet has a palette of its own.
  window()->installEventFilter(this);
  colour();
  QFrame::showEvent(event);
}

bool Banner::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::ApplicationPaletteChange) colour();
  return QFrame::eventFilter(watched, event);
}

void Banner::colour() {
  const int size = fontMetrics().height() + 2;
  icon_->setPixmap(
      icon(kind_ == Kind::error ? "error" : "warning").pixmap(QSize(size, size), devicePixelRatioF()));
  QColor ground = kind_ == Kind::error ? error_colour() : warning_colour();
  ground.setAlphaF(0.18F);
  const QString sheet =
      QString("#%1 { background: %2; border: 0; border-left: 4px solid %3; } QLabel { color: %4; }")
          .arg(objectName(), ground.name(QColor::HexArgb),
               (kind_ == Kind::error ? error_colour() : warning_colour()).name(),
               QGuiApplication::palette().color(QPalette::WindowText).name());
  if (sheet != styleSheet()) setStyleSheet(sheet);  // this changes the palette
}

}  // namespace isolume::workbench

#include "moc_banner.cpp"
