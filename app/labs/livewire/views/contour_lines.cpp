#include "app/labs/livewire/views/contour_lines.h"

#include <array>
#include <cmath>

#include <fmt/format.h>
#include <vtkCellArray.h>
#include <vtkCellData.h>
#include <vtkIntArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkStringArray.h>
#include <vtkUnsignedCharArray.h>

#include "app/scene/drawing/text_style.h"
#include "app/scene/files/mesh_file.h"
#include "core/base/error.h"
#include "core/base/suffix.h"

namespace isolume::labs::livewire {
namespace {

/// What the cells are told apart by.
struct CellArrays {
  vtkNew<vtkIntArray> label, axis, slice, closed, suggestion;
  vtkNew<vtkStringArray> name, label_name;
  vtkNew<vtkUnsignedCharArray> colour;

  explicit CellArrays(vtkCellData& cells) {
    const std::array<std::pair<vtkAbstractArray*, const char*>, 8> named{{{label, "label"},
                                                                          {label_name, "label_name"},
                                                                          {name, "name"},
                                                                          {axis, "axis"},
                                                                          {slice, "slice"},
                                                                          {closed, "closed"},
                                                                          {suggestion, "suggestion"},
                                                                          {colour, "colour"}}};
    colour->SetNumberOfComponents(3);
    for (const auto& [array, title] : named) {
      array->SetName(title);
      cells.AddArray(array);
    }
  }

  void add(const contours::Contour& contour, const contours::ContourSet& set) {
    const contours::Label* of_label = set.label(contour.label);
    label->InsertNextValue(contour.label);
    label_name->InsertNextValue(of_label != nullptr ? of_label->name : std::string());
    name->InsertNextValue(contour.name);
    axis->InsertNextValue(contour.slice.axis);
    slice->InsertNextValue(contour.slice.index);
    closed->InsertNextValue(contour.closed ? 1 : 0);
    suggestion->InsertNextValue(contour.suggestion ? 1 : 0);
    const auto rgb = scene::colour_of(set.colour_of(contour));
    for (const double channel : rgb) {
      colour->InsertNextValue(static_cast<unsigned char>(std::lround(255 * channel)));
    }
  }
};

}  // namespace

vtkSmartPointer<vtkPolyData> contour_lines(const std::vector<std::shared_ptr<const contours::Contour>>& shown,
                                           const contours::ContourSet& set,
                                           const images::Geometry& geometry) {
  auto lines = vtkSmartPointer<vtkPolyData>::New();
  vtkNew<vtkPoints> points;
  points->SetDataTypeToDouble();
  vtkNew<vtkCellArray> cells;
  CellArrays arrays(*lines->GetCellData());
  for (const auto& contour : shown) {
    const auto outline = contour->outline();
    if (outline.empty()) continue;
    const auto plane = images::slice_plane(geometry, contour->slice);
    const auto first = points->GetNumberOfPoints();
    for (const auto& place : outline) points->InsertNextPoint(plane.position(place).data());
    const auto count = static_cast<int>(outline.size());
    cells->InsertNextCell(contour->closed ? count + 1 : count);
    for (int i = 0; i < count; ++i) cells->InsertCellPoint(first + i);
    if (contour->closed) cells->InsertCellPoint(first);
    arrays.add(*contour, set);
  }
  lines->SetPoints(points);
  lines->SetLines(cells);
  return lines;
}

void export_contours(const contours::ContourSet& set, const images::Geometry& geometry,
                     const std::filesystem::path& path) {
  if (suffix_of(path) != ".vtp") {
    throw Error(fmt::format("{}: contours are written as .vtp; found the suffix {}.", path.string(),
                            isolume::quoted(path.extension().string())));
  }
  auto exported = set.contours();
  std::erase_if(exported, [](const auto& contour) { return contour->suggestion; });
  const auto lines = contour_lines(exported, set, geometry);
  if (lines->GetNumberOfLines() == 0) {
    throw Error(fmt::format("{}: there is no contour to export.", path.string()));
  }
  scene::write_mesh(*lines, "contours, in mm", path);
}

}  // namespace isolume::labs::livewire
