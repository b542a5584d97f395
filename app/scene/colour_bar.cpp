#include "app/scene/colour_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <fmt/format.h>
#include <vtkActor2D.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>
#include <vtkUnsignedCharArray.h>

namespace isolume::scene {
namespace {

constexpr double bar_margin = 12;
constexpr double bar_width = 16;
constexpr double labels_width = 56;  ///< with the gap to the bar
constexpr int label_count = 5;

/// At even distances along the bar. All as fine as the finest needs: "0.00", "0.25", "0.50"; on a logarithmic
/// scale one digit each.
std::array<std::string, label_count> labels_of(vtkLookupTable& colours) {
  std::array<double, label_count> values{};
  const double low = colours.GetRange()[0];
  const double high = colours.GetRange()[1];
  const bool logarithmic = colours.GetScale() == VTK_SCALE_LOG10;
  for (int i = 0; i < label_count; ++i) {
    const double part = i / (label_count - 1.0);
    values[i] = logarithmic ? low * std::pow(high / low, part) : low + (high - low) * part;
  }
  const auto exact = [&](int decimals) {
    return std::ranges::all_of(values, [&](double value) {
      const double scaled = value * std::pow(10, decimals);
      return std::abs(scaled - std::round(scaled)) < 1e-6 * std::max(1.0, std::abs(scaled));
    });
  };
  constexpr int most_decimals = 4;
  int decimals = 0;
  while (decimals <= most_decimals && !exact(decimals)) ++decimals;
  std::array<std::string, label_count> labels;
  std::ranges::transform(values, labels.begin(), [&](double value) {
    if (logarithmic) return fmt::format("{:.3g}", value);
    if (decimals > most_decimals || std::abs(high) >= 1e5) return fmt::format("{:.1e}", value);
    return fmt::format("{:.{}f}", value, decimals);
  });
  return labels;
}

}  // namespace

struct ColourBar::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkPolyData> strip;
  vtkNew<vtkPolyDataMapper2D> mapper;
  vtkNew<vtkActor2D> bar;
  std::array<vtkNew<vtkTextActor>, label_count> labels;
  vtkNew<vtkTextActor> title;
  vtkSmartPointer<vtkLookupTable> colours;
  double width = 0;  ///< of all, in points
  double low_end = 0.25, high_end = 0.77;
  double share_of_width = 0;

  template <class Visit>
  void for_each_prop(Visit visit) {
    visit(bar.Get());
    visit(title.Get());
    for (auto& label : labels) visit(label.Get());
  }
  void draw(double left, double bottom, double right, double top);
};

/// One rectangle for each colour.
void ColourBar::Parts::draw(double left, double bottom, double right, double top) {
  const vtkIdType count = colours->GetNumberOfTableValues();
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> cells;
  vtkNew<vtkUnsignedCharArray> shown;
  shown->SetNumberOfComponents(3);
  for (vtkIdType i = 0; i <= count; ++i) {
    const double y = bottom + (top - bottom) * static_cast<double>(i) / static_cast<double>(count);
    points->InsertNextPoint(left, y, 0);
    points->InsertNextPoint(right, y, 0);
    if (i == count) break;
    cells->InsertNextCell({2 * i, 2 * i + 1, 2 * i + 3, 2 * i + 2});
    const double* colour = colours->GetTableValue(i);
    shown->InsertNextTuple3(255 * colour[0], 255 * colour[1], 255 * colour[2]);
  }
  strip->SetPoints(points);
  strip->SetPolys(cells);
  strip->GetCellData()->SetScalars(shown);
}

ColourBar::ColourBar(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->SetInputData(p.strip);
  p.bar->SetMapper(p.mapper);
  p.title->GetTextProperty()->SetJustificationToRight();
  p.title->GetTextProperty()->SetVerticalJustificationToBottom();
  for (auto& label : p.labels) label->GetTextProperty()->SetVerticalJustificationToCentered();
  p.for_each_prop([&](vtkProp* prop) { renderer.AddViewProp(prop); });
  set_visible(false);
}

ColourBar::~ColourBar() {
  parts_->for_each_prop([&](vtkProp* prop) { parts_->renderer->RemoveViewProp(prop); });
}

void ColourBar::set_visible(bool visible) {
  parts_->for_each_prop([&](vtkProp* prop) { prop->SetVisibility(visible); });
}

void ColourBar::set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit) {
  auto& p = *parts_;
  p.colours = &colours;
  p.title->SetInput(displayable(fmt::format("{}\n{}", quantity, pretty_unit(unit))).c_str());
  p.width = 2 * bar_margin +
            std::max(bar_width + labels_width,
                     scene_letter_width * static_cast<double>(std::max(quantity.size(), unit.size())));
  const auto labels = labels_of(colours);
  for (std::size_t i = 0; i < label_count; ++i) p.labels[i]->SetInput(labels[i].c_str());
}

void ColourBar::set_colour(const Rgb& text) {
  for (auto& label : parts_->labels) use_scene_font(*label->GetTextProperty(), scene_font_points, text);
  use_scene_font(*parts_->title->GetTextProperty(), scene_font_points, text);
}

void ColourBar::update(double pixel_scale) {
  auto& p = *parts_;
  if (p.bar->GetVisibility() == 0) return;
  constexpr double nominal_width = 960;  // before there is a picture
  // The window knows how large the next frame is, the renderer how large the last one was.
  auto* window = p.renderer->GetRenderWindow();
  const bool sized = window != nullptr && window->GetSize()[0] > 0;
  const double width = sized ? window->GetSize()[0] : nominal_width * pixel_scale;
  const double height = sized ? window->GetSize()[1] : width;
  const double left = width - (bar_margin + bar_width + labels_width) * pixel_scale;
  const double right = left + bar_width * pixel_scale;
  constexpr double title_height = 2.6 * scene_font_points;
  const double low = p.low_end * height;
  const double high = std::min(p.high_end * height, height - (title_height + bar_margin) * pixel_scale);
  p.draw(left, low, right, high);
  for (int i = 0; i < label_count; ++i) {
    const double y = low + (high - low) * i / (label_count - 1.0);
    p.labels[i]->SetDisplayPosition(static_cast<int>(right + 6 * pixel_scale), static_cast<int>(y));
  }
  p.title->SetDisplayPosition(static_cast<int>(width - bar_margin * pixel_scale),
                              static_cast<int>(high + bar_margin * pixel_scale));
  constexpr double most = 0.4;
  p.share_of_width = std::min(most, p.width * pixel_scale / width);
}

void ColourBar::set_span(double low_end, double high_end) {
  parts_->low_end = low_end;
  parts_->high_end = high_end;
}

double ColourBar::share_of_width() const {
  return parts_->bar->GetVisibility() != 0 ? parts_->share_of_width : 0;
}

}  // namespace isolume::scene
