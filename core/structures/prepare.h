#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/ligand_charges.h"
#include "core/structures/structure.h"

namespace isolume::structures {

enum class ForceField { amber, charmm, parse };
/// "AMBER ff14SB", "CHARMM36", "PARSE".
std::string_view name_of(ForceField force_field);
/// What options call it: "amber", "charmm", "parse".
std::string_view word_of(ForceField force_field);
/// The reverse. Throws Error for other words.
ForceField force_field_of(std::string_view word);

struct PrepareOptions {
  ForceField force_field = ForceField::amber;
  bool keep_water = false;
  /// Charges by residue and atom, a table or mol2; they go before those of the force field. Empty: none.
  std::filesystem::path given_charges;
  /// Residues without parameters get charges by `equalised_charges`, those that are bonded to each other together. Metals
  /// and others that it has no parameters of stay without.
  bool equalise_unknown = false;
  /// Amino acids without hydrogens in the file have the states of this pH by their standard pKa (`standard_pka`).
  double ph = 7;
  /// Protonation states that go before all rules: by the residue, "HIS A 57" or "A 57", that in AMBER's names, "HIP".
  std::map<std::string, std::string> states = {};
  /// What such a residue's charges sum to, by its name, in e; those that are not named to `known_charge`, or 0.
  std::map<std::string, double> equalised_totals = {};
  /// By residues' names; these go before all others. A net charge is equalised also where `equalise_unknown` is false.
  Ligands ligands = {};
};

/// Something that was decided for a residue, and what for.
struct Decision {
  std::string residue, state, why;
};

struct Disulphide {
  std::string first, second;
  double distance = 0;  ///< in angstrom
};

/// A bond of a sugar to another residue: its own atom first, or the one that is the reducing end of the bond.
struct SugarLink {
  std::string first_atom, first, second_atom, second;
  double distance = 0;  ///< in angstrom
};

/// A residue that lacks atoms.
struct Incomplete {
  std::string residue;
  std::vector<std::string> atoms;
  double charge = 0, expected = 0;  ///< in e, of what is there and of the whole residue
};

/// Residues that were given charges together by electronegativity equalisation.
struct Equalised {
  std::vector<std::string> residues;
  double charge = 0;  ///< in e, of all of them
  bool has_hydrogens = false;
  bool lacks_hydrogens = false;                   ///< and should have some: charges are rough
  std::vector<std::string> assumed_neutral = {};  ///< those whose charge is not known
};

/// A structure with charges and radii, and all that was decided on the way.
struct Preparation {
  ForceField force_field = ForceField::amber;
  Charges charges;
  int model = 0, models = 0;
  std::vector<std::string> assemblies;                    ///< that the file defines
  int alternatives_left_out = 0;                          ///< atoms
  std::vector<std::pair<std::string, int>> alternatives;  ///< residues of which so many were left out
  int waters_left_out = 0;
  int water_atoms_left_out = 0, metal_waters_left_out = 0;  ///< of these
  int hydrogens_kept = 0, hydrogens_added = 0;
  int hydrogens_replaced = 0;  ///< not all that their atom carries
  std::vector<std::string>
      hydrogens_dropped;         ///< that the residue does not have in its state: "HG of CYS A 3"
  std::vector<Decision> states;  ///< histidines, and residues that are not in their usual state
  std::vector<Decision> ends;    ///< of chains, and gaps in them
  std::vector<Disulphide> disulphides;
  std::vector<SugarLink> sugar_links;
  std::vector<std::string> added_atoms;  ///< "OXT of PHE A 319"
  std::vector<Incomplete> incomplete;
  std::vector<std::string> unknown_atoms;       ///< of residues that have parameters: without charge
  std::vector<std::string> without_parameters;  ///< residues: no charge, radii of their elements
  std::vector<std::string> given;  ///< residues with charges of options.given_charges or of a ligand's file
  std::map<std::string, std::string> given_how;  ///< of the latter: how their atoms were found, for people
  std::vector<std::string> lost_charges;         ///< of such residues: atoms that are on one side alone
  std::vector<Equalised> equalised;
  double ph = 7;
  std::vector<std::string> titrated;  ///< residues whose state the pH decided
  std::vector<std::string> composed;  ///< residues whose charges are put together from those of others
};

/// Gives the atoms of a structure charges and radii, and adds hydrogens. Rules:
/// - hydrogens of the file count, whatever they are called: those that an atom carries tell states of protonation;
/// - disulphides join sulphurs that are nearer than 2.5 angstrom; other cysteines within 2.9 angstrom of a metal, alkali and
///   alkaline earths aside, are thiolates unless their sulphur has a hydrogen;
/// - a histidine is what its hydrogens say, or its name (HID, HIE, HIP; HSD, HSE, HSP), or it has the proton on
///   NE2; but on ND1 where an acceptor of hydrogen bonds asks for it there more than at NE2, or a donor or a metal is at
///   NE2: nearer than 3.5 angstrom, and within 60 degrees of where the proton would be;
/// - Asp, Glu, Lys and Arg are charged, unless their names (ASH, GLH, LYN) or their hydrogens say otherwise, or the pH is
///   beyond the standard pKa of an amino acid without hydrogens; those that metals bind are not titrated, and Arg, Tyr and the
///   termini never are;
/// - a free amino acid has the charges of both termini;
/// - chains begin and end as `find_chain_ends` finds; OXT is added. At gaps residues are as in the middle of a chain.
/// - sugars are bonded to each other and to proteins where atoms of two residues are nearer than 2 angstrom; a sugar with a bond
///   that the table does not know has no parameters;
/// - hydrogens stay where an atom has all of its own; others are placed as `place_hydrogens` does, hydroxyls
///   towards an oxygen within 2.4 angstrom, otherwise where there is most room;
/// - MSE is methionine with the radius of sulphur; an ion that the table lacks has its charge, and the radius of its element.
///
/// Throws InputError, Error where nothing is left.
Preparation prepare(const Structure& structure, const PrepareOptions& options = {},
                    const jobs::Progress& progress = {});

}  // namespace isolume::structures
