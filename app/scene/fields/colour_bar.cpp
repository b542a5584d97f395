#include "app/scene/fields/colour_bar.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

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

#include "core/base/shown_number.h"

namespace isolume::scene {
namespace {

constexpr double bar_margin = 12;
constexpr double bar_width = 16;
constexpr double labels_width = 56;  ///< includes the gap to the bar
constexpr double label_gap = 6;
constexpr double label_distance = 1.15 * scene_font_points;  ///< smallest distance between labels
constexpr double title_height = 2.6 * scene_font_points;
constexpr int label_count = 5;
constexpr double swatch_height = 13, swatch_distance = 21;  ///< swatch_distance: between centres

/// Labels at equal distances along the bar. All have the digits that the finest needs: "0.00", "0.25",
/// "0.50"; on a logarithmic scale one digit each.
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
      // For numbers in single precision, but not so much that any number would count as exact.
      return std::abs(scaled - std::round(scaled)) < std::clamp(1e-6 * std::abs(scaled), 1e-6, 0.01);
    });
  };
  constexpr int most_decimals = 4;
  int decimals = 0;
  while (decimals <= most_decimals && !exact(decimals)) ++decimals;
  std::array<std::string, label_count> labels;
  if (!(low < high)) {  // one value has one label
    labels[label_count / 2] = shown_reading(low);
    return labels;
  }
  const bool plain = !logarithmic && decimals <= most_decimals && std::abs(high) < 1e5;
  // A narrow range far from zero gets more digits, until no two labels are equal.
  constexpr int most_digits = 10;
  for (int digits = 3; digits <= most_digits; ++digits) {
    std::ranges::transform(values, labels.begin(), [&](double value) {
      return typeset(plain ? fmt::format("{:.{}f}", value, decimals) : fmt::format("{:.{}g}", value, digits));
    });
    if (std::ranges::adjacent_find(labels) == labels.end()) break;
  }
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
  vtkSmartPointer<vtkLookupTable> colours;  ///< null for swatches
  struct Drawn {
    double left, right, low, high, pixel_scale;
    vtkSmartPointer<vtkLookupTable> colours;
    bool operator==(const Drawn&) const = default;
  };
  std::optional<Drawn> drawn;  ///< empty for swatches
  std::vector<Swatch> swatches;
  double labels_room = labels_width;
  double width = 0;  ///< total width in points
  double low_end = 0.25, high_end = 0.77;
  double share_of_width = 0;

  template <class Visit>
  void for_each_prop(Visit visit) {
    visit(bar.Get());
    visit(title.Get());
    for (auto& label : labels) visit(label.Get());
  }
  void set_title(std::string_view quantity, std::string_view unit, std::size_t widest_label);
  /// Rectangles between these heights, from `left` to `right`.
  struct Band {
    double bottom, top;
    const double* colour;
  };
  void draw(double left, double right, const std::vector<Band>& bands);
  void draw_map(double left, double right, double low, double high, double pixel_scale);
  void draw_swatches(double left, double right, double high, double pixel_scale);
  void place_label(int label, double x, double y) {
    labels.at(static_cast<std::size_t>(label))->SetDisplayPosition(static_cast<int>(x), static_cast<int>(y));
  }
};

void ColourBar::Parts::draw(double left, double right, const std::vector<Band>& bands) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkCellArray> cells;
  vtkNew<vtkUnsignedCharArray> shown;
  shown->SetNumberOfComponents(3);
  for (const auto& [bottom, top, colour] : bands) {
    const vtkIdType first = points->InsertNextPoint(left, bottom, 0);
    points->InsertNextPoint(right, bottom, 0);
    points->InsertNextPoint(right, top, 0);
    points->InsertNextPoint(left, top, 0);
    cells->InsertNextCell({first, first + 1, first + 2, first + 3});
    shown->InsertNextTuple3(255 * colour[0], 255 * colour[1], 255 * colour[2]);
  }
  strip->SetPoints(points);
  strip->SetPolys(cells);
  strip->GetCellData()->SetScalars(shown);
}

/// One rectangle for each colour; where all has one value, that has the first colour alone.
void ColourBar::Parts::draw_map(double left, double right, double low, double high, double pixel_scale) {
  const Drawn wanted{left, right, low, high, pixel_scale, colours};
  if (drawn == wanted) return;
  drawn = wanted;
  const double* range = colours->GetRange();
  const vtkIdType count = range[0] < range[1] ? colours->GetNumberOfTableValues() : 1;
  const double height = (high - low) / static_cast<double>(count);
  std::vector<Band> bands;
  std::vector<std::array<double, 4>> values(static_cast<std::size_t>(count));
  for (vtkIdType i = 0; i < count; ++i) {
    auto& value = values[static_cast<std::size_t>(i)];
    colours->GetTableValue(i, value.data());
    bands.push_back(
        {low + height * static_cast<double>(i), low + height * static_cast<double>(i + 1), value.data()});
  }
  draw(left, right, bands);
  // If not all of them fit, both ends and the middle are labelled.
  const bool all_fit = high - low > (label_count - 1) * label_distance * pixel_scale;
  for (int i = 0; i < label_count; ++i) {
    labels.at(static_cast<std::size_t>(i))->SetVisibility(all_fit || i % 2 == 0);
    place_label(i, right + label_gap * pixel_scale, low + (high - low) * i / (label_count - 1.0));
  }
}

void ColourBar::Parts::draw_swatches(double left, double right, double high, double pixel_scale) {
  drawn.reset();
  std::vector<Band> bands;
  double top = high;
  int label = 0;
  for (const auto& [colour, text] : swatches) {
    const double bottom = top - swatch_height * pixel_scale;
    bands.push_back({bottom, top, colour.data()});
    place_label(label++, right + label_gap * pixel_scale, (bottom + top) / 2);
    top -= swatch_distance * pixel_scale;
  }
  draw(left, right, bands);
  for (auto& each : labels) each->SetVisibility(true);
}

void ColourBar::Parts::set_title(std::string_view quantity, std::string_view unit, std::size_t widest_label) {
  title->SetInput(displayable(fmt::format("{}\n{}", quantity, pretty_unit(unit))).c_str());
  labels_room = std::max(labels_width, label_gap + scene_letter_width * static_cast<double>(widest_label));
  width = 2 * bar_margin +
          std::max(bar_width + labels_room,
                   scene_letter_width * static_cast<double>(std::max(quantity.size(), unit.size())));
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

bool ColourBar::visible() const {
  return parts_->bar->GetVisibility() != 0;
}

void ColourBar::set_meaning(vtkLookupTable& colours, std::string_view quantity, std::string_view unit) {
  auto& p = *parts_;
  p.set_title(quantity, unit, 0);
  if (p.colours.Get() == &colours) return;
  p.colours = &colours;
  const auto labels = labels_of(colours);
  for (std::size_t i = 0; i < label_count; ++i) p.labels[i]->SetInput(displayable(labels[i]).c_str());
}

void ColourBar::set_swatches(std::vector<Swatch> swatches, std::string_view quantity, std::string_view unit) {
  auto& p = *parts_;
  p.colours = nullptr;
  p.swatches = std::move(swatches);
  p.swatches.resize(std::min<std::size_t>(p.swatches.size(), label_count));
  std::size_t widest = 0;
  for (std::size_t i = 0; i < label_count; ++i) {
    const std::string text = i < p.swatches.size() ? p.swatches[i].text : std::string();
    p.labels.at(i)->SetInput(displayable(text).c_str());
    widest = std::max(widest, text.size());
  }
  p.set_title(quantity, unit, widest);
}

void ColourBar::set_colour(const Rgb& text) {
  for (auto& label : parts_->labels) use_scene_font(*label->GetTextProperty(), scene_font_points, text);
  use_scene_font(*parts_->title->GetTextProperty(), scene_font_points, text);
}

void ColourBar::update(double pixel_scale) {
  auto& p = *parts_;
  if (!visible()) return;
  constexpr double nominal_width = 960;  // before the first picture
  // The window knows the size of the next frame, the renderer that of the last one.
  auto* window = p.renderer->GetRenderWindow();
  const bool sized = window != nullptr && window->GetSize()[0] > 0;
  const double width = sized ? window->GetSize()[0] : nominal_width * pixel_scale;
  const double height = sized ? window->GetSize()[1] : width;
  const double left = width - (bar_margin + bar_width + p.labels_room) * pixel_scale;
  const double right = left + bar_width * pixel_scale;
  const double low = p.low_end * height;
  const double high = std::min(p.high_end * height, height - (title_height + bar_margin) * pixel_scale);
  if (p.colours) {
    p.draw_map(left, right, low, high, pixel_scale);
  } else {
    p.draw_swatches(left, right, high, pixel_scale);
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

double ColourBar::height_with_next_title() const {
  return swatch_distance * static_cast<double>(parts_->swatches.size()) + title_height + 2 * bar_margin;
}

double ColourBar::share_of_width() const {
  return visible() ? parts_->share_of_width : 0;
}

}  // namespace isolume::scene
