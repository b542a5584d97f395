#include "app/labs/orbitals/colouring_source.h"

#include <cmath>
#include <utility>

namespace isolume::labs::orbitals {

namespace science = isolume::orbitals;
namespace {

/// The box reaches to where the electron density falls to this, in e/bohr^3.
constexpr double density_at_box = 1e-5;

/// Smallest magnitude that must lie inside the box. Steps by factors of four, so that dragging the isovalue
/// to small values enlarges the box (and computes the field anew) only a few times.
double box_isovalue(const science::FieldParameters& field, const scene::FieldView& view) {
  double level = science::is_amplitude(field.field) ? std::sqrt(density_at_box) : density_at_box;
  if (view.isovalue_mode == scene::IsovalueMode::value) {
    while (view.isovalue < level && level > 1e-9) level /= 4;
  }
  return level;
}

}  // namespace

std::shared_ptr<const fields::FieldSource> make_source(DocumentPointer document,
                                                       const science::FieldParameters& field,
                                                       const scene::FieldView& view, std::size_t file_field,
                                                       EnginesPointer engines) {
  return science::make_source(std::move(document), field, box_isovalue(field, view), file_field,
                              std::move(engines));
}

std::shared_ptr<const fields::FieldSource> make_colouring_source(const DocumentPointer& document,
                                                                 const science::FieldParameters& field,
                                                                 const ViewParameters& view,
                                                                 EnginesPointer engines) {
  if (document->wavefunction == nullptr || view.colour_by == ColourBy::sign ||
      view.colour_by == ColourBy::potential)
    return nullptr;
  science::FieldParameters second = field;
  second.orbital = view.colour_orbital;
  second.field = view.colour_by == ColourBy::orbital   ? science::FieldKind::orbital
                 : view.colour_by == ColourBy::density ? science::FieldKind::density
                                                       : science::FieldKind::spin_density;
  return make_source(document, second, view, 0, std::move(engines));
}

}  // namespace isolume::labs::orbitals
