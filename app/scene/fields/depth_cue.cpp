#include "app/scene/fields/depth_cue.h"

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include <vtkActor.h>
#include <vtkActorCollection.h>
#include <vtkBoundingBox.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>
#include <vtkUniforms.h>
#include <vtkWeakPointer.h>

#include "app/scene/drawing/shader_file.h"

namespace isolume::scene {

struct DepthCue::Parts {
  vtkRenderer* renderer = nullptr;
  vtkNew<vtkCallbackCommand> before_frame;
  std::vector<vtkWeakPointer<vtkActor>> cued;  ///< actors with the shader
  double amount = 0;
  Rgb background{};

  void take_new_actors();
  void prepare_frame();
};

void DepthCue::Parts::take_new_actors() {
  std::erase_if(cued, [](const vtkActor* gone) { return gone == nullptr; });
  auto* actors = renderer->GetActors();
  vtkCollectionSimpleIterator place;
  actors->InitTraversal(place);
  while (auto* actor = actors->GetNextActor(place)) {
    const bool known = std::ranges::any_of(cued, [&](const vtkActor* each) { return each == actor; });
    if (known || !actor->GetProperty()->GetLighting()) continue;
    use_shaders(*actor->GetShaderProperty(), "depth_cue");
    cued.emplace_back(actor);
  }
}

void DepthCue::Parts::prepare_frame() {
  if (amount > 0) take_new_actors();
  if (cued.empty()) return;
  float nearest = 0, over = 1;
  const vtkBoundingBox seen(renderer->ComputeVisiblePropBounds());
  if (seen.IsValid()) {
    auto* to_eye = renderer->GetActiveCamera()->GetViewTransformMatrix();
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int corner = 0; corner < 8; ++corner) {
      std::array<double, 4> place{0, 0, 0, 1};
      seen.GetCorner(corner, place.data());
      const double depth = -to_eye->MultiplyDoublePoint(place.data())[2];
      least = std::min(least, depth);
      most = std::max(most, depth);
    }
    nearest = static_cast<float>(least);
    over = static_cast<float>(most - least);
  }
  const std::array<float, 3> colour{static_cast<float>(background[0]), static_cast<float>(background[1]),
                                    static_cast<float>(background[2])};
  for (vtkActor* actor : cued) {
    if (actor == nullptr) continue;
    auto& uniforms = *actor->GetShaderProperty()->GetFragmentCustomUniforms();
    uniforms.SetUniformf("depthCueFrom", nearest);
    uniforms.SetUniformf("depthCueOver", over);
    uniforms.SetUniformf("depthCueAmount", static_cast<float>(amount));
    uniforms.SetUniform3f("depthCueColour", colour.data());
  }
}

DepthCue::DepthCue(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  parts_->renderer = &renderer;
  parts_->before_frame->SetClientData(parts_.get());
  parts_->before_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->prepare_frame(); });
  renderer.AddObserver(vtkCommand::StartEvent, parts_->before_frame);
}

DepthCue::~DepthCue() {
  parts_->renderer->RemoveObserver(parts_->before_frame);
}

void DepthCue::set(double amount, const Rgb& background) {
  parts_->amount = amount;
  parts_->background = background;
}

}  // namespace isolume::scene
