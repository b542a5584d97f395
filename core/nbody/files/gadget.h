#pragma once

#include <filesystem>

#include "core/nbody/bodies/initial_conditions.h"
#include "core/nbody/files/hdf5_file.h"

/// Snapshots of GADGET and of programs with the same layout: GADGET-4's format 3 (HDF5; Springel and others, MNRAS
/// 506, 2871 (2021)), also written by AREPO, GIZMO and SWIFT, and GADGET-2's formats 1 and 2 (binary). Particle types
/// become origins: gas, halo, disc, bulge, stars, black holes, neutrinos.
namespace isolume::nbody {

/// Reads a snapshot from one file, or from several, NAME.0.hdf5, NAME.1.hdf5 ..., of which any may be given. Bodies
/// are ordered by type, and within a type as in the files; types without coordinates or masses are left out, with a
/// remark. Units are those of take_units (snapshot.h). Throws InputError, ResourceError; also where counts in the
/// header disagree with the data.
InitialConditions read_gadget(const Hdf5Reader& file, UnitsChoice units = UnitsChoice::file);

/// The same for formats 1 and 2, with either byte order, single or double precision, and ids of 4 or 8 bytes.
InitialConditions read_gadget_binary(const std::filesystem::path& path,
                                     UnitsChoice units = UnitsChoice::file);
/// Whether the file begins like one.
bool is_gadget_binary(const std::filesystem::path& path);

/// Writes one file in double precision, with the types named by the origins ("second disc": disc), or halo; ids are
/// 1, 2, 3 ... in the order of the bodies where they have none. Bodies in a box are written as comoving, in kpc/h,
/// 10^10 solar masses / h and km/s, others in their units, or with a gravitational constant of 1 where they have
/// none. Throws Error.
void write_gadget(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
