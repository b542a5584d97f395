#include "app/labs/nbody/bodies_picture.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkMatrix4x4.h>
#include <vtkNew.h>
#include <vtkRenderWindow.h>
#include <vtkRenderer.h>
#include <vtkSmartPointer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/labs/nbody/body_lines.h"
#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/colour_bar.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/fields/scale_bar.h"
#include "app/scene/props/line_set.h"
#include "app/scene/props/measure_mark.h"
#include "app/scene/props/points_prop.h"
#include "core/base/clock.h"
#include "core/base/round_numbers.h"
#include "gpu/interop/points_engine.h"

namespace isolume::labs::nbody {
namespace {

Extent extent_of(const isolume::nbody::NBodyFrame& frame, const std::vector<float>& positions,
                 const std::vector<float>& masses) {
  if (positions.empty()) return {.middle = frame.centre};
  const auto [centre, radius] = bodies::first_region(positions, masses);
  return {frame.centre + centre.cast<double>(), std::max(1.2 * radius, 1e-6)};
}

/// Of cells seen along the axes, the highest mass on a square but for a thousandth of them, to a round number of the shown
/// unit above: where colours end.
double highest_surface_density(const Extent& extent, const std::vector<float>& positions,
                               const std::vector<float>& masses,
                               const std::optional<isolume::nbody::Units>& units) {
  constexpr int side = 128;
  const double cell = 2 * extent.radius / side;
  double highest = 0;
  for (int along = 0; along < 3; ++along) {
    std::vector<double> cells(std::size_t{side} * side, 0.0);
    for (std::size_t i = 0; i < masses.size(); ++i) {
      const auto index = [&](int axis) {
        return std::floor((positions[3 * i + static_cast<std::size_t>(axis)] + extent.radius) / cell);
      };
      const double column = index((along + 1) % 3), row = index((along + 2) % 3);
      if (!(column >= 0 && column < side && row >= 0 && row < side)) continue;  // it has escaped
      cells[static_cast<std::size_t>(row * side + column)] += masses[i] / (cell * cell);
    }
    const auto place = cells.begin() + static_cast<std::ptrdiff_t>(cells.size() - cells.size() / 1000 - 1);
    std::nth_element(cells.begin(), place, cells.end());
    highest = std::max(highest, *place > 0 ? *place : *std::max_element(cells.begin(), cells.end()));
  }
  const double unit = units ? bodies::density_unit(*units, 2).size : 1;
  return highest > 0 ? rounded_up(highest * unit) / unit : 1;
}

std::optional<std::size_t> number_of(const isolume::nbody::NBodyFrame& frame, std::int64_t id) {
  const auto& ids = frame.labels->id;
  const auto found = id >= 0 ? std::ranges::find(ids, static_cast<std::uint64_t>(id)) : ids.end();
  if (found == ids.end()) return std::nullopt;
  return static_cast<std::size_t>(found - ids.begin());
}

/// Sizes, light and colours.
void set_look(const NBodyLook& look, const Extent& extent, scene::LightPoints& points) {
  // Parts of the area and the height that are seen at first, for brightness and size 1.
  constexpr double light = 0.05, size = 0.002, usual_count = 50000;
  const double height = 2.5 * extent.radius;
  points.luminosity = static_cast<float>(light * look.brightness * height * height);
  points.radius = static_cast<float>(
      size * look.size * height *
      std::cbrt(usual_count / std::max<double>(1, static_cast<double>(points.masses->size()))));
  points.exposure = static_cast<float>(look.exposure);
  if (!look.surface_density) return;
  constexpr double span = 1e4, smoothing = 4;  // discs that overlap
  const double highest = extent.surface_density / look.exposure;
  points.surface_density = std::array{static_cast<float>(highest / span), static_cast<float>(highest)};
  points.radius *= static_cast<float>(smoothing);
}

std::array<float, 2> colour_range_of(const BodiesRequest& request, const std::array<float, 2>& suits_frame) {
  if (!request.colour_range) return suits_frame;
  const auto [low, high] = *request.colour_range;
  if (!request.colours_may_widen) return {low, high};
  return {std::min(low, suits_frame[0]), std::max(high, suits_frame[1])};
}

/// A part of the steady numbers, which keeps them all.
scene::LightPoints::Numbers part_of(const std::shared_ptr<const bodies::SteadyBodies>& steady,
                                    const std::vector<float>& part) {
  return {steady, &part};
}

/// Whether nothing need be known on the host but a few numbers.
bool may_stay_on_device(const BodiesRequest& request, const bodies::SteadyBodies& steady) {
  const auto& frame = *request.frame;
  const auto on_device = [](const dispatch::LazyValues& values) { return values.device() != nullptr; };
  const auto* values = values_of(frame, steady.colour_by);
  const bool colours = steady.distinct() || (values != nullptr && on_device(*values));
  const bool extent = request.extent &&
                      (!request.look.surface_density || request.extent->surface_density != 0) &&
                      (steady.sizes != bodies::Sizes::compressed || request.extent->largest_sphere != 0);
  return request.from_device && extent && colours && on_device(frame.positions) && frame.readable();
}

void leave_on_device(const BodiesRequest& request, const std::shared_ptr<const bodies::SteadyBodies>& steady,
                     const Eigen::Vector3f& shift, scene::LightPoints& points) {
  const auto& frame = *request.frame;
  const auto* values = values_of(frame, steady->colour_by);
  points.on_device.emplace();
  points.on_device->engine = request.from_device;
  points.on_device->positions = frame.positions.device();
  if (values != nullptr) points.on_device->values = values->device();
  points.on_device->shift = {shift.x(), shift.y(), shift.z()};
  if (!steady->all()) points.on_device->rows = {steady, &steady->numbers};
  if (steady->distinct()) points.values = part_of(steady, steady->values);
  points.range = colour_range(frame, *steady);
}

void take_from_host(const BodiesRequest& request, const std::shared_ptr<const bodies::SteadyBodies>& steady,
                    Extent& extent, scene::LightPoints& points) {
  const auto& frame = *request.frame;
  auto drawn = bodies::drawn_bodies(frame, *steady);
  if (!request.extent) extent = extent_of(frame, drawn.positions, steady->masses);
  points.positions = std::move(drawn.positions);
  const Eigen::Vector3f shift = (frame.centre - extent.middle).cast<float>();
  Eigen::Map<Eigen::Matrix3Xf>(points.positions.data(), 3,
                               static_cast<Eigen::Index>(points.positions.size() / 3))
      .colwise() += shift;
  points.values = steady->distinct() ? part_of(steady, steady->values)
                                     : std::make_shared<const std::vector<float>>(std::move(drawn.values));
  points.range = drawn.range;
  points.logarithmic = drawn.logarithmic;
  if (steady->sizes == bodies::Sizes::compressed && extent.largest_sphere == 0)
    extent.largest_sphere = bodies::largest_sphere(points.positions, extent.radius);
  if (request.look.surface_density && extent.surface_density == 0)
    extent.surface_density =
        highest_surface_density(extent, points.positions, steady->masses, frame.labels->units);
}

/// In the renderer's coordinates.
Eigen::Vector3d place_of(const isolume::nbody::NBodyFrame& frame, std::size_t body, const Extent& extent) {
  const auto first = static_cast<std::uint32_t>(3 * body);
  const auto place = frame.positions.at(std::array{first, first + 1, first + 2});
  return Eigen::Vector3f::Map(place.data()).cast<double>() + frame.centre - extent.middle;
}

std::vector<PlacedName> placed_names(const isolume::nbody::NBodyFrame& frame,
                                     const bodies::SteadyBodies& steady, const BodiesDrawing& drawing) {
  constexpr std::size_t most = 200;  // that somebody reads
  std::vector<PlacedName> names;
  auto heaviest_first = steady.named;
  std::ranges::stable_sort(heaviest_first, std::greater(), [&](const isolume::nbody::NamedBody& each) {
    return std::pair(each.body == drawing.chosen, frame.labels->mass[each.body]);
  });
  for (const auto& each : heaviest_first) {
    if (names.size() == most) break;
    const auto place = std::ranges::lower_bound(steady.numbers, each.body);
    if (place == steady.numbers.end() || *place != each.body) continue;
    const auto row = static_cast<std::size_t>(place - steady.numbers.begin());
    double radius = 0;
    if (!steady.volumes.empty())
      radius = bodies::unit_of_spheres(steady, drawing.look, drawing.extent.largest_sphere) *
               std::cbrt(steady.volumes[row]);
    names.push_back(
        {place_of(frame, each.body, drawing.extent), each.name, radius, each.body == drawing.chosen});
  }
  return names;
}

}  // namespace

BodiesDrawing draw_bodies(const BodiesRequest& request) {
  const auto start = std::chrono::steady_clock::now();
  NBodyLook look = request.look;
  if (look.surface_density) {  // all mass counts alike
    look.halo = 1;
    look.colour_by = bodies::ColourBy::speed;
    look.sizes = bodies::Sizes::light;
  }
  const auto& frame = *request.frame;
  BodiesDrawing drawing{.frame = request.frame,
                        .look = request.look,
                        .points = nullptr,
                        .steady = bodies::steady_bodies(frame.labels, look, request.steady),
                        .lines = nullptr,
                        .extent = request.extent.value_or(Extent{}),
                        .chosen = number_of(frame, request.look.body)};
  auto points = std::make_shared<scene::LightPoints>();
  const bool spheres = !drawing.steady->volumes.empty();
  points->masses = part_of(drawing.steady, spheres ? drawing.steady->volumes : drawing.steady->masses);
  points->distinct = drawing.steady->distinct();
  if (may_stay_on_device(request, *drawing.steady)) {
    const Eigen::Vector3d shift = frame.centre - drawing.extent.middle;
    leave_on_device(request, drawing.steady, shift.cast<float>(), *points);
  } else {
    take_from_host(request, drawing.steady, drawing.extent, *points);
  }
  if (!points->distinct) points->range = colour_range_of(request, points->range);
  set_look(look, drawing.extent, *points);
  if (spheres) {
    const auto sphere = bodies::sphere_look(*drawing.steady, look, drawing.extent.largest_sphere);
    points->radius = sphere.radius;
    points->disc_light = sphere.disc_light;
    points->diameters = sphere.diameters;
  }
  if (look.names) drawing.names = placed_names(frame, *drawing.steady, drawing);
  if (drawing.chosen) drawing.chosen_place = place_of(frame, *drawing.chosen, drawing.extent);
  if (look.follow == Follow::body) drawing.followed = drawing.chosen_place;
  if (look.follow == Follow::centre_of_mass) drawing.followed = frame.centre - drawing.extent.middle;
  drawing.lines =
      lines_of(request, drawing.extent, drawing.chosen, drawing.steady->numbers, drawing.steady->named);
  drawing.points = std::move(points);
  drawing.seconds = seconds_since(start);
  return drawing;
}

const std::string& coloured_quantity(const NBodyLook& look) {
  static const std::string density = "Surface density";
  if (look.surface_density) return density;
  const auto& choices = bodies::bodies_look_schema().at("colour-by").description.choices;
  return choices[static_cast<std::size_t>(look.colour_by)].label;
}

namespace {

isolume::nbody::ShownUnit bar_unit(const BodiesDrawing& drawing) {
  const auto& units = drawing.frame->labels->units;
  if (!drawing.look.surface_density) return bodies::colour_unit(units, drawing.look.colour_by);
  return units ? bodies::density_unit(*units, 2) : isolume::nbody::ShownUnit{1, "mass/length^2, G = 1"};
}

}  // namespace

/// The bodies, lines with them, the bar of what their colours tell, texts and the ring.
class BodiesPicture::Shown {
 public:
  explicit Shown(vtkRenderer& renderer)
      : renderer_(renderer),
        lines_(renderer),
        bar_(renderer),
        ring_(renderer),
        names_(renderer),
        scale_(renderer) {
    renderer_.SetBackground(0, 0, 0);
    renderer_.AddViewProp(prop_);
    bar_.set_colour({1, 1, 1});
    ring_.set_colour({1, 1, 1});
    scale_.set_colour({1, 1, 1});
    scale_.set_visible(false);  // until there are bodies
    bar_.set_visible(false);
    for (vtkTextActor* text : {caption_.Get(), read_out_.Get()}) {
      text->SetVisibility(false);
      scene::use_scene_font(*text->GetTextProperty(), text_points, {1, 1, 1});
      renderer_.AddViewProp(text);
    }
    caption_->GetTextProperty()->SetVerticalJustificationToTop();
    read_out_->GetTextProperty()->SetVerticalJustificationToBottom();
    // Bodies may be bright behind it.
    read_out_->GetTextProperty()->SetBackgroundColor(0, 0, 0);
    read_out_->GetTextProperty()->SetBackgroundOpacity(0.6);
    start_of_frame_->SetClientData(this);
    start_of_frame_->SetCallback([](vtkObject*, unsigned long, void* shown, void*) {
      auto* self = static_cast<Shown*>(shown);
      const double scale = self->renderer_.GetRenderWindow()->GetDPI() / 72.0;
      self->lines_.update(scale);
      self->bar_.update(scale);
      self->ring_.update(scale);
      const int* size = self->renderer_.GetSize();
      self->scale_.update(scale, size[0], size[1]);
      const auto margin = static_cast<int>(text_margin * scale);
      self->caption_->SetDisplayPosition(margin, self->renderer_.GetSize()[1] - margin);
      self->read_out_->SetDisplayPosition(margin, margin);
      self->names_.update(scale);  // which leave the others free
    });
    renderer_.AddObserver(vtkCommand::StartEvent, start_of_frame_);
  }
  ~Shown() {
    renderer_.RemoveObserver(start_of_frame_);
    renderer_.RemoveViewProp(prop_);
    renderer_.RemoveViewProp(caption_);
    renderer_.RemoveViewProp(read_out_);
  }
  Shown(const Shown&) = delete;
  Shown& operator=(const Shown&) = delete;

  void set(const BodiesDrawing& drawing, const std::string& quantity) {
    const double radius = drawing.extent.radius;
    prop_->set_points(drawing.points);
    prop_->set_bounds({-radius, radius, -radius, radius, -radius, radius});
    lines_.set(drawing.lines);
    std::vector<Eigen::Vector3d> rings;
    if (drawing.chosen_place) rings.push_back(*drawing.chosen_place);
    ring_.set(rings, "");
    names_.set(drawing.names);
    set_bar(*drawing.points, quantity, drawing);
    const auto& labels = *drawing.frame->labels;
    const auto [size, name] = labels.box     ? isolume::nbody::ShownUnit{1, "Mpc/h"}
                              : labels.units ? length_unit(*labels.units)
                                             : isolume::nbody::ShownUnit{1, "(G = 1)"};
    scale_.set_unit(name, size);
    scale_.set_visible(true);
  }

  void set_on_lost(std::function<void()> on_lost) { prop_->set_on_lost(std::move(on_lost)); }

  void start_like(const Shown& other) { names_.start_like(other.names_); }

  void set_caption(const std::string& text) { write(text, *caption_); }
  void set_read_out(const std::string& text) { write(text, *read_out_); }

 private:
  static constexpr double text_points = 13, text_margin = 10;

  static void write(const std::string& text, vtkTextActor& where) {
    where.SetInput(scene::displayable(text).c_str());
    where.SetVisibility(!text.empty());
  }

  void set_bar(const scene::LightPoints& points, const std::string& quantity, const BodiesDrawing& drawing) {
    const bool shown = points.surface_density || !points.distinct;
    bar_.set_visible(shown);
    if (!shown) return;
    const auto unit = bar_unit(drawing);
    auto [low, high] = points.surface_density.value_or(points.range);
    low = static_cast<float>(low * unit.size);
    high = static_cast<float>(high * unit.size);
    if (points.surface_density || points.logarithmic) {
      colours_ = scene::logarithmic_map(low, high);
    } else {
      colours_ = scene::sequential_map(1);
      colours_->SetTableRange(low, high);
    }
    bar_.set_meaning(*colours_, quantity, unit.name);
  }

  vtkRenderer& renderer_;
  vtkNew<scene::PointsProp> prop_;
  scene::LineSetProp lines_;
  scene::ColourBar bar_;
  scene::MeasureMark ring_;
  BodyNames names_;
  scene::ScaleBar scale_;
  vtkNew<vtkTextActor> caption_, read_out_;
  vtkSmartPointer<vtkLookupTable> colours_;
  vtkNew<vtkCallbackCommand> start_of_frame_;
};

BodiesPicture::BodiesPicture(vtkRenderer& renderer)
    : renderer_(renderer), shown_(std::make_unique<Shown>(renderer)) {}

BodiesPicture::~BodiesPicture() = default;

void BodiesPicture::set_on_lost(std::function<void()> on_lost) {
  shown_->set_on_lost(std::move(on_lost));
}

namespace {

void move_camera(vtkRenderer& renderer, const Eigen::Vector3d& by) {
  auto* camera = renderer.GetActiveCamera();
  Eigen::Vector3d place, focus;
  camera->GetPosition(place.data());
  camera->GetFocalPoint(focus.data());
  place += by;
  focus += by;
  camera->SetPosition(place.data());
  camera->SetFocalPoint(focus.data());
}

}  // namespace

void BodiesPicture::show(const BodiesDrawing& drawing, const std::string& quantity) {
  const auto before = drawing_.followed;
  const bool same_place = !empty() && drawing_.extent.middle == drawing.extent.middle;
  drawing_ = drawing;
  quantity_ = quantity;
  shown_->set(drawing_, quantity_);
  if (!drawing_.followed) return;
  before&& same_place ? move_camera(renderer_, *drawing_.followed - *before) : look_at_followed();
}

void BodiesPicture::set_caption(const std::string& text) {
  caption_ = text;
  shown_->set_caption(text);
}

void BodiesPicture::set_read_out(const std::string& text, const std::string& in_copies) {
  read_out_of_copies_ = in_copies;
  shown_->set_read_out(text);
}

void BodiesPicture::look_at_followed() {
  if (!drawing_.followed) return;
  Eigen::Vector3d focus;
  renderer_.GetActiveCamera()->GetFocalPoint(focus.data());
  move_camera(renderer_, *drawing_.followed - focus);
}

std::shared_ptr<const void> BodiesPicture::copy_into(vtkRenderer& renderer) const {
  auto copy = std::make_shared<Shown>(renderer);
  copy->start_like(*shown_);
  if (!empty()) copy->set(drawing_, quantity_);
  copy->set_caption(caption_);
  copy->set_read_out(read_out_of_copies_);
  return copy;
}

std::optional<std::size_t> BodiesPicture::body_at(double x, double y, double pixels) const {
  if (empty()) return std::nullopt;
  const int* size = renderer_.GetSize();
  const double aspect = static_cast<double>(size[0]) / std::max(1, size[1]);
  const Eigen::Matrix4f onto_picture =
      Eigen::Map<const Eigen::Matrix<double, 4, 4, Eigen::RowMajor>>(
          renderer_.GetActiveCamera()->GetCompositeProjectionTransformMatrix(aspect, -1, 1)->GetData())
          .cast<float>();
  const Eigen::Array2f half(0.5F * static_cast<float>(size[0]), 0.5F * static_cast<float>(size[1]));
  const Eigen::Array2f wanted = Eigen::Array2d(2 * x - 1, 2 * y - 1).cast<float>();
  std::optional<std::size_t> nearest;
  auto least = static_cast<float>(pixels);
  const std::vector<float>& positions = drawing_.frame->positions.host();
  const Eigen::Vector3f shift = (drawing_.frame->centre - drawing_.extent.middle).cast<float>();
  for (const std::size_t number : drawing_.steady->numbers) {
    const Eigen::Vector3f place = Eigen::Vector3f::Map(&positions[3 * number]) + shift;
    const Eigen::Vector4f there = onto_picture * place.homogeneous();
    if (there.w() <= 0) continue;
    const float distance = ((there.head<2>().array() / there.w() - wanted) * half).matrix().norm();
    if (distance > least) continue;
    least = distance;
    nearest = number;
  }
  return nearest;
}

}  // namespace isolume::labs::nbody
