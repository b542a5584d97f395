#pragma once

#include <memory>

#include "app/labs/orbitals/orbital_scene.h"
#include "core/orbitals/orbital_source.h"

namespace isolume::labs::orbitals {

using isolume::orbitals::DocumentPointer;
using isolume::orbitals::EnginesPointer;

/// The field that the parameters choose, in a box that holds its surface at the view's isovalue.
std::shared_ptr<const fields::FieldSource> make_source(DocumentPointer document,
                                                       const isolume::orbitals::FieldParameters& field,
                                                       const scene::FieldView& view, std::size_t file_field,
                                                       EnginesPointer engines);

/// The field of the wavefunction that colours the view's surfaces; null: they are coloured by their sign, by the
/// electrostatic potential (surface_potential.h), or the document has no wavefunction. Throws
/// Error when there is no such orbital.
std::shared_ptr<const fields::FieldSource> make_colouring_source(
    const DocumentPointer& document, const isolume::orbitals::FieldParameters& field,
    const ViewParameters& view, EnginesPointer engines);

}  // namespace isolume::labs::orbitals
