#include "app/labs/nbody/body_adder.h"

#include <QLineF>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <algorithm>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkRenderer.h>

#include "app/scene/view/view_widget.h"

namespace isolume::labs::nbody {

/// The new body, the arrow of its velocity and its speed, in front of the view: drawn at once, while a picture of many bodies may
/// take longer than a move of the mouse.
class DraggedBody final : public QWidget {
 public:
  explicit DraggedBody(QWidget& view) : QWidget(&view) {
    setObjectName(QStringLiteral("nbody.dragged-body"));
    setAttribute(Qt::WA_TransparentForMouseEvents);
    hide();
  }
  void show_drag(const QPointF& body, const QPointF& tip, const std::string& speed) {
    body_ = body;
    tip_ = tip;
    speed_ = QString::fromStdString(speed);
    setGeometry(parentWidget()->rect());
    raise();
    show();
    repaint();
  }

 protected:
  void paintEvent(QPaintEvent* /*event*/) override {
    constexpr double radius = 5, head = 10, stroke = 2.4, rim = 1.6;
    QPainterPath shape;
    shape.addEllipse(body_, radius, radius);
    QPainterPath arrow;
    const QLineF shaft(body_, tip_);
    if (shaft.length() > radius) {
      arrow.moveTo(body_);
      arrow.lineTo(tip_);
      for (const double degrees : {150.0, -150.0}) {
        QLineF side = QLineF::fromPolar(std::min(head, shaft.length()), shaft.angle() + degrees);
        side.translate(tip_);
        arrow.moveTo(tip_);
        arrow.lineTo(side.p2());
      }
    }
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor bright(0xf0, 0xb8, 0x40), dark(Qt::black);  // seen on the background and on bright bodies
    for (const auto& [colour, width] : {std::pair(dark, stroke + 2 * rim), std::pair(bright, stroke)}) {
      painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
      painter.setBrush(Qt::NoBrush);
      painter.drawPath(arrow);
      painter.setBrush(bright);
      painter.drawPath(shape);
    }
    const QRect text = painter.fontMetrics().boundingRect(speed_).adjusted(-4, -2, 4, 2);
    QRectF box(QPointF(tip_.x() + head, tip_.y() - text.height() / 2.0), text.size());
    box.moveLeft(std::clamp(box.left(), 0.0, std::max(0.0, width() - box.width())));
    box.moveTop(std::clamp(box.top(), 0.0, std::max(0.0, height() - box.height())));
    painter.fillRect(box, QColor(0, 0, 0, 190));
    painter.setPen(Qt::white);
    painter.drawText(box, Qt::AlignCenter, speed_);
  }

 private:
  QPointF body_, tip_;
  QString speed_;
};

std::optional<Eigen::Vector3d> place_on_plane(double x, double y, const Eigen::Vector3d& anchor,
                                              const Eigen::Matrix4d& onto_picture) {
  // All places of that plane have the anchor's depth.
  const Eigen::Vector4d there = onto_picture * anchor.homogeneous();
  if (!(there.w() > 0)) return std::nullopt;
  const Eigen::Vector4d wanted((2 * x - 1) * there.w(), (2 * y - 1) * there.w(), there.z(), there.w());
  const Eigen::Vector4d found = onto_picture.inverse() * wanted;
  if (!found.allFinite() || found.w() == 0) return std::nullopt;
  return Eigen::Vector3d(found.head<3>() / found.w());
}

BodyAdder::BodyAdder(scene::ViewWidget& view, std::function<std::optional<AddingPlane>()> plane, Added added,
                     std::function<void()> left)
    : view_(&view),
      plane_of_(std::move(plane)),
      added_(std::move(added)),
      left_(std::move(left)),
      mark_(new DraggedBody(view)) {
  view.installEventFilter(this);
  view.setFocus();
  view.setCursor(Qt::CrossCursor);
}

BodyAdder::~BodyAdder() {
  delete mark_;
  if (view_) view_->unsetCursor();
}

std::optional<Eigen::Vector3d> BodyAdder::at(double x, double y) const {
  const int* size = view_->renderer()->GetSize();
  const double aspect = static_cast<double>(size[0]) / std::max(1, size[1]);
  const Eigen::Matrix4d onto_picture = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(
      view_->renderer()->GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1)->GetData());
  return place_on_plane(x / view_->width(), 1 - y / view_->height(), plane_->anchor, onto_picture);
}

Eigen::Vector3d BodyAdder::velocity(const Eigen::Vector3d& tip) const {
  return plane_->speed_of_length(place_) * (tip - place_);
}

void BodyAdder::leave() {
  if (!plane_) return left_();
  plane_.reset();
  mark_->hide();
  cancelled_ = true;
}

bool BodyAdder::eventFilter(QObject* watched, QEvent* event) {
  const auto type = event->type();
  if (type == QEvent::ShortcutOverride || type == QEvent::KeyPress) {
    if (static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return QObject::eventFilter(watched, event);
    event->accept();  // before the shortcut that stops what runs
    if (type == QEvent::KeyPress) leave();
    return true;
  }
  const bool of_mouse = type == QEvent::MouseButtonPress || type == QEvent::MouseMove ||
                        type == QEvent::MouseButtonRelease || type == QEvent::MouseButtonDblClick;
  if (!of_mouse) return QObject::eventFilter(watched, event);
  const auto& mouse = *static_cast<QMouseEvent*>(event);
  const QPointF pointer = mouse.position();
  if (cancelled_) {
    cancelled_ = mouse.buttons().testFlag(Qt::LeftButton);
    return true;
  }
  if (mouse.button() == Qt::LeftButton && type != QEvent::MouseButtonRelease) {
    plane_ = plane_of_();
    const auto place = plane_ ? at(pointer.x(), pointer.y()) : std::nullopt;
    if (!place) plane_.reset();
    if (place) place_ = *place;
    pressed_at_ = pointer;
  } else if (!plane_) {
    return QObject::eventFilter(watched, event);
  }
  const auto tip = plane_ ? at(pointer.x(), pointer.y()) : std::nullopt;
  if (!tip) return true;
  if (mouse.button() == Qt::LeftButton && type == QEvent::MouseButtonRelease) {
    const Eigen::Vector3d found = velocity(*tip);
    plane_.reset();
    mark_->hide();
    added_(place_, found, mouse.modifiers().testFlag(Qt::ShiftModifier));
  } else {
    mark_->show_drag(pressed_at_, pointer, plane_->words(velocity(*tip).norm()));
  }
  return true;
}

}  // namespace isolume::labs::nbody
