#include "app/scene/fields/field_picture.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "app/scene/drawing/text_style.h"
#include "app/scene/fields/colour_map.h"
#include "core/base/clock.h"
#include "core/base/language.h"
#include "core/base/round_numbers.h"
#include "core/base/shown_number.h"
#include "core/fields/numbers.h"

namespace isolume::scene {

namespace {

SurfaceColouring colouring_by(const fields::MadeField& second, const Lobes& lobes) {
  SurfaceColouring colouring;
  colouring.field = second.field;
  colouring.at_vertices = second.at_places != nullptr;
  colouring.both_signs =
      colouring.at_vertices ? second.both_signs.value_or(true) : fields::summary_of(second).both_signs;
  std::vector<float> sizes;
  for (const Surface* surface : {&lobes.positive, &lobes.negative}) {
    if (surface->values == nullptr) continue;
    for (vtkIdType i = 0; i < surface->values->GetNumberOfTuples(); ++i) {
      const float value = surface->values->GetValue(i);
      if (std::isfinite(value)) sizes.push_back(std::abs(value));
      colouring.covers_all = colouring.covers_all && !std::isnan(value);
    }
  }
  if (sizes.empty()) return colouring;
  const auto part = [&sizes](double fraction) {
    const auto place =
        sizes.begin() + static_cast<std::ptrdiff_t>(fraction * static_cast<double>(sizes.size() - 1));
    std::nth_element(sizes.begin(), place, sizes.end());
    return static_cast<double>(*place);
  };
  // Near nuclei a potential has spots of any size, which would leave all else grey. Of normally distributed values,
  // 96 % are below three medians.
  const double median = part(0.5), outermost = part(0.98);
  const double limit = median > 0 ? std::min(outermost, 3 * median) : outermost;
  if (limit > 0) colouring.usual_limit = rounded_up(limit);
  return colouring;
}

/// The isovalue that encloses this part. A potential or a Laplacian is far larger near nuclei than anywhere with the
/// other sign: if a surface at that isovalue had only one sign, it is half of the weaker sign's extreme.
double isovalue_enclosing(const fields::MadeField& made, const fields::FieldSummary& summary,
                          double enclosed) {
  const double isovalue = grid::isovalue_enclosing(*made.field, enclosed, made.amplitude);
  if (!summary.both_signs || made.amplitude || made.field->unit == "e/bohr^3") return isovalue;
  const auto range = grid::value_range(*made.field);
  const double weaker = std::min(range.high, -range.low);
  const double lower = rounded_down(weaker / 2);
  return isovalue < weaker || lower <= summary.on_faces ? isovalue : lower;
}

}  // namespace

PictureChoices::PictureChoices(const FieldView& view)
    : sample_height(view.sample_height), volume(view.volume) {
  const bool by_value = view.isovalue_mode == IsovalueMode::value;
  (by_value ? isovalue : enclosed) = by_value ? view.isovalue : view.enclosed;
}

FieldPicture picture_of(const fields::MadeField& made, bool refined, const PictureChoices& choices,
                        gpu::SurfaceEngine* gpu, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  FieldPicture picture;
  picture.field = made.field;
  picture.amplitude = made.amplitude;
  picture.refined = refined;
  picture.summary = fields::summary_of(made);
  picture.both_signs = picture.summary.both_signs;
  picture.engine = made.maker;
  picture.method = made.method;
  picture.field_milliseconds = made.milliseconds;
  picture.isovalue =
      choices.isovalue ? *choices.isovalue : isovalue_enclosing(made, picture.summary, *choices.enclosed);
  picture.enclosed = grid::fraction_enclosed(*made.field, picture.isovalue, made.amplitude);
  progress.check();
  const bool on_shape = made.second != nullptr && made.second->surface_at;
  const auto* colours = on_shape ? &made : made.second.get();
  const bool at_vertices = colours != nullptr && colours->at_places != nullptr;
  const auto contouring = at_vertices ? progress.part(0, 0.2) : progress;
  picture.shape = on_shape ? made.second->field : made.field;
  picture.lobes = on_shape
                      ? contour_where_best(gpu, picture.shape, *made.second->surface_at, false, contouring)
                      : contour_where_best(gpu, made.field, picture.isovalue, picture.both_signs, contouring);
  if (colours != nullptr) {
    if (colours->at_places) {
      sample(colours->at_places, picture.lobes, choices.sample_height, progress.part(0.2, 1));
    } else {
      sample(*colours->field, picture.lobes, choices.sample_height, progress);
    }
    picture.colouring = colouring_by(*colours, picture.lobes);
    picture.sample_height = choices.sample_height;
    if (const auto& blanks = made.second->blanks; blanks && blank_out(*blanks, picture.lobes))
      picture.colouring->blank = blanks->why;
  }
  if (choices.volume) {
    picture.volume =
        volume_of(*made.field, picture.isovalue, colour_reach(*made.field, picture.both_signs), progress);
  }
  picture.surface_milliseconds = milliseconds_since(start) + (on_shape ? made.second->milliseconds : 0);
  return picture;
}

double shown_spacing(const grid::Grid& grid) {
  return grid.spacing().mean() * grid::shown_per_unit(grid.unit);
}

std::string missing_surface(const Lobes& lobes, const fields::FieldSummary& summary,
                            const std::string& unit) {
  const double isovalue = lobes.positive.isovalue;
  const bool none = lobes.positive.empty() && lobes.negative.empty();
  if (!none && isovalue >= summary.on_faces) return {};
  const std::string suffix = unit.empty() ? "" : " " + pretty_unit(unit);
  const auto number = [](double value) { return shown_reading(value); };
  if (!(summary.largest > 0)) return localised("scene", "No surface. The field is zero everywhere.");
  const std::string largest =
      filled(localised("scene", "The largest value is %1"), {number(summary.largest) + suffix});
  if (isovalue >= summary.on_faces) {
    return filled(localised("scene", "No surface at %1. %2. Choose a smaller isovalue."),
                  {number(isovalue) + suffix, largest});
  }
  return filled(localised("scene",
                          "The surface at %1 fills the box. %2; the largest on the box's faces is %3. Choose "
                          "a larger isovalue."),
                {number(isovalue) + suffix, largest, number(summary.on_faces)});
}

namespace {

std::string with_minus(std::string text) {
  for (auto at = text.find('-'); at != text.npos; at = text.find('-', at)) text.replace(at, 1, "−");
  return text;
}

std::string bare_value(const grid::ScalarField& field, const std::optional<double>& value, int digits = 4) {
  const bool known = value && std::isfinite(*value);
  const std::string what = known ? shown_reading(*value, digits) : localised("scene", "outside the box");
  return what + (known && !field.unit.empty() ? " " + pretty_unit(field.unit) : "");
}

}  // namespace

std::string named_value(const SurfaceColouring& colouring, const Lobes& lobes, const Eigen::Vector3d& place) {
  const auto& field = *colouring.field;
  if (!colouring.at_vertices) return named_value(field, place);
  return fmt::format("{}: {}", field.name, bare_value(field, sampled_value_at(lobes, place)));
}

std::string named_value(const grid::ScalarField& field, const Eigen::Vector3d& place) {
  return fmt::format("{}: {}", field.name,
                     bare_value(field, fields::value_at(field, place), fields::digits_at(field, place)));
}

std::string named_value(const grid::ScalarField& field, const std::optional<double>& value) {
  return fmt::format("{}: {}", field.name, bare_value(field, value));
}

std::string value_text(const grid::ScalarField& field, const Eigen::Vector3d& place) {
  return value_text(field, place, fields::value_at(field, place), fields::digits_at(field, place));
}

std::string value_text(const grid::ScalarField& field, const Eigen::Vector3d& place,
                       const std::optional<double>& value, int digits) {
  const std::string where =
      with_minus(fmt::format("({:.2f}, {:.2f}, {:.2f})", place.x(), place.y(), place.z()));
  return filled(
      localised("scene", "%1 at %2"),
      {bare_value(field, value, digits), fmt::format("{} {}", where, grid::shown_unit(field.grid.unit))});
}

std::string readings(const FieldPicture& picture, const FieldView& view) {
  const auto& grid = picture.field->grid;
  constexpr int digits = 3;  // of lengths and times
  const std::string surface = shown_reading(picture.surface_milliseconds, digits);
  const std::string points =
      fmt::format("{} × {} × {}", grid.dimensions[0], grid.dimensions[1], grid.dimensions[2]);
  std::string text = picture.field->name + " | " +
                     filled(localised("scene", "%1 points at %2"),
                            {points, fmt::format("{} {}", shown_reading(shown_spacing(grid), digits),
                                                 grid::shown_unit(grid.unit))});
  if (picture.engine.empty()) {
    text += filled(localised("scene", " (from the file) | %1 ms surface"), {surface});
  } else {
    text += fmt::format(" ({}) | {} | ",
                        picture.refined ? localised("scene", "refined") : localised("scene", "preview"),
                        picture.engine);
    text += filled(localised("scene", "%1 ms field, %2 ms surface"),
                   {shown_reading(picture.field_milliseconds, digits), surface});
  }
  if (picture.colouring && view.surface) {
    text += " | " + filled(localised("scene", "coloured by %1"), {picture.colouring->field->name});
  }
  // Other fields, such as potentials, have no density that a surface could enclose.
  const bool of_density = picture.field->unit == "bohr^-3/2" ||
                          (picture.field->unit == "e/bohr^3" && !picture.summary.both_signs);
  if (picture.shape != picture.field || !(view.surface || view.volume)) return text;
  const std::string& unit = picture.field->unit;
  const std::string isovalue =
      shown_reading(picture.isovalue) + (unit.empty() ? "" : " " + pretty_unit(unit));
  if (!of_density) return text + " | " + filled(localised("scene", "isovalue %1"), {isovalue});
  return text + " | " +
         filled(localised("scene", "isovalue %1 encloses %2 %"),
                {isovalue, shown_reading(100 * picture.enclosed, 3)});
}

}  // namespace isolume::scene
