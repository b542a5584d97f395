#include "app/scene/molecule_prop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkIdTypeArray.h>
#include <vtkLineSource.h>
#include <vtkNew.h>
#include <vtkOpenGLSphereMapper.h>
#include <vtkOpenGLStickMapper.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkSphereSource.h>
#include <vtkTubeFilter.h>
#include <vtkUnsignedCharArray.h>

#include "app/scene/label_prop.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::scene {

struct MoleculeShape {
  using Colour = std::array<std::uint8_t, 3>;
  struct Ball {
    Eigen::Vector3d centre;
    double van_der_waals_radius;
    Colour colour;
    std::string label;
  };
  struct Stick {
    Eigen::Vector3d from;
    Eigen::Vector3d to;
    Colour colour;
    std::size_t atom = 0;  ///< the atom of this half of a bond
  };
  std::vector<Ball> balls;
  std::vector<Stick> sticks;
};

namespace {

using Eigen::Vector3d;
using Colour = MoleculeShape::Colour;

constexpr double stick_radius_angstrom = 0.09;
constexpr const char* radius_name = "radius";
constexpr const char* direction_name = "direction";
constexpr const char* size_name = "length and radius";

vtkSmartPointer<vtkFloatArray> float_array(const char* name, int components) {
  auto array = vtkSmartPointer<vtkFloatArray>::New();
  array->SetName(name);
  array->SetNumberOfComponents(components);
  return array;
}

/// One cell per point: VTK takes bounds from cells.
vtkSmartPointer<vtkCellArray> a_vertex_each(vtkIdType count) {
  vtkNew<vtkIdTypeArray> offsets, points;
  offsets->SetNumberOfValues(count + 1);
  points->SetNumberOfValues(count);
  std::iota(offsets->GetPointer(0), offsets->GetPointer(0) + count + 1, vtkIdType{0});
  std::iota(points->GetPointer(0), points->GetPointer(0) + count, vtkIdType{0});
  auto cells = vtkSmartPointer<vtkCellArray>::New();
  cells->SetData(offsets, points);
  return cells;
}

vtkSmartPointer<vtkUnsignedCharArray> colour_array() {
  auto array = vtkSmartPointer<vtkUnsignedCharArray>::New();
  array->SetName("colour");
  array->SetNumberOfComponents(3);
  return array;
}

void material(vtkProperty& property) {
  property.SetInterpolationToPhong();
  property.SetAmbient(0.1);
  property.SetDiffuse(0.75);
  property.SetSpecular(0.35);
  property.SetSpecularPower(40);
}

void paint(vtkPolyData& mesh, const Colour& colour) {
  const auto colours = colour_array();
  for (vtkIdType i = 0; i < mesh.GetNumberOfPoints(); ++i) colours->InsertNextTypedTuple(colour.data());
  mesh.GetPointData()->SetScalars(colours);
}

}  // namespace

struct MoleculeProp::Parts {
  explicit Parts(vtkRenderer& target) : renderer(&target), names(target) {}

  vtkSmartPointer<vtkRenderer> renderer;
  std::shared_ptr<const MoleculeShape> shape = std::make_shared<const MoleculeShape>();
  std::vector<bool> shown;  ///< of balls; empty: all
  double atom_scale = 0.3;
  bool atoms = true;
  bool labels = false;

  vtkNew<vtkPolyData> ball_points;
  vtkNew<vtkPolyData> stick_points;
  vtkNew<vtkOpenGLSphereMapper> ball_mapper;
  vtkNew<vtkOpenGLStickMapper> stick_mapper;
  vtkNew<vtkActor> ball_actor;
  vtkNew<vtkActor> stick_actor;
  LabelProp names;

  bool is_shown(std::size_t atom) const { return shown.empty() || shown[atom]; }
  const std::vector<MoleculeShape::Ball>& balls() const { return shape->balls; }
  const std::vector<MoleculeShape::Stick>& sticks() const { return shape->sticks; }
  void make_names();
  void make_balls();
  void make_sticks();
  void show();
};

void MoleculeProp::Parts::make_balls() {
  vtkNew<vtkPoints> points;
  const auto radii = float_array(radius_name, 1);
  const auto colours = colour_array();
  const auto count = static_cast<vtkIdType>(shown.empty() ? balls().size() : std::ranges::count(shown, true));
  points->SetNumberOfPoints(count);
  radii->SetNumberOfTuples(count);
  colours->SetNumberOfTuples(count);
  vtkIdType at = 0;
  for (std::size_t i = 0; i < balls().size(); ++i) {
    if (!is_shown(i)) continue;
    const auto& ball = balls()[i];
    points->SetPoint(at, ball.centre.data());
    radii->SetValue(at, static_cast<float>(ball.van_der_waals_radius * atom_scale));
    colours->SetTypedTuple(at, ball.colour.data());
    ++at;
  }
  ball_points->Initialize();
  ball_points->SetPoints(points);
  ball_points->SetVerts(a_vertex_each(count));
  ball_points->GetPointData()->AddArray(radii);
  ball_points->GetPointData()->SetScalars(colours);
  if (labels) make_names();
}

/// Labels are created when they are first visible, since few pictures have them.
void MoleculeProp::Parts::make_names() {
  std::vector<Label> all;
  for (std::size_t i = 0; i < balls().size(); ++i)
    if (is_shown(i)) all.push_back({balls()[i].centre, balls()[i].label});
  names.set(all);
}

void MoleculeProp::Parts::make_sticks() {
  vtkNew<vtkPoints> points;
  const auto directions = float_array(direction_name, 3);
  const auto sizes = float_array(size_name, 3);
  const auto colours = colour_array();
  const auto count = static_cast<vtkIdType>(
      std::ranges::count_if(sticks(), [this](const auto& stick) { return is_shown(stick.atom); }));
  points->SetNumberOfPoints(count);
  directions->SetNumberOfTuples(count);
  sizes->SetNumberOfTuples(count);
  colours->SetNumberOfTuples(count);
  vtkIdType at = 0;
  for (const auto& stick : sticks()) {
    if (!is_shown(stick.atom)) continue;
    const Vector3d centre = (stick.from + stick.to) / 2;
    const Eigen::Vector3f along = (stick.to - stick.from).cast<float>();
    const Eigen::Vector3f direction = along.normalized();
    const std::array size{along.norm(), static_cast<float>(stick_radius_angstrom), 0.0F};
    points->SetPoint(at, centre.data());
    directions->SetTypedTuple(at, direction.data());
    sizes->SetTypedTuple(at, size.data());
    colours->SetTypedTuple(at, stick.colour.data());
    ++at;
  }
  stick_points->Initialize();
  stick_points->SetPoints(points);
  stick_points->SetVerts(a_vertex_each(count));
  stick_points->GetPointData()->AddArray(directions);
  stick_points->GetPointData()->AddArray(sizes);
  stick_points->GetPointData()->SetScalars(colours);
}

void MoleculeProp::Parts::show() {
  ball_actor->SetVisibility(atoms && !balls().empty());
  stick_actor->SetVisibility(atoms && !sticks().empty());
  names.set_visible(labels);
}

MoleculeProp::MoleculeProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  auto& p = *parts_;
  p.ball_mapper->SetInputData(p.ball_points);
  p.ball_mapper->SetScaleArray(radius_name);
  p.stick_mapper->SetInputData(p.stick_points);
  p.stick_mapper->SetScaleArray(size_name);
  p.stick_mapper->SetOrientationArray(direction_name);
  p.ball_actor->SetMapper(p.ball_mapper);
  p.stick_actor->SetMapper(p.stick_mapper);
  for (vtkActor* actor : {p.ball_actor.Get(), p.stick_actor.Get()}) {
    material(*actor->GetProperty());
    renderer.AddActor(actor);
  }
  p.show();
}

MoleculeProp::~MoleculeProp() {
  parts_->renderer->RemoveViewProp(parts_->ball_actor);
  parts_->renderer->RemoveViewProp(parts_->stick_actor);
}

std::shared_ptr<const MoleculeShape> molecule_shape(const molecules::Molecule& molecule) {
  auto shape = std::make_shared<MoleculeShape>();
  shape->balls.reserve(molecule.atoms.size());
  for (std::size_t i = 0; i < molecule.atoms.size(); ++i) {
    const auto& atom = molecule.atoms[i];
    const auto& element = molecules::element(atom.atomic_number);
    shape->balls.push_back({atom.position_bohr * units::angstrom_per_bohr,
                            element.van_der_waals_radius_angstrom, element.colour,
                            fmt::format("{}{}", element.symbol, i + 1)});
  }
  for (const auto& [first, second] : molecules::find_bonds(molecule)) {
    const auto& a = shape->balls.at(static_cast<std::size_t>(first));
    const auto& b = shape->balls.at(static_cast<std::size_t>(second));
    const Vector3d middle = (a.centre + b.centre) / 2;
    shape->sticks.push_back({a.centre, middle, a.colour, static_cast<std::size_t>(first)});
    shape->sticks.push_back({middle, b.centre, b.colour, static_cast<std::size_t>(second)});
  }
  return shape;
}

void MoleculeProp::set_shape(std::shared_ptr<const MoleculeShape> shape) {
  auto& p = *parts_;
  p.shape = std::move(shape);
  p.shown.clear();
  p.make_balls();
  p.make_sticks();
  p.show();
}

void MoleculeProp::set_atom_scale(double atom_scale) {
  if (atom_scale == parts_->atom_scale) return;
  parts_->atom_scale = atom_scale;
  parts_->make_balls();
}

void MoleculeProp::set_visible(bool atoms, bool labels) {
  parts_->atoms = atoms;
  const bool appear = labels && !parts_->labels;
  parts_->labels = labels;
  if (appear) parts_->make_names();
  parts_->show();
}

void MoleculeProp::set_shown_atoms(std::vector<bool> shown) {
  auto& p = *parts_;
  if (shown.size() != p.balls().size()) shown.clear();
  if (shown == p.shown) return;
  p.shown = std::move(shown);
  p.make_balls();
  p.make_sticks();
}

void MoleculeProp::set_text_colour(const Rgb& colour) {
  parts_->names.set_text_colour(colour);
}

int MoleculeProp::atom_at(double x, double y) const {
  if (!visible()) return -1;
  constexpr double least_radius = 0.3;  // smallest radius for picking, in angstrom
  auto& renderer = *parts_->renderer;
  const auto place = [&](double depth) {
    renderer.SetViewPoint(2 * x - 1, 2 * y - 1, depth);
    renderer.ViewToWorld();
    const double* world = renderer.GetWorldPoint();
    return Vector3d(Vector3d(world[0], world[1], world[2]) / world[3]);
  };
  const Vector3d start = place(0);
  const Vector3d direction = (place(1) - start).normalized();
  int found = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < parts_->balls().size(); ++i) {
    if (!parts_->is_shown(i)) continue;
    const auto& ball = parts_->balls()[i];
    const double radius = std::max(least_radius, ball.van_der_waals_radius * parts_->atom_scale);
    const double along = (ball.centre - start).dot(direction);
    const double inside = radius * radius - (ball.centre - start - along * direction).squaredNorm();
    if (inside < 0 || along - std::sqrt(inside) >= nearest) continue;
    nearest = along - std::sqrt(inside);
    found = static_cast<int>(i);
  }
  return found;
}

bool MoleculeProp::empty() const {
  return parts_->balls().empty();
}
bool MoleculeProp::visible() const {
  return parts_->atoms && !empty();
}

vtkSmartPointer<vtkPolyData> MoleculeProp::triangles() const {
  vtkNew<vtkAppendPolyData> all;
  for (std::size_t i = 0; i < parts_->balls().size(); ++i) {
    if (!parts_->is_shown(i)) continue;
    const auto& ball = parts_->balls()[i];
    vtkNew<vtkSphereSource> sphere;
    sphere->SetCenter(ball.centre.x(), ball.centre.y(), ball.centre.z());
    sphere->SetRadius(ball.van_der_waals_radius * parts_->atom_scale);
    sphere->SetThetaResolution(24);
    sphere->SetPhiResolution(16);
    sphere->Update();
    paint(*sphere->GetOutput(), ball.colour);
    all->AddInputData(sphere->GetOutput());
  }
  for (const auto& stick : parts_->sticks()) {
    if (!parts_->is_shown(stick.atom)) continue;
    vtkNew<vtkLineSource> line;
    line->SetPoint1(stick.from.x(), stick.from.y(), stick.from.z());
    line->SetPoint2(stick.to.x(), stick.to.y(), stick.to.z());
    vtkNew<vtkTubeFilter> tube;
    tube->SetInputConnection(line->GetOutputPort());
    tube->SetRadius(stick_radius_angstrom);
    tube->SetNumberOfSides(16);
    tube->Update();
    paint(*tube->GetOutput(), stick.colour);
    all->AddInputData(tube->GetOutput());
  }
  if (all->GetNumberOfInputConnections(0) == 0) return vtkSmartPointer<vtkPolyData>::New();
  all->Update();
  return all->GetOutput();
}

}  // namespace isolume::scene
