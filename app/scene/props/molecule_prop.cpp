#include "app/scene/props/molecule_prop.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <vtkActor.h>
#include <vtkAppendPolyData.h>
#include <vtkCellArray.h>
#include <vtkFloatArray.h>
#include <vtkLineSource.h>
#include <vtkNew.h>
#include <vtkOpenGLSphereMapper.h>
#include <vtkOpenGLStickMapper.h>
#include <vtkOpenGLVertexBufferObject.h>
#include <vtkOpenGLVertexBufferObjectGroup.h>
#include <vtkPointData.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkProperty.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkSphereSource.h>
#include <vtkTubeFilter.h>
#include <vtkTypeInt32Array.h>
#include <vtkUnsignedCharArray.h>

#include "app/scene/props/label_prop.h"
#include "core/base/units.h"
#include "core/molecules/element.h"

namespace isolume::scene {

struct MoleculeShape {
  struct Ball {
    Eigen::Vector3f centre;
    int atomic_number;
  };
  std::vector<Ball> balls;
  std::vector<std::pair<int, int>> bonds;
};

namespace {

using Eigen::Vector3d;
using Eigen::Vector3f;
using Colour = std::array<std::uint8_t, 3>;
using Ball = MoleculeShape::Ball;

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

/// One cell of all points: VTK takes bounds from cells.
vtkSmartPointer<vtkCellArray> cell_of_all(vtkIdType count) {
  vtkNew<vtkTypeInt32Array> offsets, points;
  offsets->InsertNextValue(0);
  offsets->InsertNextValue(static_cast<int>(count));
  points->SetNumberOfValues(count);
  std::iota(points->GetPointer(0), points->GetPointer(0) + count, 0);
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

/// The glyphs of an actor are drawn at once: in software, OpenGL queues all their triangles.
constexpr vtkIdType most_of_one = 1 << 15;

/// Draws some of many glyphs in little memory.
template <class Mapper>
class PartMapper final : public Mapper {
 public:
  static PartMapper* New() { VTK_STANDARD_NEW_BODY(PartMapper); }

 private:
  /// VTK keeps what it has uploaded, which no picture needs again.
  void BuildBufferObjects(vtkRenderer* renderer, vtkActor* actor) override {
    Mapper::BuildBufferObjects(renderer, actor);
    for (const char* attribute : {"vertexMC", "offsetMC", "radiusMC", "orientMC", "scalarColor"}) {
      if (auto* buffer = this->VBOs->GetVBO(attribute)) buffer->GetPackedVBO() = std::vector<float>();
    }
  }
  void RenderPieceDraw(vtkRenderer* renderer, vtkActor* actor) override {
    Mapper::RenderPieceDraw(renderer, actor);
    const bool is_one_of_many = this->GetInput()->GetNumberOfPoints() == most_of_one;
    if (is_one_of_many) renderer->GetRenderWindow()->WaitForCompletion();
  }
};

/// Glyphs of one kind, a part of them for each actor.
template <class Mapper>
class Glyphs {
 public:
  explicit Glyphs(vtkRenderer& renderer) : renderer_(&renderer) {}
  ~Glyphs() { clear(); }
  Glyphs(const Glyphs&) = delete;
  Glyphs& operator=(const Glyphs&) = delete;

  void clear() {
    for (const auto& actor : actors_) renderer_->RemoveViewProp(actor);
    actors_.clear();
  }
  /// To be drawn by a mapper that `prepare` has set up.
  template <class Prepare>
  void add(vtkPolyData* points, const Prepare& prepare) {
    vtkNew<PartMapper<Mapper>> mapper;
    mapper->SetInputData(points);
    prepare(*mapper);
    actors_.push_back(vtkSmartPointer<vtkActor>::New());
    actors_.back()->SetMapper(mapper);
    material(*actors_.back()->GetProperty());
    renderer_->AddActor(actors_.back());
  }
  void set_visible(bool visible) {
    for (const auto& actor : actors_) actor->SetVisibility(visible);
  }

 private:
  vtkSmartPointer<vtkRenderer> renderer_;
  std::vector<vtkSmartPointer<vtkActor>> actors_;
};

double van_der_waals_radius(const Ball& ball) {
  return molecules::element(ball.atomic_number).van_der_waals_radius_angstrom;
}
Colour colour_of(const Ball& ball) {
  return molecules::element(ball.atomic_number).colour;
}

/// Half of a bond, in the colour of its atom.
struct Stick {
  Vector3f from, to;
  Colour colour;
};

}  // namespace

struct MoleculeProp::Parts {
  explicit Parts(vtkRenderer& target)
      : renderer(&target), ball_glyphs(target), stick_glyphs(target), names(target) {}

  vtkSmartPointer<vtkRenderer> renderer;
  std::shared_ptr<const MoleculeShape> shape = std::make_shared<const MoleculeShape>();
  std::vector<bool> shown;  ///< of balls; empty: all
  double atom_scale = 0.3;
  bool atoms = true;
  bool labels = false;

  /// The shown balls of one actor, with their points.
  struct BallGroup {
    std::vector<std::size_t> balls;
    vtkSmartPointer<vtkPolyData> points;
  };
  std::vector<BallGroup> ball_groups;
  Glyphs<vtkOpenGLSphereMapper> ball_glyphs;
  Glyphs<vtkOpenGLStickMapper> stick_glyphs;
  LabelProp names;

  bool is_shown(std::size_t atom) const { return shown.empty() || shown[atom]; }
  const std::vector<Ball>& balls() const { return shape->balls; }
  /// The sticks that are shown, in turn.
  template <class Take>
  void for_each_stick(const Take& take) const {
    for (const auto& [first, second] : shape->bonds) {
      const auto a = static_cast<std::size_t>(first), b = static_cast<std::size_t>(second);
      const Vector3f middle = (balls()[a].centre + balls()[b].centre) / 2;
      if (is_shown(a)) take(Stick{balls()[a].centre, middle, colour_of(balls()[a])});
      if (is_shown(b)) take(Stick{middle, balls()[b].centre, colour_of(balls()[b])});
    }
  }
  void make_names();
  void make_balls();
  void set_radii();
  void make_sticks();
  void show();
};

void MoleculeProp::Parts::make_balls() {
  std::vector<std::size_t> all;
  all.reserve(balls().size());
  for (std::size_t i = 0; i < balls().size(); ++i)
    if (is_shown(i)) all.push_back(i);
  ball_glyphs.clear();
  ball_groups.clear();
  for (std::size_t from = 0; from < all.size(); from += most_of_one) {
    const auto part = std::span(all).subspan(from, std::min<std::size_t>(most_of_one, all.size() - from));
    const auto count = static_cast<vtkIdType>(part.size());
    vtkNew<vtkPoints> points;
    const auto radii = float_array(radius_name, 1);
    const auto colours = colour_array();
    points->SetNumberOfPoints(count);
    radii->SetNumberOfTuples(count);
    colours->SetNumberOfTuples(count);
    for (vtkIdType i = 0; i < count; ++i) {
      const Ball& ball = balls()[part[static_cast<std::size_t>(i)]];
      points->SetPoint(i, ball.centre.x(), ball.centre.y(), ball.centre.z());
      colours->SetTypedTuple(i, colour_of(ball).data());
    }
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetVerts(cell_of_all(count));
    data->GetPointData()->AddArray(radii);
    data->GetPointData()->SetScalars(colours);
    ball_glyphs.add(data, [](auto& mapper) { mapper.SetScaleArray(radius_name); });
    ball_groups.push_back({{part.begin(), part.end()}, data});
  }
  set_radii();
  if (labels) make_names();
}

void MoleculeProp::Parts::set_radii() {
  for (const auto& [group, points] : ball_groups) {
    auto* radii = vtkFloatArray::SafeDownCast(points->GetPointData()->GetArray(radius_name));
    for (vtkIdType i = 0; i < radii->GetNumberOfTuples(); ++i) {
      const Ball& ball = balls()[group[static_cast<std::size_t>(i)]];
      radii->SetValue(i, static_cast<float>(van_der_waals_radius(ball) * atom_scale));
    }
    radii->Modified();
    points->Modified();
  }
}

/// Labels are created when they are first visible, since few pictures have them.
void MoleculeProp::Parts::make_names() {
  std::vector<Label> all;
  for (std::size_t i = 0; i < balls().size(); ++i) {
    if (!is_shown(i)) continue;
    all.push_back({balls()[i].centre.cast<double>(),
                   fmt::format("{}{}", molecules::element(balls()[i].atomic_number).symbol, i + 1)});
  }
  names.set(all);
}

void MoleculeProp::Parts::make_sticks() {
  stick_glyphs.clear();
  vtkSmartPointer<vtkPoints> points;
  vtkSmartPointer<vtkFloatArray> directions, sizes;
  vtkSmartPointer<vtkUnsignedCharArray> colours;
  const auto begin = [&] {
    points = vtkSmartPointer<vtkPoints>::New();
    directions = float_array(direction_name, 3);
    sizes = float_array(size_name, 3);
    colours = colour_array();
  };
  const auto end = [&] {
    if (points->GetNumberOfPoints() == 0) return;
    vtkNew<vtkPolyData> data;
    data->SetPoints(points);
    data->SetVerts(cell_of_all(points->GetNumberOfPoints()));
    data->GetPointData()->AddArray(directions);
    data->GetPointData()->AddArray(sizes);
    data->GetPointData()->SetScalars(colours);
    data->Squeeze();
    stick_glyphs.add(data, [](auto& mapper) {
      mapper.SetScaleArray(size_name);
      mapper.SetOrientationArray(direction_name);
    });
  };
  begin();
  for_each_stick([&](const Stick& stick) {
    const Vector3f centre = (stick.from + stick.to) / 2, along = stick.to - stick.from;
    const Vector3f direction = along.normalized();
    const std::array size{along.norm(), static_cast<float>(stick_radius_angstrom), 0.0F};
    points->InsertNextPoint(centre.x(), centre.y(), centre.z());
    directions->InsertNextTypedTuple(direction.data());
    sizes->InsertNextTypedTuple(size.data());
    colours->InsertNextTypedTuple(stick.colour.data());
    if (points->GetNumberOfPoints() < most_of_one) return;
    end();
    begin();
  });
  end();
}

void MoleculeProp::Parts::show() {
  ball_glyphs.set_visible(atoms);
  stick_glyphs.set_visible(atoms);
  names.set_visible(labels);
}

MoleculeProp::MoleculeProp(vtkRenderer& renderer) : parts_(std::make_unique<Parts>(renderer)) {
  parts_->show();
}

MoleculeProp::~MoleculeProp() = default;

std::shared_ptr<const MoleculeShape> molecule_shape(const molecules::Molecule& molecule) {
  auto shape = std::make_shared<MoleculeShape>();
  shape->balls.reserve(molecule.atoms.size());
  for (const auto& atom : molecule.atoms) {
    const Vector3d centre = atom.position_bohr * units::angstrom_per_bohr;
    shape->balls.push_back({centre.cast<float>(), atom.atomic_number});
  }
  shape->bonds = molecules::find_bonds(molecule);
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
  parts_->set_radii();
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
  p.show();
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
    const Ball& ball = parts_->balls()[i];
    const double radius = std::max(least_radius, van_der_waals_radius(ball) * parts_->atom_scale);
    const Vector3d from_start = ball.centre.cast<double>() - start;
    const double along = from_start.dot(direction);
    const double inside = radius * radius - (from_start - along * direction).squaredNorm();
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
    const Ball& ball = parts_->balls()[i];
    vtkNew<vtkSphereSource> sphere;
    sphere->SetCenter(ball.centre.x(), ball.centre.y(), ball.centre.z());
    sphere->SetRadius(van_der_waals_radius(ball) * parts_->atom_scale);
    sphere->SetThetaResolution(24);
    sphere->SetPhiResolution(16);
    sphere->Update();
    paint(*sphere->GetOutput(), colour_of(ball));
    all->AddInputData(sphere->GetOutput());
  }
  parts_->for_each_stick([&](const Stick& stick) {
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
  });
  if (all->GetNumberOfInputConnections(0) == 0) return vtkSmartPointer<vtkPolyData>::New();
  all->Update();
  return all->GetOutput();
}

}  // namespace isolume::scene
