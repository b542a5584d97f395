#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/labs/electrostatics/picture/choices.h"
#include "app/labs/electrostatics/picture/map_source.h"
#include "core/electrostatics/quantum/atomic_charges.h"
#include "core/electrostatics/quantum/wavefunction_atoms.h"
#include "core/molecules/document.h"

namespace isolume::labs::electrostatics {

/// A file's wavefunction with what is found from it when it is first asked for, and kept. Several threads may use it.
class OpenWavefunction {
 public:
  /// Throws InputError where the document has no orbitals.
  explicit OpenWavefunction(molecules::Document document);
  ~OpenWavefunction();

  const molecules::Document& document() const { return document_; }
  int set_count() const { return static_cast<int>(document_.wavefunction->sets.size()); }
  /// `set` counts from 1. Throws Error where there is none of this number.
  const molecules::OrbitalSet& set(int set) const;

  using PotentialPointer = std::shared_ptr<const gaussians::WavefunctionPotential>;
  using DensityPointer = std::shared_ptr<const gaussians::HermiteDensity>;
  PotentialPointer potential(int set, int threads, const jobs::Progress& progress) const;
  DensityPointer density(int set, const jobs::Progress& progress) const;
  science::AtomicCharges charges(int set, science::ChargeKind kind, int threads,
                                 const jobs::Progress& progress) const;
  /// With charges of all kinds; of `how` what quantum_options takes.
  std::vector<science::WavefunctionAtom> atoms(int set, const science::PotentialOptions& how,
                                               const jobs::Progress& progress) const;

 private:
  struct Found;
  const molecules::Document document_;
  const std::unique_ptr<Found> found_;
};

/// Its atoms with their van der Waals radii and Mulliken's charges. Throws as OpenWavefunction; Cancelled.
std::shared_ptr<const ChargedMolecule> wavefunction_molecule(molecules::Document document,
                                                             const jobs::Progress& progress);

/// Why a parameter says nothing of this molecule, a sentence; empty where it does.
std::string why_meaningless(const ChargedMolecule& molecule, std::string_view key);

/// Of a wavefunction or of point charges found from it, or the difference between two of them. Of `how` the unit, the
/// temperature, the engines and what ComputeOptions has matter, of `where` the grid.
std::shared_ptr<const fields::FieldSource> wavefunction_source(
    std::shared_ptr<const ChargedMolecule> molecule, const WavefunctionChoices& choices,
    const science::PotentialOptions& how, const MapGrid& where);

/// Where the density of electrons has this value, in e/bohr^3.
std::shared_ptr<const fields::FieldSource> density_surface_source(
    std::shared_ptr<const ChargedMolecule> molecule, int set, double isovalue, const MapGrid& where);

}  // namespace isolume::labs::electrostatics
