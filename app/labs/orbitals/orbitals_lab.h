#pragma once

#include <memory>

#include "app/workbench/lab.h"

namespace isolume::labs::orbitals {

/// The Orbitals lab: orbital table, level diagram and molecule panel around the scene of one wavefunction.
std::unique_ptr<workbench::Lab> make_lab(workbench::LabContext& context);

}  // namespace isolume::labs::orbitals
