#include "app/labs/livewire/contour_scene.h"

#include <utility>

#include <vtkActor.h>
#include <vtkCallbackCommand.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>

#include "app/labs/livewire/contour_lines.h"
#include "app/labs/livewire/slice_in_space.h"
#include "app/scene/annotations.h"
#include "app/scene/camera.h"
#include "app/scene/stage.h"
#include "app/scene/text_style.h"

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
    // Before a slice or surface that they lie in, however steeply it is seen.
    mapper->SetRelativeCoincidentTopologyLineOffsetParameters(-4, -60);
    renderer.AddActor(actor);
  }
  /// In their labels' colours.
  void mark_labels() {
    mapper->SetScalarModeToUseCellFieldData();
    mapper->SelectColorArray("colour");
    mapper->SetColorModeToDirectScalars();
  }
};

/// The edges of the box that all voxels fill.
vtkSmartPointer<vtkPolyData> box_of(const images::Geometry& geometry) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> edges;
  for (int corner = 0; corner < 8; ++corner) {
    Eigen::Vector3d index;
    for (int axis = 0; axis < 3; ++axis) {
      const bool high = (corner >> axis & 1) != 0;
      index[axis] = high ? geometry.size[static_cast<std::size_t>(axis)] - 0.5 : -0.5;
      if (!high) edges->InsertNextCell({corner, corner | 1 << axis});
    }
    points->InsertNextPoint(geometry.position_mm(index).data());
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
  void remove_surfaces();
  void show();

  vtkSmartPointer<vtkRenderer> renderer;
  Lines box, accepted, suggested;
  SliceInSpace slice;
  scene::Annotations annotations;
  std::vector<LabelSurface> surfaces;
  std::vector<vtkSmartPointer<vtkActor>> surface_actors;
  vtkNew<vtkCallbackCommand> before_frame;
  std::optional<images::Geometry> geometry;  ///< of the image
  bool has_slice = false;
  ContourView view;
};

ContourScene::Parts::Parts(vtkRenderer& target)
    : renderer(&target),
      box(target),
      accepted(target),
      suggested(target),
      slice(target),
      annotations(target, {{"L", "P", "H"}, "mm"}) {
  accepted.mark_labels();
  suggested.mark_labels();
  suggested.actor->GetProperty()->SetOpacity(suggestion_opacity);
  before_frame->SetClientData(this);
  before_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->adapt_to_picture(); });
  renderer->AddObserver(vtkCommand::StartEvent, before_frame);
}

ContourScene::Parts::~Parts() {
  renderer->RemoveObserver(before_frame);
  remove_surfaces();
  for (auto* lines : {&box, &accepted, &suggested}) renderer->RemoveActor(lines->actor);
}

/// Lines keep their width in points on screens and in pictures of any density.
void ContourScene::Parts::adapt_to_picture() {
  const double scale = renderer->GetRenderWindow()->GetDPI() / 72.0;
  for (auto* lines : {&accepted, &suggested}) {
    lines->actor->GetProperty()->SetLineWidth(static_cast<float>(contour_width * scale));
  }
  box.actor->GetProperty()->SetLineWidth(static_cast<float>(box_width * scale));
  if (view.annotations) annotations.update(scale);
}

void ContourScene::Parts::remove_surfaces() {
  for (const auto& actor : surface_actors) renderer->RemoveActor(actor);
  surface_actors.clear();
}

void ContourScene::Parts::show() {
  box.actor->SetVisibility(view.box && geometry.has_value());
  for (auto* lines : {&accepted, &suggested}) lines->actor->SetVisibility(view.contours);
  for (std::size_t i = 0; i < surfaces.size(); ++i) {
    surface_actors[i]->SetVisibility(view.surfaces && surfaces[i].label.visible);
    surface_actors[i]->GetProperty()->SetOpacity(view.surface_opacity);
  }
  slice.set_visible(view.slice && has_slice);
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
  parts_->has_slice = false;
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
    const auto* label = set.label(contour->label);
    const bool visible = contour->visible && (label == nullptr || label->visible);
    if (visible) (contour->suggestion ? suggested : accepted).push_back(contour);
  }
  const auto geometry = parts_->geometry.value_or(images::Geometry{});
  parts_->accepted.mapper->SetInputData(contour_lines(accepted, set, geometry));
  parts_->suggested.mapper->SetInputData(contour_lines(suggested, set, geometry));
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
  parts_->has_slice = true;
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
