#include "app/scene/props/volume_prop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <Eigen/Core>
#include <Eigen/LU>
#include <tbb/blocked_range.h>
#include <vtkColorTransferFunction.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkLookupTable.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkOpenGLGPUVolumeRayCastMapper.h>
#include <vtkPiecewiseFunction.h>
#include <vtkPointData.h>
#include <vtkRenderer.h>
#include <vtkVolume.h>
#include <vtkVolumeProperty.h>

#include "core/base/handover.h"
#include "core/dispatch/dispatch.h"

namespace isolume::scene {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

/// Relative to the isovalue: larger values have no larger extinction.
constexpr double saturation = 2;

/// The image's number for a value: linear up to about the isovalue, logarithmic beyond. A table of VTK's with equal steps
/// thus resolves opacity near a small isovalue as well as colours far above it.
double stored(double value, double isovalue) {
  return std::asinh(value / isovalue);
}

bool rectangular(const Matrix3d& step) {
  const Matrix3d directions = step.colwise().normalized();
  return (directions.transpose() * directions - Matrix3d::Identity()).cwiseAbs().maxCoeff() < 1e-6 &&
         directions.determinant() > 0;
}

/// An orthogonal grid of the same box and resolution.
grid::Grid straightened(const grid::Grid& grid) {
  Vector3d low = Vector3d::Constant(1e300), high = -low;
  for (int corner = 0; corner < 8; ++corner) {
    const auto& n = grid.dimensions;
    const Vector3d place = grid.position((corner & 1) * (n[0] - 1), ((corner >> 1) & 1) * (n[1] - 1),
                                         ((corner >> 2) & 1) * (n[2] - 1));
    low = low.cwiseMin(place);
    high = high.cwiseMax(place);
  }
  return grid::cover_box(low, high, grid.spacing().mean(), grid.unit);
}

/// `most`: of the values' magnitudes.
void fill(vtkFloatArray& values, const grid::ScalarField& field, const grid::Grid& onto, double isovalue,
          double most, const jobs::Progress& progress) {
  const bool same = onto == field.grid;
  const auto& n = onto.dimensions;
  float* const out = values.GetPointer(0);
  handover::parallel_for(tbb::blocked_range<int>(0, n[2]), [&](const auto& range) {
    for (int k = range.begin(); k != range.end() && !progress.cancelled(); ++k) {
      auto at = static_cast<std::size_t>(k) * n[0] * n[1];
      for (int j = 0; j < n[1]; ++j) {
        for (int i = 0; i < n[0]; ++i, ++at) {
          const double value = same ? field.values[at] : grid::interpolate(field, onto.position(i, j, k));
          const double kept = std::isnan(value) ? 0 : std::clamp(value, -most, most);
          out[at] = static_cast<float>(stored(kept, isovalue));
        }
      }
    }
  });
  progress.check();
}

}  // namespace

FieldVolume volume_of(const grid::ScalarField& field, double isovalue, double reach,
                      const jobs::Progress& progress) {
  const auto& n = field.grid.dimensions;
  if (std::min({n[0], n[1], n[2]}) < 2 || !(isovalue > 0) || !std::isfinite(isovalue)) return {};
  const auto onto = rectangular(field.grid.step) ? field.grid : straightened(field.grid);
  const std::size_t count = onto.point_count();
  dispatch::require_memory("The volume", count * sizeof(float), "Choose a larger spacing.");
  FieldVolume volume;
  volume.isovalue = isovalue;
  volume.image = vtkSmartPointer<vtkImageData>::New();
  volume.image->SetDimensions(onto.dimensions.data());
  const double scale = grid::shown_per_unit(onto.unit);
  const Vector3d spacing = scale * onto.spacing();
  volume.image->SetSpacing(spacing.data());
  vtkNew<vtkFloatArray> values;
  values->SetNumberOfTuples(static_cast<vtkIdType>(count));
  fill(*values, field, onto, isovalue, std::max(saturation * isovalue, reach), progress);
  volume.image->GetPointData()->SetScalars(values);
  volume.placement = vtkSmartPointer<vtkMatrix4x4>::New();
  for (int row = 0; row < 3; ++row) {
    for (int axis = 0; axis < 3; ++axis)
      volume.placement->SetElement(row, axis, onto.step(row, axis) * scale / spacing[axis]);
    volume.placement->SetElement(row, 3, onto.origin[row] * scale);
  }
  const Vector3d cells(onto.dimensions[0] - 1, onto.dimensions[1] - 1, onto.dimensions[2] - 1);
  volume.thickness = 0.1 * cells.cwiseProduct(spacing).norm();
  return volume;
}

struct VolumeProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  FieldVolume volume;
  vtkNew<vtkOpenGLGPUVolumeRayCastMapper> mapper;
  vtkNew<vtkVolume> prop;
  vtkSmartPointer<vtkLookupTable> colours;
  double opacity = 0.5;
  bool wanted = false;
  Vector3d cut_place = Vector3d::Zero();
  std::array<int, 3> cut_sides{};

  void cut();
  bool visible() const { return wanted && volume.image != nullptr; }
  void colour();
};

/// Both at equal steps of the image's numbers: as many as linear interpolation needs, but none that is so short, compared
/// with the range of those numbers, that a graphics card had no room for VTK's table.
void VolumeProp::Parts::colour() {
  if (volume.image == nullptr || colours == nullptr) return;
  const double* range = volume.image->GetScalarRange();
  const double shortest = std::max(range[1] - range[0], 1.0) / 4096;
  const auto for_each_step = [shortest](double low, double high, const auto& add) {
    constexpr double most_steps = 512;
    const int steps = static_cast<int>(std::clamp((high - low) / shortest, 1.0, most_steps));
    for (int i = 0; i <= steps; ++i) add(low + std::max(high - low, shortest) * i / steps);
  };
  const double extinction = -std::log1p(-opacity);  // over the thickness, at the isovalue
  vtkNew<vtkPiecewiseFunction> opacities;
  const double most = stored(saturation, 1);
  for_each_step(-most, most, [&](double number) {
    const double part = std::sinh(number);
    opacities->AddPoint(number, -std::expm1(-extinction * part * part));
  });
  vtkNew<vtkColorTransferFunction> shown;
  const auto end = [&](int which) { return stored(colours->GetRange()[which], volume.isovalue); };
  for_each_step(end(0), end(1), [&](double number) {
    double colour[3];
    colours->GetColor(volume.isovalue * std::sinh(number), colour);
    shown->AddRGBPoint(number, colour[0], colour[1], colour[2]);
  });
  auto* property = prop->GetProperty();
  property->SetScalarOpacity(opacities);
  property->SetScalarOpacityUnitDistance(volume.thickness);
  property->SetColor(shown);
}

/// By VTK's 27 regions about two planes along each axis of the image: the first one at the place, the second one at its end.
void VolumeProp::Parts::cut() {
  const bool is_cut =
      volume.image != nullptr && std::ranges::any_of(cut_sides, [](int each) { return each != 0; });
  mapper->SetCropping(is_cut);
  if (!is_cut) return;
  Eigen::Matrix4d placement;
  for (int row = 0; row < 4; ++row) {
    for (int column = 0; column < 4; ++column)
      placement(row, column) = volume.placement->GetElement(row, column);
  }
  const Eigen::Vector4d at = placement.inverse() * cut_place.homogeneous();
  const double* bounds = volume.image->GetBounds();
  double planes[6];
  std::array<int, 3> sides{};  // along the image's axes
  for (int axis = 0; axis < 3; ++axis) {
    planes[2 * axis] = std::clamp(at[axis], bounds[2 * axis], bounds[2 * axis + 1]);
    planes[2 * axis + 1] = bounds[2 * axis + 1];
    Eigen::Index of_scene = 0;
    const Vector3d direction = placement.block<3, 1>(0, axis);
    direction.cwiseAbs().maxCoeff(&of_scene);
    const int side = cut_sides[static_cast<std::size_t>(of_scene)];
    sides[static_cast<std::size_t>(axis)] = direction[of_scene] > 0 ? side : -side;
  }
  int shown = 0;
  for (int region = 0; region < 27; ++region) {
    bool is_beyond = true;
    int rest = region;
    for (const int side : sides) {
      const bool is_low = rest % 3 == 0;
      rest /= 3;
      if (side != 0) is_beyond = is_beyond && is_low == (side < 0);
    }
    if (!is_beyond) shown |= 1 << region;
  }
  mapper->SetCroppingRegionPlanes(planes);
  mapper->SetCroppingRegionFlags(shown);
}

VolumeProp::VolumeProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.mapper->AutoAdjustSampleDistancesOff();
  p.mapper->SetBlendModeToComposite();
  p.prop->SetMapper(p.mapper);
  p.prop->GetProperty()->SetInterpolationTypeToLinear();
  p.prop->GetProperty()->ShadeOff();
  p.prop->VisibilityOff();
  renderer.AddVolume(p.prop);
}

VolumeProp::~VolumeProp() {
  parts_->renderer->RemoveVolume(parts_->prop);
}

void VolumeProp::set_volume(FieldVolume volume) {
  auto& p = *parts_;
  p.volume = std::move(volume);
  p.mapper->SetInputData(p.volume.image);
  p.prop->SetUserMatrix(p.volume.placement);
  p.prop->SetVisibility(p.visible());
  set_draft(false);
  p.colour();
  p.cut();
}

void VolumeProp::set_cut(const Vector3d& place, const std::array<int, 3>& sides) {
  parts_->cut_place = place;
  parts_->cut_sides = sides;
  parts_->cut();
}

void VolumeProp::set_look(vtkLookupTable& colours, double opacity) {
  if (parts_->colours.Get() == &colours && parts_->opacity == opacity) return;
  parts_->colours = &colours;
  parts_->opacity = opacity;
  parts_->colour();
}

void VolumeProp::set_draft(bool draft) {
  auto& p = *parts_;
  if (p.volume.image == nullptr) return;
  const double* spacing = p.volume.image->GetSpacing();
  const double finest = std::min({spacing[0], spacing[1], spacing[2]});
  p.mapper->SetSampleDistance(static_cast<float>(draft ? 2 * finest : 0.5 * finest));
  p.mapper->SetImageSampleDistance(draft ? 3.0F : 1.0F);
}

void VolumeProp::set_visible(bool visible) {
  parts_->wanted = visible;
  parts_->prop->SetVisibility(parts_->visible());
}

bool VolumeProp::visible() const {
  return parts_->visible();
}

}  // namespace isolume::scene
