#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/jobs/progress.h"
#include "core/molecules/line_reader.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Reads a PQR file, plain or gzipped: lines ATOM and HETATM of words
///   record, number, atom, residue, [chain,] residue's number, x, y, z, charge, radius[, element]
/// or, where numbers touch each other, in the columns of the PDB format with charge and radius behind the places. A line
/// CRYST1 says the cell. What other lines say is left out; of several models (MODEL, ENDMDL) the first is read.
///
/// Throws InputError with the line's number, ResourceError, Cancelled.
Charges read_pqr(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The next model (MODEL, ENDMDL) where the reader is, or the only one; nothing where there is no atom any more.
std::optional<Charges> next_pqr_model(molecules::LineReader& file);

/// Writes one that `read_pqr` and other programs read, by words: places to 0.001 angstrom, charges to 0.000001 e, radii to
/// 0.0001 angstrom; the cell to 0.001 angstrom and 0.01 degrees, where its edges lie as CRYST1 says. Each remark is a line
/// in front. Throws Error, Cancelled.
void write_pqr(const Charges& charges, const std::vector<std::string>& remarks,
               const std::filesystem::path& path, const jobs::Progress& progress = {});

}  // namespace isolume::structures
