#pragma once

#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// What can be said of atoms, for help.
inline constexpr std::string_view selection_words =
    "chain A B, residue LYS, number 10-20 52A, name CA, element N, atom 7 12-20, all, none, protein, "
    "nucleic, water, hetero, hydrogen, backbone, within 5 of (...), residues of (...), and, or, not";

/// Which atoms an expression selects, as "chain A and (residue LYS ARG or within 5 of hetero) and not hydrogen".
///
/// `or` binds less than `and`, this less than `not`, `within ... of` and `residues of`, which apply to what stands next. Of
/// several values behind `chain`, `residue`, `number`, `name`, `element` and `atom` (the place in the file, from 1 on) one must
/// fit: chains as they are written, all else in small or capital letters. What is empty or would be taken for another word stands in double quotes. Numbers may be a
/// range, both ends included; without a code of insertion they mean all codes. `within 5 of` counts
/// angstrom between centres, 5 included, from 0.1 to 100, and selects those atoms themselves, too. `residues of` completes
/// residues. `protein`: residues with N, CA and C; `nucleic`: with C1', C3' and C4'; `backbone`: of these N, CA, C, O and OXT, and
/// P to O3', without hydrogens; `water`: by the usual names of the residue; `hetero`: what the file says is none of a chain's
/// own residues, water among it.
///
/// Throws Error that names the column, counted from 1; Cancelled.
std::vector<bool> select_atoms(const Charges& charges, std::string_view expression,
                               const jobs::Progress& progress = {});
/// Whether an expression makes sense, whatever the atoms: throws that Error where it does not.
void check_selection(std::string_view expression);

}  // namespace isolume::structures
