#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/nbody/initial_conditions.h"

/// What the files of cosmological simulation programs have in common, whatever their format: GADGET-2, -3 and -4, AREPO,
/// GIZMO, SWIFT.
namespace isolume::nbody {

/// Names of the types of particles, which become origins.
inline constexpr std::array<const char*, 7> snapshot_types{"gas",   "halo",        "disc",     "bulge",
                                                           "stars", "black holes", "neutrinos"};

/// What a file says of all its bodies; nothing where it does not.
struct SnapshotHeader {
  double time = 0;
  std::optional<double> redshift = std::nullopt, box_size = std::nullopt, omega_matter = std::nullopt,
                        omega_lambda = std::nullopt, hubble = std::nullopt;
  std::optional<bool> comoving = std::nullopt;
  std::optional<double> scale_factor = std::nullopt;  ///< else the time is it, in comoving files
  std::optional<Units> units = std::nullopt;          ///< of comoving files without the h
  std::optional<double> gravitation = std::nullopt;   ///< the constant in the file's units
  /// Comoving lengths and masses are in units of 1 / h, and velocities are peculiar ones by the square root of the scale
  /// factor, as GADGET has them; SWIFT has neither.
  bool like_gadget = true;
};

/// The files of a snapshot that is in `count` of them, NAME.0, NAME.1 ... with one suffix, of which `path` is any.
std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, double count);
/// Throws InputError where there are none, ResourceError.
void make_room_for_snapshot(const std::filesystem::path& path, std::uint64_t bodies, InitialConditions& to);
/// The bodies from `first` on are of this type.
void add_snapshot_origin(std::size_t type, std::size_t first, InitialConditions& to);

/// Bodies as they are in the file to those of this program. In physical coordinates masses are multiplied by the constant of
/// gravitation; without units in the file, by that of `choice`, which for `file` are GADGET's. Comoving ones are those of a
/// ComovingBox, with its units and usual_softening, where the mean density is that of the header. Where it is far lower and the
/// bodies fill a part of the box, they are a cut-out: in physical coordinates, without the expansion. What was assumed or
/// converted is in the remarks. `path`: for errors. Throws InputError.
void take_units(const SnapshotHeader& header, UnitsChoice choice, const std::filesystem::path& path,
                InitialConditions& bodies);

/// For formats without any units: masses are multiplied by the constant of gravitation of the choice; `file`: by 1, which
/// is a remark.
void take_chosen_units(UnitsChoice choice, InitialConditions& bodies);

/// Of those of a file to those of a ComovingBox: Mpc/h, 100 km/s, and masses that make G = 1.
struct ToBox {
  double length, speed, mass;

  /// `h`: by which the file's lengths and masses are not divided; 1 where they are.
  explicit ToBox(const Units& units, double h = 1);
};
/// That boxes are written in, and that programs take for granted where a file names none: kpc, 10^10 solar masses, km/s.
Units gadget_units();

}  // namespace isolume::nbody
