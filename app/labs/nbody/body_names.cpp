#include "app/labs/nbody/body_names.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <utility>

#include <Eigen/Geometry>
#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/pictures/label_layout.h"
#include "app/scene/drawing/overlays.h"
#include "app/scene/drawing/text_style.h"

namespace isolume::labs::nbody {

struct BodyNames::Parts {
  vtkRenderer& renderer;
  std::vector<PlacedName> names;
  std::vector<vtkSmartPointer<vtkTextActor>> texts;
  std::map<std::string, int> sides;  ///< of names in the last frame
};

BodyNames::BodyNames(vtkRenderer& renderer) : parts_(new Parts{renderer, {}, {}, {}}) {}

BodyNames::~BodyNames() {
  for (const auto& each : parts_->texts) parts_->renderer.RemoveViewProp(each);
}

void BodyNames::set(std::vector<PlacedName> names) {
  constexpr double points = 12;
  constexpr scene::Rgb pale{0.82, 0.88, 1};
  auto& [renderer, now, texts, sides] = *parts_;
  std::ranges::stable_sort(names, std::greater(),
                           [](const PlacedName& each) { return std::pair(each.ringed, each.radius); });
  now = std::move(names);
  while (texts.size() < now.size()) {
    auto text = vtkSmartPointer<vtkTextActor>::New();
    scene::use_scene_font(*text->GetTextProperty(), points, pale);
    text->GetTextProperty()->SetVerticalJustificationToBottom();
    text->SetLayerNumber(scene::label_layer);
    renderer.AddViewProp(text);
    texts.push_back(text);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    texts[i]->SetVisibility(i < now.size());
    if (i < now.size()) texts[i]->SetInput(scene::displayable(now[i].name).c_str());
  }
}

void BodyNames::update(double pixel_scale) {
  auto& [renderer, names, texts, sides] = *parts_;
  // Hidden while a large picture's objects in space are drawn part by part: the camera sees a part alone.
  if (names.empty() || !texts.front()->GetVisibility()) return;
  const int* size = renderer.GetSize();
  const double aspect = static_cast<double>(size[0]) / std::max(1, size[1]);
  auto* camera = renderer.GetActiveCamera();
  const Eigen::Matrix4d onto_picture = Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(
      camera->GetCompositeProjectionTransformMatrix(aspect, -1, 1)->GetData());
  Eigen::Vector3d up;
  camera->GetViewUp(up.data());
  const auto at = [&](const Eigen::Vector3d& place) -> std::pair<Eigen::Vector2d, bool> {
    const Eigen::Vector4d there = onto_picture * place.homogeneous();
    const Eigen::Vector2d part = there.head<2>() / there.w();
    return {(part.array() + 1) / 2 * Eigen::Array2d(size[0], size[1]), there.w() > 0};
  };
  constexpr double dot = 4, ring = 13;  // points
  std::vector<pictures::SpotOnPicture> spots;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [middle, visible] = at(names[i].place);
    const auto [rim, ignored] = at(names[i].place + names[i].radius * up.normalized());
    std::array<double, 2> extent{};
    texts[i]->GetSize(&renderer, extent.data());
    const auto side = sides.find(names[i].name);
    spots.push_back({middle.x(), middle.y(),
                     std::max((names[i].ringed ? ring : dot) * pixel_scale, (rim - middle).norm()), extent[0],
                     extent[1], visible, side == sides.end() ? 0 : side->second});
  }
  // What is visible belongs to whoever draws large pictures part by part.
  constexpr int beside_the_picture = -100'000;
  for (const auto& each : texts) each->SetDisplayPosition(beside_the_picture, beside_the_picture);
  for (const pictures::NameBox& each :
       pictures::arranged_names(spots, scene::picture_of(renderer), scene::overlays_of(renderer))) {
    texts[each.number]->SetDisplayPosition(static_cast<int>(each.left), static_cast<int>(each.bottom));
    sides[names[each.number].name] = each.side;
  }
}

void BodyNames::start_like(const BodyNames& other) {
  parts_->sides = other.parts_->sides;
}

}  // namespace isolume::labs::nbody
