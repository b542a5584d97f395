#include "app/labs/livewire/views/slice_in_space.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkNew.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkTexture.h>

#include "core/images/render_slice.h"

namespace isolume::labs::livewire {
namespace {

constexpr int most_pixels = 1024;

/// The slice as it is drawn in two dimensions, rows from its first one on.
vtkSmartPointer<vtkImageData> picture_of(const images::Volume& volume, images::SliceId slice,
                                         const images::SlicePlane& plane, const images::Window& window) {
  images::PictureMap map;
  map.width = std::min(plane.columns, most_pixels);
  map.height = std::min(plane.rows, most_pixels);
  map.column_step = static_cast<double>(plane.columns) / map.width;
  map.row_step = static_cast<double>(plane.rows) / map.height;
  map.first_column = (map.column_step - 1) / 2;
  map.first_row = (map.row_step - 1) / 2;
  std::vector<std::uint32_t> pixels(static_cast<std::size_t>(map.width) *
                                    static_cast<std::size_t>(map.height));
  images::render_slice(volume, slice, map, window, images::Interpolation::linear, {pixels.data(), map.width});
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(map.width, map.height, 1);
  image->AllocateScalars(VTK_UNSIGNED_CHAR, 3);
  auto* out = static_cast<std::uint8_t*>(image->GetScalarPointer());
  for (const std::uint32_t pixel : pixels) {
    for (const int shift : {16, 8, 0}) *out++ = static_cast<std::uint8_t>(pixel >> shift);
  }
  return image;
}

}  // namespace

struct SliceInSpace::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  vtkNew<vtkTexture> texture;
  vtkNew<vtkPolyData> rectangle;
  vtkNew<vtkPolyDataMapper> mapper;
  vtkNew<vtkActor> actor;
};

SliceInSpace::SliceInSpace(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.texture->InterpolateOn();
  p.texture->EdgeClampOn();
  p.mapper->SetInputData(p.rectangle);
  // None: contours that lie in it are lifted above it (ContourScene), others stay below or above it.
  p.mapper->SetRelativeCoincidentTopologyPolygonOffsetParameters(-2, -2);
  p.actor->SetMapper(p.mapper);
  p.actor->SetTexture(p.texture);
  p.actor->GetProperty()->LightingOff();
  p.actor->VisibilityOff();
  renderer.AddActor(p.actor);
}

SliceInSpace::~SliceInSpace() {
  parts_->renderer->RemoveActor(parts_->actor);
}

void SliceInSpace::set_slice(const images::Volume& volume, images::SliceId slice,
                             const images::Window& window) {
  auto& p = *parts_;
  const auto plane = images::slice_plane(volume.geometry, slice);
  p.texture->SetInputData(picture_of(volume, slice, plane, window));
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> texels;
  texels->SetNumberOfComponents(2);
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(0, 1)}) {
    const Eigen::Vector2d border(x * plane.columns - 0.5, y * plane.rows - 0.5);
    points->InsertNextPoint(plane.position(border).data());
    texels->InsertNextTuple2(x, y);
  }
  vtkNew<vtkCellArray> cell;
  cell->InsertNextCell({0, 1, 2, 3});
  p.rectangle->SetPoints(points);
  p.rectangle->SetPolys(cell);
  p.rectangle->GetPointData()->SetTCoords(texels);
}

void SliceInSpace::set_counted(bool counted) {
  parts_->actor->SetUseBounds(counted);
}

void SliceInSpace::set_visible(bool visible) {
  parts_->actor->SetVisibility(visible);
}

}  // namespace isolume::labs::livewire
