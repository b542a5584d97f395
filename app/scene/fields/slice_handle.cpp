#include "app/scene/fields/slice_handle.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <Eigen/Geometry>
#include <vtkActor.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRenderer.h>
#include <vtkSphereSource.h>
#include <vtkWeakPointer.h>

namespace isolume::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double grab_distance = 8;  // in pixels at 72 dots per inch
constexpr float before_the_style = 10;

Vector2d on_screen(vtkRenderer& renderer, const Vector3d& place) {
  renderer.SetWorldPoint(place.x(), place.y(), place.z(), 1);
  renderer.WorldToDisplay();
  const double* display = renderer.GetDisplayPoint();
  return {display[0], display[1]};
}

double distance_to_segment(const Vector2d& point, const Vector2d& a, const Vector2d& b) {
  const Vector2d side = b - a;
  const double square = side.squaredNorm();
  const double share = square > 0 ? std::clamp((point - a).dot(side) / square, 0.0, 1.0) : 0;
  return (point - a - share * side).norm();
}

std::array<Vector3d, 4> corners(const SliceRectangle& rectangle) {
  const Vector3d along = rectangle.length * rectangle.along;
  const Vector3d across = rectangle.width * rectangle.across;
  return {rectangle.corner, rectangle.corner + along, rectangle.corner + along + across,
          rectangle.corner + across};
}

}  // namespace

struct SliceHandle::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  std::function<void(double)> moved;
  SliceRectangle rectangle;
  double position = 0.5;
  bool visible = false;
  Rgb colour{0, 0, 0};
  Rgb active{0, 0, 0};

  bool hovering = false;
  bool dragging = false;
  double grabbed_position = 0;
  Vector2d grabbed_at = Vector2d::Zero();  ///< pixels, in a picture of this height:
  double grabbed_height = 1;
  Vector2d pixels_per_length = Vector2d::UnitY();

  vtkNew<vtkPolyData> outline;
  vtkNew<vtkPolyDataMapper> outline_mapper;
  vtkNew<vtkActor> outline_actor;
  vtkNew<vtkSphereSource> ball;
  vtkNew<vtkPolyDataMapper> ball_mapper;
  vtkNew<vtkActor> ball_actor;
  vtkNew<vtkCallbackCommand> observer;
  vtkWeakPointer<vtkRenderWindowInteractor> interactor;

  void listen();
  void on_event(unsigned long event);
  Vector2d pointer() const {
    return {static_cast<double>(interactor->GetEventPosition()[0]),
            static_cast<double>(interactor->GetEventPosition()[1])};
  }
  bool pointer_is_near() const;
  void hover(bool near);
  void grab();
  void drag();
  void let_go();
  void paint();
};

void SliceHandle::Parts::listen() {
  auto* window = renderer->GetRenderWindow();
  auto* present = window != nullptr ? window->GetInteractor() : nullptr;
  if (present == interactor) return;
  if (interactor != nullptr) interactor->RemoveObserver(observer);
  interactor = present;
  if (interactor == nullptr) return;
  for (const auto event :
       {vtkCommand::MouseMoveEvent, vtkCommand::LeftButtonPressEvent, vtkCommand::LeftButtonReleaseEvent}) {
    interactor->AddObserver(event, observer, before_the_style);
  }
}

bool SliceHandle::Parts::pointer_is_near() const {
  const auto places = corners(rectangle);
  const double reach = grab_distance * renderer->GetRenderWindow()->GetDPI() / 72.0;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Vector2d a = on_screen(*renderer, places[i]);
    const Vector2d b = on_screen(*renderer, places[(i + 1) % places.size()]);
    if (distance_to_segment(pointer(), a, b) <= reach) return true;
  }
  return false;
}

void SliceHandle::Parts::hover(bool near) {
  if (near == hovering) return;
  hovering = near;
  paint();
  renderer->GetRenderWindow()->SetCurrentCursor(near ? VTK_CURSOR_HAND : VTK_CURSOR_DEFAULT);
  interactor->Render();
}

void SliceHandle::Parts::grab() {
  dragging = true;
  grabbed_at = pointer();
  grabbed_height = renderer->GetSize()[1];
  grabbed_position = position;
  const auto places = corners(rectangle);
  const Vector3d middle = (places[0] + places[2]) / 2;
  pixels_per_length = on_screen(*renderer, middle + rectangle.normal) - on_screen(*renderer, middle);
  // Seen along its normal, the slice would not move under the pointer: upwards is then along the normal.
  constexpr double fewest = 2;
  if (pixels_per_length.norm() < fewest) pixels_per_length = Vector2d(0, 20);
}

void SliceHandle::Parts::drag() {
  const double length = (pointer() - grabbed_at).dot(pixels_per_length) / pixels_per_length.squaredNorm();
  const double extent = std::max(1e-9, rectangle.high - rectangle.low);
  moved(std::clamp(grabbed_position + length / extent, 0.0, 1.0));
  interactor->Render();
}

void SliceHandle::Parts::let_go() {
  dragging = false;
  interactor->Render();
}

void SliceHandle::Parts::on_event(unsigned long event) {
  if (!visible || interactor == nullptr || renderer->GetRenderWindow() == nullptr) return;
  switch (event) {
    case vtkCommand::MouseMoveEvent:
      if (dragging) {
        drag();
        observer->SetAbortFlag(1);  // keeps the camera still
      } else {
        hover(pointer_is_near());
      }
      break;
    case vtkCommand::LeftButtonPressEvent:
      if (!pointer_is_near()) break;
      grab();
      observer->SetAbortFlag(1);
      break;
    case vtkCommand::LeftButtonReleaseEvent:
      if (!dragging) break;
      let_go();
      observer->SetAbortFlag(1);
      break;
    default:
      break;
  }
}

void SliceHandle::Parts::paint() {
  const Rgb& shown = hovering || dragging ? active : colour;
  outline_actor->GetProperty()->SetColor(shown[0], shown[1], shown[2]);
  ball_actor->GetProperty()->SetColor(shown[0], shown[1], shown[2]);
}

SliceHandle::SliceHandle(vtkRenderer& renderer, std::function<void(double position)> moved)
    : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.moved = std::move(moved);
  p.observer->SetClientData(parts_.get());
  p.observer->SetCallback([](vtkObject*, unsigned long event, void* parts, void*) {
    static_cast<Parts*>(parts)->on_event(event);
  });
  p.outline_mapper->SetInputData(p.outline);
  // The outline is coplanar with the slice: without an offset, parts of it would be hidden.
  vtkMapper::SetResolveCoincidentTopologyToPolygonOffset();
  p.outline_mapper->SetRelativeCoincidentTopologyLineOffsetParameters(0, -8);
  p.outline_actor->SetMapper(p.outline_mapper);
  p.outline_actor->GetProperty()->LightingOff();
  p.ball->SetThetaResolution(24);
  p.ball->SetPhiResolution(16);
  p.ball_mapper->SetInputConnection(p.ball->GetOutputPort());
  p.ball_actor->SetMapper(p.ball_mapper);
  for (vtkActor* actor : {p.outline_actor.Get(), p.ball_actor.Get()}) {
    actor->UseBoundsOff();
    renderer.AddActor(actor);
  }
  set_pixel_scale(1);
  set_visible(false);
}

SliceHandle::~SliceHandle() {
  if (parts_->interactor != nullptr) parts_->interactor->RemoveObserver(parts_->observer);
  parts_->renderer->RemoveActor(parts_->outline_actor);
  parts_->renderer->RemoveActor(parts_->ball_actor);
}

void SliceHandle::set_rectangle(const SliceRectangle& rectangle, double position) {
  auto& p = *parts_;
  p.rectangle = rectangle;
  p.position = position;
  const auto places = corners(rectangle);
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> line;
  for (const auto& place : places) points->InsertNextPoint(place.data());
  line->InsertNextCell({0, 1, 2, 3, 0});
  p.outline->SetPoints(points);
  p.outline->SetLines(line);
  const Vector3d ball = (places[1] + places[2]) / 2;
  p.ball->SetCenter(ball.x(), ball.y(), ball.z());
  p.ball->SetRadius(0.02 * std::max(rectangle.length, rectangle.width));
}

void SliceHandle::set_visible(bool visible) {
  parts_->visible = visible;
  if (visible) parts_->listen();
  parts_->outline_actor->SetVisibility(visible);
  // In a picture nothing can be dragged; the outline stays as the slice's border.
  parts_->ball_actor->SetVisibility(visible && parts_->interactor != nullptr);
}

void SliceHandle::set_colour(const Rgb& colour, const Rgb& active) {
  parts_->colour = colour;
  parts_->active = active;
  parts_->paint();
}

void SliceHandle::set_pixel_scale(double scale) {
  parts_->outline_actor->GetProperty()->SetLineWidth(static_cast<float>(outline_width * scale));
}

}  // namespace isolume::scene
