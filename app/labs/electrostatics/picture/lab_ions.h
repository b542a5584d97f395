#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/labs/electrostatics/picture/picture_request.h"
#include "core/electrostatics/potential/ions.h"

namespace isolume::labs::electrostatics {

struct PlacedIons {
  std::vector<science::PlacedIon> all;
  std::vector<std::string> names;  ///< of elements, as PDB files have them
  std::string why_none = {};       ///< where the molecule and what is asked for leave none to place

  /// "4 CL, 12 NA", in the order of the names.
  std::string counts() const;
  /// In e.
  double charge() const;
};

/// The ions that the request's view asks for, by science::place_ions, on its grid, but at no less than 1 angstrom, and by
/// its method; where this is the Poisson-Boltzmann equation or pme, which no charges can be added to, by Debye-Hueckel's sum
/// in the same solvent. Throws as it does; Error where ions do not make up for the molecule's charge.
std::shared_ptr<const PlacedIons> placed_ions(const PictureRequest& request, const jobs::Progress& progress);

/// All that they depend on but the molecule, as text.
std::string asked_ions(const PictureRequest& request);

/// As PDB: the ions alone, or behind the molecule's atoms. Throws Error where it cannot be written.
void write_ions(const PlacedIons& ions, const ChargedMolecule* with, const std::filesystem::path& path,
                const jobs::Progress& progress);

/// As what is drawn.
molecules::Molecule molecule_of_ions(const PlacedIons& ions);

}  // namespace isolume::labs::electrostatics
