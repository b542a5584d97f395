#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/electrostatics/units.h"
#include "core/jobs/progress.h"
#include "core/lattice/scalar_field.h"
#include "core/molecules/molecule.h"

namespace isolume::electrostatics {

/// How the names of maps that can be written end, for people: ".dx, .dx.gz, ...".
inline constexpr std::string_view map_endings =
    ".dx, .dx.gz, .ccp4, .mrc, .map (or these and .gz), .vti or .cube";
/// The name ends with one of them.
bool is_map_file(const std::filesystem::path& path);

/// A potential that was read.
struct PotentialMap {
  lattice::ScalarField field;  ///< on a lattice in angstrom, in `unit`
  PotentialUnit unit = PotentialUnit::kt_per_e;
  bool unit_is_assumed = false;  ///< the file says none
};
/// An OpenDX, CCP4 or VTI map by its name, a cube file otherwise; plain or gzipped. Files that are written here say their unit;
/// where a file says none, it is taken as kT/e, and as Eh/e from a cube file. Throws InputError, also where a cube holds
/// what is no potential, ResourceError, Cancelled.
PotentialMap read_map(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The lattice of an OpenDX, CCP4 or VTI map by its name, of a cube file otherwise. Throws InputError, ResourceError, Cancelled.
lattice::Lattice read_map_lattice(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// Writes a map in the format that its name says. Throws Error for other names, and where the format cannot say how the
/// lattice lies or it cannot be written; Cancelled. `molecule`: the atoms, which cube files have, too.
void write_map(lattice::ScalarField field, const std::filesystem::path& path,
               const jobs::Progress& progress = {}, const molecules::Molecule& molecule = {});

/// The name is of a format that can be written part after part: all but gzipped CCP4.
bool takes_parts(const std::filesystem::path& path);

/// Writes a map part after part, with the bytes that write_map writes: it is there after `commit`, or not at all.
class MapWriter {
 public:
  /// Throws Error where the name is of no such format, or the file cannot be written.
  MapWriter(const std::filesystem::path& path, const lattice::Lattice& lattice, const std::string& name,
            const std::string& unit, const molecules::Molecule& molecule = {});
  ~MapWriter();
  /// The next planes across the first axis: a field on these alone. Throws Error, Cancelled.
  void put(const lattice::ScalarField& planes, const jobs::Progress& progress);
  /// After all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics
