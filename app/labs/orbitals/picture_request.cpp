#include "app/labs/orbitals/picture_request.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace isolume::labs::orbitals {
namespace {

namespace science = isolume::orbitals;

/// A field of this size is computed, contoured and drawn without a pause that hurts.
constexpr double comfortable_points = 10e6;

}  // namespace

std::shared_ptr<const fields::FieldSource> source_of(const PictureRequest& request, EnginesPointer engines) {
  return make_source(request.document, request.field, request.view, request.file_field, std::move(engines));
}

std::shared_ptr<const fields::FieldSource> colouring_of(const PictureRequest& request,
                                                        EnginesPointer engines) {
  if (request.document->wavefunction != nullptr && request.view.colour_by == ColourBy::potential) {
    auto potential = request.potential != nullptr
                         ? request.potential
                         : std::make_shared<const SurfacePotential>(request.document, nullptr);
    return make_potential_source(request.document, std::move(potential), request.field,
                                 request.view.potential_unit);
  }
  return make_colouring_source(request.document, request.field, request.view, std::move(engines));
}

std::string first_orbital(const molecules::OrbitalSet& set) {
  try {
    molecules::find_orbital(set, "homo", molecules::Spin::alpha);
    return "homo";
  } catch (const Error&) {
    return "1";
  }
}

science::FieldParameters first_parameters(const DocumentPointer& document) {
  PictureRequest request;
  if (!document->wavefunction) return request.field;
  request.field.orbital = first_orbital(document->wavefunction->sets.front());
  request.document = document;
  const auto points = static_cast<double>(source_of(request, nullptr)->grid().point_count());
  const double coarsening = std::cbrt(points / comfortable_points);
  if (coarsening > 1) {
    const double spacing = request.field.spacing_angstrom * coarsening;
    request.field.spacing_angstrom = std::ceil(spacing * 100) / 100;
  }
  return request.field;
}

scene::FieldPicture compute_picture(const PictureRequest& request, const EnginesPointer& engines,
                                    const jobs::Progress& progress, gpu::SurfaceEngine* surfaces) {
  const auto source = source_of(request, engines);
  auto made = source->at_hand();
  const auto colouring = colouring_of(request, engines);
  const bool at_vertices = request.view.colour_by == ColourBy::potential;
  const double first_part = colouring ? 0.4 : 0.7;
  if (!made) made = source->compute(source->grid(), progress.part(0, first_part));
  if (colouring) {
    made->second = std::make_shared<const fields::MadeField>(
        colouring->compute(made->field->grid, progress.part(first_part, 0.7)));
  }
  const double drawn_from = colouring && at_vertices ? first_part : 0.7;
  if (request.field.engine == "cpu") surfaces = nullptr;
  return scene::picture_of(*made, true, request.view, surfaces, progress.part(drawn_from, 1));
}

std::optional<PictureRequest> finer_request(const PictureRequest& request, const scene::FieldPicture& picture,
                                            double angstrom_per_pixel) {
  constexpr double unseen_pixels = 8;
  constexpr double most_refinement = 4;
  constexpr double most_points = 20e6;
  constexpr double most_milliseconds = 3000;
  constexpr double worth_it = 1.2;
  if (!request.document->wavefunction) return std::nullopt;  // a file's grid is what there is
  const auto& grid = picture.field->grid;
  const double spacing = scene::shown_spacing(grid);
  const double points = static_cast<double>(grid.point_count());
  const double milliseconds = std::max(1.0, picture.field_milliseconds + picture.surface_milliseconds);
  const double affordable =
      spacing / std::cbrt(std::min(most_points / points, most_milliseconds / milliseconds));
  const double wanted =
      std::max(unseen_pixels * angstrom_per_pixel, request.field.spacing_angstrom / most_refinement);
  const double finer = std::min(request.field.spacing_angstrom, std::max(wanted, affordable));
  if (picture.refined && finer > spacing / worth_it) return std::nullopt;
  PictureRequest result = request;
  result.field.spacing_angstrom = finer;
  // The surface that is shown, not one that encloses just as much of the finer field.
  result.view.isovalue_mode = IsovalueMode::value;
  result.view.isovalue = picture.isovalue;
  return result;
}

}  // namespace isolume::labs::orbitals
