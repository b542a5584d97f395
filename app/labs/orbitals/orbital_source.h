#pragma once

#include <cstddef>
#include <memory>

#include "app/labs/orbitals/orbital_scene.h"
#include "core/fields/source.h"
#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/orbitals/parameters.h"

namespace isolume::labs::orbitals {

using DocumentPointer = std::shared_ptr<const molecules::Document>;
using EnginesPointer = std::shared_ptr<const isolume::orbitals::EngineRegistry>;

/// The field that the parameters choose of a document's wavefunction, in a box that holds its surface at the
/// view's isovalue; of a document without one (a cube file), its field `file_field`. Throws Error when there
/// is no such orbital or field.
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
