#include "app/scene/props/label_prop.h"

#include <algorithm>
#include <cmath>
#include <map>
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

#include "app/scene/drawing/overlays.h"

namespace isolume::scene {

/// A text actor each: VTK's mapper of labels puts all of them into each tile of a large picture.
struct LabelProp::Parts {
  Parts(vtkRenderer& target, double size, int number) : renderer(&target), points(size), layer(number) {
    start_of_frame->SetClientData(this);
    start_of_frame->SetCallback(
        [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->place_texts(); });
    // After overlays and labels of lower layers, which they must not cover.
    renderer->AddObserver(vtkCommand::StartEvent, start_of_frame, -static_cast<float>(layer));
  }
  ~Parts() {
    renderer->RemoveObserver(start_of_frame);
    clear();
  }

  void clear() {
    for (const auto& text : texts) renderer->RemoveViewProp(text);
    texts.clear();
  }
  Eigen::Vector2d seen(const Eigen::Vector3d& place) const {
    renderer->SetWorldPoint(place.x(), place.y(), place.z(), 1);
    renderer->WorldToDisplay();
    return Eigen::Vector2d(renderer->GetDisplayPoint());
  }
  /// Whether the box, centred at the place, ends before the end of its room, of which a line of text may take twice as
  /// much sideways.
  bool has_room(std::size_t label, const PictureBox& box) const {
    if (rooms[label].isZero()) return true;
    const Eigen::Vector2d room = seen(places[label] + rooms[label]) - seen(places[label]);
    constexpr double filled = 0.9;
    const Eigen::Vector2d half(box.sizes().x() / 4, box.sizes().y() / 2);
    return room.cwiseAbs().normalized().dot(half) < filled * room.norm();
  }
  /// Puts them where the camera sees the places. Nearer ones have the choice; those that would cover others, an overlay or
  /// the picture's edge, or are behind the camera, are left out.
  void place_texts() {
    if (!visible) return;
    constexpr double edge_on = 0.3;  // cosine between the line of sight and the normal
    auto& camera = *renderer->GetActiveCamera();
    const Eigen::Vector3d eye(camera.GetPosition()), direction(camera.GetDirectionOfProjection());
    constexpr int outside = 100'000;
    const double alike = 1e-6 * camera.GetDistance();  // up to rounding
    const bool seen_flat = !normal || std::abs(normal->dot(direction)) > edge_on;
    std::vector<std::pair<double, std::size_t>> nearest_first;
    for (std::size_t i = 0; i < texts.size(); ++i) {
      const double away = (places[i] - eye).dot(direction);
      const bool behind = camera.GetParallelProjection() == 0 && away <= 0;
      // Not made invisible: what is visible belongs to whoever draws large pictures part by part.
      texts[i]->SetDisplayPosition(-outside, -outside);
      if (!behind && seen_flat && !(hidden && hidden(places[i])))
        nearest_first.emplace_back(std::round(away / alike), i);
    }
    std::ranges::sort(nearest_first);
    std::vector<PictureBox> boxes;
    std::vector<Eigen::Vector2i> positions;
    // Neighbours do not read as one word: "H" next to "SG".
    constexpr double gap_points = 4;
    const Eigen::Vector2d half_gap(gap_points / 2 * renderer->GetRenderWindow()->GetDPI() / 72.0, 0);
    for (const auto& [away, i] : nearest_first) {
      const Eigen::Vector2d at = seen(places[i]);
      positions.push_back(at.array().round().cast<int>());
      boxes.push_back(box_of(*texts[i], *renderer));
      boxes.back().translate(positions.back().cast<double>() -
                             Eigen::Vector2d(texts[i]->GetPositionCoordinate()->GetValue()));
      if (!has_room(i, boxes.back())) boxes.back().translate(Eigen::Vector2d::Constant(-outside));
      boxes.back() = PictureBox(boxes.back().min() - half_gap, boxes.back().max() + half_gap);
    }
    const auto shown = pictures::texts_with_room(boxes, picture_of(*renderer), overlays_of(*renderer, layer));
    for (std::size_t k = 0; k < shown.size(); ++k)
      if (shown[k]) texts[nearest_first[k].second]->SetDisplayPosition(positions[k].x(), positions[k].y());
  }

  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkCallbackCommand> start_of_frame;
  vtkNew<vtkTextProperty> look;
  std::optional<Eigen::Vector3d> normal;
  std::function<bool(const Eigen::Vector3d&)> hidden;
  const double points;
  const int layer;
  std::vector<Eigen::Vector3d> places, rooms;
  std::vector<vtkSmartPointer<vtkTextActor>> texts;
  bool visible = false;
};

LabelProp::LabelProp(vtkRenderer& renderer, double points, int layer)
    : parts_(std::make_unique<Parts>(renderer, points, layer)) {}

LabelProp::~LabelProp() = default;

void LabelProp::set(const std::vector<Label>& labels) {
  auto& p = *parts_;
  p.places.clear();
  p.rooms.clear();
  // Drawing a text takes far longer than moving one: labels that stay or move keep theirs.
  std::multimap<std::string, vtkSmartPointer<vtkTextActor>> former;
  for (auto& text : p.texts) former.emplace(text->GetInput(), std::move(text));
  p.texts.clear();
  for (const auto& [place, text, room] : labels) {
    p.places.push_back(place);
    p.rooms.push_back(room);
    const std::string shown = displayable(text);
    if (auto same = former.extract(shown); !same.empty()) {
      p.texts.push_back(std::move(same.mapped()));
      continue;
    }
    const auto& added = p.texts.emplace_back(vtkSmartPointer<vtkTextActor>::New());
    added->SetInput(shown.c_str());
    added->SetTextProperty(p.look);
    added->SetVisibility(p.visible);
    added->SetLayerNumber(p.layer);
    p.renderer->AddViewProp(added);
  }
  for (const auto& [text, actor] : former) p.renderer->RemoveViewProp(actor);
}

void LabelProp::set_plane(const Eigen::Vector3d& normal,
                          std::function<bool(const Eigen::Vector3d& place)> hidden) {
  parts_->normal = normal;
  parts_->hidden = std::move(hidden);
}

void LabelProp::set_visible(bool visible) {
  parts_->visible = visible;
  for (const auto& text : parts_->texts) text->SetVisibility(visible);
}

void LabelProp::set_text_colour(const Rgb& colour) {
  auto& look = *parts_->look;
  use_scene_font(look, parts_->points, colour);
  look.SetJustificationToCentered();
  look.SetVerticalJustificationToCentered();
  const double behind = luminance(colour) > 0.5 ? 0 : 1;
  look.SetBackgroundColor(behind, behind, behind);
  look.SetBackgroundOpacity(0.6);  // readable before any element's or surface's colour
}

}  // namespace isolume::scene
