#include "app/scene/fields/slice_prop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <vtkActor.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkImageData.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkObjectFactory.h>
#include <vtkOpenGLRenderWindow.h>
#include <vtkOpenGLTexture.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkShaderProperty.h>
#include <vtkTextureObject.h>
#include <vtkUniforms.h>

#include "app/scene/drawing/overlays.h"
#include "app/scene/drawing/shader_file.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/fields/contour_labels.h"
#include "app/scene/props/label_prop.h"
#include "core/base/shown_number.h"

namespace isolume::scene {
namespace {

using Eigen::Vector3d;

constexpr int most_pixels = 400;            // along a side; more adds no detail and takes longer than a frame
constexpr double contour_line_width = 1.1;  ///< in points
/// Ratio of the greatest to the least colour value of a field without signs: from the density that is taken
/// for a molecule's surface (0.002 e/bohr^3 or less) to that near its nuclei.
constexpr double decades = 1e4;
constexpr std::size_t most_levels = 16;  ///< of contour lines; three per decade are fewer

/// The plane's rectangle: the projection of the box's corners along the normal.
SliceRectangle rectangle_of(const grid::Grid& grid, const Vector3d& normal, double position) {
  SliceRectangle rectangle;
  rectangle.normal = normal;
  Eigen::Index thinnest = 0;
  normal.cwiseAbs().minCoeff(&thinnest);
  // Planes perpendicular to an axis have their sides along the other two.
  rectangle.along = Vector3d::Unit(thinnest).cross(normal).normalized();
  if (rectangle.along.maxCoeff() < -rectangle.along.minCoeff()) rectangle.along *= -1;
  rectangle.across = normal.cross(rectangle.along);
  Vector3d low = Vector3d::Constant(1e300);
  Vector3d high = -low;
  for (int corner = 0; corner < 8; ++corner) {
    const auto& n = grid.dimensions;
    const Vector3d place =
        shown_per_unit(grid.unit) * grid.position((corner & 1) * (n[0] - 1), ((corner >> 1) & 1) * (n[1] - 1),
                                                  ((corner >> 2) & 1) * (n[2] - 1));
    const Vector3d seen(place.dot(rectangle.along), place.dot(rectangle.across), place.dot(normal));
    low = low.cwiseMin(seen);
    high = high.cwiseMax(seen);
  }
  rectangle.low = low.z();
  rectangle.high = high.z();
  rectangle.length = high.x() - low.x();
  rectangle.width = high.y() - low.y();
  rectangle.corner = low.x() * rectangle.along + low.y() * rectangle.across +
                     (low.z() + position * (high.z() - low.z())) * normal;
  return rectangle;
}

vtkSmartPointer<vtkImageData> image_of(const std::vector<float>& values, int columns, int rows) {
  auto image = vtkSmartPointer<vtkImageData>::New();
  image->SetDimensions(columns, rows, 1);
  image->AllocateScalars(VTK_FLOAT, 1);
  std::ranges::copy(values, static_cast<float*>(image->GetScalarPointer()));
  return image;
}

std::array<float, 3> floats_of(const Vector3d& vector) {
  return {static_cast<float>(vector.x()), static_cast<float>(vector.y()), static_cast<float>(vector.z())};
}

void set_column(vtkMatrix4x4& matrix, int column, const Vector3d& values, double last) {
  for (int row = 0; row < 3; ++row) matrix.SetElement(row, column, values[row]);
  matrix.SetElement(3, column, last);
}

/// A texture with the image's floating-point values: VTK's own textures hold bytes.
class ValueTexture final : public vtkOpenGLTexture {
 public:
  static ValueTexture* New();
  vtkTypeMacro(ValueTexture, vtkOpenGLTexture)

      void Load(vtkRenderer* renderer) override {
    auto* window = vtkOpenGLRenderWindow::SafeDownCast(renderer->GetRenderWindow());
    auto* image = GetInput();
    if (TextureObject == nullptr) TextureObject = vtkTextureObject::New();
    if (image->GetMTime() > LoadTime || window != RenderWindow || TextureObject->GetHandle() == 0) {
      RenderWindow = window;
      TextureObject->SetContext(window);
      const int* size = image->GetDimensions();
      TextureObject->Create2DFromRaw(size[0], size[1], 1, VTK_FLOAT, image->GetScalarPointer());
      LoadTime.Modified();
    }
    TextureObject->Activate();
  }
  int IsTranslucent() override { return 0; }
};
vtkStandardNewMacro(ValueTexture);

}  // namespace

struct SliceProp::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  std::shared_ptr<const grid::ScalarField> field;
  bool both_signs = true;
  bool wanted = false;
  bool contours = true, line_values = true;
  Vector3d normal = Vector3d::UnitZ();
  double position = 0.5;
  double own_reach = 1;            ///< range of the field's own colours
  double largest = 0;              ///< magnitude on the plane
  std::optional<ColourSpan> span;  ///< takes precedence
  Rgb negative{}, middle{}, positive{}, lines{};
  std::vector<double> levels;
  SliceRectangle rectangle;
  std::optional<LabelProp> labels;
  bool labels_stale = false;
  std::function<bool(const Vector3d&)> hidden;

  /// The field and grid of the values in the texture.
  std::pair<std::shared_ptr<const grid::ScalarField>, grid::PlaneGrid> sampled;
  vtkNew<ValueTexture> texture;
  vtkNew<vtkPolyData> quad;
  vtkNew<vtkPolyDataMapper> rectangle_mapper;
  vtkNew<vtkActor> rectangle_actor;
  KeptColourMap map;
  vtkSmartPointer<vtkLookupTable> table;

  vtkUniforms& uniforms() { return *rectangle_actor->GetShaderProperty()->GetFragmentCustomUniforms(); }
  void show();
  void place();
  void colour();
  void sample(const grid::PlaneGrid& plane);
  void tell_box(const grid::PlaneGrid& plane);
  void label();
  void make_rectangle(int columns, int rows);
};

void SliceProp::Parts::show() {
  const bool shown = wanted && field != nullptr;
  rectangle_actor->SetVisibility(shown);
  uniforms().SetUniformi("levelCount", contours ? static_cast<int>(levels.size()) : 0);
  labels->set_visible(shown && contours && line_values);
}

/// Puts the values of the contour lines at places on them.
void SliceProp::Parts::label() {
  if (sampled.first == nullptr || !wanted || !contours || !line_values) return labels->set({});
  std::vector<double> all = levels;
  if (both_signs) {
    for (const double level : levels) all.push_back(-level);
    std::ranges::sort(all);
  }
  const auto& grid = sampled.second;
  const double scale = shown_per_unit(sampled.first->grid.unit);
  const Vector3d along = grid.along * scale, across = grid.across * scale;
  const auto* first = static_cast<const float*>(texture->GetInput()->GetScalarPointer());
  const PlaneValues plane{{first, static_cast<std::size_t>(grid.columns) * grid.rows},
                          grid.columns,
                          grid.rows,
                          {along.norm(), across.norm()}};
  const std::string unit = sampled.first->unit.empty() ? "" : " " + pretty_unit(sampled.first->unit);
  std::vector<Label> texts;
  for (const auto& [level, place, to_next] : contour_places(plane, all)) {
    texts.push_back({grid.corner * scale + place.x() * along + place.y() * across,
                     shown_reading(level) + unit,
                     to_next.x() * along.normalized() + to_next.y() * across.normalized()});
  }
  labels->set(texts);
  labels->set_plane(normal, hidden);
}

/// A rectangle in the plane's pixels; the actor's matrix maps it to space.
void SliceProp::Parts::make_rectangle(int columns, int rows) {
  vtkNew<vtkPoints> points;
  vtkNew<vtkFloatArray> texels;
  texels->SetNumberOfComponents(2);
  for (const auto& [x, y] : {std::pair(0, 0), std::pair(1, 0), std::pair(1, 1), std::pair(0, 1)}) {
    points->InsertNextPoint(x * (columns - 1), y * (rows - 1), 0);
    texels->InsertNextTuple2((0.5 + x * (columns - 1)) / columns, (0.5 + y * (rows - 1)) / rows);
  }
  vtkNew<vtkCellArray> cell;
  cell->InsertNextCell({0, 1, 2, 3});
  quad->SetPoints(points);
  quad->SetPolys(cell);
  quad->GetPointData()->SetTCoords(texels);
}

void SliceProp::Parts::place() {
  if (field == nullptr || !wanted) return;
  const auto& grid = field->grid;
  rectangle = rectangle_of(grid, normal, position);
  const double scale = shown_per_unit(grid.unit);
  const double finest = grid.spacing().minCoeff() * scale;
  const auto pixels = [&](double side) {
    return std::clamp(static_cast<int>(side / finest) + 1, 2, most_pixels);
  };
  const int columns = pixels(rectangle.length);
  const int rows = pixels(rectangle.width);
  const Vector3d step_along = rectangle.along * (rectangle.length / (columns - 1));
  const Vector3d step_across = rectangle.across * (rectangle.width / (rows - 1));

  vtkNew<vtkMatrix4x4> to_space;
  set_column(*to_space, 0, step_along, 0);
  set_column(*to_space, 1, step_across, 0);
  set_column(*to_space, 2, rectangle.normal, 0);
  set_column(*to_space, 3, rectangle.corner, 1);
  rectangle_actor->SetUserMatrix(to_space);

  const double to_unit = 1 / scale;
  const grid::PlaneGrid plane{rectangle.corner * to_unit, step_along * to_unit, step_across * to_unit,
                              columns, rows};
  tell_box(plane);
  sample(plane);
  make_rectangle(columns, rows);
}

/// Passes the positions of the texels in the box to the shader, from 0 to 1 along each of its axes.
void SliceProp::Parts::tell_box(const grid::PlaneGrid& plane) {
  const auto& grid = field->grid;
  const auto& n = grid.dimensions;
  const Vector3d lengths(n[0] - 1, n[1] - 1, n[2] - 1);
  const Eigen::Matrix3d to_index = grid.step.inverse();
  const auto tell = [&](const char* name, const Vector3d& in_steps) {
    uniforms().SetUniform3f(name, floats_of(in_steps.cwiseQuotient(lengths)).data());
  };
  tell("boxCorner", grid.index_at(plane.corner));
  tell("boxAlong", to_index * plane.along);
  tell("boxAcross", to_index * plane.across);
}

/// Samples the slice where the field is, so that a slice does not copy the whole field from a device.
void SliceProp::Parts::sample(const grid::PlaneGrid& plane) {
  if (sampled == std::pair(field, plane)) return;
  const std::vector<float> values = grid::sample_plane(*field, plane);
  largest = 0;
  for (const float value : values) {
    if (std::isfinite(value)) largest = std::max(largest, std::abs(static_cast<double>(value)));
  }
  texture->SetInputData(image_of(values, plane.columns, plane.rows));
  sampled = {field, plane};
  labels_stale = true;
}

void SliceProp::Parts::colour() {
  const auto [low, high] = span.value_or(ColourSpan{both_signs ? -own_reach : 0, own_reach});
  const double reach = both_signs ? std::max(std::abs(low), std::abs(high)) : high > 0 ? high : own_reach;
  // Densities fall off exponentially: on a linear scale all but the nuclei would have one colour.
  const ColourSpan densities{low > 0 && low < reach ? low : reach / decades, reach};
  using enum ColourMapChoice::Kind;
  const auto& shown_map =
      map.table_for(both_signs ? ColourMapChoice{diverging, {low, high}, negative, middle, positive}
                               : ColourMapChoice{logarithmic, densities});
  if (std::exchange(table, shown_map) != shown_map) set_shader_colours(uniforms(), *table);
  uniforms().SetUniformi("fieldLogarithmic", both_signs ? 0 : 1);
  const auto levels_before = levels;
  levels = round_levels(reach, both_signs ? 60 : decades);
  levels.resize(std::min(levels.size(), most_levels));
  std::array<float, most_levels> given{};
  std::ranges::transform(levels, given.begin(), [](double level) { return static_cast<float>(level); });
  uniforms().SetUniform1fv("levels", most_levels, given.data());
  const Rgb white{1, 1, 1};  // the sequential map is dark where most lines are
  const Rgb& shown = both_signs ? lines : white;
  const std::array colour{static_cast<float>(shown[0]), static_cast<float>(shown[1]),
                          static_cast<float>(shown[2])};
  uniforms().SetUniform3f("lineColour", colour.data());
  labels_stale = labels_stale || levels != levels_before;
  show();
}

SliceProp::SliceProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  constexpr double label_points = 10;
  p.labels.emplace(renderer, label_points, value_layer);
  p.texture->SetInputData(image_of({0, 0, 0, 0}, 2, 2));
  p.rectangle_mapper->SetInputData(p.quad);
  p.rectangle_actor->SetMapper(p.rectangle_mapper);
  p.rectangle_actor->SetTexture(p.texture);
  p.rectangle_actor->GetProperty()->LightingOff();
  use_shaders(*p.rectangle_actor->GetShaderProperty(), "slice");
  renderer.AddActor(p.rectangle_actor);
  set_pixel_scale(1);
  for (const char* name : {"boxCorner", "boxAlong", "boxAcross"})
    p.uniforms().SetUniform3f(name, floats_of(Vector3d::Zero()).data());
  p.colour();
}

SliceProp::~SliceProp() {
  parts_->renderer->RemoveActor(parts_->rectangle_actor);
}

void SliceProp::set_field(std::shared_ptr<const grid::ScalarField> field, bool both_signs) {
  auto& p = *parts_;
  const auto& n = field != nullptr ? field->grid.dimensions : std::array{0, 0, 0};
  p.field = std::min({n[0], n[1], n[2]}) >= 2 ? std::move(field) : nullptr;
  p.both_signs = both_signs;
  if (p.field != nullptr) p.own_reach = colour_reach(*p.field, both_signs);
  if (p.field != p.sampled.first) p.sampled = {};  // releases the old field, which may be large
  p.colour();
  p.place();
  p.show();
}

void SliceProp::set_plane(const Eigen::Vector3d& normal, double position) {
  parts_->normal = normal;
  parts_->position = position;
  parts_->place();
}

void SliceProp::set_colours(const Rgb& negative, const Rgb& middle, const Rgb& positive, const Rgb& lines) {
  parts_->negative = negative;
  parts_->middle = middle;
  parts_->positive = positive;
  parts_->lines = lines;
  parts_->colour();
}

void SliceProp::set_span(std::optional<ColourSpan> span) {
  if (span == parts_->span) return;
  parts_->span = span;
  parts_->colour();
}

void SliceProp::set_text_colour(const Rgb& text) {
  parts_->labels->set_text_colour(text);
}

void SliceProp::set_visible(bool slice, bool contours, bool values) {
  const bool appears = slice && !parts_->wanted;
  const bool labelled = parts_->wanted && parts_->contours && parts_->line_values;
  parts_->labels_stale = parts_->labels_stale || labelled != (slice && contours && values);
  parts_->wanted = slice;
  parts_->contours = contours;
  parts_->line_values = values;
  if (appears) parts_->place();
  parts_->show();
}

bool SliceProp::visible() const {
  return parts_->wanted && parts_->field != nullptr;
}

bool SliceProp::lies_in_nodal_plane() const {
  constexpr double invisible = 1e-3;  // of the colours' range
  return visible() && parts_->both_signs && parts_->largest < invisible * parts_->own_reach;
}

void SliceProp::set_hidden(std::function<bool(const Eigen::Vector3d& place)> hidden) {
  parts_->hidden = std::move(hidden);
}

void SliceProp::update_labels() {
  if (std::exchange(parts_->labels_stale, false)) parts_->label();
}

void SliceProp::set_pixel_scale(double scale) {
  parts_->uniforms().SetUniformf("lineWidth", static_cast<float>(contour_line_width * scale));
  parts_->uniforms().SetUniformf("outlineReach", static_cast<float>(outline_width * scale / 2 + 1));
}

const SliceRectangle& SliceProp::rectangle() const {
  return parts_->rectangle;
}
vtkLookupTable& SliceProp::colours() const {
  return *parts_->table;
}

}  // namespace isolume::scene
