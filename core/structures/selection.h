#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"

namespace isolume::structures {

/// Syntax of selections, for help texts.
inline constexpr std::string_view selection_words =
    "chain A B, residue LYS, number 10-20 52A, name CA, element N, atom 7 12-20, all, none, protein, "
    "nucleic, water, hetero, hydrogen, backbone, within 5 of (...), residues of (...), and, or, not";

/// Evaluates an expression that selects atoms, such as "chain A and (residue LYS ARG or within 5 of hetero) and not
/// hydrogen".
///
/// `or` binds less tightly than `and`, which binds less tightly than `not`, `within ... of` and `residues of`; these
/// apply to the next operand. Of several values after `chain`, `residue`, `number`, `name`, `element` and `atom` (the
/// position in the file, from 1 on) one must match; chains are case-sensitive, everything else is not. Empty values
/// and those that would be taken for another word must be in double quotes. Numbers may be a range, both ends
/// included; without an insertion code they match all codes. `within 5 of` uses the distance in angstrom between
/// centres, 5 included, from 0.1 to 100, and also selects the given atoms. `residues of` extends to complete
/// residues. `protein`: residues with N, CA and C; `nucleic`: with C1', C3' and C4'; `backbone`: N, CA, C, O and OXT
/// of these, and P to O3', without hydrogens; `water`: by the usual residue names; `hetero`: residues that the file
/// declares as not belonging to a chain, including water.
///
/// Throws Error that names the column, counted from 1; Cancelled.
std::vector<bool> select_atoms(const Charges& charges, std::string_view expression,
                               const jobs::Progress& progress = {});
/// Checks the syntax of an expression, independent of the atoms: throws the same Error.
void check_selection(std::string_view expression);
/// For users: 'No atom matches "residue 25".', with advice where a residue is given by its number.
std::string no_atom_matches(std::string_view expression);

}  // namespace isolume::structures
