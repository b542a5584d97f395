#pragma once

#include <filesystem>

#include "core/jobs/progress.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

// Files with places and charges, but no radii: those are of the elements (Alvarez, Dalton Trans. 2013, 8617).
namespace isolume::structures {

/// Reads XYZ files with charges in e, plain or gzipped, places in angstrom: extended ones with a column charge, charges,
/// initial_charges, partial_charges or q in Properties=..., or lines of an element, x, y, z and the charge. Lattice="..."
/// says the cell. Of several frames the first is read. Throws InputError with the line's number, ResourceError, Cancelled.
Charges read_xyz_charges(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// The next frame where the reader is; nothing at the end of the file.
std::optional<Charges> next_xyz_frame(molecules::LineReader& file);
/// Whether the first atom of an XYZ file has a charge. False where it cannot be read, or is packed.
bool xyz_has_charges(const std::filesystem::path& path);

/// Reads GROMACS's GRO file, plain or gzipped, in nm, with the charges that `topology` (TOP or ITP) gives its atoms: in the
/// order of [ molecules ], or of the one [ moleculetype ] over and over. Atoms of mass 0 have no radius. The last line says
/// the cell. Of several frames the first is read. Throws InputError with the line's number, ResourceError, Cancelled.
Charges read_gro(const std::filesystem::path& path, const std::filesystem::path& topology,
                 const jobs::Progress& progress = {});
/// Of a frame of a GRO file: names and places, no charges.
std::optional<Charges> next_gro_frame(molecules::LineReader& file);

}  // namespace isolume::structures
