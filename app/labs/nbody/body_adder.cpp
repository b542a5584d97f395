#include "app/labs/nbody/body_adder.h"

#include <QMouseEvent>
#include <algorithm>
#include <utility>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/scene/measure_mark.h"
#include "app/scene/view_widget.h"

namespace isolume::labs::nbody {

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

BodyAdder::BodyAdder(scene::ViewWidget& view, std::function<std::optional<AddingPlane>()> plane, Added added)
    : view_(view),
      plane_of_(std::move(plane)),
      added_(std::move(added)),
      arrow_(std::make_unique<scene::MeasureMark>(*view.renderer())) {
  arrow_->set_colour({1, 1, 1});
  vtkNew<vtkCallbackCommand> before_frame;
  before_frame->SetClientData(this);
  before_frame->SetCallback([](vtkObject*, unsigned long, void* self, void*) {
    auto& adder = *static_cast<BodyAdder*>(self);
    adder.arrow_->update(adder.view_.renderer()->GetRenderWindow()->GetDPI() / 72.0);
  });
  observer_ = view_.renderer()->AddObserver(vtkCommand::StartEvent, before_frame);
  view_.installEventFilter(this);
  view_.setCursor(Qt::CrossCursor);
}

BodyAdder::~BodyAdder() {
  view_.renderer()->RemoveObserver(observer_);
  arrow_.reset();
  view_.unsetCursor();
  view_.request_render();
}

std::optional<Eigen::Vector3d> BodyAdder::at(double x, double y) const {
  const int* size = view_.renderer()->GetSize();
  const double aspect = static_cast<double>(size[0]) / std::max(1, size[1]);
  const Eigen::Matrix4d onto_picture = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(
      view_.renderer()->GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1)->GetData());
  return place_on_plane(x / view_.width(), 1 - y / view_.height(), plane_->anchor, onto_picture);
}

Eigen::Vector3d BodyAdder::velocity(const Eigen::Vector3d& tip) const {
  return plane_->speed_of_length(place_) * (tip - place_);
}

bool BodyAdder::eventFilter(QObject* watched, QEvent* event) {
  const auto type = event->type();
  const bool of_mouse = type == QEvent::MouseButtonPress || type == QEvent::MouseMove ||
                        type == QEvent::MouseButtonRelease || type == QEvent::MouseButtonDblClick;
  if (!of_mouse) return QObject::eventFilter(watched, event);
  const auto& mouse = *static_cast<QMouseEvent*>(event);
  const QPointF pointer = mouse.position();
  if (mouse.button() == Qt::LeftButton && type != QEvent::MouseButtonRelease) {
    plane_ = plane_of_();
    const auto place = plane_ ? at(pointer.x(), pointer.y()) : std::nullopt;
    if (!place) plane_.reset();
    if (place) place_ = *place;
  } else if (!plane_) {
    return QObject::eventFilter(watched, event);
  }
  const auto tip = plane_ ? at(pointer.x(), pointer.y()) : std::nullopt;
  if (!tip) return true;
  if (mouse.button() == Qt::LeftButton && type == QEvent::MouseButtonRelease) {
    const Eigen::Vector3d found = velocity(*tip);
    plane_.reset();
    arrow_->set({}, "");
    added_(place_, found);
  } else {
    arrow_->set({place_, *tip}, plane_->words(velocity(*tip).norm()));
  }
  view_.request_render();
  return true;
}

}  // namespace isolume::labs::nbody
