#include "app/scene/fields/field_scene.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <vtkCallbackCommand.h>
#include <vtkCamera.h>
#include <vtkCommand.h>
#include <vtkLookupTable.h>
#include <vtkNew.h>
#include <vtkPolyData.h>
#include <vtkRenderWindow.h>
#include <vtkRenderWindowInteractor.h>
#include <vtkRenderer.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/annotations.h"
#include "app/scene/fields/colour_bar.h"
#include "app/scene/fields/colour_map.h"
#include "app/scene/fields/depth_cue.h"
#include "app/scene/fields/slice_handle.h"
#include "app/scene/fields/slice_prop.h"
#include "app/scene/fields/stage.h"
#include "app/scene/fields/surface_prop.h"
#include "app/scene/props/volume_prop.h"
#include "core/base/error.h"
#include "core/base/language.h"
#include "core/base/shown_number.h"
#include "core/base/suffix.h"
#include "core/fields/numbers.h"
#include "core/grid/face_values.h"

namespace isolume::scene {

struct FieldScene::Parts {
  Parts(vtkRenderer& target, const std::string& length_unit);
  ~Parts() { renderer->RemoveObserver(start_of_frame); }

  void adapt_to_picture();
  void place_slice();
  void show_field_colours();
  void show_colour_bar();
  bool field_colours_seen() const { return slice.visible() || volume.visible(); }
  bool colours_itself() const { return colouring && colouring->field == field; }
  /// The range of the field's own colours; empty: determined from the field.
  std::optional<ColourSpan> field_span() const;
  std::vector<Swatch> isosurface_swatches() const;
  void show_caption();
  void show_surface_colours();
  void place_bars(double scale);
  bool stands_at(const Stand& place) const;
  void note_camera();
  bool moved_by_hand() const;
  double scale_of_window() const;
  std::string notice() const;
  bool behind_surface(const Eigen::Vector3d& place) const;

  vtkSmartPointer<vtkRenderer> renderer;
  const std::string length_unit;
  SurfaceProp surface;
  SliceProp slice;
  SliceHandle handle;
  VolumeProp volume;
  DepthCue depth_cue;
  ColourBar colour_bar;   ///< for slice, volume, and objects of the lab
  ColourBar surface_bar;  ///< for a second field on the surface, or for the isosurfaces
  KeptColourMap surface_map;
  vtkSmartPointer<vtkLookupTable> surface_colours;
  vtkSmartPointer<vtkLookupTable> colours_beside;
  Annotations annotations;
  vtkNew<vtkCallbackCommand> start_of_frame;
  double pixel_scale = 0;
  Eigen::Vector3d widest_normal = Eigen::Vector3d::UnitZ();
  std::shared_ptr<const grid::ScalarField> field;
  bool both_signs = false;
  std::string caption;                             ///< describes how the field was computed
  double sample_height = 0;                        ///< above the surface, where its colours are taken
  std::shared_ptr<const grid::ScalarField> shape;  ///< the field of the surface
  std::string missing;
  bool striped = false;        ///< some values on the surfaces are unknown
  std::string further_notice;  ///< on what is drawn in addition to the field
  std::optional<SurfaceColouring> colouring;
  std::optional<Stand> home;  ///< camera of the first picture
  Stand standing;             ///< camera of the last picture
  Stand noted;                ///< camera as fitted, or restored from a session
  Eigen::Vector3d noted_focus = {0, 0, 0};
  FieldView view;
  Rgb text{};
  std::function<void(double)> slice_dragged, before_frame;
};

FieldScene::Parts::Parts(vtkRenderer& target, const std::string& unit_of_length)
    : renderer(&target),
      length_unit(unit_of_length),
      surface(target),
      slice(target),
      handle(target,
             [this](double position) {
               view.slice_position = position;
               place_slice();
               if (slice_dragged) slice_dragged(position);
             }),
      volume(target),
      depth_cue(target),
      colour_bar(target),
      surface_bar(target),
      annotations(target, {{"x", "y", "z"}, pretty_unit(unit_of_length)}) {
  start_of_frame->SetClientData(this);
  start_of_frame->SetCallback(
      [](vtkObject*, unsigned long, void* parts, void*) { static_cast<Parts*>(parts)->adapt_to_picture(); });
  renderer->AddObserver(vtkCommand::StartEvent, start_of_frame);
  slice.set_hidden([this](const Eigen::Vector3d& place) { return behind_surface(place); });
}

/// Whether an opaque isosurface is between the place and the eye.
bool FieldScene::Parts::behind_surface(const Eigen::Vector3d& place) const {
  const bool opaque = view.style == SurfaceStyle::smooth && view.opacity >= 1;
  if (!surface.visible() || !opaque || shape == nullptr) return false;
  auto& camera = *renderer->GetActiveCamera();
  const Eigen::Vector3d eye(camera.GetPosition());
  const Eigen::Vector3d direction = orthographic(*renderer)
                                        ? Eigen::Vector3d(camera.GetDirectionOfProjection())
                                        : Eigen::Vector3d((place - eye).normalized());
  const double distance = (place - eye).dot(direction);
  const auto& lobes = surface.lobes();
  const auto hit = fields::first_on_isosurface(*shape, place - distance * direction, direction,
                                               lobes.positive.isovalue, !lobes.negative.empty());
  return hit && (*hit - place).dot(direction) < 0;
}

/// Lines keep their width in points on screens and in pictures of any density.
void FieldScene::Parts::adapt_to_picture() {
  const double scale = scale_of_window();
  if (scale != pixel_scale) {
    pixel_scale = scale;
    surface.set_pixel_scale(scale);
    slice.set_pixel_scale(scale);
    handle.set_pixel_scale(scale);
  }
  const bool draft = renderer->GetRenderWindow()->GetDesiredUpdateRate() > 1;
  slice.update_labels();
  surface.set_draft(draft);
  volume.set_draft(draft);
  place_bars(scale);  // determines the room for notices
  const double raised = annotations.raised();
  annotations.update(scale);
  if (annotations.raised() != raised) place_bars(scale);
  if (before_frame) before_frame(scale);
}

void FieldScene::Parts::place_slice() {
  using Eigen::Vector3d;
  const std::array normals{Vector3d(Vector3d::UnitX()), Vector3d(Vector3d::UnitY()),
                           Vector3d(Vector3d::UnitZ()), widest_normal};
  slice.set_plane(normals.at(static_cast<std::size_t>(view.slice_axis)), view.slice_position);
  handle.set_rectangle(slice.rectangle(), view.slice_position);
  annotations.set_notice(notice());
}

std::optional<ColourSpan> FieldScene::Parts::field_span() const {
  if (!view.colours_of_field) return std::nullopt;
  if (view.colour_range == ColourRange::usual && !colours_itself()) return std::nullopt;
  return colour_span(view, both_signs, colours_itself() ? colouring->usual_limit : view.colour_limit);
}

void FieldScene::Parts::show_field_colours() {
  slice.set_span(field_span());
  slice.set_visible(view.slice, view.slice_contours, view.slice_values);
  place_slice();
  handle.set_visible(slice.visible());
  volume.set_look(slice.colours(), view.volume_opacity);
  volume.set_visible(view.volume);
  show_colour_bar();
}

void FieldScene::Parts::show_colour_bar() {
  // One bar for the same colours suffices.
  const bool seen = field != nullptr && (field_colours_seen() || colours_beside);
  const bool barred = seen && !(colours_itself() && view.colours_of_field && surface.visible());
  colour_bar.set_visible(barred);
  if (barred) {
    colour_bar.set_meaning(field_colours_seen() ? slice.colours() : *colours_beside, field->name,
                           field->unit);
  }
  show_caption();
  // The room for the scene must be known before the camera is fitted to it.
  place_bars(scale_of_window());
}

void FieldScene::Parts::show_surface_colours() {
  surface_colours = nullptr;
  if (colouring) {
    const auto span = colour_span(view, colouring->both_signs, colouring->usual_limit);
    const Rgb middle{0.93, 0.93, 0.93};
    using enum ColourMapChoice::Kind;
    surface_colours = surface_map.table_for(
        colouring->both_signs ? ColourMapChoice{diverging, span, colour_of(view.negative_colour), middle,
                                                colour_of(view.positive_colour)}
                              : ColourMapChoice{sequential, span});
  }
  surface.set_values_shown(surface_colours);
  const bool isosurfaces = view.isosurface_key && field != nullptr && shape == field;
  surface_bar.set_visible(surface.visible() && (colouring || isosurfaces));
  if (colouring) {
    surface_bar.set_meaning(*surface_colours, colouring->field->name, colouring->field->unit);
  } else if (isosurfaces) {
    surface_bar.set_swatches(isosurface_swatches(), field->name, field->unit);
  }
  show_caption();
  place_bars(scale_of_window());
}

std::vector<Swatch> FieldScene::Parts::isosurface_swatches() const {
  const double isovalue = surface.lobes().positive.isovalue;
  std::vector<Swatch> swatches{{colour_of(view.positive_colour), "+" + shown_reading(isovalue)}};
  if (both_signs) swatches.push_back({colour_of(view.negative_colour), shown_reading(-isovalue)});
  return swatches;
}

/// The caption describes the method while the field is visible in any way.
void FieldScene::Parts::show_caption() {
  const bool seen = field != nullptr && (surface.visible() || field_colours_seen() || colours_beside);
  std::string shown = seen ? caption : std::string();
  if (!shown.empty() && sample_height != 0 && view.surface)
    shown += filled(localised("scene", ", colours from %1 %2 above the surface"),
                    {shown_reading(sample_height), std::string(grid::shown_unit(field->grid.unit))});
  annotations.set_caption(shown);
}

double FieldScene::Parts::scale_of_window() const {
  auto* window = renderer->GetRenderWindow();
  return window != nullptr ? window->GetDPI() / 72.0 : 1;
}

/// One bar is centred, two are stacked. The camera looks past the picture's centre, so that the scene is
/// centred in the remaining part (`camera.h` fits the scene into it).
void FieldScene::Parts::place_bars(double scale) {
  const bool both = colour_bar.visible() && surface_bar.visible();
  auto* window = renderer->GetRenderWindow();
  const double height = window != nullptr ? window->GetSize()[1] : 0;
  // Captions raise the scale bar; colour bars end above it.
  constexpr double scale_bar_points = 50;
  const double taken =
      height > 0 && annotations.raised() > 0 ? (annotations.raised() + scale_bar_points * scale) / height : 0;
  const double above = both ? 0.58 : 0.25,
               under_swatches = 0.87 - surface_bar.height_with_next_title() * scale / height;
  const bool swatches = both && !colouring && height > 0;
  surface_bar.set_span(std::max(above, taken), both ? 0.87 : 0.77);
  colour_bar.set_span(std::max(both ? 0.15 : 0.25, taken), swatches ? under_swatches : both ? 0.44 : 0.77);
  for (ColourBar* bar : {&colour_bar, &surface_bar}) bar->update(scale);
  const double share = std::max(colour_bar.share_of_width(), surface_bar.share_of_width());
  annotations.set_room(1 - share);
  if (!moved_by_hand()) renderer->GetActiveCamera()->SetWindowCenter(share, 0);
}

/// Up to rounding.
bool FieldScene::Parts::stands_at(const Stand& place) const {
  const Stand now = stand(*renderer);
  const double is = orthographic(*renderer) ? now.scale : now.distance;
  const double should = orthographic(*renderer) ? place.scale : place.distance;
  return std::abs(is - should) <= 1e-6 * should;
}

void FieldScene::Parts::note_camera() {
  noted = stand(*renderer);
  noted_focus = vector_of(renderer->GetActiveCamera()->GetFocalPoint());
}

/// Zoomed or panned; turning leaves the scene in its place.
bool FieldScene::Parts::moved_by_hand() const {
  auto* window = renderer->GetRenderWindow();
  if (!home || window == nullptr || window->GetInteractor() == nullptr) return false;
  const Eigen::Vector3d focus = vector_of(renderer->GetActiveCamera()->GetFocalPoint());
  return !stands_at(noted) || !focus.isApprox(noted_focus);
}

/// The notice about the picture.
std::string FieldScene::Parts::notice() const {
  std::string said = further_notice;
  const auto add = [&said](const std::string& sentence) {
    if (!sentence.empty()) said += (said.empty() ? "" : " ") + sentence;
  };
  if (slice.lies_in_nodal_plane())
    add(localised("scene", "The field is zero in the plane of the slice. Move or turn the slice."));
  if (!view.surface) return said;
  add(missing);
  if (!colouring || !surface.visible() || !striped) return said;
  if (!colouring->covers_all)
    add(filled(
        localised("scene", "Stripes mark the surface outside the box of %1, where values are unknown."),
        {colouring->field->name}));
  add(colouring->blank);
  return said;
}

namespace {

/// A warning about a surface that ends at the faces of the box.
std::string cut_surface(const FieldPicture& picture) {
  const double isovalue = picture.lobes.positive.isovalue;
  if (picture.lobes.positive.empty() && picture.lobes.negative.empty()) return {};
  const double reached = grid::largest_on_faces(*picture.field);
  if (isovalue >= reached) return {};
  const std::string suffix = picture.field->unit.empty() ? "" : " " + pretty_unit(picture.field->unit);
  return filled(localised("scene",
                          "The box cuts off the surface at %1: values on its faces reach %2. Choose a larger "
                          "box or isovalue."),
                {shown_reading(isovalue) + suffix, shown_reading(reached) + suffix});
}

}  // namespace

namespace {

/// A part of a surface may have none, where the whole has some.
bool has_unknown_values(const Surface& surface) {
  if (surface.values == nullptr) return false;
  const std::span values(surface.values->GetPointer(0),
                         static_cast<std::size_t>(surface.values->GetNumberOfTuples()));
  return std::ranges::any_of(values, [](float value) { return std::isnan(value); });
}

}  // namespace

FieldScene::FieldScene(vtkRenderer& renderer, const std::string& length_unit)
    : parts_(std::make_unique<Parts>(renderer, length_unit)) {
  set_stage(renderer);
  set_view({}, false);
}

FieldScene::~FieldScene() = default;

void FieldScene::set_field(std::shared_ptr<const grid::ScalarField> field, bool both_signs) {
  parts_->field = std::move(field);
  parts_->both_signs = both_signs;
  parts_->caption.clear();
  parts_->shape = parts_->field;
  parts_->colouring.reset();
  parts_->volume.set_volume({});
  parts_->slice.set_field(parts_->field, both_signs);
  if (parts_->field == nullptr) return set_lobes({});
  parts_->show_field_colours();
}

void FieldScene::set_lobes(Lobes lobes, std::string missing) {
  parts_->striped = has_unknown_values(lobes.positive) || has_unknown_values(lobes.negative);
  parts_->surface.set_lobes(std::move(lobes));
  parts_->missing = std::move(missing);
  parts_->show_field_colours();
  parts_->show_surface_colours();
  parts_->annotations.set_notice(parts_->notice());
}

void FieldScene::show(const FieldPicture& picture) {
  set_field(picture.field, picture.both_signs);
  parts_->caption = picture.method;
  if (!picture.method.empty() && !picture.refined) parts_->caption += localised("scene", " (preview)");
  parts_->sample_height = picture.colouring ? picture.sample_height : 0;
  parts_->shape = picture.shape;
  parts_->colouring = picture.colouring;
  parts_->volume.set_volume(picture.volume);
  parts_->show_field_colours();
  const bool own = picture.shape == picture.field;
  std::string missing;
  if (own) missing = scene::missing_surface(picture.lobes, picture.summary, picture.field->unit);
  if (own && missing.empty()) missing = cut_surface(picture);
  set_lobes(picture.lobes, std::move(missing));
}

void FieldScene::set_colours_beside(vtkSmartPointer<vtkLookupTable> colours) {
  parts_->colours_beside = std::move(colours);
  parts_->show_colour_bar();
}

void FieldScene::set_further_notice(std::string sentence) {
  if (sentence == parts_->further_notice) return;
  parts_->further_notice = std::move(sentence);
  parts_->annotations.set_notice(parts_->notice());
}

ColourSpan FieldScene::colours_of_field() const {
  const double* range = parts_->slice.colours().GetRange();
  return {range[0], range[1]};
}

void FieldScene::set_widest_normal(const Eigen::Vector3d& normal) {
  parts_->widest_normal = normal;
  parts_->place_slice();
}

void FieldScene::set_view(const FieldView& view, bool dark) {
  auto& p = *parts_;
  const Rgb background = view.background == "auto" ? background_colour(dark) : colour_of(view.background);
  const Rgb positive = colour_of(view.positive_colour);
  const Rgb negative = colour_of(view.negative_colour);
  p.view = view;
  p.renderer->SetBackground(background[0], background[1], background[2]);
  p.depth_cue.set(view.depth_cue, background);
  p.surface.set_style(view.style, view.opacity, positive, negative);
  p.surface.set_visible(view.surface);
  p.text = text_colour_on(background);
  const bool on_dark = luminance(background) < 0.3;
  p.annotations.set_colour(p.text);
  p.slice.set_text_colour(p.text);
  p.annotations.set_visible(view.scale_bar);
  p.colour_bar.set_colour(p.text);
  p.surface_bar.set_colour(p.text);
  p.slice.set_colours(negative, on_dark ? Rgb{0.17, 0.19, 0.22} : Rgb{0.97, 0.97, 0.97}, positive,
                      on_dark ? Rgb{0.85, 0.85, 0.88} : Rgb{0.2, 0.2, 0.22});
  p.handle.set_colour(on_dark ? Rgb{0.6, 0.62, 0.66} : Rgb{0.45, 0.46, 0.5}, colour_of("#e69f00"));
  p.show_field_colours();
  p.show_surface_colours();
}

std::string FieldScene::missing_surface() const {
  return parts_->view.surface ? parts_->missing : std::string();
}

const Lobes& FieldScene::lobes() const {
  return parts_->surface.lobes();
}

Rgb FieldScene::text_colour() const {
  return parts_->text;
}

void FieldScene::before_frame(std::function<void(double pixel_scale)> callback) {
  parts_->before_frame = std::move(callback);
}

namespace {

struct Ray {
  Eigen::Vector3d start, direction;
};

/// A ray from the near plane through a point of the picture.
Ray ray_through(vtkRenderer& renderer, double x, double y) {
  using Eigen::Vector3d;
  const auto seen_at = [&](double depth) {
    renderer.SetViewPoint(2 * x - 1, 2 * y - 1, depth);
    renderer.ViewToWorld();
    const double* world = renderer.GetWorldPoint();
    return Vector3d(Vector3d(world[0], world[1], world[2]) / world[3]);
  };
  const Vector3d start = seen_at(0);
  return {start, (seen_at(1) - start).normalized()};
}

}  // namespace

std::optional<Eigen::Vector3d> FieldScene::place_on_surface(double x, double y) const {
  auto& p = *parts_;
  if (!p.surface.visible() || p.shape == nullptr) return std::nullopt;
  const auto [start, direction] = ray_through(*p.renderer, x, y);
  const auto& lobes = p.surface.lobes();
  return fields::first_on_isosurface(*p.shape, start, direction, lobes.positive.isovalue,
                                     !lobes.negative.empty());
}

/// The slice is opaque, and so may the surface be.
FieldScene::Seen FieldScene::seen_at(double x, double y) const {
  Seen seen{place_on_surface(x, y), place_on_slice(x, y)};
  if (!seen.surface || !seen.slice) return seen;
  const auto [start, direction] = ray_through(*parts_->renderer, x, y);
  if ((*seen.slice - start).dot(direction) < (*seen.surface - start).dot(direction)) {
    seen.surface.reset();
  } else if (parts_->view.style == SurfaceStyle::smooth && parts_->view.opacity >= 1) {
    seen.slice.reset();
  }
  return seen;
}

std::string FieldScene::reading_at(double x, double y) const {
  auto& p = *parts_;
  const auto [surface, slice] = seen_at(x, y);
  std::vector<std::string> lines;
  if (surface) {
    const auto value = p.colours_itself() && p.colouring->at_vertices
                           ? sampled_value_at(p.surface.lobes(), *surface)
                           : fields::value_at(*p.field, *surface);
    lines.push_back((slice ? "Surface: " : "") + value_text(*p.field, *surface, value));
    if (p.colouring && p.colouring->field != p.field)
      lines.back() += "\n" + named_value(*p.colouring, p.surface.lobes(), *surface);
  }
  if (slice) lines.push_back((surface ? "Slice: " : "") + value_text(*p.field, *slice));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

std::optional<Eigen::Vector3d> FieldScene::place_on_slice(double x, double y) const {
  using Eigen::Vector3d;
  auto& p = *parts_;
  if (!p.slice.visible()) return std::nullopt;
  const auto [start, direction] = ray_through(*p.renderer, x, y);
  const SliceRectangle& rectangle = p.slice.rectangle();
  const double toward = direction.dot(rectangle.normal);
  if (std::abs(toward) < 1e-9) return std::nullopt;  // seen edge-on
  const double along = (rectangle.corner - start).dot(rectangle.normal) / toward;
  if (along < 0) return std::nullopt;
  const Vector3d place = start + along * direction;
  const Vector3d from_corner = place - rectangle.corner;
  const double first = from_corner.dot(rectangle.along), second = from_corner.dot(rectangle.across);
  if (first < 0 || second < 0 || first > rectangle.length || second > rectangle.width) return std::nullopt;
  return place;
}

void FieldScene::forget_camera() {
  parts_->home.reset();
}

void FieldScene::take_camera() {
  auto& p = *parts_;
  const auto take = [&p] {
    p.home = p.standing = stand(*p.renderer);
    p.note_camera();
  };
  take();
  auto* camera = p.renderer->GetActiveCamera();
  const double room = camera->GetWindowCenter()[0];
  p.place_bars(p.scale_of_window());
  if (camera->GetWindowCenter()[0] == room) return;
  reset_camera(*p.renderer);  // it was fitted into the room of earlier bars
  take();
}

void FieldScene::leave_camera() {
  parts_->home = stand(*parts_->renderer);
  parts_->standing = {};
  parts_->note_camera();
}

void FieldScene::keep_in_view() {
  auto& p = *parts_;
  auto& renderer = *p.renderer;
  if (!p.home) {
    reset_camera(renderer);
    p.home = p.standing = stand(renderer);
    p.note_camera();
  } else if (p.stands_at(p.standing)) {
    constexpr double to_the_edge = 1, with_room = 0.9;
    const Stand needed = stand_to_fit(renderer, to_the_edge);
    const bool fits =
        orthographic(renderer) ? needed.scale <= p.home->scale : needed.distance <= p.home->distance;
    p.standing = fits ? *p.home : stand_to_fit(renderer, with_room);
    if (!p.stands_at(p.standing)) stand_at(renderer, p.standing);
    p.noted = p.standing;
  }
  renderer.ResetCameraClippingRange();  // new objects may be nearer to the camera than the old range
}

void FieldScene::on_slice_dragged(std::function<void(double position)> callback) {
  parts_->slice_dragged = std::move(callback);
}

namespace {

/// Copies without the GPU's surfaces, which only one thread at a time may use.
Lobes on_host(const Lobes& lobes) {
  Lobes all = lobes;
  for (Surface* surface : {&all.positive, &all.negative}) {
    surface->mesh = mesh_of(*surface);
    surface->on_gpu.reset();
  }
  return all;
}

}  // namespace

std::function<void()> FieldScene::prepare_export(const std::filesystem::path& path,
                                                 std::vector<ExportedBody> others) const {
  const auto& p = *parts_;
  const std::string suffix = suffix_of(path);
  const bool surfaces = suffix == ".stl" || suffix == ".ply" || suffix == ".vtp";
  if (!surfaces && suffix != ".gltf") {
    throw Error(fmt::format("{}: a scene can be exported as .stl, .ply, .vtp or .gltf; found the suffix {}.",
                            path.string(), isolume::quoted(suffix)));
  }
  std::optional<ExportedValues> values;
  if (p.colouring && p.surface_colours) {
    values = {fmt::format("{} / {}", p.colouring->field->name, p.colouring->field->unit), p.surface_colours};
  }
  if (surfaces) {
    if (!p.surface.visible())
      throw Error(fmt::format("{}: there is no surface to export. Show one first.", path.string()));
    return [lobes = on_host(p.surface.lobes()), unit = p.length_unit, values, path] {
      export_surfaces(lobes, unit, values, path);
    };
  }
  const Lobes lobes = p.surface.visible() ? on_host(p.surface.lobes()) : Lobes();
  if (lobes.positive.empty() && lobes.negative.empty() && others.empty())
    throw Error(
        fmt::format("{}: there is nothing to export. Show a field or a molecule first.", path.string()));
  const double opacity = p.view.style == SurfaceStyle::smooth ? p.view.opacity : 1;
  const Rgb positive = colour_of(p.view.positive_colour), negative = colour_of(p.view.negative_colour);
  return [=, others = std::move(others)] {
    std::vector<ExportedBody> bodies;
    if (!lobes.positive.empty())
      bodies.push_back({"positive lobe", with_values(lobes.positive, values), positive, opacity});
    if (!lobes.negative.empty())
      bodies.push_back({"negative lobe", with_values(lobes.negative, values), negative, opacity});
    bodies.insert(bodies.end(), others.begin(), others.end());
    export_gltf(bodies, path);
  };
}

}  // namespace isolume::scene
