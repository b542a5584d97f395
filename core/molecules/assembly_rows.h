#pragma once

#include "core/molecules/atom_rows.h"

namespace isolume::molecules {

/// Replaces the atoms by those of the biological assembly of that number: copies of the chains that it names. The
/// first copy of a chain keeps its name, others are called ...; if a transformation maps an atom onto an
/// existing copy of it, only one is kept. Throws InputError if the file has no such assembly.
void build_assembly(AtomRows& rows, int number, const LineReader& file);

/// Adds a remark if an assembly differs from the atoms of the file.
void remark_on_assemblies(AtomRows& rows);

/// wwPDB's assembly files (.pdb1, .pdb2 ...) have each copy as a MODEL: joins them into one model, with chains named
/// as in build_assembly. Superimposed models, such as those of NMR, are kept. Returns false if nothing was joined.
bool join_copies(AtomRows& rows);

/// Determined by the name: ".pdb1", ".pdb2.gz".
bool is_assembly_file(const std::filesystem::path& path);

}  // namespace isolume::molecules
