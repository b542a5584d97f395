#pragma once

#include <cstddef>
#include <memory>

#include "core/fields/source.h"
#include "core/molecules/document.h"
#include "core/orbitals/engine_registry.h"
#include "core/orbitals/parameters.h"

namespace isolume::orbitals {

using DocumentPointer = std::shared_ptr<const molecules::Document>;
using EnginesPointer = std::shared_ptr<const EngineRegistry>;

/// The field that the parameters choose of a document's wavefunction, in a box that holds its surfaces at magnitudes from
/// `in_box` on; of a document without a wavefunction (a cube file), its field `file_field`. Throws Error when there is no
/// such orbital or field.
std::shared_ptr<const fields::FieldSource> make_source(DocumentPointer document, const FieldParameters& field,
                                                       double in_box, std::size_t file_field,
                                                       EnginesPointer engines);

}  // namespace isolume::orbitals
