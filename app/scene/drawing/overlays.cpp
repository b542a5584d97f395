#include "app/scene/drawing/overlays.h"

#include <array>

#include <vtkActor2D.h>
#include <vtkMapper2D.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkPropCollection.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>

namespace isolume::scene {

PictureBox picture_of(vtkRenderer& renderer) {
  const int* size = renderer.GetSize();
  return {Eigen::Vector2d::Zero(), Eigen::Vector2d(size[0], size[1])};
}

PictureBox box_of(vtkTextActor& text, vtkRenderer& renderer) {
  std::array<double, 4> box{};  // relative to the position
  text.GetBoundingBox(&renderer, box.data());
  const Eigen::Vector2d position(text.GetPositionCoordinate()->GetValue());
  return {position + Eigen::Vector2d(box[0], box[2]), position + Eigen::Vector2d(box[1], box[3])};
}

std::vector<PictureBox> overlays_of(vtkRenderer& renderer, int layer) {
  const PictureBox picture = picture_of(renderer);
  std::vector<PictureBox> boxes;
  vtkCollectionSimpleIterator place;
  renderer.GetViewProps()->InitTraversal(place);
  while (auto* prop = renderer.GetViewProps()->GetNextProp(place)) {
    auto* overlay = vtkActor2D::SafeDownCast(prop);
    if (overlay == nullptr || !overlay->GetVisibility() || overlay->GetLayerNumber() >= layer) continue;
    if (auto* text = vtkTextActor::SafeDownCast(prop)) {
      if (text->GetInput() != nullptr && *text->GetInput() != '\0') boxes.push_back(box_of(*text, renderer));
    } else if (auto* mapper = vtkPolyDataMapper2D::SafeDownCast(overlay->GetMapper())) {
      vtkPolyData* shape = mapper->GetInput();
      if (shape == nullptr || shape->GetNumberOfPoints() == 0) continue;
      std::array<double, 6> bounds{};
      shape->GetBounds(bounds.data());
      PictureBox box(Eigen::Vector2d(bounds[0], bounds[2]), Eigen::Vector2d(bounds[1], bounds[3]));
      // Between a colour bar and the nearer side of the picture are its labels, with gaps.
      if (box.sizes().y() > box.sizes().x())
        box.extend(Eigen::Vector2d(2 * box.center().x() > picture.max().x() ? picture.max().x() : 0,
                                   box.center().y()));
      boxes.push_back(box);
    }
  }
  return boxes;
}

}  // namespace isolume::scene
