#include "app/labs/nbody/body_names.h"

#include <algorithm>
#include <array>
#include <utility>

#include <Eigen/Geometry>
#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/scene/text_style.h"

namespace isolume::labs::nbody {

std::vector<NameBox> arranged_names(const std::vector<SpotOnPicture>& spots) {
  using Box = Eigen::AlignedBox2d;
  std::vector<Box> discs, taken;
  for (const SpotOnPicture& each : spots) {
    const Eigen::Vector2d middle(each.x, each.y), half = Eigen::Vector2d::Constant(0.7 * each.radius);
    discs.push_back(each.visible ? Box(middle - half, middle + half) : Box());
  }
  std::vector<NameBox> shown;
  for (std::size_t i = 0; i < spots.size(); ++i) {
    const SpotOnPicture& spot = spots[i];
    if (!spot.visible) continue;
    const double gap = spot.radius + 0.25 * spot.height;
    const std::array corners{Eigen::Vector2d(spot.x + gap, spot.y - spot.height / 2),
                             Eigen::Vector2d(spot.x - gap - spot.width, spot.y - spot.height / 2),
                             Eigen::Vector2d(spot.x - spot.width / 2, spot.y + gap),
                             Eigen::Vector2d(spot.x - spot.width / 2, spot.y - gap - spot.height)};
    for (const Eigen::Vector2d& corner : corners) {
      const Box box(corner, corner + Eigen::Vector2d(spot.width, spot.height));
      const auto covers = [&](const Box& other) { return box.intersects(other); };
      bool free = std::ranges::none_of(taken, covers);
      for (std::size_t k = 0; free && k < discs.size(); ++k) free = k == i || !covers(discs[k]);
      if (!free) continue;
      taken.push_back(box);
      shown.push_back({i, corner.x(), corner.y(), spot.width, spot.height});
      break;
    }
  }
  return shown;
}

struct BodyNames::Parts {
  vtkRenderer& renderer;
  std::vector<PlacedName> names;
  std::vector<vtkSmartPointer<vtkTextActor>> texts;
};

BodyNames::BodyNames(vtkRenderer& renderer) : parts_(new Parts{renderer, {}, {}}) {}

BodyNames::~BodyNames() {
  for (const auto& each : parts_->texts) parts_->renderer.RemoveViewProp(each);
}

void BodyNames::set(std::vector<PlacedName> names) {
  constexpr double points = 12;
  constexpr scene::Rgb pale{0.82, 0.88, 1};
  auto& [renderer, now, texts] = *parts_;
  std::ranges::stable_sort(names, std::greater(), &PlacedName::radius);
  now = std::move(names);
  while (texts.size() < now.size()) {
    auto text = vtkSmartPointer<vtkTextActor>::New();
    scene::use_scene_font(*text->GetTextProperty(), points, pale);
    text->GetTextProperty()->SetVerticalJustificationToBottom();
    renderer.AddViewProp(text);
    texts.push_back(text);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (i < now.size()) {
      texts[i]->SetInput(scene::displayable(now[i].name).c_str());
    } else {
      texts[i]->VisibilityOff();
    }
  }
}

void BodyNames::update(double pixel_scale) {
  auto& [renderer, names, texts] = *parts_;
  if (names.empty()) return;
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
  std::vector<SpotOnPicture> spots;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto [middle, visible] = at(names[i].place);
    const auto [rim, ignored] = at(names[i].place + names[i].radius * up.normalized());
    std::array<double, 2> extent{};
    texts[i]->GetSize(&renderer, extent.data());
    spots.push_back({middle.x(), middle.y(),
                     std::max((names[i].ringed ? ring : dot) * pixel_scale, (rim - middle).norm()), extent[0],
                     extent[1], visible});
  }
  for (const auto& each : texts) each->VisibilityOff();
  for (const NameBox& each : arranged_names(spots)) {
    texts[each.number]->VisibilityOn();
    texts[each.number]->SetDisplayPosition(static_cast<int>(each.left), static_cast<int>(each.bottom));
  }
}

}  // namespace isolume::labs::nbody
