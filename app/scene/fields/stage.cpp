#include "app/scene/fields/stage.h"

#include <vtkLight.h>
#include <vtkNew.h>
#include <vtkRenderer.h>

namespace isolume::scene {

void set_stage(vtkRenderer& renderer) {
  struct CameraLight {
    double x, y, z, intensity;
  };
  renderer.RemoveAllLights();
  for (const auto& each :
       {CameraLight{-0.6, 0.9, 1.0, 0.8}, CameraLight{0.9, -0.1, 0.8, 0.35}, CameraLight{0, 0, 1, 0.3}}) {
    vtkNew<vtkLight> light;
    light->SetLightTypeToCameraLight();
    light->SetPosition(each.x, each.y, each.z);
    light->SetFocalPoint(0, 0, 0);
    light->SetIntensity(each.intensity);
    renderer.AddLight(light);
  }
  renderer.SetUseDepthPeeling(true);
  renderer.SetMaximumNumberOfPeels(8);
  renderer.SetOcclusionRatio(0);
}

Rgb background_colour(bool dark) {
  return colour_of(dark ? "#1c1f24" : "#ffffff");
}

Rgb text_colour_on(const Rgb& background) {
  return luminance(background) > 0.3 ? Rgb{0.1, 0.1, 0.12} : Rgb{0.93, 0.93, 0.95};
}

}  // namespace isolume::scene
