#pragma once

#include <string>

#include "core/molecules/wavefunction.h"
#include "core/orbitals/field_request.h"
#include "core/parameters/schema.h"

namespace isolume::orbitals {

/// What to compute: the Orbitals lab's field parameters. The panel, `isolume-batch compute`, sessions and
/// undo all use this struct through `field_schema()`.
struct FieldParameters : dispatch::ComputeOptions {
  FieldKind field = FieldKind::orbital;
  int set = 1;                   ///< which orbital set of the file, from 1
  std::string orbital = "homo";  ///< "homo", "lumo+1", or a number from 1 within the spin
  molecules::Spin spin = molecules::Spin::alpha;
  std::string other_orbital = "lumo";           ///< density-difference
  std::string superposition = "homo:1,lumo:1";  ///< ORBITAL:WEIGHT,...
  double time_femtoseconds = 0;
  double spacing_angstrom = 0.1;
  double margin_angstrom = 0;
};

const parameters::Schema<FieldParameters>& field_schema();

/// The request that these parameters describe for a wavefunction; throws Error naming what does not exist.
FieldRequest to_request(const FieldParameters& parameters, const molecules::Wavefunction& wavefunction);

/// Duration of a superposition's loop, in fs: when its orbitals' phases are closest to those at time 0, so that the
/// restart is hardly visible. From 0.5 to 2 fs; to 10 fs where nothing earlier is close.
double loop_femtoseconds(const FieldParameters& parameters, const molecules::Wavefunction& wavefunction);

}  // namespace isolume::orbitals
