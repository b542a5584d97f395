// Names and labels of a picture: none is drawn over another one, over a bar or over a body.
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkGenericOpenGLRenderWindow.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPropCollection.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>

#include "app/pictures/label_layout.h"
#include "app/scene/drawing/overlays.h"
#include "app/scene/fields/annotations.h"
#include "app/scene/fields/colour_bar.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/files/image.h"
#include "app/scene/props/label_prop.h"
#include "app/scene/props/measure_mark.h"

namespace isolume {
namespace {

using pictures::arranged_names;
using pictures::NameBox;
using pictures::PictureBox;
using pictures::SpotOnPicture;

const PictureBox picture(Eigen::Vector2d(0, 0), Eigen::Vector2d(400, 300));

SpotOnPicture spot(double x, double y) {
  return {.x = x, .y = y, .radius = 4, .width = 60, .height = 16, .visible = true};
}

PictureBox box_of(const NameBox& name) {
  const Eigen::Vector2d corner(name.left, name.bottom);
  return {corner, corner + Eigen::Vector2d(name.width, name.height)};
}

/// From wherever one looks, and above all along an axis or halfway between two.
TEST(LettersOfAxes, AreApart) {
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;  // gives the picture's size; nothing is drawn
  window->SetSize(400, 300);
  window->AddRenderer(renderer);
  scene::Annotations annotations(*renderer, {{"x", "y", "z"}, "\u00c5"});
  std::vector<vtkTextActor*> letters;
  auto* props = renderer->GetViewProps();
  props->InitTraversal();
  while (vtkProp* prop = props->GetNextProp()) {
    auto* text = vtkTextActor::SafeDownCast(prop);
    const std::string shown = text != nullptr && text->GetInput() != nullptr ? text->GetInput() : "";
    if (shown == "x" || shown == "y" || shown == "z") letters.push_back(text);
  }
  ASSERT_EQ(letters.size(), 3U);
  for (int i = 0; i < 500; ++i) {
    const double turn = 0.05 * i, height = std::sin(0.13 * i);
    vtkCamera& camera = *renderer->GetActiveCamera();
    camera.SetFocalPoint(0, 0, 0);
    camera.SetPosition(10 * std::cos(turn), 10 * std::sin(turn), 10 * height);
    camera.SetViewUp(0.3 * std::cos(3 * turn), 0.3 * std::sin(3 * turn), 1);
    annotations.update(1);
    for (std::size_t a = 0; a < 3; ++a) {
      for (std::size_t b = 0; b < a; ++b) {
        const Eigen::Vector2d one(letters[a]->GetPosition()), other(letters[b]->GetPosition());
        ASSERT_GT((one - other).norm(), 12) << letters[a]->GetInput() << letters[b]->GetInput() << ", " << i;
      }
    }
  }
}

TEST(NamesOfBodies, AreWhereNothingIsCovered) {
  const auto alone = arranged_names(std::vector{spot(100, 100)}, picture);
  ASSERT_EQ(alone.size(), 1U);
  EXPECT_NEAR(alone[0].left, 108, 1e-9);
  EXPECT_NEAR(alone[0].bottom, 92, 1e-9);
  SpotOnPicture unseen = spot(100, 100);
  unseen.visible = false;
  EXPECT_TRUE(arranged_names(std::vector{unseen}, picture).empty());
  // A crowd: whatever is shown overlaps neither another name nor another body.
  std::vector<SpotOnPicture> crowd;
  for (int i = 0; i < 30; ++i)
    crowd.push_back(spot(150 + 60 * std::sin(7.0 * i), 150 + 60 * std::cos(5.0 * i)));
  const auto shown = arranged_names(crowd, picture);
  EXPECT_GT(shown.size(), 3U);
  EXPECT_LT(shown.size(), 30U);
  EXPECT_EQ(shown[0].number, 0U) << "the first one has the choice";
  for (const NameBox& each : shown) {
    for (const NameBox& other : shown)
      EXPECT_TRUE(other.number == each.number || !box_of(each).intersects(box_of(other)));
    for (std::size_t i = 0; i < crowd.size(); ++i)
      EXPECT_FALSE(box_of(each).contains(Eigen::Vector2d(crowd[i].x, crowd[i].y))) << i;
  }
}

TEST(NamesOfBodies, StayApart) {
  // Side by side they would read as one word; the second one moves to another side, or is left out.
  for (double x = 160; x < 190; ++x) {
    const auto shown = arranged_names(std::vector{spot(100, 100), spot(x, 100)}, picture);
    for (std::size_t i = 1; i < shown.size(); ++i) {
      const PictureBox first = box_of(shown[0]), second = box_of(shown[i]);
      const double apart = second.min().x() - first.max().x();
      EXPECT_TRUE(apart >= 8 || second.min().y() >= first.max().y() || second.max().y() <= first.min().y() ||
                  second.max().x() < first.min().x())
          << x << ": " << apart;
    }
  }
}

TEST(NamesOfBodies, LeaveBarsAndTheEdgeOfThePictureFree) {
  const std::vector<PictureBox> bar{PictureBox(Eigen::Vector2d(130, 0), Eigen::Vector2d(200, 300))};
  EXPECT_EQ(arranged_names(std::vector{spot(100, 100)}, picture, bar).at(0).side, 1) << "on the left";
  EXPECT_EQ(arranged_names(std::vector{spot(380, 100)}, picture).at(0).side, 1) << "not beyond the edge";
  const std::vector<PictureBox> all{picture};
  EXPECT_TRUE(arranged_names(std::vector{spot(100, 100)}, picture, all).empty());
}

/// A body that passes moves a name to another side once, and it stays there.
TEST(NamesOfBodies, KeepTheirSide) {
  SpotOnPicture resting = spot(200, 150);
  std::vector<int> sides;
  for (int step = 0; step <= 100; ++step) {
    const auto names = arranged_names(std::vector{resting, spot(230, 50 + 2.0 * step)}, picture);
    ASSERT_EQ(names.at(0).number, 0U);
    resting.side = names[0].side;
    if (sides.empty() || sides.back() != resting.side) sides.push_back(resting.side);
  }
  EXPECT_EQ(sides, (std::vector{0, 1}));
}

/// Labels 0.1 apart in a view 2 high, in layers that are farther and farther away.
TEST(LabelsOfAtoms, CoverNeitherEachOtherNorTheColourBar) {
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->SetReadyForRendering(false);
  window->SetSize(640, 480);
  window->AddRenderer(renderer);
  auto& camera = *renderer->GetActiveCamera();
  camera.SetParallelProjection(1);
  camera.SetPosition(0, 0, 10);
  camera.SetFocalPoint(0, 0, 0);
  camera.SetParallelScale(1);
  scene::ColourBar bar(*renderer);
  const auto colours = scene::sequential_map(1);
  bar.set_colour({1, 1, 1});
  bar.set_meaning(*colours, "Potential", "kT/e");
  bar.set_visible(true);
  bar.update(1);
  std::vector<scene::Label> all;
  for (int layer = 0; layer < 3; ++layer)
    for (int row = -10; row <= 10; ++row)
      for (int column = -13; column <= 13; ++column)
        all.push_back({{0.1 * column, 0.1 * row, -1.0 * layer}, layer == 0 ? "C12" : "H34"});
  scene::LabelProp labels(*renderer);
  labels.set(all);
  labels.set_text_colour({1, 1, 1});
  labels.set_visible(true);
  renderer->InvokeEvent(vtkCommand::StartEvent);
  const auto overlays = scene::overlays_of(*renderer);
  EXPECT_GE(overlays.size(), 7U) << "a bar, its title and five numbers";
  std::vector<PictureBox> shown;
  int nearest = 0;
  vtkCollectionSimpleIterator place;
  renderer->GetViewProps()->InitTraversal(place);
  while (auto* prop = renderer->GetViewProps()->GetNextProp(place)) {
    auto* text = vtkTextActor::SafeDownCast(prop);
    if (text == nullptr || text->GetLayerNumber() < scene::label_layer) continue;
    const PictureBox box = scene::box_of(*text, *renderer);
    if (!scene::picture_of(*renderer).intersects(box)) continue;
    EXPECT_TRUE(scene::picture_of(*renderer).contains(box));
    for (const PictureBox& other : overlays) EXPECT_FALSE(box.intersects(other));
    const Eigen::Vector2d gap(2, 0);  // or two names in a row would read as one
    for (const PictureBox& other : shown)
      EXPECT_FALSE(box.intersects(PictureBox(other.min() - gap, other.max() + gap)));
    shown.push_back(box);
    nearest += std::string(text->GetInput()) == "C12";
  }
  EXPECT_GT(shown.size(), 50U);
  EXPECT_LT(shown.size(), 400U);
  EXPECT_GT(nearest, 0.8 * static_cast<double>(shown.size())) << "the nearer ones have the choice";
}

TEST(LabelsOfAtoms, AreNotCrossedByTheRingsOfMeasuredAtoms) {
  constexpr int width = 200, height = 150;
  vtkNew<vtkRenderer> renderer;
  vtkNew<vtkGenericOpenGLRenderWindow> window;
  window->SetReadyForRendering(false);
  window->SetSize(width, height);
  window->AddRenderer(renderer);
  renderer->SetBackground(1, 1, 1);
  renderer->GetActiveCamera()->SetPosition(0, 0, 10);
  scene::MeasureMark mark(*renderer);
  mark.set({{0, 0, 0}}, "");
  mark.set_colour({0, 0, 0});
  vtkNew<vtkCallbackCommand> before_frame;  // in which overlays have the size of the picture that is drawn
  before_frame->SetClientData(&mark);
  before_frame->SetCallback([](vtkObject* drawn, unsigned long, void* drawn_mark, void*) {
    const double scale = vtkRenderer::SafeDownCast(drawn)->GetRenderWindow()->GetDPI() / 72.0;
    static_cast<scene::MeasureMark*>(drawn_mark)->update(2 * scale);
  });
  renderer->AddObserver(vtkCommand::StartEvent, before_frame);
  scene::LabelProp labels(*renderer);
  labels.set({{{0, 0, 0}, "HHHHHHHH"}});
  labels.set_text_colour({0, 0, 0});
  labels.set_visible(true);
  mark.lower();
  const auto image = scene::render_offscreen(*renderer, {.width = width, .height = height});
  const auto marked = [&](int across, int up) {  // within so many pixels of the middle
    int count = 0;
    for (int y = height / 2 - up; y <= height / 2 + up; ++y) {
      for (int x = width / 2 - across; x <= width / 2 + across; ++x) {
        const auto* pixel = static_cast<const std::uint8_t*>(image->GetScalarPointer(x, y, 0));
        count += pixel[0] > pixel[2] + 60;
      }
    }
    return count;
  };
  EXPECT_EQ(marked(26, 3), 0) << "the label";
  EXPECT_GT(marked(26, 26), 40) << "the ring above and below it";
  window->RemoveRenderer(renderer);
}

}  // namespace
}  // namespace isolume
