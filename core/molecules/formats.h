#pragma once

#include "core/base/file_format.h"

namespace isolume::molecules {

/// Files that can hold a wavefunction; some of these suffixes are other programs' files too (may_hold_orbitals).
const FileFormats& wavefunction_formats();
/// Fields on grids, and geometries.
const FileFormats& molecule_formats();

}  // namespace isolume::molecules
