#pragma once

#include "core/molecules/atom_rows.h"

namespace isolume::molecules {

/// Replaces the atoms by those of the biological assembly of that number: copies of the chains that it names. The first copy
/// of a chain keeps its name, others are called ...; an atom that a motion leaves where a copy of it already is
/// stays one atom. Throws InputError where the file has no such assembly.
void build_assembly(AtomRows& rows, int number, const LineReader& file);

/// Adds a remark where an assembly differs from the atoms of the file.
void remark_on_assemblies(AtomRows& rows);

/// wwPDB's files of assemblies (.pdb1, .pdb2 ...) have each copy as a MODEL: makes one model of them, with chains called as in
/// build_assembly. Models that lie in each other, as those of NMR, stay models. False where nothing was joined.
bool join_copies(AtomRows& rows);

/// By its name: ".pdb1", ".pdb2.gz".
bool is_assembly_file(const std::filesystem::path& path);

}  // namespace isolume::molecules
