#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/point_costs.h"
#include "app/scene/props/molecule_prop.h"
#include "core/electrostatics/poisson_boltzmann/poisson_boltzmann.h"
#include "core/electrostatics/poisson_boltzmann/solvent_surfaces.h"
#include "core/electrostatics/sums/options.h"
#include "core/electrostatics/surfaces/field_lines.h"
#include "core/electrostatics/surfaces/molecular_surface.h"
#include "core/electrostatics/surfaces/residues.h"
#include "core/fields/source.h"
#include "core/molecules/molecule.h"
#include "core/structures/charges.h"
#include "core/structures/decisions.h"
#include "core/structures/prepare.h"
#include "core/structures/ribbon.h"

namespace isolume::labs::electrostatics {

namespace science = isolume::electrostatics;

/// Around a box in angstrom. Throws Error, ResourceError where the map and its surface do not fit into memory.
grid::Grid grid_of_map(const structures::Box& box, const MapGrid& where);

/// A field with its name as views show it, which was begun at `start`. `surface_at`: of one sign, with its surface there; else of
/// both.
fields::MadeField made_map(grid::ScalarField field, std::string name, std::string maker,
                           std::chrono::steady_clock::time_point start,
                           std::optional<double> surface_at = std::nullopt);

class Solvers;
class OpenWavefunction;

/// Lines along the field of a map.
struct FieldLines {
  std::vector<science::FieldLine> all;
  std::string
      left_out;  ///< a sentence on where there are none because the map is not accurate enough; or empty
};

/// What a file held. Never changes.
struct ChargedMolecule {
  std::filesystem::path path;
  structures::Charges charges;
  std::optional<structures::Preparation> preparation;  ///< of a structure, without its charges
  std::vector<structures::DecisionRow>
      decisions;  ///< what came of it; of files with charges, residues without any
  molecules::Molecule molecule;
  std::shared_ptr<const scene::MoleculeShape> shape;  ///< its balls and sticks
  science::Residues residues;
  science::NearestAtoms nearest;
  std::vector<structures::SecondaryRange> recorded;  ///< helices and strands that the file states
  std::vector<structures::Secondary>
      secondary;  ///< of residues: what the file states, else by hydrogen bonds
  structures::Ribbon ribbon;
  std::shared_ptr<PointCosts> costs =
      std::make_shared<PointCosts>();  ///< of its potential, by science::Method
  /// What was found of its surfaces, for these equations and to be shown.
  std::shared_ptr<science::SolventSurfaces> surfaces = std::make_shared<science::SolventSurfaces>();
  std::shared_ptr<Solvers> solvers;  ///< of its Poisson-Boltzmann equations, with their last solutions
  std::shared_ptr<const OpenWavefunction> wavefunction;  ///< null where the file holds charges or a structure
};
/// That of a map which solves the Poisson-Boltzmann equation, without an estimate of its error.
struct SolvedEnergy {
  science::PolarSolvation solvation;
  science::PotentialOptions how;
};
/// Nothing for a map by another method, or of another molecule.
std::optional<SolvedEnergy> polar_solvation(const ChargedMolecule& molecule,
                                            const grid::ScalarField& potential);
/// In kJ/mol: the difference to the energy by twice the spacing, for which that equation is solved; nothing where that grid
/// would be too coarse for the charges. Throws as PoissonBoltzmann::solve.
std::optional<double> polar_solvation_error(const ChargedMolecule& molecule,
                                            const grid::ScalarField& potential, const SolvedEnergy& energy,
                                            const jobs::Progress& progress);

/// Of those without a charge, in the order of the file.
std::vector<std::string> residues_without_charge(const ChargedMolecule& molecule);

/// Its place among them. Throws Error where there is none of this name.
std::size_t find_residue(const ChargedMolecule& molecule, const std::string& name);

/// Of charges that have been read.
std::shared_ptr<const ChargedMolecule> charged_molecule(
    const std::filesystem::path& path, structures::Charges charges,
    std::optional<structures::Preparation> preparation,
    std::vector<structures::SecondaryRange> recorded = {});

/// The electrostatic potential in how.unit.
std::shared_ptr<const fields::FieldSource> potential_source(std::shared_ptr<const ChargedMolecule> molecule,
                                                            const science::PotentialOptions& how,
                                                            const MapGrid& where);
/// Which surface of a molecule is shown.
struct MapSurface {
  science::MolecularSurface form = science::MolecularSurface::ses;
  science::PotentialOptions how = {};  ///< its probe, and what computes Gaussians
};
/// science::molecular_surface on the same grid.
std::shared_ptr<const fields::FieldSource> surface_source(std::shared_ptr<const ChargedMolecule> molecule,
                                                          const MapSurface& surface, const MapGrid& where);

}  // namespace isolume::labs::electrostatics
