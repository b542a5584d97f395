#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/remarks.h"
#include "core/jobs/progress.h"
#include "core/structures/charges.h"
#include "core/structures/ligand_charges.h"
#include "core/structures/structure.h"

namespace isolume::structures {

enum class ForceField { amber, charmm, parse };
/// "AMBER ff14SB", "CHARMM36", "PARSE".
std::string_view name_of(ForceField force_field);
/// Names used in options: "amber", "charmm", "parse".
std::string_view word_of(ForceField force_field);
/// The inverse. Throws Error for unknown names.
ForceField force_field_of(std::string_view word);

/// Where pKa values of side chains come from: those in water (`standard_pka`), or PROPKA (`computed_pka`).
enum class PkaSource { standard, propka };

struct PrepareOptions {
  ForceField force_field = ForceField::amber;
  bool keep_water = false;
  /// Charges by residue and atom, as a table or mol2; they override those of the force field. Empty: none.
  std::filesystem::path given_charges;
  /// Residues without parameters get charges by `equalised_charges`, bonded ones together. Metals and other elements
  /// without QEq parameters stay uncharged.
  bool equalise_unknown = false;
  /// Amino acids without hydrogens in the file are protonated for this pH by these pKa values.
  double ph = 7;
  PkaSource pka = PkaSource::standard;
  /// Protonation states that override all rules: from the residue, "HIS A 57" or "A 57", to its state in AMBER's
  /// names, "HIP".
  std::map<std::string, std::string> states = {};
  /// Total charge of such residues by name, in e; others have `known_charge`, or 0.
  std::map<std::string, double> equalised_totals = {};
  /// By residue name; these override all other charges. A net charge is equalised even if `equalise_unknown` is
  /// false.
  Ligands ligands = {};
};

/// A decision about a residue, and its reason.
struct Decision {
  std::string residue, state, why;
};

struct Disulphide {
  std::string first, second;
  double distance = 0;  ///< in angstrom
};

/// A bond of a sugar to another residue; the first atom is the sugar's, or that of the reducing end of the bond.
struct SugarLink {
  std::string first_atom, first, second_atom, second;
  double distance = 0;  ///< in angstrom
};

/// A residue with missing atoms.
struct Incomplete {
  std::string residue;
  std::vector<std::string> atoms;
  double charge = 0, expected = 0;  ///< in e, of the atoms present and of the complete residue
};

/// Residues that were given charges together by electronegativity equalisation.
struct Equalised {
  std::vector<std::string> residues;
  double charge = 0;  ///< in e, total
  bool has_hydrogens = false;
  bool lacks_hydrogens = false;                   ///< hydrogens are missing: charges are rough
  std::vector<std::string> assumed_neutral = {};  ///< those of unknown charge
  /// Residues and atoms whose formal charges in the file were used, or were not, because others are known.
  std::vector<std::string> formal_charges = {}, other_formal_charges = {};
};

/// A structure with charges and radii, and all decisions made in its preparation.
struct Preparation {
  ForceField force_field = ForceField::amber;
  Charges charges;
  int model = 0, models = 0;
  std::vector<std::string> assemblies;  ///< defined in the file
  int alternatives_left_out = 0;        ///< atoms
  std::vector<std::pair<std::string, int>>
      alternatives;  ///< residues with alternate locations that were left out,
                     ///< and how many
  std::set<std::string>
      equally_occupied;  ///< those of them where a location with the same occupancy was left out
  int waters_left_out = 0;
  int water_atoms_left_out = 0, metal_waters_left_out = 0;  ///< included in these
  int hydrogens_kept = 0, hydrogens_added = 0;
  int hydrogens_replaced = 0;  ///< where only some of an atom's hydrogens were present
  std::vector<std::string>
      hydrogens_dropped;  ///< hydrogens that do not exist in the residue's state: "HG of CYS A 3"
  /// Hydrogens added to N, O and S in residues that have others in the file: "HG of SER A 3".
  std::vector<std::string> hydrogens_completed;
  std::vector<Decision> states;  ///< histidines, and residues that are not in their usual state
  std::vector<Decision> ends;    ///< termini, and chain breaks
  /// Residues with selenium that are charged as methionine.
  std::vector<std::string> selenomethionines;
  std::vector<Disulphide> disulphides;
  std::vector<SugarLink> sugar_links;
  /// Atoms of side chains that lack hydrogens, because they are bonded to another residue.
  std::vector<std::string> bonded_side_chains;
  /// Nucleotides that begin a chain with a phosphate without its third oxygen, and the charge that they lack.
  std::vector<std::string> incomplete_phosphates;
  std::vector<std::string> added_atoms;  ///< "OXT of PHE A 319"
  std::vector<Incomplete> incomplete;
  std::vector<std::string> unknown_atoms;       ///< atoms without charge, in residues with parameters
  std::vector<std::string> without_parameters;  ///< residues without charges, with radii of their elements
  std::vector<std::string> given;  ///< residues with charges from options.given_charges or a ligand file
  Remarks given_remarks;           ///< on the table of charges
  std::vector<std::string> element_radii;        ///< atoms of such residues whose radius was not given
  std::map<std::string, std::string> given_how;  ///< how atoms of ligand files were matched, for display
  std::vector<std::string> lost_charges;         ///< atoms of such residues that exist on one side only
  std::vector<Equalised> equalised;
  double ph = 7;
  std::string pka_program;                          ///< "PROPKA 3.5.0"; empty: standard pKa values
  std::vector<std::string> titrated;                ///< residues whose state was determined by the pH
  std::vector<std::string> without_computed_pka;    ///< those that the program does not know
  std::vector<std::pair<std::string, double>> pka;  ///< residues with the computed values that were compared
  std::vector<std::string> composed;  ///< residues whose charges are combined from those of others
  /// Single atoms whose formal charge in the file differs from what their names mean.
  std::vector<std::string> stated_ion_charges;
  /// Ions that the force field lacks.
  std::vector<std::string> ions_of_element_radii;
};

/// Assigns charges and radii to the atoms of a structure, and adds hydrogens. Rules:
/// - hydrogens in the file determine protonation states, whatever their names: those that each atom carries count;
/// - disulphides join sulphurs closer than 2.5 angstrom; other cysteines within 2.9 angstrom of a metal, except
///   alkali metals and alkaline earths, are thiolates unless their sulphur has a hydrogen, and so are those whose
///   hydrogens are in the file, but none at the sulphur;
/// - an atom of a side chain bonded to another residue, such as SG to an inhibitor, has no hydrogens but those in the
///   file; such a Lys is neutral, but charged with two of them, or as an imine with one; an ester of Asp or Glu is
///   neutral, and so is one that is bonded by its carbonyl carbon, as in isopeptides: what Asp, Glu, Asn or Gln lost
///   there leaves its charge to the carbon;
/// - a histidine follows its hydrogens, or its name (HID, HIE, HIP; HSD, HSE, HSP); otherwise it has the proton on
///   NE2, but on ND1 where a hydrogen-bond acceptor favours it more than at NE2, or a donor or a metal is at NE2:
///   closer than 3.5 angstrom, and within 60 degrees of the direction of the proton;
/// - Asp, Glu, Lys and Arg are charged, unless their names (ASH, GLH, LYN) or their hydrogens indicate otherwise, or
///   the pH is beyond the pKa of an amino acid without hydrogens; those bound to metals are not titrated, and
///   Arg, Tyr and the termini never are;
/// - a free amino acid has the charges of both termini;
/// - termini are those of `find_chain_ends`; OXT is added. At chain breaks residues are as in the middle of a chain.
/// - sugars are bonded to each other and to proteins where atoms of two residues are closer than 2 angstrom; a sugar
///   with a bond that the table lacks has no parameters;
/// - hydrogens are kept where an atom has all of its own; otherwise they are placed by `place_hydrogens`, hydroxyls
///   towards an oxygen within 2.4 angstrom, or else where there is most room;
/// - MSE has the charges of methionine, and its selenium the radius of sulphur;
/// - a single atom has the formal charge that the file states, whatever its residue is called, otherwise that of the
///   ion that its name means; one with a charge that the table lacks has the radius of its element's ion there, or of
///   its element.
///
/// Throws InputError, Error where nothing is left.
Preparation prepare(const Structure& structure, const PrepareOptions& options = {},
                    const jobs::Progress& progress = {});

}  // namespace isolume::structures
