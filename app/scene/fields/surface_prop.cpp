#include "app/scene/fields/surface_prop.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <vtkCallbackCommand.h>
#include <vtkCommand.h>
#include <vtkDataObject.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLActor.h>
#include <vtkPointData.h>
#include <vtkPolyDataMapper.h>
#include <vtkPropCollection.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>
#include <vtkUniforms.h>
#include <vtkVolume.h>
#include <vtkVolumeCollection.h>

#include "app/scene/drawing/shader_file.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/surfaces/gpu_surface_mapper.h"
#include "app/scene/surfaces/sorted_surface_mapper.h"

namespace isolume::scene {
namespace {

constexpr double line_width = 1.0;
constexpr double point_size = 2.0;
/// Highlights reveal shape, but change the colours from which values are read.
constexpr double specular = 0.35, specular_of_values = 0.06;

/// An actor that counts for cameras and bounds without being drawn.
class LobeActor : public vtkOpenGLActor {
 public:
  static LobeActor* New();
  vtkTypeMacro(LobeActor, vtkOpenGLActor)

      bool drawn = true;
  vtkTypeBool HasOpaqueGeometry() override { return drawn ? Superclass::HasOpaqueGeometry() : 0; }
  vtkTypeBool HasTranslucentPolygonalGeometry() override {
    return drawn ? Superclass::HasTranslucentPolygonalGeometry() : 0;
  }
};
vtkStandardNewMacro(LobeActor);

struct Lobe {
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<GpuSurfaceMapper> gpu_mapper;
  vtkNew<LobeActor> actor;

  void show(const Surface& surface, vtkSmartPointer<vtkPolyData> mesh) {
    if (mesh == nullptr) mesh = vtkSmartPointer<vtkPolyData>::New();
    mapper->SetInputData(mesh);
    if (mesh->GetPointData()->HasArray(second_field) != 0) {
      mapper->MapDataArrayToVertexAttribute(second_field_attribute, second_field,
                                            vtkDataObject::FIELD_ASSOCIATION_POINTS);
    } else {
      mapper->RemoveVertexAttributeMapping(second_field_attribute);
    }
    gpu_mapper->set_surface(surface.on_gpu, surface.on_gpu != nullptr ? surface.values : nullptr);
    vtkMapper* used = surface.on_gpu != nullptr ? static_cast<vtkMapper*>(gpu_mapper) : mapper;
    actor->SetMapper(used);
  }
};

}  // namespace

struct SurfaceProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  Lobes lobes;
  Lobe positive;
  Lobe negative;
  vtkNew<SortedSurfaceMapper> sorted_mapper;
  vtkNew<LobeActor> sorted;  ///< draws both lobes
  vtkNew<vtkCallbackCommand> before_frame;
  vtkSmartPointer<vtkLookupTable> colours;  ///< that the shaders have
  bool visible = true;
  bool draft = false;

  std::array<LobeActor*, 3> actors() const { return {positive.actor, negative.actor, sorted}; }
  vtkSmartPointer<vtkPolyData> shown_mesh(const Surface& surface) const {
    return draft && surface.draft != nullptr ? surface.draft : surface.mesh;
  }
  void show();
  bool cloud_is_seen() const;
  bool something_else_is_translucent() const;
  void choose_way();
  void prepare_frame();
};

void SurfaceProp::Parts::show() {
  positive.show(lobes.positive, shown_mesh(lobes.positive));
  negative.show(lobes.negative, shown_mesh(lobes.negative));
  sorted_mapper->set_meshes(shown_mesh(lobes.positive), shown_mesh(lobes.negative));
  positive.actor->SetVisibility(visible && !lobes.positive.empty());
  negative.actor->SetVisibility(visible && !lobes.negative.empty());
  sorted->SetVisibility(visible);
}

bool SurfaceProp::Parts::cloud_is_seen() const {
  auto* volumes = renderer->GetVolumes();
  vtkCollectionSimpleIterator place;
  volumes->InitTraversal(place);
  while (auto* volume = volumes->GetNextVolume(place)) {
    if (volume->GetVisibility()) return true;
  }
  return false;
}

bool SurfaceProp::Parts::something_else_is_translucent() const {
  auto* props = renderer->GetViewProps();
  vtkCollectionSimpleIterator place;
  props->InitTraversal(place);
  while (auto* prop = props->GetNextProp(place)) {
    const auto own = actors();
    if (std::find(own.begin(), own.end(), prop) != own.end() || prop->IsA("vtkActor2D")) continue;
    if (prop->GetVisibility() && prop->HasTranslucentPolygonalGeometry()) return true;
  }
  return false;
}

void SurfaceProp::Parts::choose_way() {
  auto* property = positive.actor->GetProperty();
  const bool any = visible && !(lobes.positive.empty() && lobes.negative.empty());
  const bool translucent = property->GetRepresentation() == VTK_SURFACE && property->GetOpacity() < 1;
  const bool on_host = lobes.positive.on_gpu == nullptr && lobes.negative.on_gpu == nullptr;
  // With depth peeling, a cloud is drawn in the parts before, between and behind the layers.
  const bool in_cloud = any && translucent && cloud_is_seen();
  renderer->SetUseDepthPeelingForVolumes(in_cloud);
  const bool sorts = translucent && on_host && !in_cloud && !something_else_is_translucent();
  positive.actor->drawn = negative.actor->drawn = !sorts;
  sorted->drawn = sorts;
}

/// Sorted lobes are drawn last, and other objects may have become translucent.
void SurfaceProp::Parts::prepare_frame() {
  choose_way();
  auto* props = renderer->GetViewProps();
  if (props->GetLastProp() == sorted.Get()) return;
  props->RemoveItem(sorted);
  props->AddItem(sorted);
}

SurfaceProp::SurfaceProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  for (Lobe* lobe : {&p.positive, &p.negative}) {
    lobe->mapper->ScalarVisibilityOff();
    lobe->actor->SetMapper(lobe->mapper);
  }
  p.sorted->SetMapper(p.sorted_mapper);
  p.sorted->ForceOpaqueOn();
  p.sorted->UseBoundsOff();  // the bounds are those of the lobes
  for (LobeActor* actor : p.actors()) {
    auto* property = actor->GetProperty();
    property->SetInterpolationToPhong();
    property->SetAmbient(0.15);
    property->SetDiffuse(0.85);
    property->SetSpecular(specular);
    property->SetSpecularPower(40);
    auto& shaders = *actor->GetShaderProperty();
    use_shaders(shaders, "surface");
    constexpr int all = std::numeric_limits<int>::max();
    shaders.GetVertexCustomUniforms()->SetUniformi("verticesOfFirst", all);
    const bool blended = actor == p.sorted.Get();
    shaders.GetFragmentCustomUniforms()->SetUniformi("blended", blended ? 1 : 0);
    renderer.AddActor(actor);
  }
  p.before_frame->SetClientData(&p);
  p.before_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->prepare_frame(); });
  renderer.AddObserver(vtkCommand::StartEvent, p.before_frame);
  set_values_shown(sequential_map(1));  // the shaders need some
  set_values_shown(nullptr);
  set_pixel_scale(1);
  set_lobes({});
}

SurfaceProp::~SurfaceProp() {
  parts_->renderer->RemoveObserver(parts_->before_frame);
  for (LobeActor* actor : parts_->actors()) parts_->renderer->RemoveActor(actor);
}

void SurfaceProp::set_lobes(Lobes lobes) {
  parts_->lobes = std::move(lobes);
  parts_->show();
}

void SurfaceProp::set_draft(bool draft) {
  if (draft == parts_->draft) return;
  parts_->draft = draft;
  parts_->show();
}

const Lobes& SurfaceProp::lobes() const {
  return parts_->lobes;
}

void SurfaceProp::set_style(SurfaceStyle style, double opacity, const Rgb& positive, const Rgb& negative) {
  const auto apply = [&](vtkProperty& property, const Rgb& colour) {
    property.SetColor(colour[0], colour[1], colour[2]);
    property.SetRepresentation(style == SurfaceStyle::smooth ? VTK_SURFACE
                               : style == SurfaceStyle::mesh ? VTK_WIREFRAME
                                                             : VTK_POINTS);
    // Lines and points are see-through without translucency.
    property.SetOpacity(style == SurfaceStyle::smooth ? opacity : 1.0);
  };
  apply(*parts_->positive.actor->GetProperty(), positive);
  apply(*parts_->negative.actor->GetProperty(), negative);
  apply(*parts_->sorted->GetProperty(), positive);
  const std::array<float, 3> second{static_cast<float>(negative[0]), static_cast<float>(negative[1]),
                                    static_cast<float>(negative[2])};
  for (LobeActor* actor : parts_->actors())
    actor->GetShaderProperty()->GetFragmentCustomUniforms()->SetUniform3f("secondColour", second.data());
}

void SurfaceProp::set_values_shown(vtkLookupTable* colours) {
  const bool others = colours != nullptr && parts_->colours.Get() != colours;
  if (others) parts_->colours = colours;
  for (LobeActor* actor : parts_->actors()) {
    auto& uniforms = *actor->GetShaderProperty()->GetFragmentCustomUniforms();
    uniforms.SetUniformi("secondFieldShown", colours != nullptr ? 1 : 0);
    actor->GetProperty()->SetSpecular(colours != nullptr ? specular_of_values : specular);
    if (others) set_shader_colours(uniforms, *colours);
  }
}

void SurfaceProp::set_visible(bool visible) {
  parts_->visible = visible;
  parts_->show();
}

bool SurfaceProp::visible() const {
  return parts_->visible && !(parts_->lobes.positive.empty() && parts_->lobes.negative.empty());
}

void SurfaceProp::set_pixel_scale(double scale) {
  for (LobeActor* actor : parts_->actors()) {
    actor->GetShaderProperty()->GetFragmentCustomUniforms()->SetUniformf("pixelScale",
                                                                         static_cast<float>(scale));
  }
  for (Lobe* lobe : {&parts_->positive, &parts_->negative}) {
    lobe->actor->GetProperty()->SetLineWidth(static_cast<float>(line_width * scale));
    lobe->actor->GetProperty()->SetPointSize(static_cast<float>(point_size * scale));
  }
}

}  // namespace isolume::scene
