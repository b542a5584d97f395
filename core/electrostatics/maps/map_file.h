#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/base/file_format.h"
#include "core/base/remarks.h"
#include "core/electrostatics/sums/units.h"
#include "core/grid/scalar_field.h"
#include "core/jobs/progress.h"
#include "core/molecules/molecule.h"

namespace isolume::electrostatics {

/// Maps to compare with; cube files of all kinds are another lab's.
const FileFormats& map_formats();

/// File name endings of maps that can be written, for display: ".dx, .dx.gz, ...".
inline constexpr std::string_view map_endings =
    ".dx, .dx.gz, .ccp4, .mrc, .map (or these and .gz), .vti, .nrrd or .cube";
/// Whether the name ends with one of them.
bool is_map_file(const std::filesystem::path& path);

/// A potential read from a file.
struct PotentialMap {
  grid::ScalarField field;  ///< on a grid in angstrom, in `unit`
  PotentialUnit unit = PotentialUnit::kt_per_e;
  bool unit_is_assumed = false;  ///< the file does not state it
  Remarks remarks = {};          ///< what else is doubtful
};
/// Reads an OpenDX, CCP4, VTI or NRRD map depending on its name, otherwise a cube file; plain or gzipped. Files written
/// here state their unit; where it is missing, kT/e is assumed, and Eh/e for a cube file. Throws InputError, also
/// where a cube file does not contain a potential, ResourceError, Cancelled.
PotentialMap read_map(const std::filesystem::path& path, const jobs::Progress& progress = {});

/// The grid of an OpenDX, CCP4, VTI or NRRD map depending on its name, otherwise of a cube file. Throws InputError,
/// ResourceError, Cancelled.
grid::Grid read_map_grid(const std::filesystem::path& path, const jobs::Progress& progress = {},
                         Remarks* remarks = nullptr);

/// Writes a map in the format given by its name. Throws Error for other names, and where the format cannot express
/// the grid or the file cannot be written; Cancelled. `molecule`: the atoms, which cube files contain, too.
void write_map(grid::ScalarField field, const std::filesystem::path& path,
               const jobs::Progress& progress = {}, const molecules::Molecule& molecule = {});

/// Whether the format can be written in parts: all but gzipped CCP4 and NRRD.
bool takes_parts(const std::filesystem::path& path);

/// Writes a map in parts, byte for byte as write_map does: the file appears at `commit`, or not at all.
class MapWriter {
 public:
  /// Throws Error where the format does not support this, or the file cannot be written.
  MapWriter(const std::filesystem::path& path, const grid::Grid& grid, const std::string& name,
            const std::string& unit, const molecules::Molecule& molecule = {});
  ~MapWriter();
  /// Writes the next planes across the first axis: a field on these only. Throws Error, Cancelled.
  void put(const grid::ScalarField& planes, const jobs::Progress& progress);
  /// Call after all planes. Throws Error where the file cannot be written.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace isolume::electrostatics
