#pragma once

#include "core/nbody/hdf5_file.h"
#include "core/nbody/initial_conditions.h"

/// Snapshots as GADGET-4 writes them (format 3, HDF5; Springel and others, MNRAS 506, 2871 (2021)); those of GADGET-2 and
/// -3 and of AREPO are alike. Types of particles are origins: gas, halo, disc, bulge, stars and black holes.
namespace isolume::nbody {

/// A snapshot in one file, or all of one in several, NAME.0.hdf5, NAME.1.hdf5 ..., of which any is given. Bodies come type
/// by type, in each as the files have them.
///
/// In physical coordinates masses are multiplied by the constant of gravitation in the file's units, where it names them,
/// so that G = 1; a BoxSize there is not looked at. Comoving ones (ComovingIntegrationOn of the parameters; without it,
/// where Omega0 is above 0 and Time is 1 / (1 + Redshift)) are those of a ComovingBox, with its units and
/// usual_softening: Time is the scale factor a, coordinates and masses are by h, and peculiar velocities are those of
/// the file times sqrt(a). Where such a file names no units they are 10^10 solar masses, km/s, and kpc or Mpc, whichever
/// makes the mean density Omega0.
///
/// Throws InputError, ResourceError; also where the mean density is not Omega0 within 2 %, and where counts of the header
/// are not those of the bodies.
InitialConditions read_gadget(const Hdf5Reader& file);

/// In one file, double precision, of the types that their origins are named after ("second disc": disc), or halo;
/// ids are 1, 2, 3 ... in the order of the bodies where they have none. Bodies in a box are written as comoving, in kpc/h,
/// 10^10 solar masses / h and km/s, others with the constant of gravitation 1 and no units. Throws Error.
void write_gadget(const InitialConditions& bodies, const std::filesystem::path& path);

}  // namespace isolume::nbody
