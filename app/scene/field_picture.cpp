#include "app/scene/field_picture.h"

#include <chrono>

#include <fmt/format.h>

#include "app/scene/text_style.h"
#include "core/base/clock.h"
#include "core/base/language.h"
#include "core/fields/numbers.h"

namespace isolume::scene {

FieldPicture picture_of(const fields::MadeField& made, bool refined, const FieldView& view,
                        gpu::SurfaceEngine* gpu, const jobs::Progress& progress) {
  const auto start = std::chrono::steady_clock::now();
  FieldPicture picture;
  picture.field = made.field;
  picture.amplitude = made.amplitude;
  picture.refined = refined;
  picture.summary = fields::summary_of(made);
  picture.both_signs = picture.summary.both_signs;
  picture.engine = made.maker;
  picture.field_milliseconds = made.milliseconds;
  picture.isovalue = view.isovalue_mode == IsovalueMode::value
                         ? view.isovalue
                         : lattice::isovalue_enclosing(*made.field, view.enclosed, made.amplitude);
  picture.enclosed = lattice::fraction_enclosed(*made.field, picture.isovalue, made.amplitude);
  progress.check();
  picture.lobes = contour_where_best(gpu, made.field, picture.isovalue, picture.both_signs, progress);
  picture.surface_milliseconds = milliseconds_since(start);
  return picture;
}

double shown_spacing(const lattice::Lattice& lattice) {
  return (lattice.step.colwise().norm() * lattice::shown_per_unit(lattice.unit)).mean();
}

std::string missing_surface(const Lobes& lobes, const fields::FieldSummary& summary,
                            const std::string& unit) {
  const double isovalue = lobes.positive.isovalue;
  const bool none = lobes.positive.empty() && lobes.negative.empty();
  if (!none && isovalue >= summary.on_faces) return {};
  const std::string suffix = unit.empty() ? "" : " " + pretty_unit(unit);
  if (!(summary.largest > 0)) return localised("scene", "No surface. The field is zero everywhere.");
  const std::string largest =
      fmt::format(fmt::runtime(localised("scene", "The largest value is {:.3g}{}")), summary.largest, suffix);
  if (isovalue >= summary.on_faces) {
    return fmt::format(
        fmt::runtime(localised("scene", "No surface at {:.3g}{}. {}: choose a smaller isovalue.")), isovalue,
        suffix, largest);
  }
  return fmt::format(fmt::runtime(localised("scene",
                                            "The surface at {:.3g}{} fills the box. {}, that at the box's "
                                            "faces {:.3g}: choose a larger isovalue.")),
                     isovalue, suffix, largest, summary.on_faces);
}

std::string value_text(const lattice::ScalarField& field, const Eigen::Vector3d& place) {
  const auto with_minus = [](std::string text) {
    for (auto at = text.find('-'); at != text.npos; at = text.find('-', at)) text.replace(at, 1, "−");
    return text;
  };
  const std::string where =
      with_minus(fmt::format("({:.2f}, {:.2f}, {:.2f})", place.x(), place.y(), place.z()));
  const auto value = fields::value_at(field, place);
  const std::string what =
      value ? with_minus(fmt::format("{:.4g}", *value)) : localised("scene", "outside the box");
  const std::string unit = value && !field.unit.empty() ? " " + pretty_unit(field.unit) : "";
  return fmt::format(fmt::runtime(localised("scene", "{}{} at {} {}")), what, unit, where,
                     lattice::shown_unit(field.lattice.unit));
}

std::string readings(const FieldPicture& picture) {
  const auto& lattice = picture.field->lattice;
  std::string text =
      fmt::format(fmt::runtime(localised("scene", "{} | {} x {} x {} points at {:.2f} {}")),
                  picture.field->name, lattice.dimensions[0], lattice.dimensions[1], lattice.dimensions[2],
                  shown_spacing(lattice), lattice::shown_unit(lattice.unit));
  if (picture.engine.empty()) {
    text += fmt::format(fmt::runtime(localised("scene", " (from the file) | {:.1f} ms surface")),
                        picture.surface_milliseconds);
  } else {
    text += fmt::format(" ({}) | {} | ",
                        picture.refined ? localised("scene", "refined") : localised("scene", "preview"),
                        picture.engine);
    text += fmt::format(fmt::runtime(localised("scene", "{:.1f} ms field, {:.1f} ms surface")),
                        picture.field_milliseconds, picture.surface_milliseconds);
  }
  return text + fmt::format(fmt::runtime(localised("scene", " | isovalue {:.3g}{}{} encloses {:.3g} %")),
                            picture.isovalue, picture.field->unit.empty() ? "" : " ",
                            pretty_unit(picture.field->unit), 100 * picture.enclosed);
}

}  // namespace isolume::scene
