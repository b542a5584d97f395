#include "app/scene/colour_bar.h"

#include <algorithm>
#include <string>

#include <fmt/format.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkProperty2D.h>
#include <vtkRenderer.h>
#include <vtkScalarBarActor.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

namespace isolume::scene {
namespace {

constexpr double font_points = 13;

}  // namespace

struct ColourBar::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkScalarBarActor> bar;
  vtkNew<vtkTextActor> title;
};

ColourBar::ColourBar(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.bar->SetOrientationToVertical();
  p.bar->SetNumberOfLabels(5);
  p.bar->SetLabelFormat("%-#.3g");
  p.bar->UnconstrainedFontSizeOn();
  p.bar->SetBarRatio(0.25);
  p.bar->SetTextPad(4);
  p.title->GetPositionCoordinate()->SetCoordinateSystemToNormalizedViewport();
  p.title->GetTextProperty()->SetJustificationToRight();
  p.title->GetTextProperty()->SetVerticalJustificationToBottom();
  renderer.AddViewProp(p.bar);
  renderer.AddViewProp(p.title);
  set_visible(false);
}

ColourBar::~ColourBar() {
  parts_->renderer->RemoveViewProp(parts_->bar);
  parts_->renderer->RemoveViewProp(parts_->title);
}

void ColourBar::set_visible(bool visible) {
  parts_->bar->SetVisibility(visible);
  parts_->title->SetVisibility(visible);
}

void ColourBar::set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit) {
  parts_->bar->SetLookupTable(&colours);
  parts_->title->SetInput(displayable(fmt::format("{}\n{}", quantity, pretty_unit(unit))).c_str());
}

void ColourBar::set_colour(const Rgb& text) {
  use_scene_font(*parts_->bar->GetLabelTextProperty(), font_points, text);
  use_scene_font(*parts_->title->GetTextProperty(), font_points, text);
}

void ColourBar::update(double pixel_scale) {
  constexpr double width = 76;  // of the bar and its numbers
  constexpr double margin = 12;
  const double picture_width = std::max(1, parts_->renderer->GetSize()[0]);
  const double left = 1 - (width + margin) * pixel_scale / picture_width;
  parts_->bar->SetPosition(left, 0.27);
  parts_->bar->SetPosition2(width * pixel_scale / picture_width, 0.5);
  parts_->title->SetPosition(1 - margin * pixel_scale / picture_width, 0.8);
}

}  // namespace isolume::scene
