#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Reads a PQR file, plain or gzipped: whitespace-separated lines ATOM and HETATM
///   record, number, atom, residue, [chain,] residue's number, x, y, z, charge, radius[, element]
/// or, where numbers touch each other, the columns of the PDB format with charge and radius after the positions. A
/// line CRYST1 gives the cell. Other lines are ignored; of several models (MODEL, ENDMDL, END) the first is read.
///
/// Throws InputError with the line number, ResourceError, Cancelled.
Charges read_pqr(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Reads the next model, or the only one; nothing if there are no more atoms. Parts between END or ENDMDL without MODEL
/// are models if they have the same atoms, and otherwise one structure, as in PDB files.
std::optional<Charges> next_pqr_model(molecules::LineReader& file);

/// Writes a whitespace-separated file for `read_pqr` and other programs: positions to 0.001 angstrom, charges to
/// 0.000001 e, radii to 0.0001 angstrom; the cell to 0.001 angstrom and 0.01 degrees, if its edges are oriented as
/// CRYST1 requires. Each remark is a line at the start. Throws Error, Cancelled.
void write_pqr(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
