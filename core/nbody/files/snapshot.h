#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/nbody/bodies/initial_conditions.h"

/// Common parts of the file formats of cosmological simulation programs: GADGET-2, -3 and -4, AREPO, GIZMO, SWIFT.
namespace isolume::nbody {

/// Names of the particle types, which become origins.
inline constexpr std::array<const char*, 7> snapshot_types{"gas",   "halo",        "disc",     "bulge",
                                                           "stars", "black holes", "neutrinos"};

/// Powers of the scale factor and of h in the physical value of a quantity, as stated at its dataset.
struct StatedPowers {
  std::optional<double> scale_factor = std::nullopt, hubble = std::nullopt;
};

/// Header data of a snapshot; nothing where the file does not state it.
struct SnapshotHeader {
  double time = 0;
  std::optional<double> redshift = std::nullopt, box_size = std::nullopt, omega_matter = std::nullopt,
                        omega_lambda = std::nullopt, hubble = std::nullopt;
  std::optional<bool> comoving = std::nullopt;
  std::optional<double> scale_factor =
      std::nullopt;                           ///< if missing in comoving files, the time is the scale factor
  std::optional<Units> units = std::nullopt;  ///< of comoving files without the h
  bool names_some_units = false;              ///< but not all, so that `units` is empty
  /// Attributes that should be finite numbers and are not, with what they are: "Time (Header) is "0,5"".
  std::vector<std::string> unreadable = {};
  std::optional<double> gravitation = std::nullopt;  ///< gravitational constant in the file's units
  /// Comoving lengths and masses are in units of 1 / h, and velocities are peculiar velocities divided by the square
  /// root of the scale factor, as in GADGET; neither holds for SWIFT.
  bool like_gadget = true;
  StatedPowers of_positions = {}, of_velocities = {},
               of_masses = {};  ///< that may differ from this convention
};

/// The files of a snapshot consisting of `count` files, NAME.0, NAME.1 ... with one suffix, of which `path` is any.
std::vector<std::filesystem::path> files_of_snapshot(const std::filesystem::path& path, double count);
/// Throws InputError where there are no bodies, with what the remarks say of those that were left out; ResourceError.
void make_room_for_snapshot(const std::filesystem::path& path, std::uint64_t bodies, InitialConditions& to);
/// Throws InputError with the number in the file, before units change it, where a mass is negative or not finite.
/// `of`: whose masses they are, for the message.
void require_masses(const std::filesystem::path& path, std::string_view of, std::span<const double> masses);
/// Adds a warning where there are any.
void warn_of_gas(std::uint64_t bodies, Remarks& remarks);
/// Clears ids, with a remark, if not all bodies have one, because some of `which` ("particle types") have none.
void drop_incomplete_ids(std::string_view which, InitialConditions& from);
/// Sets the origin of the bodies from `first` on to this type.
void add_snapshot_origin(std::size_t type, std::size_t first, InitialConditions& to);

/// Converts bodies from the units of the file to those of this program. In physical coordinates masses are multiplied
/// by the gravitational constant; if the file names no units, by that of `choice`, which for `file` are GADGET's.
/// Comoving ones are converted to those of a ComovingBox, with its units and usual_softening, where the mean density
/// agrees with the header. Where it is far lower and the bodies fill a part of the box, they are a cut-out: in
/// physical coordinates, without the expansion. Remarks report what was assumed or converted. `path`: for errors.
/// Throws InputError.
void take_units(const SnapshotHeader& header, UnitsChoice choice, const std::filesystem::path& path,
                InitialConditions& bodies);

/// Adds a warning where units were chosen for a file whose own are used.
void warn_of_unused_choice(UnitsChoice choice, Remarks& remarks);
/// For formats without any units: multiplies masses by the gravitational constant of the choice; for `file` by 1,
/// with a remark.
void take_chosen_units(UnitsChoice choice, InitialConditions& bodies);

/// Conversion from the units of a file to those of a ComovingBox: Mpc/h, 100 km/s, and masses that make G = 1.
struct ToBox {
  double length, speed, mass;

  /// `h`: factor that the file's lengths and masses lack; 1 where they are in units of 1 / h.
  explicit ToBox(const Units& units, double h = 1);
};
/// Units in which boxes are written, and the default where a file names none: kpc, 10^10 solar masses, km/s.
Units gadget_units();

}  // namespace isolume::nbody
