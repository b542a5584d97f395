#pragma once

#include "app/workbench/contract/lab.h"

namespace isolume::labs::orbitals {

/// The Orbitals lab: orbital table, level diagram and molecule panel around the scene of one wavefunction.
workbench::LabEntry lab_entry();

}  // namespace isolume::labs::orbitals
