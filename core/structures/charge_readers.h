#pragma once

#include <filesystem>

#include "core/jobs/progress.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

// Files with positions and charges, but no radii: those are taken from the elements (Alvarez, Dalton Trans. 2013,
// 8617).
namespace isolume::structures {

/// Reads XYZ files with charges in e, plain or gzipped, positions in angstrom: extended ones with a column charge,
/// charges, initial_charges, partial_charges or q in Properties=..., or lines of an element, x, y, z and the charge.
/// Lattice="..." gives the cell. Of several frames the first is read. Throws InputError with the line number,
/// ResourceError, Cancelled.
Charges read_xyz_charges(const std::filesystem::path& path, const jobs::Progress& progress = {});
/// Reads the next frame; nothing at the end of the file.
std::optional<Charges> next_xyz_frame(molecules::LineReader& file);
/// Whether the first atom of an XYZ file has a charge. False if the file cannot be read, or is compressed.
bool xyz_has_charges(const std::filesystem::path& path);

/// Reads a GROMACS GRO file, plain or gzipped, in nm, with the charges that `topology` (TOP or ITP) gives to its
/// atoms: in the order of [ molecules ], or by repeating the only [ moleculetype ]. Atoms of mass 0 have no radius.
/// The last line gives the cell. Of several frames the first is read. Throws InputError with the line number,
/// ResourceError, Cancelled.
Charges read_gro(const std::filesystem::path& path, const std::filesystem::path& topology,
                 const jobs::Progress& progress = {});
/// Reads names and positions of a frame of a GRO file, without charges.
std::optional<Charges> next_gro_frame(molecules::LineReader& file);

}  // namespace isolume::structures
