#include "app/scene/fields/annotations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <vtkActor2D.h>
#include <vtkCamera.h>
#include <vtkCellArray.h>
#include <vtkNew.h>
#include <vtkPoints.h>
#include <vtkPolyData.h>
#include <vtkPolyDataMapper2D.h>
#include <vtkProperty2D.h>
#include <vtkRenderer.h>
#include <vtkTextActor.h>
#include <vtkTextProperty.h>

#include "app/scene/cameras/camera.h"
#include "app/scene/drawing/stroke.h"
#include "app/scene/fields/scale_bar.h"

namespace isolume::scene {
namespace {

using Eigen::Vector2d;
using Eigen::Vector3d;

constexpr double margin = 18;
constexpr double arm_length = 30;
constexpr double thickness = 2.2;
constexpr double caption_points = 11, caption_letter_width = 6.6;
constexpr double caption_margin = 6;

struct Stroke {
  vtkNew<vtkPolyData> shape;
  vtkNew<vtkPolyDataMapper2D> mapper;
  vtkNew<vtkActor2D> actor;

  Stroke() {
    mapper->SetInputData(shape);
    actor->SetMapper(mapper);
  }
  void draw(const Vector2d& from, const Vector2d& to, double thick) {
    vtkNew<vtkPoints> points;
    vtkNew<vtkCellArray> cell;
    add_stroke(*points, *cell, from, to, thick);
    shape->SetPoints(points);
    shape->SetPolys(cell);
  }
};

struct Axis {
  Stroke stroke;
  vtkNew<vtkTextActor> name;
};

void centre(vtkTextActor& text) {
  text.GetTextProperty()->SetJustificationToCentered();
  text.GetTextProperty()->SetVerticalJustificationToCentered();
}

}  // namespace

struct Annotations::Parts {
  vtkSmartPointer<vtkRenderer> renderer;
  std::array<Axis, 3> axes;
  std::optional<ScaleBar> bar;
  vtkNew<vtkTextActor> notice;
  std::string notice_text;
  vtkNew<vtkTextActor> caption;
  std::string caption_text;
  double raised = 0;        ///< by the caption, in pixels
  double notice_share = 1;  ///< fraction of the picture's width

  template <class Visit>
  void for_each_prop(Visit visit) {
    for (auto& axis : axes) {
      visit(axis.stroke.actor.Get());
      visit(axis.name.Get());
    }
  }
  void draw_axes(double scale);
  void place_notice(double scale, int width, int height);
  void place_caption(double scale, int width);
};

void Annotations::Parts::draw_axes(double scale) {
  auto* camera = renderer->GetActiveCamera();
  const Vector3d toward =
      (vector_of(camera->GetPosition()) - vector_of(camera->GetFocalPoint())).normalized();
  const Vector3d right = vector_of(camera->GetViewUp()).cross(toward).normalized();
  const Vector3d up = toward.cross(right);
  const double room = (arm_length + margin) * scale;
  const Vector2d origin(room, room + raised);
  const double apart = 15 * scale;  // between the middles of letters, which have backdrops
  std::vector<Vector2d> places;
  for (int i = 0; i < 3; ++i) {
    const Vector2d direction(right[i], up[i]);
    axes[i].stroke.draw(origin, origin + direction * (arm_length * scale), thickness * scale);
    const double length = direction.norm();
    // The label of an axis towards the eye is next to the origin, not on it.
    const Vector2d beyond = length > 0.2 ? Vector2d(direction / length) : Vector2d(-0.7, -0.7);
    Vector2d place = origin + direction * (arm_length * scale) + beyond * (9 * scale);
    for (const Vector2d& other : places) {
      const Vector2d off = place - other;
      if (off.norm() < apart) place = other + (off.norm() > 1 ? off.normalized() : beyond) * apart;
    }
    places.push_back(place);
    axes[i].name->SetDisplayPosition(static_cast<int>(place.x()), static_cast<int>(place.y()));
  }
}

/// Wraps at spaces into lines of at most this many letters, and after sentences.
std::string lines_of(std::string_view text, std::size_t most_letters) {
  std::string lines;
  std::size_t length = 0;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    const bool sentence_ended = lines.ends_with('.');
    if (!lines.empty()) lines += sentence_ended || length + word.size() >= most_letters ? '\n' : ' ';
    length = lines.ends_with('\n') ? 0 : length + 1;
    lines += word;
    length += word.size();
  }
  return lines;
}

void Annotations::Parts::place_notice(double scale, int width, int height) {
  if (notice_text.empty()) return;
  const auto letters = static_cast<std::size_t>(
      std::max(12.0, (notice_share * width / scale - 2 * margin) / scene_letter_width));
  notice->SetInput(lines_of(notice_text, letters).c_str());
  notice->SetDisplayPosition(static_cast<int>(notice_share * width / 2),
                             static_cast<int>(height - margin * scale));
}

/// The caption is centred at the bottom; axes and scale bar are above it.
void Annotations::Parts::place_caption(double scale, int width) {
  raised = 0;
  if (caption_text.empty()) return;
  const auto letters =
      static_cast<std::size_t>(std::max(12.0, (width / scale - 2 * caption_margin) / caption_letter_width));
  const std::string lines = lines_of(caption_text, letters);
  caption->SetInput(lines.c_str());
  caption->SetDisplayPosition(width / 2, static_cast<int>(caption_margin * scale));
  constexpr double line_height = 1.25 * caption_points;
  raised = line_height * static_cast<double>(1 + std::ranges::count(lines, '\n')) * scale;
}

Annotations::Annotations(vtkRenderer& renderer, Names names) : parts_(std::make_unique<Parts>()) {
  auto& p = *parts_;
  p.renderer = &renderer;
  p.bar.emplace(renderer);
  p.bar->set_unit(names.unit);
  for (std::size_t i = 0; i < 3; ++i) {
    p.axes[i].name->SetInput(names.axes[i].c_str());
    centre(*p.axes[i].name);
  }
  p.notice->GetTextProperty()->SetJustificationToCentered();
  p.notice->GetTextProperty()->SetVerticalJustificationToTop();
  p.for_each_prop([&](vtkProp* prop) { renderer.AddViewProp(prop); });
  p.caption->GetTextProperty()->SetJustificationToCentered();
  p.caption->GetTextProperty()->SetVerticalJustificationToBottom();
  renderer.AddViewProp(p.notice);
  renderer.AddViewProp(p.caption);
  set_notice({});
  set_caption({});
}

Annotations::~Annotations() {
  parts_->for_each_prop([&](vtkProp* prop) { parts_->renderer->RemoveViewProp(prop); });
  parts_->renderer->RemoveViewProp(parts_->notice);
  parts_->renderer->RemoveViewProp(parts_->caption);
}

void Annotations::set_visible(bool visible) {
  parts_->for_each_prop([&](vtkProp* prop) { prop->SetVisibility(visible); });
  parts_->bar->set_visible(visible);
}

void Annotations::set_notice(std::string_view text) {
  parts_->notice_text = displayable(text);
  parts_->notice->SetVisibility(!text.empty());
}

void Annotations::set_caption(std::string_view text) {
  parts_->caption_text = displayable(text);
  parts_->caption->SetVisibility(!text.empty());
}

void Annotations::set_colour(const Rgb& text) {
  // Okabe-Ito: vermilion, green, blue; a lighter blue on dark.
  const std::array colours{colour_of("#d55e00"), colour_of("#009e73"),
                           colour_of(luminance(text) > 0.5 ? "#56b4e9" : "#0072b2")};
  for (std::size_t i = 0; i < 3; ++i) {
    auto& axis = parts_->axes[i];
    axis.stroke.actor->GetProperty()->SetColor(colours[i][0], colours[i][1], colours[i][2]);
    use_scene_font(*axis.name->GetTextProperty(), scene_font_points, text);
    set_backdrop(*axis.name->GetTextProperty());
  }
  parts_->bar->set_colour(text);
  use_scene_font(*parts_->notice->GetTextProperty(), scene_font_points, text);
  use_scene_font(*parts_->caption->GetTextProperty(), caption_points, text);
  for (auto* before_lobes : {parts_->notice.Get(), parts_->caption.Get()})
    set_backdrop(*before_lobes->GetTextProperty());
}

double Annotations::raised() const {
  return parts_->raised;
}

void Annotations::set_room(double share) {
  parts_->notice_share = share;
}

void Annotations::update(double pixel_scale) {
  const int* size = parts_->renderer->GetSize();
  parts_->place_caption(pixel_scale, size[0]);
  parts_->draw_axes(pixel_scale);
  parts_->bar->update(pixel_scale, size[0], size[1], parts_->raised);
  parts_->place_notice(pixel_scale, size[0], size[1]);
}

}  // namespace isolume::scene
