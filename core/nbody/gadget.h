#pragma once

#include <filesystem>

#include "core/nbody/hdf5_file.h"
#include "core/nbody/initial_conditions.h"

/// Snapshots of GADGET and of programs that write theirs alike: GADGET-4's format 3 (HDF5; Springel and others, MNRAS 506,
/// 2871 (2021)), which AREPO, GIZMO and SWIFT have, too, and GADGET-2's formats 1 and 2 (binary). Types of particles are
/// origins: gas, halo, disc, bulge, stars, black holes, neutrinos.
namespace isolume::nbody {

/// A snapshot in one file, or all of one in several, NAME.0.hdf5, NAME.1.hdf5 ..., of which any is given. Bodies come type
/// by type, in each as the files have them; types without coordinates or masses are left out, with a remark. Units are
/// those of take_units (snapshot.h). Throws InputError, ResourceError; also where counts of the header are not those of the
/// bodies.
InitialConditions read_gadget(const Hdf5Reader& file, UnitsChoice units = UnitsChoice::file);

/// The same of formats 1 and 2, of either byte order, single or double precision, and ids of 4 or 8 bytes.
InitialConditions read_gadget_binary(const std::filesystem::path& path,
                                     UnitsChoice units = UnitsChoice::file);
/// Whether it begins as one.
bool is_gadget_binary(const std::filesystem::path& path);

/// In one file, double precision, of the types that their origins are named after ("second disc": disc), or halo;
/// ids are 1, 2, 3 ... in the order of the bodies where they have none. Bodies in a box are written as comoving, in kpc/h,
/// 10^10 solar masses / h and km/s, others in their units, or with the constant of gravitation 1 where they have none. Throws
/// Error.
void write_gadget(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
