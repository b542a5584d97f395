#include "app/scene/surface_prop.h"

#include <array>
#include <utility>

#include <vtkActor.h>
#include <vtkNew.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>

#include "app/scene/gpu_surface_mapper.h"

namespace isolume::scene {
namespace {

constexpr double line_width = 1.0;
constexpr double point_size = 2.0;

/// Both sides of a lobe are lit, those of a mesh's far lines too. And a lobe is a thin layer of haze: light
/// that leaves it at a slant has a longer way through it (the exponent), so that rims are denser than the
/// middle and shapes stay readable through each other.
constexpr const char* before_lighting =
    "  if (normalVCVSOutput.z < 0.0) normalVCVSOutput = -normalVCVSOutput;\n"
    "  opacity = 1.0 - pow(1.0 - opacity, 1.0 / max(normalVCVSOutput.z, 0.15));\n"
    "  //VTK::Light::Impl\n";

struct Lobe {
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<GpuSurfaceMapper> gpu_mapper;
  vtkNew<vtkActor> actor;

  void show(const Surface& surface, bool draft) {
    auto mesh = draft && surface.draft != nullptr ? surface.draft : surface.mesh;
    if (mesh == nullptr) mesh = vtkSmartPointer<vtkPolyData>::New();
    mapper->SetInputData(mesh);
    gpu_mapper->set_surface(surface.on_gpu);
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
  bool visible = true;
  bool draft = false;

  void show() {
    positive.show(lobes.positive, draft);
    negative.show(lobes.negative, draft);
    positive.actor->SetVisibility(visible && !lobes.positive.empty());
    negative.actor->SetVisibility(visible && !lobes.negative.empty());
  }
};

SurfaceProp::SurfaceProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  parts_->renderer = &renderer;
  for (Lobe* lobe : {&parts_->positive, &parts_->negative}) {
    lobe->mapper->ScalarVisibilityOff();
    lobe->gpu_mapper->ScalarVisibilityOff();
    auto* property = lobe->actor->GetProperty();
    property->SetInterpolationToPhong();
    property->SetAmbient(0.15);
    property->SetDiffuse(0.85);
    property->SetSpecular(0.35);
    property->SetSpecularPower(40);
    lobe->actor->GetShaderProperty()->AddFragmentShaderReplacement("//VTK::Light::Impl", true,
                                                                   before_lighting, false);
    renderer.AddActor(lobe->actor);
  }
  set_lobes({});
}

SurfaceProp::~SurfaceProp() {
  parts_->renderer->RemoveActor(parts_->positive.actor);
  parts_->renderer->RemoveActor(parts_->negative.actor);
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
    // Lines and points let one see through as they are.
    property.SetOpacity(style == SurfaceStyle::smooth ? opacity : 1.0);
  };
  apply(*parts_->positive.actor->GetProperty(), positive);
  apply(*parts_->negative.actor->GetProperty(), negative);
}

void SurfaceProp::set_visible(bool visible) {
  parts_->visible = visible;
  parts_->show();
}

bool SurfaceProp::visible() const {
  return parts_->visible && !(parts_->lobes.positive.empty() && parts_->lobes.negative.empty());
}

void SurfaceProp::set_pixel_scale(double scale) {
  for (Lobe* lobe : {&parts_->positive, &parts_->negative}) {
    lobe->actor->GetProperty()->SetLineWidth(static_cast<float>(line_width * scale));
    lobe->actor->GetProperty()->SetPointSize(static_cast<float>(point_size * scale));
  }
}

}  // namespace isolume::scene
