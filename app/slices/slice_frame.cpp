#include "app/slices/slice_frame.h"

#include <QGridLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>

#include "app/slices/slice_bar.h"
#include "app/slices/slice_view.h"

namespace isolume::slices {
namespace {

class Title final : public QLabel {
 public:
  explicit Title(std::function<void()> activated) : activated_(std::move(activated)) {
    setMargin(2);
    setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
  }

 protected:
  void mouseDoubleClickEvent(QMouseEvent*) override { activated_(); }
  void keyPressEvent(QKeyEvent* event) override {
    const int key = event->key();
    key == Qt::Key_Return || key == Qt::Key_Enter ? activated_() : QLabel::keyPressEvent(event);
  }
  void paintEvent(QPaintEvent* event) override {
    QLabel::paintEvent(event);
    if (!hasFocus()) return;
    QPainter painter(this);
    painter.setPen(QPen(palette().color(QPalette::Highlight), 2));
    painter.drawRect(rect().adjusted(1, 1, -1, -1));
  }

 private:
  std::function<void()> activated_;
};

}  // namespace

SliceFrame::SliceFrame(QWidget* parent)
    : QWidget(parent), view_(new SliceView), title_(new Title([this] { Q_EMIT title_activated(); })) {
  auto* layout = new QGridLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(2);
  layout->addWidget(title_, 0, 0, 1, 2);
  layout->addWidget(view_, 1, 0);
  layout->addWidget(new SliceBar(*view_), 1, 1);
  layout->setColumnStretch(0, 1);
  layout->setRowStretch(1, 1);
  connect(view_, &SliceView::slice_changed, this, &SliceFrame::update_title);
  update_title();
}

void SliceFrame::set_title_help(const QString& help) {
  title_->setToolTip(help);
  title_->setFocusPolicy(Qt::TabFocus);
}

void SliceFrame::update_title() {
  const auto& document = view_->document();
  const QString name = document == nullptr ? QString() : view_->plane_name();
  static_cast<QLabel*>(title_)->setText(name);
  title_->setAccessibleName(name);
  title_->setVisible(document != nullptr && document->volume.geometry.size[2] > 1);
}

}  // namespace isolume::slices
