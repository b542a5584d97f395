#pragma once

#include <QObject>
#include <QPointF>
#include <QPointer>
#include <functional>
#include <optional>
#include <string>

#include <Eigen/Core>

namespace isolume::scene {
class ViewWidget;
}  // namespace isolume::scene

namespace isolume::labs::nbody {

/// Where a body is placed by the mouse: in the renderer's coordinates, on the plane that faces the camera and holds `anchor`.
struct AddingPlane {
  Eigen::Vector3d anchor = {0, 0, 0};
  /// How fast a body moves whose arrow is 1 long.
  std::function<double(const Eigen::Vector3d& place)> speed_of_length;
  /// What is written at the arrow.
  std::function<std::string(double speed)> words;
};

/// Where the ray of a pixel meets the plane that faces the camera and holds `anchor`. `x`, `y`: 0 to 1 from the lower left corner.
/// `onto_picture`: the camera's composite projection; nothing where the plane is not in front of it.
std::optional<Eigen::Vector3d> place_on_plane(double x, double y, const Eigen::Vector3d& anchor,
                                              const Eigen::Matrix4d& onto_picture);

class DraggedBody;

/// A press of the left button in a view places a body, a drag gives it a velocity. Other buttons and the wheel move the camera as
/// ever. As long as this lives.
class BodyAdder final : public QObject {
 public:
  /// `again`: Shift was held, for another body after this one.
  using Added =
      std::function<void(const Eigen::Vector3d& place, const Eigen::Vector3d& velocity, bool again)>;

  /// `plane` is asked at each press; nothing: no body can be placed now. `added`: with the place in the renderer's coordinates.
  /// `left`: Esc was pressed in the view, which has the keyboard focus at first; during a drag it cancels that.
  BodyAdder(scene::ViewWidget& view, std::function<std::optional<AddingPlane>()> plane, Added added,
            std::function<void()> left);
  ~BodyAdder() override;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void leave();
  std::optional<Eigen::Vector3d> at(double x, double y) const;
  Eigen::Vector3d velocity(const Eigen::Vector3d& tip) const;

  QPointer<scene::ViewWidget> view_;  ///< may end before an adder that ends later
  std::function<std::optional<AddingPlane>()> plane_of_;
  Added added_;
  std::function<void()> left_;
  std::optional<AddingPlane> plane_;  ///< of the press
  Eigen::Vector3d place_ = {0, 0, 0};
  QPointF pressed_at_;
  bool cancelled_ = false;      ///< the drag, whose button is still held
  QPointer<DraggedBody> mark_;  ///< in front of the view, whose child it is
};

}  // namespace isolume::labs::nbody
