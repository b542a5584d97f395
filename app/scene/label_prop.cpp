#include "app/scene/label_prop.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/scene/overlays.h"

namespace isolume::scene {

/// A text actor each: VTK's mapper of labels puts all of them into each tile of a large picture.
struct LabelProp::Parts {
  explicit Parts(vtkRenderer& target) : renderer(&target) {
    start_of_frame->SetClientData(this);
    start_of_frame->SetCallback(
        [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->place_texts(); });
    constexpr float after_overlays = -1;  // which they must not cover
    renderer->AddObserver(vtkCommand::StartEvent, start_of_frame, after_overlays);
  }
  ~Parts() {
    renderer->RemoveObserver(start_of_frame);
    clear();
  }

  void clear() {
    for (const auto& text : texts) renderer->RemoveViewProp(text);
    texts.clear();
  }
  /// Puts them where the camera sees the places. Nearer ones have the choice; those that would cover others, an overlay or
  /// the picture's edge, or are behind the camera, are left out.
  void place_texts() {
    if (!visible) return;
    auto& camera = *renderer->GetActiveCamera();
    const Eigen::Vector3d eye(camera.GetPosition()), direction(camera.GetDirectionOfProjection());
    std::vector<std::pair<double, std::size_t>> nearest_first;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const double away = (places[i] - eye).dot(direction);
      const bool behind = camera.GetParallelProjection() == 0 && away <= 0;
      // Not made invisible: what is visible belongs to whoever draws large pictures part by part.
      constexpr int beside_the_picture = -100'000;
      texts[i]->SetDisplayPosition(beside_the_picture, beside_the_picture);
      if (!behind) nearest_first.emplace_back(away, i);
    }
    std::ranges::sort(nearest_first);
    std::vector<PictureBox> boxes;
    std::vector<Eigen::Vector2i> positions;
    // Neighbours do not read as one word: "H" next to "SG".
    constexpr double gap_points = 4;
    const Eigen::Vector2d half_gap(gap_points / 2 * renderer->GetRenderWindow()->GetDPI() / 72.0, 0);
    for (const auto& [away, i] : nearest_first) {
      renderer->SetWorldPoint(places[i].x(), places[i].y(), places[i].z(), 1);
      renderer->WorldToDisplay();
      const Eigen::Vector2d at(renderer->GetDisplayPoint());
      positions.push_back(at.array().round().cast<int>());
      boxes.push_back(box_of(*texts[i], *renderer));
      boxes.back().translate(positions.back().cast<double>() -
                             Eigen::Vector2d(texts[i]->GetPositionCoordinate()->GetValue()));
      boxes.back() = PictureBox(boxes.back().min() - half_gap, boxes.back().max() + half_gap);
    }
    const auto shown = pictures::texts_with_room(boxes, picture_of(*renderer), overlays_of(*renderer));
    for (std::size_t k = 0; k < shown.size(); ++k)
      if (shown[k]) texts[nearest_first[k].second]->SetDisplayPosition(positions[k].x(), positions[k].y());
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
    added->SetLayerNumber(label_layer);
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
