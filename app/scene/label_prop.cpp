#include "app/scene/label_prop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

namespace isolume::scene {

/// A text actor each: VTK's mapper of labels puts all of them into each tile of a large picture.
struct LabelProp::Parts {
  explicit Parts(vtkRenderer& target) : renderer(&target) {
    start_of_frame->SetClientData(this);
    start_of_frame->SetCallback(
        [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->place_texts(); });
    renderer->AddObserver(vtkCommand::StartEvent, start_of_frame);
  }
  ~Parts() {
    renderer->RemoveObserver(start_of_frame);
    clear();
  }

  void clear() {
    for (const auto& text : texts) renderer->RemoveViewProp(text);
    texts.clear();
  }
  /// Where the camera sees the places, nearer ones before those behind them; what is behind the camera is not seen.
  void place_texts() {
    auto& camera = *renderer->GetActiveCamera();
    const Eigen::Vector3d eye(camera.GetPosition()), direction(camera.GetDirectionOfProjection());
    std::vector<std::pair<double, std::size_t>> farthest_first;
    for (std::size_t i = 0; i < texts.size(); ++i)
      farthest_first.emplace_back((eye - places[i]).dot(direction), i);
    std::ranges::sort(farthest_first);
    int layer = 0;
    for (const auto& [toward, i] : farthest_first) {
      constexpr int beside_the_picture = -100'000;
      const bool behind = camera.GetParallelProjection() == 0 && toward >= 0;
      renderer->SetWorldPoint(places[i].x(), places[i].y(), places[i].z(), 1);
      renderer->WorldToDisplay();
      const double* at = renderer->GetDisplayPoint();
      const auto pixel = [&](double value) {
        return behind ? beside_the_picture : static_cast<int>(std::lround(value));
      };
      texts[i]->SetDisplayPosition(pixel(at[0]), pixel(at[1]));
      texts[i]->SetLayerNumber(++layer);
    }
  }

  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkCallbackCommand> start_of_frame;
  vtkNew<vtkTextProperty> look;
  std::vector<Eigen::Vector3d> places;
  std::vector<vtkSmartPointer<vtkTextActor>> texts;
  bool visible = false;
};

LabelProp::LabelProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {}

LabelProp::~LabelProp() = default;

void LabelProp::set(const std::vector<Label>& labels) {
  auto& p = *parts_;
  p.clear();
  p.places.clear();
  for (const auto& [place, text] : labels) {
    p.places.push_back(place);
    const auto& added = p.texts.emplace_back(vtkSmartPointer<vtkTextActor>::New());
    added->SetInput(displayable(text).c_str());
    added->SetTextProperty(p.look);
    added->SetVisibility(p.visible);
    p.renderer->AddViewProp(added);
  }
}

void LabelProp::set_visible(bool visible) {
  parts_->visible = visible;
  for (const auto& text : parts_->texts) text->SetVisibility(visible);
}

void LabelProp::set_text_colour(const Rgb& colour) {
  auto& look = *parts_->look;
  use_scene_font(look, 13, colour);
  look.SetJustificationToCentered();
  look.SetVerticalJustificationToCentered();
  const double behind = luminance(colour) > 0.5 ? 0 : 1;
  look.SetBackgroundColor(behind, behind, behind);
  look.SetBackgroundOpacity(0.6);  // readable before any element's or surface's colour
}

}  // namespace isolume::scene
