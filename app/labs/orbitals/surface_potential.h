#pragma once

#include <memory>
#include <span>
#include <vector>

#include "app/labs/orbitals/colouring_source.h"
#include "core/electrostatics/quantum/quantum_engine.h"
#include "core/fields/source.h"

namespace isolume::labs::orbitals {

/// The electrostatic potential of a wavefunction's nuclei and electrons, in vacuum, at the vertices of surfaces. Keeps the
/// expansion of each orbital set and the values on the last surfaces. Several threads may use it.
class SurfacePotential {
 public:
  using Engines = std::shared_ptr<const isolume::electrostatics::QuantumEngineRegistry>;

  /// Of a document with a wavefunction. Without `engines`: on the CPU.
  SurfacePotential(DocumentPointer document, Engines engines);
  ~SurfacePotential();

  /// In Eh/e at places in angstrom, three floats each. `set` counts from 1. Throws Error, ResourceError, Cancelled.
  std::vector<double> at(std::span<const float> places, int set, const dispatch::ComputeOptions& compute,
                         const jobs::Progress& progress) const;

 private:
  struct Kept;
  const DocumentPointer document_;
  const Engines engines_;
  const std::unique_ptr<Kept> kept_;
};

/// What colours a surface by the potential of the document's wavefunction, in this unit (kT at 298.15 K).
std::shared_ptr<const fields::FieldSource> make_potential_source(
    DocumentPointer document, std::shared_ptr<const SurfacePotential> potential,
    const isolume::orbitals::FieldParameters& field, isolume::electrostatics::PotentialUnit unit);

}  // namespace isolume::labs::orbitals
