#pragma once

#include "core/nbody/hdf5_file.h"
#include "core/nbody/initial_conditions.h"

namespace isolume::nbody {

/// A snapshot in one file as GADGET-4 writes it (format 3, HDF5); types of particles become origins. Where it
/// names its units, masses are multiplied by the constant of gravitation in them, so that G = 1. Throws
/// InputError; also for comoving coordinates.
InitialConditions read_gadget(const Hdf5Reader& file);

/// All as type 1, in double precision, with units in which G = 1. Throws Error.
void write_gadget(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
