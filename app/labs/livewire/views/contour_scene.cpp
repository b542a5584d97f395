#include "app/labs/livewire/views/contour_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>

#include <vtkActor.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/labs/livewire/views/contour_lines.h"
#include "app/labs/livewire/views/slice_in_space.h"
#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/annotations.h"
#include "app/scene/fields/stage.h"

namespace isolume::labs::livewire {
namespace {

constexpr double contour_width = 2, box_width = 1;  // points
constexpr double suggestion_opacity = 0.45;

/// Lines with an actor.
struct Lines {
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;

  explicit Lines(vtkRenderer& renderer) {
    mapper->SetInputData(vtkNew<vtkPolyData>());
    actor->SetMapper(mapper);
    actor->GetProperty()->LightingOff();
    // None: an offset that grows with the slope would show them through planes far above them (see `lift`).
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(1, 4);
    renderer.AddActor(actor);
  }
  /// In their labels' colours.
  void mark_labels() {
    mapper->SetScalarModeToUseCellFieldData();
    mapper->SelectColorArray("colour");
    mapper->SetColorModeToDirectScalars();
  }
};

/// Brings the lines nearer to the eye without moving them in the picture, each point along its own ray.
void lift(vtkActor& actor, vtkCamera& camera, double by_mm) {
  if (camera.GetParallelProjection() != 0) {
    std::array<double, 3> towards{};
    camera.GetDirectionOfProjection(towards.data());
    actor.SetScale(1);
    actor.SetPosition(-by_mm * towards[0], -by_mm * towards[1], -by_mm * towards[2]);
  } else {
    actor.SetPosition(0, 0, 0);
    actor.SetOrigin(camera.GetPosition());
    actor.SetScale(1 - by_mm / camera.GetDistance());
  }
}

bool is_shown(const contours::Contour& contour, const contours::ContourSet& set) {
  const auto* label = set.label(contour.label);
  return contour.visible && (label == nullptr || label->visible);
}

/// Whether the contour lies in the plane, however the slice that it belongs to is numbered.
bool lies_in(const contours::Contour& contour, const images::Geometry& geometry,
             const images::SlicePlane& plane) {
  const auto own = images::slice_plane(geometry, contour.slice);
  constexpr double nearly = 0.999, part_of_spacing = 0.25;
  return std::abs(own.normal.dot(plane.normal)) > nearly &&
         std::abs(plane.normal.dot(own.corner - plane.corner)) < part_of_spacing * plane.slice_spacing_mm;
}

/// The edges of the box that all voxels fill.
vtkSmartPointer<vtkPolyData> box_of(const images::Geometry& geometry) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> edges;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis) {
      const bool high = (corner >> axis & 1) != 0;
      index[axis] = high ? geometry.dimensions[static_cast<std::size_t>(axis)] - 0.5 : -0.5;
      if (!high) edges->InsertNextCell({corner, corner | 1 << axis});
    }
    points->InsertNextPoint(geometry.position(index).data());
  }
  auto box = vtkSmartPointer<vtkPolyData>::New();
  box->SetPoints(points);
  box->SetLines(edges);
  return box;
}

vtkSmartPointer<vtkActor> actor_of(const LabelSurface& surface) {
  vtkNew<vtkPolyDataMapper> mapper;
  mapper->SetInputData(surface.mesh);
  mapper->ScalarVisibilityOff();
  auto actor = vtkSmartPointer<vtkActor>::New();
  actor->SetMapper(mapper);
  auto* property = actor->GetProperty();
  const auto colour = scene::colour_of(surface.label.colour);
  property->SetColor(colour[0], colour[1], colour[2]);
  property->SetInterpolationToPhong();
  property->SetAmbient(0.15);
  property->SetDiffuse(0.85);
  property->SetSpecular(0.2);
  property->SetSpecularPower(30);
  return actor;
}

}  // namespace

struct ContourScene::Parts {
  explicit Parts(vtkRenderer& target);
  ~Parts();

  void adapt_to_picture();
  void lift_lines(double px_per_point);
  void mark_slice();
  void remove_surfaces();
  void show();

  vtkSmartPointer<vtkRenderer> renderer;
  Lines box, accepted, suggested;
  Lines accepted_in_slice, suggested_in_slice;  ///< again: those in the plane of the slice
  SliceInSpace slice;
  scene::Annotations annotations;
  std::vector<LabelSurface> surfaces;
  std::vector<vtkSmartPointer<vtkActor>> surface_actors;
  vtkNew<vtkCallbackCommand> before_frame;
  std::optional<images::Geometry> geometry;  ///< of the image
  contours::ContourSet contours;
  std::optional<images::SlicePlane> plane;  ///< of the slice
  ContourView view;
};

ContourScene::Parts::Parts(vtkRenderer& target)
    : renderer(&target),
      box(target),
      accepted(target),
      suggested(target),
      accepted_in_slice(target),
      suggested_in_slice(target),
      slice(target),
      annotations(target, {{"L", "P", "H"}, "mm"}) {
  for (auto* lines : {&accepted, &suggested, &accepted_in_slice, &suggested_in_slice}) lines->mark_labels();
  for (auto* lines : {&suggested, &suggested_in_slice})
    lines->actor->GetProperty()->SetOpacity(suggestion_opacity);
  before_frame->SetClientData(this);
  before_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->adapt_to_picture(); });
  renderer->AddObserver(vtkCommand::StartEvent, before_frame);
}

ContourScene::Parts::~Parts() {
  renderer->RemoveObserver(before_frame);
  remove_surfaces();
  for (auto* lines : {&box, &accepted, &suggested, &accepted_in_slice, &suggested_in_slice})
    renderer->RemoveActor(lines->actor);
}

/// Lines keep their width in points on screens and in pictures of any density.
void ContourScene::Parts::adapt_to_picture() {
  const double scale = renderer->GetRenderWindow()->GetDPI() / 72.0;
  for (auto* lines : {&accepted, &suggested, &accepted_in_slice, &suggested_in_slice}) {
    lines->actor->GetProperty()->SetLineWidth(static_cast<float>(contour_width * scale));
  }
  if (geometry) lift_lines(scale);
  box.actor->GetProperty()->SetLineWidth(static_cast<float>(box_width * scale));
  if (view.annotations) annotations.update(scale);
}

/// In front of the surfaces that they lie on, and whole in front of the slice that they lie in, however steeply it is
/// seen.
void ContourScene::Parts::lift_lines(double px_per_point) {
  vtkCamera& camera = *renderer->GetActiveCamera();
  const int height_px = std::max(1, renderer->GetSize()[1]);
  const double height_mm =
      camera.GetParallelProjection() != 0
          ? 2 * camera.GetParallelScale()
          : 2 * camera.GetDistance() * std::tan(camera.GetViewAngle() * std::numbers::pi / 360);
  const double reach_mm = (contour_width * px_per_point / 2 + 1.5) * height_mm / height_px;
  // Less than from one slice to the next: what lies below the slice is hidden by it. Smoothed surfaces are off their
  // contours by about as much.
  constexpr double part_of_spacing = 0.4;
  const double spacing_mm = plane ? plane->slice_spacing_mm : geometry->spacing().maxCoeff();
  const double base_mm = part_of_spacing * spacing_mm;
  for (auto* lines : {&box, &accepted, &suggested}) lift(*lines->actor, camera, base_mm);
  if (!plane) return;
  Eigen::Vector3d sight;
  camera.GetDirectionOfProjection(sight.data());
  constexpr double steepest = 12;  // edge-on
  const double cosine = std::abs(sight.dot(plane->normal));
  const double slope =
      std::min(steepest, std::sqrt(std::max(0.0, 1 - cosine * cosine)) / std::max(cosine, 1e-6));
  for (auto* lines : {&accepted_in_slice, &suggested_in_slice})
    lift(*lines->actor, camera, base_mm + slope * reach_mm);
}

void ContourScene::Parts::mark_slice() {
  std::vector<std::shared_ptr<const contours::Contour>> accepted_there, suggested_there;
  const auto grid = geometry.value_or(images::Geometry{});
  for (const auto& contour : contours.contours()) {
    if (!plane || !is_shown(*contour, contours) || !lies_in(*contour, grid, *plane)) continue;
    (contour->suggestion ? suggested_there : accepted_there).push_back(contour);
  }
  accepted_in_slice.mapper->SetInputData(contour_lines(accepted_there, contours, grid));
  suggested_in_slice.mapper->SetInputData(contour_lines(suggested_there, contours, grid));
}

void ContourScene::Parts::remove_surfaces() {
  for (const auto& actor : surface_actors) renderer->RemoveActor(actor);
  surface_actors.clear();
}

void ContourScene::Parts::show() {
  box.actor->SetVisibility(view.box && geometry.has_value());
  for (auto* lines : {&accepted, &suggested}) lines->actor->SetVisibility(view.contours);
  for (auto* lines : {&accepted_in_slice, &suggested_in_slice})
    lines->actor->SetVisibility(view.contours && view.slice && plane);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    surface_actors[i]->SetVisibility(view.surfaces && surfaces[i].label.visible);
    surface_actors[i]->GetProperty()->SetOpacity(view.surface_opacity);
  }
  slice.set_visible(view.slice && plane);
  annotations.set_visible(view.annotations);
}

ContourScene::ContourScene(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  scene::set_stage(renderer);
  vtkMapper::SetResolveCoincidentTopologyToPolygonOffset();
  set_view({}, false);
}

ContourScene::~ContourScene() = default;

void ContourScene::clear() {
  parts_->geometry.reset();
  parts_->plane.reset();
  set_contours({});
  set_surfaces({});
}

void ContourScene::set_image(const images::Geometry& geometry) {
  clear();
  parts_->geometry = geometry;
  parts_->box.mapper->SetInputData(box_of(geometry));
  parts_->show();
}

void ContourScene::set_contours(const contours::ContourSet& set) {
  std::vector<std::shared_ptr<const contours::Contour>> accepted, suggested;
  for (const auto& contour : set.contours()) {
    if (is_shown(*contour, set)) (contour->suggestion ? suggested : accepted).push_back(contour);
  }
  parts_->contours = set;
  const auto geometry = parts_->geometry.value_or(images::Geometry{});
  parts_->accepted.mapper->SetInputData(contour_lines(accepted, set, geometry));
  parts_->suggested.mapper->SetInputData(contour_lines(suggested, set, geometry));
  parts_->mark_slice();
}

void ContourScene::set_surfaces(std::vector<LabelSurface> surfaces) {
  auto& p = *parts_;
  p.remove_surfaces();
  p.surfaces = std::move(surfaces);
  for (const auto& surface : p.surfaces) {
    p.surface_actors.push_back(actor_of(surface));
    p.renderer->AddActor(p.surface_actors.back());
  }
  p.show();
}

const std::vector<LabelSurface>& ContourScene::surfaces() const {
  return parts_->surfaces;
}

void ContourScene::set_slice(const images::Volume& volume, images::SliceId slice,
                             const images::Window& window) {
  parts_->slice.set_slice(volume, slice, window);
  parts_->plane = images::slice_plane(volume.geometry, slice);
  parts_->mark_slice();
  parts_->show();
}

void ContourScene::face_patient() {
  auto& p = *parts_;
  const bool contours = p.accepted.mapper->GetInput()->GetNumberOfPoints() > 0 ||
                        p.suggested.mapper->GetInput()->GetNumberOfPoints() > 0;
  p.box.actor->SetUseBounds(!contours);
  p.slice.set_counted(!contours);
  scene::view_from(*p.renderer, "front");
  scene::orbit(*p.renderer, 15, -25);
  scene::reset_camera(*p.renderer);
  p.box.actor->UseBoundsOn();
  p.slice.set_counted(true);
  p.renderer->ResetCameraClippingRange();
}

void ContourScene::set_view(const ContourView& view, bool dark) {
  auto& p = *parts_;
  p.view = view;
  const auto background = scene::background_colour(dark);
  const auto text = scene::text_colour_on(background);
  p.renderer->SetBackground(background[0], background[1], background[2]);
  p.annotations.set_colour(text);
  p.box.actor->GetProperty()->SetColor(text[0], text[1], text[2]);
  p.box.actor->GetProperty()->SetOpacity(0.5);
  p.show();
}

}  // namespace isolume::labs::livewire
